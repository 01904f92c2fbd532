"""How a public problem is put to a model: as our own word problems are, the problem and then one line that asks."""

INSTRUCTION = "Write MathOpt code."


def prompt(problem: str) -> str:
    return f"{problem}\n{INSTRUCTION}"
