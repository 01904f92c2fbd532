# Responses of every arm to every suite and benchmark, their scores, and the tables made of them.
SCORED = [*SUITES, *BENCHMARKS]


rule respond:
    input:
        model=weights("{arm}"),
        tokenizer=rules.tokenizer.output.tokenizer,
        source=source_files,
    output:
        **with_sidecar(responses=f"{RUN}/evaluation/{{arm}}/{{suite}}/responses.jsonl"),
    log:
        f"{RUN}/logs/evaluation/{{arm}}/{{suite}}/responses.log",
    conda:
        "../envs/trex.yaml"
    threads: THREADS
    params:
        **step("trex.evaluation.respond", "evaluation", only=["max_new_tokens", "batch_size"]),
        context=config["corpus"]["context"],
        source=source_options,
        model=lambda wildcards: f"{RUN}/models/{wildcards.arm}",
        threads=THREADS,
    shell:
        "OMP_NUM_THREADS={params.threads} python -m trex.evaluation.respond --model {params.model:q}"
        " --tokenizer {input.tokenizer:q} {params.source:q} --context {params.context}"
        " --settings {params.settings:q} --threads {params.threads} --out {output.responses:q} > {log:q} 2>&1"


rule score:
    input:
        responses=rules.respond.output.responses,
        source=source_files,
    output:
        f"{RUN}/evaluation/{{arm}}/{{suite}}/scores.parquet",
    log:
        f"{RUN}/logs/evaluation/{{arm}}/{{suite}}/scores.log",
    conda:
        "../envs/trex.yaml"
    threads: config["evaluation"]["sandbox"]["workers"]
    params:
        **step("trex.evaluation.score", "evaluation", only=["solve_s", "sandbox"]),
        source=source_options,
    shell:
        "python -m trex.evaluation.score {params.source:q} --responses {input.responses:q}"
        " --settings {params.settings:q} --out {output:q} > {log:q} 2>&1"


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
        scores=expand(rules.score.output, arm=ARMS, suite=SCORED),
        losses=expand(rules.loss.output, arm=ARMS, suite=SUITES),
    output:
        **with_sidecar(
            pass_at_1=f"{RUN}/evaluation/pass_at_1.csv",
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
    shell:
        "python -m trex.evaluation.summarise --scores {input.scores:q} --losses {input.losses:q}"
        " --pass-at-1 {output.pass_at_1:q} --comparisons {output.comparisons:q} --retention {output.retention:q}"
        " --diagnostics {output.diagnostics:q} --failures {output.failures:q} > {log:q} 2>&1"
