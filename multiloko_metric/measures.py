"""The metrics of one normalised answer against its normalised targets.

Each equals the official value to the last bit: em, f1, edit_similarity and contains in 0..1, bleu and chrf in 0..100,
edit distances in characters. With several targets each is the best over them, but for bleu, which pools them. The short
cuts taken here change no value; `tests/slow_twin.py` has the same metrics without any.

A normalised text holds no ASCII punctuation, so that the tokeniser 13a of sacrebleu leaves it as it is, and between
its words there are spaces and no other white space.
"""

from __future__ import annotations

import importlib
import math
import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from types import ModuleType

from rapidfuzz.distance import LCSseq, Levenshtein


def _optional(name: str) -> ModuleType | None:
    # Not an import statement: evaluate reads those, and takes each for a module that must be there.
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


_cydifflib = _optional("cydifflib")
_fastchrf = _optional("fastchrf")

BLEU_ORDER = 4
CHRF_ORDER = 6
CHRF_BETA = 2
AUTOJUNK_LENGTH = 200
"""From this length of the target on, difflib ignores characters that are frequent in it."""
LONG_FOR_CHRF = 64
"""Where both texts are longer, counting all n-grams is faster than looking each up."""


# A character of a script written without spaces (Han, kana, Thai, Khmer), or a run of any others.
_UNSPACED = "\u0e00-\u0e7f\u1780-\u17ff\u19e0-\u19ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff"
_CHARACTER_OR_RUN = re.compile(rf"[{_UNSPACED}\U00020000-\U0003ffff]|[^\s{_UNSPACED}\U00020000-\U0003ffff]+")


def character_tokens(text: str) -> list[str]:
    """Return the tokens of a text, each character of a script without spaces by itself: 2010年春 is 2010, 年, 春.

    Source: the mixed segmentation of MLQA (Lewis et al. 2020) and MKQA (Longpre et al. 2021).
    """
    return _CHARACTER_OR_RUN.findall(text)


def token_f1(prediction: Sequence[str], targets: Sequence[Sequence[str]]) -> float:
    """Return the F1 of the tokens as multisets: 0..1, and the integer 0 where no target shares a token.

    Source: f1 in the official eval.py.
    """
    counts = Counter(prediction)
    best: float = 0
    for target in targets:
        shared = sum(min(count, counts[token]) for token, count in Counter(target).items() if token in counts)
        if shared:
            precision = shared / len(prediction)
            recall = shared / len(target)
            best = max(best, (2 * precision * recall) / (precision + recall))
    return best


def bleu(prediction: Sequence[str], targets: Sequence[Sequence[str]]) -> float:
    """Return the sentence BLEU of tokens: 0..100 and a rounding error more, 0 where no target shares a token.

    Source: sacrebleu's ``sentence_bleu`` with its defaults: exponential smoothing, effective order, counts clipped by
    the maximum over the targets, brevity against the target of the closest length (the shorter of two).
    """
    length = len(prediction)
    logarithms: list[float] = []
    smoothing = 1.0
    correct = 1
    for order in range(1, min(BLEU_ORDER, length) + 1):
        # Where no n-gram is shared, no longer one is.
        correct = correct and _clipped_matches(prediction, targets, order)
        if order == 1 and not correct:
            return 0.0
        total = length - order + 1
        if correct:
            logarithms.append(math.log(100.0 * correct / total))
        else:
            smoothing *= 2
            logarithms.append(math.log(100.0 / (smoothing * total)))
    if not logarithms:
        return 0.0
    closest = min((abs(length - len(target)), len(target)) for target in targets)[1]
    brevity = math.exp(1 - closest / length) if length < closest else 1.0
    return brevity * math.exp(sum(logarithms) / len(logarithms))


def _clipped_matches(prediction: Sequence[str], targets: Sequence[Sequence[str]], order: int) -> int:
    ceiling: dict[tuple[str, ...], int] = {}
    for target in targets:
        for ngram, count in _token_ngrams(target, order).items():
            ceiling[ngram] = max(count, ceiling.get(ngram, 0))
    counts = _token_ngrams(prediction, order) if ceiling else {}
    return sum(min(count, counts[ngram]) for ngram, count in ceiling.items() if ngram in counts)


def _token_ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))


def chrf(prediction: str, targets: Sequence[str]) -> float:
    """Return the chrF of texts without spaces, the best over the targets: 0..100, 0 where a text is empty.

    Source: sacrebleu's ``sentence_chrf`` with its defaults: character n-grams up to 6, beta 2, effective order.
    """
    return max((_chrf(prediction, target) for target in targets), default=0.0)


def _chrf(prediction: str, target: str) -> float:
    order = min(CHRF_ORDER, len(prediction), len(target))
    precision = recall = 0.0
    for size, matches in enumerate(_matches(prediction, target, order), start=1):
        precision += matches / (len(prediction) - size + 1)
        recall += matches / (len(target) - size + 1)
    if not precision:
        return 0.0
    precision /= order
    recall /= order
    factor = CHRF_BETA**2
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall))


def _matches(one: str, other: str, max_order: int) -> list[int]:
    """Return how many character n-grams two texts share, for n = 1 up to the last n that has any, or `max_order`."""
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    found: list[int] = []
    for order in range(1, max_order + 1):
        ngrams = [short[start : start + order] for start in range(len(short) - order + 1)]
        shared = [ngram for ngram in set(ngrams) if ngram in long]
        if not shared:
            break
        counts = Counter(ngrams)
        found.append(sum(_occurrences(long, ngram, counts[ngram]) for ngram in shared))
    return found


def _occurrences(text: str, ngram: str, limit: int) -> int:
    """Return how often ``ngram`` stands in ``text``, overlaps counted, once at least and at most ``limit`` times."""
    count, at = 1, text.find(ngram)
    while count < limit and (at := text.find(ngram, at + 1)) >= 0:
        count += 1
    return count


def edit_distance(prediction: str, targets: Sequence[str]) -> float:
    """Return the least Levenshtein distance in characters, as a float; the answer's length without targets."""
    if not targets:
        return float(len(prediction))
    return float(min(Levenshtein.distance(prediction, target) for target in targets))


def edit_similarity(prediction: str, targets: Sequence[str]) -> float:
    """Return the greatest ``SequenceMatcher(None, prediction, target).ratio()``: 0..1, 1 for empty against empty."""
    best = 0.0
    for target in targets:
        length = len(prediction) + len(target)
        if not length:
            return 1.0
        # What difflib matches is a common subsequence, so the longest one is an upper bound.
        if 2.0 * LCSseq.similarity(prediction, target) / length > best:
            best = max(best, _ratio(prediction, target))
    return best


def _ratio(prediction: str, target: str) -> float:
    matcher = _cydifflib.SequenceMatcher if _cydifflib else SequenceMatcher
    return float(matcher(None, prediction, target).ratio())


def contains(prediction: str, targets: Sequence[str]) -> float:
    """Return 1.0 where a target stands in the answer, a blank one too, else 0.0."""
    return 1.0 if any(target in prediction for target in targets) else 0.0
