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

from multiloko_metric.normalization import LISTED_PUNCTUATION
from multiloko_metric.variants import ANSWER_FRAMES, ARTICLES, PREFIX_ARTICLES

Scores = dict[str, float]
DISTANCES = ("edit_distance", "edit_distance_first")


def slow_scores(profile: str, prediction: str, targets: list[str], language: str) -> Scores:
    """Every metric of one answer under a profile."""
    if profile == "lenient":
        as_written = slow_scores("variants", prediction, targets, language)
        answer, references = fold(prediction, language), [fold(target, language) for target in targets]
        folded = slow_scores("variants", answer, references, language)
        folded["f1"] = max(folded["f1"], _character_f1(answer, references, language))
        return _best([as_written, folded])
    answers = forms(profile, prediction, language) or [""]
    references = [form for target in targets for form in forms(profile, target, language)]
    first = forms(profile, targets[0], language) if targets else []
    best = _best([_metrics(answer, references, first) for answer in answers])
    return best if profile != "release" else {name: value for name, value in best.items() if name != "contains"}


def _best(scores: list[Scores]) -> Scores:
    return {name: (min if name in DISTANCES else max)(one[name] for one in scores) for name in scores[0]}


def fold(text: str, language: str) -> str:
    """What `lenient` takes for the same text, character by character."""
    invisible = "\u00ad\u061c\u200b\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff"
    invisible += "\u202a\u202b\u202c\u202d\u202e\u0640"
    text = "".join(_ordinary_width(character) for character in text if character not in invisible)
    text = unicodedata.normalize("NFC", text)
    if language == "turkish":
        text = text.replace("İ", "i").replace("I", "ı")
    text = "".join(_folded_character(character) for character in text.casefold())
    if language in ("farsi", "urdu"):
        text = text.replace("ى", "ي")
    if language == "vietnamese":
        for at, vowels in enumerate(OLD_TONES):
            text = re.sub(rf"{vowels}\b", NEW_TONES[at], text)
    if language in ("french", "italian"):
        text = re.sub(r"\bl['’ʼ](?=\w)", "", text)
    return text


OLD_TONES = ["òa", "óa", "ỏa", "õa", "ọa", "òe", "óe", "ỏe", "õe", "ọe", "ùy", "úy", "ủy", "ũy", "ụy"]
NEW_TONES = ["oà", "oá", "oả", "oã", "oạ", "oè", "oé", "oẻ", "oẽ", "oẹ", "uỳ", "uý", "uỷ", "uỹ", "uỵ"]


def _ordinary_width(character: str) -> str:
    match unicodedata.decomposition(character).split():
        case ["<wide>" | "<narrow>", code]:
            return chr(int(code, 16))
    return character


def _folded_character(character: str) -> str:
    if unicodedata.decimal(character, None) is not None:
        return str(unicodedata.decimal(character))
    name = unicodedata.name(character, "")
    if name.startswith(("HEBREW POINT", "HEBREW ACCENT", "HEBREW MARK LOWER", "HEBREW MARK UPPER")):
        return ""
    if "\u064b" <= character <= "\u0652" or character in "\u0656\u0657\u0670\u05af":
        return ""
    return {"\u06a9": "\u0643", "\u06cc": "\u064a", "\u06c1": "\u0647", "\u2212": "-"}.get(character, character)


def _character_f1(answer: str, references: list[str], language: str) -> float:
    answers = forms("variants", answer, language) or [""]
    targets = [form for reference in references for form in forms("variants", reference, language)]
    return max((f1(_characters(one), _characters(other)) for one in answers for other in targets), default=0)


def _characters(text: str) -> list[str]:
    spaced = "".join(f" {character} " if _is_unspaced(character) else character for character in text)
    return spaced.split()


def _is_unspaced(character: str) -> bool:
    blocks = (
        (0x0E00, 0x0E7F), (0x1780, 0x17FF), (0x19E0, 0x19FF), (0x3005, 0x3007), (0x3040, 0x30FF), (0x31F0, 0x31FF),
        (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
    )  # fmt: skip
    return any(first <= ord(character) <= last for first, last in blocks)


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
