"""The scores of the answers of one config, and their means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .errors import MultiLoKoError
from .languages import Config
from .scoring import AnswerScores


@dataclass(frozen=True)
class ConfigScores:
    """The scores of every question of one config, in order of the answers' first appearance, then the missing."""

    config: Config
    ids: Sequence[str]
    """Unique within the config. Questions of configs with one source language are paired by them; where ids are not
    known, give texts that no other config has, and nothing is paired."""
    scores: Sequence[AnswerScores]
    answered: Sequence[bool]
    """Whether there was an answer; a missing one is scored as an empty one."""
    output_types: Sequence[str | None] | None = None
    """Kind of answer each question expects, in the question's language."""

    def __post_init__(self) -> None:
        lengths = {len(self.ids), len(self.scores), len(self.answered)}
        if self.output_types is not None:
            lengths.add(len(self.output_types))
        if len(lengths) != 1:
            found = ", ".join(map(str, sorted(lengths)))
            raise MultiLoKoError(f"{self.config.name}: ids, scores and the rest differ in length: {found}")
        if not self.scores:
            raise MultiLoKoError(f"{self.config.name}: no questions to summarise")


def mean(scores: Sequence[AnswerScores], metric: str) -> float:
    """Return the mean of one metric as the official code computes it: a sum from the left over the count."""
    total: float = 0
    for score in scores:
        total += getattr(score, metric)
    return total / len(scores)
