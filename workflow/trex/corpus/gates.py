"""The gates of a fine-tuning sample: what must hold for it to be trusted, and what a reader should look at.

Each gate is a function of the evidence on one row. It returns None where it does not apply or nothing can be decided,
'' where the row holds, else what is wrong, in one line. The gates of severity FAILURE reject a row; those of severity
WARNING are only reported. TEXT_GATES need the texts alone, EXECUTION_GATES what became of the code; duplicates need the
other rows (trex.corpus.duplicates).

A row that passes all of them is not thereby right: no gate reads the problem. That the model is the one which the text
describes is shown by none; `unused_numbers` and `unexplained_numbers` are hints, no more.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from trex.corpus import quantities
from trex.corpus.foreign import FILE_NAME, Row
from trex.execution import extraction
from trex.execution.sandbox import Execution
from trex.problems import verify
from trex.problems.ir import Model
from trex.problems.solution import ERROR, INFEASIBLE, LIMIT, OPTIMAL, UNBOUNDED, Solution

FAILURE, WARNING = "failure", "warning"
MODES = ("DP", "DT", "DPS")
CODE_ONLY, MODEL_ONLY, WITH_MODEL = "code_only", "math_model", "math_model_with_code"
STYLES = (CODE_ONLY, MODEL_ONLY, WITH_MODEL)
DIALOGUE = ("user", "assistant")
STATED_TOLERANCE = 1e-4  # of the larger of 1 and the optimum: the authors' tolerance for objectives
SHOWN = 6  # numbers that a finding lists


@dataclass(frozen=True)
class Evidence:
    """What is known of a row. code: of its answer, '' without; the rest: None where there is no code to run.

    verdict: two solvers' on the model; solution: one solver's, where they came to no verdict.
    """

    row: Row
    code: str = ""
    execution: Execution | None = None
    verdict: verify.Verdict | None = None
    solution: Solution | None = None

    @property
    def model(self) -> Model | None:
        return None if self.execution is None else self.execution.model

    @property
    def optimum(self) -> float | None:
        if self.solution is not None:
            return self.solution.objective
        return None if self.verdict is None else self.verdict.objective

    @property
    def reasoning(self) -> str:
        """The answer without its code."""
        return without_code(self.row.answer, self.code)


@dataclass(frozen=True)
class Gate:
    """check: of the evidence on a row; its docstring says how it is decided and what it does not show."""

    name: str
    severity: str
    check: Callable[[Evidence], str | None]


@dataclass(frozen=True)
class Finding:
    gate: str
    severity: str
    text: str


# ---------------------------------------------------------------- what stands in the texts


def two_messages(evidence: Evidence) -> str | None:
    """One user message and one assistant message, after at most one system message (the authors' format gate)."""
    roles = evidence.row.roles
    talk = roles[1:] if roles[:1] == ("system",) else roles
    return "" if talk == DIALOGUE else f"the roles are {', '.join(roles)}"


def non_empty(evidence: Evidence) -> str | None:
    """Problem and answer hold more than spaces."""
    texts = {"the problem": evidence.row.prompt, "the answer": evidence.row.answer}
    empty = [name for name, text in texts.items() if not text.strip()]
    return f"{' and '.join(empty)} is empty" if empty else ""


def known_metadata(evidence: Evidence) -> str | None:
    """mode and answer_style, where given, are values that the other gates know; of others they ask nothing."""
    row = evidence.row
    if not row.mode and not row.style:
        return None
    wrong = []
    if row.mode and row.mode not in MODES:
        wrong.append(f"mode {row.mode!r:.40} is none of {', '.join(MODES)}")
    if row.style and row.style not in STYLES:
        wrong.append(f"answer_style {row.style!r:.40} is none of {', '.join(STYLES)}")
    return "; ".join(wrong)


PLACEHOLDERS = re.compile(
    r"""\b(?:TODO|FIXME|TBD|XXX)\b
    |(?i:\blorem\ ipsum\b)
    |\[\s*(?i:insert|your|fill|add|placeholder)\b[^\]\n]{0,60}\]
    |<\s*(?i:insert|your|fill|add|placeholder)\b[^<>\n]{0,60}>
    |<\.\.\.>|(?<!\w)\[\.\.\.\]
    |(?<![\\\w{}^_'"]){{\ ?[a-z_]+\ ?}}
    |\[object\ Object\]""",
    re.VERBOSE,
)
UNFINISHED_LINE = re.compile(
    r"^[ \t]*(?:#[ \t]*)?(?:\.\.\.|\u2026)[ \t]*$"
    r"|#[^\n]{0,80}\b(?i:your code|rest of the|remaining constraints|same as above|and so on|to be completed)\b",
    re.MULTILINE,
)


def no_placeholders(evidence: Evidence) -> str | None:
    """No text that waits to be filled in, and no answer that breaks off.

    By patterns: TODO, FIXME, TBD, XXX, lorem ipsum, [insert ...], <your ...>, <...>, [...], {{name}}; a line that is
    `...` alone, a comment such as "rest of the constraints"; an answer that ends in `...`, with an open code block or
    an open <tag>. Dots within a formula (x_1, ..., x_n) are none. It does not show that an answer is complete.
    """
    row = evidence.row
    for name, text in (("problem", row.prompt), ("answer", row.answer)):
        if found := PLACEHOLDERS.search(text):
            return f"{name}: {found.group()!r:.60}"
    if found := UNFINISHED_LINE.search(row.answer):
        return f"answer: {found.group().strip()!r:.60}"
    if row.answer.rstrip().endswith(("...", "\u2026")):
        return "the answer ends in dots"
    return unclosed(row.answer)


def unclosed(answer: str) -> str:
    fences = sum(line.strip().startswith(extraction.FENCE) for line in answer.splitlines())
    if fences % 2:
        return "a code block of the answer is not closed"
    for tag in ("think", "model", "python"):
        if answer.count(f"<{tag}>") > answer.count(f"</{tag}>"):
            return f"<{tag}> of the answer is not closed"
    return ""


STRAY = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]")
OTHER_SCRIPT = re.compile(r"[\u0400-\u06ff\u0900-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
FEW = 0.02  # of the letters


def stray_characters(evidence: Evidence) -> str | None:
    """No control or replacement characters, and no few letters of another script in a text of Latin letters.

    A warning: such a letter is mostly left from a broken encoding or a slip of a model, but it may be a name.
    """
    for name, text in (("problem", evidence.row.prompt), ("answer", evidence.row.answer)):
        found, other = STRAY.search(text), OTHER_SCRIPT.findall(text)
        few = len(other) <= FEW * sum(map(str.isalpha, text))
        if found or (other and few):
            place = found or OTHER_SCRIPT.search(text)
            around = text[max(0, place.start() - 15) : place.end() + 15]
            return f"{name}: U+{ord(place.group()):04X} in {around!r}"
    return ""


def real_table(evidence: Evidence) -> str | None:
    """A DT problem has a Markdown table: a header, a separator, at least one row of data, as many cells in each.

    A second table that is not well formed is told too. Tables in HTML or drawn with +---+ are not seen.
    """
    if evidence.row.mode != "DT":
        return None
    faults = [table_fault(block) for block in tables(evidence.row.prompt)]
    if not faults:
        return "the problem has no table (header, separator, rows)"
    return next(filter(None, faults), "")


SEPARATOR = re.compile(r"[|:\s-]*-[|:\s-]*")


def tables(text: str) -> Iterator[list[str]]:
    """Runs of lines with `|` of which one is a separator."""
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        if "|" in line:
            block.append(line.strip())
            continue
        if any(SEPARATOR.fullmatch(row) for row in block):
            yield block
        block = []


def table_fault(block: list[str]) -> str:
    if not SEPARATOR.fullmatch(block[1] if len(block) > 1 else ""):
        return "the separator of a table is not its second line"
    if len(block) < 3:
        return "a table has no row of data"
    counts = [len(cells(line)) for line in block]
    for number, count in enumerate(counts[1:], start=1):
        if count != counts[0]:
            return f"a table has {counts[0]} columns, its line {number + 1} has {count} cells"
    return ""


def cells(line: str) -> list[str]:
    inner = line.replace(r"\|", " ").removeprefix("|").removesuffix("|")
    return inner.split("|")


def data_files(evidence: Evidence) -> str | None:
    """A DPS problem has its data as files: attached, or as a fenced block under a heading that names the file.

    Files are not looked into; the code that reads them shows whether they can be read.
    """
    if evidence.row.mode != "DPS":
        return None
    return "" if evidence.row.files else "no attached file, and no block under a heading that names a file"


def reads_data(evidence: Evidence) -> str | None:
    """The code of a problem with files names one of them. It does not show that all of them are used."""
    files = evidence.row.files
    if not files or not evidence.code:
        return None
    named = {name.rpartition("/")[2] for name in files}
    if named & {name.rpartition("/")[2] for name in FILE_NAME.findall(evidence.code)}:
        return ""
    return f"the code names none of the files {', '.join(sorted(named))}: its data are typed in"


def holds_code(evidence: Evidence) -> str | None:
    """An answer whose style asks for code has some, by the extraction rules of scoring (trex.execution.extraction)."""
    if evidence.row.style not in (CODE_ONLY, WITH_MODEL):
        return None
    return "" if evidence.code else f"answer_style {evidence.row.style}, but no code is found"


STATEMENT = re.compile(r"^[ \t]*(?:import|from)[ \t]+\w", re.MULTILINE)


def code_of(answer: str) -> str:
    """The code of an answer, '' where what extraction finds is not tagged as Python and imports nothing."""
    found = extraction.code(answer)
    tagged = any(tag in extraction.PYTHON_TAGS for tag, _ in extraction.fenced_blocks(answer))
    return found if tagged or extraction.tagged_blocks(answer) or STATEMENT.search(found) else ""


def without_code(answer: str, code: str) -> str:
    """The prose of an answer: without fenced blocks, <python> blocks, and '' where all of it is code."""
    if code and code == answer:
        return ""
    lines, inside = [], False
    for line in answer.splitlines():
        if line.strip().startswith(extraction.FENCE):
            inside = not inside
        elif not inside:
            lines.append(line)
    parts = "\n".join(lines).split(extraction.OPENING)
    return "\n".join([parts[0], *(part.partition(extraction.CLOSING)[2] for part in parts[1:])])


# ---------------------------------------------------------------- what the code does

MISSING = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")


def decidable_here(evidence: Evidence) -> str | None:
    """The code can be judged on this machine: its libraries are installed, and our form of models covers its model.

    Where not, it may be right all the same: the gates below do not apply.
    """
    execution = evidence.execution
    if execution is None:
        return None
    if execution.status == "unsupported":
        return f"not covered: {execution.detail}"
    if missing := MISSING.search(execution.detail):
        return f"the library {missing.group(1)} is not installed here"
    return ""


def executes(evidence: Evidence) -> str | None:
    """The code runs to its end in the sandbox (limits on time, memory and files; no network), with the row's files."""
    if evidence.execution is None or decidable_here(evidence):
        return None
    status, detail = evidence.execution.status, evidence.execution.detail
    return "" if status in ("ok", "no_model") else f"{status}: {detail}"


def builds_model(evidence: Evidence) -> str | None:
    """It builds a model object of a known library with a row or an objective; what it prints counts nothing."""
    if executes(evidence) != "":
        return None
    return "" if evidence.model is not None else evidence.execution.detail


DISAGREEMENTS = (
    verify.SOLVERS_DISAGREE,
    verify.INFEASIBLE_BY_ARITHMETIC,
    verify.FRACTIONAL,
    verify.OBJECTIVE_MISMATCH,
)
UNDECIDED = (LIMIT, verify.SOLVER_ERROR)
NO_OPTIMUM = (INFEASIBLE, UNBOUNDED)


def has_optimum(evidence: Evidence) -> str | None:
    """The model, solved here, has an optimum; else its status is told. Not decided where a solver found no end."""
    if evidence.verdict is None or evidence.verdict.reason in (verify.SOLVERS_DISAGREE, *UNDECIDED):
        solution = evidence.solution
        if solution is None or solution.status in (LIMIT, ERROR):
            return None
        return "" if solution.status == OPTIMAL else f"the model is {solution.status}"
    return f"the model is {evidence.verdict.reason}" if evidence.verdict.reason in NO_OPTIMUM else ""


def solved_in_time(evidence: Evidence) -> str | None:
    """Two solvers came to an end within the time limit; not so for nonlinear models, which only one of ours takes."""
    if evidence.verdict is None:
        return None
    reason = evidence.verdict.reason
    return f"{reason}: {evidence.verdict.detail}" if reason in UNDECIDED else ""


def solvers_agree(evidence: Evidence) -> str | None:
    """Two independent solvers have the same optimum, and our arithmetic on their solutions finds no fault.

    Tolerances are those of trex.problems.verify. It does not show that the model is the problem's; and where they
    disagree, a solver may be at fault and not the row (HiGHS 1.16 was, on one of 10,000 small knapsacks).
    """
    if evidence.verdict is None or evidence.verdict.reason in (*UNDECIDED, *NO_OPTIMUM):
        return None
    reason, detail = evidence.verdict.reason, evidence.verdict.detail
    return ": ".join(filter(None, (reason, detail))) if reason in DISAGREEMENTS else ""


def clear_optimum(evidence: Evidence) -> str | None:
    """The optimum tells right from wrong: it is not 0, doing nothing does not reach it, the rows have a say in it.

    By the reasons of trex.problems.verify, which has some more. A warning: such a sample may be right, but a wrong
    model would come to the same.
    """
    if evidence.verdict is None or evidence.verdict.reason in (*UNDECIDED, *NO_OPTIMUM, *DISAGREEMENTS):
        return None
    reason, detail = evidence.verdict.reason, evidence.verdict.detail
    return "" if reason == verify.ACCEPTED else ": ".join(filter(None, (reason, detail)))


def stated_objective(evidence: Evidence) -> str | None:
    """The last objective value that the answer states outside its code is the solver's.

    Stated is a number behind "optimal value", "optimal cost", "objective value", "optimum" or the like and `=`, `:`,
    `is`, `of`, or in \\boxed{}. Within 1e-4 of the larger of 1 and the optimum, or half a unit of the last decimal that
    is written. A percentage may mean either reading. Not applied where none is stated or there is no optimum.
    """
    optimum = evidence.optimum
    if optimum is None or (stated := quantities.stated_objective(evidence.reasoning)) is None:
        return None
    tolerance = max(STATED_TOLERANCE * max(1.0, abs(optimum)), stated.rounding)
    if any(abs(float(reading) - optimum) <= tolerance for reading in stated.readings):
        return ""
    return f"states {float(stated.value):g}, the optimum is {optimum:.10g}"


# ---------------------------------------------------------------- numbers


def unexplained_numbers(evidence: Evidence) -> str | None:
    """Each number of the reasoning stands in the problem or its files, or follows.

    A number follows when it is the optimum, two earlier numbers under + - * /, or the sum of neighbouring numbers of
    the problem (or of every second or third), exactly or as rounded; what follows may be used in turn. 0 to 2, 100, and
    labels (`Table 3`, numbered points) are not asked for. A warning: with many numbers about, a wrong one is likely to
    follow by chance, and a right one may need more steps than these.
    """
    if not evidence.reasoning.strip():
        return None
    asked = quantities.found(evidence.reasoning)
    given = [*problem_numbers(evidence), *([] if evidence.optimum is None else [evidence.optimum])]
    return told(quantities.unexplained(asked, given), asked, "numbers of the reasoning do not follow")


def unused_numbers(evidence: Evidence) -> str | None:
    """Each number of the problem's text and files stands in the model that was built, or follows into it.

    It follows where the model has its value combined with another number of the problem, or with a conversion of units
    (60, 24, 1000, ...), by + - * /. 0 to 2, 100, labels and counts in words (`three products`) are not asked for. A
    warning: distractors are unused on purpose, longer calculations are not seen, identifiers in data files count as
    numbers, and a number can be in the model by chance: of numbers changed at random about half are told.
    """
    if evidence.model is None:
        return None
    numbers = problem_numbers(evidence)
    asked, model = quantities.found(evidence.row.prompt), evidence.model
    sizes = (len(model.variables), len(model.rows))
    unused = quantities.unused(asked, numbers, quantities.of_model(model), sizes)
    return told(unused, asked, "numbers of the problem are not in the model")


def problem_numbers(evidence: Evidence) -> list[float]:
    texts = [evidence.row.system, evidence.row.prompt]
    texts += [f"```\n{text}\n```" for text in evidence.row.files.values() if text.strip() not in evidence.row.prompt]
    return [float(value) for text in texts for numeral in quantities.found(text) for value in numeral.readings]


def told(wrong: list[str], asked: list, what: str) -> str:
    if not wrong:
        return ""
    shown = ", ".join(wrong[:SHOWN]) + (", ..." if len(wrong) > SHOWN else "")
    return f"{len(wrong)} of {len(asked)} {what}: {shown}"


# ---------------------------------------------------------------- the tables

TEXT_GATES = (
    Gate("two_messages", FAILURE, two_messages),
    Gate("non_empty", FAILURE, non_empty),
    Gate("known_metadata", WARNING, known_metadata),
    Gate("no_placeholders", FAILURE, no_placeholders),
    Gate("stray_characters", WARNING, stray_characters),
    Gate("real_table", FAILURE, real_table),
    Gate("data_files", FAILURE, data_files),
    Gate("holds_code", FAILURE, holds_code),
    Gate("reads_data", WARNING, reads_data),
)
EXECUTION_GATES = (
    Gate("decidable_here", WARNING, decidable_here),
    Gate("executes", FAILURE, executes),
    Gate("builds_model", FAILURE, builds_model),
    Gate("has_optimum", FAILURE, has_optimum),
    Gate("solved_in_time", WARNING, solved_in_time),
    Gate("solvers_agree", FAILURE, solvers_agree),
    Gate("clear_optimum", WARNING, clear_optimum),
    Gate("stated_objective", FAILURE, stated_objective),
    Gate("unexplained_numbers", WARNING, unexplained_numbers),
    Gate("unused_numbers", WARNING, unused_numbers),
)


def checked(evidence: Evidence, gates: tuple[Gate, ...] = TEXT_GATES) -> tuple[list[str], list[Finding]]:
    """The names of the gates that applied, and what they found."""
    results = [(gate, gate.check(evidence)) for gate in gates]
    applied = [gate.name for gate, text in results if text is not None]
    return applied, [Finding(gate.name, gate.severity, text) for gate, text in results if text]
