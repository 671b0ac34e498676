"""A line of an official file, read as a row of ten fields; and acceptable answers, as files of questions spell them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import Config, UnknownConfigError, parse_language

from .errors import SourceError
from .json_lines import Place, numbered_lines, parse_json

Row = dict[str, Any]

FIELDS = (
    "text",
    "question",
    "targets",
    "target",
    "id",
    "output_type",
    "source_language",
    "question_language",
    "translated",
    "translation_type",
)

_CONTENT = FIELDS[:6]
_TEXT_OR_NULL = {str, type(None)}

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_TRANSLATION_TYPES = {
    "": None,
    "none": None,
    "null": None,
    "human": "human",
    "human-authored": "human",
    "machine": "machine",
    "machine-authored": "machine",
    "machine-translated": "machine",
}


def _objects(path: Path) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield each JSON object of a file with its place."""
    for number, line in numbered_lines(path):
        where = Place(path, number)
        value = parse_json(line, where)
        if not isinstance(value, dict):
            raise SourceError(f"{where}: expected a JSON object, found {line[:60]!r}")
        yield where, value


def read_rows(path: Path, config: Config, on_contradiction: Callable[[str], None]) -> Iterator[Row]:
    """Yield the questions of a subset file as rows of ten fields.

    The last four fields come from ``config``, that is, from the file's name. A row that says otherwise is given the
    name's values, and ``on_contradiction`` is called with a message.
    """
    described = _description(config)
    for where, raw in _objects(path):
        content = _content(raw, where)
        if not described.keys().isdisjoint(raw):
            for field, expected in described.items():
                if field in raw and _spelled(field, raw[field]) != expected:
                    on_contradiction(f"{where}: {field} is {raw[field]!r}, but the file's name says {expected!r}")
        yield content | described


def read_fewshot(path: Path, config: Config) -> Iterator[Row]:
    """Yield the few-shot examples of a language, which may have no more than question, answer and output_type.

    Args:
        path: its few-shot file.
        config: the language's local config, which describes them.
    """
    for count, (where, raw) in enumerate(_objects(path), start=1):
        raw.setdefault("targets", raw.get("answer"))
        raw.setdefault("id", f"fewshot-{count}")
        yield _content(raw, where) | _description(config)


def _content(raw: dict[str, Any], where: Place) -> Row:
    """The six official fields of a row."""
    text, question, targets, target, identifier, output_type = map(raw.get, _CONTENT)
    texts = (text, question, target, identifier, output_type)
    if not _TEXT_OR_NULL.issuperset(map(type, texts)) or question is None or identifier is None:
        raise SourceError(f"{where}: {_what_is_no_text(raw)}")
    targets = parse_targets(targets, where)
    try:
        "".join([*targets, *filter(None, texts)]).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise SourceError(f"{where}: half of a surrogate pair is no text, found {half!r}") from error
    return {
        "text": text,
        "question": question,
        "targets": targets,
        "target": target,
        "id": identifier,
        "output_type": output_type,
    }


def _what_is_no_text(raw: dict[str, Any]) -> str:
    for field in ("question", "id"):
        if not isinstance(raw.get(field), str):
            return f"{field} must be text, found {raw.get(field)!r}"
    field = next(each for each in ("text", "target", "output_type") if not isinstance(raw.get(each), str | None))
    return f"{field} must be text or null, found {raw[field]!r}"


def _description(config: Config) -> Row:
    return {
        "source_language": config.source.name,
        "question_language": config.question.name,
        "translated": config.translation is not None,
        "translation_type": config.translation,
    }


def _spelled(field: str, value: object) -> object:
    """The value in our spelling; one that cannot be mapped stays and so contradicts."""
    text = "" if value is None else str(value).strip().lower()
    if field == "translated":
        return _TRUTH.get(text, value)
    if field == "translation_type":
        return _TRANSLATION_TYPES.get(text, value)
    try:
        return parse_language(text.replace(" ", "_")).name
    except UnknownConfigError:
        return value


def parse_targets(value: object, where: object) -> list[str]:
    """Return targets as a list of texts: from such a list, from the string of one, or from a single target.

    Raises:
        SourceError: it is none of these; ``where``, as text, begins the message.
    """
    if isinstance(value, str):
        value = _parsed_list(value, where) if value.lstrip().startswith("[") else [value]
    if not isinstance(value, list) or not value or set(map(type, value)) != {str}:
        raise SourceError(f"{where}: targets must be a list of texts, found {value!r:.60}")
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
        raise SourceError(f"{where}: targets must be a list of texts, found {text[:60]!r}") from error
    return [
        ast.get_source_segment(text, item) if isinstance(value, int | float) else value  # 3.10 as it is written
        for value, item in zip(values, items, strict=True)
    ]
