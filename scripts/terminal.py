"""What a command writes: data for programs, tables for people, notes and progress on standard error.

A standard output need not be UTF-8 (a pipe on Windows is cp1252), nor a terminal. Data go out as UTF-8 whatever it is;
text for people uses what its encoding has, with "?" for the rest.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from multiloko_source.files import replacing

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn

Item = TypeVar("Item")


def accept_any_text() -> None:
    """Make standard output and standard error take every text: what their encoding lacks is written as "?"."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # what replaces it in a test or a notebook may have no such
            stream.reconfigure(errors="replace")


def as_typed(argument: str) -> str:
    """Return an argument as the person typed it, in UTF-8, also where the locale made something else of it."""
    return os.fsencode(argument).decode("utf-8", "replace")


def shows(text: str) -> bool:
    """Return whether the encoding of standard output has every character of a text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def console(*, stderr: bool = False) -> Console:
    """Return where text for people is printed, without colouring of numbers and paths."""
    from rich.console import Console  # takes a while to import, and not every command prints a table

    return Console(stderr=stderr, highlight=False)


def as_json(value: Any, indent: int = 1) -> bytes:
    """Return a value as UTF-8 JSON with a final newline; half of a surrogate pair is escaped."""
    # In a JSON string that escape is what it is in Python.
    return json.dumps(value, ensure_ascii=False, indent=indent).encode("utf-8", "backslashreplace") + b"\n"


def print_data(data: bytes) -> None:
    """Write what a program may read (JSON, YAML, Markdown) to standard output, as the bytes they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def print_text(text: str) -> None:
    """Write a text that a program may read, and a newline, to standard output as UTF-8."""
    print_data(text.encode("utf-8", "replace") + b"\n")


@contextmanager
def output_file(path: Path | None) -> Iterator[BinaryIO]:
    """Give a file to write to. What was written is at ``path``, or on standard output, once all went well."""
    if path is None:
        with tempfile.TemporaryFile() as file:
            yield file
            file.seek(0)
            sys.stdout.flush()
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        return
    with replacing(path) as staging, staging.open("wb") as file:
        yield file


def print_notes(notes: Iterable[str]) -> None:
    """Print each on standard error."""
    for note in notes:
        print(f"note: {note}", file=sys.stderr)


def print_verified(answers: int) -> None:
    """Say on standard error that so many answers were verified."""
    from multiloko_runs.verification import verified

    print(verified(answers), file=sys.stderr)


def progress(*columns: str | ProgressColumn) -> Progress:
    """Return a progress display; where standard error is no terminal, one that shows nothing."""
    from rich.progress import Progress

    where = console(stderr=True)
    return Progress(*columns, console=where, transient=True, disable=not where.is_terminal)


def tracked(items: Sequence[Item], description: str) -> Iterator[Item]:
    """Yield the items, with a bar."""
    return advancing(items, [1] * len(items), description)


def advancing(
    results: Iterable[Item], sizes: Sequence[int], description: str, *, hidden: bool = False
) -> Iterator[Item]:
    """Yield the results, with a bar that each moves by its size."""
    if hidden or not sizes or not sys.stderr.isatty():
        yield from results
        return
    with progress() as bar:
        task = bar.add_task(description, total=sum(sizes))
        for size, result in zip(sizes, results, strict=True):
            bar.advance(task, size)
            yield result
