"""The scorer again, slow and obvious: what `multiloko_metric` must equal to the last bit.

Written from the definitions with sacrebleu, difflib and the textbook's Levenshtein; no short cut anywhere. Only data is
shared with the scorer (the lists of articles and of punctuation, which the official numbers check), never code.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from difflib import SequenceMatcher

import sacrebleu

from multiloko_metric.profiles import ANSWER_FRAMES, ARTICLES, LISTED_PUNCTUATION, PREFIX_ARTICLES

Scores = dict[str, float]
DISTANCES = ("edit_distance", "edit_distance_first")


def slow_scores(profile: str, prediction: str, targets: list[str], language: str) -> Scores:
    """Every metric of one answer under an official profile."""
    answers = forms(profile, prediction, language) or [""]
    references = [form for target in targets for form in forms(profile, target, language)]
    first = forms(profile, targets[0], language) if targets else []
    return scores_of_forms(answers, references, first, with_contains=profile != "release")


def scores_of_forms(answers: list[str], references: list[str], first: list[str], *, with_contains: bool) -> Scores:
    """Every metric over all pairs of forms."""
    per_answer = [_metrics(answer, references, first) for answer in answers]
    best = {name: (min if name in DISTANCES else max)(scores[name] for scores in per_answer) for name in per_answer[0]}
    return best if with_contains else {name: value for name, value in best.items() if name != "contains"}


def forms(profile: str, text: str, language: str) -> list[str]:
    """The forms of a raw text that are compared."""
    if profile == "release":
        return [_spaces(_english_articles(_without(text.lower(), set(LISTED_PUNCTUATION))))]
    unpunctuated = _without_category_p(_without(text.lower(), set(LISTED_PUNCTUATION)))
    if profile == "unicode":
        return [_answer(_spaces(_english_articles(unpunctuated)))]
    return variants(_answer(_spaces(unpunctuated)), language)


def variants(answer: str, language: str) -> list[str]:
    found = [answer, _articles(answer, language)]
    if (unframed := _unframed(answer, language)) != answer:
        found += [unframed, _articles(unframed, language)]
    for form in list(found):
        if "\u200c" in form:
            found += [_spaces(form.replace("\u200c", " ")), _spaces(form.replace("\u200c", ""))]
    return [form for at, form in enumerate(found) if form and form not in found[:at]]


def levenshtein(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for at, character in enumerate(one, start=1):
        previous, row[0] = row[0], at
        for column, another in enumerate(other, start=1):
            previous, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, previous + (character != another)),
            )
    return row[-1]


def f1(prediction: list[str], target: list[str]) -> float:
    shared = sum((Counter(prediction) & Counter(target)).values())
    if not shared:
        return 0
    precision, recall = shared / len(prediction), shared / len(target)
    return 2 * precision * recall / (precision + recall)


def _metrics(answer: str, references: list[str], first: list[str]) -> Scores:
    if not references:
        length = float(len(answer))
        return {
            "em": 0.0, "f1": 0, "bleu": 0.0, "chrf": 0.0,
            "edit_distance": length, "edit_similarity": 0.0, "contains": 0.0, "edit_distance_first": length,
        }  # fmt: skip
    return {
        "em": max(float(answer == reference) for reference in references),
        "f1": max(f1(answer.split(), reference.split()) for reference in references),
        "bleu": sacrebleu.sentence_bleu(answer, references).score,
        "chrf": sacrebleu.sentence_chrf(answer, references).score,
        "edit_distance": float(min(levenshtein(answer, reference) for reference in references)),
        "edit_similarity": max(SequenceMatcher(None, answer, reference).ratio() for reference in references),
        "contains": float(any(reference in answer for reference in references)),
        "edit_distance_first": float(min(levenshtein(answer, form) for form in first or [""])),
    }


def _without(text: str, excluded: set[str]) -> str:
    return "".join(character for character in text if character not in excluded)


def _without_category_p(text: str) -> str:
    return "".join(character for character in text if unicodedata.category(character)[0] != "P")


def _english_articles(text: str) -> str:
    return re.sub(r"\b(a|an|the)\b", " ", text)


def _spaces(text: str) -> str:
    return " ".join(text.split())


def _answer(text: str) -> str:
    if " answer is " in text:
        return text.rsplit(" answer is ", maxsplit=1)[-1]
    if "answer is " in text:
        return text.replace("answer is ", "")
    if text.endswith("です"):
        return text[:-2]
    return text


def _articles(text: str, language: str) -> str:
    prefix = PREFIX_ARTICLES.get(language)
    if prefix:
        words = []
        for word in text.split():
            cut = word.startswith(prefix) and len(word) - len(prefix) >= 2
            words.append(word[len(prefix) :] if cut else word)
        return " ".join(words)
    if language not in ARTICLES:
        return text
    for article in ARTICLES[language]:
        text = re.sub(rf"\b{article}\b", " ", text)
    return _spaces(text)


def _unframed(text: str, language: str) -> str:
    before, after = ANSWER_FRAMES.get(language, ("", ""))
    inner = text
    if before and inner.startswith(before):
        inner = inner[len(before) :]
    if after and inner.endswith(after):
        inner = inner[: -len(after)]
    return _spaces(inner) or text
