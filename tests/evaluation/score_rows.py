"""Rows of scores.parquet, with all that a test does not say."""


def row(item: object, passed: bool, attempt: int = 0, **changes) -> dict:
    values = {
        "item_id": f"item-{item}",
        "attempt": attempt,
        "category": "word",
        "mode": "DP",
        "family": "mix",
        "difficulty": "easy",
        "criterion": "objective",
        "cluster": f"item-{item}",
        "known_bad": "",
        "protocol": "greedy, 512 tokens",
        "shots": 0,
        "executed": True,
        "dialect": "mathopt",
        "reading": "continuous",
        "structure": "isomorphic" if passed else "different",
        "structure_right": passed,
        "other_reading": None,
        "data_check": None,
        "passed": passed,
        "passed_abs": passed,
        "passed_rel": passed,
        "passed_legacy": None,
        "legacy_detail": None,
        "holds_label": False if passed else None,
        "objective_value": 1.0,
        "expected": 1.0,
        "failure_class": "passed" if passed else "wrong_objective",
        "detail": "",
        "isolation": "namespaces",
        "sha256": f"of item-{item}",
    }
    return values | changes


def public_row(item: object, passed: bool, attempt: int = 0, **changes) -> dict:
    """Of a benchmark without reference models."""
    values = {"structure": None, "structure_right": None, "passed_legacy": passed, "difficulty": "unlabelled"}
    return row(item, passed, attempt, **values | changes)
