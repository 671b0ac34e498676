"""The base of every error that is meant for a person."""


class MultiLoKoError(ValueError):
    """Bad input. The message says what was found, what was expected, where, and what to do about it."""

    exit_code = 2
    """Of the command that it ends."""
