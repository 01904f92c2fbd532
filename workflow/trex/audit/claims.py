"""Hold the paper's public claims (config/paper.yaml) against what this run measured.

Writes audit/claims.csv, one row a claim and suite. How a claim is held against the run is its `measure.kind`:

- pass_rate: Pass@1 of one arm on our own suites; other benchmarks and another model, so never comparable.
- arms: difference of Pass@1 of two arms in points, paired over items (McNemar; from comparisons.csv). For one category
  of a suite it comes from pass_at_1.csv by Newcombe's interval for two independent shares, which ignores the pairing
  and is therefore wide.
- speedup: ratio of tokens/s of two recipes of the ladder, with the spread over repetitions that took turns (a range,
  no confidence interval).
- mfu: our MFU beside theirs; other hardware, so never comparable.
- weights: share of weight tensors that differ between two checkpoints.
- steps: share of training steps of all arms with a finite loss.
- draws: share of drawn instances that the two solvers and our arithmetic accepted.
- arithmetic: public numbers against each other (trex.audit.arithmetic).
- none: nothing here can speak to it.

The rules of the verdicts are in trex.audit.verdicts. Each training comparison rests on one seed: its interval covers
the choice of test items, not the luck of training.
"""

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from safetensors import SafetensorError, safe_open
from statsmodels.stats.proportion import confint_proportions_2indep

from trex.accounting import hardware
from trex.audit import arithmetic, verdicts
from trex.common import cli, files, provenance
from trex.common.errors import UserError
from trex.evaluation.summarise import ALL

NAN = math.nan
BUFFERS = (".bias", ".table")  # of the routers: moved by rule or fixed, never by gradients
CLAIM_KEYS = {"id", "claim", "source", "value", "unit", "measure"}
ONE_SEED = "one seed: descriptive"
COLUMNS = (
    "id",
    "claim",
    "source",
    "paper_value",
    "our_value",
    "ci_low",
    "ci_high",
    "method",
    "verdict",
    "caveat",
    "unit",
    "url",
)


@dataclasses.dataclass(frozen=True)
class Finding:
    """Our side of one claim, in the claim's unit; suite: which suite, where a claim is held against several."""

    our_value: float
    ci_low: float
    ci_high: float
    method: str
    verdict: str
    caveat: str
    suite: str = ""


@dataclasses.dataclass(frozen=True)
class Evidence:
    """What the run measured; metrics: one list of records an arm; weights: checkpoint files before and after."""

    record: dict
    pass_at_1: pd.DataFrame
    comparisons: pd.DataFrame
    ladder: pd.DataFrame
    metrics: list[list[dict]]
    weights: tuple[Path, Path]
    counts: list[dict]


def not_measured(why: str, suite: str = "") -> Finding:
    return Finding(NAN, NAN, NAN, "not measured", verdicts.NOT_MEASURED, why, suite)


def pass_rate(claim: dict, evidence: Evidence) -> list[Finding]:
    findings = []
    for suite in claim["measure"]["suites"]:
        row = share(evidence.pass_at_1, claim["measure"]["arm"], suite, ALL)
        if row is None:
            findings.append(not_measured("suite not evaluated", suite))
            continue
        findings.append(
            Finding(
                100 * row.pass_at_1,
                100 * row.ci_low,
                100 * row.ci_high,
                f"Pass@1 on {suite}, n = {row.n}, 95 % interval ({row.interval})",
                verdicts.NOT_COMPARABLE,
                "miniature on its own suite: other model, other problems",
                suite,
            )
        )
    return findings


def share(pass_at_1: pd.DataFrame, arm: str, suite: str, category: str):
    """The row of pass_at_1.csv by the deciding criterion on the full set of items, which stands first; or None."""
    named = (pass_at_1["arm"] == arm) & (pass_at_1["suite"] == suite) & (pass_at_1["category"] == category)
    return next(pass_at_1[named].itertuples(), None)


