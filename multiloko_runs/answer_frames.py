"""Words around an answer that hide it from exact match: "The answer is ...", "R: ...", an explanation in brackets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from multiloko_metric.scoring import Scorer

from .answered import Answered

COMMON = 0.05
"""Share of the answers that begin alike from which on it is worth seeing what removing it does. The guard against
chance is what becomes right, not this."""
_FEWEST = 5
_SHORT = 2
"""A target of so few letters is often part of another word."""

_WORD, _DIGIT = re.compile(r"\w").match, re.compile(r"\d").match


@dataclass(frozen=True)
class Frame:
    """What many answers begin or end with."""

    opening: str
    closing: str
    answers: int
    """Answers that have either."""
    recovered: int
    """Answers that are an exact match without it, and are none with it."""


def common_opening(texts: Sequence[str], share: float = COMMON) -> str:
    """Return the opening that covers the most characters of all texts, of those that so large a share of them has.

    It has two characters or more and at least five texts; "" where there is none.
    """
    fewest = max(_FEWEST, share * len(texts))
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


def common_ends(answers: Sequence[Answered], share: float = COMMON) -> tuple[str, str]:
    """Return the commonest opening and the commonest closing that so large a share of the answers has, or ""."""
    texts = [answer.prediction.strip() for answer in answers]
    return common_opening(texts, share), common_opening([text[::-1] for text in texts], share)[::-1]


def find_frame(answers: Sequence[Answered], scorer: Scorer, shares: Sequence[float] = (COMMON,)) -> Frame:
    """Return the commonest opening, the commonest closing, or both: that without which the most answers are right.

    With several shares, there is a commonest opening and closing for each of them.
    """
    texts = [answer.prediction.strip() for answer in answers]
    ends = [common_ends(answers, share) for share in shares]
    tried = [pair for first, last in ends for pair in ((first, ""), ("", last), (first, last))]
    frames = []
    for first, last in dict.fromkeys(tried):
        bare = [text.removeprefix(first).removesuffix(last) for text in texts]
        changed = [place for place, text in enumerate(texts) if bare[place] != text]
        recovered = sum(_recovered(bare[place], answers[place], scorer) for place in changed)
        frames.append(Frame(first, last, len(changed), recovered))
    return max(frames, key=lambda frame: frame.recovered)


def _recovered(bare: str, answer: Answered, scorer: Scorer) -> bool:
    """Return whether an answer is an exact match when it is ``bare``, and was none."""
    # What does not contain a target has none that a part of it could equal.
    if answer.score.em == 1 or answer.score.contains == 0 or not bare.strip():
        return False
    return scorer.score(bare, answer.targets, answer.language.name).em == 1


def wrapped(answers: Sequence[Answered], scorer: Scorer) -> list[Answered]:
    """Return the answers that hold a whole target but are no exact match.

    Stricter than the metric contains, for which 3 is in 1993: a target that begins or ends with a digit is not found
    beside another digit, one of two letters not within a word.
    """
    found = []
    for answer in answers:
        if answer.score.em == 1 or answer.score.contains == 0:
            continue
        form = scorer.prediction_form(answer.prediction, answer.language.name)
        forms = [form] if isinstance(form, str) else form
        targets = scorer.target_forms(answer.targets, answer.language.name)
        if any(_holds(each, target) for each in forms for target in targets):
            found.append(answer)
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
