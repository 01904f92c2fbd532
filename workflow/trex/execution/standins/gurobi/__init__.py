"""The stand-in for gurobipy 13. What a program imports is `library`; the other modules are not seen by it.

names, parameters    the library's constants, attributes, parameters and environments
expressions          LinExpr, QuadExpr, NLExpr, comparisons, helpers (quicksum, max_, ...)
functions            the module gurobipy.nlfunc
attributes           Var, Constr, QConstr, GenConstr and their attributes
arrays               MVar, MLinExpr, ...
model                Model, with its parts in general, array_methods and results
"""
