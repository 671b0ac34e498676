"""The official archive, downloaded: goes on where it was cut, and counts only when it is whole."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import Protocol

from .errors import SourceError
from .expected import require_every_file
from .files import datasets_cache, replacing, sha256_of
from .source import OFFICIAL_ARCHIVE, open_source

_ATTEMPTS = 5
_BLOCK = 1 << 20
_PARTIAL = 206
_RANGE_REFUSED = 416


class Progress(Protocol):
    """Called with the bytes there are and, where the server says so, the bytes there will be."""

    def __call__(self, done: int, total: int | None) -> object:
        """Take the counts."""


def download(url: str, path: Path, progress: Progress = lambda done, total: None) -> str:
    """Download ``url`` to ``path`` and return its SHA-256, which is also recorded in ``<path>.sha256``.

    What an earlier try left in ``<path>.part`` is gone on with, where the server can.

    Raises:
        SourceError: the server cannot be reached, refuses, or keeps cutting the connection. What arrived is kept.
    """
    part = path.with_name(f"{path.name}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(1, _ATTEMPTS + 1):
        have = part.stat().st_size if part.exists() else 0
        try:
            if _fetch(url, part, progress):
                break
        except urllib.error.HTTPError as error:
            raise SourceError(f"{url}: the server answers {error.code} {error.reason}") from error
        except ValueError as error:
            raise SourceError(f"{url} is no address that can be downloaded: {error}") from error
        except (OSError, HTTPException) as error:
            grew = part.exists() and part.stat().st_size > have
            if attempt == _ATTEMPTS or not grew:
                raise SourceError(
                    f"{url}: the download was cut ({error}); start again, it goes on from there"
                ) from error
    part.replace(path)
    checksum = sha256_of(path)
    with replacing(path.with_name(f"{path.name}.sha256")) as staging:
        staging.write_text(f"{checksum}  {path.name}\n", encoding="utf-8")
    return checksum


def _fetch(url: str, part: Path, progress: Progress) -> bool:
    """Fetch what ``part`` lacks. True when the file is whole."""
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        response = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        if error.code == _RANGE_REFUSED and error.headers.get("Content-Range", "").endswith(f"/{have}"):
            return True  # there is nothing after what we have
        if error.code == _RANGE_REFUSED:
            part.unlink()  # another file than the one we had begun
            return _fetch(url, part, progress)
        raise
    with response:
        goes_on = response.status == _PARTIAL
        length = response.headers.get("Content-Length")
        done = have if goes_on else 0
        total = done + int(length) if length else None
        with part.open("ab" if goes_on else "wb") as file:
            while block := response.read(_BLOCK):
                file.write(block)
                done += len(block)
                progress(done, total)
    if total is not None and done < total:
        raise OSError(f"{done:,} of {total:,} bytes arrived")
    return True


def official_url() -> str:
    """Address of the official archive; ``MULTILOKO_URL`` sets another."""
    return os.environ.get("MULTILOKO_URL", OFFICIAL_ARCHIVE)


def download_official(folder: Path | None = None, progress: Progress = lambda done, total: None) -> Path:
    """Return the official archive, downloaded into ``folder`` (default: beside the cache) unless it is there already.

    Raises:
        SourceError: it cannot be downloaded, or what came does not decrypt, extract and hold the 151 dev files.
    """
    url = official_url()
    archive = (folder or datasets_cache() / "downloads" / "multiloko") / url.rpartition("/")[2]
    if not archive.exists():
        download(url, archive, progress)
    try:
        require_every_file(open_source(archive, keep=folder is None))
    except SourceError:
        if "MULTILOKO_PASSWORD" not in os.environ:  # which may be what is wrong
            archive.unlink()  # so that the next try downloads it again
        raise
    return archive
