"""Our own recording stand-ins for solver libraries that need a licence: programs are written for them, we solve.

    expressions   what is written between variables: sums, products, functions, comparisons
    relations     constraints that are neither a linear nor a quadratic row: maxima, indicators, functions, ...
    model         what a program's model consists of, and its translation to the IR
    outcome       solving it for the program's own later steps
    tuples        tuplelist, tupledict and multidict, which both libraries have
    indexing      the keys of families of variables and constraints
    matrices      arrays of variables and expressions
    gurobi, copt  the two libraries, in their own names

A part of a library that is real but not recorded here raises `dialects.Unsupported`; where it would have changed the
model, the model is refused for good. A name that the library does not have is an AttributeError, as it is there.
How the libraries behave was found by running them (gurobipy 13.0.3, coptpy 8.0.7); no code of theirs is used.
"""
