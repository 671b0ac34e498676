"""The scorer against the specification, on text of all scripts and on cases a person can check."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import NAMES, adversarial_texts, target_lists, texts

from multiloko_metric.languages import UnknownConfigError
from multiloko_metric.normalization import SEPARATOR
from multiloko_metric.scoring import LOWER_IS_BETTER, METRICS, Scorer
from multiloko_runs.specification import forms, specified_scores, target_forms

ALL = ("release", "unicode", "variants", "lenient")


def as_json(scores: dict[str, float]) -> str:
    """Every bit of every float, and 0 apart from 0.0."""
    return json.dumps(scores, sort_keys=True)


@pytest.mark.parametrize("profile", ALL)
@settings(max_examples=150, deadline=None)
@given(data=st.data(), language=st.sampled_from(NAMES))
def test_the_scorer_equals_its_specification(profile: str, data: Any, language: str) -> None:
    targets = data.draw(target_lists)
    prediction = data.draw(st.one_of(texts, st.sampled_from(targets)) if targets else texts)
    scores = Scorer(profile).score(prediction, targets, language)
    assert as_json(scores.to_dict()) == as_json(specified_scores(profile, prediction, targets, language))


OFFICIAL = ("release", "unicode", "variants")


@settings(max_examples=400, deadline=None)
@given(some=st.lists(adversarial_texts, min_size=50, max_size=50), language=st.sampled_from(NAMES))
def test_twenty_thousand_adversarial_texts_have_the_specified_forms(some: list[str], language: str) -> None:
    for profile in OFFICIAL:
        alone, together = Scorer(profile), Scorer(profile)
        together.score_all(some, [some[:1]] * len(some), language)  # which normalises all of them as one text
        for text in some:
            expected = forms(profile, text, language)
            for scorer in (alone, together):
                form = scorer.prediction_form(text, language)
                assert ([form] if isinstance(form, str) else form) == (expected or [""])
                assert scorer.target_forms([text], language) == target_forms(profile, [text], language)


@pytest.mark.parametrize("profile", ALL)
@settings(max_examples=250, deadline=None)
@given(answer=adversarial_texts, targets=st.lists(adversarial_texts, max_size=4), language=st.sampled_from(NAMES))
def test_adversarial_texts_have_the_specified_scores(
    profile: str, answer: str, targets: list[str], language: str
) -> None:
    scores = Scorer(profile).score(answer, targets, language)
    assert as_json(scores.to_dict()) == as_json(specified_scores(profile, answer, targets, language))


@pytest.mark.parametrize(
    ("text", "form"),
    [
        # Delimiters that share a space: split() finds the first of them, rpartition() would find the last.
        ("So answer is the answer is Paris", "answer is paris"),
        ("So the answer is The answer is The answer is Paris", "paris"),
        ("the answer is The answer is Paris", "paris"),
        ("The answer is answer is Paris", "paris"),
        ("answer is answer is", "answer is"),
        ("Answer is Paris, answer is Rome", "rome"),
        ("myanswer is Paris", "myparis"),
        ("answer is Paris です", "paris です"),
        ("パリです", "パリ"),
    ],
)
def test_what_the_answer_is(text: str, form: str) -> None:
    assert Scorer("unicode").prediction_form(text) == form
    assert forms("unicode", text, "english") == [form]


@pytest.mark.parametrize("profile", ALL)
@pytest.mark.parametrize(
    ("prediction", "targets", "expected"),
    [
        ("", [""], {"em": 1.0, "f1": 0, "bleu": 0.0, "chrf": 0.0, "edit_distance": 0.0, "edit_similarity": 1.0}),
        ("?!", ["..."], {"em": 1.0, "f1": 0, "bleu": 0.0, "chrf": 0.0, "edit_distance": 0.0, "edit_similarity": 1.0}),
        ("", ["kiwi"], {"em": 0.0, "f1": 0, "bleu": 0.0, "chrf": 0.0, "edit_distance": 4.0, "edit_similarity": 0.0}),
        ("kiwi", [""], {"em": 0.0, "f1": 0, "bleu": 0.0, "chrf": 0.0, "edit_distance": 4.0, "edit_similarity": 0.0}),
        ("kiwi", [], {"em": 0.0, "f1": 0, "bleu": 0.0, "chrf": 0.0, "edit_distance": 4.0, "edit_similarity": 0.0}),
    ],
)
def test_what_blank_texts_give(profile: str, prediction: str, targets: list[str], expected: dict[str, float]) -> None:
    scores = Scorer(profile).score(prediction, targets, "french").to_dict()
    if profile in ("variants", "lenient") and targets in ([""], ["..."]):
        # A blank target is no target there: nothing is right, not even a blank answer.
        expected = {**expected, "em": 0.0, "edit_similarity": 0.0}
    assert as_json({name: scores[name] for name in expected}) == as_json(expected)
    if profile == "unicode":
        assert scores["contains"] == float(targets in ([""], ["..."]))
    if profile in ("variants", "lenient"):
        assert scores["contains"] == 0.0


@pytest.mark.parametrize(
    ("profile", "prediction", "targets", "language", "expected"),
    [
        ("unicode", "Paris", ["Rome", "Paris"], "english", 5.0),
        ("unicode", "Paris", ["", "Paris"], "english", 5.0),
        ("release", "the cat", ["a cat"], "english", 0.0),
        ("variants", "die Katze", ["Katze", "die Katze"], "german", 0.0),
        ("variants", "Katze", ["Katzen", "Katze"], "german", 1.0),
        # The least over the forms of the answer: "die katze" and "katze".
        ("variants", "die Katze", ["...", "Katze"], "german", 5.0),
    ],
)
def test_distance_to_the_first_target(
    profile: str, prediction: str, targets: list[str], language: str, expected: float
) -> None:
    assert Scorer(profile).score(prediction, targets, language).edit_distance_first == expected


def test_scores_are_named_in_one_order() -> None:
    scores = Scorer("unicode").score("one", ["two"]).to_dict()
    assert tuple(scores) == METRICS
    assert set(METRICS) > LOWER_IS_BETTER
    release = Scorer("release").score("one", ["two"])
    assert release.contains is None
    assert tuple(release.to_dict()) == tuple(name for name in METRICS if name != "contains")


@pytest.mark.parametrize("profile", ["variants", "lenient"])
def test_a_profile_that_needs_the_language_says_so(profile: str) -> None:
    with pytest.raises(ValueError, match=f"'{profile}' needs the language the question is asked in"):
        Scorer(profile).score("x", ["x"])
    with pytest.raises(UnknownConfigError, match="klingon"):
        Scorer(profile).score("x", ["x"], "klingon")


def test_a_language_may_be_given_by_its_code() -> None:
    by_name = Scorer("variants").score("die Katze", ["Katze"], "german")
    assert by_name.em == 1.0
    assert Scorer("variants").score("die Katze", ["Katze"], "de") == by_name


def test_forms_are_what_the_official_results_print() -> None:
    assert Scorer("release").prediction_form("The Cat!") == "cat"
    assert Scorer("unicode").target_forms(["The Cat!", "A cat"]) == ["cat", "cat"]
    assert Scorer("variants").prediction_form("...", "english") == [""]
    assert Scorer("variants").prediction_form("The Cat!", "english") == ["the cat", "cat"]
    assert Scorer("variants").target_forms(["The Cat!", "cat", ""], "english") == ["the cat", "cat"]


@pytest.mark.parametrize("profile", ALL)
@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.tuples(texts, target_lists), max_size=6), language=st.sampled_from(NAMES))
def test_many_answers_at_once_score_as_each_alone(
    profile: str, rows: list[tuple[str, list[str]]], language: str
) -> None:
    rows = [*rows, (f"a {SEPARATOR} b", ["a b", SEPARATOR])] if language == "french" else rows
    scorer = Scorer(profile)
    found = scorer.score_all([prediction for prediction, _ in rows], [targets for _, targets in rows], language)
    assert found == [Scorer(profile).score(prediction, targets, language) for prediction, targets in rows]
    for prediction, targets in rows:  # what was normalised together is what is shown
        assert scorer.target_forms(targets, language) == Scorer(profile).target_forms(targets, language)
        assert scorer.prediction_form(prediction, language) == Scorer(profile).prediction_form(prediction, language)
