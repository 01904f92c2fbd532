"""The module `gurobipy.nlfunc`."""

from functools import partial

from trex.execution.standins import functions
from trex.execution.standins.gurobi.expressions import FAMILY

function = partial(functions.function, FAMILY)

exp, log, sqrt, sin, cos, tan = map(function, map(functions.named, ("exp", "log", "sqrt", "sin", "cos", "tan")))
log2, log10 = function(functions.log_tree(2.0)), function(functions.log_tree(10.0))
logistic, tanh = function(functions.logistic_tree), function(functions.tanh_tree)
square = function(lambda tree: functions.power_tree(tree, 2.0))
signpow = function(functions.signed_power_tree)
