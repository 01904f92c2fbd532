"""Readers of public benchmarks and foreign training files, and the item that every suite is made of."""
