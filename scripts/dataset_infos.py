"""Write ``dataset_infos.json``: ``python -m multiloko_scripts.dataset_infos`` in the root of a checkout."""

from __future__ import annotations

import json
from pathlib import Path

from multiloko_source.expected import dataset_infos
from multiloko_source.files import replacing


def text() -> str:
    """Content of the file."""
    return json.dumps(dataset_infos(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    with replacing(Path("dataset_infos.json")) as staging:
        staging.write_text(text(), encoding="utf-8")
