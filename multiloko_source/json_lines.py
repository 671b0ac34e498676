"""JSON with its places: lines, or an array, each value with where it stands, so that a message can name it."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from multiloko_metric.errors import MultiLoKoError


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


def json_rows(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield each value of a file of JSON lines, or of a JSON array, with its line or place, counted from 1."""
    lines = numbered_lines(path)
    for number, line in lines:
        if line.startswith("["):
            rows = parse_json("\n".join([line, *(rest for _, rest in lines)]), path)
            yield from enumerate(rows, start=1)
        else:
            yield number, parse_json(line, Place(path, number))
