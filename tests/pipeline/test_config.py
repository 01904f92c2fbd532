"""A wrong config stops the real `snakemake` before any job, with exit code 2 and all errors at once."""

import os
import re
import shutil

import pytest

WRONG = """\
run: ../elsewhere
seed: one
threads: 0
thread: 2
accounting:
  peak:
    repetitions: 3
    repetitions: 4
  ladder:
    learning_rate: 1e-3
    warm_up_steps: 1
"""
COMPLAINTS = (
    "run (wrong.yaml, line 1)",
    "seed (wrong.yaml, line 2)",
    "threads (wrong.yaml, line 3)",
    "did you mean threads?",
    "accounting.peak.repetitions (wrong.yaml, line 8): given twice",
    "YAML reads 1e-3 as text: write 1.0e-03",
    "did you mean warmup_steps?",
)


@pytest.fixture
def copy(unused):
    return unused


@pytest.fixture(autouse=True)
def nothing_ran(copy):
    default = copy.read("config/config.yaml")
    yield
    copy.write("config/config.yaml", default)
    assert os.listdir(copy.folder / "results") == ["README.md"]


def test_an_overlay_with_many_errors(copy):
    copy.write("wrong.yaml", WRONG)
    text = copy.snakemake("--configfile", "wrong.yaml", code=2)
    assert all(complaint in text for complaint in COMPLAINTS), text
    assert "config: 7 errors, nothing was run" in text
    assert "Traceback" not in text and "Error in file" not in text


def test_errors_in_the_default_config(copy):
    copy.write("config/config.yaml", copy.read("config/config.yaml") + "\nseeds: 3\n")
    assert "did you mean seed?" in copy.snakemake(code=2)
    copy.write("config/config.yaml", "run: [\n")
    assert "not valid YAML" in copy.snakemake(code=2)
    (copy.folder / "config/config.yaml").unlink()
    assert "cannot be read" in copy.snakemake(code=2)


def test_errors_on_the_command_line(copy):
    text = copy.snakemake("--config", "run=a/b", "sed=1", code=2)
    assert "run (--config)" in text and "did you mean seed?" in text


def test_a_dry_run_is_checked_too(copy):
    assert "run (--config)" in copy.snakemake("--dry-run", "--config", "run=..", code=2)


def test_the_overlays_of_the_project_are_accepted(copy):
    """Beginning with the one that the README names."""
    shutil.copy(copy.folder / "config/smoke.yaml", copy.folder / "mine.yaml")
    assert "results/smoke.crate.tar.gz" in copy.snakemake("--dry-run", "--configfile", "mine.yaml")


def test_values_that_do_not_fit_together(copy):
    copy.write(
        "wrong.yaml",
        "model: {o_groups: 7, num_experts_per_tok: 99}\nevaluation: {max_new_tokens: 100000}\n"
        "training: {common: {batch_rows: 4, micro_batch_rows: 5}}\naccounting: {cost: {prices: prices.yaml}}\n",
    )
    copy.write("prices.yaml", "title: mine\nusd_per_device_hour: {h1000: 2}\n")
    text = copy.snakemake("--dry-run", "--configfile", "wrong.yaml", code=2)
    names = ("o_groups", "num_experts_per_tok", "evaluation.max_new_tokens", "micro_batch_rows", "did you mean h100")
    assert all(name in text for name in names), text


def test_the_families_of_a_run_are_chosen_by_name(copy):
    copy.write("wrong.yaml", "problems: {families: [knapsack, bagpack]}\n")
    text = copy.snakemake("--dry-run", "--configfile", "wrong.yaml", code=2)
    assert "problems.families: no family 'bagpack'; allowed: assignment, " in text
    copy.write("few.yaml", "problems: {families: [knapsack, assignment]}\ncorpus: {cptx_buckets: [assignment]}\n")
    text = copy.snakemake("--dry-run", "--configfile", "few.yaml", code=2)
    assert "corpus.heldout_bucket: 'covering' is the bucket of no family of the run; there are assignment, kna" in text
    copy.write(
        "few.yaml",
        "corpus: {heldout_bucket: knapsack, cptx_buckets: []}\nproblems: {families: [knapsack, assignment]}\n",
    )
    text = copy.snakemake("--dry-run", "--configfile", "few.yaml")
    assert set(re.findall(r"instances/(\w+)\.parquet", text)) == {"assignment", "knapsack"}
    assert "cptx" not in text


MODELS = """\
evaluation:
  protocol: {samples: 2}
  models:
    sft: {responses: {in_distribution: answers.jsonl, optibench: answers.jsonl}}
    both: {responses: {heldout_family: no.jsonl}, endpoint: {base_url: "http://localhost:1/v1", model: m}, suites: [x]}
    neither: {protocol: {temperature: 1}}
    slot_filler: {responses: {in_distribution: answers.jsonl}}
"""
MODEL_COMPLAINTS = (
    "evaluation.protocol: more than one sample needs a temperature above 0",
    "evaluation.models.both.protocol: more than one sample",  # as in evaluation.protocol
    "evaluation.models.sft: is the name of an arm",
    "evaluation.models.sft: 'optibench' is not evaluated in this run; allowed: in_distribution, heldout_family, ",
    "evaluation.models.both: give either responses or an endpoint",
    "evaluation.models.both: 'x' is not evaluated in this run",
    "evaluation.models.both.responses.heldout_family: no such file: no.jsonl",
    "evaluation.models.neither: give either responses or an endpoint",
    "evaluation.models.neither: protocol and suites belong to an endpoint",
    "evaluation.models.slot_filler: is the name of a no-skill source of responses",
)


def test_outside_models_that_cannot_be_scored(copy):
    copy.write("wrong.yaml", MODELS)
    copy.write("answers.jsonl", "")
    text = copy.snakemake("--configfile", "wrong.yaml", code=2)
    assert all(complaint in text for complaint in MODEL_COMPLAINTS), text
    assert f"config: {len(MODEL_COMPLAINTS)} errors" in text


def test_an_endpoint_is_asked_as_the_arms_are_but_for_what_it_says(copy):
    """Its cache is no output: Snakemake would delete it when the job fails."""
    endpoint = "{base_url: 'http://localhost:1/v1', model: m, key_env: MY_KEY}"
    protocol = "{temperature: 0.6, samples: 3, shots: 2}"
    model = f"{{endpoint: {endpoint}, protocol: {protocol}, suites: [nl4opt]}}"
    copy.write("mine.yaml", f"seed: 5\nevaluation: {{protocol: {{top_p: 0.9}}, models: {{remote: {model}}}}}")
    lines = copy.snakemake("--dry-run", "--printshellcmds", "--configfile", "mine.yaml").splitlines()
    (command,) = [line for line in lines if "trex.evaluation.ask" in line]
    for option in ("--key-env=MY_KEY", "--temperature=0.6", "--samples=3", "--top-p=0.9", "--seed=5", "--shots=2"):
        assert option in command
    assert "--max-tokens=4096" in command and "--pool=results/tiny/corpus/sft.parquet" in command
    assert "--cache results/tiny/cache/remote/nl4opt.jsonl --out results/tiny/evaluation/remote/nl4opt/" in command
    assert sum("trex.evaluation.respond" in line and "--pool" in line for line in lines) == 0
