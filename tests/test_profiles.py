"""What each profile makes of a text, in cases a person can read."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from multiloko_metric.normalization import LISTED_PUNCTUATION
from multiloko_metric.profiles import PROFILES, UnknownProfileError, get_profile
from multiloko_metric.variants import answer_forms, language_rules


@pytest.mark.parametrize(
    ("text", "release", "unicode", "variants"),
    [
        ("The Quick, Brown Fox.", "quick brown fox", "quick brown fox", "the quick brown fox"),
        ("Thiên An Môn", "thiên môn", "thiên môn", "thiên an môn"),
        ("1947।", "1947।", "1947", "1947"),
        ("So the answer is: 42.", "so answer is 42", "42", "42"),
        ("Answer is 42", "answer is 42", "42", "42"),
        ("みかんです。", "みかんです", "みかん", "みかん"),
        ("１２．５", "１２．５", "１２５", "１２５"),
        ("a\u00a0b\u3000\n c", "b c", "b c", "a b c"),
        ("$5 ＄5", "5 5", "5 5", "5 5"),
        ("−5 €", "−5 €", "−5 €", "−5 €"),
    ],
)
def test_normal_forms(text: str, release: str, unicode: str, variants: str) -> None:
    assert PROFILES["release"].normalize(text) == release
    assert PROFILES["unicode"].normalize(text) == unicode
    assert PROFILES["variants"].normalize(text) == variants


@pytest.mark.parametrize(
    ("language", "answer", "forms"),
    [
        ("german", "der hund", ["der hund", "hund"]),
        ("german", "ein hund", ["ein hund"]),
        ("german", "die", ["die"]),
        ("swedish", "en hund", ["en hund"]),
        ("arabic", "اللبنانية", ["اللبنانية", "لبنانية"]),
        ("arabic", "الم", ["الم"]),
        ("hebrew", "הר", ["הר"]),
        ("hebrew", "ההר", ["ההר", "הר"]),
        ("urdu", "جواب غزل ہے", ["جواب غزل ہے", "غزل"]),
        ("farsi", "قطب\u200cزاده", ["قطب\u200cزاده", "قطب زاده", "قطبزاده"]),
        ("tagalog", "ang si rizal", ["ang si rizal", "rizal"]),
        ("japanese", "みかん ", ["みかん ", "みかん"]),
        ("czech", "", []),
    ],
)
def test_forms_of_an_answer(language: str, answer: str, forms: list[str]) -> None:
    assert list(answer_forms(answer, language_rules(language))) == forms


def test_the_listed_punctuation_is_the_official_list() -> None:
    assert len(LISTED_PUNCTUATION) == len(set(LISTED_PUNCTUATION)) == 111
    assert "．" not in LISTED_PUNCTUATION  # full width full stop: category P, but not in the list
    assert {"〜", "〰", "〾", "〿", "﹏", "。"} < set(LISTED_PUNCTUATION)


def test_no_punctuation_survives_the_unicode_step() -> None:
    everything = "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    left = PROFILES["variants"].normalize(everything)
    assert [character for character in left if unicodedata.category(character).startswith("P")] == []
    assert not set(left) & set(LISTED_PUNCTUATION)


def test_lower_twice_is_lower_once() -> None:
    """The official code lowers targets a second time after normalising them; that never changes one."""
    for code in range(sys.maxunicode + 1):
        lowered = chr(code).lower()
        assert lowered.lower() == lowered


def test_names_and_alias() -> None:
    assert list(PROFILES) == ["release", "unicode", "variants", "lenient"]
    assert get_profile("official") is get_profile(" Unicode ") is PROFILES["unicode"]
    with pytest.raises(UnknownProfileError, match=r"'varients' \(nearest: variants; all: release, unicode"):
        get_profile("varients")
    with pytest.raises(UnknownProfileError, match="no profile is called 'x'"):
        get_profile("x")
