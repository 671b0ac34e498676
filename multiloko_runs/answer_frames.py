"""Words around an answer that hide it from exact match: "The answer is ...", "R: ...", an explanation in brackets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from multiloko_metric.scoring import AnswerScores, Scorer

from .matching import MatchedConfig

_COMMON = 0.05
"""Share of the answers that begin alike from which on it is worth seeing what removing it does. The guard against
chance is what becomes right, not this."""
_FEWEST = 5
_SHORT = 2
"""A target of so few letters is often part of another word."""

_WORD, _DIGIT = re.compile(r"\w").match, re.compile(r"\d").match


@dataclass(frozen=True)
class Frame:
    """What many answers of a config begin or end with."""

    opening: str
    closing: str
    answers: int
    """Answers that have either."""
    recovered: int
    """Answers that are an exact match without it, and are none with it."""


def common_opening(texts: Sequence[str]) -> str:
    """Return the opening that covers the most characters of all texts; "" where none of two or more is common."""
    fewest = max(_FEWEST, _COMMON * len(texts))
    best, best_covered = "", 0
    alive, size = [text for text in texts if text], 1
    while alive:
        counts = Counter(text[:size] for text in alive)
        opening, count = counts.most_common(1)[0]
        if size > 1 and count >= fewest and count * size > best_covered:
            best, best_covered = opening, count * size
        alive = [text for text in alive if len(text) > size and counts[text[:size]] >= fewest]
        size += 1
    return best


def find_frame(matched: MatchedConfig, scores: Sequence[AnswerScores], scorer: Scorer) -> Frame:
    """Return the commonest opening, the commonest closing, or both: that without which the most answers are right."""
    texts = [prediction.strip() for prediction in matched.predictions]
    opening = common_opening(texts)
    closing = common_opening([text[::-1] for text in texts])[::-1]
    frames = []
    for first, last in dict.fromkeys([(opening, ""), ("", closing), (opening, closing)]):
        bare = [text.removeprefix(first).removesuffix(last) for text in texts]
        changed = [place for place, text in enumerate(texts) if bare[place] != text]
        recovered = sum(_recovered(bare[place], place, matched, scores[place], scorer) for place in changed)
        frames.append(Frame(first, last, len(changed), recovered))
    return max(frames, key=lambda frame: frame.recovered)


def _recovered(bare: str, place: int, matched: MatchedConfig, score: AnswerScores, scorer: Scorer) -> bool:
    """Return whether the answer at that place is an exact match when it is ``bare``, and was none."""
    # What does not contain a target has none that a part of it could equal.
    if score.em == 1 or score.contains == 0 or not bare.strip():
        return False
    targets = matched.questions[place].targets
    return scorer.score(bare, targets, matched.config.question.name).em == 1


def wrapped(matched: MatchedConfig, scores: Sequence[AnswerScores], scorer: Scorer) -> list[int]:
    """Return the positions of the answers that hold a whole target but are no exact match.

    Stricter than the metric contains, for which 3 is in 1993: a target that begins or ends with a digit is not found
    beside another digit, one of two letters not within a word.
    """
    language = matched.config.question.name
    found = []
    for position, (prediction, question, score) in enumerate(
        zip(matched.predictions, matched.questions, scores, strict=True)
    ):
        if score.em == 1 or score.contains == 0:
            continue
        form = scorer.prediction_form(prediction, language)
        answers = [form] if isinstance(form, str) else form
        targets = scorer.target_forms(question.targets, language)
        if any(_holds(answer, target) for answer in answers for target in targets):
            found.append(position)
    return found


def _holds(answer: str, target: str) -> bool:
    if not target:
        return False
    blocked = _WORD if len(target) <= _SHORT else _DIGIT
    first, last = blocked(target[0]), blocked(target[-1])
    at = answer.find(target)
    while at >= 0:
        end = at + len(target)
        if not (first and at and blocked(answer[at - 1])) and not (last and blocked(answer[end : end + 1])):
            return True
        at = answer.find(target, at + 1)
    return False
