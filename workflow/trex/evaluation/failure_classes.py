"""What can become of a response, in the order of the obstacles; each response has exactly one class.

prompt_too_long    prompt and answer would exceed the context: nothing was asked
truncated          the token limit cut it off, and what there is builds no model
syntax             no Python
runtime            raised, or crashed
timeout, memory    hit the sandbox's limits
no_model           ended without a model of a known library
unsupported        the model has a part that our form of models does not cover
protocol           ended without a result that can be read
degenerate         no decision is left in the model: the answer was typed in as a bound, a fixed variable or a constant
infeasible, unbounded    so is its model
unsolved           our solver hit its time limit or refused the model
wrong_objective    another optimum than the label
wrong_structure    another model than the reference
passed
"""

PASSED = "passed"
CLASSES = (
    "prompt_too_long",
    "truncated",
    "syntax",
    "runtime",
    "timeout",
    "memory",
    "no_model",
    "unsupported",
    "protocol",
    "degenerate",
    "infeasible",
    "unbounded",
    "unsolved",
    "wrong_objective",
    "wrong_structure",
    PASSED,
)
