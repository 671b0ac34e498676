"""No command ends in a traceback because of what standard output can write."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml
from conftest import COMMAND

ENCODINGS = {
    "cp1252": {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
    "ascii": {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    "C locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}
ANSWERS = "answers of a model.jsonl"
# arguments, what the output must be: text for people, or data in UTF-8; the exit code
COMMANDS: list[tuple[list[str], str, int]] = [
    (["score", "--sample"], "text", 0),
    (["score", "--sample", "--all-configs", "--bootstrap", "100"], "text", 0),
    (["score", "--sample", "--json"], "json", 0),
    (["score", "--sample", "--format", "upstream", "--verify"], "json", 0),
    (["score", "-d", "DATA", "-p", ANSWERS, "--row", "Modèle Ω", "--partial"], "markdown", 0),
    (["score", "-d", "DATA", "-p", ANSWERS, "--model-card", "模型"], "yaml", 0),
    (["score", "-d", "DATA", "-p", ANSWERS, "--answer", "first-line"], "text", 0),
    (["score", "-d", "DATA", "-p", "ответы.jsonl"], "error", 2),
    (["prompts", "--sample", "--limit", "1"], "lines", 0),
    (["prompts", "--sample", "--configs", "fr,ä"], "error", 2),
    (["run", "--sample", "--model", "模型", "--base-url", "http://127.0.0.1:9/v1", "--dry-run"], "any", 0),
    (["convert", ANSWERS, "-o", "plaïn.jsonl", "--sample", "--unknown", "skip"], "any", 0),
    (["score", "--sample", "--profile", "größe"], "error", 2),
    (["compare", "--sample", ANSWERS, "anders.jsonl"], "text", 0),
    (["compare", "--sample", ANSWERS, "anders.jsonl", "--json"], "json", 0),
    (["profiles"], "text", 0),
    (["profiles", "--json"], "json", 0),
    (["profiles", "--diff", "unicode", "lenient", "--sample"], "text", 0),
    (["profiles", "--diff", "unicode", "lenient", "--sample", "--json"], "json", 0),
    (["convert", ANSWERS, "-o", "копия.csv", "--answer", "first-line"], "any", 0),
    (["convert", "ответы.jsonl", "-o", "копия.csv"], "error", 2),
    (["list"], "text", 0),
    (["list", "--json"], "json", 0),
    (["export", "--sample", "expört"], "any", 0),
    (["publish", "--dataset", "ü/ö", "--sample", "--dry-run"], "error", 2),
    (["download", "--to", "taken"], "error", 2),
    (["install", "--from", "datén"], "error", 2),
    (["--help"], "text", 0),
    (["score", "--help"], "text", 0),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, sample_folder: Path) -> Path:
    """Two files of answers, with half of a surrogate pair and text of many scripts in them, and the questions."""
    folder = tmp_path_factory.mktemp("encodings")
    (folder / "DATA").symlink_to(sample_folder, target_is_directory=True)
    (folder / "taken" / "benchmark_data").mkdir(parents=True)  # for download, which refuses a folder that is there
    rows = []
    for language in ("french", "arabic", "russian", "khmer"):
        questions = (sample_folder / language / "dev.jsonl").read_text(encoding="utf-8").splitlines()
        for number, row in enumerate(map(json.loads, questions)):
            prediction = row["targets"][0] if number % 2 else "\ud83d ± é ក \x1b[31m"
            rows.append({"language": language, "id": row["id"], "prediction": prediction})
    (folder / ANSWERS).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    other = [{**row, "prediction": "другой ответ"} for row in rows]
    (folder / "anders.jsonl").write_text("".join(json.dumps(row) + "\n" for row in other), encoding="utf-8")
    return folder


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(("arguments", "expected", "code"), COMMANDS, ids=[" ".join(each) for each, *_ in COMMANDS])
def test_every_command_survives(
    encoding: str, arguments: list[str], expected: str, code: int, folder: Path, home: Path, tmp_path: Path
) -> None:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LC_", "LANG"))}
    done = subprocess.run(
        [str(COMMAND), *arguments],
        cwd=folder,
        env={**inherited, **ENCODINGS[encoding], "COLUMNS": "100", "TMPDIR": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
    assert done.returncode == code, done.stderr.decode(errors="replace")
    narrow = "cp1252" if encoding == "cp1252" else "ascii"
    done.stderr.decode(narrow)
    match expected:
        case "json":
            assert json.loads(done.stdout.decode())
        case "lines":
            assert [json.loads(line) for line in done.stdout.decode().splitlines()]
        case "yaml":
            assert "模型" in str(yaml.safe_load(done.stdout.decode()))
        case "markdown":
            assert "Modèle Ω" in done.stdout.decode()
        case "text":
            text = done.stdout.decode(narrow)
            assert text.strip()
            if arguments[:2] == ["score", "--sample"]:
                assert "####" in text  # a bar
                assert ("\u00b1" if encoding == "cp1252" else "+-") in text
        case "error":
            assert done.stdout == b""
            assert done.stderr.startswith(b"multiloko: ")
