"""The scores of an answer whose forms and whose targets' forms are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from .measures import BLEU_ORDER, bleu, character_tokens, chrf, contains, edit_distances, edit_similarity, token_f1

METRICS = ("em", "f1", "bleu", "chrf", "edit_distance", "edit_similarity", "contains", "edit_distance_first")
LOWER_IS_BETTER = frozenset({"edit_distance", "edit_distance_first"})


class AnswerScores(NamedTuple):
    """The metrics of one answer. Higher is better, but for the two distances.

    A named tuple and no dataclass: it is made in a quarter of the time, once for every answer.
    """

    em: float
    """1.0 where the normalised answer is a normalised target, else 0.0."""
    f1: float
    """F1 of tokens, 0..1; the integer 0 where the official code gives that."""
    bleu: float
    """Sentence BLEU, 0..100; of an exact match 100.00000000000004 as sacrebleu rounds it."""
    chrf: float
    """chrF, 0..100."""
    edit_distance: float
    """Levenshtein distance to the closest target, in characters; lower is better."""
    edit_similarity: float
    """Ratio of difflib to the most similar target, 0..1."""
    contains: float | None
    """1.0 where a normalised target stands in the normalised answer, else 0.0; None where the profile has no such."""
    edit_distance_first: float
    """Levenshtein distance to the first target in file order, in characters; lower is better."""

    def to_dict(self) -> dict[str, float]:
        """Return the metrics by name, in the order of METRICS, without those the profile does not have."""
        return {name: value for name, value in self._asdict().items() if value is not None}


class Comparison(NamedTuple):
    """What is compared: forms of an answer with forms of its targets."""

    predictions: Sequence[str]
    """At least one; an answer of which nothing is left is the empty text."""
    targets: Sequence[str]
    """Without repetitions, which change no metric. Those of the first target come first."""
    first: int
    """How many are forms of the first target."""
    characters: bool = False
    """Whether f1 also compares characters of scripts without spaces."""

    def scores(self) -> AnswerScores:
        """Return the best of each metric over the forms of the answer."""
        predictions, targets, first, characters = self
        return best_scores([score_form(form, targets, first, characters) for form in predictions])


# sacrebleu's score of a text against itself, by its number of tokens (of which 4 count): rounding makes it no 100.
_BLEU_OF_EQUAL = [0.0] + [math.exp(sum([math.log(100.0)] * order) / order) for order in range(1, BLEU_ORDER + 1)]


def score_form(prediction: str, targets: Sequence[str], first: int, characters: bool = False) -> AnswerScores:
    """Return every metric of one form of an answer against the forms of its targets, ``first`` of the first target."""
    if prediction in targets:
        return _score_equal(prediction, targets[:first])
    tokens = prediction.split()
    token_targets = [target.split() for target in targets]
    distances = edit_distances(prediction, targets)
    f1 = by_tokens = token_f1(tokens, token_targets)
    if characters:
        f1 = max(f1, token_f1(character_tokens(prediction), [character_tokens(target) for target in targets]))
    return AnswerScores(
        0.0,
        f1,
        bleu(tokens, token_targets) if by_tokens else 0.0,
        chrf("".join(tokens), ["".join(target) for target in token_targets]),
        _least(distances, prediction),
        edit_similarity(prediction, targets),
        contains(prediction, targets),
        _least(distances[:first], prediction),
    )


def _score_equal(prediction: str, first: Sequence[str]) -> AnswerScores:
    """Return the scores of a text that is one of its targets: most follow from that alone."""
    length = len(prediction.split())
    return AnswerScores(
        1.0,
        1.0 if length else 0,
        _BLEU_OF_EQUAL[min(length, BLEU_ORDER)],
        100.0 if length else 0.0,
        0.0,
        1.0,
        1.0,
        0.0 if prediction in first else _least(edit_distances(prediction, first), prediction),
    )


def _least(distances: Sequence[int], prediction: str) -> float:
    """Return the least distance as the official code gives it: a float, and the answer's length without any target."""
    return float(min(distances) if distances else len(prediction))


_BEST = [min if name in LOWER_IS_BETTER else max for name in METRICS]


def best_scores(scores: Sequence[AnswerScores]) -> AnswerScores:
    """Return the best of each metric: the least distance, the greatest of the others."""
    if len(scores) == 1:
        return scores[0]
    columns = zip(*scores, strict=True)
    return AnswerScores(*[best(column) for best, column in zip(_BEST, columns, strict=True)])
