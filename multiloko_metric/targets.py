"""The acceptable answers of a question, as files of questions spell them."""

from __future__ import annotations

import ast

from .answers import parse_json
from .errors import MultiLoKoError


def parse_targets(value: object, where: object) -> list[str]:
    """Return targets as a list of texts: from such a list, from the string of one, or from a single target.

    Raises:
        MultiLoKoError: it is none of these; ``where``, as text, begins the message.
    """
    if isinstance(value, str):
        value = _parsed_list(value, where) if value.lstrip().startswith("[") else [value]
    if not isinstance(value, list) or not value or set(map(type, value)) != {str}:
        raise MultiLoKoError(f"{where}: targets must be a list of texts, found {value!r:.60}")
    return value


def _parsed_list(text: str, where: object) -> object:
    """The list that ``text`` spells, as JSON or as Python would print it; its items as text."""
    text = text.strip()
    try:
        return parse_json(text, where)
    except MultiLoKoError:  # a Python list, then
        pass
    try:
        values = ast.literal_eval(text)
        items = ast.parse(text, mode="eval").body.elts  # type: ignore[attr-defined]
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise MultiLoKoError(f"{where}: targets must be a list of texts, found {text[:60]!r}") from error
    return [
        ast.get_source_segment(text, item) if isinstance(value, int | float) else value  # 3.10 as it is written
        for value, item in zip(values, items, strict=True)
    ]
