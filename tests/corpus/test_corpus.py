"""The small corpus as a whole: what the steps wrote, and that they write it again."""

import collections
import json
import re

import pytest

from tests.corpus.conftest import CORPUS, FAMILIES, command, make
from trex.benchmarks.item import read_suite
from trex.common import files
from trex.common.errors import UserError
from trex.corpus import cpt, drills, notes, samples, sft, suites, tables
from trex.execution.dialects import mathopt
from trex.problems.comparison import canonical
from trex.problems.ir import Model


def suite(corpus, name):
    return read_suite(corpus / f"suites/{name}.parquet")


def rows(corpus, name):
    return files.read_parquet(corpus / f"{name}.parquet")


def instances(corpus):
    return {row["instance_id"]: row for path in corpus.glob("instances/*.parquet") for row in files.read_parquet(path)}


def instances_used(corpus, name):
    """Of a table of samples or documents; notes and drills have none."""
    return {row["instance_id"] for row in rows(corpus, name)} - {None}


def run_answer(answer, data_file, folder, monkeypatch):
    if data_file is not None:
        (folder / "data.json").write_text(data_file, encoding="utf-8")
    monkeypatch.chdir(folder)
    names = {}
    exec(re.search(r"```python\n(.*?)\n```", answer, re.S)[1], names)
    return mathopt.to_ir(names["m"])


def test_everything_is_written_again_byte_by_byte(corpus, tmp_path):
    again = make(tmp_path)
    names = sorted(path.relative_to(corpus) for path in corpus.rglob("*") if path.is_file())
    assert len(names) == 2 * len(FAMILIES) + 3 + 4 + 2 + 3
    assert [name for name in names if (corpus / name).read_bytes() != (again / name).read_bytes()] == []


def test_suite_items_hold_a_right_answer(corpus, tmp_path, monkeypatch):
    for name in suites.SUITES:
        for item in suite(corpus, name):
            model = run_answer(item.answer, item.data_file, tmp_path, monkeypatch)
            assert canonical.isomorphic(model, Model.from_json(item.model)), item.item_id
            assert (item.criterion == "structure") == (item.category == "build")
            assert (item.data_file is None) == (item.mode != "DPS")


def test_samples_hold_a_right_answer(corpus, tmp_path, monkeypatch):
    known = instances(corpus)
    for row in rows(corpus, "sft"):
        user, assistant = row["messages"]
        assert (user["role"], assistant["role"]) == ("user", "assistant")
        assert row["has_reasoning"] == ("<think>" in assistant["content"])
        if row["answer_style"] == samples.MODEL_ONLY:
            assert "```" not in assistant["content"]
            continue
        model = run_answer(assistant["content"], row["data_file"], tmp_path, monkeypatch)
        assert canonical.isomorphic(model, Model.from_json(json.loads(known[row["instance_id"]]["model"])))


def test_documents_hold_the_code_and_the_verified_optimum(corpus, tmp_path, monkeypatch):
    known = instances(corpus)
    for row in [row for name in (tables.CPT, tables.CPTX) for row in rows(corpus, name)]:
        if row["kind"] not in ("report", "rationale"):
            continue
        instance = known[row["instance_id"]]
        attached = re.search(r"^data\.json: (.*)$", row["text"], re.M)
        if attached is None and "data.json" in row["text"]:
            continue  # too long to be shown
        model = run_answer(row["text"], attached and attached[1], tmp_path, monkeypatch)
        assert canonical.isomorphic(model, Model.from_json(json.loads(instance["model"])))
        if row["kind"] == "report":
            stated = re.search(r": (\S+)\.$", row["text"])[1]
            assert float(stated) == pytest.approx(instance["objective_value"], rel=1e-9)


def test_kinds_of_documents_have_their_shares_of_bytes(corpus):
    for name in (tables.CPT, tables.CPTX):
        size = collections.Counter()
        for row in rows(corpus, name):
            size[row["kind"]] += len(row["text"].encode())
        weights = CORPUS["cpt_mix"]
        each = sum(size[kind] for kind in cpt.WRITERS) / sum(weights[kind] for kind in cpt.WRITERS)
        for kind in (*cpt.WRITERS, cpt.DRILL):
            assert size[kind] == pytest.approx(each * weights[kind], rel=0.25), (name, kind)
        assert set(size) == {*cpt.WRITERS, cpt.NOTE, cpt.DRILL}


