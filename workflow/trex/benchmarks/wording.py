"""How a public problem is put to a model: as our own word problems are, the problem and then one line that asks."""

import json

INSTRUCTION = "Write MathOpt code."
DATA_FILE = "data.json"


def prompt(problem: str, data_file: str | None = None) -> str:
    """data_file: the text of the attached JSON object; it is announced, as in our own problems, unless `problem` does.

    Raises ValueError where it is no JSON object.
    """
    if data_file is not None:
        keys = json.loads(data_file)
        if not isinstance(keys, dict):
            raise ValueError("the attached data are not a JSON object")
        if DATA_FILE not in problem:
            problem = f"{problem} {DATA_FILE} has {', '.join(map(json.dumps, keys))}."
    return f"{problem}\n{INSTRUCTION}"
