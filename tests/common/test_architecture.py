"""What keeps the package readable: rooms import from rooms above them, heavy libraries stay where they are."""

import re
from pathlib import Path

import pytest

from trex.common import provenance

ROOMS = (
    "common",
    "problems",
    "execution",
    "benchmarks",
    "corpus",
    "model",
    "training",
    "evaluation",
    "accounting",
    "audit",
    "report",
    "bundle",
)
# Import torch or transformers, beside all of model and training: the steps that run the model, or describe the machine.
HEAVY = {
    "accounting.kernels",
    "accounting.miniature.measure",
    "accounting.ladder",
    "accounting.peak",
    "accounting.recipes",
    "common.environment",
    "evaluation.loss",
    "evaluation.respond",
}
MODULES = {
    ".".join(path.relative_to(provenance.PACKAGE).with_suffix("").parts): path
    for path in sorted(provenance.PACKAGE.rglob("*.py"))
}
RULES = sorted((Path(__file__).parents[2] / "workflow/rules").glob("*.smk"))
STEPS = {step for path in RULES for step in re.findall(r'step\(\s*"([\w.]+)"', path.read_text(encoding="utf-8"))}
# Commands that no rule runs.
BY_HAND = {
    "trex.accounting.fit",
    "trex.accounting.mfu",
    "trex.accounting.predict",
    "trex.benchmarks.fetch",
    "trex.benchmarks.gold",
    "trex.benchmarks.show",
    "trex.bundle.verify",
    "trex.corpus.validate",
    "trex.corpus.throughput",
    "trex.execution.throughput",
    "trex.model.export",
    "trex.problems.compare",
}


def imported(module):
    return provenance.imported_names(module, MODULES[module].read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", [name for name in MODULES if "." in name])
def test_a_room_imports_only_from_rooms_above_it(module):
    room = ROOMS.index(module.split(".")[0])
    rooms = {name.split(".")[1] for name in imported(module) if name.startswith("trex.")}
    assert {name for name in rooms if ROOMS.index(name) > room} == set()


def test_torch_is_imported_only_where_the_model_runs():
    importing = {
        module for module in MODULES if {name.split(".")[0] for name in imported(module)} & {"torch", "transformers"}
    }
    assert {module for module in importing if not module.startswith(("model.", "training."))} <= HEAVY


def test_scoring_and_accounting_do_not_reach_torch():
    light = ("trex.evaluation.score", "trex.evaluation.summarise", "trex.corpus.validate")
    for step in (*light, "trex.accounting.mfu", "trex.accounting.cost", "trex.accounting.models", "trex.audit.claims"):
        assert not {"torch", "transformers", "tokenizers"} & set(provenance.libraries(step)), step


def test_every_step_of_the_rules_exists_and_every_module_serves_one():
    closures = {step: provenance.import_closure(step) for step in STEPS | BY_HAND}
    assert [step for step, closure in closures.items() if not closure] == []
    assert set(MODULES.values()) - {path for closure in closures.values() for path in closure} == set()
