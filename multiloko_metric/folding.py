"""How the profile ``lenient`` folds a text before it is normalised: each rule a named line with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Fold:
    """One rule that folds spellings of the same text into one."""

    name: str
    reason: str
    apply: Callable[[str], str]
    languages: frozenset[str] | None = None
    """Official names of the question languages it is for; None for all."""


FOLDS: tuple[Fold, ...] = ()
