"""One answer of a model, as `readers` find it in a file."""

from __future__ import annotations

from typing import NamedTuple

from multiloko_metric.errors import MultiLoKoError


class AnswerError(MultiLoKoError):
    """A file of answers that cannot be read, or whose rows do not fit the questions."""


FAILED = "failed"
"""How a request ended that brought no answer."""
CUT_OFF = "cut off"
"""How an answer ended that reached the limit on tokens."""
FILTERED = "filtered"
"""How an answer ended that a content filter took or refused."""
_ENDINGS = {
    "length": CUT_OFF,
    "max_tokens": CUT_OFF,
    "max_output_tokens": CUT_OFF,
    "model_length": CUT_OFF,
    "content_filter": FILTERED,
    "refusal": FILTERED,
}


def ending(reason: object) -> str | None:
    """Return CUT_OFF or FILTERED for a finish reason of a server or log that says so; None for every other."""
    return _ENDINGS.get(reason) if isinstance(reason, str) else None


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
    ended: str | None = None
    """FAILED, CUT_OFF or FILTERED, where the file says so."""
