"""Rows with a language, an id and a prediction, whatever the format they are written in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from multiloko_runs.answers import FAILED, FILTERED, Answer, AnswerError, ending
from multiloko_runs.question_keys import is_question_key

from .opened import Opened
from .reading import Reading, answer_text, config_at_end, listed, named_config

LANGUAGE = ("language", "config")
IDS = ("id", "key", "custom_id")
QUESTION = "question"
PREDICTION = "prediction"
KNOWN = frozenset({*LANGUAGE, *IDS, QUESTION, PREDICTION})


class Columns(NamedTuple):
    """The names of the columns that matter, as the file has them; None where it lacks one."""

    language: str | None
    config: str | None
    """Where there is one beside ``language``."""
    id: str | None
    question: str | None
    prediction: str
    fixed: str
    """Config of all rows, where there is no column for it; "" where each row's key says it."""


def find_columns(names: Sequence[Any], opened: Opened, reading: Reading, where: str) -> Columns:
    """Return which columns of a table are which.

    ``ID`` is taken for ``id`` where there is no ``id``, and noted. A file in a folder may be named after its config.

    Raises:
        AnswerError: a column is absent that cannot be done without, or is there twice.
    """
    options = reading.options
    found = {name: _spelled(name, names, opened, reading) for name in (*LANGUAGE, *IDS, QUESTION)}
    language = found["language"] or found["config"]
    fixed = ""
    if language is None:
        by_name = config_at_end(_stem(opened)) if opened.source else None
        fixed = by_name.name if by_name else options.language or ""
    elif options.language and not opened.source:
        raise AnswerError(f"{where}: the file has a column {language!r}; leave out --language {options.language}")
    identifier = next((found[name] for name in IDS if found[name]), None)
    by_key = identifier is not None and identifier in (found["key"], found["custom_id"])
    wanted = options.column or PREDICTION
    prediction = _spelled(wanted, names, opened, reading)
    if prediction is None or not (language or fixed or by_key) or not (identifier or found[QUESTION]):
        raise AnswerError(
            f"{where}: {_what_is_absent(names, language or fixed or by_key, identifier or found[QUESTION], wanted)}"
        )
    both = found["config"] if found["language"] else None
    return Columns(language, both, identifier, found[QUESTION], prediction, fixed)


def _stem(opened: Opened) -> str:
    """Name of a file without its endings: ``french_translated_human_english`` of ``....csv.gz``."""
    return opened.path.name.partition(".")[0]


def _spelled(name: str, names: Sequence[Any], opened: Opened, reading: Reading) -> str | None:
    if name in names:
        return name
    others = [each for each in names if isinstance(each, str) and each.strip().lower() == name.lower()]
    if len(others) > 1:
        raise AnswerError(f"{opened.path}: two columns for {name}: {' and '.join(map(repr, others))}")
    if others:
        reading.note(f"{opened.path}: the column {others[0]!r} is taken for {name!r}")
    return others[0] if others else None


def _what_is_absent(names: Sequence[Any], language: str | bool, identifier: str | None, wanted: str) -> str:
    found = listed(names) or "nothing"
    if not language:
        return f"no 'language'; found {found}; name a column language or config, or add --language fr"
    if not identifier:
        return f"no 'id'; found {found}; answers are joined by id, by key or by question, never by their order"
    return f"no {wanted!r}; found {found}; --column NAME names the column of the answers"


def answers_of_rows(rows: Iterable[tuple[int, Any]], opened: Opened, reading: Reading) -> Iterator[Answer]:
    """Yield the answer of each row of a table; ``rows`` are its places and values.

    Raises:
        AnswerError: a row lacks a column, or has something else than text in it.
    """
    source = opened.source
    by_names: dict[tuple[Any, ...], Columns] = {}
    for place, row in rows:
        if not isinstance(row, dict):
            shown = str(row)[:60]
            raise AnswerError(f"{opened.at(place)}: expected an object with language, id, prediction, found {shown!r}")
        names = tuple(row)
        columns = by_names.get(names)
        if columns is None:
            columns = by_names[names] = find_columns(names, opened, reading, opened.at(place))
        language = row[columns.language] if columns.language else columns.fixed
        if columns.config:
            language = _one_config(language, row[columns.config], opened.at(place))
        identifier = row[columns.id] if columns.id else ""
        if not columns.language and not columns.fixed:
            language, identifier = split_key(str(identifier)) or ("", identifier)
        question = row[columns.question] if columns.question else None
        prediction = row[columns.prediction]
        plain = question is None and type(identifier) is str and identifier
        if not isinstance(language, str) or not language or not (plain or _identifies(identifier, question)):
            raise AnswerError(
                f"{opened.at(place)}: language and id must be text, found {language!r} and {identifier!r}"
            )
        if prediction is not None and not isinstance(prediction, str):
            prediction = answer_text(prediction, opened.at(place))
        ended = None
        if not prediction and row.get("error"):
            prediction = None  # a request that failed is no empty answer
            ended = _failure(row["error"])
        elif "finish_reason" in row:
            ended = ending(row["finish_reason"])
        yield Answer(language, identifier or "", prediction, place, question or None, source, ended)


def _failure(error: Any) -> str:
    """How a request ended, by the error of the row: what `run_file` writes says it when a filter refused it."""
    return FILTERED if isinstance(error, dict) and error.get("kind") == "content_filter" else FAILED


def _one_config(language: Any, config: Any, where: str) -> Any:
    """Return what two columns say; either may be empty, and two names of one config are the same.

    Raises:
        AnswerError: they name different ones.
    """
    if not language or not config or language == config:
        return language or config
    if (one := named_config(language)) and one == named_config(config):
        return language
    advice = "leave one out, or make them the same"
    raise AnswerError(f"{where}: language is {language!r} and config is {config!r}; {advice}")


def _identifies(identifier: object, question: object) -> bool:
    if isinstance(identifier, str) and identifier:
        return question is None or isinstance(question, str)
    return identifier in ("", None) and isinstance(question, str) and bool(question)


def split_key(text: str) -> tuple[str, str] | None:
    """Return config and id that a key or ``config:id`` leads to, the key itself as id; None where it has no config."""
    name, colon, rest = text.rpartition(":") if is_question_key(text) else text.partition(":")
    config = named_config(name)
    if not colon or not config or not rest:
        return None
    return config.name, text if is_question_key(text) else rest
