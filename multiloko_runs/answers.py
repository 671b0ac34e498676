"""A model's answers, read from the files people have: CSV, JSON lines, a JSON array, Parquet."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import parse_config
from multiloko_source.json_lines import json_rows

COLUMNS = ("language", "id", "prediction")
CONFIG = "config"
"""A column that may stand in the place of language."""


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


def read_answers(path: Path) -> Iterator[Answer]:
    """Yield the answers of a file with the columns language (or config), id and prediction, in file order.

    The format follows the name (.csv, .parquet); anything else is JSON, an array or one object a line. A number is
    taken as its text, a null prediction is missing.

    Raises:
        AnswerError: there is no such file; a row lacks a column or has something else than text in it, or its language
            and its config differ.
        MultiLoKoError: the file is not UTF-8 or not JSON.
    """
    if not path.is_file():
        raise AnswerError(f"there is no file {path}")
    for place, row in _READERS.get(path.suffix.lower(), json_rows)(path):
        yield _answer(row, place, path)


_columns_of = itemgetter(*COLUMNS)


def _answer(row: Any, place: int, path: Path) -> Answer:
    try:
        if CONFIG in row:
            row = _with_language(row, place, path)
        language, identifier, prediction = _columns_of(row)
    except (TypeError, KeyError):
        raise AnswerError(f"{path}:{place}: {_what_is_wrong(row)}") from None
    if not isinstance(language, str) or not language or not isinstance(identifier, str) or not identifier:
        raise AnswerError(f"{path}:{place}: language and id must be text, found {language!r} and {identifier!r}")
    if prediction is not None and not isinstance(prediction, str):
        raise AnswerError(f"{path}:{place}: prediction must be text or null, found {str(prediction)[:60]!r}")
    return Answer(language, identifier, prediction, place)


def _with_language(row: dict[str, Any], place: int, path: Path) -> dict[str, Any]:
    """Take the config of a row for its language; either may be empty. Two names of one config are the same."""
    language, config = row.get(COLUMNS[0]), row[CONFIG]
    if not language or not config or language == config or _same_config(language, config):
        return {**row, COLUMNS[0]: language or config}
    advice = "leave one out, or make them the same"
    raise AnswerError(f"{path}:{place}: language is {language!r} and config is {config!r}; {advice}")


def _same_config(one: object, other: object) -> bool:
    try:
        return parse_config(str(one)) == parse_config(str(other))
    except MultiLoKoError:
        return False


def _what_is_wrong(row: Any) -> str:
    if not isinstance(row, dict):
        return f"expected an object with {', '.join(COLUMNS)}, found {str(row)[:60]!r}"
    absent = next(column for column in COLUMNS if column not in row)
    return f"no {absent!r}; found {', '.join(map(str, row)) or 'nothing'}"


def _csv_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    csv.field_size_limit(sys.maxsize)  # answers can be longer than the module's 128 KiB
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        try:
            for row in reader:
                # A short row leaves None behind: there, a column is not null but absent.
                yield reader.line_num, {name: value for name, value in row.items() if name and value is not None}
        except UnicodeDecodeError as error:
            raise AnswerError(f"{path}: not UTF-8 ({error.reason}); save the file as UTF-8") from error
        except csv.Error as error:
            raise AnswerError(f"{path}:{reader.line_num}: not CSV ({error})") from error


def _parquet_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    import pyarrow as pa  # most files are not Parquet, and the import takes longer than reading them
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except pa.ArrowInvalid as error:
        raise AnswerError(f"{path}: not a Parquet file ({error})") from error
    columns = [name for name in file.schema_arrow.names if name in (*COLUMNS, CONFIG)]
    place = 0
    for batch in file.iter_batches(columns=columns):
        for row in batch.to_pylist():
            place += 1
            yield place, {name: str(value) if isinstance(value, int | float) else value for name, value in row.items()}


_READERS: dict[str, Callable[[Path], Iterator[tuple[int, Any]]]] = {".csv": _csv_rows, ".parquet": _parquet_rows}
