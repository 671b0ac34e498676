"""CSV, and the same with tabs or semicolons between the fields."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from typing import Any

from multiloko_runs.answers import Answer, AnswerError

from .opened import Opened
from .reading import Reading
from .tables import KNOWN, answers_of_rows

_DELIMITERS = (",", "\t", ";")


def delimiter_of(opened: Opened) -> str:
    """Return what separates the names in the first line: that which gives the most known ones, else a comma."""
    first = opened.head.decode("utf-8-sig", "replace").lstrip().splitlines()
    header = first[0] if first else ""
    known = {
        each: len(KNOWN & {name.strip().strip('"').lower() for name in header.split(each)}) for each in _DELIMITERS
    }
    return max(_DELIMITERS, key=lambda each: known[each])


def is_delimited(opened: Opened) -> bool:
    """Return whether the file is text that is no JSON. An empty one is a table without rows."""
    return not opened.is_folder and b"\0" not in opened.head and opened.start not in ("{", "[")


def read_delimited(opened: Opened, reading: Reading) -> Iterator[Answer]:
    """Yield the answers of a table in text; its first line names the columns."""
    return answers_of_rows(_rows(opened), opened, reading)


def _rows(opened: Opened) -> Iterator[tuple[int, dict[str, Any]]]:
    opened.refuse_wide()
    if not opened.head.strip():
        return  # blank lines name no columns
    csv.field_size_limit(sys.maxsize)  # answers can be longer than the module's 128 KiB
    with opened.content() as file, io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
        reader = csv.DictReader(text, delimiter=delimiter_of(opened))
        try:
            for row in reader:
                where = opened.at(reader.line_num)
                if None in row:
                    extra = len(row.pop(None))
                    raise AnswerError(
                        f"{where}: {extra} more fields than columns; put a text that holds "
                        f"{reader.reader.dialect.delimiter!r} in quotation marks"
                    )
                _refuse_repeated(reader.fieldnames or (), opened)
                # A short row leaves None behind: there, a column is not null but absent.
                yield reader.line_num, {name: value for name, value in row.items() if name and value is not None}
        except UnicodeDecodeError as error:
            raise AnswerError(
                f"{opened.path}: not UTF-8 ({error.reason}) after line {reader.line_num}; save the file as UTF-8"
            ) from error
        except csv.Error as error:
            raise AnswerError(f"{opened.at(reader.line_num)}: not CSV ({error})") from error


def _refuse_repeated(names: Any, opened: Opened) -> None:
    for name in KNOWN.intersection(names):
        if list(names).count(name) > 1:
            raise AnswerError(f"{opened.at(1)}: the column {name!r} is there twice")
