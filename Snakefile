# T-Rex mini: table of contents. The logic is in workflow/trex, the stages are wired in workflow/rules.
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


rule all:
    input:
        "results/x",
rule x:
    output: "results/x"
    log: "results/log"
    shell: "touch {output}"
