"""The one error of this package."""

from multiloko_metric.errors import MultiLoKoError


class SourceError(MultiLoKoError):
    """The data cannot be read."""
