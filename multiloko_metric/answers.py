"""A model's answers, read from the files people have: CSV, JSON lines, a JSON array, Parquet."""

from __future__ import annotations

import codecs
import csv
import json
import sys
from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from .errors import MultiLoKoError

COLUMNS = ("language", "id", "prediction")
CONFIG = "config"
"""Another name of the column ``language``."""
RUN_HEADER = "multiloko_run"
"""Only key of the object that may begin a file of JSON lines: how the answers were made."""


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


class Place(NamedTuple):
    """A line of a file, which messages name as ``french/dev.jsonl:7``. As text it is only needed for a message."""

    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


# Numbers are kept as they are written: 1994, 3.10.
_DECODER: json.JSONDecoder = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)


def parse_json(text: str, where: object) -> Any:
    """Parse JSON that has no space around it, with its numbers as text, just as they are written.

    Raises:
        MultiLoKoError: it is not JSON; ``where``, as text, begins the message.
    """
    try:
        value, end = _DECODER.raw_decode(text)  # decode() looks for spaces first, which takes as long as parsing
    except json.JSONDecodeError as error:
        raise MultiLoKoError(f"{where}: not JSON ({error.msg} at column {error.colno}): {text[:60]!r}") from error
    except RecursionError as error:
        raise MultiLoKoError(f"{where}: too deeply nested: {text[:60]!r}") from error
    if end != len(text):
        raise MultiLoKoError(f"{where}: not JSON (more after the end at column {end + 1}): {text[:60]!r}")
    return value


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each line that is not blank. UTF-8, with or without a byte order mark.

    Raises:
        MultiLoKoError: a line is not UTF-8; the message has the file and the line.
    """
    content = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise MultiLoKoError(f"{path}:{number}: not UTF-8 ({error.reason}); save the file as UTF-8") from error
    for number, line in enumerate(text.split("\n"), start=1):  # U+2028 and its like end no line of JSON
        if line := line.strip():
            yield number, line


def read_answers(path: Path) -> Iterator[Answer]:
    """Yield the answers of a file with the columns language (or config), id and prediction, in file order.

    What ``multiloko run`` writes first, how the answers were made, is left out. The format follows the name (.csv,
    .parquet); anything else is JSON, an array or one object a line. A number is taken as its text, a null prediction
    is missing.

    Raises:
        AnswerError: there is no such file, or a row lacks a column or has something else than text in it.
        MultiLoKoError: the file is not UTF-8 or not JSON.
    """
    if not path.is_file():
        raise AnswerError(f"there is no file {path}")
    first = True
    for place, row in _READERS.get(path.suffix.lower(), json_rows)(path):
        if not (first and isinstance(row, dict) and row.keys() == {RUN_HEADER}):
            yield _answer(row, place, path)
        first = False


_columns_of = itemgetter(*COLUMNS)


def _answer(row: Any, place: int, path: Path) -> Answer:
    try:
        language, identifier, prediction = _columns_of(row)
        if CONFIG in row:
            language = _one_name(row, f"{path}:{place}")
    except (TypeError, KeyError):
        if isinstance(row, dict) and CONFIG in row and COLUMNS[0] not in row:
            return _answer({COLUMNS[0]: row[CONFIG], **row}, place, path)
        raise AnswerError(f"{path}:{place}: {_what_is_wrong(row)}") from None
    if not isinstance(language, str) or not language or not isinstance(identifier, str) or not identifier:
        raise AnswerError(f"{path}:{place}: language and id must be text, found {language!r} and {identifier!r}")
    if prediction is not None and not isinstance(prediction, str):
        raise AnswerError(f"{path}:{place}: prediction must be text or null, found {str(prediction)[:60]!r}")
    return Answer(language, identifier, prediction, place)


def _one_name(row: dict[str, Any], where: str) -> Any:
    """Return the name of the config of a row that has both columns for it."""
    language, config = row[COLUMNS[0]], row[CONFIG]
    if language != config and None not in (language, config):
        raise AnswerError(f"{where}: language is {language!r} and config is {config!r}; keep one of the two columns")
    return config if language is None else language


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


def json_rows(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield each value of a file of JSON lines, or of a JSON array, with its line or place, counted from 1."""
    lines = numbered_lines(path)
    for number, line in lines:
        if line.startswith("["):
            rows = parse_json("\n".join([line, *(rest for _, rest in lines)]), path)
            yield from enumerate(rows, start=1)
        else:
            yield number, parse_json(line, Place(path, number))


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
