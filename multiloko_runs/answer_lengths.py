"""How long answers are, beside how long the gold has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from .matching import MatchedConfig


@dataclass(frozen=True)
class Spread:
    """How some numbers lie: the tenth, the fiftieth and the ninetieth percentile."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True)
class AnswerLengths:
    """Lengths in characters of the answers that one config was given, and of the first target of their questions."""

    answers: Sequence[int]
    """Of each answer, without white space around it; an empty answer has 0. None where no question was answered."""
    targets: Sequence[int]
    """Of the first target of the same question, by which answers and gold are paired here."""

    @property
    def answer(self) -> Spread | None:
        """How long the answers are; None where there are none."""
        return _spread(self.answers)

    @property
    def target(self) -> Spread | None:
        """How long the first targets of the same questions are; None where there are none."""
        return _spread(self.targets)


def answer_lengths(matched: MatchedConfig) -> AnswerLengths:
    """Return the lengths of the answers of a config and of the first targets of their questions.

    A question without an answer, or without a target, counts for neither.
    """
    pairs = [
        (len(prediction.strip()), len(question.targets[0].strip()))
        for prediction, question, there in zip(matched.predictions, matched.questions, matched.answered, strict=True)
        if there and question.targets
    ]
    return AnswerLengths([answer for answer, _ in pairs], [target for _, target in pairs])


def _spread(values: Sequence[int]) -> Spread | None:
    if not values:
        return None
    if len(values) == 1:
        return Spread(values[0], values[0], values[0])
    tenths = quantiles(values, n=10, method="inclusive")
    return Spread(tenths[0], median(values), tenths[-1])
