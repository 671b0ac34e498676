"""The official archive, downloaded from a server on loopback that fails in every way servers do."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from conftest import Python
from file_server import FileServer
from multiloko_scripts.cli import main

from multiloko_source.archive import pack
from multiloko_source.download import download, download_official
from multiloko_source.errors import SourceError
from multiloko_source.files import sha256_of
from multiloko_source.source import open_source

CONTENT = os.urandom(100_000)
NAME = "benchmark_data.tar.xz.enc"


@pytest.fixture
def served(tmp_path: Path) -> Path:
    """A folder with one file, ``file``, of 100,000 bytes."""
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "file").write_bytes(CONTENT)
    return folder


@pytest.fixture(scope="session")
def official(sample_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample as the official archive."""
    folder = tmp_path_factory.mktemp("official")
    pack(sample_folder, folder / NAME)
    return folder


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_and_its_checksum(served: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    with FileServer(served) as server:
        checksum = download(f"{server.url}/file", tmp_path / "to/file", lambda done, total: seen.append((done, total)))
    assert (tmp_path / "to/file").read_bytes() == CONTENT
    assert checksum == sha256_of(served / "file")
    assert (tmp_path / "to/file.sha256").read_text() == f"{checksum}  file\n"
    assert left(tmp_path / "to") == ["file", "file.sha256"]
    assert seen[-1] == (100_000, 100_000)
    assert server.requests == ["GET /file"]


def test_what_is_cut_goes_on(served: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    with FileServer(served, cuts=[30_000, 20_000, 1]) as server:
        download(f"{server.url}/file", tmp_path / "file", lambda done, total: seen.append((done, total)))
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert server.requests == [
        "GET /file",
        "GET /file bytes=30000-",
        "GET /file bytes=50000-",
        "GET /file bytes=50001-",
    ]
    assert {total for _, total in seen} == {100_000}


def test_what_an_earlier_try_left_is_gone_on_with(served: Path, tmp_path: Path) -> None:
    (tmp_path / "file.part").write_bytes(CONTENT[:99_000])
    with FileServer(served) as server:
        download(f"{server.url}/file", tmp_path / "file")
    assert server.requests == ["GET /file bytes=99000-"]
    assert (tmp_path / "file").read_bytes() == CONTENT


def test_a_whole_part_needs_nothing_more(served: Path, tmp_path: Path) -> None:
    (tmp_path / "file.part").write_bytes(CONTENT)
    with FileServer(served) as server:
        download(f"{server.url}/file", tmp_path / "file")
    assert server.requests == ["GET /file bytes=100000-"]
    assert (tmp_path / "file").read_bytes() == CONTENT


def test_a_part_of_another_longer_file_is_begun_again(served: Path, tmp_path: Path) -> None:
    (tmp_path / "file.part").write_bytes(bytes(200_000))
    with FileServer(served) as server:
        download(f"{server.url}/file", tmp_path / "file")
    assert server.requests == ["GET /file bytes=200000-", "GET /file"]
    assert (tmp_path / "file").read_bytes() == CONTENT


def test_a_server_without_ranges(served: Path, tmp_path: Path) -> None:
    (tmp_path / "file.part").write_bytes(CONTENT[:50])
    with FileServer(served, ranges=False, cuts=[60_000]) as server:
        download(f"{server.url}/file", tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert len(server.requests) == 2


def test_a_server_that_does_not_say_how_long_it_is(served: Path, tmp_path: Path) -> None:
    with FileServer(served, length=False) as server:
        download(f"{server.url}/file", tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == CONTENT


def test_cut_again_and_again_it_gives_up_and_keeps_what_came(served: Path, tmp_path: Path) -> None:
    with (
        FileServer(served, cuts=[1000] * 9) as server,
        pytest.raises(SourceError, match="the download was cut") as caught,
    ):
        download(f"{server.url}/file", tmp_path / "file")
    assert "it goes on from there" in str(caught.value)
    assert (tmp_path / "file.part").read_bytes() == CONTENT[:5000]
    assert left(tmp_path) == ["file.part", "served"]
    with FileServer(served) as server:
        download(f"{server.url}/file", tmp_path / "file")
    assert server.requests == ["GET /file bytes=5000-"]


def test_cut_before_anything_came_it_gives_up_at_once(served: Path, tmp_path: Path) -> None:
    with FileServer(served, cuts=[0] * 9) as server, pytest.raises(SourceError, match="the download was cut"):
        download(f"{server.url}/file", tmp_path / "file")
    assert len(server.requests) == 1


@pytest.mark.parametrize(("status", "reason"), [(403, "Forbidden"), (404, "Not Found"), (500, "Internal Server Error")])
def test_a_server_that_refuses(served: Path, tmp_path: Path, status: int, reason: str) -> None:
    with FileServer(served, status=status) as server, pytest.raises(SourceError, match=f"answers {status} {reason}"):
        download(f"{server.url}/file", tmp_path / "file")
    assert not (tmp_path / "file").exists()


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(SourceError, match="refused"):
        download(f"http://127.0.0.1:{port}/file", tmp_path / "file")


@pytest.mark.parametrize("url", ["nonsense", "gopher://x/y", "http://", "http://exa mple/x"])
def test_an_address_that_is_none(tmp_path: Path, url: str) -> None:
    with pytest.raises(SourceError) as caught:
        download(url, tmp_path / "file")
    assert url in str(caught.value)


# The official archive.


def test_it_is_downloaded_once(official: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with FileServer(official) as server:
        monkeypatch.setenv("MULTILOKO_URL", f"{server.url}/{NAME}")
        archive = download_official()
        assert download_official() == archive
    assert len(server.requests) == 1
    assert home in archive.parents
    assert open_source(archive, keep=True).splits("fr") == ("dev", "fewshot")
    assert (archive.parent / f"{NAME}.sha256").read_text().startswith(sha256_of(official / NAME))


def test_install_downloads_where_no_source_is_named(
    official: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with FileServer(official) as server:
        monkeypatch.setenv("MULTILOKO_URL", f"{server.url}/{NAME}")
        assert main(["install", "--partial", "--configs", "fr"]) == 0
        assert main(["install", "--partial", "--configs", "de"]) == 0
    assert len(server.requests) == 1
    assert "1 configs prepared" in capsys.readouterr().err


@pytest.mark.parametrize("broken", ["cut", "page", "short"])
def test_what_is_not_whole_is_not_kept(
    sample: Path, official: Path, tmp_path: Path, *, home: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    whole = (official / NAME).read_bytes()
    if broken == "short":
        (sample / "french/dev.jsonl").unlink()
        pack(sample, bad / NAME)
    else:
        (bad / NAME).write_bytes(whole[:-320] if broken == "cut" else b"<html>sign in</html>")
    with FileServer(bad) as server:
        monkeypatch.setenv("MULTILOKO_URL", f"{server.url}/{NAME}")
        with pytest.raises(SourceError) as caught:
            download_official()
        message = {"cut": "cut short", "page": "not an encrypted archive", "short": "lacks 1 of 151 dev files"}[broken]
        assert message in str(caught.value)
        (bad / NAME).write_bytes(whole)
        assert open_source(download_official(), keep=True).splits("fr")


def test_the_command_makes_a_folder(
    official: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "somewhere/new"
    with FileServer(official, cuts=[1000]) as server:
        monkeypatch.setenv("MULTILOKO_URL", f"{server.url}/{NAME}")
        assert main(["download", "--to", str(target)]) == 0
    captured = capsys.readouterr()
    assert captured.out == f"{target / 'benchmark_data'}\n"
    assert sha256_of(official / NAME) in captured.err
    assert left(target) == ["benchmark_data", NAME, f"{NAME}.sha256"]
    assert open_source(target / "benchmark_data").fingerprint == open_source(official / NAME).fingerprint
    assert server.requests == [f"GET /{NAME}", f"GET /{NAME} bytes=1000-"]
    assert main(["download", "--to", str(target)]) == 2
    assert "exists; remove it, or choose another folder" in capsys.readouterr().err


def test_the_command_goes_on_after_it_was_killed_while_unpacking(
    official: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    leftover = tmp_path / ".benchmark_data.incomplete"
    (leftover / "benchmark_data/french").mkdir(parents=True)
    (leftover / "benchmark_data/french/dev.jsonl").write_text("half")
    with FileServer(official) as server:
        monkeypatch.setenv("MULTILOKO_URL", f"{server.url}/{NAME}")
        assert main(["download", "--to", str(tmp_path)]) == 0
    assert open_source(tmp_path / "benchmark_data").fingerprint == open_source(official / NAME).fingerprint
    assert not leftover.exists()


def test_the_command_takes_an_archive_without_the_outer_folder(
    sample_folder: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import io
    import tarfile

    from multiloko_source.archive import encrypt

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as tar:
        tar.add(sample_folder, arcname=".")
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / NAME).write_bytes(encrypt(buffer.getvalue()))
    with FileServer(tmp_path / "served") as server:
        monkeypatch.setenv("MULTILOKO_URL", f"{server.url}/{NAME}")
        assert main(["download", "--to", str(tmp_path / "to")]) == 0
    assert open_source(tmp_path / "to/benchmark_data").fingerprint == open_source(sample_folder).fingerprint


def test_the_command_names_what_went_wrong(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with FileServer(tmp_path, status=503) as server:
        monkeypatch.setenv("MULTILOKO_URL", f"{server.url}/{NAME}")
        assert main(["download", "--to", str(tmp_path)]) == 2
    assert "the server answers 503" in capsys.readouterr().err


def test_it_imports_neither_datasets_nor_evaluate(
    official: Path, home: Path, python: Python, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FileServer(official) as server:
        monkeypatch.setenv("MULTILOKO_URL", f"{server.url}/{NAME}")
        finished = python(
            "import sys\nfrom multiloko_scripts.cli import main\nassert main(['download', '--to', 'here']) == 0\n"
            "print(sorted({'datasets', 'evaluate'} & set(sys.modules)))"
        )
    assert finished.stdout.splitlines()[-1] == "[]"
