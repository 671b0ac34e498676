"""What a command writes: its result, whole or not at all, and notes on standard error."""

from __future__ import annotations

import codecs
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from multiloko_source.files import replacing


@contextmanager
def output_file(path: Path | None) -> Iterator[BinaryIO]:
    """Give a file to write to. What was written is at ``path``, or on standard output, once all went well."""
    if path is None:
        with tempfile.TemporaryFile() as file:
            yield file
            file.seek(0)
            shutil.copyfileobj(codecs.getreader("utf-8")(file), sys.stdout)
        return
    with replacing(path) as staging, staging.open("wb") as file:
        yield file


def print_notes(notes: Iterable[str]) -> None:
    """Print each on standard error."""
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
