"""Whether two models are the same model, exactly: isomorphism, a counter-example where not, and a certificate.

Two models are isomorphic when a renaming of variables turns one into the other after both are brought to their normal
form (`normal_form`: scale, sign and direction of rows, ranges, bound or row, binary or integer in [0, 1] make no
difference). A row that stands twice counts once; names and order count nothing. Sense, objective constant,
linear and quadratic coefficients of the objective count as they stand: `min f` and `max -f` have the same solutions
but report different values, so they are not the same.

Quadratic rows are compared like linear ones, a product of two variables being a thing of its own (x * x is not x for
a binary x). A model with a nonlinear expression raises NotComparable.

It is isomorphism, not equivalence: a redundant row, an auxiliary variable or a substitution makes another model.
The worst case of the exact search (nauty) is exponential; on the models that people write it takes milliseconds.
"""

import hashlib
import json
from collections import Counter

from trex.problems.comparison.difference import Difference, at_a_glance, explained, without_a_renaming
from trex.problems.comparison.model_graph import agreement, canonical_adjacency, graph, pairs_by_choice
from trex.problems.comparison.normal_form import Colourings, NotComparable, by_rounding, colourings, normal_form
from trex.problems.ir import Model

__all__ = ["Difference", "NotComparable", "certificate", "compare", "isomorphic", "normal_form"]


def isomorphic(a: Model, b: Model) -> bool:
    """True when a renaming of variables makes one model the other, in the sense of the module."""
    return compare(a, b) is None


def compare(model: Model, reference: Model) -> Difference | None:
    """None when the models are isomorphic, else what is wrong with the first one, seen from the second.

    Raises NotComparable. Colour refinement tells nearly all models apart that differ. Of those that it does not, nearly
    all have a renaming that taking the next best partner finds; nauty decides the others.
    """
    forms = normal_form(model), normal_form(reference)
    colours = colourings(forms)
    if (difference := at_a_glance(*forms, colours)) is not None:
        return difference
    if (found := agreement(*forms, colours)) is None:
        return explained(*forms, colours)
    if pairs_by_choice(found.refinement):
        return None
    if len(set(map(canonical_adjacency, found.graphs, found.colours))) == 1:
        return None
    sizes = Counter(found.colours[0])
    alike = [i for i in range(len(model.variables)) if sizes[found.colours[0][i]] > 1]
    return without_a_renaming(forms[0], alike)


def certificate(model: Model) -> str:
    """64 hexadecimal digits, the same for isomorphic models, different for others. Raises NotComparable.

    Numbers are rounded to 9 significant digits, so two models whose numbers differ by less than that can get the
    same certificate, and two equal models with a number at the edge of a rounding cell different ones: it is for
    grouping many models and finding leaks; `isomorphic` decides.
    """
    form = normal_form(model)
    made = graph(form, Colourings(*[by_rounding] * 4))
    header = form.sense, by_rounding(form.constant), len(form.integer)
    adjacency = canonical_adjacency(made, made.colours)
    colours = sorted(Counter(made.colours).items())
    return hashlib.sha256(json.dumps([header, colours, adjacency.hex()]).encode()).hexdigest()
