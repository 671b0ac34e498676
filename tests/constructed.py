"""Scores of invented runs whose summary is known by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from multiloko_metric.averages import ConfigScores
from multiloko_metric.languages import CONFIGS, parse_config
from multiloko_metric.scoring import AnswerScores

LOCAL = [config for config in CONFIGS if config.translation is None]


def answer_scores(value: float) -> AnswerScores:
    """Return scores that are all ``value``, the distances ten times what lacks to 1."""
    return AnswerScores(
        em=value,
        f1=value,
        bleu=100 * value,
        chrf=100 * value,
        edit_distance=10 - 10 * value,
        edit_similarity=value,
        contains=value,
        edit_distance_first=10 - 10 * value,
    )


def config_scores(
    name: str,
    values: Iterable[float],
    *,
    ids: Sequence[str] | None = None,
    answered: Sequence[bool] | None = None,
    output_types: Sequence[str | None] | None = None,
) -> ConfigScores:
    """Return a config whose answers score ``values``; ids are q0, q1, ... and all are answered unless given."""
    scores = [answer_scores(float(value)) for value in values]
    return ConfigScores(
        parse_config(name),
        [f"q{number}" for number in range(len(scores))] if ids is None else ids,
        scores,
        [True] * len(scores) if answered is None else answered,
        output_types,
    )


def share(right: int, of: int) -> list[float]:
    """Return ``right`` ones and then zeros, ``of`` in all."""
    return [1.0] * right + [0.0] * (of - right)
