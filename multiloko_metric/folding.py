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


# What Unicode calls default ignorable (DerivedCoreProperties.txt) and text of these languages may hold. Not U+200C:
# `variants` compares it as a space and as nothing, and both are written. Not the tags: they tell flags apart.
INVISIBLE = (
    "\u00ad\u034f"  # soft hyphen, grapheme joiner
    "\u200b\u200d\u200e\u200f\ufeff"  # zero-width space and joiner, direction marks, byte order mark
    "\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # direction: letter mark, embeddings, isolates
    "\u2060\u2061\u2062\u2063\u2064"  # word joiner, invisible operators
    "\u206a\u206b\u206c\u206d\u206e\u206f"  # deprecated format characters
    "\u115f\u1160\u3164\uffa0\u17b4\u17b5\u180e"  # Hangul fillers, Khmer inherent vowels, Mongolian separator
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))  # variation selectors
)
_INVISIBLE = _deleting(INVISIBLE)
_TATWEEL = _deleting("\u0640")
_MINUS = {0x2212: "-"}
_TURKISH_I = {ord("İ"): "i", ord("I"): "ı"}
# Letters that Persian and Urdu keyboards write with a code of their own: kaf, yeh, heh, teh marbuta.
_ARABIC_LETTERS = {ord("ک"): "ك", ord("ی"): "ي", ord("ہ"): "ه", ord("ۃ"): "ة"}
_DOTLESS_YEH = {ord("ى"): "ي"}
# Fathatan to sukun, subscript alef, inverted damma, superscript alef. Not madda and hamza above: they make letters.
TASHKEEL = "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652\u0656\u0657\u0670"
_TASHKEEL = _deleting(TASHKEEL)
# Cantillation and points. What lies between them (maqaf, paseq, sof pasuq, nun hafukha) is punctuation.
NIQQUD = "".join(map(chr, range(0x0591, 0x05BE))) + "\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\ufb1e"
_NIQQUD = _deleting(NIQQUD)
_APOSTROPHES = dict.fromkeys(map(ord, "\u00b4\u02b9\u02bb\u02bc\u02bd\u02be\u02bf"), "'")
_ROMANIAN = {ord("ş"): "ș", ord("ţ"): "ț", ord("â"): "î"}
_LIGATURES = {ord("œ"): "oe", ord("æ"): "ae", ord("ĳ"): "ij", ord("Œ"): "OE", ord("Æ"): "AE", ord("Ĳ"): "IJ"}
# Pairs of OpenCC's TWVariants.txt and HKVariants.txt of which one place prints the one for every word that has either.
_REGIONAL_HAN = dict(
    zip(
        map(ord, "爲衞裏啓峯羣牀麪説温户脱税悦閲鋭衆着臺鈎僞葱敍卧"),
        "為衛裡啟峰群床麵說溫戶脫稅悅閱銳眾著台鉤偽蔥敘臥",
        strict=True,
    )
)
_KHMER = {"ឣ": "អ", "ឤ": "អា", "ឲ": "ឱ", "េា": "ោ", "េី": "ើ", "\u17d2ដ": "\u17d2ត"}

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


def _presentation_table() -> dict[int, str]:
    """Return the letters of each form that Unicode keeps for old encodings only, marks without what they stand on."""
    blocks = (range(0xFB1D, 0xFB50), range(0xFB50, 0xFE00), range(0xFE70, 0xFF00), range(0x2F00, 0x2FE0))
    return {
        code: unicodedata.normalize("NFKD", chr(code)).lstrip(" \u0640")
        for block in blocks
        for code in block
        if unicodedata.decomposition(chr(code))
    }


def _roman_table() -> dict[int, str]:
    return {code: unicodedata.normalize("NFKD", chr(code)) for code in range(0x2160, 0x2180)}


_PRESENTATION = _presentation_table()
_ROMAN = _roman_table()
_WIDTH = _width_table()
_TONES = _tone_table()
_OLD_TONE = re.compile(rf"(?:{'|'.join(_TONES)})(?!\w)")


