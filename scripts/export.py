"""``multiloko export``: a data set repository that every version of ``datasets`` loads without running code."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from multiloko_metric.languages import ALL, LANGUAGES
from multiloko_source.expected import CONFIG_NAMES, FEWSHOT_EXAMPLES, QUESTIONS, dataset_infos, features
from multiloko_source.questions import Data
from multiloko_source.source import DEV, FEWSHOT

from .card import PLACEHOLDER, Content, dataset_card
from .errors import CommandError
from .eval_yaml import EVAL_YAML, eval_yaml
from .options import add_gold_options, open_gold
from .terminal import tracked

COLUMNS = (
    "question",
    "targets",
    "target",
    "output_type",
    "text",
    "id",
    "source_language",
    "question_language",
    "translated",
    "translation_type",
)
"""The ten fields, in the order of a table for people: the question and its answers come before the long paragraph."""

_ROW_GROUP = 250
"""Rows that are read together. One config's questions: a page of the viewer reads no more, also in ``all``."""
SAMPLE_MARK = "SAMPLE.md"
"""File at the top of an export of the sample, and of nothing else: real data must never go into a public copy of it."""

_OWN = frozenset({SAMPLE_MARK, "README.md", "dataset_infos.json", EVAL_YAML, ".gitattributes", "data", "builder"})
_BUILDER = {
    "multiloko": ("multiloko.py",),
    "multiloko_source": ("multiloko_source/*.py",),
    "multiloko_metric": tuple(
        f"multiloko_metric/{name}.py" for name in ("__init__", "citation", "errors", "languages")
    ),
}
"""What reads the official files, by the package it is found through."""
_SHOWN = 5


@dataclass(frozen=True)
class Export:
    """What was written."""

    folder: Path
    rows: Mapping[str, Mapping[str, int]]
    """Number of rows of each split of each config."""
    short: tuple[str, ...]
    """Configs without the expected number of questions, a line each."""
    notes: tuple[str, ...]
    """What else a person should know."""

    @property
    def files(self) -> list[Path]:
        """All files, sorted."""
        return sorted(path for path in self.folder.rglob("*") if path.is_file())


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("export", help="write a data set repository of Parquet files")
    parser.add_argument("folder", type=Path, metavar="DIR", help="where to: a new folder, or an earlier export")
    add_gold_options(parser)
    parser.add_argument("--partial", action="store_true", help="accept data that lack questions")
    parser.add_argument("--force", action="store_true", help="replace DIR whatever it holds")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    folder = arguments.folder.expanduser().resolve()
    _require_replaceable(folder, arguments.force)
    data = open_gold(arguments)
    with replacing_folder(folder) as staging:
        export = export_data(data, staging, sample=arguments.sample)
        require_complete(export, data.location, allowed=arguments.sample or arguments.partial)
    for note in export.notes:
        print(f"note: {note}", file=sys.stderr)
    rows = sum(sum(splits.values()) for splits in export.rows.values())
    print(f"{len(export.rows)} configs, {rows:,} rows in {folder}", file=sys.stderr)
    print(f'  load_dataset("{arguments.folder}", "{example_config(export.rows)}")', file=sys.stderr)
    return 0


def example_config(rows: Iterable[str]) -> str:
    """A config to show: French where it is there, as everywhere in the manual."""
    return "fr" if "fr" in rows else next(iter(rows))


def export_data(
    data: Data, folder: Path, *, sample: bool = False, repository: str = PLACEHOLDER, metric: str = PLACEHOLDER
) -> Export:
    """Write a data set repository into the empty folder ``folder``. The same data give the same bytes.

    Args:
        data: a source or the installed data.
        folder: where to.
        sample: whether the data are the invented sample, which the card then says.
        repository: name of the data set on the Hub, for the card.
        metric: name of the metric's Space, for the card.

    Raises:
        CommandError: there is nothing of any config.
        SourceError: a line of the source is malformed.
    """
    names = [name for name in CONFIG_NAMES if data.splits(name)]
    notes = []
    if ALL in names and not all(data.splits(language.code) for language in LANGUAGES):
        names.remove(ALL)
        notes.append(f"{ALL} is left out: the data lack languages")
    if not names:
        raise CommandError(f"{data.location} holds nothing to export")
    expected = dataset_infos()
    infos: dict[str, Any] = {}
    for name in tracked(names, "Exporting"):
        infos[name] = {**expected[name], **_write_config(data, name, folder)}
    rows = {name: _examples(info) for name, info in infos.items()}
    paths = {name: {split: file_name(name, split) for split in splits} for name, splits in rows.items()}
    benchmark = eval_yaml(data, rows, sample=sample)
    card = dataset_card(Content(rows, sample, repository, metric, benchmark=benchmark is not None), paths)
    texts = {
        "README.md": card,
        "dataset_infos.json": json.dumps(infos, ensure_ascii=False, separators=(",", ":")) + "\n",
        ".gitattributes": "*.parquet filter=lfs diff=lfs merge=lfs -text\n",
    }
    if benchmark is not None:
        texts[EVAL_YAML] = benchmark
    if sample:
        texts[SAMPLE_MARK] = "An invented sample in the shape of MultiLoKo. It is not MultiLoKo data.\n"
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode())
    _copy_builder(folder / "builder")
    return Export(folder, rows, tuple(_shortfall(rows)), (*notes, *_fewshot_shortfall(rows, sample)))


