"""The files of scenarios and prices, and the arithmetic from them."""

import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from trex.accounting.costs import normalise, own, prices, scenarios, sensitivity, terms
from trex.accounting.costs.normalise import Range, exactly
from trex.common.errors import UserError
from trex.common.provenance import PACKAGE

CONFIG = PACKAGE.parents[1] / "config"
EXAMPLE = CONFIG / "prices.example.yaml"
POSITIVE = st.floats(1e-3, 1e6)


@pytest.fixture(scope="module")
def shipped():
    return scenarios.load()


def edited(tmp_path, file, edit):
    """The path of a copy of a YAML file after edit(its content)."""
    content = yaml.safe_load((CONFIG / file).read_text(encoding="utf-8"))
    edit(content)
    path = tmp_path / file
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


def test_a_token_costs_what_it_must():
    row = normalise.row(exactly(1000.0), exactly(500.0), 3.6, 0.2)
    assert row["tokens_per_second_per_watt"] == 2.0
    assert row["kwh_per_billion_tokens"] == pytest.approx(0.5 * 1e9 / 3.6e6)
    assert row["usd_per_billion_tokens"] == pytest.approx(1e9 / 1000 / 3600 * 3.6)
    assert row["tokens_per_second_per_usd_per_hour"] == pytest.approx(1000 / 3.6)
    assert row["electricity_usd_per_billion_tokens"] == pytest.approx(0.2 * row["kwh_per_billion_tokens"])


def test_without_a_price_there_are_no_dollars():
    row = normalise.row(exactly(1000.0), exactly(500.0), None, None)
    assert all(math.isnan(value) for name, value in row.items() if "usd" in name)
    assert not any(math.isnan(value) for name, value in row.items() if "usd" not in name)


@given(rate=POSITIVE, watts=POSITIVE, price=POSITIVE, times=st.floats(1.01, 100))
def test_ranges_hold_their_value_and_faster_is_cheaper(rate, watts, price, times):
    slow = normalise.row(Range(rate, rate / 2, rate * 2), Range(watts, watts / 3, watts * 3), price, None)
    fast = normalise.row(exactly(rate * times), exactly(watts), price, None)
    for name in ("kwh_per_billion_tokens", "usd_per_billion_tokens"):
        assert slow[f"{name}_low"] < slow[name] < slow[f"{name}_high"] and fast[name] < slow[name]
    assert slow["kwh_per_billion_tokens_high"] == pytest.approx(6 * slow["kwh_per_billion_tokens"])


def test_v4_pro_on_the_910c_by_hand(shipped):
    """0.3422 x 752 TFLOP/s over 312.4724 GFLOP a token (the published formula's digits)."""
    rate = shipped.rate(shipped.scenarios["ascend-910c"])
    assert rate.value == pytest.approx(0.3422 * 752e12 / 312.4724e9, rel=1e-6)
    h100 = shipped.scenarios["h100"]
    assert shipped.break_even(h100).value == pytest.approx(0.3422 * 752 / (h100.mfu.value * h100.peak.value))


def test_the_low_end_of_the_910c_is_what_recomputation_would_make_of_it(shipped):
    (mfu,) = [
        one.mfu.value
        for varied, _, one in sensitivity.variations(shipped, shipped.scenarios["ascend-910c"])
        if varied == "counted_flops"
    ]
    assert shipped.scenarios["ascend-910c"].mfu.low == pytest.approx(mfu, abs=1e-4)


def test_at_the_break_even_price_ratio_a_token_costs_the_same(shipped):
    reference = shipped.scenarios[shipped.reference]
    for name, one in shipped.scenarios.items():
        usd = 3.0 * shipped.break_even(one).value
        ours = normalise.rent(shipped.rate(reference), usd)["usd_per_billion_tokens"]
        theirs = normalise.rent(shipped.rate(one), 3.0)["usd_per_billion_tokens"]
        assert ours == pytest.approx(theirs), name
    assert shipped.break_even(reference).value == 1.0


def test_every_row_says_what_it_rests_on_and_nothing_has_a_price_by_default(shipped):
    for row in scenarios.rows(shipped, prices.load(None, shipped.scenarios)):
        assert row["mfu_basis"].startswith("published: " if row["device"] == "ascend-910c" else "assumed: ")
        assert row["price_basis"] == "user-supplied: not given" and math.isnan(row["usd_per_hour"])
        assert row["peak_basis"] and row["power_basis"] and row["convention"] == "exact_visible_pairs"
    assert {"h100", "h200", "b200", "gb200"} <= shipped.scenarios.keys()
    assert all(scenarios.ALL_IN in one.power for one in shipped.scenarios.values())


def test_the_example_of_prices_says_everywhere_that_it_is_one(shipped):
    example = prices.load(EXAMPLE, shipped.scenarios)
    rows = scenarios.rows(shipped, example)
    assert all(row["price_basis"].startswith("EXAMPLE, no market price") for row in rows)
    supplied = [row for row in terms.rows(shipped, example) if row["status"] != "computed" or row["term"] == "all_four"]
    assert supplied and all("EXAMPLE, no market price" in row["basis"] for row in supplied)
    # At one price for all, a dollar's tokens are to each other as the tokens per second.
    by_device = {row["device"]: row["tokens_per_second_per_usd_per_hour"] for row in rows}
    assert by_device["ascend-910c"] / by_device["h100"] == pytest.approx(
        shipped.break_even(shipped.scenarios["h100"]).value
    )