def _compose(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _turkish_i(text: str) -> str:
    return text.replace("I\u0307", "i").translate(_TURKISH_I)  # İ, also in two characters


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


def _translate_rare(table: Mapping[int, str]) -> Callable[[str], str]:
    """Do what `_translate` does, faster where a text has none of the characters."""
    any_of = re.compile(f"[{re.escape(''.join(map(chr, table)))}]")

    def apply(text: str) -> str:
        return text.translate(table) if any_of.search(text) else text

    return apply


def _in_turn(*substitutions: tuple[str, str]) -> Callable[[str], str]:
    """Return what replaces each pattern by its text, one pattern after the other."""
    compiled = [(re.compile(pattern), by) for pattern, by in substitutions]

    def apply(text: str) -> str:
        for pattern, by in compiled:
            text = pattern.sub(by, text)
        return text

    return apply


def _khmer_letters(text: str) -> str:
    for seen, written in _KHMER.items():
        text = text.replace(seen, written)
    return text


_hamza_on_alef = _in_turn(("[أإٱ][\u0653-\u0655]*", "ا"))
_madda_on_alef = _in_turn(("آ[\u0653-\u0655]*", "ا"))
# A nasal before a stop of its own class, which the anusvara stands for as well.
_DEVANAGARI_NASALS = (("ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])", "ं"),)


# The first ones come first so that the others meet one spelling of each character, and composed. What takes
# marks away or makes letters of others comes before composition, so that what is there then is composed too.
FOLDS = (
    TextRule(
        "invisible characters",
        "nobody sees a soft hyphen, a joiner, a direction mark or a variation selector",
        _translate(_INVISIBLE),
    ),
    TextRule("tatweel", "it stretches an Arabic word and is no letter", _translate(_TATWEEL)),
    TextRule(
        "presentation forms",
        "shapes and ligatures of Arabic and Hebrew letters, and radicals, have codes for old encodings only (ﻻ, ﷲ, ⼭)",
        _translate_rare(_PRESENTATION),
    ),
    TextRule(
        "width",
        "full-width and half-width forms are how keyboards write the same characters (１２３, ｱ; not ① or ²)",
        _translate(_WIDTH),
    ),
    TextRule("tashkeel", "Arabic vowel marks are left out in most writing", _translate(_TASHKEEL)),
    TextRule("niqqud", "Hebrew points and accents are left out in most writing", _translate(_NIQQUD)),
    TextRule("Roman numerals", "a numeral of one character is the Latin letters it shows (Ⅷ)", _translate_rare(_ROMAN)),
    TextRule("Arabic letters", "ک ی ہ ۃ are ك ي ه ة under another keyboard", _translate(_ARABIC_LETTERS)),
    TextRule(
        "dotless yeh",
        "ى at the end is a yeh in Persian and Urdu; in Arabic it is another letter",
        _translate(_DOTLESS_YEH),
        languages=frozenset({"farsi", "urdu"}),
    ),
    TextRule(
        "ligatures",
        "œ, æ and ĳ are oe, ae and ij",
        _translate_rare(_LIGATURES),
        languages=frozenset({"dutch", "english", "french"}),
    ),
    TextRule(
        "Turkish i",
        "I is the capital of ı there, and İ of i; elsewhere İ stays apart",
        _turkish_i,
        languages=frozenset({"turkish"}),
    ),
    TextRule("case", "full case folding: ß is ss, final ς is σ", str.casefold),
    TextRule("composition", "a letter with marks is one text, composed or not (Unicode form NFC)", _compose),
    TextRule("digits", "the decimal digits of every script are the same numbers (१९४७, ١٩٤٧)", _ascii_digits),
    TextRule(
        "hamza on alef",
        "أ إ ٱ are often written ا, and search engines fold them",
        _hamza_on_alef,
        languages=frozenset({"arabic", "farsi", "urdu"}),
    ),
    TextRule(
        "madda on alef",
        "آ is often written ا; in Persian and Urdu it is another letter",
        _madda_on_alef,
        languages=frozenset({"arabic"}),
    ),
    TextRule(
        "hamza on heh",
        "ۀ, ۂ and هٔ are heh with the sign of a genitive that is often left out",
        _in_turn(("[ۀۂ]\u0654*|ه\u0654+", "ه")),
        languages=frozenset({"farsi", "urdu"}),
    ),
    TextRule("minus", "U+2212 is treated as the ASCII hyphen, which is removed as punctuation", _translate(_MINUS)),
    TextRule(
        "apostrophes",
        "the acute accent and the apostrophes that Unicode counts as letters are apostrophes (l´eau, Hawaiʻi)",
        _translate_rare(_APOSTROPHES),
    ),
    TextRule(
        "Romanian letters",
        "ş ţ stand for ș ț where a keyboard lacks them; â and î are one sound (reform of 1993)",
        _translate(_ROMANIAN),
        languages=frozenset({"romanian"}),
    ),
    TextRule(
        "Russian letters",
        "ё is printed as е, and a stress mark is no part of a spelling",
        _in_turn(("ё", "е"), ("(?<=[аеиоуыэюя])\u0301+", "")),
        languages=frozenset({"russian"}),
    ),
    TextRule(
        "Portuguese reform",
        "the agreement of 1990 dropped marks: lingüiça, Coréia, heróico, vôo, crêem",
        _in_turn(("ôo", "oo"), ("êem", "eem"), ("(?<=[gq])ü", "u"), ("éi(?=[ao])", "ei"), ("ói(?=[acdo])", "oi")),
        languages=frozenset({"portuguese"}),
    ),
    TextRule(
        "Devanagari nasals",
        "a nasal before a stop of its class is written with an anusvara too (हिन्दी, हिंदी)",
        _in_turn(*_DEVANAGARI_NASALS),
        languages=frozenset({"hindi", "marathi"}),
    ),
    TextRule(
        "chandrabindu",
        "over a vowel sign above the line the anusvara is written in its place (में)",
        _in_turn(("(?<=[िीेैोौ])ँ", "ं")),
        languages=frozenset({"hindi"}),
    ),
    TextRule(
        "eyelash ra",
        "ऱ् and र् with a joiner are the same sign",
        _in_turn(("ऱ(?=्)", "र")),
        languages=frozenset({"marathi"}),
    ),
    TextRule(
        "khanda ta",
        "ৎ was written ত with hasanta and a joiner before it had a code",
        _in_turn(("ৎ", "ত্")),
        languages=frozenset({"bengali"}),
    ),
    TextRule(
        "Thai vowels",
        "เเ looks like แ, and a nikhahit with า like ำ",
        _in_turn(("เเ", "แ"), ("ํ([่-๋]?)า", r"\1ำ")),
        languages=frozenset({"thai"}),
    ),
    TextRule(
        "Khmer letters",
        "deprecated letters, a variant, vowels typed in two halves, and the subscripts of ត and ដ, which look the same",
        _khmer_letters,
        languages=frozenset({"khmer"}),
    ),
    TextRule(
        "regional Han forms",
        "Taiwan and Hong Kong print other shapes of some characters (裡 and 裏, 台 and 臺)",
        _translate(_REGIONAL_HAN),
        languages=frozenset({"cantonese", "traditional_mandarin"}),
    ),
    TextRule(
        "Vietnamese đ",
        "ð and ɖ have the same capital, and are typed for it",
        _translate({ord("ð"): "đ", ord("ɖ"): "đ"}),
        languages=frozenset({"vietnamese"}),
    ),
    TextRule(
        "tone placement",
        "both places of the tone in oa, oe, uy are taught (hòa, hoà)",
        _new_tone_place,
        languages=frozenset({"vietnamese"}),
    ),
    TextRule(
        "ordinal indicator",
        "the degree sign is typed for it (1° and 1º)",
        _translate({ord("°"): "º"}),
        languages=frozenset({"french", "italian", "portuguese", "spanish"}),
    ),
    TextRule(
        "elided article",
        "l' is an article too, which removing punctuation would glue to its noun",
        _without_elided_article,
        languages=frozenset({"french", "italian"}),
    ),
)
"""Every rule, in the order they run."""
