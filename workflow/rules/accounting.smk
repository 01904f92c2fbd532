# The machine's measured peak, and what recipes of training reach of it.
MINIATURE = f"{RUN}/models/base/config.json"


rule peak:
    output:
        f"{RUN}/accounting/peak.json",
    log:
        f"{RUN}/logs/accounting/peak.log",
    conda:
        "../envs/trex.yaml"
    threads: whole_machine
    params:
        **step("trex.accounting.peak", "accounting", "peak"),
        threads=THREADS,
    shell:
        "OMP_NUM_THREADS={params.threads} python -m trex.accounting.peak --settings {params.settings:q}"
        " --threads {params.threads} --out {output:q} > {log:q} 2>&1"


rule ladder:
    input:
        model=MINIATURE,
        packed=f"{RUN}/corpus/packed/sft.safetensors",
        peak=rules.peak.output,
    output:
        **with_sidecar(ladder=f"{RUN}/accounting/ladder.csv"),
    log:
        f"{RUN}/logs/accounting/ladder.log",
    conda:
        "../envs/trex.yaml"
    threads: whole_machine
    params:
        **step("trex.accounting.ladder", "accounting", "ladder"),
        seed=SEED,
        threads=THREADS,
    shell:
        "OMP_NUM_THREADS={params.threads} python -m trex.accounting.ladder --model-config {input.model:q}"
        " --packed {input.packed:q} --peak {input.peak:q} --settings {params.settings:q} --seed {params.seed}"
        " --threads {params.threads} --out {output.ladder:q} > {log:q} 2>&1"


rule model_sizes:
    input:
        model=MINIATURE,
    output:
        **with_sidecar(models=f"{RUN}/accounting/models.csv", components=f"{RUN}/accounting/components.csv"),
    log:
        f"{RUN}/logs/accounting/models.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.accounting.models", "corpus", "context"),
    shell:
        "python -m trex.accounting.models --model-config {input.model:q} --sequence-length {params.settings}"
        " --out {output.models:q} --components {output.components:q} > {log:q} 2>&1"
