"""How the profile ``lenient`` folds a raw text before it is normalised: each rule a named line with its reason.

The rules run in the order of FOLDS. They make one spelling of several that readers of the language take for the same;
they never drop a letter, a digit or a word, but for the elided article that ``variants`` cannot see.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping

from .normalization import TextRule


def _deleting(characters: str) -> dict[int, str | None]:
    return dict.fromkeys(map(ord, characters))


# Not U+200C: `variants` compares it as a space and as nothing, and both are written.
INVISIBLE = (
    "\u00ad"  # soft hyphen
    "\u200b\u200d\u200e\u200f\ufeff"  # zero-width space and joiner, direction marks, byte order mark
    "\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # direction: letter mark, embeddings, isolates
    "\u2060\u2061\u2062\u2063\u2064"  # word joiner, invisible operators
)
_INVISIBLE = _deleting(INVISIBLE)
_TATWEEL = _deleting("\u0640")
_MINUS = {0x2212: "-"}
_TURKISH_I = {ord("İ"): "i", ord("I"): "ı"}
# Letters that Persian and Urdu keyboards write with a code of their own: kaf, yeh, heh.
_ARABIC_LETTERS = {ord("ک"): "ك", ord("ی"): "ي", ord("ہ"): "ه"}
_DOTLESS_YEH = {ord("ى"): "ي"}
# Fathatan to sukun, subscript alef, inverted damma, superscript alef. Not madda and hamza above: they make letters.
TASHKEEL = "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652\u0656\u0657\u0670"
_TASHKEEL = _deleting(TASHKEEL)
# Cantillation and points. What lies between them (maqaf, paseq, sof pasuq, nun hafukha) is punctuation.
NIQQUD = "".join(map(chr, range(0x0591, 0x05BE))) + "\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
_NIQQUD = _deleting(NIQQUD)

_FOREIGN_DIGIT = re.compile(r"[^\D0-9]")
_ELIDED_ARTICLE = re.compile(r"(?<!\w)l['\u2019\u02bc](?=\w)")


def _width_table() -> dict[int, str]:
    """Return each full-width or half-width character's ordinary one, as the Unicode database has it."""
    table = {}
    for code in (0x3000, *range(0xFF00, 0xFFF0)):
        kind, _, ordinary = unicodedata.decomposition(chr(code)).partition(" ")
        if kind in ("<wide>", "<narrow>"):
            table[code] = chr(int(ordinary, 16))
    return table


def _tone_table() -> dict[str, str]:
    """Return the old place of each Vietnamese tone mark in oa, oe and uy, and its new one: hòa, hoà."""
    tones = "\u0300\u0301\u0309\u0303\u0323"
    return {
        unicodedata.normalize("NFC", first + tone + second): unicodedata.normalize("NFC", first + second + tone)
        for first, second in ("oa", "oe", "uy")
        for tone in tones
    }


_WIDTH = _width_table()
_TONES = _tone_table()
_OLD_TONE = re.compile(rf"(?:{'|'.join(_TONES)})(?!\w)")


def _compose(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _ascii_digits(text: str) -> str:
    return _FOREIGN_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)


def _new_tone_place(text: str) -> str:
    return _OLD_TONE.sub(lambda vowels: _TONES[vowels[0]], text)


def _without_elided_article(text: str) -> str:
    return _ELIDED_ARTICLE.sub("", text)


def _translate(table: Mapping[int, str | None]) -> Callable[[str], str]:
    def apply(text: str) -> str:
        return text.translate(table)

    return apply


# The first three come first so that the others meet one spelling of each character, and composed.
FOLDS = (
    TextRule("invisible characters", "nobody sees a soft hyphen, a joiner or a direction mark", _translate(_INVISIBLE)),
    TextRule("tatweel", "it stretches an Arabic word and is no letter", _translate(_TATWEEL)),
    TextRule(
        "width",
        "full-width and half-width forms are how keyboards write the same characters (１２３, ｱ; not ① or ²)",
        _translate(_WIDTH),
    ),
    TextRule("composition", "a letter with marks is one text, composed or not (Unicode form NFC)", _compose),
    TextRule(
        "Turkish i",
        "I is the capital of ı there, and İ of i; elsewhere İ stays apart",
        _translate(_TURKISH_I),
        languages=frozenset({"turkish"}),
    ),
    TextRule("case", "full case folding: ß is ss, final ς is σ", str.casefold),
    TextRule("digits", "the decimal digits of every script are the same numbers (१९४७, ١٩٤٧)", _ascii_digits),
    TextRule("Arabic letters", "ک ی ہ are ك ي ه under another keyboard; ة stays", _translate(_ARABIC_LETTERS)),
    TextRule(
        "dotless yeh",
        "ى at the end is a yeh in Persian and Urdu; in Arabic it is another letter",
        _translate(_DOTLESS_YEH),
        languages=frozenset({"farsi", "urdu"}),
    ),
    TextRule("tashkeel", "Arabic vowel marks are left out in most writing", _translate(_TASHKEEL)),
    TextRule("niqqud", "Hebrew points and accents are left out in most writing", _translate(_NIQQUD)),
    TextRule("minus", "U+2212 is treated as the ASCII hyphen, which is removed as punctuation", _translate(_MINUS)),
    TextRule(
        "tone placement",
        "both places of the tone in oa, oe, uy are taught (hòa, hoà)",
        _new_tone_place,
        languages=frozenset({"vietnamese"}),
    ),
    TextRule(
        "elided article",
        "l' is an article too, which removing punctuation would glue to its noun",
        _without_elided_article,
        languages=frozenset({"french", "italian"}),
    ),
)
"""Every rule, in the order they run."""
