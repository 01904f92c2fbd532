"""What all tests share: property tests draw the same examples on every machine and have no time limit of their own."""

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")
