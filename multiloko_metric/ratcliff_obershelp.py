"""The similarity ratio of difflib, found in another way: the same number, but fast for a long text and a short one.

Ratcliff and Obershelp (1988): of two texts the longest common block is matched, then the same is done with what stands
before it in both and with what stands after it; the ratio is twice the characters matched over all characters.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from types import ModuleType

from rapidfuzz.distance import LCSseq


def optional_module(name: str) -> ModuleType | None:
    """Return the module of that name, or None where it is not installed."""
    # Not an import statement: evaluate reads those, and takes each for a module that must be there.
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


cydifflib = optional_module("cydifflib")

AUTOJUNK_LENGTH = 200
"""From this length of the target on, difflib ignores characters that are frequent in it."""
LONG = 150
"""From this length of the text on, searching it for parts of a short target is faster than cydifflib."""


def best_ratio(text: str, targets: Sequence[str]) -> float:
    """Return the greatest ``difflib.SequenceMatcher(None, text, target).ratio()`` over the targets; 0.0 without any."""
    best = 0.0
    bounds = []
    for target in targets:
        length = len(text) + len(target)
        # What is matched is a common subsequence, so the longest one is the most that can be.
        possible = LCSseq.similarity(text, target)
        bounds.append((2.0 * possible / length if length else 1.0, possible, target))
    for bound, possible, target in sorted(bounds, reverse=True):  # the most promising first, to spare the others
        if bound <= best:
            break
        best = max(best, _ratio(text, target, possible, best))
    return best


def ratio(text: str, target: str, least: float = 0.0) -> float:
    """Return ``difflib.SequenceMatcher(None, text, target).ratio()``: 0..1, 1 for empty against empty.

    Where it is no more than ``least`` the value may be anything up to ``least``, which saves looking further.
    """
    return _ratio(text, target, LCSseq.similarity(text, target), least)


def _ratio(text: str, target: str, possible: int, least: float) -> float:
    """Return `ratio`, where the longest common subsequence has ``possible`` characters."""
    length = len(text) + len(target)
    if not length:
        return 1.0
    if len(target) >= AUTOJUNK_LENGTH:
        matcher = cydifflib.SequenceMatcher if cydifflib else SequenceMatcher
        return float(matcher(None, text, target).ratio())
    if possible <= 1 or target in text or text in target:  # then all of it is matched
        return 2.0 * possible / length
    if cydifflib and len(text) < LONG and 2.0 * possible / length > least:
        return float(cydifflib.SequenceMatcher(None, text, target).ratio())
    matched = 0
    pieces = [(text, target, possible)]
    while pieces and 2.0 * possible / length > least:
        part, target_part, bound = pieces.pop()
        at, target_at, size = _longest_block(part, target_part)
        matched += size
        possible += size - bound
        end, target_end = at + size, target_at + size
        for rest, target_rest in ((part[:at], target_part[:target_at]), (part[end:], target_part[target_end:])):
            if rest and target_rest:
                bound = LCSseq.similarity(rest, target_rest)
                possible += bound
                if bound == 1:
                    matched += 1
                elif bound:
                    pieces.append((rest, target_rest, bound))
    return 2.0 * matched / length


def _longest_block(text: str, target: str) -> tuple[int, int, int]:
    """Return where the longest common block of two texts begins in the one and in the other, and its size.

    As in difflib, of several the one that begins first in ``text``, and of these the first in ``target``. There is one.
    """
    longest = starts = [at for at, character in enumerate(target) if character in text]
    size = 0
    while starts:
        longest = starts
        size += 1
        # A longer block begins only where both that it is made of do.
        starts = [at for at, after in pairwise(longest) if after == at + 1 and target[at : after + size] in text]
    begin, at = min([(text.find(target[at : at + size]), at) for at in longest])
    return begin, at, size
