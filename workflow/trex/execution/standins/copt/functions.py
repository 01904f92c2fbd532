"""The functions that coptpy keeps in `nl`."""

from functools import partial

from trex.execution.dialects import Unsupported
from trex.execution.standins import functions
from trex.execution.standins.copt.expressions import FAMILY, quicksum

UNSUPPORTED = ("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "cosh", "floor", "sinh")


class Functions:
    def __getattr__(self, name: str):
        if name in UNSUPPORTED:
            raise Unsupported(f"the function nl.{name}")
        raise AttributeError(f"type object 'nl' has no attribute '{name}'")


nl = Functions()
function = partial(functions.function, FAMILY)
for name in ("abs", "cos", "exp", "log", "sin", "sqrt", "tan"):
    setattr(nl, name, function(functions.named(name)))
nl.log10 = function(functions.log_tree(10.0))
nl.tanh = function(functions.tanh_tree)
nl.pow = function(functions.power_tree)
nl.neg = function(lambda tree: ("product", -1.0, tree))
nl.sum = quicksum
