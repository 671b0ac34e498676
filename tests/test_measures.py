"""Every short cut of the metrics against what it replaces, on small alphabets, where repetitions and ties abound."""

from __future__ import annotations

import sys
import time
import unicodedata
from difflib import SequenceMatcher

import pytest
import sacrebleu
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from multiloko_metric import measures, ratcliff_obershelp
from multiloko_metric.normalization import ENGLISH_ARTICLES, LISTED_PUNCTUATION, PUNCTUATION
from multiloko_metric.ratcliff_obershelp import LONG
from multiloko_metric.scoring import Scorer
from multiloko_runs.specification import f1, levenshtein

few_letters = st.text(alphabet="abc", max_size=14)
spaced = st.text(alphabet="ab ", max_size=30)
scripts = st.text(alphabet="aéби天気กา\U0001f600", max_size=20)
long_texts = st.text(alphabet="abcde é天", min_size=60, max_size=150)
around_200 = st.integers(190, 210).flatmap(lambda length: st.text("abx ", min_size=length, max_size=length))
pairs = st.one_of(*(st.tuples(texts, texts) for texts in (few_letters, spaced, scripts)))
with_and_without = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(params=["with the extra", "without the extra"])
def extra(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways, where the extra ``fast`` is installed."""
    if request.param == "without the extra":
        monkeypatch.setattr(ratcliff_obershelp, "cydifflib", None)
        monkeypatch.setattr(measures, "fastchrf", None)
    elif not (ratcliff_obershelp.cydifflib and measures.fastchrf):
        pytest.skip("the extra 'fast' is not installed")


def official_ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


@with_and_without
@given(pair=pairs)
def test_ratio_is_that_of_difflib(extra: None, pair: tuple[str, str]) -> None:
    assert ratcliff_obershelp.ratio(*pair) == official_ratio(*pair)


@with_and_without
@given(
    short=few_letters,
    long=st.text(alphabet="abcd", min_size=LONG - 3, max_size=LONG + 60),
)
def test_ratio_of_a_long_text_is_that_of_difflib(extra: None, short: str, long: str) -> None:
    assert ratcliff_obershelp.ratio(long, short) == official_ratio(long, short)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(one=around_200, other=around_200)
def test_ratio_around_the_length_of_autojunk(extra: None, one: str, other: str) -> None:
    assert ratcliff_obershelp.ratio(one, other) == official_ratio(one, other)
    assert measures.edit_similarity(one, [other, one]) == max(official_ratio(one, other), official_ratio(one, one))


@with_and_without
@given(pair=pairs, least=st.floats(0, 1))
def test_ratio_may_stop_early_only_below_what_is_needed(extra: None, pair: tuple[str, str], least: float) -> None:
    found, official = ratcliff_obershelp.ratio(*pair, least), official_ratio(*pair)
    assert found == official if official > least else found <= least


@with_and_without
@given(prediction=few_letters, targets=st.lists(few_letters, min_size=1, max_size=6))
def test_the_best_of_several_targets(extra: None, prediction: str, targets: list[str]) -> None:
    assert measures.edit_similarity(prediction, targets) == max(official_ratio(prediction, it) for it in targets)
    assert measures.edit_distances(prediction, targets) == [levenshtein(prediction, it) for it in targets]
    assert measures.chrf(prediction, targets) == sacrebleu.sentence_chrf(prediction, targets).score


@with_and_without
@given(
    pair=st.one_of(st.tuples(few_letters, few_letters), st.tuples(scripts, scripts), st.tuples(few_letters, long_texts))
)
def test_chrf_is_that_of_sacrebleu(extra: None, pair: tuple[str, str]) -> None:
    one, other = ("".join(text.split()) for text in pair)
    for prediction, target in ((one, other), (other, one)):
        assert measures.chrf(prediction, [target]) == sacrebleu.sentence_chrf(prediction, [target]).score


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(one=long_texts, other=long_texts, surrogate=st.sampled_from(["", "\ud83d"]))
def test_chrf_of_two_long_texts(extra: None, one: str, other: str, surrogate: str) -> None:
    prediction, target = "".join(one.split()) + surrogate, "".join(other.split())
    assert measures.chrf(prediction, [target]) == sacrebleu.sentence_chrf(prediction, [target]).score


tokens = st.lists(st.sampled_from(["ab", "cd", "ef", "the", "x"]), max_size=12)


@settings(max_examples=300, deadline=None)
@given(prediction=tokens, targets=st.lists(tokens, min_size=1, max_size=4))
def test_bleu_and_f1_of_tokens(prediction: list[str], targets: list[list[str]]) -> None:
    official = sacrebleu.sentence_bleu(" ".join(prediction), [" ".join(target) for target in targets]).score
    assert measures.bleu(prediction, targets) == official
    found = measures.token_f1(prediction, targets)
    assert (found, type(found)) == max(((it := f1(prediction, target)), type(it)) for target in targets)


@settings(max_examples=60, deadline=None)
@given(
    prediction=st.lists(st.integers(0, 30).map(str), max_size=60),
    target=st.lists(st.integers(0, 30).map(str), max_size=60),
)
def test_f1_where_many_tokens_are_shared(prediction: list[str], target: list[str]) -> None:
    assert measures.token_f1(prediction, [target]) == f1(prediction, target)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 60])
def test_an_exact_match_has_the_scores_of_sacrebleu(length: int) -> None:
    text = " ".join(f"w{number}" for number in range(length))
    scores = Scorer("unicode").score(text, ["other", text, f"{text} more"])
    assert scores.bleu == sacrebleu.sentence_bleu(text, ["other", text, f"{text} more"]).score
    assert scores.chrf == sacrebleu.sentence_chrf(text, ["other", text]).score
    assert scores.edit_similarity == official_ratio(text, text)


@settings(max_examples=60, deadline=None)
@given(text=around_200)
def test_a_text_is_all_similar_to_itself_even_where_autojunk_ignores_much_of_it(text: str) -> None:
    """The longest block of several begins first in both, so on the diagonal, and grows over frequent characters."""
    assert official_ratio(text, text) == 1.0
    assert official_ratio("ab" * 150, "ab" * 150) == 1.0


def test_no_letter_or_number_is_punctuation() -> None:
    """A text of only these and spaces is not searched for any."""
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if character in LISTED_PUNCTUATION or unicodedata.category(character).startswith("P"):
            assert not character.isalnum()
            assert PUNCTUATION.apply(f"x{character}y") == "xy"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a", " "), ("the", " "), ("then", "then"), ("ana", "ana"), ("i\u0307a", "i\u0307 "), ("x a\u0301", "x  \u0301")],
)
def test_articles_are_whole_words(text: str, expected: str) -> None:
    assert ENGLISH_ARTICLES.apply(text) == expected


def test_the_worst_case_of_difflib_takes_no_time(extra: None) -> None:
    started = time.perf_counter()
    value = ratcliff_obershelp.ratio("x a " * 20_000, "a " * 99)
    assert time.perf_counter() - started < 2  # difflib: tens of seconds
    assert value == 2.0 * 149 / (80_000 + 198)


@pytest.mark.parametrize("profile", ["release", "unicode", "variants", "lenient"])
def test_time_grows_linearly_with_the_answer(profile: str, extra: None) -> None:
    """Ten times the length takes about ten times as long, and not a hundred times."""
    scorer = Scorer(profile)
    words = [f"w{number:04}q" for number in range(5_000)]

    def seconds(count: int) -> float:
        middle = count // 2
        text = " ".join(words[:count])
        # One target each side of the length from which on difflib ignores characters, and one that shares nothing.
        targets = [" ".join(words[middle : middle + length]) for length in (20, 30)] + ["aba"]
        started = time.perf_counter()
        scorer.score(f"{text} w", [f"w {target}" for target in targets], "english")
        return time.perf_counter() - started

    short = min(seconds(500) for _ in range(3))
    assert seconds(5_000) < 40 * short