def test_notes_are_of_the_structures_that_the_documents_have(corpus):
    known = instances(corpus)
    for name in (tables.CPT, tables.CPTX):
        made = [row for row in rows(corpus, name) if row["kind"] == cpt.NOTE]
        buckets = {known[row["instance_id"]]["bucket"] for row in rows(corpus, name) if row["kind"] in cpt.WRITERS}
        own = {row["doc_id"].removeprefix("note/") for row in made if row["family"] is None}
        assert own == set(notes.read(buckets))
        of_families = [row for row in made if row["family"]]
        assert {known[row["instance_id"]]["bucket"] for row in of_families} == buckets
        assert len({row["text"] for row in made}) == len(made)


def test_the_documents_apart_have_the_same_drills(corpus):
    """So that what two trainings differ in is the problems."""
    made = [[row["text"] for row in rows(corpus, name) if row["kind"] == cpt.DRILL] for name in ("cpt", "cptx")]
    shorter = min(map(len, made))
    assert shorter > 0 and made[0][:shorter] == made[1][:shorter]
    assert drills.worksheet(cpt.seeds.generator(1, cpt.STEP, cpt.DRILL, 0)) == made[0][0]


def test_documents_of_no_instances_are_refused(corpus):
    guard = sft.Guard([], CORPUS["near_duplicate_threshold"])
    mix = CORPUS["cpt_mix"] | dict.fromkeys(cpt.WRITERS, 0)
    with pytest.raises(UserError, match=r"corpus\.cpt_mix: give report, rationale, data_sheet a weight"):
        cpt.documents([], guard, CORPUS | {"cpt_mix": mix}, 1, tables.CPT)
    with pytest.raises(UserError, match=r"no instance is there to make cpt documents of"):
        cpt.documents([], guard, CORPUS, 1, tables.CPT)


def test_the_heldout_bucket_is_in_its_suite_alone(corpus):
    assert {item.bucket for item in suite(corpus, suites.HELDOUT_FAMILY)} == {"covering"}
    assert "covering" not in {item.bucket for item in suite(corpus, suites.IN_DISTRIBUTION)}
    known = instances(corpus)
    used = [known[name] for table in ("sft", "cpt") for name in instances_used(corpus, table)]
    assert {row["bucket"] for row in used}.isdisjoint(["covering", *CORPUS["cptx_buckets"]])
    assert {known[name]["bucket"] for name in instances_used(corpus, "cptx")} == set(CORPUS["cptx_buckets"])
    assert {row["split"] for row in used} == {"train"}


def test_training_uses_and_suites_share_no_instance(corpus):
    used = [instances_used(corpus, name) for name in ("sft", "cpt")]
    assert used[0].isdisjoint(used[1])
    known = instances(corpus)
    trained = {known[instance_id]["certificate"] for instance_id in used[0] | used[1]}
    for name in suites.SUITES:
        certificates = {canonical.certificate(Model.from_json(item.model)) for item in suite(corpus, name)}
        assert certificates.isdisjoint(trained)


