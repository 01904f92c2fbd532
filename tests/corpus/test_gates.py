import dataclasses

import pytest

from trex.corpus import gates, quantities
from trex.corpus.foreign import Row
from trex.corpus.gates import Evidence
from trex.execution.sandbox import Execution
from trex.problems.ir import Model
from trex.problems.solution import Solution
from trex.problems.verify import Verdict

TABLE = "Costs:\n| item | cost |\n|------|-----:|\n| nuts | 4 |\n| bolts | 7 |\n"


def evidence(answer="x", prompt="Pack 30 boxes.", **changes) -> Evidence:
    of_row = {name: changes.pop(name) for name in list(changes) if name in Row.__dataclass_fields__}
    code = changes.pop("code", gates.code_of(answer))
    return Evidence(Row(1, prompt, answer, **of_row), code, **changes)


def model() -> Model:
    """max 3x + 2y + 5, 2x + y <= 10, x <= 4: 25."""
    built = Model()
    x, y = built.add_variable("x", "integer", 0, 4), built.add_variable("y")
    built.add_row({x: 2, y: 1}, ub=10)
    built.set_objective("max", {x: 3, y: 2}, 5)
    return built


def solved(answer="", objective=25.0, reason="accepted", **changes) -> Evidence:
    execution = Execution("ok", model(), "", "mathopt")
    return evidence(answer, execution=execution, verdict=Verdict(reason, objective), **changes)


def check(gate, cases):
    for given, expected in cases:
        found = gate(given)
        assert found == expected if not expected else expected in found, given


def test_two_messages():
    check(gates.two_messages, [
        (evidence(), ""),
        (evidence(roles=("system", "user", "assistant")), ""),
        (evidence(roles=("user",)), "the roles are user"),
        (evidence(roles=("user", "assistant", "user", "assistant")), "the roles are"),
        (evidence(roles=("assistant", "user")), "the roles are"),
        (evidence(roles=("system", "system", "user", "assistant")), "the roles are"),
    ])  # fmt: skip


def test_non_empty():
    check(gates.non_empty, [
        (evidence(), ""), (evidence(answer=" \n"), "the answer is"), (evidence("", ""), "the problem and the answer"),
    ])  # fmt: skip


def test_known_metadata():
    check(gates.known_metadata, [
        (evidence(), None),
        (evidence(mode="DP", style="code_only"), ""),
        (evidence(mode="XY"), "mode 'XY'"),
        (evidence(style="prose"), "answer_style 'prose'"),
    ])  # fmt: skip


@pytest.mark.parametrize("text", [
    "TODO: the rest", "Cost is TBD.", "Lorem ipsum dolor", "[insert the model]", "<your code here>", "Sum of <...>",
    "[...]", "Ship {{amount}} units", "the value is [object Object]",
])  # fmt: skip
def test_placeholders_in_problem_and_answer(text):
    assert gates.no_placeholders(evidence(text)).startswith("answer")
    assert gates.no_placeholders(evidence(prompt=text)).startswith("problem")


@pytest.mark.parametrize(("answer", "reason"), [
    ("import x\n...\n", "'...'"),
    ("import x\n# ...\n", "'# ...'"),
    ("import x\n# rest of the constraints\n", "rest of the"),
    ("and so it is ...", "ends in dots"),
    ("```python\nimport x", "not closed"),
    ("<think>hm\nimport x", "<think>"),
])  # fmt: skip
def test_answers_that_break_off(answer, reason):
    assert reason in gates.no_placeholders(evidence(answer))


@pytest.mark.parametrize("answer", [
    "x_1, ..., x_n >= 0 for t = 1, ..., T", "a < b > c", "\\frac{{a}}{b}", "<think>y</think>", "```python\nx = {}\n```",
    "f'{{name}}'", "a method to do it", "x[...] = 0",
])  # fmt: skip
def test_no_false_placeholders(answer):
    assert gates.no_placeholders(evidence(answer)) == ""


def test_stray_characters():
    check(gates.stray_characters, [
        (evidence("λ ≤ ∑ é “x” 3 m²"), ""),
        (evidence("运筹学的模型"), ""),
        (evidence(prompt="The ratio of funds is \u60ef0.5 at least, and no more than that is asked of it by the firm."),
         "problem: U+60EF"),
        (evidence("costs \ufffd5"), "answer: U+FFFD"),
        (evidence("bell\x07"), "U+0007"),
    ])  # fmt: skip


