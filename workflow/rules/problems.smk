# Verified instances of every family of optimization problems.


rule instances:
    output:
        table=f"{RUN}/instances/{{family}}.parquet",
        counts=f"{RUN}/instances/{{family}}.counts.json",
    log:
        f"{RUN}/logs/instances/{{family}}.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step(
            "trex.problems.generate",
            "problems",
            only=["instances_per_family", "difficulty", "node_limit", "time_limit_s"],
        ),
        seed=SEED,
    shell:
        "python -m trex.problems.generate --family {wildcards.family} --settings {params.settings:q}"
        " --seed {params.seed} --out {output.table:q} > {log:q} 2>&1"
