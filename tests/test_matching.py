"""Answers matched to the questions they answer."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloko_metric.languages import Config, parse_config
from multiloko_runs.answers import Answer, AnswerError
from multiloko_runs.matching import Matched, match
from multiloko_source.questions import Question

NFD = unicodedata.normalize("NFD", "áo.txt")
NFC = unicodedata.normalize("NFC", NFD)
GOLD = {
    "fr": {"1": Question(("un",)), "2": Question(("deux",)), "3": Question(("trois",))},
    "vi": {NFD: Question(("áo",))},
    "ko": {NFC: Question(("x",))},
}


def gold(config: Config) -> dict[str, Question] | None:
    return GOLD.get(config.name)


def answers(*rows: tuple[str, str, str | None]) -> list[Answer]:
    return [Answer(*row, place) for place, row in enumerate(rows, start=1)]


def matched(*rows: tuple[str, str, str | None], **options: str) -> Matched:
    return match(answers(*rows), gold, file="a.csv", **options)


def refused(*rows: tuple[str, str, str | None], **options: str) -> str:
    with pytest.raises(AnswerError) as caught:
        matched(*rows, **options)
    return str(caught.value)


def test_answers_come_first_in_their_order_and_missing_ones_last() -> None:
    found = matched(("vi", NFD, "áo"), ("fr", "3", "c"), ("fr", "1", "a"))
    assert [config.config.name for config in found.configs] == ["vi", "fr"]
    french = found.configs[1]
    assert french.ids == ["3", "1", "2"]
    assert french.predictions == ["c", "a", ""]
    assert french.answered == [True, True, False]
    assert [question.targets for question in french.questions] == [("trois",), ("un",), ("deux",)]
    assert found.notes == []


def test_every_name_of_a_config_is_the_same_config() -> None:
    found = matched(("fr", "1", "a"), ("French", "2", "b"), ("FR", "3", "c"))
    assert [config.ids for config in found.configs] == [["1", "2", "3"]]


@pytest.mark.parametrize(("name", "written", "stored"), [("vi", NFC, NFD), ("ko", NFD, NFC)])
def test_an_id_in_another_normal_form_is_found_with_a_note(name: str, written: str, stored: str) -> None:
    found = matched((name, written, "x"))
    assert found.configs[0].ids == [stored]
    assert len(found.notes) == 1
    assert "1 ids that match the gold only in Unicode normal form C" in found.notes[0]
    assert "a.csv:1" in found.notes[0]


def test_a_raw_id_wins_over_its_normal_form() -> None:
    both = {NFC: Question(("c",)), NFD: Question(("d",))}
    found = match(answers(("vi", NFC, "x"), ("vi", NFD, "y")), lambda config: both)
    assert found.configs[0].ids == [NFC, NFD]
    assert found.notes == []


def test_two_normal_forms_of_one_id_are_duplicates() -> None:
    message = refused(("vi", NFD, "x"), ("vi", NFC, "y"))
    assert "1 repeated answers" in message
    assert "a.csv:2" in message


def test_missing_answers_count_are_left_out_or_refused() -> None:
    rows = (("fr", "1", "a"), ("fr", "2", None))
    zero = matched(*rows).configs[0]
    assert (zero.ids, zero.answered, zero.predictions) == (["1", "2", "3"], [True, False, False], ["a", "", ""])
    skip = matched(*rows, missing="skip").configs[0]
    assert (skip.ids, skip.answered) == (["1"], [True])
    message = refused(*rows, missing="error")
    assert "fr lacks 2 of 3 (first: '2')" in message


def test_nothing_missing_is_no_error() -> None:
    rows = [("fr", identifier, "x") for identifier in "123"]
    assert matched(*rows, missing="error").configs[0].answered == [True] * 3


def test_an_empty_answer_is_an_answer() -> None:
    assert matched(("vi", NFD, "")).configs[0].answered == [True]


@pytest.mark.parametrize(("policy", "kept"), [("first", "a"), ("last", "c")])
def test_of_several_answers_one_is_kept_where_asked(policy: str, kept: str) -> None:
    found = matched(("fr", "1", "a"), ("fr", "2", "b"), ("fr", "1", "c"), duplicates=policy)
    assert found.configs[0].ids == ["1", "2", "3"]
    assert found.configs[0].predictions == [kept, "b", ""]
    assert f"1 repeated answers, {policy} kept: fr '1' (a.csv:3)" in found.notes[0]


def test_several_answers_are_refused() -> None:
    rows = [("fr", identifier, "x") for identifier in "123123"]
    message = refused(*rows)
    assert "a.csv does not fit the gold" in message
    assert "3 repeated answers" in message
    assert "fr '1' (a.csv:4), fr '2' (a.csv:5), fr '3' (a.csv:6)" in message
    assert "--duplicates first" in message


def test_a_null_and_an_answer_are_two_answers() -> None:
    assert "1 repeated answers" in refused(("fr", "1", None), ("fr", "1", "a"))
    assert matched(("fr", "1", None), ("fr", "1", "a"), duplicates="last").configs[0].answered[0]
    assert not matched(("fr", "1", None), ("fr", "1", "a"), duplicates="first").configs[0].answered[0]


def test_what_the_gold_does_not_have_is_named_and_refused() -> None:
    message = refused(
        ("fr", "1", "a"),
        ("frensh", "1", "a"),
        ("de", "1", "a"),
        *(("fr", f"x{n}", "a") for n in range(5)),
        ("all", "1", ""),
    )
    assert "names that are no config" in message
    assert "'frensh' (nearest: french" in message
    assert "1 configs without gold: de" in message
    assert "5 answers with an id that the gold does not have: fr 'x0' (a.csv:4), fr 'x1' (a.csv:5)" in message
    assert "and 2 more" in message
    assert "all 31 local sets" in message
    assert "--unknown skip leaves these out and scores what has gold: fr" in message


def test_what_the_gold_does_not_have_is_skipped_where_asked() -> None:
    found = matched(("fr", "1", "a"), ("de", "1", "a"), ("xx", "1", "a"), ("fr", "9", "a"), unknown="skip")
    assert [config.config.name for config in found.configs] == ["fr"]
    assert len(found.notes) == 3
    assert any("1 configs without gold: de" in note for note in found.notes)


def test_every_config_without_gold_is_named() -> None:
    codes = ["ar", "bn", "yue", "cs", "nl", "en", "fa", "de"]
    message = refused(*((code, "1", "a") for code in codes), ("fr", "1", "a"))
    assert f"8 configs without gold: {', '.join(codes)}" in message


def test_no_answer_at_all() -> None:
    assert "a.csv holds no answer to any question of the gold" in refused()
    assert "configs without gold: de" in refused(("de", "1", "a"), unknown="skip")


def test_only_null_answers_under_skip_leave_nothing_to_score() -> None:
    assert "no answer" in refused(("fr", "1", None), missing="skip")


def test_gold_is_read_once_for_each_config() -> None:
    asked: list[str] = []

    def counting(config: Config) -> dict[str, Question] | None:
        asked.append(config.name)
        return gold(config)

    match(answers(("fr", "1", "a"), ("french", "2", "a"), ("fr", "3", "a"), ("vi", NFC, "a")), counting)
    assert asked == ["fr", "vi"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["fr", "french", "vi", "de", "xx"]),
            st.sampled_from(["1", "2", "3", NFC, NFD, "9"]),
            st.sampled_from(["a", "", None]),
        )
    ),
    st.sampled_from(["zero", "skip"]),
    st.sampled_from(["first", "last"]),
)
def test_any_answers_are_matched_or_refused(rows: list[tuple[str, str, str | None]], missing: str, kept: str) -> None:
    try:
        found = matched(*rows, missing=missing, duplicates=kept, unknown="skip")
    except AnswerError as error:
        message = str(error)
        assert "no answer" in message
        return
    assert found.configs
    for config in found.configs:
        questions = GOLD[config.config.name]
        assert config.config is parse_config(config.config.name)
        assert len(set(config.ids)) == len(config.ids) > 0
        assert set(config.ids) <= set(questions)
        assert missing == "skip" or set(config.ids) == set(questions)
        assert [questions[each] for each in config.ids] == config.questions
        assert missing == "zero" or all(config.answered)
