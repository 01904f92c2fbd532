"""CPLEX LP text: writing and reading models with linear and quadratic parts.

The format is that of "LP file format" in IBM's "CPLEX File Formats Reference" and of "LP format" in the "Gurobi
Optimizer Reference Manual".

`read(write(model)) == model` for every such model: names, order and each bit of each number (floats by repr). How:

- The objective lists every variable, with coefficient 0 where it has none, so that the order of first appearance,
  which is what numbers variables in this format, is the model's order.
- A name that the format cannot hold is written as a safe one; a comment says what it stands for
  (`trex.problems.formats.model_text`).
- A row with two different finite bounds is written `lb <= terms <= ub`, which Gurobi, HiGHS and SCIP do not read (they
  read such rows in MPS text). A row without any bound is written `>= -inf`.
- Products stand in brackets, in the objective `[ ... ] / 2` with the coefficients doubled.

`write(model, portable=True)` is for solvers' readers, HiGHS' among them, which refuse names like x[0] and two-sided
rows: variables are x0, x1, ..., rows r0, r1, ..., a two-sided row becomes two (r3 and r3_upper) and a row without
bounds is left out. The text has the same solutions; names and row numbers are lost.

`read` takes what other writers produce: keywords in any case, names like x[0,"a"], rows without names or terms,
two-sided rows, constants beside the terms, `[ ... ]` with and without `/ 2` in the objective and in rows, lazy
constraints (they are rows), the variable `Constant` that is fixed to 1 (how Gurobi and OR-Tools write an objective's
constant). What it decides where readers differ:

- `x <= -1` alone leaves the lower bound at 0, as the manuals say; no value is left, which is an error (OR-Tools' writer
  means -inf there). A later bound replaces an earlier one. A binary variable's bounds are cut to [0, 1].
- `2x` is 2 times x and `a-b` a difference. But Gurobi ends a name by nothing but white space, and writes `a-b` for the
  variable of that name. A text with the first comment of its writer is read by its rule, with section words in the
  first column only; and there an equality `r: ... + Rgr = b` with 0 <= Rgr <= w, where Rgr is nowhere else, is the
  range b - w <= ... <= b that it was written for.
- Text after `End` is ignored.

Nonlinear expressions are not written. Several objectives, user cuts, semi-continuous variables, special ordered sets,
piecewise-linear objectives, general and indicator constraints and scenarios are not read: ValueError `line N:
unsupported ...`. Malformed text: ValueError `line N: what is wrong`.
"""

from trex.problems.formats.lp_reader import read
from trex.problems.formats.lp_writer import write

__all__ = ["read", "write"]
