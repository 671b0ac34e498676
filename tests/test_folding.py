"""The rules of `lenient`: right values by hand, and that folding only ever adds a way to match."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import NAMES, target_lists, texts

from multiloko_metric.folding import FOLDS
from multiloko_metric.normalization import apply_to_all
from multiloko_metric.profiles import PROFILES
from multiloko_metric.scoring import LOWER_IS_BETTER, Scorer
from multiloko_runs.specification import fold

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
    ("ro", "Timişoara", "Timișoara", (0, 0, 0, 1)),
    ("ru", "Королев", "Королёв", (0, 0, 0, 1)),
    ("ar", "ﷲ", "الله", (0, 0, 0, 1)),
    ("ar", "احمد", "أحمد", (0, 0, 0, 1)),
    ("ur", "صورۃ", "صورة", (0, 0, 0, 1)),
    ("hi", "हिन्दी", "हिंदी", (0, 0, 0, 1)),
    ("pt", "Coréia", "Coreia", (0, 0, 0, 1)),
    ("zh-hant", "臺北", "台北", (0, 0, 0, 1)),
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
    ("invisible characters", "japanese", "葛\U000e0100城", "葛城"),
    ("invisible characters", "english", "❤\ufe0f", "❤"),
    ("invisible characters", "czech", "c\u034fh", "ch"),
    ("invisible characters", "korean", "한\u3164국", "한국"),
    ("tatweel", "arabic", "بـــيروت", "بيروت"),
    ("presentation forms", "arabic", "ﻻ", "لا"),
    ("presentation forms", "arabic", "ﷲ", "الله"),
    ("presentation forms", "arabic", "ﷺ", "صلى الله عليه وسلم"),
    ("presentation forms", "farsi", "۱۰۰ ﷼", "۱۰۰ ریال"),
    ("presentation forms", "urdu", "ﭘﺎﻛ", "پاک"),
    ("presentation forms", "arabic", "كﹷتب", "كتب"),
    ("presentation forms", "hebrew", "ﭏ", "אל"),
    ("presentation forms", "japanese", "⼭", "山"),
    ("width", "japanese", "ＮＨＫ", "nhk"),
    ("width", "japanese", "ｶﾞﾝﾀﾞﾑ", "ガンダム"),
    ("width", "korean", "１０￦", "10₩"),
    ("composition", "korean", unicodedata.normalize("NFD", "한국"), "한국"),
    ("composition", "urdu", "دائرہ", "دا\u06cc\u0654رہ"),
    ("composition", "marathi", "\u0915\u093c", "\u0958"),
    ("Turkish i", "turkish", "IĞDIR", "ığdır"),
    ("Turkish i", "turkish", "İZMİR", "izmir"),
    ("Turkish i", "turkish", "I\u0307ZMI\u0307R", "izmir"),
    ("case", "german", "STRASSE", "Straße"),
    ("case", "english", "ΟΔΟΣ", "οδοσ"),
    ("digits", "arabic", "١٩٤٧", "1947"),
    ("digits", "farsi", "۱۹۴۷", "1947"),
    ("digits", "bengali", "১৯৪৭", "1947"),
    ("digits", "thai", "๒๕๖๗", "2567"),
    ("digits", "khmer", "២០២៤", "2024"),
    ("Arabic letters", "farsi", "كتابي", "کتابی"),
    ("Arabic letters", "urdu", "لاهور", "لاہور"),
    ("digits", "hindi", "४२", "42"),
    ("Roman numerals", "japanese", "ルイⅩⅣ世", "ルイXIV世"),
    ("Roman numerals", "turkish", "Ⅷ. Henry", "VIII. Henry"),
    ("Roman numerals", "russian", "Пётр Ⅷ", "Пётр VIII"),
    ("Arabic letters", "urdu", "صورۃ", "صورة"),
    ("dotless yeh", "farsi", "سعدى", "سعدی"),
    ("hamza on alef", "arabic", "احمد", "أحمد"),
    ("hamza on alef", "arabic", "اسلام", "إسلام"),
    ("hamza on alef", "arabic", "ٱلله", "الله"),
    ("hamza on alef", "farsi", "تأثیر", "تاثیر"),
    ("hamza on alef", "urdu", "جرأت", "جرات"),
    ("madda on alef", "arabic", "القران", "القرآن"),
    ("hamza on heh", "farsi", "خانۀ من", "خانه من"),
    ("hamza on heh", "farsi", "خانهٔ من", "خانه من"),
    ("hamza on heh", "urdu", "جذبۂ", "جذبہ"),
    ("tashkeel", "arabic", "مُحَمَّد", "محمد"),
    ("niqqud", "hebrew", "שָׁלוֹם", "שלום"),
    ("minus", "swedish", "\u221240 grader", "-40 grader"),
    ("apostrophes", "english", "Hawaiʻi", "Hawai'i"),
    ("apostrophes", "indonesian", "Al-Qurʾan", "Al-Qur'an"),
    ("apostrophes", "english", "rock ´n´ roll", "rock 'n' roll"),
    ("Romanian letters", "romanian", "Timişoara", "Timișoara"),
    ("Romanian letters", "romanian", "GALAŢI", "Galați"),
    ("Romanian letters", "romanian", "Tîrgu Mureș", "Târgu Mureș"),
    ("Russian letters", "russian", "Королев", "Королёв"),
    ("Russian letters", "russian", "Пу\u0301шкин", "Пушкин"),
    ("Portuguese reform", "portuguese", "lingüiça", "linguiça"),
    ("Portuguese reform", "portuguese", "Coréia", "Coreia"),
    ("Portuguese reform", "portuguese", "heróico", "heroico"),
    ("Portuguese reform", "portuguese", "vôo", "voo"),
    ("Portuguese reform", "portuguese", "crêem", "creem"),
    ("ligatures", "french", "Œuvre", "oeuvre"),
    ("ligatures", "english", "Encyclopædia", "Encyclopaedia"),
    ("ligatures", "dutch", "Ĳssel", "IJssel"),
    ("Devanagari nasals", "hindi", "हिन्दी", "हिंदी"),
    ("Devanagari nasals", "hindi", "गङ्गा", "गंगा"),
    ("Devanagari nasals", "marathi", "मुम्बई", "मुंबई"),
    ("chandrabindu", "hindi", "मेँ", "में"),
    ("eyelash ra", "marathi", "दऱ्या", "दर\u094d\u200dया"),
    ("khanda ta", "bengali", "উৎসব", "উত\u09cd\u200dসব"),
    ("Thai vowels", "thai", "เเม่", "แม่"),
    ("Thai vowels", "thai", "น\u0e4d\u0e49\u0e32", "น้ำ"),
    ("Thai vowels", "thai", "น\u0e49\u0e4d\u0e32", "น้ำ"),
    ("Khmer letters", "khmer", "ឲ្យ", "ឱ្យ"),
    ("Khmer letters", "khmer", "បណ\u17d2ដាញ", "បណ\u17d2តាញ"),
    ("Khmer letters", "khmer", "ក\u17c1\u17b6", "កោ"),
    ("Khmer letters", "khmer", "ឣ", "អ"),
    ("regional Han forms", "traditional_mandarin", "臺北", "台北"),
    ("regional Han forms", "cantonese", "衞生", "衛生"),
    ("Vietnamese đ", "vietnamese", "Ðà Nẵng", "Đà Nẵng"),
    ("ordinal indicator", "italian", "1° maggio", "1º maggio"),
    ("ordinal indicator", "spanish", "1°", "1º"),
    ("tone placement", "vietnamese", "Hòa Bình", "Hoà Bình"),
    ("tone placement", "vietnamese", "Thúy Kiều khỏe", "Thuý Kiều khoẻ"),
    ("elided article", "french", "L’Isère", "Isère"),
    ("elided article", "italian", "l'Aquila", "Aquila"),
]


# What a rule looks for, cut in two: the halves are not of one text.
SPLIT = [
    "हिन्",
    "दी",
    "ê",
    "em",
    "gü",
    "éi",
    "a",
    "เ",
    "เ",
    "\u0e4d",
    "\u0e49",
    "\u0e32",
    "\u17d2",
    "ដ",
    "\u17c1",
    "\u17b6",
]
SPLIT += ["ऱ", "\u094d", "े", "\u0901", "а", "\u0301", "أ", "\u0654", "ه", "\u0654", "hòa", "x", "l'", "eau"]


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
        ("arabic", "سؤال", "سوال"),  # hamza on waw and yeh stays
        ("arabic", "بئر", "بير"),
        ("farsi", "آب", "اب"),  # alef with madda is a letter of its own there
        ("urdu", "آم", "ام"),
        ("arabic", "كتابۀ", "كتابه"),
        ("urdu", "بھائی", "بہائی"),  # the two-eyed heh is another letter
        ("turkish", "ş", "ș"),
        ("french", "pâte", "pîte"),
        ("romanian", "fată", "fata"),
        ("russian", "й", "и"),
        ("bengali", "ё", "е"),
        ("portuguese", "réis", "reis"),
        ("portuguese", "avó", "avô"),
        ("spanish", "lingüista", "linguista"),
        ("german", "Müller", "Mueller"),
        ("swedish", "æ", "ae"),
        ("english", "Ⅷ", "8"),
        ("english", "1º", "1o"),
        ("english", "20°", "20º"),
        ("hindi", "हँस", "हंस"),  # to laugh, a swan
        ("hindi", "राज़", "राज"),  # a secret, a rule
        ("hindi", "जन्म", "जंम"),  # no stop of its class follows
        ("marathi", "मेँ", "में"),
        ("bengali", "বাঙলা", "বাংলা"),
        ("thai", "เม่", "แม่"),
        ("khmer", "ដ", "ត"),  # only their subscripts look the same
        ("simplified_mandarin", "臺", "台"),
        ("japanese", "國", "国"),
        ("vietnamese", "đ", "d"),
        ("english", "ð", "đ"),
        ("turkish", "kâr", "kar"),  # profit, snow
        ("english", "🏴\U000e0067\U000e0062\U000e0065", "🏴\U000e0067\U000e0062\U000e0073"),  # tags tell flags apart
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


@pytest.mark.parametrize("language", NAMES)
def test_texts_folded_together_are_folded_as_alone(language: str) -> None:
    profile = PROFILES["lenient"]
    some = [*SPLIT, *(text for _, _, *pair in FOLDED_TOGETHER for text in pair)]
    assert apply_to_all(profile.folds_for(language), some) == [profile.fold(text, language) for text in some]


def test_every_character_folds_as_specified() -> None:
    language = "english"
    codes = (*range(0xD800), *range(0xF900, 0x20000), *range(0xE0000, 0xE0200))  # no surrogates, no private use
    characters = [chr(code) for code in codes if unicodedata.category(chr(code)) != "Cn"]
    folded = apply_to_all(PROFILES["lenient"].folds_for(language), characters)
    assert folded == [fold(character, language) for character in characters]


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
