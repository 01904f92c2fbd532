"""Tokens per dollar and per watt: of this machine, and of one model on several accelerators."""
