"""Run the tests marked ``matrix`` against several versions of datasets, then let each read what each other installed.

    python tests/matrix.py 2.21.0 3.6.0 '4.8.*' newest

Each version gets an environment in ``.matrix/``, which is used again while it still fits. Only the standard library is
needed here.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
ENVIRONMENTS = ROOT / ".matrix"
TOOLS = ("pytest>=8", "pytest-xdist>=3.6", "hypothesis>=6.100", "sacrebleu>=2.4")

READ = """
import hashlib, json
import datasets, evaluate

datasets.disable_progress_bars()
digest = hashlib.sha256()
for name in ("all", "ar", "zh-hans", "vi", "fr-en-human", "en-fa-machine"):
    for split, rows in datasets.load_dataset("multiloko_sample", name).items():
        rows = list(rows)
        streamed = datasets.load_dataset("multiloko_sample", name, split=split, streaming=True)
        assert list(streamed) == rows, (name, split)
        digest.update(json.dumps([name, split, rows], sort_keys=True).encode())
metric = evaluate.load("multiloko")
result = metric.compute(predictions=["a", "b"], references=[["a"], ["c"]], languages=["fr", "de"])
assert (result["average_em"], result["gap_em"]) == (0.5, 1.0), result
print(digest.hexdigest())
"""


@dataclass(frozen=True)
class Environment:
    """A virtual environment with one version of datasets."""

    asked: str
    """Version as it was asked for: ``4.8.*``, ``newest``."""
    folder: Path

    @property
    def python(self) -> str:
        """Its interpreter."""
        return str(self.folder / "bin" / "python")

    @property
    def version(self) -> str:
        """Version of datasets that is in it."""
        code = "from importlib.metadata import version; print(version('datasets'))"
        return subprocess.run([self.python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def requirements(asked: str) -> list[str]:
    """What pip installs: the project, that version, and what runs the tests. pip finds a fitting huggingface_hub."""
    wanted = "datasets" if asked == "newest" else f"datasets=={asked}"
    return ["--editable", str(ROOT), wanted, *TOOLS]


def make(asked: str) -> Environment:
    """Return the environment of a version, made now unless it is there and was made from the same requirements."""
    folder = ENVIRONMENTS / asked.replace("*", "x")
    stamp = folder / "made-from"
    content = (ROOT / "pyproject.toml").read_bytes() + json.dumps([*requirements(asked), sys.version]).encode()
    wanted = hashlib.sha256(content).hexdigest()
    environment = Environment(asked, folder)
    if stamp.is_file() and stamp.read_text() == wanted:
        return environment
    print(f"making {folder.relative_to(ROOT)}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True)
    pip = [environment.python, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
    subprocess.run([*pip, "--upgrade", "pip"], check=True)
    subprocess.run([*pip, *requirements(asked)], check=True)
    stamp.write_text(wanted)
    return environment


def run_tests(environment: Environment) -> bool:
    """Run the tests marked ``matrix`` in an environment. True when they passed."""
    options = ["-q", "-n", "2", "-m", "matrix and not slow", "-p", "no:cacheprovider"]
    return subprocess.run([environment.python, "-m", "pytest", *options], cwd=ROOT, check=False).returncode == 0


def offline(home: Path) -> dict[str, str]:
    """The environment variables of a process with its own Hugging Face cache and without a network."""
    return {**os.environ, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1"}


def install(environment: Environment, home: Path) -> bool:
    """Install the sample with one version of datasets."""
    home.mkdir()
    command = [str(environment.folder / "bin" / "multiloko"), "install", "--sample"]
    finished = subprocess.run(command, cwd=home, env=offline(home), capture_output=True, text=True, check=False)
    if finished.returncode:
        print(finished.stderr, file=sys.stderr)
    return finished.returncode == 0


def read(environment: Environment, home: Path) -> str | None:
    """Read what was installed with another version. The digest of the rows, or None where it cannot be read."""
    command = [environment.python, "-W", "ignore", "-c", READ]
    finished = subprocess.run(command, cwd=home, env=offline(home), capture_output=True, text=True, check=False)
    if finished.returncode:
        print(finished.stderr[-2000:], file=sys.stderr)
        return None
    return finished.stdout.split()[-1]


def cross(environments: list[Environment]) -> dict[tuple[str, str], str | None]:
    """Let every version read what every version installed. The digest of what was read, by writer and reader."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="multiloko-matrix-") as folder:
        for writer in environments:
            home = Path(folder) / writer.folder.name
            written = install(writer, home)
            for reader in environments:
                found[writer.version, reader.version] = read(reader, home) if written else None
    return found


def main(asked: list[str]) -> int:
    """Run everything, print a table, and return 0 only if everything passed."""
    environments = [make(each) for each in asked]
    outcomes: dict[str, bool] = {}
    for environment in environments:
        print(f"\ndatasets {environment.version}", flush=True)
        outcomes[environment.version] = run_tests(environment)
    pairs = cross(environments)
    digests = [digest for digest in pairs.values() if digest]
    right = max(set(digests), key=digests.count, default=None)

    versions = [environment.version for environment in environments]
    print("\nwritten by    tests   " + "".join(f"read by {version:<10}" for version in versions))
    for writer in versions:
        cells = ["same" if digest == right else "another" if digest else "failed" for digest in
                 (pairs[writer, reader] for reader in versions)]  # fmt: skip
        print(f"{writer:<14}{'passed' if outcomes[writer] else 'failed':<8}" + "".join(f"{cell:<18}" for cell in cells))
    results = [*outcomes.values(), *(digest is not None and digest == right for digest in pairs.values())]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
