"""The wheel: everything that is needed at run time comes along."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # A copy, so that the build leaves nothing in the checkout.
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in names:
        if name and (ROOT / name).is_file():
            (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "source" / name).write_bytes((ROOT / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), "."]
    subprocess.run(pip, cwd=folder / "source", check=True)
    return next(folder.glob("multiloko-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel, which takes everything else from the environment of the tests."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel)], check=True)
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    # Appended behind the wheel's own; a .pth file in the folder named here, such as an editable project's, is not read.
    (Path(packages) / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def run(environment: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1"}
    command = [str(environment / "bin" / arguments[0]), *arguments[1:]]
    return subprocess.run(command, cwd=home, env=settings, capture_output=True, text=True, check=False)


def test_what_is_in_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "multiloko.py" in names
    assert "multiloko_metric/multiloko_metric.py" in names
    assert "multiloko_sample/predictions.jsonl" in names
    assert "multiloko_runs/prompts.yaml" in names
    assert len([name for name in names if name.startswith("multiloko_sample/languages/")]) == 31
    packages = ("multiloko_metric", "multiloko_source", "multiloko_runs", "multiloko_scripts", "multiloko_sample")
    strays = [name for name in names if name != "multiloko.py" and not name.startswith((*packages, "multiloko-"))]
    assert strays == []
    for package in (
        "multiloko_metric",
        "multiloko_metric/space",
        "multiloko_source",
        "multiloko_runs",
        "multiloko_runs/readers",
    ):
        assert {path.name for path in (ROOT / package).glob("*.py")} <= {
            Path(name).name for name in names if name.startswith(f"{package}/")
        }
    scripts = {Path(name).name for name in names if name.startswith("multiloko_scripts/")}
    assert {path.name for path in (ROOT / "scripts").glob("*.py")} <= scripts


def test_it_works_from_there(installed: Path, tmp_path: Path) -> None:
    where = run(installed, tmp_path, "python", "-c", "import multiloko_scripts.cli as cli; print(cli.__file__)")
    assert str(installed) in where.stdout, where.stderr
    finished = run(installed, tmp_path, "multiloko", "install", "--sample")
    assert finished.returncode == 0, finished.stderr
    code = "from datasets import load_dataset; print(load_dataset('multiloko_sample', 'fr')['dev'].num_rows)"
    assert run(installed, tmp_path, "python", "-c", code).stdout.strip() == "2"
    code = "import evaluate; print(evaluate.load('multiloko').compute(predictions=['a'], references=['a'])['em'])"
    assert run(installed, tmp_path, "python", "-c", code).stdout.strip() == "1.0"
    finished = run(installed, tmp_path, "multiloko", "score", "--sample", "--json")
    assert finished.returncode == 0, finished.stderr
    assert len(json.loads(finished.stdout)["configs"]) == 151
