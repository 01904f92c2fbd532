# The paper's claims beside what was measured, the page, and the archive.


rule claims:
    input:
        paper="config/paper.yaml",
        pass_at_1=rules.summarise.output.pass_at_1,
        comparisons=rules.summarise.output.comparisons,
        ladder=rules.ladder.output.ladder,
        metrics=expand(rules.train.output.metrics, arm=ARMS),
        before=f"{RUN}/models/base/model.safetensors",
        after=f"{RUN}/models/cpt_sft/model.safetensors",
        counts=expand(rules.instances.output.counts, family=FAMILIES),
        hardware="config/hardware.yaml",
    output:
        **with_sidecar(claims=f"{RUN}/audit/claims.csv"),
    log:
        f"{RUN}/logs/audit/claims.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.audit.claims"),
    shell:
        "python -m trex.audit.claims --paper {input.paper:q} --pass-at-1 {input.pass_at_1:q}"
        " --comparisons {input.comparisons:q} --ladder {input.ladder:q} --metrics {input.metrics:q}"
        " --weights-before {input.before:q} --weights-after {input.after:q} --counts {input.counts:q}"
        " --out {output.claims:q} > {log:q} 2>&1"


rule page:
    input:
        template="workflow/trex/report/page.html.j2",
        run=[rules.resolved_config.output, rules.environment.output, rules.card.output.counts],
        suites=rules.suites.output,
        metrics=expand(rules.train.output.metrics, arm=ARMS),
        oracle=rules.oracle.output,
        paper="config/paper.yaml",
        responses=scored(rules.score.input.responses),
        scores=scored(rules.score.output.scores),
        tables=rules.summarise.output,
        accounting=[
            rules.peak.output,
            rules.ladder.output,
            rules.model_sizes.output,
            rules.validation.output,
            rules.projection.output,
            rules.kernels.output,
            rules.cost.output,
        ],
        claims=rules.claims.output.claims,
    output:
        f"{RUN}/report/report.html",
    log:
        f"{RUN}/logs/report.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.report.build"),
        run=lambda wildcards: RUN,
    shell:
        "python -m trex.report.build --run-dir {params.run:q} --paper {input.paper:q} --out {output:q} > {log:q} 2>&1"


rule bundle:
    input:
        rules.resolved_config.output,
        rules.environment.output,
        rules.isolation.output,
        expand(rules.instances.output, family=FAMILIES),
        rules.suites.output,
        rules.sft.output,
        expand(rules.cpt.output, documents=DOCUMENTS),
        rules.general.output,
        rules.tokenizer.output,
        expand(rules.pack.output, stage=TEXTS),
        rules.card.output,
        expand(rules.train.output, arm=ARMS),
        rules.oracle.output,
        scored([rules.score.input.responses, rules.score.input.responses_meta]),
        scored(rules.score.output),
        expand(rules.loss.output, arm=ARMS, suite=SUITES),
        rules.summarise.output,
        rules.peak.output,
        rules.ladder.output,
        rules.model_sizes.output,
        rules.validation.output,
        rules.projection.output,
        rules.kernels.output,
        rules.cost.output,
        rules.claims.output,
        rules.page.output,
    output:
        f"{RUN}.crate.tar.gz",
    log:
        f"{RUN}/logs/bundle.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.bundle.build"),
        run=lambda wildcards: RUN,
    shell:
        "python -m trex.bundle.build --run-dir {params.run:q} --files {input:q} --out {output:q} > {log:q} 2>&1"
