"""The encrypted archive in which the authors publish the data.

It is a tar.xz encrypted as ``openssl enc -aes-256-cbc -pbkdf2 -iter 100000`` does it, with a password that the official
README prints: ``Salted__``, eight bytes of salt, then AES-256 in CBC mode with PKCS #7 padding, key and initialisation
vector drawn from PBKDF2-HMAC-SHA256. The password keeps the questions away from crawlers, not from people.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import os
import shutil
import tarfile
from pathlib import Path, PurePosixPath

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

from .errors import SourceError
from .files import replacing

PASSWORD = "multiloko"
MAX_BYTES = 4 << 30
"""More than this is refused: about 25 times the size of the whole benchmark."""

_MAGIC = b"Salted__"
_XZ_MAGIC = b"\xfd7zXZ\x00"
_ROUNDS = 100_000
_BLOCK = 16


def decrypt(data: bytes, password: str = PASSWORD, name: str = "archive") -> bytes:
    """Return the tar.xz inside ``data``, the bytes that ``openssl enc -d`` would write.

    Raises:
        SourceError: not such a file, a wrong password, or a file cut short; ``name`` is how the message calls it.
    """
    header = len(_MAGIC) + 8
    if not data.startswith(_MAGIC[: len(data)]):
        raise SourceError(f"{name} is not an encrypted archive: it starts with {data[:8]!r}, not with {_MAGIC!r}")
    if len(data) <= header or (len(data) - header) % _BLOCK:
        raise SourceError(f"{name} is cut short: {len(data):,} bytes do not end at a cipher block; download it again")
    decryptor = _cipher(data[len(_MAGIC) : header], password).decryptor()
    plain = decryptor.update(data[header:]) + decryptor.finalize()
    if not plain.startswith(_XZ_MAGIC):
        raise SourceError(f"{name} does not decrypt to a tar.xz: wrong password (MULTILOKO_PASSWORD sets another)")
    padding = plain[-1]
    if not 1 <= padding <= _BLOCK or plain[-padding:] != bytes([padding]) * padding:
        raise SourceError(f"{name} is cut short: it decrypts, but its end is missing; download it again")
    return plain[:-padding]


def encrypt(data: bytes, password: str = PASSWORD, salt: bytes | None = None) -> bytes:
    """Return ``data`` encrypted as ``openssl enc -e`` does it; ``salt`` is drawn at random unless given (8 bytes)."""
    salt = os.urandom(8) if salt is None else salt
    padding = _BLOCK - len(data) % _BLOCK
    encryptor = _cipher(salt, password).encryptor()
    return _MAGIC + salt + encryptor.update(data + bytes([padding]) * padding) + encryptor.finalize()


def _cipher(salt: bytes, password: str) -> Cipher[CBC]:
    secret = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ROUNDS, dklen=48)
    return Cipher(AES(secret[:32]), CBC(secret[32:]))


def extract(archive: Path, folder: Path, max_bytes: int = MAX_BYTES) -> None:
    """Decrypt and unpack ``archive`` into the new folder ``folder``, whole or not at all.

    Only regular files below the folder are ever written: links, devices and names that lead elsewhere are refused.

    Raises:
        SourceError: the archive cannot be decrypted, is damaged, is too large or holds what it must not hold.
    """
    plain = decrypt(archive.read_bytes(), os.environ.get("MULTILOKO_PASSWORD", PASSWORD), name=str(archive))
    staging = folder.with_name(f"{folder.name}.incomplete-{os.getpid()}")
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    try:
        with lzma.open(io.BytesIO(plain)) as stream, tarfile.open(fileobj=stream, mode="r:") as tar:
            _unpack(tar, staging, max_bytes, archive)
            while stream.read(1 << 20):  # tar ends before xz does, and only there is the content proved whole
                pass
        rename_new(staging, folder)
    except (lzma.LZMAError, EOFError, tarfile.TarError) as error:
        raise SourceError(f"{archive} is damaged or cut short ({error}); download it again") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _unpack(tar: tarfile.TarFile, folder: Path, max_bytes: int, archive: Path) -> None:
    total = 0
    for member in tar:
        path = PurePosixPath(member.name)
        if path.is_absolute() or ".." in path.parts or "\\" in member.name or ":" in member.name:
            raise SourceError(f"{archive} holds {member.name!r}, which lies outside the folder; nothing was kept")
        if member.isdir():
            continue
        if not member.isreg():
            raise SourceError(f"{archive} holds {member.name!r}, a link or device, not a file; nothing was kept")
        total += member.size
        if total > max_bytes:
            raise SourceError(f"{archive} unpacks to more than {max_bytes:,} bytes; nothing was kept")
        content = tar.extractfile(member)
        if content is None:  # what isreg() let through always has content
            raise SourceError(f"{archive} holds {member.name!r} without content")
        target = folder.joinpath(*path.parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            shutil.copyfileobj(content, file)


def rename_new(staging: Path, folder: Path) -> None:
    """Move the finished ``staging`` to ``folder``. Where another process was faster, its folder stays."""
    try:
        staging.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise


def pack(folder: Path, archive: Path, salt: bytes | None = None) -> None:
    """Write ``folder`` as an official archive: the same files and, with ``salt`` given, the same bytes every time."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as tar:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            member = tarfile.TarInfo(f"benchmark_data/{path.relative_to(folder).as_posix()}")
            member.size = path.stat().st_size
            with path.open("rb") as file:
                tar.addfile(member, file)
    with replacing(archive) as staging:
        staging.write_bytes(encrypt(buffer.getvalue(), salt=salt))