def test_sensitivity_changes_one_thing_at_a_time(shipped):
    rows = sensitivity.rows(shipped)
    bases = {row["device"]: row for row in rows if row["varied"] == "nothing"}
    assert bases.keys() == shipped.scenarios.keys() - {shipped.reference}
    assert {row["varied"] for row in rows} == {"nothing", "mfu", "peak", "power", "counted_flops"}
    for row in rows:
        base = bases[row["device"]]
        sides = ("reference_tokens_per_second", "device_tokens_per_second")
        assert sum(row[side] != base[side] for side in sides) == (row["varied"] not in ("nothing", "power"))
        assert row["change"] == pytest.approx(row["break_even_price_ratio"] / base["break_even_price_ratio"] - 1)
    peaks = {row["setting"].split()[0] for row in rows if row["varied"] == "peak" and row["of"] == "ascend-910c"}
    assert peaks == {"708", "780", "800"}


def test_the_four_terms_of_the_record(shipped):
    rows = {(row["device"], row["term"]): row for row in terms.rows(shipped, prices.Prices())}
    assert {term for _, term in rows} == {
        "acquisition",
        "throughput_per_chip",
        "migration",
        "operational_risk",
        "all_four",
    }
    for (_, term), row in rows.items():
        assert row["status"] == ("computed" if term == "throughput_per_chip" else "not in the record"), term
        assert (row["value"] is None) == (term != "throughput_per_chip")
    assert "lost time" in rows["h100", "all_four"]["basis"]


def test_all_four_terms_by_hand(shipped):
    given_prices = prices.load(EXAMPLE, shipped.scenarios)
    rows = {(row["device"], row["term"]): row for row in terms.rows(shipped, given_prices)}
    one = shipped.scenarios["ascend-910c"]
    seconds = 1e9 / (0.95 * shipped.rate(one).value)
    purchase = 10000 / (4 * 8766 * 0.8) / 3600 * seconds
    current = one.power["all_in"].value / 1000 * 0.1 / 3600 * seconds
    assert rows["ascend-910c", "all_four"]["value"] == pytest.approx(purchase + current + 1e6 / 1000)
    assert ("h100", "migration") not in rows


def drop(*keys):
    def edit(content):
        for key in keys[:-1]:
            content = content[key]
        del content[keys[-1]]

    return edit


def put(value, *keys):
    def edit(content):
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = value

    return edit


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (put("h1000", "reference"), "did you mean h100"),
        (put("h800", "reference"), "'h800' is not among the devices of this file"),
        (put("exact", "convention"), "no 'exact'; there are exact_visible_pairs"),
        (put("nobody", "devices", "h100", "mfu", "source"), "unknown source 'nobody'"),
        (put(0.1, "devices", "h100", "mfu", "high"), "h100: mfu must have low <= value <= high"),
        (put(34.22, "devices", "h100", "mfu", "value"), "devices.h100.mfu.value"),
        (put("fp4", "dtype"), "ascend-910c has no fp4 peak"),
        (put("v5", "model"), "v4-pro"),
        (drop("devices", "h100", "mfu", "status"), "'status' is a required property"),
        (put(1, "devices", "h100", "price"), "unknown key"),
    ],
)
def test_wrong_scenarios_are_one_clear_line(edit, said, tmp_path):
    with pytest.raises(UserError) as error:
        scenarios.load(edited(tmp_path, "cost_scenarios.yaml", edit))
    assert said in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (put(1.0, "usd_per_device_hour", "h1000"), "'h1000' is not compared"),
        (put(0, "usd_per_device_hour", "h100"), "usd_per_device_hour.h100"),
        (put("2 dollars", "usd_per_device_hour", "h100"), "'2 dollars'|\"2 dollars\""),
        (put(1.0, "lost_time", "h100"), "lost_time.h100"),
        (drop("title"), "'title' is a required property"),
        (drop("acquisition", "years"), "'years' is a required property"),
    ],
)
def test_wrong_prices_are_one_clear_line(edit, said, shipped, tmp_path):
    with pytest.raises(UserError, match=said):
        prices.load(edited(tmp_path, "prices.example.yaml", edit), shipped.scenarios)


@pytest.mark.parametrize("text", ["a: [1", "- 1", ""])
def test_what_is_no_file_of_prices(text, tmp_path):
    (tmp_path / "prices.yaml").write_text(text)
    with pytest.raises(UserError, match=r"prices\.yaml"):
        prices.load(tmp_path / "prices.yaml", ["h100"])


def test_prices_may_leave_everything_out(tmp_path):
    (tmp_path / "prices.yaml").write_text("title: ours\n")
    assert prices.load(tmp_path / "prices.yaml", ["h100"]) == prices.Prices(basis="user-supplied: ours")


@pytest.mark.parametrize(
    "record",
    ["[1]", "3", "null", "{}"]
    + [f'{{"tokens": {tokens}, "seconds": 1}}' for tokens in ('"x"', "null", "Infinity", "[]")]
    + [f'{{"tokens": 5, "seconds": {seconds}}}' for seconds in ("0", "-1", "NaN", "null", "true")],
)
def test_metrics_that_are_none_are_refused(tmp_path, record):
    path = tmp_path / "metrics.jsonl"
    path.write_text(record)
    with pytest.raises(UserError, match=r"metrics\.jsonl: no metrics"):
        own.training_row(path, 1, None, None, None)
