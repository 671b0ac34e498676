"""Folders: of logs of one harness, or of one file for each language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from multiloko_runs.answers import AnswerError

from .opened import Opened
from .reading import Reading

LOGS = ("samples_*.jsonl", "samples_*.jsonl.gz", "details_*.parquet", "*.eval")
"""Files of logs, which may lie deep in a folder, among others."""
TABLES = frozenset({".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet"})
_SHOWN = 5


def files_of(opened: Opened, reading: Reading) -> Iterator[Opened]:
    """Yield the files of a folder that hold answers, by name: the logs of a harness, else those of a table's ending.

    Raises:
        AnswerError: there are none.
    """
    folder = opened.path
    logs = sorted({path for pattern in LOGS for path in folder.rglob(pattern) if _seen(path, folder)})
    if logs:
        for path in logs:
            yield Opened(path, path.relative_to(folder).as_posix())
        return
    files = sorted(path for path in folder.iterdir() if _seen(path, folder))
    tables = [path for path in files if TABLES.intersection(map(str.lower, path.suffixes[-2:]))]
    others = [path.name for path in files if path not in tables]
    if not tables:
        found = f"found {', '.join(others[:_SHOWN])}" if others else "it is empty"
        raise AnswerError(f"{folder}: the folder holds no file of answers; {found}")
    if others:
        more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
        reading.note(f"{folder}: not read: {', '.join(others[:_SHOWN])}{more}")
    for path in tables:
        yield Opened(path, path.name)


def _seen(path: Path, folder: Path) -> bool:
    return path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
