"""Answers that were given, each with what it takes to judge it: of one config, or of several together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from multiloko_metric.averages import ConfigScores
from multiloko_metric.languages import Language
from multiloko_metric.scoring import AnswerScores

from .matching import MatchedConfig


class Answered(NamedTuple):
    """A question that has an answer."""

    prediction: str
    targets: Sequence[str]
    score: AnswerScores
    language: Language
    """In which it was asked."""
    config: str
    """Name of its config."""


def answered_questions(matched: MatchedConfig, result: ConfigScores) -> list[Answered]:
    """Return the questions of a config that have an answer, be it an empty one, with the answer and its scores.

    Raises:
        ValueError: ``matched`` and ``result`` do not belong together.
    """
    language, name = matched.config.question, matched.config.name
    rows = zip(matched.predictions, matched.questions, result.scores, matched.answered, strict=True)
    return [
        Answered(prediction, question.targets, score, language, name)
        for prediction, question, score, there in rows
        if there
    ]
