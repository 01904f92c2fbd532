"""Responses to suites and public benchmarks, their scores by a solver, and the statistics of both."""
