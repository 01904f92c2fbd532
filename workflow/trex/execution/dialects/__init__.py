"""One file a modelling library: from the model objects that a program built to the IR."""


class Unsupported(Exception):
    """The model has a part that the IR does not cover; the text names it."""
