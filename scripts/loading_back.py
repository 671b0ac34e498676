"""Loading back what was pushed to the Hub, as a stranger to this machine would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import CommandError

if TYPE_CHECKING:
    from .hub import Repository

_DATASET = """
import datasets, json, sys
loaded = datasets.load_dataset(sys.argv[1], sys.argv[3], revision=sys.argv[2])
print(json.dumps({split: len(rows) for split, rows in loaded.items()}))
"""
_METRIC = """
import evaluate, json, sys
metric = evaluate.load(sys.argv[1], module_type="metric", revision=sys.argv[2])
print(json.dumps(metric.compute(predictions=["a"], references=[["a"]])["em"]))
"""
_CACHES = ("HF_DATASETS_CACHE", "HF_MODULES_CACHE", "HF_METRICS_CACHE", "HF_EVALUATE_CACHE", "HF_HUB_CACHE")


@dataclass(frozen=True)
class Loading:
    """How to load a repository, and what must come of it."""

    line: str
    """What a person writes."""
    code: str
    """What a fresh process runs; it prints JSON last."""
    arguments: tuple[str, ...]
    expected: object
    """What it must print."""

    def check(self, repository: Repository) -> None:
        """Load it in a new process with an empty cache. Loading a metric runs its code: that which was just pushed.

        Raises:
            CommandError: it cannot be loaded, or something else comes of it.
        """
        with tempfile.TemporaryDirectory(prefix="multiloko-") as home:
            environment = {name: value for name, value in os.environ.items() if name not in _CACHES}
            environment["HF_HOME"] = home
            if isinstance(repository.api.token, str):
                environment["HF_TOKEN"] = repository.api.token
            command = [sys.executable, "-c", self.code, *self.arguments]
            done = subprocess.run(
                command, cwd=home, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
            )
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            raise CommandError(f"{repository.name} was pushed, but `{self.line}` failed: {last}")
        found = json.loads(done.stdout.splitlines()[-1])
        if found != self.expected:
            raise CommandError(f"{repository.name} was pushed, but loads as {found} instead of {self.expected}")


def loading_of_dataset(name: str, revision: str, config: str, rows: dict[str, int]) -> Loading:
    """Loading one config of a data set; each split must have the number of rows that were pushed."""
    line = f'load_dataset("{name}", "{config}"{_said(revision)})'
    return Loading(line, _DATASET, (name, revision, config), rows)


def loading_of_metric(name: str, revision: str) -> Loading:
    """Loading a metric; a right answer must score 1."""
    line = f'evaluate.load("{name}", module_type="metric"{_said(revision)})'
    return Loading(line, _METRIC, (name, revision), 1.0)


def _said(revision: str) -> str:
    return "" if revision == "main" else f', revision="{revision}"'
