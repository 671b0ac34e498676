"""The rules of `lenient`: right values by hand, and that folding only ever adds a way to match."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import NAMES, target_lists, texts

from multiloko_metric.folding import FOLDS
from multiloko_metric.profiles import PROFILES
from multiloko_metric.scoring import LOWER_IS_BETTER, Scorer

HA_NOI = "Hà Nội"
RIGHT_VALUES = [
    # language, prediction, target, em under release, unicode, variants, lenient
    ("vi", "Thiên Môn", "Thiên An Môn", (1, 1, 0, 0)),
    ("es", "Equipo A", "El Equipo A", (0, 0, 1, 1)),
    ("ar", "لبنانية", "اللبنانية", (0, 0, 1, 1)),
    ("ar", "خد", "خالد", (0, 0, 0, 0)),
    ("de", "Kind", "ein Kind", (0, 0, 0, 0)),
    ("en", "The", "A", (1, 1, 0, 0)),
    ("ur", "جواب غزل ہے", "غزل", (0, 0, 1, 1)),
    ("fa", "قطب زاده", "قطب\u200cزاده", (0, 0, 1, 1)),
    ("hi", "1947।", "1947", (0, 1, 1, 1)),
    ("hi", "१९४७", "1947", (0, 0, 0, 1)),
    ("ja", "１２３", "123", (0, 0, 0, 1)),
    ("en", "①", "1", (0, 0, 0, 0)),
    ("en", "²", "2", (0, 0, 0, 0)),
    ("vi", unicodedata.normalize("NFD", HA_NOI), unicodedata.normalize("NFC", HA_NOI), (0, 0, 0, 1)),
    ("tr", "IĞDIR", "Iğdır", (0, 0, 0, 1)),
    ("en", "\u22125", "-5", (0, 0, 0, 1)),
    ("fr", "l'eau", "eau", (0, 0, 0, 1)),
    ("de", "Strasse", "Straße", (0, 0, 0, 1)),
    ("fr", "...", "", (1, 1, 0, 0)),
]


@pytest.mark.parametrize(("language", "prediction", "target", "expected"), RIGHT_VALUES)
def test_right_values(language: str, prediction: str, target: str, expected: tuple[int, ...]) -> None:
    assert tuple(Scorer(name).score(prediction, [target], language).em for name in PROFILES) == expected


def test_a_blank_target_is_not_contained_in_every_answer() -> None:
    values = [Scorer(name).score("something else", ["", "Ich Troje"], "pl").contains for name in PROFILES]
    assert values == [None, 1.0, 0.0, 0.0]


FOLDED_TOGETHER = [
    ("invisible characters", "english", "soft\u00adhyphen", "softhyphen"),
    ("invisible characters", "hebrew", "\u200fירושלים\u200f", "ירושלים"),
    ("invisible characters", "khmer", "ភ្នំ\u200bពេញ", "ភ្នំពេញ"),
    ("invisible characters", "bengali", "র\u200dয", "রয"),
    ("invisible characters", "arabic", "\u2067بيروت\u2069", "بيروت"),
    ("invisible characters", "french", "\ufeffParis", "Paris"),
    ("tatweel", "arabic", "بـــيروت", "بيروت"),
    ("width", "japanese", "ＮＨＫ", "nhk"),
    ("width", "japanese", "ｶﾞﾝﾀﾞﾑ", "ガンダム"),
    ("width", "korean", "１０￦", "10₩"),
    ("composition", "korean", unicodedata.normalize("NFD", "한국"), "한국"),
    ("composition", "marathi", "\u0915\u093c", "\u0958"),
    ("Turkish i", "turkish", "IĞDIR", "ığdır"),
    ("Turkish i", "turkish", "İZMİR", "izmir"),
    ("case", "german", "STRASSE", "Straße"),
    ("case", "english", "ΟΔΟΣ", "οδοσ"),
    ("digits", "arabic", "١٩٤٧", "1947"),
    ("digits", "farsi", "۱۹۴۷", "1947"),
    ("digits", "bengali", "১৯৪৭", "1947"),
    ("digits", "thai", "๒๕๖๗", "2567"),
    ("digits", "khmer", "២០២៤", "2024"),
    ("Arabic letters", "farsi", "كتابي", "کتابی"),
    ("Arabic letters", "urdu", "لاهور", "لاہور"),
    ("dotless yeh", "farsi", "سعدى", "سعدی"),
    ("tashkeel", "arabic", "مُحَمَّد", "محمد"),
    ("niqqud", "hebrew", "שָׁלוֹם", "שלום"),
    ("minus", "swedish", "\u221240 grader", "-40 grader"),
    ("tone placement", "vietnamese", "Hòa Bình", "Hoà Bình"),
    ("tone placement", "vietnamese", "Thúy Kiều khỏe", "Thuý Kiều khoẻ"),
    ("elided article", "french", "L’Isère", "Isère"),
    ("elided article", "italian", "l'Aquila", "Aquila"),
]


@pytest.mark.parametrize(("rule", "language", "one", "other"), FOLDED_TOGETHER)
def test_each_rule_makes_a_match_that_is_not_there_without_it(rule: str, language: str, one: str, other: str) -> None:
    lenient = PROFILES["lenient"]
    without = Scorer(lenient.borrowing(rule, PROFILES["variants"]))
    for prediction, target in ((one, other), (other, one)):
        assert Scorer("variants").score(prediction, [target], language).em == 0.0
        assert without.score(prediction, [target], language).em == 0.0
        assert Scorer(lenient).score(prediction, [target], language).em == 1.0


def test_every_rule_has_a_case() -> None:
    assert {case[0] for case in FOLDED_TOGETHER} == {rule.name for rule in FOLDS}


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("english", "①", "1"),
        ("english", "x²", "x2"),
        ("english", "½", "12"),
        ("japanese", "㍻", "平成"),
        ("english", "IĞDIR", "Iğdır"),  # I is the capital of i, but in Turkish
        ("german", "İzmir", "Izmir"),
        ("arabic", "مدرسة", "مدرسه"),  # teh marbuta stays
        ("arabic", "على", "علي"),  # dotless yeh is another letter in Arabic
        ("arabic", "أمل", "امل"),  # hamza stays
        ("french", "l'eau", "d'eau"),
        ("english", "l'eau", "eau"),
        ("italian", "un'ora", "ora"),  # un is the numeral one too
        ("french", "hòa", "hoà"),
        ("vietnamese", "hòan", "hoàn"),  # no place of that tone is taught
        ("spanish", "año", "ano"),
        ("hebrew", "שלום", "שלם"),
    ],
)
def test_what_lenient_does_not_fold(language: str, one: str, other: str) -> None:
    assert Scorer("lenient").score(one, [other], language).em == 0.0
    assert Scorer("lenient").score(other, [one], language).em == 0.0


@pytest.mark.parametrize(
    ("language", "prediction", "target", "expected"),
    [
        ("traditional_mandarin", "天氣很好", "天氣好", 2 * 0.75 / 1.75),
        ("cantonese", "天氣", "香港", 0),
        ("japanese", "2010年", "2010", 2 * 0.5 / 1.5),
        ("japanese", "2011年", "2010年", 0.5),  # a number is one token
        ("thai", "กรุงเทพ", "กรุงเทพมหานคร", 2 * (7 / 13) / (1 + 7 / 13)),
        ("khmer", "ភាសា", "ភាសា", 1.0),
        ("korean", "날씨좋다", "날씨좋아", 0),
    ],
)
def test_f1_compares_characters_where_a_script_has_no_spaces(
    language: str, prediction: str, target: str, expected: float
) -> None:
    assert Scorer("lenient").score(prediction, [target], language).f1 == pytest.approx(expected)
    assert Scorer("variants").score(prediction, [target], language).f1 == float(prediction == target)


@settings(max_examples=300, deadline=None)
@given(prediction=texts, targets=target_lists, language=st.sampled_from(NAMES))
def test_lenient_is_never_worse_than_variants(prediction: str, targets: list[str], language: str) -> None:
    strict = Scorer("variants").score(prediction, targets, language).to_dict()
    lenient = Scorer("lenient").score(prediction, targets, language).to_dict()
    for name, value in strict.items():
        assert lenient[name] <= value if name in LOWER_IS_BETTER else lenient[name] >= value


@settings(max_examples=200, deadline=None)
@given(text=texts, language=st.sampled_from(NAMES))
def test_folding_twice_is_folding_once(text: str, language: str) -> None:
    fold = PROFILES["lenient"].fold
    once = fold(text, language)
    assert fold(once, language) == once
