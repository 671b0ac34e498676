"""The file that a run writes, and the journal beside it that keeps each answer from the moment it came.

Both are JSON lines: how the answers were made, ``{"multiloko_run": {...}}``, then one object an answer. The journal
grows as answers come in; the file is written whole, in the data's order, when all has been asked, and then the journal
goes. Whatever of the two there is when a run starts is what it goes on from.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import Config
from multiloko_source.files import replacing

from .asking import Failure, Outcome
from .readers.json_files import RUN_HEADER

Key = tuple[str, str]
"""Config name and id of a question."""
Record = dict[str, Any]
"""A line: what came of one question."""


class RunFileError(MultiLoKoError):
    """A file to which this run cannot be added."""


def record_of(config: Config, identifier: str, outcome: Outcome) -> Record:
    """Return the line of a question. Without an answer its prediction is null, which is missing, and never empty."""
    record: Record = {"config": config.name, "id": identifier}
    if isinstance(outcome, Failure):
        return {**record, "prediction": None, "error": {"kind": outcome.kind, "message": outcome.message}}
    return {
        **record,
        "prediction": outcome.text,
        "finish_reason": outcome.finish_reason,
        "reasoning_characters": outcome.reasoning,
        "prompt_tokens": outcome.prompt_tokens,
        "completion_tokens": outcome.completion_tokens,
        "model": outcome.model,
    }


class RunFile:
    """The answers that there are, on disk and in memory.

    Args:
        path: the file.
        settings: how the answers are made: plain values, compared with what the files say.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self.path = path
        self.journal = path.with_name(f"{path.name}.part")
        self.settings = json.loads(json.dumps(settings))
        self.records: dict[Key, Record] = {}
        """Of every question that was asked, by config name and id; failed ones too."""
        self._file: int | None = None

    @contextmanager
    def opened(self) -> Iterator[RunFile]:
        """Read what there is, and keep the file and its journal for this process while the block lasts.

        Raises:
            RunFileError: another process has them, or they are of a run with other settings, or of none.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.path.with_name(f".{self.path.name}.lock"), timeout=0)
            lock.acquire()
        except Timeout:
            raise RunFileError(f"another process is writing {self.path}; wait for it, or name another file") from None
        try:
            self._read()
            yield self
        finally:
            if self._file is not None:
                os.close(self._file)
                self._file = None
            lock.release()

    def answered(self, key: Key) -> bool:
        """Return whether there is an answer to a question, be it empty."""
        record = self.records.get(key)
        return record is not None and record["prediction"] is not None

    def add(self, config: Config, identifier: str, outcome: Outcome) -> Record:
        """Keep what came of a question, and return its line. An answer is in the journal when this returns."""
        record = record_of(config, identifier, outcome)
        self.records[config.name, identifier] = record
        if not isinstance(outcome, Failure):
            self._append(record)
        return record

    def finish(self, order: Sequence[Key]) -> None:
        """Write the file with all records, in that order, and remove the journal."""
        with replacing(self.path) as staging, staging.open("wb") as file:
            file.write(_line({RUN_HEADER: self.settings}))
            for key in order:
                if key in self.records:
                    file.write(_line(self.records[key]))
            file.flush()
            os.fsync(file.fileno())  # the journal goes next, and with it the other copy
        if self._file is not None:
            os.close(self._file)
            self._file = None
        self.journal.unlink(missing_ok=True)

    def _append(self, record: Record) -> None:
        line = _line(record)
        if self._file is None:
            whole = _whole_length(self.journal)
            self._file = os.open(self.journal, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
            os.ftruncate(self._file, whole)  # a last line that was torn; another after it would be lost, too
            os.lseek(self._file, 0, os.SEEK_END)
            if not whole:
                line = _line({RUN_HEADER: self.settings}) + line
        view = memoryview(line)
        while view:
            view = view[os.write(self._file, view) :]

    def _read(self) -> None:
        if self.path.exists():
            if not self.path.is_file():
                raise RunFileError(f"{self.path} is no file; name another with -o")
            lines = self.path.read_bytes().split(b"\n")
            header = _value(lines[0])
            if not isinstance(header, dict) or header.keys() != {RUN_HEADER}:
                raise RunFileError(f"{self.path} is there and was not written by `multiloko run`; name another file")
            self._take(self.path, header[RUN_HEADER], lines[1:])
        if self.journal.exists():
            # What follows the last newline is a line that was torn when the process ended; others that cannot be read
            # were lost with the machine. Both are asked again.
            lines = self.journal.read_bytes().split(b"\n")[:-1]
            if lines:
                header = _value(lines[0])
                if not isinstance(header, dict) or header.keys() != {RUN_HEADER}:
                    raise RunFileError(f"{self.journal} does not begin as a journal does; remove it or name another -o")
                self._take(self.journal, header[RUN_HEADER], lines[1:])

    def _take(self, path: Path, settings: Any, lines: Sequence[bytes]) -> None:
        records = [record for line in lines if _is_record(record := _value(line))]
        differences = list(_differences(settings, self.settings))
        if differences and any(record["prediction"] is not None for record in records):
            what = "\n".join(f"  {each}" for each in differences)
            advice = "Ask as before to go on, or name another file with -o."
            raise RunFileError(f"{path} holds answers that were made in another way:\n{what}\n{advice}")
        for record in records:
            key = (record["config"], record["id"])
            if not self.answered(key):
                self.records[key] = record


def _is_record(value: Any) -> bool:
    if not isinstance(value, dict) or "prediction" not in value:
        return False
    return isinstance(value.get("config"), str) and isinstance(value.get("id"), str)


def _line(value: object) -> bytes:
    # Half of a surrogate pair, which a reply may hold, is in JSON the escape that it is in Python.
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _value(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _whole_length(path: Path) -> int:
    """Return how many bytes of a file are whole lines; 0 where there is none."""
    if not path.exists():
        return 0
    return path.read_bytes().rfind(b"\n") + 1


def _differences(before: Any, now: Any, name: str = "") -> Iterator[str]:
    """Yield what differs between two values of JSON: ``generation.max_tokens: 64 there, 256 now``."""
    if isinstance(before, dict) and isinstance(now, dict):
        for each in [*before, *(added for added in now if added not in before)]:
            yield from _differences(before.get(each), now.get(each), f"{name}.{each}" if name else each)
    elif before != now:
        yield f"{name}: {json.dumps(before, ensure_ascii=False)} there, {json.dumps(now, ensure_ascii=False)} now"
