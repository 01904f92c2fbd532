"""Sections on training and what it costs the machine: loss curves, balance of experts, MFU and the ladder, sizes."""

import pandas as pd
from markupsafe import Markup

from trex.accounting.counting.conventions import EXACT, EXACT_WITH_MTP
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
    return Section(
        "speed", "Speed", "MFU is not a cost number: it divides by a peak that must be named.", [figure, peak(run)]
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
            "accounting/models.csv",
            f"{len(exact)} rows",
            "exact formulas of the architecture; attention counts the pairs that the masks let through; training is "
            "three times forward; active leaves out the experts that a token is not sent to",
            "norms, softmax, Sinkhorn iterations, the optimizer and recomputation are not counted; others count "
            "differently (next table)",
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


def by_convention(models: pd.DataFrame) -> Figure:
    """What others count of the same models, beside the exact count without multi-token prediction."""
    keys = ["model", "sequence_length"]
    exact = models[models["convention"] == EXACT].set_index(keys)["train_flops_per_token"]
    frame = models.join(exact.rename("exact"), on=keys)
    frame["more"] = 100 * (frame["train_flops_per_token"] / frame["exact"] - 1)
    columns = [
        Column("model", lambda row: plain(row.model), "text"),
        Column("sequence length", lambda row: integer(row.sequence_length)),
        Column("convention", lambda row: plain(row.convention), "text"),
        Column("training GFLOP a token", lambda row: number(row.train_flops_per_token / 1e9, 4)),
        Column("against exact", lambda row: f"{row.more:+.1f} %"),
    ]
    for_mfu = frame[~frame["convention"].str.contains("recomputation")]["more"]
    return Figure(
        f"The same models by other conventions: {for_mfu.min():+.1f} to {for_mfu.max():+.1f} % of the exact count",
        Got(
            "accounting/models.csv",
            f"{len(frame)} rows",
            "each framework's own formula, derived term by term from its source "
            "(trex.accounting.counting.conventions); exact without multi-token prediction is 0 %",
            "an MFU moves by as much with the convention; recomputation counts for HFU alone and is not in the range",
        ),
        table=table(frame, columns),
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
