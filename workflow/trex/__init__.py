"""T-Rex mini: SLAI T-Rex (arXiv 2607.20145) in miniature, one room (sub-package) a stage."""

__version__ = "0.1.0"