def file_name(name: str, split: str) -> str:
    """Name of the file of a split in the repository."""
    return f"data/{name}/{split}-00000-of-00001.parquet"


def require_complete(export: Export, location: str, *, allowed: bool) -> None:
    """Refuse an export that lacks questions.

    Raises:
        CommandError: it does, and that is not ``allowed``.
    """
    if not export.short or allowed:
        return
    more = [f"and {len(export.short) - _SHOWN} more"] if len(export.short) > _SHOWN else []
    head = f"{location} is not complete; nothing was written"
    raise CommandError("\n  ".join([head, *export.short[:_SHOWN], *more, "--partial takes what there is"]))


def is_export(names: Iterable[str]) -> bool:
    """Whether the files and folders at the top of a repository are those of an export."""
    return {"README.md", "dataset_infos.json", "builder"} <= set(names)


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """Give an empty folder beside ``folder``, which takes its place when the block ends well."""
    staging, former = (folder.with_name(f".{folder.name}.{os.getpid()}.{end}") for end in ("incomplete", "former"))
    staging.mkdir(parents=True)
    try:
        yield staging
        if folder.exists():
            folder.rename(former)
        staging.rename(folder)
    finally:
        if former.exists() and not folder.exists():
            former.rename(folder)
        shutil.rmtree(staging, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)


def _require_replaceable(folder: Path, force: bool) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise CommandError(f"{folder} is a file: name a new folder")
    names = {path.name for path in folder.iterdir()}
    if ".git" in names:
        raise CommandError(f"{folder} is a git checkout and would lose its history: export elsewhere, then copy")
    foreign = sorted(names - _OWN)
    if names and not force and (foreign or not is_export(names)):
        found = f"holds {', '.join(foreign[:_SHOWN])}" if foreign else "is no earlier export"
        raise CommandError(f"{folder} {found}: name another folder, or --force to replace it with all that is in it")


def _write_config(data: Data, name: str, folder: Path) -> dict[str, Any]:
    """Write the splits of a config; return what dataset_infos.json says of them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema()
    splits: dict[str, dict[str, Any]] = {}
    downloaded = 0
    for split in data.splits(name):
        path = folder / file_name(name, split)
        path.parent.mkdir(parents=True, exist_ok=True)
        table = pa.Table.from_pylist(list(data.rows(name, split)), schema=schema)
        # Without the metadata of Arrow and Hugging Face, every version of datasets reads it, and so does everyone else.
        options = {"row_group_size": _ROW_GROUP, "store_schema": False, "write_page_index": True}
        with path.open("wb") as file:  # not by its name, which pyarrow may not be able to spell
            pq.write_table(table, file, compression="snappy", **options)
        downloaded += path.stat().st_size
        sizes = {"num_bytes": table.nbytes, "num_examples": len(table)}
        splits[split] = {"name": split, **sizes, "dataset_name": "multiloko"}
    total = sum(split["num_bytes"] for split in splits.values())
    known = features()
    return {
        "features": {column: known[column] for column in COLUMNS},
        "splits": splits,
        "download_size": downloaded,
        "dataset_size": total,
    }


def _schema() -> Any:
    import pyarrow as pa

    kinds = {"targets": pa.list_(pa.string()), "translated": pa.bool_()}
    return pa.schema([(column, kinds.get(column, pa.string())) for column in COLUMNS])


def _examples(info: dict[str, Any]) -> dict[str, int]:
    return {split: counts["num_examples"] for split, counts in info["splits"].items()}


def _shortfall(rows: Mapping[str, Mapping[str, int]]) -> list[str]:
    """A line for each config without the expected number of questions, those that are there first."""
    short, missing = [], []
    for name in CONFIG_NAMES:
        expected = QUESTIONS * (len(LANGUAGES) if name == ALL else 1)
        found = rows.get(name, {}).get(DEV)
        if found is None:
            missing.append(f"{name}: missing")
        elif found != expected:
            short.append(f"{name}: {found:,} questions instead of {expected:,}")
    return short + missing


def _fewshot_shortfall(rows: Mapping[str, Mapping[str, int]], sample: bool) -> Iterator[str]:
    for language in LANGUAGES:
        found = rows.get(language.code, {FEWSHOT: FEWSHOT_EXAMPLES}).get(FEWSHOT, 0)
        if found != FEWSHOT_EXAMPLES and not sample:
            yield f"{language.name}: {found} few-shot examples instead of {FEWSHOT_EXAMPLES}"


def _copy_builder(folder: Path) -> None:
    """Copy the loader and what it imports of this project."""
    for package, patterns in _BUILDER.items():
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            raise CommandError(f"the module {package} is not there; install multiloko again")
        top = Path(spec.origin).parent if spec.submodule_search_locations is None else Path(spec.origin).parent.parent
        for path in sorted(found for pattern in patterns for found in top.glob(pattern)):
            target = folder / path.relative_to(top)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
