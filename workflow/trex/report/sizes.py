"""The section on what models hold and need: parameters, training FLOPs by whose count, components, the oracle."""

import pandas as pd
from markupsafe import Markup

from trex.accounting.counting.conventions import CONVENTIONS, EXACT, EXACT_WITH_MTP, NOT_DERIVED
from trex.report import charts
from trex.report.load import Run
from trex.report.parts import Column, Figure, Got, Section, arm, integer, number, plain, table

FILE = "accounting/models.csv"
DRAWN = ("v4-flash", "v4-pro")


def sizes(run: Run) -> Section:
    models, components = run.tables["models"], run.tables["components"]
    exact = models[models["convention"].isin([EXACT, EXACT_WITH_MTP])]
    columns = [
        Column("model", lambda row: plain(row.model), "text"),
        Column("convention", lambda row: plain(row.convention), "text"),
        Column("sequence length", lambda row: integer(row.sequence_length)),
        Column("parameters", lambda row: integer(row.parameters)),
        Column("active", lambda row: integer(row.active_parameters)),
        Column("training GFLOP a token", lambda row: number(row.train_flops_per_token / 1e9, 4)),
    ]
    totals = Figure(
        "Parameters and training FLOPs",
        Got(
            FILE,
            f"{len(exact)} rows",
            "exact formulas of the architecture; attention counts the pairs that the masks let through; training is "
            "three times forward; active leaves out the experts that a token is not sent to",
            "norms, softmax, Sinkhorn iterations, the optimizer and recomputation are not counted; others count "
            "differently (next figure)",
        ),
        table=table(exact, columns),
    )
    lead = (
        "The formulas, and the modules that the miniature is made of, reproduce the published parameter counts of "
        "DeepSeek-V4-Flash and -Pro to the last digit."
    )
    return Section(
        "sizes", "Model size and FLOPs", lead, [totals, by_convention(models), by_component(components), oracle(run)]
    )


def oracle(run: Run) -> Figure:
    """Our model beside another implementation of the architecture."""
    frame = run.tables["oracle"]
    first = frame.iloc[0]
    columns = [
        Column("weights", lambda row: arm(row.subject), "text"),
        Column("layers", lambda row: row.kind, "text"),
        Column("rotary scaling", lambda row: row.rope_scaling, "text"),
        Column("length", lambda row: integer(row.length)),
        Column("logits differ by", lambda row: f"{row.logits_difference:.1e}"),
        Column("a gradient differs by", lambda row: f"{row.gradient_difference:.1e}", detail=lambda row: row.parameter),
        Column("draws of tokens", lambda row: integer(row.draws)),
        Column("agrees", lambda row: "yes" if row.agrees else "no", "text"),
    ]
    return Figure(
        f"Held against {first.library}: {frame['agrees'].sum()} of {len(frame)} comparisons agree; logits differ by at "
        f"most {frame['logits_difference'].max():.1e}, gradients by {frame['gradient_difference'].max():.1e}",
        Got(
            "models/oracle.csv",
            f"{len(frame)} comparisons, {frame['tokens'].sum()} tokens",
            "small models with random weights, by kind of layer and length, and the trained arms, all exported and "
            f"loaded by an implementation of a third party ({first.library}), with the same random tokens, in float32; "
            f"logits: largest difference over the largest logit, tolerance {first.logits_tolerance:.0e}; gradients of "
            f"the next-token loss: the parameter that differs most, by norm, tolerance {first.gradient_tolerance:.0e}",
            "it is not DeepSeek's own code, and both may share an error; packed documents, the block that predicts a "
            "second token, and the losses of balance and indexer have no counterpart there",
        ),
        table=table(frame, columns),
        folded=True,
    )


def compared(models: pd.DataFrame) -> pd.DataFrame:
    """With the column `more`: percent above the exact count of the same model and length without MTP."""
    keys = ["model", "sequence_length"]
    exact = models[models["convention"] == EXACT].set_index(keys)["train_flops_per_token"]
    frame = models.join(exact.rename("exact"), on=keys)
    frame["more"] = 100 * (frame["train_flops_per_token"] / frame["exact"] - 1)
    return frame


