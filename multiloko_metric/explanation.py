"""How one answer came by its scores: every step of every text, what was compared, and which pair won each metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .answer_scores import AnswerScores, Comparison, score_form

POOLED = "bleu"
"""The metric that has no single best target: it counts over all of them."""


@dataclass(frozen=True)
class StepTrace:
    """A text after one rule."""

    rule: str
    text: str


@dataclass(frozen=True)
class TextTrace:
    """A raw text, what each rule made of it, and the forms that were compared."""

    raw: str
    steps: tuple[StepTrace, ...]
    forms: Mapping[str, str]
    """Each form with how it was made; empty for a blank target of a profile in which it is no target."""


@dataclass(frozen=True)
class Reading:
    """An answer and its targets as compared once; ``lenient`` has two readings, as written and folded."""

    folded: bool
    prediction: TextTrace
    targets: tuple[TextTrace, ...]


@dataclass(frozen=True)
class Winner:
    """The pair of forms that gave a metric its value; the first of equals."""

    value: float
    prediction: str
    target: str | None
    """None for bleu, which counts over all targets, and where there is no target."""
    folded: bool
    """Whether the pair is of folded text."""
    characters: bool
    """Whether it won by characters, not by words (f1 of ``lenient`` only)."""


@dataclass(frozen=True)
class Trace:
    """All there is to say about the scores of one answer."""

    profile: str
    language: str | None
    """Official name of the language of the question, where the profile needs it."""
    scores: AnswerScores
    readings: tuple[Reading, ...]
    winners: Mapping[str, Winner]
    """By metric."""

    def to_dict(self) -> dict[str, Any]:
        """Return the trace as plain values for JSON."""
        return {**asdict(self), "scores": self.scores.to_dict()}


def find_winners(scores: AnswerScores, comparisons: Sequence[Comparison]) -> dict[str, Winner]:
    """Return for each metric the first pair of forms that reaches its value; comparisons after the first are folded."""
    return {
        name: next(
            winner
            for folded, comparison in enumerate(comparisons)
            for winner in _winners(name, value, comparison, folded=bool(folded))
        )
        for name, value in scores.to_dict().items()
    }


def _winners(name: str, value: float, comparison: Comparison, *, folded: bool) -> Iterator[Winner]:
    targets = list(comparison.targets[: comparison.first if name == "edit_distance_first" else None])
    groups = [(None, targets)] if name == POOLED or not targets else [(target, [target]) for target in targets]
    for characters in sorted({False, comparison.characters}):
        for prediction in comparison.predictions:
            for target, group in groups:
                if getattr(score_form(prediction, group, len(group), characters), name) == value:
                    yield Winner(value, prediction, target, folded, characters)
