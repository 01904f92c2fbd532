"""The section on the data: the figures of the data card, an example of every kind of sample, and known limits."""

from trex.report.documents import in_words, records
from trex.report.load import Run
from trex.report.parts import Figure, Got, Section, Text, percent

FILE = "corpus/counts.json"
COUNTED = "counted while the corpus was made; whatever was dropped has a reason"
TEMPLATES = "templates wrote all problems: their variety is that of the templates, not of the world"


def data(run: Run) -> Section:
    counts = run.documents["counts"]
    lead = (
        "Every instance was solved by two independent solvers and re-checked by our own arithmetic; the code of every "
        "sample was executed and its model compared with the instance's. No item of a suite stands in a training text, "
        "by exact, structural and near-duplicate test. corpus/card.md has the same for readers of the corpus alone."
    )
    figures = [*instances(counts), *gates(counts), suites(counts), variety(counts), *texts(counts), examples(counts)]
    return Section("data", "Data", lead, [*figures, limits(counts)])


def instances(counts: dict) -> list[Figure]:
    drawn = sum(row["instances"] for row in counts["instances"])
    return [
        Figure(
            "Instances by family, and what became of the draws",
            Got(FILE, f"{drawn} instances", COUNTED, TEMPLATES),
            table=records(counts["instances"]),
            folded=True,
        ),
        Figure(
            "Size by difficulty: instances, mean variables and rows",
            Got(FILE, f"{drawn} instances", "of the reference models", "how hard an instance is to solve"),
            table=records(counts["sizes"]),
            folded=True,
        ),
    ]


def gates(counts: dict) -> list[Figure]:
    drawn = [{"text": name, "rows": in_words(counts[name]["drawn"])} for name in ("sft", "cpt", "general")]
    by_family = [
        {
            "family": family,
            "acceptance": percent(reasons["accepted"] / sum(reasons.values())),
            "drawn": in_words(reasons),
        }
        for family, reasons in counts["sft"]["drawn_by_family"].items()
    ]
    limits = "near-duplicates are found up to a threshold, not with certainty"
    return [
        Figure(
            "Training texts, drawn and dropped",
            Got(FILE, f"{len(drawn)} tables", COUNTED, limits),
            table=records(drawn),
        ),
        Figure(
            "Samples through the gates by family",
            Got(FILE, f"{sum(counts['sft']['drawn'].values())} draws", COUNTED, limits),
            table=records(by_family),
            folded=True,
        ),
    ]


def suites(counts: dict) -> Figure:
    return Figure(
        "Suites",
        Got(
            FILE,
            f"{sum(row['items'] for row in counts['suites'])} items",
            "items of the test split; the held-out family is in no training text, nor are the phrases of the held-out "
            "wording, which tells the first items of each family again",
            TEMPLATES,
        ),
        table=records(counts["suites"]),
    )


def variety(counts: dict) -> Figure:
    return Figure(
        "How varied the problems are",
        Got(
            FILE,
            f"at most {max(row['texts'] for row in counts['diversity'])} texts of each set",
            "distinct-n: different runs of n words among all, higher is more varied; self-BLEU: likeness of each text "
            "to the others, lower is more varied; numbers count as words",
            "whether what varies matters; long texts repeat words more",
        ),
        table=records(counts["diversity"]),
    )


def texts(counts: dict) -> list[Figure]:
    packed = [
        {name: value for name, value in ({"stage": stage} | row).items() if name != "sources"}
        for stage, row in counts["packed"].items()
    ]
    return [
        Figure(
            "Sources of training text",
            Got(FILE, f"{len(counts['sources'])} sources", "tokens of the run's own tokenizer", "cptx trains no arm"),
            table=records(counts["sources"]),
        ),
        Figure(
            "Packed rows of each stage",
            Got(FILE, f"{len(packed)} stages", "as the rows were packed", "how often training passes over them"),
            table=records(packed),
        ),
        Figure(
            "Lengths of samples in tokens",
            Got(FILE, f"{counts['sft']['rows']} samples", "by the run's own tokenizer", TEMPLATES),
            table=records(counts["sft_tokens"]),
            folded=True,
        ),
    ]


def examples(counts: dict) -> Figure:
    shown = [Text(f"{row['category']}, {row['mode']}", told(row)) for row in counts["examples"]]
    return Figure(
        "A sample of every category and representation",
        Got(FILE, f"{len(shown)} samples", "the first small one of each kind", "chosen by place, not by merit"),
        texts=tuple(shown),
    )


def limits(counts: dict) -> Figure:
    return Figure(
        "Known limits of the data",
        Got(FILE, f"{len(counts['limits'])} statements", "as in corpus/card.md", "what nobody has noticed"),
        note=" ".join(counts["limits"]),
    )


def told(row: dict) -> str:
    attached = f"\n\ndata.json: {row['data_file']}" if row["data_file"] else ""
    return f"{row['prompt']}{attached}\n\n{row['answer']}"
