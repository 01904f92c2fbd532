"""Each convention against the totals that its framework gives, and against what it says of itself."""

import dataclasses
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.accounting.counting import part
from trex.accounting.counting.conventions import CONVENTIONS, EXACT, EXACT_WITH_MTP, MISTAKES, NOT_DERIVED, applicable
from trex.accounting.counting.deepseek_v4 import window_pairs
from trex.accounting.counting.published import DEEPSEEK_V3, FLASH, QWEN3_30B_A3B
from trex.accounting.counting.read import architecture, of

# Training GFLOP a token at 4096 tokens (Flash, Pro), to the digits in circulation. Megatron's Flash with MTP comes out
# as 90.7815, which circulates as 90.782.
TOTALS = {
    "exact_visible_pairs": (85.6108, 312.4724),
    "exact_visible_pairs_mtp": (91.0521, 324.2744),
    "veomni": (85.594, 312.430),
    "megatron": (85.654, 311.704),
    "megatron_mtp": (90.7815, 322.555),
    "torchtitan_mtp": (92.762, 337.51),
    "primus_mtp": (91.41, 334.10),
    "6n": (79.62, 293.11),
}


def digits(number: float) -> int:
    return len(str(number).split(".")[1])


@pytest.mark.parametrize("name", TOTALS)
def test_totals_in_circulation(name):
    for model, expected in zip(("v4-flash", "v4-pro"), TOTALS[name], strict=True):
        found = CONVENTIONS[name].per_token(architecture(model), 4096) / 10**9
        assert round(float(found), digits(expected)) == expected


def ratio(model: str, one: str, other: str) -> float:
    return float(
        CONVENTIONS[one].total(architecture(model), 4096) / CONVENTIONS[other].total(architecture(model), 4096)
    )


def test_differences_in_circulation():
    """Frozen indexer -1.5 / -0.8 %, MTP +6.4 / +3.8 %, full recomputation x 1.321 / 1.327, streams counted +295 %."""
    frozen = "exact_visible_pairs_frozen_indexer"
    recomputed = "exact_visible_pairs_full_recomputation"
    for model, without, ahead, again in (("v4-flash", -1.5, 6.4, 1.321), ("v4-pro", -0.8, 3.8, 1.327)):
        assert round(100 * (ratio(model, frozen, EXACT) - 1), 1) == without
        assert round(100 * (ratio(model, EXACT_WITH_MTP, EXACT) - 1), 1) == ahead
        assert round(ratio(model, recomputed, EXACT), 3) == again


def test_counting_each_stream_by_itself_gives_four_times_as_much():
    flash = architecture("v4-flash")
    mistake = MISTAKES["primus_by_streams_mtp"].total(flash, 4096)
    assert round(100 * (float(mistake / CONVENTIONS[EXACT_WITH_MTP].total(flash, 4096)) - 1)) == 295
    assert not set(MISTAKES) & set(CONVENTIONS)


def test_what_is_not_derived_is_listed_with_a_reason():
    assert not set(NOT_DERIVED) & set(CONVENTIONS)
    assert all(reason for reason in NOT_DERIVED.values())


def test_conventions_say_what_they_are():
    for name, convention in CONVENTIONS.items():
        assert convention.name == name and convention.counts and convention.source
        assert convention.mtp == ("mtp" in name)
        assert convention.hardware == ("recomputation" in name)


SMALL = (
    of("compressed", dataclasses.replace(FLASH, compress_ratios=(0, 4, 128)), "here"),
    of("latent", dataclasses.replace(DEEPSEEK_V3, num_hidden_layers=4), "here"),
    of("grouped", dataclasses.replace(QWEN3_30B_A3B, num_hidden_layers=2), "here"),
)


@given(model=st.sampled_from(SMALL), length=st.integers(1, 600))
def test_terms_are_exact_and_not_negative(model, length):
    for convention in applicable(model):
        terms = convention.training_flops(model, length)
        assert all(isinstance(value, int | Fraction) and value >= 0 for value in terms.values())
        assert convention.per_token(model, length) * length == sum(terms.values())


def test_mtp_only_where_a_model_has_it():
    without = of("mine", dataclasses.replace(FLASH, num_nextn_predict_layers=0), "here")
    for model in (without, architecture("qwen3-30b-a3b")):
        assert not any(convention.mtp for convention in applicable(model))
    assert not CONVENTIONS["veomni"].applies_to(architecture("deepseek-v3"))
    names = {convention.name for convention in applicable(architecture("deepseek-v3"))}
    assert {"megatron", "megatron_mtp", "6n", EXACT, EXACT_WITH_MTP} <= names


def test_recomputation_repeats_the_layers_alone():
    flash, length = architecture("v4-flash"), 256
    main = part.main(flash.parts(length))
    outside = sum(one.flops for one in main if one.block != "layer")
    terms = CONVENTIONS["exact_visible_pairs_full_recomputation"].training_flops(flash, length)
    assert terms["recomputation"] == part.forward_flops(main) - outside
    assert sum(terms.values()) - terms["recomputation"] == CONVENTIONS[EXACT].total(flash, length)


def test_megatron_differs_from_the_exact_count_by_what_it_says():
    """No router or hyper-connection, the whole window, means of CSA and HCA, all entries for the indexer, two norms."""
    pro, length = architecture("v4-pro"), 4096
    ours, theirs = (CONVENTIONS[name].training_flops(pro, length) for name in (EXACT, "megatron"))
    assert set(ours) - set(theirs) == {"routers", "hyper_connections"}
    same = {"compressors", "indexer_projections", "routed_experts", "shared_experts", "lm_head"}
    assert all(ours[name] == theirs[name] for name in same)
    assert theirs["projections"] - ours["projections"] == 6 * length * 61 * (1536 + 512)
    assert theirs["window_attention"] * window_pairs(length, 128) == ours["window_attention"] * length * 128
    entries = length // 4
    assert Fraction(theirs["indexer_scores"], ours["indexer_scores"]) == Fraction(4 * entries, 2 * entries - 1)


def test_megatron_counts_full_attention_by_half():
    mixtral, length = architecture("mixtral-8x7b"), 4096
    ours, theirs = (CONVENTIONS[name].training_flops(mixtral, length) for name in (EXACT, "megatron"))
    assert Fraction(theirs["attention"], ours["attention"]) == Fraction(length, length + 1)
    assert sum(ours.values()) - sum(theirs.values()) == ours["attention"] - theirs["attention"] + ours["routers"]