def arms(claim: dict, evidence: Evidence) -> list[Finding]:
    measure = claim["measure"]
    findings = []
    for suite in measure["suites"]:
        # A public benchmark is one category as a whole.
        whole = "category" not in measure or measure["category"] not in set(
            evidence.pass_at_1.loc[evidence.pass_at_1["suite"] == suite, "category"]
        )
        finding = paired(measure, suite, evidence) if whole else unpaired(measure, suite, evidence)
        findings.append(finding or not_measured("suite not evaluated in this run", suite))
    return findings


def paired(measure: dict, suite: str, evidence: Evidence) -> Finding | None:
    """From comparisons.csv, whichever way round the arms stand there."""
    frame = evidence.comparisons[evidence.comparisons["suite"] == suite]
    for first, second, sign in ((measure["better"], measure["worse"], 1), (measure["worse"], measure["better"], -1)):
        row = next(frame[(frame["arm_a"] == first) & (frame["arm_b"] == second)].itertuples(), None)
        if row is None:
            continue
        low, high = sorted((sign * row.ci_low, sign * row.ci_high))
        verdict = verdicts.direction(low, high, 0.0, row.p_holm)
        method = (
            f"paired difference on {suite}, n = {row.n}; {row.test}, p = {row.p_value:.3g}, Holm p = {row.p_holm:.3g}"
        )
        return Finding(100 * sign * row.difference, 100 * low, 100 * high, method, verdict, ONE_SEED, suite)
    return None


def unpaired(measure: dict, suite: str, evidence: Evidence) -> Finding | None:
    """Newcombe's interval from the counts of one category in pass_at_1.csv."""
    rows = [share(evidence.pass_at_1, measure[side], suite, measure["category"]) for side in ("better", "worse")]
    if None in rows or 0 in (rows[0].n, rows[1].n):
        return None
    better, worse = rows
    low, high = confint_proportions_2indep(better.passed, better.n, worse.passed, worse.n, method="newcomb")
    method = (
        f"difference in category {measure['category']} of {suite}, n = {better.n}; Newcombe interval, pairing ignored"
    )
    return Finding(
        100 * (better.pass_at_1 - worse.pass_at_1),
        100 * low,
        100 * high,
        method,
        verdicts.direction(low, high, 0.0),
        f"{ONE_SEED}; our category stands in for the benchmark",
        suite,
    )


def rung(ladder: pd.DataFrame, name: str):
    """The row of a recipe; `last` is the last rung of the ladder. None where it was not measured."""
    found = ladder.tail(1) if name == "last" else ladder[ladder["recipe"] == name]
    return next(found.itertuples(), None)


def speedup(claim: dict, evidence: Evidence) -> list[Finding]:
    fast, slow = (rung(evidence.ladder, claim["measure"][key]) for key in ("recipe", "over"))
    if fast is None or slow is None or fast.recipe == slow.recipe:
        return [not_measured("the ladder of this run has no such rung")]
    low, high = fast.speedup_min / slow.speedup_max, fast.speedup_max / slow.speedup_min
    method = (
        f"{fast.recipe} / {slow.recipe}, tokens/s of {fast.precision} training in turns; "
        f"range over {fast.repetitions} repetitions, no confidence interval"
    )
    return [
        Finding(
            fast.speedup / slow.speedup,
            low,
            high,
            method,
            verdicts.faster(low, high, min(fast.repetitions, slow.repetitions)),
            f"miniature on one CPU; our last rung is {fast.recipe}, not the paper's recipe; "
            f"{slow.recipe} is as shipped, not tuned",
        )
    ]


def mfu(claim: dict, evidence: Evidence) -> list[Finding]:
    row = rung(evidence.ladder, claim["measure"]["recipe"])
    if row is None:
        return [not_measured("the ladder of this run has no such rung")]
    per_rate = 100 * row.mfu / row.tokens_per_second
    formula = f"tokens/s x FLOPs a token by {row.convention} / measured peak {row.peak_tflops:.3f} TFLOP/s"
    return [
        Finding(
            100 * row.mfu,
            per_rate * row.tokens_per_second_min,
            per_rate * row.tokens_per_second_max,
            f"{row.recipe}, {row.precision}: {formula}; range over repetitions",
            verdicts.NOT_COMPARABLE,
            "another machine, model size and precision; the paper states neither its FLOPs formula nor its peak",
        )
    ]


