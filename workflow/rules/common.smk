# Names and helpers that the rules share.
import json
import os

from trex.accounting.costs import prices, scenarios
from trex.benchmarks import registry
from trex.common import provenance
from trex.common.errors import UserError
from trex.corpus import notes, packages, tables
from trex.evaluation.floors import FLOORS
from trex.model.config import ModelConfig
from trex.problems import families


def together(config):
    """Errors of values that the schema allows one by one, but not with each other."""
    errors = []
    try:
        ModelConfig.from_dict(config["model"] | {"vocab_size": config["corpus"]["vocab_size"]})
    except UserError as error:
        errors.append(str(error))
    for name in sorted(set(config["problems"]["families"] or ()) - set(families.names())):
        errors.append(f"problems.families: no family {name!r}; allowed: {', '.join(families.names())}")
    try:
        tables.check_buckets({families.load(name).bucket for name in FAMILIES}, config["corpus"])
    except UserError as error:
        errors.append(str(error))
    corpus = config["corpus"]
    weights = {
        "problems.difficulty": config["problems"]["difficulty"].values(),
        "corpus.mixture (beside word)": [
            w for name, modes in corpus["mixture"].items() if name != "word" for w in modes.values()
        ],
        "corpus.answer_styles (beside math_model)": [
            w for name, w in corpus["answer_styles"].items() if name != "math_model"
        ],
        "corpus.cpt_mix (of report, rationale, data_sheet)": [
            corpus["cpt_mix"][name] for name in ("report", "rationale", "data_sheet")
        ],
    }
    errors += [f"{name}: all weights are 0; give one a weight" for name, values in weights.items() if not any(values)]
    if corpus["suite_items"]["heldout_wording"] > corpus["suite_items"]["in_distribution"]:
        errors.append("corpus.suite_items: heldout_wording cannot have more items than in_distribution")
    if config["evaluation"]["max_new_tokens"] >= config["corpus"]["context"]:
        errors.append("evaluation.max_new_tokens must be below corpus.context, or no prompt can be asked")
    common = config["training"]["common"]
    if common["warmup_fraction"] + common["decay_fraction"] > 1:
        errors.append("training.common: warmup_fraction and decay_fraction must be at most 1 together")
    if (common["micro_batch_rows"] or 0) > common["batch_rows"]:
        errors.append("training.common: micro_batch_rows must be at most batch_rows, or null for all of them")
    cost = config["accounting"]["cost"]
    try:
        prices.load(cost["prices"], scenarios.load(cost["scenarios"], "config/hardware.yaml").scenarios)
    except UserError as error:
        errors.append(f"accounting.cost: {error}")
    protocols = {"evaluation.protocol": config["evaluation"]["protocol"]}
    protocols |= {f"evaluation.models.{name}.protocol": model["protocol"] for name, model in ENDPOINTS.items()}
    for place, protocol in protocols.items():
        if protocol["samples"] > 1 and protocol["temperature"] == 0:
            errors.append(f"{place}: more than one sample needs a temperature above 0; greedy answers are all alike")
    return errors


RUN = f"results/{config['run']}"
THREADS = config["threads"]
SEED = config["seed"]
FAMILIES = [name for name in families.names() if name in (config["problems"]["families"] or families.names())]
# Of each arm: the packed texts that it learns from, and the arm whose weights it starts from.
STAGE = {"base": "base", "cpt": "cpt", "sft": "sft", "cpt_sft": "sft"}
INIT = {"base": [], "cpt": ["base"], "sft": ["base"], "cpt_sft": ["cpt"]}
ARMS = list(STAGE)
SUITES = ["in_distribution", "heldout_family", "heldout_wording"]
BENCHMARKS = {name: folder for name, folder in config["evaluation"]["benchmarks"].items() if folder}
EVALUATED = [*SUITES, *BENCHMARKS]
# Outside models: asked at an endpoint, as the arms are but for what their protocol says; or answered already.
MODELS = config["evaluation"]["models"]
ENDPOINTS = {name: model for name, model in MODELS.items() if model["endpoint"]}
ANSWERED = {name: model["responses"] for name, model in MODELS.items() if name not in ENDPOINTS}
OUTSIDE_TOKENS = 4096
for model in ENDPOINTS.values():
    model["protocol"] = config["evaluation"]["protocol"] | {"max_tokens": OUTSIDE_TOKENS} | model["protocol"]
# Jobs use the interpreter that runs Snakemake and the code beside this file, whatever else is installed.
os.environ.update(
    PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    PYTHONPATH=str(Path(workflow.basedir) / "workflow"),
)


def outside(name, model):
    """Errors of an outside model that the schema cannot see."""
    place, errors = f"evaluation.models.{name}", []
    if name in ARMS:
        errors.append(f"{place}: is the name of an arm of the run; choose another")
    if name in FLOORS:
        errors.append(f"{place}: is the name of a no-skill source of responses; choose another")
    if (model["endpoint"] is None) == (model["responses"] is None):
        errors.append(f"{place}: give either responses or an endpoint")
    if model["endpoint"] is None and (model["protocol"] or model["suites"]):
        errors.append(f"{place}: protocol and suites belong to an endpoint; responses say themselves what they are")
    for suite in [*(model["responses"] or []), *(model["suites"] or [])]:
        if suite not in EVALUATED:
            errors.append(f"{place}: {suite!r} is not evaluated in this run; allowed: {', '.join(EVALUATED)}")
    for suite, path in (model["responses"] or {}).items():
        if not Path(path).is_file():
            errors.append(f"{place}.responses.{suite}: no such file: {path}")
    return errors


