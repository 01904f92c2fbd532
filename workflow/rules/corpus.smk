# Text from problems: suites first, then training texts that hold none of their items, tokens, packed rows.
INSTANCES = expand(f"{RUN}/instances/{{family}}.parquet", family=FAMILIES)
SUITE_FILES = expand(f"{RUN}/corpus/suites/{{suite}}.parquet", suite=SUITES)
# The keys of the config's section that decide how a task is drawn.
TASK_KEYS = ["mixture", "answer_styles", "reasoning"]
# Those that decide what is made of which buckets.
BUCKET_KEYS = ["heldout_bucket", "cptx_buckets"]
# Tables of documents for continued pre-training: those that are trained on, and those of families kept apart.
DOCUMENTS = ["cpt", *(["cptx"] if config["corpus"]["cptx_buckets"] else [])]
# Params of steps that look at the public benchmarks; by the digests they run again when one has changed.
AGAINST_BENCHMARKS = {"benchmarks": json.dumps(BENCHMARKS), "benchmark_digests": json.dumps(BENCHMARK_DIGESTS)}
# Of each training stage: the texts that its rows are packed from.
TEXTS = {"base": ["general"], "cpt": ["cpt", "general"], "sft": ["sft"]}


rule suites:
    input:
        instances=INSTANCES,
    output:
        in_distribution=f"{RUN}/corpus/suites/in_distribution.parquet",
        heldout_family=f"{RUN}/corpus/suites/heldout_family.parquet",
        heldout_wording=f"{RUN}/corpus/suites/heldout_wording.parquet",
    log:
        f"{RUN}/logs/corpus/suites.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.corpus.suites", "corpus", only=[*BUCKET_KEYS, "suite_items", *TASK_KEYS]),
        seed=SEED,
    shell:
        "python -m trex.corpus.suites --instances {input.instances:q} --settings {params.settings:q}"
        " --seed {params.seed} --in-distribution {output.in_distribution:q}"
        " --heldout-family {output.heldout_family:q} --heldout-wording {output.heldout_wording:q} > {log:q} 2>&1"


rule sft:
    input:
        instances=INSTANCES,
        suites=SUITE_FILES,
    output:
        f"{RUN}/corpus/sft.parquet",
    log:
        f"{RUN}/logs/corpus/sft.log",
    conda:
        "../envs/trex.yaml"
    threads: THREADS
    params:
        **step(
            "trex.corpus.sft",
            "corpus",
            only=[*BUCKET_KEYS, "sft_samples", "near_duplicate_threshold", "near_duplicate_within", *TASK_KEYS],
        ),
        **AGAINST_BENCHMARKS,
        seed=SEED,
    shell:
        "python -m trex.corpus.sft --instances {input.instances:q} --suites {input.suites:q}"
        " --benchmarks {params.benchmarks:q} --settings {params.settings:q} --seed {params.seed}"
        " --workers {threads} --out {output:q} > {log:q} 2>&1"


rule cpt:
    input:
        instances=INSTANCES,
        suites=SUITE_FILES,
    output:
        f"{RUN}/corpus/{{documents}}.parquet",
    log:
        f"{RUN}/logs/corpus/{{documents}}.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step(
            "trex.corpus.cpt",
            "corpus",
            only=[*BUCKET_KEYS, "cpt_documents", "cpt_mix", "near_duplicate_threshold", *TASK_KEYS],
        ),
        **AGAINST_BENCHMARKS,
        seed=SEED,
        notes=notes.digest(),
    shell:
        "python -m trex.corpus.cpt --use {wildcards.documents} --instances {input.instances:q}"
        " --suites {input.suites:q} --benchmarks {params.benchmarks:q} --settings {params.settings:q}"
        " --seed {params.seed} --out {output:q} > {log:q} 2>&1"


rule general:
    input:
        suites=SUITE_FILES,
    output:
        f"{RUN}/corpus/general.parquet",
    log:
        f"{RUN}/logs/corpus/general.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.corpus.general", "corpus", only=["general_bytes", "near_duplicate_threshold"]),
        **AGAINST_BENCHMARKS,
        seed=SEED,
        packages=json.dumps(packages.versions()),
    shell:
        "python -m trex.corpus.general --suites {input.suites:q} --benchmarks {params.benchmarks:q}"
        " --settings {params.settings:q} --seed {params.seed} --out {output:q} > {log:q} 2>&1"


rule tokenizer:
    input:
        texts=[rules.general.output, f"{RUN}/corpus/cpt.parquet", rules.sft.output],
    output:
        **with_sidecar(tokenizer=f"{RUN}/corpus/tokenizer/tokenizer.json"),
    log:
        f"{RUN}/logs/corpus/tokenizer.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.corpus.tokenizer", "corpus", only=["vocab_size"]),
    shell:
        "python -m trex.corpus.tokenizer --texts {input.texts:q} --settings {params.settings:q}"
        " --out {output.tokenizer:q} > {log:q} 2>&1"


rule pack:
    input:
        tokenizer=rules.tokenizer.output.tokenizer,
        texts=lambda wildcards: [f"{RUN}/corpus/{text}.parquet" for text in TEXTS[wildcards.stage]],
    output:
        f"{RUN}/corpus/packed/{{stage}}.safetensors",
    log:
        f"{RUN}/logs/corpus/packed/{{stage}}.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step("trex.corpus.pack", "corpus", only=["context", "cpt_mix"]),
        seed=SEED,
    shell:
        "python -m trex.corpus.pack --stage {wildcards.stage} --tokenizer {input.tokenizer:q}"
        " --texts {input.texts:q} --settings {params.settings:q} --seed {params.seed} --out {output:q} > {log:q} 2>&1"


rule card:
    input:
        instances=INSTANCES,
        suites=SUITE_FILES,
        sft=rules.sft.output,
        documents=expand(rules.cpt.output, documents=DOCUMENTS),
        general=rules.general.output,
        tokenizer=rules.tokenizer.output.tokenizer,
        packed=expand(rules.pack.output, stage=TEXTS),
    output:
        counts=f"{RUN}/corpus/counts.json",
        card=f"{RUN}/corpus/card.md",
    log:
        f"{RUN}/logs/corpus/card.log",
    conda:
        "../envs/trex.yaml"
    params:
        **step(
            "trex.corpus.card", "corpus", only=["heldout_bucket", "near_duplicate_threshold", "near_duplicate_within"]
        ),
        **AGAINST_BENCHMARKS,
        seed=SEED,
    shell:
        "python -m trex.corpus.card --instances {input.instances:q} --suites {input.suites:q} --sft {input.sft:q}"
        " --documents {input.documents:q} --general {input.general:q} --tokenizer {input.tokenizer:q}"
        " --packed {input.packed:q} --benchmarks {params.benchmarks:q} --settings {params.settings:q}"
        " --seed {params.seed} --counts {output.counts:q} --card {output.card:q} > {log:q} 2>&1"