def test_real_table():
    def of(text, mode="DT"):
        return evidence(prompt=text, mode=mode)

    check(gates.real_table, [
        (of("no table", "DP"), None),
        (of(TABLE), ""),
        (of("a | b\n--|--\n1 | 2\n"), ""),
        (of("| a \\| b | c |\n|---|---|\n| 1 | |\n"), ""),
        (of("no table, |x| <= 3"), "no table"),
        (of("| a | b |\n| 1 | 2 |\n"), "no table"),
        (of("| a | b |\n|---|---|\n"), "no row of data"),
        (of("|---|---|\n| 1 | 2 |\n| 1 | 2 |\n"), "not its second line"),
        (of(TABLE + "| nails |\n"), "line 5 has 1 cells"),
        (of(TABLE + "\nand\n| a | b |\n|---|---|\n| 1 |\n"), "2 columns"),
    ])  # fmt: skip


def test_data_files_and_their_use():
    files = {"data/costs.csv": "a\n1\n"}
    check(gates.data_files, [
        (evidence(mode="DP"), None),
        (evidence(mode="DPS"), "no attached file"),
        (evidence(mode="DPS", files=files), ""),
    ])  # fmt: skip
    check(gates.reads_data, [
        (evidence("import x\nopen('data/costs.csv')", files=files), ""),
        (evidence("import x\nos.path.join('data', 'costs.csv')", files=files), ""),
        (evidence("import x\ncosts = [1]", files=files), "typed in"),
        (evidence("no code", files=files), None),
        (evidence("import x"), None),
    ])  # fmt: skip


def test_code_where_the_style_asks_for_it():
    check(gates.holds_code, [
        (evidence("import x", style="code_only"), ""),
        (evidence("```python\nx = 1\n```", style="math_model_with_code"), ""),
        (evidence("min x", style="code_only"), "no code is found"),
        (evidence("```\nmin x\n```", style="math_model_with_code"), "no code is found"),
        (evidence("min x", style="math_model"), None),
        (evidence("min x"), None),
    ])  # fmt: skip


@pytest.mark.parametrize(("answer", "prose"), [
    ("import x", ""),
    ("First.\n```python\nimport x\n```\nLast.", "First.\nLast."),
    ("First.\n<python>\nimport x\n</python>\nLast.", "First.\n\n\nLast."),
    ("Only prose.", "Only prose."),
])  # fmt: skip
def test_the_reasoning_is_the_answer_without_code(answer, prose):
    assert evidence(answer).reasoning == prose


def run(status, detail="", built=False):
    return evidence(execution=Execution(status, model() if built else None, detail))


def test_how_the_code_ran():
    missing = run("runtime", "ModuleNotFoundError: No module named 'matplotlib' (line 3)")
    check(gates.decidable_here, [
        (evidence(), None), (run("ok", built=True), ""), (run("runtime", "ZeroDivisionError"), ""),
        (run("unsupported", "SOS"), "not covered: SOS"), (missing, "matplotlib is not installed"),
    ])  # fmt: skip
    check(gates.executes, [
        (evidence(), None), (run("ok", built=True), ""), (run("no_model"), ""), (run("unsupported", "SOS"), None),
        (missing, None), (run("syntax", "SyntaxError"), "syntax: SyntaxError"), (run("timeout", "CPU"), "timeout"),
    ])  # fmt: skip
    check(gates.builds_model, [
        (evidence(), None), (run("ok", built=True), ""), (run("no_model", "no model of"), "no model of"),
        (run("timeout"), None), (missing, None),
    ])  # fmt: skip


def test_what_the_solvers_say():
    def of(reason, solution=None, detail=""):
        given = solved(reason=reason, objective=None)
        return dataclasses.replace(given, verdict=Verdict(reason, detail=detail), solution=solution)

    check(gates.has_optimum, [
        (evidence(), None), (solved(), ""), (of("infeasible"), "the model is infeasible"),
        (of("unbounded"), "the model is unbounded"), (of("limit", Solution("limit")), None),
        (of("solver_error", Solution("optimal", 3.0, [])), ""), (of("do_nothing_optimal"), ""),
        (of("solvers_disagree", Solution("infeasible")), "infeasible"),
    ])  # fmt: skip
    check(gates.solved_in_time, [(evidence(), None), (solved(), ""), (of("limit", detail="10 s"), "limit: 10 s")])
    check(gates.solvers_agree, [
        (evidence(), None), (solved(), ""), (of("zero_optimum"), ""), (of("infeasible"), None), (of("limit"), None),
        (of("solvers_disagree", detail="1 and 2"), "solvers_disagree: 1 and 2"), (of("fractional"), "fractional"),
    ])  # fmt: skip
    check(gates.clear_optimum, [
        (evidence(), None), (solved(), ""), (of("infeasible"), None), (of("fractional"), None),
        (of("do_nothing_optimal"), "do_nothing_optimal"), (of("a_reason_to_come"), "a_reason_to_come"),
    ])  # fmt: skip


