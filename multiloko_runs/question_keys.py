"""Keys of questions: at most 64 characters, which lead back to a config and an id."""

from __future__ import annotations

import hashlib
import unicodedata

from multiloko_metric.languages import Config

_DIGITS = 24


def question_key(config: Config, identifier: str) -> str:
    """Return the key of a question: ``fr:`` and the first 24 hexadecimal digits of the SHA-256 of its id's NFC form."""
    digest = hashlib.sha256(unicodedata.normalize("NFC", identifier).encode("utf-8", "surrogatepass"))
    return f"{config.name}:{digest.hexdigest()[:_DIGITS]}"


def is_question_key(text: str) -> bool:
    """Return whether a text has the form of a key. An id may have it too, so look for an id first."""
    name, colon, digits = text.rpartition(":")
    return bool(name and colon) and len(digits) == _DIGITS and set(digits) <= set("0123456789abcdef")