def by_convention(models: pd.DataFrame) -> Figure:
    """What others count of the same models, beside the exact count without multi-token prediction."""
    frame = compared(models)
    frame = frame[frame["convention"].isin(CONVENTIONS)]
    hardware = frame["convention"].map(lambda name: CONVENTIONS[name].hardware).astype(bool)
    drawn = frame[frame["model"].isin(DRAWN) & ~hardware].drop_duplicates(["model", "convention"])
    order = list(drawn.groupby("convention")["more"].mean().sort_values().index)
    chart = pd.DataFrame(
        {
            "panel": drawn["model"],
            "row": drawn["convention"].map(plain),
            "value": drawn["more"],
            "text": [f"{flops / 1e9:,.1f}" for flops in drawn["train_flops_per_token"]],
        }
    )
    spans = ", ".join(
        f"{name} {own['more'].min():+.1f} to {own['more'].max():+.1f} %" for name, own in drawn.groupby("model")
    )
    columns = [
        Column("model", lambda row: plain(row.model), "text"),
        Column("sequence length", lambda row: integer(row.sequence_length)),
        Column("convention", lambda row: plain(row.convention), "text", lambda row: CONVENTIONS[row.convention].counts),
        Column("training GFLOP a token", lambda row: number(row.train_flops_per_token / 1e9, 4)),
        Column("against exact", lambda row: f"{row.more:+.1f} %"),
    ]
    return Figure(
        f"Whose FLOPs: against the exact count, {spans}",
        Got(
            FILE,
            f"{drawn['convention'].nunique()} conventions; {len(frame)} rows of model, length and convention",
            "each framework's own formula, derived term by term from its source, no constant fitted to a total "
            f"(trex.accounting.counting.conventions); the chart is at {integer(drawn['sequence_length'].iloc[0])} "
            "tokens a sequence, with training GFLOP a token beside each mark",
            "which of them somebody used; an MFU moves by as much with the convention. Recomputation counts for HFU "
            f"alone: in the table, not in the chart. Not derived, and left out: {', '.join(NOT_DERIVED)}",
        ),
        Markup(
            charts.dots(
                chart,
                [plain(name) for name in order],
                "% above the exact count",
                "Training FLOPs a token of each convention against the exact count",
            )
        ),
        table(frame, columns),
        folded=True,
    )


def by_component(components: pd.DataFrame) -> Figure:
    """Share of forward FLOPs, the first sequence length of each model of the miniature's architecture."""
    rows = []
    alike = components.groupby("model")["component"].transform(lambda names: "hyper_connections" in set(names))
    for model, own in components[alike].dropna(subset="forward_flops_per_token").groupby("model", sort=False):
        own = own[own["sequence_length"] == own["sequence_length"].iloc[0]]
        title = model
        total = own["forward_flops_per_token"].sum()
        rows += [
            {
                "panel": "",
                "column": title,
                "row": plain(row.component),
                "value": 100 * row.forward_flops_per_token / total,
                "text": f"{100 * row.forward_flops_per_token / total:.1f}",
            }
            for row in own.itertuples()
        ]
    frame = pd.DataFrame(rows)
    order = list(frame.groupby("row")["value"].mean().sort_values(ascending=False).index)
    titles = list(dict.fromkeys(frame["column"]))
    chart = charts.bars(frame, order, titles, "% of forward FLOPs", "Share of forward FLOPs by component")
    columns = [
        Column("model", lambda row: plain(row.model), "text"),
        Column("sequence length", lambda row: integer(row.sequence_length)),
        Column("component", lambda row: plain(row.component), "text"),
        Column("parameters", lambda row: integer(row.parameters)),
        Column("forward MFLOP a token", lambda row: number(row.forward_flops_per_token / 1e6, 3)),
    ]
    return Figure(
        "Where the forward FLOPs go",
        Got(
            "accounting/components.csv",
            f"{len(components)} rows; the chart shows each DeepSeek-V4 model at its first sequence length",
            "the same formulas, by component",
            "FLOPs are not time: small and memory-bound parts take more time than their share",
        ),
        Markup(chart),
        table(components, columns),
        folded=True,
    )
