"""The whole workflow by the real `snakemake`, on a tiny configuration: it ends, repeats, resumes, and archives."""

import gzip
import json
import os
import shutil

import pandas as pd
import pyarrow.parquet as pq

from trex.bundle import verify
from trex.common import files, provenance

BENCHMARK_TEXT = "Quuxfeld Zinnobermill"  # in conftest's benchmark, and in no own text
BUNDLE = "results/tiny.crate.tar.gz"


def manifest(copy):
    """Archive path -> its entry, and the archive checked on the way."""
    problems, count = verify.verify(str(copy.folder / BUNDLE))
    assert problems == []
    with open(copy.folder / BUNDLE, "rb") as raw, gzip.open(raw) as stream:
        _, found = verify.read_manifest(verify.members(stream))
    assert len(found) == count
    return found


def test_plain_snakemake_makes_the_report_and_an_archive_that_verifies(finished):
    assert (finished.folder / "results/tiny/report/report.html").stat().st_size > 10_000
    classes = {path: entry["class"] for path, entry in manifest(finished).items()}
    for path in ("config.json", "corpus/sft.parquet", "models/cpt_sft/model.safetensors", "evaluation/pass_at_1.csv"):
        assert classes[path] == "exact"
    for path in ("environment.json", "accounting/ladder.csv", "report/report.html"):
        assert classes[path] == "informational"


def test_an_outside_model_stands_beside_the_arms(finished):
    table = pd.read_csv(finished.folder / "results/tiny/evaluation/pass_at_1.csv")
    whole = table.query("arm == 'theirs' and category == 'all'").drop_duplicates("suite").set_index("suite")
    assert list(whole.index) == ["in_distribution", "nl4opt"]
    assert list(whole["n"]) == [10, 2] and set(whole["protocol"]) == {"not stated"}
    assert whole.loc["nl4opt", "passed"] == 1
    archived = manifest(finished)
    for name in ("responses.jsonl", "responses.jsonl.meta.json", "items.csv", "scores.parquet", "summary.json"):
        assert f"evaluation/theirs/in_distribution/{name}" in archived
    assert "beside its arms: theirs" in finished.read("results/tiny/report/report.html")


def test_every_result_names_the_stack_that_the_run_holds_whole(finished):
    run = finished.folder / "results/tiny"
    environment = json.loads((run / "environment.json").read_text(encoding="utf-8"))
    blocks = [json.loads(path.read_text(encoding="utf-8")).get("provenance") for path in run.rglob("*.json")]
    for path in run.rglob("*.parquet"):
        blocks.append(json.loads(pq.read_schema(path).metadata[files.METADATA_KEY])["provenance"])
    named = {block["stack"] for block in blocks if block}
    assert len(list(filter(None, blocks))) > 50 and named == {environment["stack_digest"]}
    assert environment["stack_digest"] == provenance.digest_json(environment["stack"])


def test_a_second_run_does_nothing(finished):
    assert "Nothing to be done" in finished.snakemake()


def test_the_archive_holds_no_benchmark_text_and_the_folder_no_stray_file(finished):
    archived = set(manifest(finished)) - {"verify.py"}
    run = finished.folder / "results/tiny"
    found = {path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file()}
    assert {path for path in found if not path.startswith("logs/")} == archived
    with gzip.open(finished.folder / BUNDLE) as stream:
        content = stream.read()
    assert BENCHMARK_TEXT.encode() not in content
    assert BENCHMARK_TEXT.encode() in (finished.folder / "benchmark/test.parquet").read_bytes()
    assert "evaluation/sft/nl4opt/scores.parquet" in archived
    assert str(finished.folder).encode() not in content


SCORED = ("evaluation/sft/in_distribution", "evaluation/cpt_sft/nl4opt")
TARGETS = ("data", *(f"results/tiny/{folder}/scores.parquet" for folder in SCORED))


def test_an_independent_run_gives_the_same_corpora_weights_and_scores_even_if_killed(finished, fresh):
    """In another folder; killed while the suites are drawn, while an arm trains, and while responses are scored."""
    for appears in ("corpus/suites.log", "models/cpt.log", "evaluation/sft/in_distribution/scores.log"):
        fresh.kill_when(f"results/tiny/logs/{appears}", *TARGETS)
        fresh.snakemake("--unlock")
    fresh.snakemake(*TARGETS)
    run = fresh.folder / "results/tiny"
    compared = {
        path: entry["sha256"]
        for path, entry in manifest(finished).items()
        if entry["class"] == "exact" and (run / path).is_file()
    }
    weights = {f"models/{arm}/model.safetensors" for arm in ("base", "cpt", "sft", "cpt_sft")}
    scores = {f"{folder}/{name}" for folder in SCORED for name in ("responses.jsonl", "items.csv", "scores.parquet")}
    assert weights | scores | {"corpus/sft.parquet", "corpus/cpt.parquet", "corpus/card.md"} <= set(compared)
    assert {path: provenance.digest_file(run / path) for path in compared} == compared


def test_a_moved_folder_has_nothing_to_do(finished, tmp_path):
    moved = tmp_path / "elsewhere"
    shutil.copytree(finished.folder, moved, symlinks=True)
    there = object.__new__(type(finished))
    there.folder = moved
    assert "Nothing to be done" in there.snakemake()


def test_the_resolved_config_is_stored(finished):
    stored = json.loads(finished.read("results/tiny/config.json"))["config"]
    assert stored["run"] == "tiny" and stored["evaluation"]["benchmarks"]["nl4opt"] == "benchmark"


def test_logs_end_with_one_summary_line(finished):
    logs = sorted((finished.folder / "results/tiny/logs").rglob("*.log"))
    assert len(logs) > 20
    for log in logs:
        lines = log.read_text(encoding="utf-8").splitlines()
        assert lines and ":" in lines[-1], f"{log}: {os.linesep.join(lines)}"
