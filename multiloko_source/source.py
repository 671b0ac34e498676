"""One source of data: a folder in the official layout, an encrypted archive, or a Hub repository."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path

from multiloko_metric.languages import ALL, CONFIGS, LANGUAGES, Config, parse_config

from .errors import SourceError
from .files import datasets_cache, sha256_of, temporary_folder
from .rows import Row, read_fewshot, read_rows

LOADER_VERSION = "1.0.0"
"""Version of the prepared data: a change of what rows look like raises it, and so the fingerprint of every source."""

OFFICIAL_ARCHIVE = "https://github.com/facebookresearch/multiloko/raw/main/benchmark_data.tar.xz.enc"

DEV = "dev"
FEWSHOT = "fewshot"
_FEWSHOT_FILES = ("knowledge_fewshot", "fewshot")
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


def members(name: str) -> tuple[Config, ...]:
    """The configs whose rows make up the config ``name``: itself, or the 31 local ones for ``all``."""
    if name.strip().lower() == ALL:
        return CONFIGS[: len(LANGUAGES)]
    return (parse_config(name),)


@dataclass(frozen=True)
class Source:
    """A folder in the official layout. What is not there is not an error: a config without a file has no splits."""

    folder: Path
    """Folder that holds one folder per language."""
    location: str
    """What the person named: a folder, an archive or a Hub repository."""
    strict: bool = False
    """Whether a row that contradicts its file's name is an error."""
    contradictions: list[str] = field(default_factory=list, compare=False)
    """A message for each such row read so far."""

    @cached_property
    def files(self) -> dict[str, Path]:
        """Every data file, by its name in the official layout, sorted."""
        return {
            f"{language.name}/{path.name}": path
            for language in LANGUAGES
            for path in sorted((self.folder / language.name).glob("*.jsonl"))
        }

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the content of all files and of the loader's version, 32 hexadecimal digits."""
        digest = hashlib.sha256(f"multiloko {LOADER_VERSION}\n".encode())
        for name, path in self.files.items():
            digest.update(f"{sha256_of(path)}  {name}\n".encode())
        return digest.hexdigest()[:32]

    def splits(self, name: str, *, required: bool = False) -> tuple[str, ...]:
        """Splits of a config: dev, fewshot, then other subsets by name. Empty where the source has no question of it.

        Raises:
            SourceError: there are none and they are ``required``.
        """
        subsets = {subset for config in members(name) for subset in self._subsets(config)}
        if not subsets and required:
            expected = " or ".join(config.path() for config in members(name)[:2])
            raise SourceError(f"{self.location} holds nothing of config {name!r}: expected {expected}")
        if not subsets:
            return ()
        fewshot = [FEWSHOT] if any(self._fewshot_file(config) for config in members(name)) else []
        return (*sorted(subsets & {DEV}), *fewshot, *sorted(subsets - {DEV}))

    def rows(self, name: str, split: str = DEV) -> Iterator[Row]:
        """Yield the rows of a split, ten fields each, in file order.

        Raises:
            SourceError: the source has no such split of that config.
            MultiLoKoError: one of its lines is malformed.
        """
        available = self.splits(name, required=True)
        if split not in available:
            raise SourceError(f"{self.location}: config {name!r} has no split {split!r}, only {', '.join(available)}")
        return chain.from_iterable(self._rows(config, split) for config in members(name))

    def _rows(self, config: Config, split: str) -> Iterator[Row]:
        if split == FEWSHOT:
            path = self._fewshot_file(config)
            local = Config(config.question, config.question)
            return read_fewshot(path, local) if path else iter(())
        path = self.files.get(config.path(split))
        return read_rows(path, config, self._on_contradiction) if path else iter(())

    def _subsets(self, config: Config) -> list[str]:
        pattern = re.compile(re.escape(config.path("\0")).replace("\0", r"(?P<subset>(?:(?!_translated_)[^/])+)"))
        found = (pattern.fullmatch(name) for name in self.files)
        return [match["subset"] for match in found if match and match["subset"] not in _FEWSHOT_FILES]

    def _fewshot_file(self, config: Config) -> Path | None:
        names = (f"{config.question.name}/{stem}.jsonl" for stem in _FEWSHOT_FILES)
        return next((self.files[name] for name in names if name in self.files), None)

    def _on_contradiction(self, message: str) -> None:
        if self.strict:
            raise SourceError(message)
        self.contradictions.append(message)


def open_source(location: str | Path | Source, *, keep: bool = False, strict: bool = False) -> Source:
    """Open a folder in the official layout, an encrypted archive or a Hub repository such as ``facebook/multiloko``.

    Args:
        location: path or repository; a source that is open already is returned as it is.
        keep: keep an archive's files beside the Hugging Face cache, for the next time; otherwise they are removed
            when the process ends.
        strict: treat a row that contradicts its file's name as an error.

    Raises:
        SourceError: there is no such place, it cannot be read, or it holds no data in the official layout.
    """
    if isinstance(location, Source):
        return location
    path = Path(location).expanduser()
    if path.is_dir():
        folder = path
    elif path.is_file():
        folder = _unpacked(path, keep)
    elif _HUB_NAME.fullmatch(str(location)):
        folder = _from_hub(str(location))
    else:
        raise SourceError(f"{location} is neither a folder, an archive nor a Hub repository (owner/name)")
    inner = folder / "benchmark_data"
    source = Source(inner if inner.is_dir() else folder, str(location), strict)
    if not source.files:
        layout = "one folder per language, each with dev.jsonl: french/dev.jsonl"
        raise SourceError(f"{location} holds no data in the official layout ({layout})")
    return source


def _unpacked(archive: Path, keep: bool) -> Path:
    folder = kept_archive(sha256_of(archive))
    if folder.is_dir():
        return folder
    from .archive import extract  # the cipher takes longer to import than most commands take to run

    if not keep:
        folder = temporary_folder() / "data"
    extract(archive, folder)
    return folder


def kept_archive(sha256: str) -> Path:
    """Folder in which the files of the archive with that SHA-256 are kept."""
    return datasets_cache() / "downloads" / "multiloko" / sha256


def _from_hub(repository: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, LocalEntryNotFoundError, RepositoryNotFoundError

    try:
        return Path(snapshot_download(repository, repo_type="dataset", allow_patterns="*/*.jsonl"))
    except GatedRepoError as error:
        advice = f"ask for access on its page, then `hf auth login` (https://huggingface.co/datasets/{repository})"
        raise SourceError(f"{repository} is gated and your token has no access yet: {advice}") from error
    except RepositoryNotFoundError as error:
        raise SourceError(f"there is no folder, archive or Hub data set {repository} (or it is private)") from error
    except (LocalEntryNotFoundError, HfHubHTTPError, OSError) as error:
        raise SourceError(f"the Hub data set {repository} could not be fetched: {error}") from error
