"""JSON: one object a line, an array of them, or an object of objects, ``{config: {id: answer}}``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from multiloko_runs.answers import Answer, AnswerError
from multiloko_source.json_lines import Place, parse_json

from .opened import Opened
from .reading import Reading, answer_text, named_config
from .tables import answers_of_rows

RUN_HEADER = "multiloko_run"
"""Key of the first line of what ``multiloko run`` writes: its settings."""


def is_json_lines(opened: Opened) -> bool:
    """Return whether the first line is a JSON object by itself."""
    return isinstance(opened.first, dict) and not is_nested(opened)


def read_json_lines(opened: Opened, reading: Reading) -> Iterator[Answer]:
    """Yield the answers of JSON lines, one line at a time."""
    return answers_of_rows(_rows(opened, reading), opened, reading)


def _rows(opened: Opened, reading: Reading) -> Iterator[tuple[int, Any]]:
    for number, line in opened.lines():
        row = parse_json(line, Place(opened.path, number))
        if isinstance(row, dict) and row.keys() == {RUN_HEADER}:
            header = row[RUN_HEADER]
            reading.asked = header.get("prompts") if isinstance(header, dict) else None
        else:
            yield number, row


def is_array(opened: Opened) -> bool:
    """Return whether the file begins as an array does."""
    return opened.start == "["


def read_array(opened: Opened, reading: Reading) -> Iterator[Answer]:
    """Yield the answers of an array of objects."""
    rows = opened.whole
    if not isinstance(rows, list):
        raise AnswerError(f"{opened.path}: expected an array of objects, found {str(rows)[:60]!r}")
    return answers_of_rows(enumerate(rows, start=1), opened, reading)


def is_nested(opened: Opened) -> bool:
    """Return whether the file is one object, of objects by config or of answers by id, and no log."""
    value = opened.first
    if value is None and opened.is_whole_json():
        value = opened.whole
    if not isinstance(value, dict) or not value:
        return False
    return all(isinstance(each, dict) for each in value.values()) and any(map(named_config, value))


def read_nested(opened: Opened, reading: Reading) -> Iterator[Answer]:
    """Yield the answers of ``{config: {id: answer}}``; with ``--language`` also of ``{id: answer}``."""
    value = opened.whole
    if not isinstance(value, dict):
        raise AnswerError(f"{opened.path}: expected {{config: {{id: answer}}}}, found {str(value)[:60]!r}")
    if reading.options.language and not any(isinstance(each, dict) for each in value.values()):
        value = {reading.options.language: value}
    place = 0
    for language, answers in value.items():
        if not isinstance(answers, dict):
            raise AnswerError(f"{opened.path}: expected {{id: answer}} under {language!r}, found {str(answers)[:60]!r}")
        for identifier, prediction in answers.items():
            place += 1
            text = answer_text(prediction, f"{opened.path}: {language} {identifier!r}")
            yield Answer(language, identifier, text, place, None, opened.source)
