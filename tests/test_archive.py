"""The encrypted archive: equal to what openssl does, safe to unpack, clear about what is wrong with it."""

from __future__ import annotations

import base64
import io
import lzma
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiloko_source.archive import decrypt, encrypt, extract, pack
from multiloko_source.errors import SourceError
from multiloko_source.files import sha256_of
from multiloko_source.source import open_source

# tar -cf - benchmark_data | xz -9 | openssl enc -aes-256-cbc -pbkdf2 -iter 100000 -pass pass:multiloko (OpenSSL 3.0),
# of one file, benchmark_data/french/dev.jsonl, with the line below.
BY_OPENSSL = base64.b64decode(
    "U2FsdGVkX18D5AiHRxzLXWQe0ByngWhJJHo7G8zb0vUi2rrgWaNMEH4Bkco4TvClhrxz9x9tAgm4uEENhJmAZSCGulVpFjBpm5mhcHMNE+Is"
    "BOB9jhpL7+8jYs6DYj0wGq67jgJO1gLGi9FZThO5Y2CgiQJB1Jnhn4gr1wqlyGhxCAXh6TYJ+/m9qDWXdjn7yWQ5hxxX9FrCOuC1gbs0Of/B"
    "yQYQADASiIx81ZqeE4GXQRj2ME1N79cVliV/PEvh5igPI3INwIns4lMAOC3nIexQXqswuqL5y8IWW7HjawFheHz/yx8DvPCp8mHplwD4MVmv"
    "j9fxXfr6X4wBIr8aAGBNZsGxJgQ3DZiPAriaKfk="
)
LINE = '{"question": "?", "targets": ["1"], "id": "a"}\n'
INSIDE_SHA256 = "2c8ff610403caa3c94aa94acd158b030534d798092b2ac87eb51d4fd5b5097d3"

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command")


def openssl(*options: str, data: bytes) -> bytes:
    command = ["openssl", "enc", "-aes-256-cbc", "-pbkdf2", "-iter", "100000", "-pass", "pass:multiloko", *options]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def archive_of(folder: Path, *members: tuple[tarfile.TarInfo, bytes], password: str = "multiloko") -> Path:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as tar:
        for member, content in members:
            member.size = len(content) if member.isreg() else 0
            tar.addfile(member, io.BytesIO(content))
    path = folder / "made.tar.xz.enc"
    path.write_bytes(encrypt(buffer.getvalue(), password))
    return path


def regular(name: str, content: bytes = b"x") -> tuple[tarfile.TarInfo, bytes]:
    return tarfile.TarInfo(name), content


def special(name: str, kind: bytes, target: str = "") -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member, b""


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def test_what_openssl_encrypted_is_read(tmp_path: Path) -> None:
    archive = tmp_path / "by_openssl.tar.xz.enc"
    archive.write_bytes(BY_OPENSSL)
    extract(archive, tmp_path / "data")
    assert (tmp_path / "data/benchmark_data/french/dev.jsonl").read_text() == LINE
    (tmp_path / "inside").write_bytes(decrypt(BY_OPENSSL))
    assert sha256_of(tmp_path / "inside") == INSIDE_SHA256


def test_encrypting_gives_the_bytes_of_openssl() -> None:
    assert encrypt(decrypt(BY_OPENSSL), salt=BY_OPENSSL[8:16]) == BY_OPENSSL


@needs_openssl
@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 1000])
def test_equal_to_openssl_both_ways(size: int) -> None:
    data = lzma.compress(os.urandom(size))
    assert decrypt(openssl("-e", data=data)) == data
    assert openssl("-d", data=encrypt(data)) == data


@given(st.binary(max_size=100))
@settings(max_examples=5, deadline=None)
def test_decrypt_undoes_encrypt(data: bytes) -> None:
    assert decrypt(encrypt(lzma.compress(data))) == lzma.compress(data)


