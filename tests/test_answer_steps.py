"""Steps that take the answer out of what a model wrote."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloko_runs.answer_steps import (
    STEPS,
    StepError,
    apply_counted,
    apply_steps,
    first_line,
    last_line,
    parse_step,
    parse_steps,
    step_notes,
)

# step, what a model wrote, its answer
TABLE = [
    ("first-line", "Paris", "Paris"),
    ("first-line", "  Paris  ", "Paris"),
    ("first-line", "\n \n Paris\nQuestion: next", "Paris"),
    ("first-line", "Paris\r\nLyon", "Paris"),
    ("first-line", "Paris\u2028Lyon", "Paris"),
    ("first-line", "", ""),
    ("first-line", " \n\t\n", ""),
    ("first-line", "パリ、東京。\n大阪", "パリ、東京。"),
    ("last-line", "Let me see.\nParis\n\n", "Paris"),
    ("last-line", "Paris", "Paris"),
    ("last-line", " \n", ""),
    ("after-think", "<think>Lyon?</think>\n\nParis", "Paris"),
    ("after-think", "Lyon?</think>Paris", "Paris"),
    ("after-think", "<think>a</think>b<think>c</think> Paris ", "Paris"),
    ("after-think", "<think>Lyon or Paris", ""),
    ("after-think", "<think>a</think>Paris<think>but wait", ""),
    ("after-think", "<think></think>", ""),
    ("after-think", " Paris \n", " Paris \n"),
    ("after-think", "I think so", "I think so"),
    ("json:answer", '{"answer": "Paris"}', "Paris"),
    ("json:answer", 'Here:\n```json\n{"answer": " Paris "}\n```\nDone {"answer": "Lyon"}', "Paris"),
    ("json:answer", '{x} {"answer": "Paris"}', "Paris"),
    ("json:answer", '{"answer": 1994}', "1994"),
    ("json:answer", '{"answer": 3.10}', "3.10"),
    ("json:answer", '{"answer": true}', "true"),
    ("json:answer", '{"answer": null}', ""),
    ("json:answer", '{"answer": ["Paris"]}', ""),
    ("json:answer.0", '{"answer": ["Paris"]}', "Paris"),
    ("json:answer.1", '{"answer": ["Paris"]}', ""),
    ("json:answer", '{"answer": "a\nb"}', "a\nb"),
    ("json:answer", '{"Answer": "Paris"}', ""),
    ("json:answer", '{"answer": "Par', ""),
    ("json:answer", "Paris", ""),
    ("json:result.answer", '{"result": {"answer": "Paris"}}', "Paris"),
    ("json:result.answer", '{"result.answer": "Paris"}', "Paris"),
    ("json:result.answer", '{"result": "Paris"}', ""),
    ("regex:answer is (.*)", "The answer is Paris.\nIndeed.", "Paris."),
    ("regex:answer is (.*)", "Paris", ""),
    ("regex:[0-9]{4}", "in 1994 or 1995", "1994"),
    ("regex:(a)|b", "b", ""),
    ("regex:(?i)ANSWER:(.*)", "answer: a:b", "a:b"),
    ("regex:\\p{Han}+", "答案 is 東京", "答案"),
]


@pytest.mark.parametrize(("step", "text", "answer"), TABLE)
def test_step(step: str, text: str, answer: str) -> None:
    assert parse_step(step).apply(text) == answer


def test_steps_are_applied_in_order() -> None:
    text = "<think>\nLyon\n</think>\n\nParis\nWhy? Because."
    assert apply_steps(parse_steps(["after-think", "first-line"]), text) == "Paris"
    assert apply_steps(parse_steps(["first-line", "after-think"]), text) == ""
    assert apply_steps((), text) == text


WRONG = [
    ("firstline", r"no step is called 'firstline' \(nearest: first-line.*there are: first-line, last-line"),
    ("first_line", "nearest: first-line"),
    ("jason:answer", r"nearest: json:FIELD"),
    ("json", "nearest: json:FIELD"),
    ("", "none is near"),
    ("first-line:3", "no step is called 'first-line:3'"),
    ("json:", "needs the name of a field"),
    ("regex:", "needs a pattern"),
    ("regex:(", r"the pattern '\(' is no regular expression"),
    ("regex:*", "is no regular expression"),
    ("regex:[z-a]", "is no regular expression"),
]


@pytest.mark.parametrize(("step", "message"), WRONG)
def test_a_step_that_cannot_be_used(step: str, message: str) -> None:
    with pytest.raises(StepError, match=message):
        parse_steps(["first-line", step])


def test_a_pattern_that_would_take_forever_ends() -> None:
    step = parse_step(r"regex:^(a|aa)+$")
    began = time.monotonic()
    with pytest.raises(StepError, match=r"took longer than 1 s on an answer of 6,001 characters"):
        step.apply("a" * 6000 + "!")
    assert time.monotonic() - began < 20


def test_an_answer_made_to_be_slow_for_json() -> None:
    began = time.monotonic()
    assert parse_step("json:a").apply('{"a":' * 100_000) == ""
    assert time.monotonic() - began < 10


def test_each_step_is_counted() -> None:
    texts = ["Paris", "a\nb", "<think>x", "", None, "<think>x</think>Paris\nb"]
    after, counts = apply_counted(parse_steps(["after-think", "first-line"]), texts, "fr")
    assert after == ["Paris", "a", "", "", None, "Paris"]
    assert [(each.step, each.config, each.answers, each.changed, each.emptied) for each in counts] == [
        ("after-think", "fr", 5, 2, 1),
        ("first-line", "fr", 5, 2, 0),
    ]
    assert counts[0].to_dict() == {"answers": 5, "changed": 2, "emptied": 1}
    assert step_notes(counts)[0] == "--answer after-think changed 2 of 5 answers and emptied 1"
    _, other = apply_counted(parse_steps(["after-think"]), ["<think>"], "it")
    assert step_notes([counts[0], *other]) == ["--answer after-think changed 3 of 6 answers and emptied 2 (fr 1, it 1)"]


def test_no_answers_and_no_steps() -> None:
    assert apply_counted((), ["a", None], "fr") == (["a", None], [])
    _, (count,) = apply_counted(parse_steps(["first-line"]), [], "fr")
    assert (count.answers, count.changed, count.emptied) == (0, 0, 0)
    assert step_notes([]) == []


def test_the_name_in_a_signature_holds_nothing_that_separates_its_parts() -> None:
    assert parse_step("regex:a|b, 100%").signed == "regex:a%7Cb%2C%20100%25"
    assert parse_step("First-Line").signed == "first-line"


@given(st.text())
def test_first_and_last_line_as_one_would_write_them(text: str) -> None:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    assert first_line(text) == (lines[0] if lines else "")
    assert last_line(text) == (lines[-1] if lines else "")


PIECES = st.lists(st.sampled_from(["<think>", "</think>", "a", "\n", '{"a": "', '"}', ":", " "]), max_size=12)


@given(PIECES.map("".join), st.data())
def test_no_step_adds_anything(text: str, data: st.DataObject) -> None:
    names = [name for name in STEPS if ":" not in name] + ["json:a", "regex:a(.*)"]
    assert parse_step(data.draw(st.sampled_from(names))).apply(text).strip() in text