def weights(claim: dict, evidence: Evidence) -> list[Finding]:
    before, after = evidence.weights
    changed, elements, total = [], 0, 0
    try:
        with safe_open(before, "numpy") as old, safe_open(after, "numpy") as new:
            for name in old.keys():  # noqa: SIM118 - a safetensors file is no dictionary
                if name.endswith(BUFFERS):
                    continue
                different = old.get_tensor(name) != new.get_tensor(name)
                changed.append(bool(different.any()))
                elements, total = elements + int(np.count_nonzero(different)), total + different.size
    except (OSError, SafetensorError) as error:
        raise UserError(f"{before}, {after}: cannot compare weights ({error}); train these arms again") from error
    value = sum(changed) / len(changed)
    method = f"{before.parent.name} against {after.parent.name}: {sum(changed)} of {len(changed)} tensors changed"
    caveat = f"says what the miniature does; of single weights {elements / total:.2%} changed"
    return [Finding(100 * value, NAN, NAN, method, verdicts.in_miniature(value), caveat)]


def steps(claim: dict, evidence: Evidence) -> list[Finding]:
    losses = [record["loss"] for arm in evidence.metrics for record in arm if "loss" in record]
    if not losses:
        return [not_measured("no training metrics")]
    value = sum(math.isfinite(loss) for loss in losses) / len(losses)
    method = f"finite losses in {len(losses)} steps of {len(evidence.metrics)} arms"
    caveat = "miniature on one CPU: none of the risks of low precision or of many devices"
    return [Finding(100 * value, NAN, NAN, method, verdicts.in_miniature(value), caveat)]


def draws(claim: dict, evidence: Evidence) -> list[Finding]:
    accepted = sum(counts["draws"]["accepted"] for counts in evidence.counts)
    total = sum(sum(counts["draws"].values()) for counts in evidence.counts)
    method = f"{accepted} of {total} drawn instances of {len(evidence.counts)} families accepted by two solvers"
    caveat = "our generators draw instances that are meant to be feasible; theirs wrote text with a language model"
    return [Finding(100 * accepted / total, NAN, NAN, method, verdicts.NOT_COMPARABLE, caveat)]


def public_arithmetic(claim: dict, evidence: Evidence) -> list[Finding]:
    derived = arithmetic.DERIVATIONS[claim["measure"]["derivation"]](evidence.record)
    verdict = verdicts.arithmetic(
        derived.low, derived.high, claim["value"], claim["rounding"], assumes=bool(derived.assumptions)
    )
    caveat = derived.assumptions or "says that the record agrees with itself, not that it is right"
    return [Finding(derived.value, derived.low, derived.high, f"arithmetic: {derived.how}", verdict, caveat)]


def nothing(claim: dict, evidence: Evidence) -> list[Finding]:
    return [not_measured("outside what this run evaluates")]


MEASURES: dict[str, Callable[[dict, Evidence], list[Finding]]] = {
    "pass_rate": pass_rate,
    "arms": arms,
    "speedup": speedup,
    "mfu": mfu,
    "weights": weights,
    "steps": steps,
    "draws": draws,
    "arithmetic": public_arithmetic,
    "none": nothing,
}


