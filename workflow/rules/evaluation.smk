# Responses of every arm and outside model to the suites and benchmarks, their scores, and the tables made of them.


rule respond:
    input:
        model=weights("{arm}"),
        tokenizer=rules.tokenizer.output.tokenizer,
        source=source_files,
        pool=pool(config["evaluation"]["protocol"]),
    output:
        **with_sidecar(responses=f"{RUN}/evaluation/{{arm}}/{{suite}}/responses.jsonl"),
    log:
        f"{RUN}/logs/evaluation/{{arm}}/{{suite}}/responses.log",
    conda:
        "../envs/trex.yaml"
    threads: THREADS
    params:
        **step("trex.evaluation.respond"),
        settings=json.dumps(
            {key: config["evaluation"][key] for key in ("max_new_tokens", "batch_size")}
            | {"protocol": asked(config["evaluation"]["protocol"])}
        ),
        context=config["corpus"]["context"],
        source=source,
        source_digest=source_digest,
        pool=lambda wildcards, input: [f"--pool={path}" for path in input.pool],
        model=lambda wildcards: f"{RUN}/models/{wildcards.arm}",
        threads=THREADS,
    shell:
        "OMP_NUM_THREADS={params.threads} python -m trex.evaluation.respond --model {params.model:q}"
        " --tokenizer {input.tokenizer:q} {params.source:q} {params.pool:q} --context {params.context}"
        " --settings {params.settings:q} --threads {params.threads} --out {output.responses:q} > {log:q} 2>&1"


# The cache is no output, so that an interrupted job goes on where it was: Snakemake deletes what a failed job wrote.
rule ask:
    input:
        source=source_files,
        pool=lambda wildcards: pool(ENDPOINTS[wildcards.endpoint]["protocol"]),
    output:
        **with_sidecar(responses=f"{RUN}/evaluation/{{endpoint}}/{{suite}}/responses.jsonl"),
    log:
        f"{RUN}/logs/evaluation/{{endpoint}}/{{suite}}/responses.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.evaluation.ask"),
        source=source,
        source_digest=source_digest,
        options=lambda wildcards: endpoint_options(ENDPOINTS[wildcards.endpoint]),
        pool=lambda wildcards, input: [f"--pool={path}" for path in input.pool],
        cache=lambda wildcards: f"{RUN}/cache/{wildcards.endpoint}/{wildcards.suite}.jsonl",
    shell:
        "python -m trex.evaluation.ask {params.source:q} {params.options:q} {params.pool:q}"
        " --cache {params.cache:q} --out {output.responses:q} > {log:q} 2>&1"


rule collect:
    input:
        responses=lambda wildcards: given_files(ANSWERED[wildcards.answered][wildcards.suite]),
        source=source_files,
    output:
        **with_sidecar(responses=f"{RUN}/evaluation/{{answered}}/{{suite}}/responses.jsonl"),
    log:
        f"{RUN}/logs/evaluation/{{answered}}/{{suite}}/responses.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.evaluation.collect"),
        source=source,
        source_digest=source_digest,
    shell:
        "python -m trex.evaluation.collect {params.source:q} --responses {input.responses[0]:q}"
        " --out {output.responses:q} > {log:q} 2>&1"


# No model answers here: what the rule writes is told apart from models by its names, which no model may have.
rule no_skill:
    input:
        suite=suite_file("{suite}"),
        training=rules.sft.output,
    output:
        **with_sidecar(
            nearest=f"{RUN}/evaluation/nearest_example/{{suite}}/responses.jsonl",
            slots=f"{RUN}/evaluation/slot_filler/{{suite}}/responses.jsonl",
            shuffled=f"{RUN}/evaluation/shuffled_numbers/{{suite}}/responses.jsonl",
        ),
    log:
        f"{RUN}/logs/evaluation/no_skill/{{suite}}.log",
    wildcard_constraints:
        suite=one_of(SUITES),
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.evaluation.no_skill"),
        seed=SEED,
    shell:
        "python -m trex.evaluation.no_skill --suite {input.suite:q} --training {input.training:q} --seed {params.seed}"
        " --nearest {output.nearest:q} --slots {output.slots:q} --shuffled {output.shuffled:q} > {log:q} 2>&1"


rule score:
    input:
        **with_sidecar(responses=f"{RUN}/evaluation/{{model}}/{{suite}}/responses.jsonl"),
        source=source_files,
    output:
        **with_sidecar(table=f"{RUN}/evaluation/{{model}}/{{suite}}/items.csv"),
        scores=f"{RUN}/evaluation/{{model}}/{{suite}}/scores.parquet",
        summary=f"{RUN}/evaluation/{{model}}/{{suite}}/summary.json",
    log:
        f"{RUN}/logs/evaluation/{{model}}/{{suite}}/scores.log",
    conda:
        "../envs/trex.yaml"
    threads: config["evaluation"]["sandbox"]["workers"]
    params:
        **step("trex.evaluation.score", "evaluation", only=["solve_s", "sandbox"]),
        source=source,
        source_digest=source_digest,
        folder=lambda wildcards, output: Path(output.scores).parent,
    shell:
        "python -m trex.evaluation.score {params.source:q} --responses {input.responses:q}"
        " --settings {params.settings:q} --out {params.folder:q} > {log:q} 2>&1"


rule loss:
    input:
        model=weights("{arm}"),
        tokenizer=rules.tokenizer.output.tokenizer,
        suite=f"{RUN}/corpus/suites/{{suite}}.parquet",
        general=rules.general.output,
    output:
        f"{RUN}/evaluation/{{arm}}/{{suite}}/answer_loss.json",
    log:
        f"{RUN}/logs/evaluation/{{arm}}/{{suite}}/answer_loss.log",
    conda:
        "../envs/trex.yaml"
    threads: THREADS
    params:
        **step("trex.evaluation.loss", "evaluation", only=["batch_size", "retention_tokens"]),
        context=config["corpus"]["context"],
        model=lambda wildcards: f"{RUN}/models/{wildcards.arm}",
        threads=THREADS,
    shell:
        "OMP_NUM_THREADS={params.threads} python -m trex.evaluation.loss --model {params.model:q}"
        " --tokenizer {input.tokenizer:q} --suite {input.suite:q} --general {input.general:q}"
        " --context {params.context} --settings {params.settings:q} --threads {params.threads}"
        " --out {output:q} > {log:q} 2>&1"


rule summarise:
    input:
        scores=scored(rules.score.output.scores),
        losses=expand(rules.loss.output, arm=ARMS, suite=SUITES),
    output:
        **with_sidecar(
            pass_at_1=f"{RUN}/evaluation/pass_at_1.csv",
            pass_at_k=f"{RUN}/evaluation/pass_at_k.csv",
            comparisons=f"{RUN}/evaluation/comparisons.csv",
            retention=f"{RUN}/evaluation/retention.csv",
            diagnostics=f"{RUN}/evaluation/diagnostics.csv",
            failures=f"{RUN}/evaluation/failures.csv",
        ),
    log:
        f"{RUN}/logs/evaluation/summarise.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.evaluation.summarise"),
        folder=lambda wildcards, output: Path(output.pass_at_1).parent,
    shell:
        "python -m trex.evaluation.summarise --scores {input.scores:q} --losses {input.losses:q}"
        " --out {params.folder:q} > {log:q} 2>&1"
