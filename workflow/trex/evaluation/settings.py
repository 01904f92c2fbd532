"""The settings of scoring: solve_s and sandbox of the config's section `evaluation`, with the same defaults."""

from trex.common.errors import UserError
from trex.execution import sandbox

LONGEST_S = 86400
DEFAULTS = {
    "solve_s": 10,
    "sandbox": {
        "cpu_s": 5,
        "wall_s": 20,
        "memory_mb": 1024,
        "file_mb": 16,
        "processes": 64,
        "require_isolation": None,
        "workers": 2,
    },
}


def checked(given: dict) -> dict:
    """The settings with what they leave out. Raises UserError naming one that is unknown or wrong."""
    settings = DEFAULTS | given
    if not isinstance(settings["sandbox"], dict):
        raise UserError("settings: sandbox must be a JSON object")
    settings["sandbox"] = DEFAULTS["sandbox"] | settings["sandbox"]
    for name, known in (("settings", DEFAULTS), ("settings: sandbox", DEFAULTS["sandbox"])):
        section = settings if known is DEFAULTS else settings["sandbox"]
        if unknown := sorted(section.keys() - known.keys()):
            raise UserError(f"{name}: {unknown[0]!r} is none of {', '.join(known)}")
    sandbox.check(settings["sandbox"])
    seconds = settings["solve_s"]
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds <= LONGEST_S:
        raise UserError(f"solve_s must be a positive number of seconds, at most {LONGEST_S}, not {seconds!r}")
    return settings


def deciding(settings: dict) -> dict:
    """Those that can change a result."""
    return settings | {"sandbox": {name: value for name, value in settings["sandbox"].items() if name != "workers"}}
