"""Five hundred accepted samples of all trained families: run in the sandbox from their text alone, and solved again."""

from tests.corpus.conftest import CORPUS, PROBLEMS
from trex.corpus import sft, tables
from trex.corpus.leakage import Guard
from trex.execution import extraction
from trex.execution.sandbox import Sandbox
from trex.problems import families, generate
from trex.problems.comparison import canonical
from trex.problems.solve import solve
from trex.problems.verify import agree

SAMPLES = 500
SETTINGS = CORPUS | {
    "sft_samples": SAMPLES,
    "cptx_buckets": [],
    "answer_styles": {"code_only": 0.8, "math_model_with_code": 0.2, "math_model": 0},
}
LIMITS = {"cpu_s": 10, "wall_s": 60.0, "memory_mb": 2048, "file_mb": 16, "processes": 64}


def test_no_accepted_sample_is_wrong():
    problems = PROBLEMS | {"instances_per_family": 16}
    made = [row for name in families.names() for row in generate.instances(families.load(name), problems, 1)[0]]
    known = {row["instance_id"]: row for row in tables.each_model_once(made)}
    rows, _ = sft.sft_samples(list(known.values()), Guard([], CORPUS["near_duplicate_threshold"]), SETTINGS, 1)
    assert len(rows) == SAMPLES and {row["family"] for row in rows} == set(families.names()) - {"set_cover"}
    wrong = []
    with Sandbox(LIMITS) as sandbox:
        for row in rows:
            files = {} if row["data_file"] is None else {"data.json": row["data_file"]}
            model = sandbox.run(extraction.code(row["messages"][1]["content"]), files).model
            instance = known[row["instance_id"]]
            if model is None or canonical.certificate(model) != instance["certificate"]:
                wrong.append(row["sample_id"])
            elif not agree(solve(model, "highs").objective, instance["objective_value"]):
                wrong.append(f"{row['sample_id']}: another optimum")
    assert wrong == []
