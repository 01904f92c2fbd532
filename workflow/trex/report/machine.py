"""Sections on training and what it costs the machine: loss curves, balance of experts, the ladder and its MFU."""

import pandas as pd
from markupsafe import Markup

from trex.accounting.counting.conventions import CONVENTIONS
from trex.report import charts
from trex.report.load import Run
from trex.report.parts import Column, Figure, Got, Section, arm, integer, number, percent, plain, span, table

CURVE_POINTS = 100
STAGE_OF_ARM = {"base": "general text", "cpt": "CPT documents", "sft": "SFT samples", "cpt_sft": "SFT samples"}


def binned(records: list[dict], value: str = "loss") -> pd.DataFrame:
    """Means over at most CURVE_POINTS stretches of equally many steps. Columns tokens (millions) and the value."""
    frame = pd.DataFrame(records)[["tokens", value]]
    width = -(-len(frame) // CURVE_POINTS)
    means = frame.groupby(frame.index // width).mean()
    return pd.DataFrame({"tokens": means["tokens"] / 1e6, value: means[value]})


def curves(run: Run, value: str, title: str, label: str) -> str:
    """A chart of one value of the training records, an arm a line, a stage a panel."""
    parts = [
        binned(records, value).assign(panel=STAGE_OF_ARM.get(name, "other arms"), arm=arm(name))
        for name, records in run.metrics.items()
    ]
    frame = pd.concat(parts, ignore_index=True)
    panels = list(dict.fromkeys(frame["panel"]))
    return charts.curves(frame, panels, [arm(name) for name in run.trained], value, title, label)


def last_steps(records: list[dict]) -> list[dict]:
    """The last 5 % of the steps, at least one."""
    return records[-max(1, len(records) // 20) :]


def training(run: Run) -> Section:
    rows = []
    for name, records in run.metrics.items():
        tail = pd.DataFrame(last_steps(records))["loss"].mean()
        rows.append(records[-1] | {"arm": name, "count": len(records), "tail": tail, "first": records[0]["loss"]})
    chart = curves(run, "loss", "loss, nats a target", "Training loss of the arms over tokens")
    columns = [
        Column("arm", lambda row: arm(row.arm), "text"),
        Column("steps", lambda row: integer(row.count)),
        Column("tokens", lambda row: integer(row.tokens)),
        Column("loss at first", lambda row: number(row.first, 3)),
        Column("loss, last 5 % of steps", lambda row: number(row.tail, 3)),
        Column("seconds", lambda row: integer(row.seconds)),
        Column("tokens/s", lambda row: integer(row.tokens_per_second)),
    ]
    figure = Figure(
        "Training loss",
        Got(
            "models/<arm>/metrics.jsonl",
            ", ".join(f"{arm(row['arm'])} {row['count']} steps" for row in rows),
            f"next-token loss of every step; the lines are means over up to {CURVE_POINTS} stretches of steps",
            "the three stages learn different texts: compare curves within a panel only; one seed",
        ),
        Markup(chart),
        table(pd.DataFrame(rows), columns),
    )
    lead = "Full-parameter training. SFT and CPT + SFT see the same samples in the same order, steps and learning rate."
    return Section("training", "Training", lead, [figure, balance(run)])


def balance(run: Run) -> Figure:
    """How evenly the routers spread the tokens over the experts."""
    rows = []
    for name, records in run.metrics.items():
        loads = pd.DataFrame([record["expert_load"] for record in last_steps(records)]).mean()
        first = max(records[0]["expert_load"])
        rows.append({"arm": name, "first": first, "last": loads.max(), "layers": [number(load) for load in loads]})
    columns = [
        Column("arm", lambda row: arm(row.arm), "text"),
        Column("worst layer at first", lambda row: number(row.first)),
        Column("worst layer, last 5 % of steps", lambda row: number(row.last)),
        Column("each layer, last 5 % of steps", lambda row: " ".join(row.layers), "text"),
    ]
    title = "largest load / mean load"
    return Figure(
        "Balance of the experts",
        Got(
            "models/<arm>/metrics.jsonl",
            ", ".join(f"{arm(name)} {len(records)} steps" for name, records in run.metrics.items()),
            "of each layer and step the tokens of the busiest expert over the mean of all experts, 1 being even; the "
            "lines are of the worst layer; the first layers route by a fixed table from the token, which nothing "
            "balances; where the model predicts a second token, that block's routing is the last of the layers",
            "experts share one processor here, so that imbalance costs little time, unlike on a cluster",
        ),
        Markup(curves(run, "max_expert_load", title, "Largest load of an expert over tokens")),
        table(pd.DataFrame(rows), columns),
    )


def speed(run: Run) -> Section:
    frame = run.tables["ladder"]
    ladder = pd.DataFrame(
        {
            "row": [plain(recipe) for recipe in frame["recipe"]],
            "value": frame["tokens_per_second"],
            "low": frame["tokens_per_second_min"],
            "high": frame["tokens_per_second_max"],
            "text": [f"{row.tokens_per_second:,.0f} tokens/s, MFU {row.mfu:.1%}" for row in frame.itertuples()],
        }
    )
    chart = charts.ranges(ladder, list(ladder["row"]), "tokens/s", "Training throughput of each recipe")
    columns = [
        Column("recipe", lambda row: plain(row.recipe), "text", lambda row: f"{row.precision}; {row.variant}"),
        Column(
            "tokens/s",
            lambda row: integer(row.tokens_per_second),
            detail=lambda row: span(row.tokens_per_second_min, row.tokens_per_second_max, 0),
        ),
        Column(
            "speed-up", lambda row: number(row.speedup), detail=lambda row: span(row.speedup_min, row.speedup_max, 2)
        ),
        Column("MFU", lambda row: percent(row.mfu), detail=lambda row: f"of {row.peak_tflops:.3f} TFLOP/s"),
        Column("HFU", lambda row: percent(row.hfu)),
        Column("training MFLOP a token", lambda row: number(row.flops_per_token / 1e6, 1)),
        Column("peak memory, MB", lambda row: integer(row.peak_rss_mb)),
        Column("first loss", lambda row: number(row.loss, 4)),
        Column("last loss", lambda row: number(row.loss_last, 4)),
    ]
    figure = Figure(
        "Training throughput and MFU of the recipes",
        Got(
            "accounting/ladder.csv",
            f"{frame['repetitions'].max()} repetitions a recipe; median, and range from smallest to largest",
            "same weights, tokens and optimizer (AdamW), next-token loss only; each recipe in its own process, taking "
            "turns; MFU = tokens/s x exact FLOPs a token / measured peak of the same dtype; nothing is recomputed, so "
            "HFU = MFU. Equal first and last losses say that the recipes train the same model",
            "a miniature on a CPU says nothing of an accelerator cluster; the range is no confidence interval; rungs "
            "named parallelism, host and kernels are not part of this run unless listed",
        ),
        Markup(chart),
        table(frame, columns),
    )
    lead = "MFU is not a cost number: it counts FLOPs by a convention and divides by a peak, and both must be named."
    return Section("speed", "Speed", lead, [figure, mfu_by_convention(run), peak(run)])


def mfu_by_convention(run: Run) -> Figure:
    """The same throughput by everybody's count: of those that leave out the block that the ladder does not train."""
    models, ladder = run.tables["models"], run.tables["ladder"]
    own = models[(models["model"] == "miniature") & models["convention"].isin(CONVENTIONS)]
    chosen = [CONVENTIONS[name] for name in own["convention"]]
    own = own[[not (convention.mtp or convention.hardware) for convention in chosen]]
    own = own.sort_values("train_flops_per_token", kind="stable")
    recipes = list(ladder.itertuples())

    def mfu(recipe: object, per_token: float) -> float:
        return recipe.mfu * per_token / recipe.flops_per_token

    least, most = (mfu(recipes[-1], own["train_flops_per_token"].iloc[place]) for place in (0, -1))
    columns = [
        Column("convention", lambda row: plain(row.convention), "text", lambda row: CONVENTIONS[row.convention].counts),
        Column("training MFLOP a token", lambda row: number(row.train_flops_per_token / 1e6, 2)),
        *(
            Column(f"MFU, {plain(recipe.recipe)}", lambda row, of=recipe: percent(mfu(of, row.train_flops_per_token)))
            for recipe in recipes
        ),
    ]
    return Figure(
        f"MFU of {plain(recipes[-1].recipe)} by whose FLOPs: {percent(least)} to {percent(most)}",
        Got(
            "accounting/ladder.csv; accounting/models.csv",
            f"{len(own)} conventions that have a formula for the miniature; {len(recipes)} recipes",
            "the measured tokens/s of the table above x each convention's FLOPs a token / the same measured peak; "
            "those that count multi-token prediction or recomputation do not apply, for the ladder does neither",
            "the sequences are full, and an embedding that a convention counts weighs more in a miniature: how far "
            "the conventions are apart says nothing of V4",
        ),
        table=table(own, columns),
        folded=True,
    )


def peak(run: Run) -> Figure:
    document = run.documents["peak"]
    best = document["peak_tflops"]
    frame = pd.DataFrame(document["measurements"])
    columns = [
        Column("dtype", lambda row: row.dtype, "text"),
        Column("rows x inner x columns", lambda row: " x ".join(map(str, row.shape)), "text"),
        Column("median, TFLOP/s", lambda row: number(row.median_tflops, 3)),
        Column("range", lambda row: span(min(row.tflops), max(row.tflops), 3)),
        Column("is the peak", lambda row: "yes" if row.median_tflops == best[row.dtype] else "", "text"),
    ]
    summary = ", ".join(f"{dtype} {value:.3f} TFLOP/s" for dtype, value in best.items())
    return Figure(
        f"Measured peak: {summary}",
        Got(
            "accounting/peak.json",
            f"{len(frame)} shapes and dtypes, {len(frame['tflops'].iloc[0])} repetitions each, "
            f"{document['threads']} threads",
            "dense matrix products after warm-up, shapes taking turns; a dtype's peak is its best median",
            "what large plain products reach here and now, not the processor's data sheet; other load on the machine "
            "lowers it and raises every MFU",
        ),
        table=table(frame, columns),
        folded=True,
    )
