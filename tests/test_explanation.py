"""The trace of an answer: it agrees with the score and shows what a person would look for."""

from __future__ import annotations

import doctest
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import NAMES, target_lists, texts

from multiloko_metric.answer_scores import score_form
from multiloko_metric.profiles import PROFILES
from multiloko_metric.scoring import Scorer


@settings(max_examples=150, deadline=None)
@given(profile=st.sampled_from(list(PROFILES)), prediction=texts, targets=target_lists, language=st.sampled_from(NAMES))
def test_each_winning_pair_has_the_value_and_was_compared(
    profile: str, prediction: str, targets: list[str], language: str
) -> None:
    scorer = Scorer(profile)
    trace = scorer.trace(prediction, targets, language)
    assert trace.scores == scorer.score(prediction, targets, language)
    assert list(trace.winners) == list(trace.scores.to_dict())
    for name, winner in trace.winners.items():
        assert winner.value == trace.scores.to_dict()[name]
        reading = trace.readings[winner.folded]
        forms = [form for target in reading.targets for form in target.forms]
        assert winner.prediction in (reading.prediction.forms or {"": ""})
        assert winner.target is None or winner.target in forms
        if winner.target is not None:
            pair = score_form(winner.prediction, [winner.target], 1, winner.characters)
            assert getattr(pair, name) == winner.value
    json.dumps(trace.to_dict())


def test_a_trace_shows_every_step() -> None:
    trace = Scorer("unicode").trace("So, the answer is: The 4!", ["4"]).to_dict()
    assert trace["language"] is None
    (reading,) = trace["readings"]
    assert reading["prediction"]["raw"] == "So, the answer is: The 4!"
    assert [(step["rule"], step["text"]) for step in reading["prediction"]["steps"]] == [
        ("lower case", "so, the answer is: the 4!"),
        ("punctuation", "so the answer is the 4"),
        ("English articles", "so   answer is   4"),
        ("spaces", "so answer is 4"),
        ("answer is", "4"),
    ]
    assert trace["winners"]["em"]["target"] == "4"
    assert trace["winners"]["bleu"]["target"] is None


def test_a_trace_names_the_forms_that_won() -> None:
    trace = Scorer("variants").trace("La Seine", ["le Rhône", "Seine"], "fr")
    assert trace.language == "french"
    assert trace.readings[0].prediction.forms == {"la seine": "as it stands", "seine": "without articles"}
    assert (trace.winners["em"].prediction, trace.winners["em"].target) == ("seine", "seine")
    assert trace.winners["edit_distance_first"].target == "rhône"


def test_a_lenient_trace_says_what_folding_and_characters_gave() -> None:
    trace = Scorer("lenient").trace("１９４７年", ["1947年春"], "japanese")
    assert [reading.folded for reading in trace.readings] == [False, True]
    assert ("width", "1947年") in [(step.rule, step.text) for step in trace.readings[1].prediction.steps]
    assert trace.winners["f1"].folded
    assert trace.winners["f1"].characters
    assert not trace.winners["em"].folded


@pytest.mark.parametrize("profile", list(PROFILES))
def test_a_trace_without_targets_has_no_winning_target(profile: str) -> None:
    trace = Scorer(profile).trace("x", [], "en")
    assert {winner.target for winner in trace.winners.values()} == {None}


def test_the_documented_examples_run() -> None:
    results = doctest.testfile(str(Path(__file__).parents[1] / "docs" / "profiles.md"), module_relative=False)
    assert (results.failed, results.attempted) == (0, 4)
