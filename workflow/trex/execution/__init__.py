"""Code that nobody trusts, run apart from everything else; and from the model objects that it builds to the IR."""
