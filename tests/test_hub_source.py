"""Data from a Hub repository: the same folders, rows that may have ten fields already, gated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Multiloko, Python
from hub_server import HubServer, Repository, serving

from multiloko_source.source import open_source

NAME = "owner/multiloko"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, home: Path) -> Iterator[HubServer]:
    """A Hub that the processes of this test talk to."""
    with serving() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HF_HUB_OFFLINE", "0")
        monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
        yield server


def add(hub: HubServer, folder: Path, **options: object) -> Repository:
    """Put a folder on the Hub, as the authors' own repository has it."""
    repository = Repository("dataset", NAME, private=False, commits=[], **options)  # type: ignore[arg-type]
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    repository.commit("main", "data", files)
    hub.repositories["dataset", NAME] = repository
    return repository


@pytest.fixture
def few(sample: Path) -> Path:
    """Two languages, rows with ten fields in the Hub's spelling, targets as the string of a list."""
    for folder in sample.iterdir():
        if folder.name not in ("french", "english"):
            for path in folder.iterdir():
                path.unlink()
            folder.rmdir()
    for path in (sample / "english").glob("dev_translated*"):
        path.unlink()
    (sample / "README.md").write_text("a card")
    return sample


def test_install_from_a_repository(hub: HubServer, few: Path, multiloko: Multiloko, python: Python) -> None:
    expected = list(open_source(few).rows("fr-en-human"))
    path = few / "french/dev_translated_human_english.jsonl"
    described = {
        "source_language": "French",
        "question_language": "en",
        "translated": "true",
        "translation_type": "human-authored",
    }
    rows = [{**row, "targets": str(row["targets"]), **described} for row in expected]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    add(hub, few)
    finished = multiloko("install", "--from", NAME, "--partial", "--configs", "fr,fr-en-human")
    assert finished.returncode == 0, finished.stderr
    assert "contradict" not in finished.stderr
    assert not any("README" in line for line in hub.log if line.startswith("GET") and "resolve" in line)
    loaded = python(
        "import os\nos.environ['HF_HUB_OFFLINE'] = '1'\nimport json, datasets\n"
        "print(json.dumps(list(datasets.load_dataset('multiloko', 'fr-en-human', split='dev'))))"
    )
    assert json.loads(loaded.stdout.splitlines()[-1]) == expected


@pytest.mark.parametrize(
    ("token", "gated"), [("hf_stranger", "manual"), pytest.param("", "auto", marks=pytest.mark.slow)]
)
def test_a_gated_repository_without_access(
    hub: HubServer, few: Path, multiloko: Multiloko, *, monkeypatch: pytest.MonkeyPatch, token: str, gated: str
) -> None:
    if token:
        monkeypatch.setenv("HF_TOKEN", token)
    add(hub, few, gated=gated)
    finished = multiloko("install", "--from", NAME, "--partial")
    assert finished.returncode == 2
    assert f"{NAME} is gated and your token has no access yet" in finished.stderr
    assert "hf auth login" in finished.stderr
    assert "Traceback" not in finished.stderr


def test_a_repository_that_there_is_not(hub: HubServer, multiloko: Multiloko) -> None:
    finished = multiloko("install", "--from", "nobody/nothing")
    assert finished.returncode == 2
    assert "there is no folder, archive or Hub data set nobody/nothing" in finished.stderr
    assert "Traceback" not in finished.stderr


def test_a_hub_that_is_not_there(home: Path, multiloko: Multiloko, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    finished = multiloko("install", "--from", NAME)
    assert finished.returncode == 2
    assert f"the Hub data set {NAME} could not be fetched" in finished.stderr
    assert "Traceback" not in finished.stderr
