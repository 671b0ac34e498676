"""Installed data, read without the datasets library."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import Python

from multiloko_source.errors import SourceError
from multiloko_source.expected import CONFIG_NAMES
from multiloko_source.files import datasets_cache, hugging_face_home, modules_cache
from multiloko_source.installed import Installed
from multiloko_source.source import open_source


def test_it_reads_what_the_source_holds(installed_sample: Path, sample_folder: Path) -> None:
    installed, source = Installed("multiloko_sample"), open_source(sample_folder)
    assert list(installed.configs) == list(CONFIG_NAMES)
    assert installed.fingerprint == source.fingerprint
    for name in CONFIG_NAMES:
        assert installed.splits(name) == source.splits(name)
        for split in source.splits(name):
            assert list(installed.rows(name, split)) == list(source.rows(name, split))


def test_only_some_columns(installed_sample: Path) -> None:
    rows = list(Installed("multiloko_sample").rows("fr", columns=("id", "targets")))
    assert [list(row) for row in rows] == [["id", "targets"]] * 2


def test_where_it_is_and_how_much(installed_sample: Path) -> None:
    config = Installed("multiloko_sample").configs["fr-en-human"]
    assert config.examples == {"dev": 2, "fewshot": 5}
    assert config.size == sum(path.stat().st_size for path in config.folder.iterdir()) > 1000
    assert "not MultiLoKo data" in config.origin
    assert "installed multiloko_sample" in Installed("multiloko_sample").location


def test_nothing_is_installed(home: Path) -> None:
    installed = Installed()
    assert installed.configs == {}
    assert installed.fingerprint == ""
    assert "nothing" in installed.location
    assert installed.splits("fr") == ()
    with pytest.raises(SourceError, match="config 'fr' is not installed; `multiloko install`"):
        list(installed.rows("fr"))


def test_a_split_that_is_not_there(installed_sample: Path) -> None:
    with pytest.raises(SourceError, match="config 'fr' has no split 'test', only dev, fewshot"):
        list(Installed("multiloko_sample").rows("fr", "test"))


def test_folders_of_something_else_are_left_alone(
    installed_sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Path(shutil.copytree(installed_sample / "datasets/multiloko_sample", tmp_path / "cache/multiloko_sample"))
    shutil.copytree(home / "fr", home / "klingon")
    (home / "de/1.0.0").rename(home / "de/0.9.0")
    shutil.copytree(home / "it", home / "it.incomplete")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(home.parent))
    assert set(Installed("multiloko_sample").configs) == set(CONFIG_NAMES) - {"de"}


def test_it_does_not_import_datasets(installed_sample: Path, python: Python) -> None:
    finished = python(
        "import sys\nfrom multiloko_source.installed import Installed\n"
        "print(len(list(Installed('multiloko_sample').rows('all'))))\n"
        "print(sorted({'datasets', 'evaluate'} & set(sys.modules)))"
    )
    assert finished.stdout.split("\n")[:2] == ["62", "[]"]


@pytest.mark.matrix
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"HF_HOME": "{folder}/home", "HF_DATASETS_CACHE": "{folder}/data", "HF_MODULES_CACHE": "{folder}/code"},
        {"XDG_CACHE_HOME": "~/xdg", "HF_DATASETS_CACHE": "~/data"},
    ],
)
def test_the_caches_are_where_the_libraries_have_them(
    tmp_path: Path, python: Python, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]
) -> None:
    for name in ("HF_HOME", "XDG_CACHE_HOME", "HF_DATASETS_CACHE", "HF_MODULES_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, value in settings.items():
        monkeypatch.setenv(name, value.format(folder=tmp_path))
    finished = python(
        "import os, datasets.config as config\n"
        "print(*(os.path.expanduser(each) for each in (config.HF_DATASETS_CACHE, config.HF_MODULES_CACHE)), sep='\\n')"
    )
    assert finished.stdout.split("\n")[:2] == [str(datasets_cache()), str(modules_cache())]
    assert hugging_face_home().is_absolute()
