"""One answer of a model, as `readers` find it in a file."""

from __future__ import annotations

from typing import NamedTuple

from multiloko_metric.errors import MultiLoKoError


class AnswerError(MultiLoKoError):
    """A file of answers that cannot be read, or whose rows do not fit the questions."""


class Answer(NamedTuple):
    """One row of a file of answers."""

    language: str
    """Config name or official key, as written in the file."""
    id: str
    """Question id, as written in the file."""
    prediction: str | None
    """The answer; None where the file says null, which counts as missing."""
    place: int
    """Line of the file, or row of a table or array, counted from 1."""
    question: str | None = None
    """Text of the question, where the file has it."""
    source: str = ""
    """Which file of a folder or archive it is from; "" where there is but one."""
