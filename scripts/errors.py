"""The error of the command line."""

from multiloko_metric.errors import MultiLoKoError


class CommandError(MultiLoKoError):
    """What was asked for cannot be done."""
