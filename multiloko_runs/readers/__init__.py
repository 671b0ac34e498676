"""Answers of a model, read from what people have: tables, logs of harnesses, output of batches, folders of them.

`READERS` is the registry: what each source is called, how it is recognised by its content, how it is read.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from multiloko_runs.answers import Answer, AnswerError

from .columnar import is_parquet, is_saved_dataset, read_parquet, read_saved_dataset
from .delimited import is_delimited, read_delimited
from .folders import files_of
from .inspect_logs import is_eval, is_json_log, read_eval, read_json_log
from .json_files import is_array, is_json_lines, is_nested, read_array, read_json_lines, read_nested
from .lighteval import is_lighteval, read_lighteval
from .lm_eval import is_lm_eval, read_lm_eval
from .openai_batch import is_batch, read_batch
from .opened import Opened
from .reading import Reading, ReadOptions

__all__ = ["READERS", "ReadOptions", "Reader", "Reading", "detect", "read_answers"]


class Reader(NamedTuple):
    """One kind of source."""

    what: str
    """What it is, for people."""
    detect: Callable[[Opened], bool]
    """Whether something is of that kind, by its content."""
    read: Callable[[Opened, Reading], Iterator[Answer]]


def _read_folder(opened: Opened, reading: Reading) -> Iterator[Answer]:
    for file in files_of(opened, reading):
        yield from _reader(file, None).read(file, reading)


def _is_folder(opened: Opened) -> bool:
    return opened.is_folder


READERS: dict[str, Reader] = {
    "datasets": Reader("a saved datasets folder", is_saved_dataset, read_saved_dataset),
    "folder": Reader("a folder of logs, or of files named after languages", _is_folder, _read_folder),
    "inspect-eval": Reader("a .eval log of inspect_ai", is_eval, read_eval),
    "inspect-json": Reader("a .json log of inspect_ai", is_json_log, read_json_log),
    "lighteval": Reader("details of lighteval, as Parquet", is_lighteval, read_lighteval),
    "parquet": Reader("Parquet with language, id and prediction", is_parquet, read_parquet),
    "lm-eval": Reader("samples of lm-evaluation-harness", is_lm_eval, read_lm_eval),
    "openai-batch": Reader("output of the OpenAI batch API", is_batch, read_batch),
    "nested": Reader("JSON, {config: {id: answer}}", is_nested, read_nested),
    "array": Reader("a JSON array of objects", is_array, read_array),
    "jsonl": Reader("JSON lines with language, id and prediction", is_json_lines, read_json_lines),
    "csv": Reader("a table with commas, tabs or semicolons", is_delimited, read_delimited),
}
"""Every reader by name, in the order in which they are tried: the more particular first."""


def detect(opened: Opened) -> str:
    """Return the name of the reader for a file or folder.

    Raises:
        AnswerError: none recognises it; the message lists what was tried.
    """
    opened.refuse_wide()
    for name, reader in READERS.items():
        if reader.detect(opened):
            return name
    if opened.start == "{":  # what is wrong with the JSON says more than a list
        first = next((line for _, line in opened.lines()), "")
        return "jsonl" if first.endswith("}") else "nested"
    tried = "".join(f"\n  {name}: {reader.what}" for name, reader in READERS.items())
    begins = f"a file that begins with {opened.head[:8]!r}" + (" (unpacked)" if opened.is_gzip else "")
    raise AnswerError(f"{opened.path}: {begins} is none of these; --reader NAME says which it is:{tried}")


def _reader(opened: Opened, name: str | None) -> Reader:
    if name is None:
        return READERS[detect(opened)]
    if name not in READERS:
        nearest = difflib.get_close_matches(name, READERS, n=2)
        meant = f" (nearest: {', '.join(nearest)})" if nearest else ""
        raise AnswerError(f"no reader is called {name!r}{meant}; there are: {', '.join(READERS)}")
    reader = READERS[name]
    if opened.is_folder != (name in ("datasets", "folder")):
        raise AnswerError(
            f"{opened.path} is {'a folder' if opened.is_folder else 'no folder'}: {name} is {reader.what}"
        )
    return reader


def read_answers(path: Path, reading: Reading | None = None) -> Iterator[Answer]:
    """Yield the answers of a file or folder, in its order.

    Args:
        path: of the file or folder.
        reading: how to read it; what there is to say of it is in its notes once all answers are taken.

    Raises:
        AnswerError: there is no such file, no reader knows it, or it is not as it should be; the message has the place.
        MultiLoKoError: a line is not JSON.
    """
    reading = reading or Reading()
    opened = Opened(path)
    name = reading.options.reader
    if opened.is_folder and name not in (None, "datasets", "folder"):
        for file in files_of(opened, reading):
            yield from _reader(file, name).read(file, reading)
    else:
        yield from _reader(opened, name).read(opened, reading)
