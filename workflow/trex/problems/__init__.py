"""Optimisation problems: the modelling IR, solving and verifying, LP text in and out, canonical form, the families."""
