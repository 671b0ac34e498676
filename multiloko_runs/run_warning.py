"""What is said of a run whose scores should not be trusted before somebody has looked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_LONGEST_EXAMPLE = 60


@dataclass(frozen=True)
class RunWarning:
    """One thing about a config, or about several together, that a person should look at before trusting a score."""

    kind: str
    """low_score, empty_answers, cut_characters, continuations, other_script, fewshot_answers, missing_answers,
    same_answer or other_questions."""
    config: str | None
    """Name of the config; None for several that are judged together, as each has too few answers to be judged alone:
    ``evidence["configs"]`` has their names, and ``evidence["run"]`` how many configs there are in all."""
    message: str
    """What was seen, in a sentence."""
    evidence: Mapping[str, Any]
    """The numbers behind it."""
    look_at: str
    """What to look at, or do, next."""
    example: str = ""
    """An answer that shows it. For the eye only: it may hold a right answer, which is not to be written to disk."""

    @property
    def where(self) -> str:
        """What it is about, in words: a config's name, the whole run, or so many of its configs together."""
        if self.config is not None:
            return self.config
        together, run = len(self.evidence["configs"]), self.evidence["run"]
        return f"whole run ({run} configs together)" if together == run else f"{together} of {run} configs together"

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON, without the example."""
        return {
            "kind": self.kind,
            "config": self.config,
            "message": self.message,
            "evidence": dict(self.evidence),
            "look_at": self.look_at,
        }

    def __str__(self) -> str:
        shown = self.example if len(self.example) <= _LONGEST_EXAMPLE else self.example[: _LONGEST_EXAMPLE - 3] + "..."
        example = f", such as {shown!r}" if self.example else ""
        return f"{self.where}: {self.message}{example}; {self.look_at}"
