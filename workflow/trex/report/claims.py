"""The section on the paper's claims."""

from trex.audit import verdicts
from trex.report.load import Run
from trex.report.parts import NO_VALUE, Column, Figure, Got, Section, is_missing, span, table


def claims(run: Run) -> Section:
    """In three tables: what the run has a number for, public numbers among themselves, what was not measured."""
    frame = run.tables["claims"]
    by_arithmetic = frame["method"].str.startswith("arithmetic")
    missing = frame["verdict"] == verdicts.NOT_MEASURED
    figures = [
        Figure(
            "Claims beside what the miniature measured",
            Got(
                "audit/claims.csv",
                f"{sum(~by_arithmetic & ~missing)} rows of claim and suite",
                "a direction is given only where the interval excludes no effect; all rules stand in "
                "trex/audit/verdicts.py",
                "the miniature is many orders of magnitude smaller, on another machine, with other data: the same "
                "direction is no confirmation, another direction no contradiction of the paper",
            ),
            table=table(frame[~by_arithmetic & ~missing], claim_columns("ours")),
        ),
        Figure(
            "Public numbers against each other",
            Got(
                "audit/claims.csv",
                f"{sum(by_arithmetic)} rows; nothing of this run enters",
                "arithmetic on the printed values; the range is what their last digits allow",
                "that numbers agree with each other does not make them right",
            ),
            table=table(frame[by_arithmetic], claim_columns("derived")),
        ),
        Figure(
            "Claims that this run cannot speak to",
            Got("audit/claims.csv", f"{sum(missing)} rows", "listed, so that none is left out", "anything about them"),
            table=table(frame[missing], claim_columns("")[:2]),
        ),
    ]
    lead = (
        "Of the paper were read its abstract, figure 1, website and repository, and press reports; its body was not. "
        "Every verdict speaks of the miniature or of the public record."
    )
    return Section("claims", "The paper's claims", lead, figures)


def claim_columns(ours: str) -> list[Column]:
    return [
        Column("claim", lambda row: row.claim, "text", lambda row: claim_detail(row)),
        Column(
            "published",
            lambda row: with_unit(row.paper_value, row.unit, f"{row.paper_value:g}"),
            detail=lambda row: row.source.removeprefix("SLAI T-Rex, "),
            href=lambda row: row.url,
        ),
        Column(
            ours,
            lambda row: with_unit(row.our_value, row.unit, f"{row.our_value:{'+' if row.unit == 'points' else ''}.2f}"),
            detail=lambda row: span(row.ci_low, row.ci_high, 2, sign=row.unit == "points"),
        ),
        Column("verdict", lambda row: row.verdict, "verdict"),
    ]


def with_unit(value: float, unit: str, text: str) -> str:
    """Percentages lose what they are of: the claim says it."""
    return NO_VALUE if is_missing(value) else f"{text} {unit.split(' ')[0]}"


def claim_detail(row) -> str:
    """Method and caveat as sentences; of a claim without a number the caveat alone, which says why."""
    texts = (row.caveat,) if row.verdict == verdicts.NOT_MEASURED else (row.method, row.caveat)
    return " ".join(f"{sentence(text)}." for text in texts)


def sentence(text: str) -> str:
    """With a capital, but for a name of the code."""
    return text if "_" in text.split()[0] else text[0].upper() + text[1:]
