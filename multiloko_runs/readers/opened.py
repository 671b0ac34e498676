"""A file of answers, opened to see what it is: its first bytes, its lines, its JSON. Gzip is undone on the way."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from multiloko_metric.errors import MultiLoKoError
from multiloko_runs.answers import AnswerError
from multiloko_source.json_lines import parse_json

MOST_UNPACKED = 1 << 30
"""Bytes that a compressed file may hold. A log of all 151 configs with its prompts has some hundred millions."""
_HEAD = 1 << 16
_GZIP = b"\x1f\x8b"
_WIDE = {codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}


class _Capped(io.RawIOBase):
    """The content of a compressed file, up to a number of bytes."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        super().__init__()
        self.file = file
        self.name = name
        self.left = MOST_UNPACKED

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(len(buffer))
        self.left -= len(data)
        if self.left < 0:
            raise AnswerError(f"{self.name}: unpacks to more than {MOST_UNPACKED:,} bytes; no log is as long as that")
        buffer[: len(data)] = data
        return len(data)


class Opened:
    """A file or folder that may hold answers."""

    def __init__(self, path: Path, source: str = "") -> None:
        """Look at a path; ``source`` is its name within the folder that was asked for.

        Raises:
            AnswerError: there is no such file or folder, or it is neither.
        """
        self.path = path
        self.source = source
        if not path.exists():
            raise AnswerError(f"there is no file {path}")
        self.is_folder = path.is_dir()
        if not self.is_folder and not path.is_file():
            raise AnswerError(f"{path} is no file and no folder")

    def at(self, place: object) -> str:
        """Where something is, for a message."""
        return f"{self.path}:{place}"

    @cached_property
    def is_gzip(self) -> bool:
        """Whether the file is compressed, by its first bytes."""
        with self.path.open("rb") as file:
            return file.read(2) == _GZIP

    @contextmanager
    def content(self) -> Iterator[BinaryIO]:
        """Give the content, unpacked."""
        try:
            with self.path.open("rb") as file:
                if not self.is_gzip:
                    yield file
                else:
                    with gzip.open(file) as unpacked:
                        yield io.BufferedReader(_Capped(unpacked, str(self.path)))  # type: ignore[arg-type]
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise AnswerError(f"{self.path}: the gzip file is damaged or cut short ({error})") from error

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB, unpacked; none of a folder."""
        if self.is_folder:
            return b""
        with self.content() as file:
            return file.read(_HEAD)

    @cached_property
    def start(self) -> str:
        """The first character that is no space; "" where there is none, or the content is no text."""
        head = self.head.removeprefix(codecs.BOM_UTF8).lstrip()
        return chr(head[0]) if head and head[0] < 0x80 else ""

    def refuse_wide(self) -> None:
        """Refuse a file that says it is UTF-16 or UTF-32.

        Raises:
            AnswerError: it does.
        """
        for mark, name in _WIDE.items():
            if self.head.startswith(mark):
                raise AnswerError(f"{self.path}: not UTF-8 but {name} (byte order mark); save the file as UTF-8")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the number and text of each line that is not blank, one at a time.

        Raises:
            AnswerError: a line is not UTF-8.
        """
        self.refuse_wide()
        with self.content() as file:
            for number, raw in enumerate(file, start=1):  # U+2028 and its like end no line of JSON
                try:
                    line = (raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw).decode().strip()
                except UnicodeDecodeError as error:
                    where = self.at(number)
                    raise AnswerError(f"{where}: not UTF-8 ({error.reason}); save the file as UTF-8") from error
                if line:
                    yield number, line

    @cached_property
    def first(self) -> Any:
        """The value of the first line, where that is JSON by itself; else None."""
        if self.is_folder or self.start not in ("{", "["):
            return None
        try:
            for number, line in self.lines():
                return parse_json(line, self.at(number))
        except MultiLoKoError:
            pass
        return None

    @cached_property
    def whole(self) -> Any:
        """The value of a file that is JSON as a whole, with numbers as they are written.

        Raises:
            AnswerError: it is not, or an object has a key twice: one of its two values would be lost.
        """
        self.refuse_wide()
        with self.content() as file:
            content = file.read().removeprefix(codecs.BOM_UTF8)
        try:
            return _DECODER.decode(content.decode())
        except UnicodeDecodeError as error:
            number = content.count(b"\n", 0, error.start) + 1
            raise AnswerError(f"{self.at(number)}: not UTF-8 ({error.reason}); save the file as UTF-8") from error
        except json.JSONDecodeError as error:
            raise AnswerError(f"{self.at(error.lineno)}: not JSON ({error.msg} at column {error.colno})") from error
        except RecursionError as error:
            raise AnswerError(f"{self.path}: too deeply nested") from error
        except _RepeatedKeyError as error:
            raise AnswerError(f"{self.path}: an object has the key {error} twice") from error

    def is_whole_json(self) -> bool:
        """Return whether the file is one JSON value."""
        if self.is_folder or self.start not in ("{", "["):
            return False
        try:
            return self.whole is not None
        except MultiLoKoError:
            return False


class _RepeatedKeyError(Exception):
    pass


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _RepeatedKeyError(repr(next(key for key in keys if keys.count(key) > 1)[:60]))
    return found


_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_unrepeated)
