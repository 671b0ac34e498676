"""The scores of an answer whose forms and whose targets' forms are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from .measures import BLEU_ORDER, bleu, character_tokens, chrf, contains, edit_distance, edit_similarity, token_f1

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
    """Without repetitions, which change no metric."""
    first: Sequence[str]
    """The forms of the first target alone."""
    characters: bool = False
    """Whether f1 also compares characters of scripts without spaces."""

    def scores(self) -> AnswerScores:
        """Return the best of each metric over the forms of the answer."""
        predictions, targets, first, characters = self
        return best_scores([score_form(form, targets, first, characters) for form in predictions])


# sacrebleu's score of a text against itself, by its number of tokens (of which 4 count): rounding makes it no 100.
_BLEU_OF_EQUAL = [0.0] + [math.exp(sum([math.log(100.0)] * order) / order) for order in range(1, BLEU_ORDER + 1)]


def score_form(prediction: str, targets: Sequence[str], first: Sequence[str], characters: bool = False) -> AnswerScores:
    """Return every metric of one form of an answer against the forms of its targets and of the first target."""
    if prediction in targets:
        return _score_equal(prediction, first)
    tokens = prediction.split()
    token_targets = [target.split() for target in targets]
    distance = edit_distance(prediction, targets)
    f1 = by_tokens = token_f1(tokens, token_targets)
    if characters:
        f1 = max(f1, token_f1(character_tokens(prediction), [character_tokens(target) for target in targets]))
    return AnswerScores(
        em=0.0,
        f1=f1,
        bleu=bleu(tokens, token_targets) if by_tokens else 0.0,
        chrf=chrf("".join(tokens), ["".join(target) for target in token_targets]),
        edit_distance=distance,
        edit_similarity=edit_similarity(prediction, targets),
        contains=contains(prediction, targets),
        edit_distance_first=distance if len(first) == len(targets) else edit_distance(prediction, first),
    )


def _score_equal(prediction: str, first: Sequence[str]) -> AnswerScores:
    """Return the scores of a text that is one of its targets: most follow from that alone."""
    length = len(prediction.split())
    return AnswerScores(
        em=1.0,
        f1=1.0 if length else 0,
        bleu=_BLEU_OF_EQUAL[min(length, BLEU_ORDER)],
        chrf=100.0 if length else 0.0,
        edit_distance=0.0,
        edit_similarity=1.0,
        contains=1.0,
        edit_distance_first=0.0 if prediction in first else edit_distance(prediction, first),
    )


_BEST = [min if name in LOWER_IS_BETTER else max for name in METRICS]


def best_scores(scores: Sequence[AnswerScores]) -> AnswerScores:
    """Return the best of each metric: the least distance, the greatest of the others."""
    if len(scores) == 1:
        return scores[0]
    columns = zip(*scores, strict=True)
    return AnswerScores(*[best(column) for best, column in zip(_BEST, columns, strict=True)])
