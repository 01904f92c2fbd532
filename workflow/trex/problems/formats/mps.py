"""MPS text, fixed and free: writing and reading models with linear and quadratic parts.

The format is that of "MPS file format" in IBM's "CPLEX File Formats Reference" and of "MPS format" in the "Gurobi
Optimizer Reference Manual"; QSECTION is that of "The MPS File Format" in MOSEK's manuals.

`write` gives the free format, and `read(write(model)) == model` for every such model: names, order and each bit of each
number (floats by repr). How:

- A name that the format cannot hold is written as a safe one; a comment says what it stands for
  (`trex.problems.formats.model_text`).
- Every variable has an entry in the objective, 0 where it has no coefficient, and stands in the model's order.
- A row with two different finite bounds is a G row with the difference, in full, in RANGES. A row without any bound is
  a G row with the right-hand side -1e30, which readers take for minus infinity.
- A binary variable is an integer one with a BV bound. Where its bounds are narrower, they come before BV, as Gurobi
  writes it: Gurobi and SCIP intersect, HiGHS keeps the first, none loses them silently (CPLEX refuses).
- Quadratic parts are written in QUADOBJ and QCMATRIX.

Gurobi, HiGHS, SCIP and OR-Tools read such text as it is meant; CBC skips OBJSENSE and has to be told to maximise.

`read` takes the format with these rules, where manuals or readers differ:

- The free format (fields between white space) is tried first. Where it fails, the fixed one is: fields in columns 2-3,
  5-12, 15-22, 25-36, 40-47 and 50-61, blanks between them, what comes later ignored; names may have spaces within.
  When both fail, the error is that of the reading that got further.
- A line whose first column is not blank begins a section, in any case; `*` in the first column begins a comment.
- The objective is the first N row, or that of OBJNAME; further N rows and all their entries are dropped. Its
  right-hand side is minus the constant. A text without N rows has the objective 0.
- The sense is that of OBJSENSE (`MAX`, `MAXIMIZE`, ... on its own line or on the next), or else of the comment
  `*SENSE:Maximize`, which is all that PuLP writes, or else min. Rows in LAZYCONS are rows.
- RANGES: [b - |R|, b] for an L row, [b, b + |R|] for a G row; for an E row [b, b + R], or [b + R, b] where R < 0.
- An integer column (between INTORG and INTEND) that BOUNDS does not name is in [0, 1], as CPLEX's manual says and
  Gurobi, HiGHS and SCIP do; one that it names has the bounds 0 and infinity where they are not given.
- A negative UP bound without any lower one makes the lower bound -inf, as in Gurobi and in the manuals of SAS/OR and
  QSopt. HiGHS and SCIP leave it at 0, which leaves no value: nobody writes that on purpose. UP 0 leaves it at 0.
- MI leaves the upper bound as it is. BV makes a binary variable and cuts its bounds to [0, 1]. LI and UI make an
  integer.
- Q is in x'Qx / 2 for QUADOBJ and QSECTION (one triangle of Q) and QMATRIX (all of Q), in x'Qx for QCMATRIX (all of Q).
- Whatever is given twice is an error: a row, a column that comes back after another, an entry, a bound, a second set of
  right-hand sides, ranges or bounds. Some readers take the first, some the last, some the sum.
- Text after ENDATA is ignored.

Nonlinear expressions are not written. Several objectives, user cuts, semi-continuous variables, special ordered sets,
piecewise-linear parts, cones, general and indicator constraints are not read: ValueError `line N: unsupported ...`.
Malformed text: ValueError `line N: what is wrong`.
"""

from trex.problems.formats.mps_reader import read
from trex.problems.formats.mps_writer import write

__all__ = ["read", "write"]
