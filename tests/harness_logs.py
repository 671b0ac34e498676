"""Small logs that the real harnesses wrote of the sample; packed, for a checkout holds nothing that looks like data."""

from __future__ import annotations

import tarfile
from pathlib import Path

from conftest import SESSION_HOME

_PACKED = Path(__file__).parent / "data" / "harness_logs.xz"


def unpacked() -> Path:
    """Return the folder of the logs: one folder a harness, and em.json with what each printed."""
    folder = SESSION_HOME / "harness_logs"
    with tarfile.open(_PACKED, "r:xz") as archive:
        for member in archive:
            if member.isfile() and (content := archive.extractfile(member)):
                path = folder / member.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())
    return folder / "logs"
