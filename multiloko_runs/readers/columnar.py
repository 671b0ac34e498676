"""Tables of Arrow: Parquet files, and the folders that ``Dataset.save_to_disk`` writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from multiloko_runs.answers import Answer, AnswerError

from .opened import Opened
from .reading import Reading, listed, named_config
from .tables import KNOWN, answers_of_rows

PARQUET = b"PAR1"
_STATE, _DICT = "state.json", "dataset_dict.json"


@contextmanager
def arrow_errors(path: Path, what: str) -> Iterator[None]:
    """Turn what Arrow raises into an error that names the file."""
    import pyarrow as pa  # most files are not Parquet, and the import takes longer than reading them

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise AnswerError(f"{path}: not {what} ({error})") from error


def is_parquet(opened: Opened) -> bool:
    """Return whether the file begins as Parquet does."""
    return opened.head.startswith(PARQUET) and not opened.is_gzip


def parquet_rows(opened: Opened, columns: frozenset[str] | None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a Parquet file, with the columns of those names in any case, or all; a batch in memory."""
    import pyarrow.parquet as pq

    with arrow_errors(opened.path, "a Parquet file"), pq.ParquetFile(opened.path) as file:
        place = 0
        for batch in file.iter_batches(columns=_wanted(file.schema_arrow.names, columns), batch_size=4096):
            for row in batch.to_pylist():
                place += 1
                yield place, row


def parquet_columns(opened: Opened) -> list[str]:
    """Return the names of the columns of a Parquet file."""
    import pyarrow.parquet as pq

    with arrow_errors(opened.path, "a Parquet file"), pq.ParquetFile(opened.path) as file:
        return list(file.schema_arrow.names)


def _wanted(names: list[str], columns: frozenset[str] | None) -> list[str]:
    return [name for name in names if columns is None or name.strip().lower() in columns]


def _columns(reading: Reading) -> frozenset[str]:
    return KNOWN | {(reading.options.column or "prediction").lower(), "error"}


def read_parquet(opened: Opened, reading: Reading) -> Iterator[Answer]:
    """Yield the answers of a Parquet file with the columns of a table."""
    rows = ((place, _as_text(row)) for place, row in parquet_rows(opened, _columns(reading)))
    return answers_of_rows(rows, opened, reading)


def _as_text(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
        for name, value in row.items()
    }


def is_saved_dataset(opened: Opened) -> bool:
    """Return whether the folder is what ``save_to_disk`` writes, of a ``Dataset`` or of a ``DatasetDict``."""
    return opened.is_folder and ((opened.path / _STATE).is_file() or (opened.path / _DICT).is_file())


def read_saved_dataset(opened: Opened, reading: Reading) -> Iterator[Answer]:
    """Yield the answers of a saved data set. The splits of a ``DatasetDict`` are configs, or there is but one.

    Raises:
        AnswerError: a file is absent or cannot be read, or there are several splits that are no configs.
    """
    if (opened.path / _STATE).is_file():
        yield from _saved(opened, reading)
        return
    splits = _strings(Opened(opened.path / _DICT), "splits")
    if len(splits) > 1 and not all(map(named_config, splits)):
        raise AnswerError(f"{opened.path}: holds the splits {listed(splits)}; name the folder of one of them")
    for split in splits:
        source = split if len(splits) > 1 else opened.source
        yield from _saved(Opened(opened.path / split, source), reading)


def _saved(opened: Opened, reading: Reading) -> Iterator[Answer]:
    names = _strings(Opened(opened.path / _STATE), "_data_files")
    rows = ((place, _as_text(row)) for place, row in enumerate(_arrow_rows(opened, names, _columns(reading)), start=1))
    yield from answers_of_rows(rows, opened, reading)


def _arrow_rows(opened: Opened, names: list[str], columns: frozenset[str]) -> Iterator[dict[str, Any]]:
    import pyarrow as pa

    for name in names:
        path = opened.path / name
        if not path.is_file():
            raise AnswerError(f"{opened.path / _STATE} names {name!r}, which is not there")
        with arrow_errors(path, "a stream of Arrow tables"), path.open("rb") as file:
            for batch in pa.ipc.open_stream(file):
                yield from batch.select(_wanted(batch.schema.names, columns)).to_pylist()


def _strings(opened: Opened, key: str) -> list[str]:
    """The names under a key of a file of a saved data set: each one part of a path, so that none leads elsewhere."""
    value = opened.whole
    listed = value.get(key) if isinstance(value, dict) else None
    names = [each.get("filename") if isinstance(each, dict) else each for each in listed or ()]
    if not names or not all(isinstance(each, str) and Path(each).name == each for each in names):
        raise AnswerError(
            f"{opened.path}: expected names of files or folders under {key!r}, found {str(listed)[:60]!r}"
        )
    return [str(each) for each in names]
