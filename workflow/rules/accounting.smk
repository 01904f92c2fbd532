# The machine's measured peak, what recipes of training reach of it, by which kernels, and what tokens cost.
MINIATURE = f"{RUN}/models/base/config.json"
COST = config["accounting"]["cost"]


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


rule validation:
    input:
        model=MINIATURE,
        peak=rules.peak.output,
    output:
        **with_sidecar(validation=f"{RUN}/accounting/validation.csv"),
        report=f"{RUN}/accounting/validation.json",
    log:
        f"{RUN}/logs/accounting/validation.log",
    conda:
        "../envs/trex.yaml"
    threads: whole_machine
    params:
        **step("trex.accounting.validate", "accounting", "validation"),
        seed=SEED,
        threads=THREADS,
    shell:
        "OMP_NUM_THREADS={params.threads} python -m trex.accounting.validate --model-config {input.model:q}"
        " --peak {input.peak:q} --settings {params.settings:q} --seed {params.seed} --threads {params.threads}"
        " --out {output.validation:q} --report {output.report:q} > {log:q} 2>&1"


rule projection:
    input:
        "config/hardware.yaml",
    output:
        **with_sidecar(projection=f"{RUN}/accounting/projection.csv"),
    log:
        f"{RUN}/logs/accounting/projection.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.accounting.project", "accounting", "projection"),
        seed=SEED,
    shell:
        "python -m trex.accounting.project --settings {params.settings:q} --seed {params.seed}"
        " --out {output.projection:q} > {log:q} 2>&1"


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


rule kernels:
    input:
        model=MINIATURE,
        packed=f"{RUN}/corpus/packed/sft.safetensors",
    output:
        f"{RUN}/accounting/kernels.json",
    log:
        f"{RUN}/logs/accounting/kernels.log",
    conda:
        "../envs/trex.yaml"
    threads: THREADS
    params:
        **step("trex.accounting.kernels"),
        settings=lambda wildcards: json.dumps(stage_settings("sft")),
        seed=SEED,
        threads=THREADS,
    shell:
        "OMP_NUM_THREADS={params.threads} python -m trex.accounting.kernels --model-config {input.model:q}"
        " --packed {input.packed:q} --settings {params.settings:q} --seed {params.seed} --threads {params.threads}"
        " --out {output:q} > {log:q} 2>&1"


rule cost:
    input:
        ladder=rules.ladder.output.ladder,
        metrics=expand(rules.train.output.metrics, arm=ARMS),
        hardware="config/hardware.yaml",
        scenarios=COST["scenarios"],
        prices=COST["prices"] or [],
    output:
        **with_sidecar(
            cost=f"{RUN}/accounting/cost.csv",
            sensitivity=f"{RUN}/accounting/cost_sensitivity.csv",
            terms=f"{RUN}/accounting/cost_terms.csv",
        ),
    log:
        f"{RUN}/logs/accounting/cost.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.accounting.cost"),
        given=options({"prices": COST["prices"], "usd-per-hour": COST["usd_per_hour"], "watts": COST["watts"]}),
        threads=THREADS,
    shell:
        "python -m trex.accounting.cost --ladder {input.ladder:q} --metrics {input.metrics:q} --threads {params.threads}"
        " --hardware {input.hardware:q} --scenarios {input.scenarios:q} {params.given:q}"
        " --out {output.cost:q} --sensitivity {output.sensitivity:q} --terms {output.terms:q} > {log:q} 2>&1"
