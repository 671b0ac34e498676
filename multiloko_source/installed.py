"""Data that ``multiloko install`` put into the Hugging Face cache, read without importing ``datasets``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from multiloko_metric.languages import ALL

from .errors import SourceError
from .expected import CONFIG_NAMES
from .files import datasets_cache
from .rows import FIELDS, Row
from .source import DEV, LOADER_VERSION, Source, open_source

ORIGIN_FILE = "multiloko_origin.json"
"""File beside the prepared data that says where it came from."""


@dataclass(frozen=True)
class InstalledConfig:
    """One prepared config."""

    name: str
    folder: Path
    fingerprint: str
    """Fingerprint of the source it was prepared from."""
    origin: str
    """The source, as the person named it."""
    examples: dict[str, int]
    """Number of rows of each split."""

    @property
    def size(self) -> int:
        """Size on disk in bytes."""
        return sum(path.stat().st_size for path in self.folder.iterdir())


def dataset_folder(dataset: str) -> Path:
    """Folder of a data set in the cache."""
    return datasets_cache() / dataset


def config_folder(dataset: str, name: str, fingerprint: str) -> Path:
    """Folder of a prepared config: the three levels below the data set's are what ``load_dataset`` looks for."""
    return dataset_folder(dataset) / name / LOADER_VERSION / fingerprint


def open_data(location: str | Path | Source | None = None) -> Source | Installed:
    """Open a folder, an archive or a Hub repository, or what is installed where none is named.

    Raises:
        SourceError: nothing is named and nothing is installed, or the place cannot be read.
    """
    if location is not None:
        return open_source(location)
    installed = Installed()
    if not installed.configs:
        raise SourceError("no data is installed: run `multiloko install`, or name a folder or an archive with -d")
    return installed


@dataclass(frozen=True)
class Installed:
    """The prepared configs of a data set. Has the same ``splits`` and ``rows`` as a ``Source``."""

    dataset: str = "multiloko"

    @cached_property
    def configs(self) -> dict[str, InstalledConfig]:
        """What is installed, by config name, in the fixed order."""
        found = {}
        paths = dataset_folder(self.dataset).glob(f"*/{LOADER_VERSION}/*/{ORIGIN_FILE}")
        # Where an installation was cut there may be two of a config; load_dataset takes the newest folder.
        for folder in sorted((path.parent for path in paths), key=lambda folder: folder.stat().st_mtime):
            name = folder.parent.parent.name
            origin = json.loads((folder / ORIGIN_FILE).read_text(encoding="utf-8"))
            splits = json.loads((folder / "dataset_info.json").read_text(encoding="utf-8"))["splits"]
            examples = {split: info["num_examples"] for split, info in splits.items()}
            found[name] = InstalledConfig(name, folder, folder.name, origin["location"], examples)
        return {name: found[name] for name in CONFIG_NAMES if name in found}

    @property
    def location(self) -> str:
        """Where the data came from, for messages."""
        origins = sorted({config.origin for config in self.configs.values()})
        return f"installed {self.dataset} ({', '.join(origins) or 'nothing'})"

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the source of what is installed; empty where nothing is."""
        return next((config.fingerprint for config in self.configs.values()), "")

    def splits(self, name: str, *, required: bool = False) -> tuple[str, ...]:
        """Splits of a config; empty where it is not installed.

        Raises:
            SourceError: it is not installed and ``required``.
        """
        config = self.configs.get(ALL if name.strip().lower() == ALL else name)
        if config is None and required:
            raise SourceError(f"config {name!r} is not installed; `multiloko install` installs all, `list` shows them")
        return tuple(config.examples) if config else ()

    def rows(self, name: str, split: str = DEV, columns: Sequence[str] = FIELDS) -> Iterator[Row]:
        """Yield the rows of a split, with the fields that are asked for.

        Raises:
            SourceError: there is no such config or split.
        """
        import pyarrow as pa

        available = self.splits(name, required=True)
        if split not in available:
            raise SourceError(f"{self.location}: config {name!r} has no split {split!r}, only {', '.join(available)}")
        for path in sorted(self.configs[name].folder.glob(f"{self.dataset}-{split}*.arrow")):
            with pa.memory_map(str(path)) as file, pa.ipc.open_stream(file) as stream:
                for batch in stream:
                    yield from batch.select(list(columns)).to_pylist()
