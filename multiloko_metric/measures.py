"""The metrics of one normalised answer against its normalised targets.

Each equals the official value to the last bit: em, f1, edit_similarity and contains in 0..1, bleu and chrf in 0..100,
edit distances in characters. With several targets each is the best over them, but for bleu, which pools them. The short
cuts taken here change no value; `multiloko_runs/specification.py` has the same metrics without any.

A normalised text holds no ASCII punctuation, so that the tokeniser 13a of sacrebleu leaves it as it is, and between
its words there are spaces and no other white space.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import chain, pairwise

from rapidfuzz.distance import Levenshtein

from .ratcliff_obershelp import best_ratio, optional_module

fastchrf = optional_module("fastchrf")

BLEU_ORDER = 4
CHRF_ORDER = 6
CHRF_BETA = 2
LONG_FOR_CHRF = 64
"""Where both texts are longer, counting all n-grams is faster than looking each of the shorter up in the other."""
FEW = 8
"""Up to so many elements, counting each in a list is faster than building a Counter."""

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
    if length > LONG_FOR_CHRF < target_length:
        return _chrf_of_long(prediction, target)
    short, long = (prediction, target) if length <= target_length else (target, prediction)
    characters = [character for character in short if character in long]
    if not characters:
        return 0.0
    max_order = min(CHRF_ORDER, len(short))
    shared = len(characters)
    unique = set(characters)
    if len(unique) < shared:
        shared = sum([min(characters.count(character), long.count(character)) for character in unique])
    precision, recall = shared / length, shared / target_length
    order = 2
    ngrams = (
        [one + after for one, after in pairwise(short) if one in unique and one + after in long] if shared > 1 else []
    )
    while ngrams:
        unique = set(ngrams)
        shared = len(unique)
        if shared < len(ngrams):
            shared += sum([_repeats(long, ngram, ngrams.count(ngram)) for ngram in unique])
        precision += shared / (length - order + 1)
        recall += shared / (target_length - order + 1)
        order += 1
        if order > max_order or len(ngrams) == 1:  # a longer n-gram holds two of this length, both of them shared
            break
        ngrams = [ngram for at in range(len(short) - order + 1) if (ngram := short[at : at + order]) in long]
    return _f_score(precision / max_order, recall / max_order)


def _f_score(precision: float, recall: float) -> float:
    factor = CHRF_BETA**2
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall))


def _chrf_of_long(prediction: str, target: str) -> float:
    if fastchrf:
        try:
            return float(fastchrf.pairwise_chrf([[prediction]], [[target]])[0][0][0])
        except UnicodeEncodeError:  # a lone surrogate, which it cannot take
            pass
    precision = recall = 0.0
    for order in range(1, CHRF_ORDER + 1):
        ngrams, target_ngrams = _ngrams(prediction, order), _ngrams(target, order)
        shared = _count_shared(ngrams, target_ngrams)
        precision += shared / len(ngrams)
        recall += shared / len(target_ngrams)
    return _f_score(precision / CHRF_ORDER, recall / CHRF_ORDER) if precision else 0.0


def _ngrams(text: str, order: int) -> list[str]:
    return [text[start : start + order] for start in range(len(text) - order + 1)]


def _repeats(text: str, ngram: str, limit: int) -> int:
    """Return how often ``ngram`` stands in ``text`` after the first time, overlaps counted, up to ``limit`` in all."""
    count, at = 1, text.find(ngram) if limit > 1 else 0
    while count < limit and (at := text.find(ngram, at + 1)) >= 0:
        count += 1
    return count - 1


def edit_distances(prediction: str, targets: Sequence[str]) -> list[int]:
    """Return the Levenshtein distance to each target in characters."""
    return [Levenshtein.distance(prediction, target) for target in targets]


def edit_similarity(prediction: str, targets: Sequence[str]) -> float:
    """Return the greatest ``SequenceMatcher(None, prediction, target).ratio()``: 0..1, 1 for empty against empty."""
    return best_ratio(prediction, targets)


def contains(prediction: str, targets: Sequence[str]) -> float:
    """Return 1.0 where a target stands in the answer, a blank one too, else 0.0."""
    for target in targets:
        if target in prediction:
            return 1.0
    return 0.0
