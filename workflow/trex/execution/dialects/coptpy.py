"""coptpy, by our own stand-in: no COPT is needed, and none is used where it is installed."""

import sys

from trex.execution.dialects.hooks import record_each
from trex.execution.standins.copt import library
from trex.problems.ir import Model

NAME = "coptpy"
MODEL_TYPE = library.Model


def start_recording() -> None:
    record_each(MODEL_TYPE, sys.modules[__name__])
    sys.modules["coptpy"] = library


def says_something(model: MODEL_TYPE) -> bool:
    return model._recording.says_something()


def to_ir(model: MODEL_TYPE) -> Model:
    return model._recording.to_ir()
