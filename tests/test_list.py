"""``multiloko list``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Multiloko, Python
from multiloko_scripts.cli import main

from multiloko_metric.languages import CONFIGS
from multiloko_source.expected import CONFIG_NAMES


def listed(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main(["list", *options]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_every_config_before_anything_is_installed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(listed(capsys, "--json"))
    assert [row["config"] for row in rows] == list(CONFIG_NAMES)
    by_name = {row["config"]: row for row in rows}
    for config in CONFIGS:
        assert by_name[config.name] == {
            "config": config.name,
            "official_key": config.key,
            "file": config.path(),
            "partition": config.partition,
            "installed": False,
            "origin": None,
            "examples": None,
            "bytes": None,
        }
    assert "0 of 152 configs installed" in listed(capsys)
    assert not home.exists()


def test_what_is_installed_where_it_came_from_and_its_size(
    installed_sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = {row["config"]: row for row in json.loads(listed(capsys, "--sample", "--json"))}
    assert all(row["installed"] for row in rows.values())
    assert rows["all"]["examples"] == {"dev": 62, "fewshot": 155}
    assert rows["fr-en-human"]["examples"] == {"dev": 2, "fewshot": 5}
    assert "not MultiLoKo data" in rows["fr"]["origin"]
    folder = installed_sample / "datasets/multiloko_sample/fr"
    assert rows["fr"]["bytes"] == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert not any(row["installed"] for row in json.loads(listed(capsys, "--json")))


def test_a_partly_installed_source(home: Path, sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["install", "--from", str(sample), "--partial", "--configs", "fr,zh-hans"]) == 0
    capsys.readouterr()
    rows = [row for row in json.loads(listed(capsys, "--json")) if row["installed"]]
    assert [(row["config"], row["origin"]) for row in rows] == [("fr", str(sample)), ("zh-hans", str(sample))]


def test_the_table_through_a_pipe(installed_sample: Path, multiloko: Multiloko) -> None:
    finished = multiloko("list", "--sample")
    assert finished.returncode == 0
    lines = finished.stdout.splitlines()
    assert "\x1b" not in finished.stdout
    assert lines[-1].strip() == "152 of 152 configs installed"
    for name in CONFIG_NAMES:
        assert any(line.split()[:1] == [name] for line in lines), name


@pytest.mark.parametrize("columns", ["60", "200"])
def test_the_table_in_windows_of_any_width(
    installed_sample: Path, multiloko: Multiloko, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    finished = multiloko("list", "--sample")
    assert max(map(len, finished.stdout.splitlines())) <= int(columns)
    for name in ("zh-hant-en-machine", "en-zh-hans-machine"):
        assert any(line.split()[:1] == [name] for line in finished.stdout.splitlines()), name


def test_it_imports_neither_datasets_nor_evaluate(installed_sample: Path, python: Python) -> None:
    finished = python(
        "import sys\nfrom multiloko_scripts.cli import main\nmain(['list', '--sample', '--json'])\n"
        "print(sorted({'datasets', 'evaluate', 'scipy'} & set(sys.modules)), file=sys.stderr)"
    )
    assert finished.stderr.strip() == "[]"