def test_a_packed_folder_is_unpacked_the_same(sample_folder: Path, tmp_path: Path) -> None:
    pack(sample_folder, tmp_path / "one.tar.xz.enc", salt=b"12345678")
    pack(sample_folder, tmp_path / "two.tar.xz.enc", salt=b"12345678")
    assert sha256_of(tmp_path / "one.tar.xz.enc") == sha256_of(tmp_path / "two.tar.xz.enc")
    extract(tmp_path / "one.tar.xz.enc", tmp_path / "data")
    unpacked = {
        path.relative_to(tmp_path / "data/benchmark_data"): path.read_bytes()
        for path in (tmp_path / "data").rglob("*.jsonl")
    }
    assert len(unpacked) == 151 + 31
    assert unpacked == {path.relative_to(sample_folder): path.read_bytes() for path in sample_folder.rglob("*.jsonl")}


def test_a_wrong_password_is_named_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = archive_of(tmp_path, regular("french/dev.jsonl"), password="another")
    with pytest.raises(SourceError, match="wrong password"):
        extract(archive, tmp_path / "data")
    monkeypatch.setenv("MULTILOKO_PASSWORD", "another")
    extract(archive, tmp_path / "data")
    assert left(tmp_path / "data") == ["dev.jsonl", "french"]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The same archive, with one round of key derivation instead of a tenth of a second of them."""
    inside = decrypt(BY_OPENSSL)
    monkeypatch.setattr("multiloko_source.archive._ROUNDS", 1)
    return encrypt(inside, salt=b"12345678")


def test_cut_at_any_byte_it_is_named_as_cut(tmp_path: Path, quick: bytes) -> None:
    archive = tmp_path / "cut.tar.xz.enc"
    for length in range(len(quick)):
        archive.write_bytes(quick[:length])
        with pytest.raises(SourceError, match="cut short"):
            extract(archive, tmp_path / "data")
    assert left(tmp_path) == ["cut.tar.xz.enc"]


def test_an_inner_file_cut_anywhere_is_named_as_cut(tmp_path: Path, quick: bytes) -> None:
    inside, archive = decrypt(quick), tmp_path / "cut.tar.xz.enc"
    for length in range(6, len(inside)):  # the first six bytes tell a right password
        archive.write_bytes(encrypt(inside[:length]))
        with pytest.raises(SourceError, match="cut short"):
            extract(archive, tmp_path / "data")
    assert left(tmp_path) == ["cut.tar.xz.enc"]


def test_a_flipped_bit_never_goes_unseen(tmp_path: Path, quick: bytes) -> None:
    archive = tmp_path / "flipped.tar.xz.enc"
    for place in range(len(quick)):
        broken = bytearray(quick)
        broken[place] ^= 1 << place % 8
        archive.write_bytes(broken)
        with pytest.raises(SourceError):
            extract(archive, tmp_path / "data")
    assert left(tmp_path) == ["flipped.tar.xz.enc"]


@pytest.mark.parametrize("content", [b"PK\x03\x04zip", b"<html>", b"\xfd7zXZ\x00" + bytes(50)])
def test_another_file_is_not_taken_for_an_archive(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "page.html").write_bytes(content)
    with pytest.raises(SourceError, match=r"page\.html is not an encrypted archive"):
        extract(tmp_path / "page.html", tmp_path / "data")


@pytest.mark.parametrize(
    "name",
    ["../evil", "french/../../evil", "/tmp/multiloko-evil", "..", "french/..", "..\\evil", "C:\\evil", "c:evil"],
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    archive = archive_of(tmp_path, regular("french/dev.jsonl"), regular(name))
    with pytest.raises(SourceError, match="outside the folder"):
        extract(archive, tmp_path / "data")
    assert left(tmp_path) == [archive.name]
    assert not Path("/tmp/multiloko-evil").exists()


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        (tarfile.SYMTYPE, "/etc"),
        (tarfile.SYMTYPE, "dev.jsonl"),
        (tarfile.LNKTYPE, "french/dev.jsonl"),
        (tarfile.CHRTYPE, ""),
        (tarfile.BLKTYPE, ""),
        (tarfile.FIFOTYPE, ""),
    ],
)
def test_links_and_devices_are_refused(tmp_path: Path, kind: bytes, target: str) -> None:
    archive = archive_of(tmp_path, regular("french/dev.jsonl"), special("french/evil", kind, target))
    with pytest.raises(SourceError, match="a link or device"):
        extract(archive, tmp_path / "data")
    assert left(tmp_path) == [archive.name]


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    archive = archive_of(tmp_path, special("french", tarfile.SYMTYPE, str(outside)), regular("french/dev.jsonl"))
    with pytest.raises(SourceError):
        extract(archive, tmp_path / "data")
    assert left(outside) == []


def test_two_members_of_one_name_and_a_file_below_a_file(tmp_path: Path) -> None:
    archive = archive_of(tmp_path, regular("french/dev.jsonl", b"first"), regular("french/dev.jsonl/deeper", b"x"))
    with pytest.raises((SourceError, OSError)):
        extract(archive, tmp_path / "data")
    assert left(tmp_path) == [archive.name]


def test_a_size_beyond_the_bound_is_refused(tmp_path: Path) -> None:
    archive = archive_of(tmp_path, regular("a", bytes(600)), regular("b", bytes(600)))
    extract(archive, tmp_path / "fits", max_bytes=1200)
    assert left(tmp_path / "fits") == ["a", "b"]
    with pytest.raises(SourceError, match="more than 1,199 bytes"):
        extract(archive, tmp_path / "data", max_bytes=1199)
    assert not (tmp_path / "data").exists()


def bomb(folder: Path, make: Callable[[int], bytes], size: int) -> Path:
    """An archive of a few kilobytes whose tar begins as ``make`` says and goes on with ``size`` zeros."""
    compressor = lzma.LZMACompressor(preset=0)
    parts = [compressor.compress(make(size))]
    block = bytes(1 << 20)
    parts += [compressor.compress(block) for _ in range(size >> 20)]
    parts.append(compressor.flush())
    path = folder / "bomb.tar.xz.enc"
    path.write_bytes(encrypt(b"".join(parts)))
    return path


def test_a_bomb_is_refused_before_it_is_written(tmp_path: Path) -> None:
    def header(size: int) -> bytes:
        member = tarfile.TarInfo("french/dev.jsonl")
        member.size = size
        return member.tobuf()

    archive = bomb(tmp_path, header, 16 << 20)
    assert archive.stat().st_size < 100_000
    with pytest.raises(SourceError, match="more than 1,048,576 bytes"):
        extract(archive, tmp_path / "data", max_bytes=1 << 20)
    assert left(tmp_path) == [archive.name]


def test_a_bomb_in_a_header_is_refused(tmp_path: Path) -> None:
    def header(size: int) -> bytes:
        member = tarfile.TarInfo("././@LongLink")
        member.type, member.size = tarfile.GNUTYPE_LONGNAME, size
        return member.tobuf()

    archive = bomb(tmp_path, header, 16 << 20)
    with pytest.raises(SourceError):
        extract(archive, tmp_path / "data", max_bytes=1 << 20)
    assert left(tmp_path) == [archive.name]


def test_an_archive_is_opened_as_a_source_and_kept_where_asked(home: Path, sample_folder: Path, tmp_path: Path) -> None:
    archive = tmp_path / "sample.tar.xz.enc"
    pack(sample_folder, archive)
    source = open_source(archive)
    assert source.fingerprint == open_source(sample_folder).fingerprint
    assert not home.exists()
    kept = open_source(archive, keep=True)
    assert home in kept.folder.parents
    before = kept.folder.stat().st_mtime_ns
    assert open_source(archive, keep=True).folder.stat().st_mtime_ns == before
    assert left(kept.folder.parent.parent) == sorted([*left(kept.folder.parent), kept.folder.parent.name])
