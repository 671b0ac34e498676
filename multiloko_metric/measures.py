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
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from itertools import chain, pairwise
from types import ModuleType

from rapidfuzz.distance import LCSseq, Levenshtein


def _optional(name: str) -> ModuleType | None:
    # Not an import statement: evaluate reads those, and takes each for a module that must be there.
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


cydifflib = _optional("cydifflib")
fastchrf = _optional("fastchrf")

BLEU_ORDER = 4
CHRF_ORDER = 6
CHRF_BETA = 2
AUTOJUNK_LENGTH = 200
"""From this length of the target on, difflib ignores characters that are frequent in it."""
LONG_FOR_CHRF = 64
"""Where both texts are longer, counting all n-grams is faster than looking each of the shorter up in the other."""
FEW = 8
"""Up to so many elements, counting each in a list is faster than building a Counter."""
LONG_FOR_DIFFLIB = 100
"""Where the answer is longer, searching it for parts of a short target is faster than cydifflib."""


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
    vocabulary = frozenset(prediction)
    best: float = 0
    for target in targets:
        if vocabulary.isdisjoint(target):
            continue
        shared = _count_shared(prediction, target)
        precision = shared / len(prediction)
        recall = shared / len(target)
        best = max(best, (2 * precision * recall) / (precision + recall))
    return best


def _count_shared(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the size of the intersection of two multisets."""
    common = set(one).intersection(other)
    if len(common) > FEW:
        return sum((Counter(one) & Counter(other)).values())
    return sum([min(one.count(element), other.count(element)) for element in common])


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
        if correct:  # else no longer n-gram is shared either
            correct = _clipped_matches(prediction, targets, order)
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
    closest = min([(abs(length - len(target)), len(target)) for target in targets])[1]
    brevity = math.exp(1 - closest / length) if length < closest else 1.0
    return brevity * math.exp(sum(logarithms) / len(logarithms))


def _clipped_matches(prediction: Sequence[str], targets: Sequence[Sequence[str]], order: int) -> int:
    ngrams = _token_ngrams(prediction, order)
    of_targets = [_token_ngrams(target, order) for target in targets if len(target) >= order]
    unique = set(ngrams)
    shared = unique.intersection(chain.from_iterable(of_targets))
    if len(unique) == len(ngrams) or not shared:
        return len(shared)
    counts = Counter([ngram for ngram in ngrams if ngram in shared])
    ceilings = [Counter(target) for target in of_targets]
    return sum([min(count, max([ceiling[ngram] for ceiling in ceilings])) for ngram, count in counts.items()])


def _token_ngrams(tokens: Sequence[str], order: int) -> Sequence[Hashable]:
    return tokens if order == 1 else list(zip(*[tokens[start:] for start in range(order)], strict=False))


def chrf(prediction: str, targets: Sequence[str]) -> float:
    """Return the chrF of texts without spaces, the best over the targets: 0..100, 0 where a text is empty.

    Source: sacrebleu's ``sentence_chrf`` with its defaults: character n-grams up to 6, beta 2, effective order.
    """
    return max([_chrf(prediction, target) for target in targets], default=0.0)


def _chrf(prediction: str, target: str) -> float:
    length, target_length = len(prediction), len(target)
    order = min(CHRF_ORDER, length, target_length)
    if length > LONG_FOR_CHRF < target_length and fastchrf:
        try:
            return float(fastchrf.pairwise_chrf([[prediction]], [[target]])[0][0][0])
        except UnicodeEncodeError:  # a lone surrogate, which it cannot take
            pass
    precision = recall = 0.0
    for shared in _shared_ngrams(prediction, target, order):
        precision += shared / length
        recall += shared / target_length
        length -= 1
        target_length -= 1
    if not precision:
        return 0.0
    precision /= order
    recall /= order
    factor = CHRF_BETA**2
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall))


def _shared_ngrams(one: str, other: str, max_order: int) -> list[int]:
    """Return how many character n-grams two texts share, as multisets, for n = 1, 2, ... as long as there are any."""
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    if len(short) > LONG_FOR_CHRF:
        return [_count_shared(_ngrams(short, order), _ngrams(long, order)) for order in range(1, max_order + 1)]
    shared: list[int] = []
    repeated = True
    for order in range(1, max_order + 1):
        ngrams = _ngrams(short, order)
        found = sum(map(long.__contains__, ngrams))
        if not found:
            break  # nor is a longer one shared
        if repeated:  # else no longer one is
            counts = Counter(ngrams)
            repeated = len(counts) < len(ngrams)
            found += sum([_occurrences(long, ngram, count) - count for ngram, count in counts.items() if count > 1])
        shared.append(found)
    return shared


def _ngrams(text: str, order: int) -> list[str]:
    return [text[start : start + order] for start in range(len(text) - order + 1)]


def edit_distance(prediction: str, targets: Sequence[str]) -> float:
    """Return the least Levenshtein distance in characters, as a float; the answer's length without targets."""
    if not targets:
        return float(len(prediction))
    return float(min([Levenshtein.distance(prediction, target) for target in targets]))


def edit_similarity(prediction: str, targets: Sequence[str]) -> float:
    """Return the greatest ``SequenceMatcher(None, prediction, target).ratio()``: 0..1, 1 for empty against empty."""
    best = 0.0
    for target in targets:
        length = len(prediction) + len(target)
        if not length:
            return 1.0
        # What difflib matches is a common subsequence, so the length of the longest is an upper bound.
        bound = LCSseq.similarity(prediction, target)
        if 2.0 * bound / length > best:
            best = max(best, 2.0 * _matched(prediction, target, bound) / length)
    return best


def _matched(prediction: str, target: str, bound: int) -> int:
    """Return how many characters stand in the blocks that difflib matches; ``bound`` is the most there can be."""
    if len(target) >= AUTOJUNK_LENGTH or (cydifflib and len(prediction) < LONG_FOR_DIFFLIB):
        matcher = cydifflib.SequenceMatcher if cydifflib else SequenceMatcher
        return sum([size for _, _, size in matcher(None, prediction, target).get_matching_blocks()])
    matched = 0
    todo = [(0, len(prediction), 0, len(target))]
    while todo and matched < bound:
        start, end, target_start, target_end = todo.pop()
        at, target_at, size = _longest_block(prediction, target, start, end, target_start, target_end)
        if size:
            matched += size
            if start < at and target_start < target_at:
                todo.append((start, at, target_start, target_at))
            if at + size < end and target_at + size < target_end:
                todo.append((at + size, end, target_at + size, target_end))
    return matched


def _longest_block(
    text: str, target: str, start: int, end: int, target_start: int, target_end: int
) -> tuple[int, int, int]:
    """Return where the longest common block begins in ``text`` and in ``target``, and its size.

    As in difflib, of several the one that begins first in ``text``, and of these the first in ``target``.
    """
    at, target_at, size = start, target_start, 0
    absent = set()
    for here in range(target_start, target_end):
        longer = target[here : here + size + 1]
        while here + size < target_end and longer not in absent:
            found = text.find(longer, start, end)
            if found < 0:
                absent.add(longer)
                break
            at, target_at, size = found, here, size + 1
            longer = target[here : here + size + 1]
        if target_at < here <= target_end - size and start < at:
            found = text.find(target[here : here + size], start, at + size - 1)
            if found >= 0:
                at, target_at = found, here
    return at, target_at, size


def contains(prediction: str, targets: Sequence[str]) -> float:
    """Return 1.0 where a target stands in the answer, a blank one too, else 0.0."""
    return 1.0 if any(target in prediction for target in targets) else 0.0
