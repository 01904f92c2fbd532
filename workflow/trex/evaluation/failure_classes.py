"""What can become of a response, in the order of the obstacles; each response has exactly one class.

unanswered         no response was given
api                the endpoint failed: nothing is known of the model
prompt_too_long    prompt and answer would exceed the context: nothing was asked
truncated          the token limit cut it off, and what there is builds no model
syntax             no Python
runtime            raised, or crashed
timeout, memory    hit the sandbox's limits
no_model           ended without a model of a known library
unsupported        the model has a part that our form of models does not cover
protocol           ended without a result that can be read
degenerate         no decision is left in the model: the answer was typed in as a bound, a fixed variable or a constant
hard_coded         right on the problem's data file, on none of five or more files with other numbers
infeasible, unbounded    so is its model, and the label is an optimum
unsolved           our solver hit its time limit or refused the model
missing_rows, extra_rows, wrong_sense, wrong_coefficient, wrong_bound, discrete_semantics, wrong_structure
                   the first difference from the reference model, where there is one (trex.problems.comparison); of an
                   item without a reference model, discrete_semantics is a label that is met as soon as all variables
                   are whole, or none is
wrong_objective    another optimum than the label, and nothing more is known
passed

Each class but the last belongs to one of the families in which SLAI T-Rex reports the errors of its trained model.
"""

PASSED = "passed"
UNANSWERED, API, UNSUPPORTED = "unanswered", "api", "unsupported"
NOT_ASKED = (UNANSWERED, API)  # these say nothing of the model
DISCRETE, STRUCTURAL, PROTOCOL, OTHER = "discrete-variable semantics", "structural", "protocol and API", "other"
FAMILY = {
    UNANSWERED: OTHER,
    API: PROTOCOL,
    "prompt_too_long": OTHER,
    "truncated": PROTOCOL,
    "syntax": PROTOCOL,
    "runtime": PROTOCOL,
    "timeout": OTHER,
    "memory": OTHER,
    "no_model": PROTOCOL,
    UNSUPPORTED: OTHER,
    "protocol": PROTOCOL,
    "degenerate": STRUCTURAL,
    "hard_coded": STRUCTURAL,
    "infeasible": STRUCTURAL,
    "unbounded": STRUCTURAL,
    "unsolved": OTHER,
    "missing_rows": STRUCTURAL,
    "extra_rows": STRUCTURAL,
    "wrong_sense": STRUCTURAL,
    "wrong_coefficient": STRUCTURAL,
    "wrong_bound": STRUCTURAL,
    "discrete_semantics": DISCRETE,
    "wrong_structure": STRUCTURAL,
    "wrong_objective": OTHER,
}
CLASSES = (*FAMILY, PASSED)
