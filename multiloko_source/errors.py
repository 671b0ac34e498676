"""The one error of this package."""


class SourceError(ValueError):
    """The data cannot be read. The message is for a person: what was found, what was expected, where, what to do."""
