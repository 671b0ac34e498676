"""What all tests share: a Hugging Face cache of their own, the sample as a source, ways to start other processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hub_server import HubServer, serving

# Before anything imports datasets, which reads its settings once. Each xdist worker has its own.
SESSION_HOME = Path(tempfile.mkdtemp(prefix="multiloko-tests-"))
for _name in [each for each in os.environ if each.startswith(("HF_", "HUGGING", "MULTILOKO_"))]:
    del os.environ[_name]
os.environ["HF_HOME"] = str(SESSION_HOME)
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

# A shell starts what it runs in the background with Ctrl-C ignored, and whatever that starts ignores it too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

Finished = subprocess.CompletedProcess[str]
Python = Callable[..., Finished]
Multiloko = Callable[..., Finished]

ROOT = Path(__file__).parent.parent
COMMAND = Path(sys.executable).with_name("multiloko")
"""The installed command of the environment the tests run in."""


def pytest_unconfigure() -> None:
    shutil.rmtree(SESSION_HOME, ignore_errors=True)


def run_process(arguments: list[str], cwd: Path, timeout: float = 120) -> Finished:
    """Run a process to its end, with the environment of the test, and return what it wrote."""
    return subprocess.run(
        arguments,
        cwd=cwd,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample in the official layout. Read only; ``sample`` is a copy to change."""
    from multiloko_source.sample import write_sample

    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder)
    return folder


@pytest.fixture
def sample(sample_folder: Path, tmp_path: Path) -> Path:
    """A copy of the sample in the official layout, to be changed at will."""
    return Path(shutil.copytree(sample_folder, tmp_path / "benchmark"))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty Hugging Face cache for this test: for our functions, and for the processes it starts."""
    folder = tmp_path / "hf_home"
    monkeypatch.setenv("HF_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def _installed_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "installed"  # one for all workers
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / "done").exists():
            folder.mkdir()
            environment = {**os.environ, "HF_HOME": str(folder)}
            command = [COMMAND, "install", "--sample"]
            subprocess.run(command, check=True, capture_output=True, env=environment, cwd=folder)
            (folder / "done").touch()
    return folder


@pytest.fixture
def installed_sample(_installed_sample: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Hugging Face cache into which the whole sample was installed. Read only."""
    monkeypatch.setenv("HF_HOME", str(_installed_sample))
    return _installed_sample


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder that has no ``multiloko/`` of its own: where processes run."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


@pytest.fixture
def python(elsewhere: Path) -> Python:
    """Run code in a Python of its own, in another folder, and return the finished process; fails if the code fails."""

    def run(code: str, *, check: bool = True, timeout: float = 120) -> Finished:
        finished = run_process([sys.executable, "-c", code], elsewhere, timeout)
        if check and finished.returncode:
            pytest.fail(f"exit code {finished.returncode}:\n{finished.stderr}")
        return finished

    return run


@pytest.fixture
def multiloko(elsewhere: Path) -> Multiloko:
    """Run the installed command in another folder and return the finished process, whatever its exit code."""

    def run(*arguments: str | Path, timeout: float = 120) -> Finished:
        return run_process([str(COMMAND), *map(str, arguments)], elsewhere, timeout)

    return run


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """An empty Hub that this process and those it starts talk to, with a token that may write."""
    import huggingface_hub.constants

    with serving() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HF_TOKEN", "hf_owner")
        monkeypatch.setenv("HF_HUB_OFFLINE", "0")
        monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")  # the server stores large files in the older way only
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", server.url)
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True, raising=False)
        monkeypatch.setattr("time.sleep", lambda seconds: None)  # the client waits before it tries again
        yield server
        assert server.unknown == []


def edit_rows(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Rewrite a file of JSON lines, each row as ``change`` gives it back."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("".join(json.dumps(change(row), ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def fill_up(path: Path, count: int) -> None:
    """Repeat the rows of a file, with ids of their own, until there are ``count``."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    more = []
    for number in range(count):
        row = dict(rows[number % len(rows)])
        if "id" in row:
            row["id"] = f"{number:04d}_{row['id']}"
        more.append(json.dumps(row, ensure_ascii=False) + "\n")
    path.write_text("".join(more), encoding="utf-8")