@pytest.mark.parametrize("answer", [
    "The optimal value is 25.", "Optimal objective value: 25", "**Optimal profit:** $25.00", "optimal_value = 25",
    "The optimum is 25", "The maximum profit is twenty", "The objective value is 24.9996", "So \\boxed{25}.",
    "the optimal total cost per week is €25", "The optimal value is 3. No: the optimal value is 25.",
    "Objective: 3x + 2y", "The optimal solution is x = 4.", "The optimal value of x is 4.", "Optimal value: z* = 25",
    "The minimum of 3 holds.", "The optimal value is $3 \\cdot 4$",
])  # fmt: skip
def test_objectives_that_are_stated_well_or_not_at_all(answer):
    assert not gates.stated_objective(solved(answer))


@pytest.mark.parametrize(("answer", "objective"), [
    ("The optimal value is 24.", 25.0), ("The maximum profit is 1,250.5", 1251.0), ("Optimal cost = 24.9", 25.0),
    ("The optimal value is 25. The optimal value is 26.", 25.0), ("\\boxed{-25}", 25.0), ("optimum: 0.5", 50.0),
])  # fmt: skip
def test_objectives_that_are_stated_wrongly(answer, objective):
    assert "the optimum is" in gates.stated_objective(solved(answer, objective))


def test_a_stated_objective_may_be_rounded_or_a_percentage():
    assert gates.stated_objective(solved("The optimal value is 33.33.", 100 / 3)) == ""
    assert gates.stated_objective(solved("The optimal return is 7.5%.", 0.075)) == ""
    assert gates.stated_objective(solved("The optimal value is 25.", None)) is None


def reasoned(text, prompt="Ship 40 tons at $1,250 each; 35% go by rail, the depots hold 30, 20 and 15."):
    return gates.unexplained_numbers(solved(f"{text}\n```python\nimport x\n```", 777.0, prompt=prompt))


@pytest.mark.parametrize("text", [
    "Forty tons at 1250.", "35 percent, or 0.35, of it", "65 hold at most, 50 two of them",
    "40 * 1250 = 50,000, of which 0.35 * 50,000 = 17,500", "1250 / 40 = 31.25", "100% - 35% = 65%", "so 777 is best",
    "Step 9: x[17] <= 40, x_{23}", "7. The last point", "40 tons are 40,000 kg", "about 31.3",
])  # fmt: skip
def test_numbers_that_follow(text):
    assert reasoned(text) == ""


def test_sums_of_every_second_number_follow():
    prompt = "A is worth $51 and weighs 3 kg, B is worth $67 and weighs 4 kg, C $73 and 9 kg, D $88 and 17 kg."
    assert reasoned("All weigh 33 kg and are worth 279.", prompt) == ""


@pytest.mark.parametrize("text", ["It costs 1,261.", "about 31.35", "7113 tons", "four hundred and eleven"])
def test_numbers_that_do_not_follow(text):
    assert reasoned(text).startswith("1 of 1 numbers")


def test_numbers_of_the_problem_that_the_model_has_not():
    check(gates.unused_numbers, [
        (evidence(), None),
        (solved(prompt="Profit 3 and 2 a piece, 5 in any case; x takes 2 of 10 hours, at most four x."), ""),
        (solved(prompt="Sold at 73, bought at 70: profit 3. Two products."), ""),
        (solved(prompt="600 minutes"), ""),
        (solved(prompt="The firm was founded in 1987 by 57 people."), "2 of 2 numbers"),
    ])  # fmt: skip


def test_labels_are_no_quantities():
    def of(text):
        return [float(found.value) for found in quantities.found(text)]

    assert of("Table 3 and Step 2\n1. First\n(2) Second\n**3. Third**") == []
    assert of("Line 1 makes 40, Line 2 makes 50, Line 3: 60") == [40, 50, 60]
    assert of("Days: 1, 2, 3, 4 and 5; costs 3, 4, 5") == [3, 4, 5]
    assert of("x[3] <= 10^6, y_{4,5} <= 7") == [10, 7]
    assert of("Plant 7 makes 9") == [7, 9]


@pytest.mark.parametrize(
    "unit", ["optimal value ", "[", "a[", "1. ", "<think>", "# ", "| - ", "optimal ", "line 1 ", "="]
)
def test_time_is_linear_in_the_text(unit):
    text = unit * (60_000 // len(unit))
    gates.checked(solved(text, prompt=text, mode="DT", style="code_only"))
    quantities.found(text), quantities.stated_objective(text)


def test_only_what_applies_is_counted():
    applied, findings = gates.checked(evidence("TODO", mode="DT"))
    assert "real_table" in applied and "data_files" not in applied
    assert {finding.gate for finding in findings} == {"no_placeholders", "real_table"}
    assert all(gate.check.__doc__ for gate in (*gates.TEXT_GATES, *gates.EXECUTION_GATES))
