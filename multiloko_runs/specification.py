"""The scorer again, as a specification that runs: one function a rule, in the order of the official code, no short cut.

`multiloko_metric` must equal this to the last bit; `multiloko score --verify` and the tests check that it does. It
restates what ``eval.py`` of facebookresearch/multiloko does at three commits with the same built-ins in the same order,
takes bleu and chrf from sacrebleu, edit_similarity from difflib, and the distance from the textbook. Of the scorer it
shares the lists of words and characters, which the official numbers check, and no code.

Read it from `specified_scores` down. A profile is how raw text becomes the forms that are compared:

    release   lower case, listed punctuation, English articles, spaces                            (4f4de60)
    unicode   lower case, all punctuation, English articles, spaces, "answer is"                  (56524f9)
    variants  lower case, all punctuation, spaces, "answer is", then several forms by language    (26a1fcc)
    lenient   the better of variants, and of variants on folded text                              (this project's)
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

import sacrebleu

from multiloko_metric.normalization import LISTED_PUNCTUATION
from multiloko_metric.variants import ANSWER_FRAMES, ARTICLES, PREFIX_ARTICLES

Scores = dict[str, float]
LOWER_IS_BETTER = ("edit_distance", "edit_distance_first")


def specified_scores(profile: str, prediction: str, targets: Sequence[str], language: str) -> Scores:
    """Return every metric of one answer, all of it raw text, in a language by its official name.

    With an empty list of targets, or in ``variants`` and ``lenient`` with blank ones only (where the official code
    raises), each score is 0 and each distance the answer's length.
    """
    if profile != "lenient":
        return _scores_of_forms(profile, prediction, targets, language)
    as_written = _scores_of_forms("variants", prediction, targets, language)
    answer, references = fold(prediction, language), [fold(target, language) for target in targets]
    folded = _scores_of_forms("variants", answer, references, language)
    folded["f1"] = max(folded["f1"], _f1_of_characters(answer, references, language))
    return _best([as_written, folded])


def _scores_of_forms(profile: str, prediction: str, targets: Sequence[str], language: str) -> Scores:
    """Score every form of the answer against all forms of all targets, and keep the best of each metric."""
    answers = forms(profile, prediction, language) or [""]
    references = target_forms(profile, targets, language)
    first = target_forms(profile, targets[:1], language)
    scores = _best([_metrics(answer, references, first) for answer in answers])
    if profile == "release":
        del scores["contains"]
    return scores


def _best(scores: Sequence[Scores]) -> Scores:
    return {name: (min if name in LOWER_IS_BETTER else max)(each[name] for each in scores) for name in scores[0]}


# ---- The metrics of one form of an answer ----


def _metrics(answer: str, references: Sequence[str], first: Sequence[str]) -> Scores:
    if not references:
        length = float(len(answer))
        nothing = {"em": 0.0, "f1": 0, "bleu": 0.0, "chrf": 0.0}
        distances = {"edit_distance": length, "edit_similarity": 0.0, "contains": 0.0, "edit_distance_first": length}
        return {**nothing, **distances}
    return {
        "em": max(float(answer == reference) for reference in references),
        "f1": max(f1(answer.split(), reference.split()) for reference in references),
        "bleu": sacrebleu.sentence_bleu(answer, references).score,
        "chrf": sacrebleu.sentence_chrf(answer, references).score,
        "edit_distance": float(min(float(levenshtein(answer, reference)) for reference in references)),
        "edit_similarity": max(SequenceMatcher(None, answer, reference).ratio() for reference in references),
        "contains": any([reference in answer for reference in references]) * 1.0,  # noqa: C419 - as it is written there
        "edit_distance_first": float(min(levenshtein(answer, form) for form in first or [""])),
    }


def f1(prediction: Sequence[str], target: Sequence[str]) -> float:
    """F1 of two multisets of tokens; the integer 0 where they share none."""
    common = Counter(prediction) & Counter(target)
    shared = sum(common.values())
    if shared == 0:
        return 0
    precision = 1.0 * shared / len(prediction)
    recall = 1.0 * shared / len(target)
    return (2 * precision * recall) / (precision + recall)


def levenshtein(one: str, other: str) -> int:
    """Fewest characters to insert, delete or replace to make one text of the other (Wagner and Fischer 1974)."""
    row = list(range(len(other) + 1))
    for at, character in enumerate(one, start=1):
        previous, row[0] = row[0], at
        for column, another in enumerate(other, start=1):
            replaced = previous + (character != another)
            previous, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, replaced)
    return row[-1]


# ---- From raw text to the forms that are compared ----


def forms(profile: str, text: str, language: str) -> list[str]:
    """The forms of a raw text: one, but in ``variants`` none of a blank text, and often several."""
    if profile == "release":
        return [collapse_spaces(remove_english_articles(remove_listed_punctuation(text.lower())))]
    if profile == "unicode":
        return [answer_is(collapse_spaces(remove_english_articles(remove_punctuation(text.lower()))))]
    return variants(answer_is(collapse_spaces(remove_punctuation(text.lower()))), language)


def target_forms(profile: str, targets: Sequence[str], language: str) -> list[str]:
    """The forms of all targets; from ``unicode`` on, they are lower-cased once more before they are compared."""
    found = [form for target in targets for form in forms(profile, target, language)]
    if profile == "release":
        return found
    if profile == "variants":
        found = list(dict.fromkeys(found))
    return [form.lower() for form in found]


def remove_listed_punctuation(text: str) -> str:
    """Characters of the list go."""
    exclude = set(LISTED_PUNCTUATION)
    return "".join(character for character in text if character not in exclude)


def remove_punctuation(text: str) -> str:
    """Characters of the list go, then those of Unicode category P."""
    text = remove_listed_punctuation(text)
    return "".join(character for character in text if not unicodedata.category(character).startswith("P"))


def remove_english_articles(text: str) -> str:
    """Each a, an and the as a whole word becomes a space, in every language."""
    return re.sub(r"\b(a|an|the)\b", " ", text)


def collapse_spaces(text: str) -> str:
    """One space between words, none around them."""
    return " ".join(text.split())


def answer_is(text: str) -> str:
    """Only what follows the last "answer is" is the answer; a Japanese copula at the end is none of it."""
    if " answer is " in text:
        return text.split(" answer is ")[-1]
    if "answer is " in text:
        return text.replace("answer is ", "")
    if text[-2:] == "です":
        return text[:-2]
    return text


def variants(answer: str, language: str) -> list[str]:
    """The forms of a normalised text in ``variants``: with and without articles, frame and non-joiner; no blank one."""
    found = [answer, remove_articles(answer, language)]
    unframed = remove_frame(answer, language)
    if unframed != answer:
        found += [unframed, remove_articles(unframed, language)]
    found += [spelling for form in list(found) for spelling in without_non_joiner(form)]
    return list(dict.fromkeys(form for form in found if form))


def remove_articles(text: str, language: str) -> str:
    """Articles of the language go, where it has any: whole words, or the beginning of a word that stays long enough."""
    prefix = PREFIX_ARTICLES.get(language)
    if prefix:
        words = []
        for word in text.split():
            cut = word.startswith(prefix) and len(word) >= len(prefix) + 2
            words.append(word[len(prefix) :] if cut else word)
        return " ".join(words)
    articles = ARTICLES.get(language)
    if not articles:
        return text
    pattern = r"\b(" + "|".join(re.escape(article) for article in articles) + r")\b"
    return collapse_spaces(re.sub(pattern, " ", text))


def remove_frame(text: str, language: str) -> str:
    """The sentence around an answer goes (Urdu), unless nothing would be left."""
    before, after = ANSWER_FRAMES.get(language, ("", ""))
    inner = text
    if before and inner.startswith(before):
        inner = inner[len(before) :]
    if after and inner.endswith(after):
        inner = inner[: -len(after)]
    return collapse_spaces(inner) or text


def without_non_joiner(text: str) -> list[str]:
    """A text with a zero-width non-joiner is also written with a space, and with nothing in its place."""
    if "\u200c" not in text:
        return []
    return [collapse_spaces(text.replace("\u200c", " ")), collapse_spaces(text.replace("\u200c", ""))]


# ---- What `lenient` takes for the same text ----


def fold(text: str, language: str) -> str:
    """Raw text as its readers take it, character by character where that is possible."""
    text = "".join(_unshaped(character) for character in text if not _is_invisible(character))
    text = "".join(_ordinary_width(character) for character in text)
    text = "".join(_keyboard_letter(character) for character in text if not _is_vowel_mark(character))
    if language in ("farsi", "urdu"):
        text = text.replace("ى", "ي")
    if language in ("dutch", "english", "french"):
        for ligature, letters in ("œ", "oe"), ("æ", "ae"), ("ĳ", "ij"):
            text = text.replace(ligature, letters).replace(ligature.upper(), letters.upper())
    if language == "turkish":
        text = text.replace("I\u0307", "i").replace("İ", "i").replace("I", "ı")
    text = unicodedata.normalize("NFC", text.casefold())
    text = "".join(_folded_character(character) for character in text)
    return _folded_for(language, text)


def _folded_for(language: str, text: str) -> str:
    """What is a spelling in one language, and another word or nothing elsewhere."""
    for written, taken_for in REPLACED.get(language, ()):
        text = text.replace(written, taken_for)
    if language in ("arabic", "farsi", "urdu"):
        text = re.sub("[أإٱ][\u0653\u0654\u0655]*", "ا", text)
    if language == "arabic":
        text = re.sub("آ[\u0653\u0654\u0655]*", "ا", text)
    if language in ("farsi", "urdu"):
        text = re.sub("(ۀ|ۂ|ه\u0654)\u0654*", "ه", text)
    if language == "russian":
        text = re.sub("([аеиоуыэюя])\u0301+", r"\1", text)
    if language in ("hindi", "marathi"):
        for nasal, stops in (("ङ", "कखगघ"), ("ञ", "चछजझ"), ("ण", "टठडढ"), ("न", "तथदध"), ("म", "पफबभ")):
            for stop in stops:
                text = text.replace(f"{nasal}\u094d{stop}", f"\u0902{stop}")
    if language == "vietnamese":
        for old, new in zip(OLD_TONES, NEW_TONES, strict=True):
            text = re.sub(rf"{old}\b", new, text)
    if language in ("french", "italian"):
        text = re.sub(r"\bl['’ʼ](?=\w)", "", text)
    return text


ELSEWHERE = "爲衞裏啓峯羣牀麪説温户脱税悦閲鋭衆着臺鈎僞葱敍卧"
TAIWAN = "為衛裡啟峰群床麵說溫戶脫稅悅閱銳眾著台鉤偽蔥敘臥"
REGIONAL_HAN = list(zip(ELSEWHERE, TAIWAN, strict=True))
REPLACED: dict[str, list[tuple[str, str]]] = {
    "bengali": [("\u09ce", "\u09a4\u09cd")],
    "cantonese": REGIONAL_HAN,
    "french": [("°", "º")],
    "hindi": [(f"{sign}\u0901", f"{sign}\u0902") for sign in "\u093f\u0940\u0947\u0948\u094b\u094c"],
    "italian": [("°", "º")],
    "khmer": [
        *(("\u17a3", "\u17a2"), ("\u17a4", "\u17a2\u17b6"), ("\u17b2", "\u17b1")),
        *(("\u17c1\u17b6", "\u17c4"), ("\u17c1\u17b8", "\u17be"), ("\u17d2\u178a", "\u17d2\u178f")),
    ],
    "marathi": [("\u0931\u094d", "\u0930\u094d")],
    "portuguese": [
        *(("ôo", "oo"), ("êem", "eem"), ("gü", "gu"), ("qü", "qu"), ("éia", "eia"), ("éio", "eio"), ("°", "º")),
        *(("óia", "oia"), ("óic", "oic"), ("óid", "oid"), ("óio", "oio")),
    ],
    "romanian": [("ş", "ș"), ("ţ", "ț"), ("â", "î")],
    "russian": [("ё", "е")],
    "spanish": [("°", "º")],
    "thai": [
        ("\u0e40\u0e40", "\u0e41"),
        *((f"\u0e4d{tone}\u0e32", f"{tone}\u0e33") for tone in ("", "\u0e48", "\u0e49", "\u0e4a", "\u0e4b")),
    ],
    "traditional_mandarin": REGIONAL_HAN,
    "vietnamese": [("ð", "đ"), ("ɖ", "đ")],
}
OLD_TONES = ["òa", "óa", "ỏa", "õa", "ọa", "òe", "óe", "ỏe", "õe", "ọe", "ùy", "úy", "ủy", "ũy", "ụy"]
NEW_TONES = ["oà", "oá", "oả", "oã", "oạ", "oè", "oé", "oẻ", "oẽ", "oẹ", "uỳ", "uý", "uỷ", "uỹ", "uỵ"]


def _is_invisible(character: str) -> bool:
    """What Unicode calls default ignorable, and tatweel; not the non-joiner, nor the tags of flags."""
    if "VARIATION SELECTOR-" in unicodedata.name(character, ""):
        return "MONGOLIAN" not in unicodedata.name(character)
    return character in (
        "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
        "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f"
        "\u3164\ufeff\uffa0\u0640"
    )


def _unshaped(character: str) -> str:
    """The letters of a presentation form of Arabic or Hebrew, or of a Roman numeral; the character of a radical."""
    name = unicodedata.name(character, "")
    if name.startswith("KANGXI RADICAL") or "\u2160" <= character <= "\u217f":
        return unicodedata.normalize("NFKD", character)
    if name.startswith(("ARABIC", "HEBREW", "RIAL")) and "\ufb1d" <= character <= "\ufeff":
        letters = unicodedata.normalize("NFKD", character)
        return letters.lstrip(" \u0640") if letters != character else character
    return character


def _ordinary_width(character: str) -> str:
    decomposition = unicodedata.decomposition(character).split()
    if decomposition and decomposition[0] in ("<wide>", "<narrow>"):
        return chr(int(decomposition[1], 16))
    return character


def _is_vowel_mark(character: str) -> bool:
    name = unicodedata.name(character, "")
    if name.startswith(("HEBREW POINT", "HEBREW ACCENT", "HEBREW MARK LOWER", "HEBREW MARK UPPER")):
        return True
    return "\u064b" <= character <= "\u0652" or character in "\u0656\u0657\u0670\u05af"


def _folded_character(character: str) -> str:
    if unicodedata.decimal(character, None) is not None:
        return str(unicodedata.decimal(character))
    if character in "\u00b4\u02b9\u02bb\u02bc\u02bd\u02be\u02bf":
        return "'"
    return "-" if character == "\u2212" else character


def _keyboard_letter(character: str) -> str:
    return {"ک": "ك", "ی": "ي", "ہ": "ه", "ۃ": "ة"}.get(character, character)


def _f1_of_characters(answer: str, references: Sequence[str], language: str) -> float:
    """The best f1 whose tokens are the characters of scripts without spaces, and runs of all others."""
    answers = forms("variants", answer, language) or [""]
    targets = target_forms("variants", references, language)
    return max((f1(characters(one), characters(other)) for one in answers for other in targets), default=0)


def characters(text: str) -> list[str]:
    """The tokens of a text, each character of Han, kana, Thai and Khmer script by itself."""
    spaced = "".join(f" {character} " if _is_unspaced(character) else character for character in text)
    return spaced.split()


def _is_unspaced(character: str) -> bool:
    blocks = (
        (0x0E00, 0x0E7F), (0x1780, 0x17FF), (0x19E0, 0x19FF), (0x3005, 0x3007), (0x3040, 0x30FF), (0x31F0, 0x31FF),
        (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
    )  # fmt: skip
    return any(first <= ord(character) <= last for first, last in blocks)
