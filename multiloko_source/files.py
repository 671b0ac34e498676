"""Files written whole or not at all, and where the Hugging Face libraries keep theirs."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary name beside ``path`` to write to; it takes the place of ``path`` when the block ends well."""
    staging = path.with_name(f".{path.name}.{os.getpid()}.incomplete")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield staging
        staging.replace(path)
    finally:
        staging.unlink(missing_ok=True)


def temporary_folder() -> Path:
    """Make a folder that is removed when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="multiloko-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's content, 64 hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def hugging_face_home() -> Path:
    """Folder of all Hugging Face caches, found as their libraries find it, without importing them."""
    default = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")) / "huggingface"
    return Path(os.environ.get("HF_HOME", default)).expanduser()


def datasets_cache() -> Path:
    """Folder in which ``datasets`` keeps prepared data."""
    return Path(os.environ.get("HF_DATASETS_CACHE", hugging_face_home() / "datasets")).expanduser()


def modules_cache() -> Path:
    """Folder in which ``datasets`` and ``evaluate`` keep code."""
    return Path(os.environ.get("HF_MODULES_CACHE", hugging_face_home() / "modules")).expanduser()