def test_families_have_equal_shares(corpus):
    counts = collections.Counter(row["family"] for row in rows(corpus, "sft"))
    assert len(counts) == len(FAMILIES) - 2  # one is held out, one is for documents apart
    assert set(counts.values()) == {CORPUS["sft_samples"] // len(counts)}
    counts = collections.Counter(item.family for item in suite(corpus, suites.IN_DISTRIBUTION))
    assert set(counts.values()) == {3, 4}


def test_heldout_wordings_are_the_same_tasks_in_other_words(corpus):
    """Instance, task and right answer are those of the first items in distribution; no problem text is."""
    usual = {item.item_id.partition("/")[2]: item for item in suite(corpus, suites.IN_DISTRIBUTION)}
    heldout = suite(corpus, suites.HELDOUT_WORDING)
    assert len(heldout) == CORPUS["suite_items"][suites.HELDOUT_WORDING]
    for item in heldout:
        other = usual[item.item_id.partition("/")[2]]
        assert (item.cluster, item.category, item.mode) == (other.cluster, other.category, other.mode)
        assert (item.answer, item.data_file) == (other.answer, other.data_file)
        assert samples.problem_of(item.prompt) != samples.problem_of(other.prompt)


def test_the_number_of_processes_changes_nothing(corpus):
    guard = sft.Guard.read(corpus.glob("suites/*.parquet"), CORPUS["near_duplicate_threshold"])
    known = sorted(instances(corpus).values(), key=lambda row: row["instance_id"])
    assert sft.sft_samples(known, guard, CORPUS, 1, workers=2) == sft.sft_samples(known, guard, CORPUS, 1, workers=1)


def test_more_samples_keep_the_earlier_ones(corpus):
    """A count adds last ones; it does not reshuffle."""
    guard = sft.Guard.read(corpus.glob("suites/*.parquet"), CORPUS["near_duplicate_threshold"])
    known = sorted(instances(corpus).values(), key=lambda row: row["instance_id"])
    fewer, _ = sft.sft_samples(known, guard, CORPUS | {"sft_samples": 45}, 1)
    all_rows = {row["sample_id"]: row for row in rows(corpus, "sft")}
    assert len(fewer) == 45
    assert all(all_rows[row["sample_id"]] == row for row in fewer)


def test_a_leak_is_dropped_and_counted(corpus):
    """Training on the test split must drop whatever the suite took from it."""
    items = suite(corpus, suites.IN_DISTRIBUTION)
    guard = sft.Guard(items, CORPUS["near_duplicate_threshold"])
    known = list(instances(corpus).values())
    taken = {canonical.certificate(Model.from_json(item.model)) for item in items}
    swapped = [row | {"split": "train"} for row in known if row["certificate"] in taken]
    swapped += [row for row in known if row["split"] == "train"]
    rows_made, counts = sft.sft_samples(swapped, guard, CORPUS, 1)
    assert sum(drawn.get("certificate", 0) for drawn in counts.values()) > 0
    assert {row["instance_id"] for row in rows_made}.isdisjoint(
        row["instance_id"] for row in known if row["certificate"] in taken
    )
    usable = tables.training_instances(swapped, CORPUS, 1, tables.CPT)
    assert cpt.documents(usable, guard, CORPUS, 1, tables.CPT)[1]["certificate"] > 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"heldout_bucket": "covring"}, r"corpus\.heldout_bucket: 'covring'.*covering"),
        ({"cptx_buckets": ["routng"]}, r"corpus\.cptx_buckets: 'routng'.*covering"),
        ({"cptx_buckets": ["covering"]}, r"corpus\.cptx_buckets: 'covering' is held out of all training"),
    ],
)
def test_an_unknown_bucket_is_named(corpus, tmp_path, changed, message):
    settings = json.dumps(CORPUS | changed)
    paths = sorted(corpus.glob("instances/*.parquet"))
    outputs = [part for name in suites.SUITES for part in (f"--{name.replace('_', '-')}", tmp_path / f"{name}.parquet")]
    with pytest.raises(UserError, match=message):
        command(suites, "--instances", *paths, "--settings", settings, "--seed", 1, *outputs)
    assert list(tmp_path.iterdir()) == []


def test_all_buckets_apart_leave_nothing_to_train_on(corpus):
    buckets = {row["bucket"] for row in instances(corpus).values()}
    with pytest.raises(UserError, match="leave no bucket to train on"):
        tables.check_buckets(buckets, CORPUS | {"cptx_buckets": sorted(buckets - {"covering"})})


def test_a_model_of_two_families_stays_with_the_lower_index():
    row = {"certificate": "c", "bucket": "b"}
    first, later, same = (
        row | {"instance_id": name, "family": name.partition("-")[0]} for name in ("b-00001", "a-00002", "c-00001")
    )
    assert tables.each_model_once([later, same, first]) == [first]


def test_too_many_items_are_refused(corpus):
    test = [row for row in instances(corpus).values() if row["family"] == "knapsack" and row["split"] == "test"]
    wanted = CORPUS | {"suite_items": {suites.IN_DISTRIBUTION: 1000}}
    with pytest.raises(UserError, match=r"corpus\.suite_items\.in_distribution: 1000 items of knapsack"):
        suites.items(suites.IN_DISTRIBUTION, test, wanted, 1)


def test_counts_travel_with_the_table(corpus):
    counts = tables.read_counts(corpus / "sft.parquet")
    assert sum(drawn["accepted"] for drawn in counts.values()) == CORPUS["sft_samples"]
