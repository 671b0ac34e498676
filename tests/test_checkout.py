"""The checkout's own folder is no data set: loading it never gives rows, least of all those of the sample."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, Python

pytestmark = pytest.mark.matrix

LOAD = """
import json, datasets
found = {{}}
for name in (None, "fr", "all", "default"):
    for options in ({{}}, {{"streaming": True}}, {{"trust_remote_code": True}}):
        try:
            loaded = datasets.load_dataset({folder!r}, name, **options)
            found[f"{{name}} {{options}}"] = {{split: len(list(rows)) for split, rows in loaded.items()}}
        except Exception as error:
            found[f"{{name}} {{options}}"] = f"{{type(error).__name__}}: {{error}}"
print()  # what datasets asks before it runs a script ends without a line end
print(json.dumps(found))
"""


def tracked_files() -> list[Path]:
    """Files of the checkout as a clone would have them, and those that are about to be added."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    finished = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=False)
    if finished.returncode:
        pytest.skip("not a git checkout")
    return [Path(name) for name in finished.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture
def checkout(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path / "clones" / str(request.param)
    for name in tracked_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.mark.parametrize("checkout", ["multiloko", "another-name"], indirect=True)
def test_the_folder_itself_gives_no_rows(checkout: Path, home: Path, python: Python) -> None:
    assert (checkout / "sample/predictions.jsonl").is_file()
    finished = python(LOAD.format(folder=str(checkout)))
    found = json.loads(finished.stdout.splitlines()[-1])
    assert len(found) == 12
    assert all(isinstance(outcome, str) for outcome in found.values()), found


@pytest.mark.parametrize("checkout", ["multiloko"], indirect=True)
def test_the_folder_as_a_name_gives_no_rows_above_the_checkout(checkout: Path, home: Path, python: Python) -> None:
    code = f"import os; os.chdir({str(checkout.parent)!r})\n" + LOAD.format(folder="multiloko")
    found = json.loads(python(code).stdout.splitlines()[-1])
    assert all(isinstance(outcome, str) for outcome in found.values()), found


def test_the_card_has_no_configs() -> None:
    """With ``configs:``, the checkout would be a data set of whatever files they name."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    header = text.split("---")[1] if text.startswith("---") else ""
    assert "configs:" not in header
    assert "data_files:" not in header
