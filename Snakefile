# T-Rex mini, the table of contents: the config and its check, the stages, the targets.
# The logic is in workflow/trex; the rules only wire files to its commands. Every step says --help.
import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir) / "workflow"))  # the code beside this file, whatever is installed
from trex.common import config as configuration

configuration.exit_if(configuration.read(Path("config/config.yaml"))[1])


configfile: "config/config.yaml"


config.update(
    configuration.resolve_or_exit(
        config,
        sources=["config/config.yaml", *workflow.overwrite_configfiles],
        options=workflow.config_settings.config,
        schema_path=Path(workflow.basedir) / "workflow/schemas/config.schema.json",
    )
)


include: "workflow/rules/common.smk"
include: "workflow/rules/run.smk"
include: "workflow/rules/problems.smk"
include: "workflow/rules/corpus.smk"
include: "workflow/rules/training.smk"
include: "workflow/rules/evaluation.smk"
include: "workflow/rules/accounting.smk"
include: "workflow/rules/audit.smk"


rule all:
    default_target: True
    input:
        rules.bundle.output,


rule data:
    input:
        rules.card.output,


rule models:
    input:
        expand(rules.train.output, arm=ARMS),
        rules.oracle.output,


rule evaluation:
    input:
        rules.summarise.output,


rule accounting:
    input:
        rules.ladder.output,
        rules.model_sizes.output,
        rules.validation.output,
        rules.projection.output,
        rules.kernels.output,
        rules.cost.output,


rule audit:
    input:
        rules.claims.output,
