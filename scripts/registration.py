"""The metric in the cache of ``evaluate``, where ``evaluate.load("multiloko")`` finds it from any folder."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from pathlib import Path

import multiloko_metric
from multiloko_source.archive import rename_new
from multiloko_source.files import modules_cache

METRIC_NAME = "multiloko"
_ADAPTER = "multiloko_metric.py"


def register_metric() -> Path:
    """Copy the adapter and the modules it names into the cache, whole or not at all, and remove earlier versions.

    Returns the folder.
    """
    package = Path(multiloko_metric.__file__).parent
    adapter = (package / _ADAPTER).read_bytes()
    siblings = [f"{name.decode()}.py" for name in re.findall(rb"^from \.(\w+) import", adapter, re.MULTILINE)]
    contents = {f"{METRIC_NAME}.py": adapter, **{name: (package / name).read_bytes() for name in siblings}}
    digest = hashlib.sha256()
    for name, content in contents.items():
        digest.update(f"{name} {len(content)}\n".encode() + content)
    metric = modules_cache() / "evaluate_modules" / "metrics" / f"evaluate-metric--{METRIC_NAME}"
    folder = metric / digest.hexdigest()
    if not folder.is_dir():
        staging = metric / f".incomplete-{os.getpid()}"
        staging.mkdir(parents=True, exist_ok=True)
        for name, content in {**contents, "__init__.py": b""}.items():
            (staging / name).write_bytes(content)
        rename_new(staging, folder)
        shutil.rmtree(staging, ignore_errors=True)
    for parent in (metric, metric.parent, metric.parent.parent):
        (parent / "__init__.py").touch()
    for earlier in metric.iterdir():
        if earlier.is_dir() and earlier != folder:
            shutil.rmtree(earlier, ignore_errors=True)
    return folder