def read_paper(path: str) -> dict:
    """config/paper.yaml, checked. Raises UserError with the claim and the mend."""
    try:
        paper = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise UserError(f"{path}: cannot be read ({' '.join(str(error).split())})") from error
    seen = set()
    for number, claim in enumerate(paper["claims"], start=1):
        place = f"{path}, claim {number} ({claim.get('id', 'no id')})"
        if missing := sorted(CLAIM_KEYS - claim.keys()):
            raise UserError(f"{place}: add {', '.join(missing)}")
        if claim["id"] in seen:
            raise UserError(f"{place}: this id stands twice; ids name rows")
        seen.add(claim["id"])
        check_known(place, "source", claim["source"], paper["sources"])
        check_known(place, "measure.kind", claim["measure"].get("kind"), MEASURES)
        if claim["measure"]["kind"] == "arithmetic":
            check_known(place, "measure.derivation", claim["measure"].get("derivation"), arithmetic.DERIVATIONS)
    return paper


def check_known(place: str, key: str, value: object, known: dict) -> None:
    if value not in known:
        raise UserError(f"{place}: {key} {value!r} is not known; allowed: {', '.join(known)}")


def audit(paper: dict, evidence: Evidence) -> pd.DataFrame:
    """The rows of claims.csv, in the order of config/paper.yaml."""
    rows = []
    for claim in paper["claims"]:
        findings = MEASURES[claim["measure"]["kind"]](claim, evidence)
        for finding in findings:
            suffix = f"@{finding.suite}" if len(findings) > 1 else ""
            rows.append(
                {
                    "id": claim["id"] + suffix,
                    "claim": claim["claim"],
                    "source": paper["sources"][claim["source"]]["title"],
                    "paper_value": claim["value"],
                    "our_value": finding.our_value,
                    "ci_low": finding.ci_low,
                    "ci_high": finding.ci_high,
                    "method": finding.method,
                    "verdict": finding.verdict,
                    "caveat": "; ".join(filter(None, (finding.caveat, claim.get("caveat")))),
                    "unit": claim["unit"],
                    "url": paper["sources"][claim["source"]]["url"],
                }
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def main() -> None:
    parser = cli.parser(__doc__)
    parser.add_argument("--paper", required=True, help="config/paper.yaml")
    parser.add_argument("--pass-at-1", required=True, help="evaluation/pass_at_1.csv")
    parser.add_argument("--comparisons", required=True, help="evaluation/comparisons.csv")
    parser.add_argument("--ladder", required=True, help="accounting/ladder.csv")
    parser.add_argument("--metrics", nargs="+", required=True, help="models/<arm>/metrics.jsonl of all arms")
    parser.add_argument("--weights-before", type=Path, required=True, help="model.safetensors of the base arm")
    parser.add_argument("--weights-after", type=Path, required=True, help="model.safetensors after CPT and SFT")
    parser.add_argument("--counts", nargs="+", required=True, help="instances/<family>.counts.json of all families")
    parser.add_argument("--out", required=True, help="audit/claims.csv")
    arguments = parser.parse_args()
    paper = read_paper(arguments.paper)
    evidence = Evidence(
        record=paper["record"],
        pass_at_1=files.read_csv(arguments.pass_at_1),
        comparisons=files.read_csv(arguments.comparisons),
        ladder=files.read_csv(arguments.ladder),
        metrics=[files.read_jsonl(path) for path in arguments.metrics],
        weights=(arguments.weights_before, arguments.weights_after),
        counts=[files.read_json(path) for path in arguments.counts],
    )
    frame = audit(paper, evidence)
    named = {name: getattr(arguments, name) for name in ("paper", "pass_at_1", "comparisons", "ladder")}
    named |= {f"metrics_{number}": path for number, path in enumerate(arguments.metrics)}
    named |= {f"counts_{number}": path for number, path in enumerate(arguments.counts)}
    named |= {"weights_before": arguments.weights_before, "weights_after": arguments.weights_after}
    named["hardware"] = hardware.FILE
    files.write_csv(arguments.out, frame, provenance.provenance("trex.audit.claims", {}, named))
    counted = frame["verdict"].value_counts()
    print(f"claims: {len(frame)} rows; " + ", ".join(f"{count} {verdict}" for verdict, count in counted.items()))


if __name__ == "__main__":
    cli.run(main)
