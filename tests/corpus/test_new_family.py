"""Adding a family is adding a file: nothing else is edited, and its instances become samples."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.corpus.conftest import CORPUS, PROBLEMS

ROOT = Path(__file__).parents[2]
FAMILY = '''
"""Fencing: how long two sides of a field can be for a length of fence."""

from random import Random

from trex.problems.family import Axis, Fact, Family, Story, numbers, size
from trex.problems.ir import Model
from trex.problems.voice import Voice


class Fencing(Family):
    name = "fencing"
    bucket = "fencing"
    note = "One variable per side. The fence that the sides take together is at most what there is."

    def draw(self, rng: Random, difficulty: str) -> dict:
        sides = size(difficulty, 2, 4, 8, 200)
        return {"gain": numbers(rng, sides, 2, 9), "use": numbers(rng, sides, 2, 9), "fence": rng.randint(50, 90)}

    def model(self, data: dict) -> Model:
        model = Model()
        x = [model.add_variable(f"x{j}", "integer") for j in range(len(data["gain"]))]
        model.add_row(dict(zip(x, data["use"], strict=True)), ub=data["fence"])
        model.set_objective("max", dict(zip(x, data["gain"], strict=True)))
        return model

    def tell(self, data: dict, voice: Voice) -> Story:
        side = Axis("side", "sides", voice.names(("north", "south", "east", "west"), len(data["gain"])))
        facts = (
            Fact("g", data["gain"], "gain per meter", ("gain",), (side,)),
            Fact("u", data["use"], "fence used per meter", ("use",), (side,)),
            Fact("f", data["fence"], "length of the fence", ("fence",)),
        )
        intro = voice.phrase(("A farmer fences {sides}.", "Fences go along {sides}."), ("Somebody encloses {sides}.",))
        rule = voice.phrase(("Whole meters only.", "Meters are whole."), ("No part of a meter is fenced.",))
        goal = voice.phrase(("Maximize total gain.", "Find the largest gain."), ("The gain should be large.",))
        return Story(intro, facts, (rule,), goal, "one integer variable per side")

    def body(self, data: dict) -> list[str]:
        return [
            "x = [m.add_integer_variable(lb=0) for _ in g]",
            "m.add_linear_constraint(sum(i * j for i, j in zip(u, x)) <= f)",
            "m.maximize(sum(i * j for i, j in zip(g, x)))",
        ]

    def formulation(self, data: dict) -> list[str]:
        return ["x_j = meters along side j, x_j >= 0, integer", "max sum_j g_j x_j", "sum_j u_j x_j <= f"]


FAMILY = Fencing()
'''
SCRIPT = """
import json, random, sys
from trex.corpus import clean, samples
from trex.problems import families, generate
problems, corpus = map(json.loads, sys.argv[1:])
rows, counts = generate.instances(families.load("fencing"), problems, 1)
tasks = [samples.task(row, corpus, random.Random(row["instance_id"])) for row in rows]
print(json.dumps([len(rows), sorted({task.mode for task in tasks}), [clean.fault(task) for task in tasks]]))
"""


def test_a_file_in_the_folder_is_a_family(tmp_path):
    shutil.copytree(ROOT / "workflow/trex", tmp_path / "trex", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "trex/problems/families/fencing.py").write_text(FAMILY, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(PROBLEMS), json.dumps(CORPUS)],
        env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    count, modes, faults = json.loads(done.stdout)
    assert count == PROBLEMS["instances_per_family"] == len(faults)
    assert set(faults) == {None} and modes == ["DP", "DPS", "DT"]
