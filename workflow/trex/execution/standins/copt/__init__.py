"""The stand-in for coptpy 8. What a program imports is `library`; the other modules are not seen by it.

names          the library's constants, attributes and parameters
expressions    LinExpr, QuadExpr, NlExpr, comparisons, tupledict, quicksum
functions      the functions that the library keeps in `nl`
handles        Var, Constraint, ...
arrays         MVar, MLinExpr, ...
model          Envr and Model, with its parts in constraints and results
"""
