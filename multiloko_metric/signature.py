"""The signature of a result: what another person needs to know to get the same numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .profiles import Profile

VERSION = "0.1.0"
"""Version of the metric, and of the whole project."""

_COMPUTED_BY = ("rapidfuzz", "cydifflib", "fastchrf")


@dataclass(frozen=True)
class Signature:
    """How a result was computed."""

    profile: str
    """Name of the profile, never an alias."""
    upstream_commit: str | None
    """Commit of the official scorer that the profile reproduces; None for a profile of our own."""
    missing: str
    """What became of questions without an answer: ``zero``, ``skip``, ``error`` (there were none), or ``given`` (the
    metric cannot know: what it was given is scored)."""
    versions: dict[str, str]
    """Versions of this project, of Python and of the libraries that took part."""
    answer: tuple[str, ...] = ()
    """Steps that took the answers out of what the model wrote, in order; none where they were scored as they came."""
    asked: Mapping[str, Any] | None = None
    """How the questions were put to the model, where the file of answers says it: prompts, style, shots, open book."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON. What was not done to the answers is not mentioned."""
        values = asdict(self)
        answer, asked = values.pop("answer"), values.pop("asked")
        return {**values, **({"answer": list(answer)} if answer else {}), **({"asked": asked} if asked else {})}

    def __str__(self) -> str:
        return signature_text(self.to_dict())


def signature_text(signature: Mapping[str, Any]) -> str:
    """Return what ``Signature.to_dict`` gave on one line: ``profile:unicode|upstream_commit:56524f9|...``."""
    parts: dict[str, Any] = {}
    for name, value in signature.items():
        if isinstance(value, list):
            value = ",".join(value)  # noqa: PLW2901
        parts |= value if isinstance(value, Mapping) else {name: value}
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def sign(
    profile: Profile, missing: str, answer: Sequence[str] = (), asked: Mapping[str, Any] | None = None
) -> Signature:
    """Return the signature of a result computed now, by this process; the arguments are as in `Signature`."""
    # Take about as long to import as all else that scoring needs.
    import platform
    from importlib.metadata import PackageNotFoundError, version

    versions = {"multiloko": VERSION, "python": platform.python_version()}
    for library in _COMPUTED_BY:
        try:
            versions[library] = version(library)
        except PackageNotFoundError:
            continue
    return Signature(profile.name, profile.commit, missing, versions, tuple(answer), asked)
