"""The one exception for what a user can mend."""


class UserError(Exception):
    """A wrong config, file or argument: one line that says what, where and the mend.

    `trex.common.cli.run` prints it and exits with code 2. An expected failure inside data (an infeasible
    instance, a response that does not parse) is a counted outcome, never this.
    """
