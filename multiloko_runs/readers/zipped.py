"""Entries of a zip archive, read one at a time into memory and never written to disk; deflated, or with Zstandard."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from multiloko_runs.answers import AnswerError

ZIP = b"PK\x03\x04"
MOST_ENTRY = 1 << 28
"""Bytes that one entry may hold. A sample of a log with all its events has some ten thousands."""
MOST_ENTRIES = 1 << 32
"""Bytes that all entries that are read may hold together."""
_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<4s22xHH")


class Zipped:
    """A zip archive, opened to read some of its entries."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        """Read the list of entries.

        Raises:
            AnswerError: it is no whole zip archive.
        """
        self.path = path
        self.file = file
        self.left = MOST_ENTRIES
        try:
            self.archive = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise AnswerError(f"{path}: not a whole zip archive ({error})") from error

    def names(self) -> list[str]:
        """Names of the entries, in order of the archive; one that was replaced counts once."""
        return list(dict.fromkeys(self.archive.namelist()))

    def read(self, name: str) -> bytes:
        """Return the content of an entry.

        Raises:
            AnswerError: it is damaged, encrypted, compressed in another way, or holds too much.
        """
        where = f"{self.path}: {name}"
        try:
            info = self.archive.getinfo(name)
            data = b"".join(self._pieces(info, where))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, struct.error) as error:
            raise AnswerError(f"{where}: the entry is damaged ({error})") from error
        except (RuntimeError, NotImplementedError) as error:
            raise AnswerError(f"{where}: the entry cannot be read ({error})") from error
        if zlib.crc32(data) != info.CRC:
            raise AnswerError(f"{where}: the entry is damaged (wrong checksum)")
        return data

    def _pieces(self, info: zipfile.ZipInfo, where: str) -> Iterator[bytes]:
        held = 0
        with self._open(info) as entry:
            while piece := entry.read(1 << 16):  # what the archive says of its size need not be true
                held += len(piece)
                self.left -= len(piece)
                if held > MOST_ENTRY or self.left < 0:
                    limit = MOST_ENTRY if held > MOST_ENTRY else MOST_ENTRIES
                    raise AnswerError(f"{where}: unpacks to more than {limit:,} bytes; no log is as long as that")
                yield piece

    def _open(self, info: zipfile.ZipInfo) -> BinaryIO:
        if info.compress_type != _ZSTANDARD:
            return self.archive.open(info)  # type: ignore[return-value]
        import pyarrow as pa  # Python's own zipfile knows Zstandard from 3.14 on

        self.file.seek(info.header_offset)
        _, name, extra = _LOCAL_HEADER.unpack(self.file.read(_LOCAL_HEADER.size))
        self.file.seek(name + extra, io.SEEK_CUR)
        packed = self.file.read(info.compress_size)
        return pa.CompressedInputStream(pa.BufferReader(packed), "zstd")  # type: ignore[no-any-return]
