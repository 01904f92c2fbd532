# What describes the run itself.


rule resolved_config:
    output:
        f"{RUN}/config.json",
    log:
        f"{RUN}/logs/config.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.common.config"),
        config=lambda wildcards: json.dumps(config),
    shell:
        "python -m trex.common.config --config {params.config:q} --out {output:q} > {log:q} 2>&1"


rule isolation:
    output:
        f"{RUN}/isolation.json",
    log:
        f"{RUN}/logs/isolation.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.execution.sandbox"),
    shell:
        "python -m trex.execution.sandbox --out {output:q} > {log:q} 2>&1"


rule environment:
    input:
        requirements="requirements.txt",
        isolation=rules.isolation.output,
    output:
        f"{RUN}/environment.json",
    log:
        f"{RUN}/logs/environment.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.common.environment"),
        threads=THREADS,
    shell:
        "python -m trex.common.environment --requirements {input.requirements:q} --isolation {input.isolation:q}"
        " --threads {params.threads} --out {output:q} > {log:q} 2>&1"
