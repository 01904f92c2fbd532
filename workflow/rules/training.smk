# The four arms, and our model held against another implementation. sft and cpt_sft differ in the weights that they start
# from, and in nothing else.


rule train:
    input:
        packed=lambda wildcards: f"{RUN}/corpus/packed/{STAGE[wildcards.arm]}.safetensors",
        init=lambda wildcards: [path for arm in INIT[wildcards.arm] for path in weights(arm)],
    output:
        weights("{arm}"),
        **with_sidecar(metrics=f"{RUN}/models/{{arm}}/metrics.jsonl"),
    log:
        f"{RUN}/logs/models/{{arm}}.log",
    conda:
        "../envs/trex.yaml"
    threads: whole_machine
    params:
        **step("trex.training.train"),
        settings=arm_settings,
        model=model_settings,
        seed=SEED,
        threads=THREADS,
        init=lambda wildcards: [f"--init={RUN}/models/{arm}" for arm in INIT[wildcards.arm]],
        folder=lambda wildcards: f"{RUN}/models/{wildcards.arm}",
    shell:
        "OMP_NUM_THREADS={params.threads} python -m trex.training.train --arm {wildcards.arm}"
        " --packed {input.packed:q} {params.init:q} --model {params.model:q} --settings {params.settings:q}"
        " --seed {params.seed} --threads {params.threads} --out {params.folder:q} > {log:q} 2>&1"


rule oracle:
    input:
        [path for arm in ARMS for path in weights(arm)],
    output:
        **with_sidecar(oracle=f"{RUN}/models/oracle.csv"),
    log:
        f"{RUN}/logs/models/oracle.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.model.oracle"),
        arms=[f"{RUN}/models/{arm}" for arm in ARMS],
        seed=SEED,
    shell:
        "OMP_NUM_THREADS=1 python -m trex.model.oracle --arms {params.arms:q} --seed {params.seed} --threads 1"
        " --out {output.oracle:q} > {log:q} 2>&1"