configuration.exit_if(together(config) + [error for name, model in MODELS.items() for error in outside(name, model)])


def benchmark_digest(name, folder):
    """Of all that a public benchmark is read from. Leaves with exit code 2 where the folder does not hold it."""
    try:
        return registry.digest(name, folder)
    except UserError as error:
        configuration.exit_if([f"evaluation.benchmarks.{name}: {error}"])


BENCHMARK_DIGESTS = {name: benchmark_digest(name, folder) for name, folder in BENCHMARKS.items()}
# Who answers what, in the order of the tables.
SCORED = [(arm, suite) for arm in ARMS for suite in EVALUATED]
SCORED += [
    (name, suite)
    for name, model in MODELS.items()
    for suite in EVALUATED
    if suite in (model["responses"] or model["suites"] or EVALUATED)
]
SCORED += [(name, suite) for name in FLOORS for suite in SUITES]


def one_of(names):
    """The pattern of a wildcard; without names it matches nothing."""
    return "|".join(names) or "(?!)"


wildcard_constraints:
    family=one_of(FAMILIES),
    stage=one_of(set(STAGE.values())),
    documents="cptx?",
    arm=one_of(ARMS),
    endpoint=one_of(ENDPOINTS),
    answered=one_of(ANSWERED),
    model=one_of([*ARMS, *MODELS, *FLOORS]),
    suite=one_of(EVALUATED),


def step(module, *section, only=None):
    """Params of a job that runs `python -m module`: code and libraries, and settings (JSON) where it takes some.

    section: where they stand in the config; only: those keys of it that the step reads, where other steps read others.
    code and libraries are not used by the command. They make the job run again when the module, what it imports from
    this package, or the version of a library behind it changes; and only then.
    """
    params = {"code": provenance.code_digest(module), "libraries": provenance.library_versions(module)}
    if section:
        values = config
        for key in section:
            values = values[key]
        settings = json.dumps({key: values[key] for key in only} if only else values)
        params["settings"] = lambda wildcards: settings
    return params


def model_settings(wildcards):
    """The shape of the miniature; its vocabulary is the tokenizer's."""
    return json.dumps(config["model"] | {"vocab_size": config["corpus"]["vocab_size"]})


def stage_settings(stage):
    """training.common with the values of the stage laid over it."""
    return config["training"]["common"] | config["training"]["stages"][stage]


def arm_settings(wildcards):
    """Those of the arm's stage, so that both SFT arms are trained alike."""
    return json.dumps(stage_settings(STAGE[wildcards.arm]))


def weights(arm):
    return [f"{RUN}/models/{arm}/model.safetensors", f"{RUN}/models/{arm}/config.json"]


def suite_file(suite):
    return f"{RUN}/corpus/suites/{suite}.parquet"


def source_files(wildcards):
    """What the items of an own suite are read from. A benchmark's files, often hundreds, are known by their digest."""
    return [] if wildcards.suite in BENCHMARKS else [suite_file(wildcards.suite)]


def source(wildcards):
    folder = BENCHMARKS.get(wildcards.suite)
    return ["--benchmark", wildcards.suite, "--data", folder] if folder else ["--suite", suite_file(wildcards.suite)]


def source_digest(wildcards):
    """Makes a job run again when something in the benchmark that it reads has changed."""
    return BENCHMARK_DIGESTS.get(wildcards.suite, "")


def scored(pattern):
    """The files of a pattern with {model} and {suite}, of all that is scored."""
    models, suites = zip(*SCORED)
    return expand(pattern, zip, model=models, suite=suites)


def asked(protocol):
    """The protocol with its seed: the run's unless it has one of its own."""
    return protocol | {"seed": SEED if protocol["seed"] is None else protocol["seed"]}


def pool(protocol):
    """Where worked examples come from, for protocols that have some."""
    return [f"{RUN}/corpus/sft.parquet"] if protocol["shots"] else []


def endpoint_options(model):
    """How `ask` is told what stands in the config."""
    values = model["endpoint"] | {
        name: "none" if value is None else value for name, value in asked(model["protocol"]).items()
    }
    return options(values)


def options(values):
    """`--name=value` of each value that there is."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in values.items() if value is not None]


def given_files(responses):
    """A file of responses, and the one beside it that says how they were asked for, where there is one."""
    return [responses, *(path for path in [f"{responses}.meta.json"] if Path(path).is_file())]


def with_sidecar(**outputs):
    """CSV or JSONL outputs, each with the file beside it that holds its provenance."""
    return outputs | {f"{name}_meta": f"{path}.meta.json" for name, path in outputs.items()}


def whole_machine(wildcards):
    """All cores, for the jobs whose speed is a result: nothing else runs beside them, whatever the profile says.

    How many threads such a job uses is config: threads, as everywhere.
    """
    return max(THREADS, workflow.cores or 1)
