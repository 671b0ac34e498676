"""Runs of a few answers in each of many languages, in which no config tells anything by itself."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable, Sequence

import pytest
from constructed import LOCAL
from multiloko_scripts.score import warning_lines

from multiloko_metric.languages import Config
from multiloko_metric.scoring import Scorer
from multiloko_runs.diagnosis import Diagnosis, compare_configs, diagnose, diagnose_config
from multiloko_runs.matching import MatchedConfig
from multiloko_runs.run_warning import RunWarning
from multiloko_runs.scored_run import score_matched
from multiloko_source.questions import Question

# Letters of each script that a language of the benchmark is written in.
LETTERS = {
    "Arab": "ابتجدرسعفقكلمن",
    "Beng": "কখগচজতদনপবমরলস",
    "Cyrl": "абвгдежиклмнор",
    "Deva": "कखगचजतदनपबमरलस",
    "Hans": "东南西北中山水火木金土日月海",
    "Hant": "東南西北中山水火木金土日月海",
    "Hebr": "אבגדהוזחטכלמנס",
    "Jpan": "あいうえおかきくけこさしすせ",
    "Khmr": "កខគងចឆជញដណតថទន",
    "Kore": "가나다라마바사아자차카타파하",
    "Latn": "abcdefghilmnor",
    "Thai": "กขคงจชซดตทนบปม",
}
FEWSHOT = ("Quillon", "Vestrup")
SCORER = Scorer("unicode")


def word(config: Config, number: int, kind: str) -> str:
    """A made-up name in the script of a config, another one for each number and kind."""
    generator = random.Random(f"{config.name} {number} {kind}")
    return "".join(generator.choices(LETTERS[config.question.script], k=7))


def small_run(
    answer: Callable[[Config, int, str], str], *, each: int = 2, configs: Sequence[Config] = LOCAL
) -> list[MatchedConfig]:
    """So many answers in each language, of which ``answer`` makes what the model said; every third name is right."""
    run = []
    for place, config in enumerate(configs):
        targets = [word(config, number, "target") for number in range(each)]
        said = [target if (place + n) % 3 == 0 else word(config, n, "wrong") for n, target in enumerate(targets)]
        run.append(
            MatchedConfig(
                config,
                [f"{number:03}" for number in range(each)],
                [Question((target,)) for target in targets],
                [answer(config, place * each + number, text) for number, text in enumerate(said)],
                [True] * each,
            )
        )
    return run


def warnings_of(run: Sequence[MatchedConfig], *, fewshot: Sequence[str] = FEWSHOT) -> list[RunWarning]:
    results = [score_matched(config, SCORER) for config in run]
    return list(diagnose(run, results, "unicode", fewshot=lambda config: fewshot))


def long_text(config: Config, place: int) -> str:
    return " ".join(word(config, number, f"long {place}") for number in range(9))


SIGNS: list[tuple[str, str, Callable[[Config, int, str], str]]] = [
    ("continuations", "the next question", lambda c, n, text: f"{text}\n\nQ: {word(c, n, 'q')}\nA:" if n % 6 else text),
    ("continuations", "long", lambda c, n, text: long_text(c, n) if n % 6 else text),
    ("empty_answers", "two", lambda c, n, text: " \n" if n in (13, 40) else text),
    ("same_answer", "a refusal", lambda c, n, text: "503" if n % 5 > 2 else text),
    ("same_answer", "a refusal in each language", lambda c, n, text: word(c, 0, "no") if c.name < "n" else text),
    ("fewshot_answers", "the examples", lambda c, n, text: f"{FEWSHOT[n % 2]}." if n % 15 == 3 else text),
    ("cut_characters", "at the end", lambda c, n, text: f"{text[:3]}\ufffd" if n % 20 == 4 else text),
    ("low_score", "a prompt's letter", lambda c, n, text: f"R: {text}"),
    ("low_score", "a sentence", lambda c, n, text: f"1) -> {text}" if n % 2 else text),
    ("low_score", "a closing", lambda c, n, text: f"{text} [end]"),
    ("low_score", "an opening, none right", lambda c, n, text: f"A - {word(c, n, 'other')}"),
]


@pytest.mark.parametrize(
    ("kind", "answer"), [pytest.param(kind, answer, id=f"{kind}: {what}") for kind, what, answer in SIGNS]
)
def test_two_answers_in_each_of_31_languages(kind: str, answer: Callable[[Config, int, str], str]) -> None:
    (warning,) = warnings_of(small_run(answer))
    assert (warning.kind, warning.config) == (kind, None)
    assert warning.evidence["configs"] == [config.name for config in LOCAL]
    assert warning.evidence["run"] == 31
    assert str(warning).startswith("whole run (31 configs together): ")
    assert warning.to_dict()["config"] is None
    assert json.loads(json.dumps(warning.to_dict())) == warning.to_dict()


def test_another_script() -> None:
    run = small_run(lambda config, n, text: word(LOCAL[4], n, "latin"))
    found = [warning for warning in warnings_of(run) if warning.kind == "other_script"]
    others = sum(config.question.script != "Latn" for config in LOCAL)
    assert [warning.evidence["in_another_script"] for warning in found] == [2 * others]
    assert f"{2 * others} of 62 answers are in a script that none of their targets has: mostly Latin" in str(found[0])
    assert "the targets mostly Latin" not in str(found[0])


@pytest.mark.parametrize("each", [1, 2, 5, 19])
def test_a_good_run_trips_none(each: int) -> None:
    assert warnings_of(small_run(lambda config, n, text: text, each=each)) == []


def test_related_languages_may_have_an_article_in_common() -> None:
    romance = {"es", "fr", "it", "pt", "ro"}
    run = small_run(lambda config, n, text: f"la {text}" if config.name in romance and n % 4 else text)
    assert warnings_of(run) == []


def test_one_language_that_begins_alike_is_not_the_run() -> None:
    configs = [config for config in LOCAL if config.name in ("fr", "de")]
    run = small_run(lambda config, n, text: f"C'est {config.name} {word(config, n, 'x')}", each=19, configs=configs)
    assert warnings_of(run) == []


def test_so_few_answers_say_nothing() -> None:
    broken = small_run(lambda config, n, text: f"{text}\n\nQ: {text}")
    assert warnings_of(broken[:9]) == []  # 18 answers
    assert [warning.kind for warning in warnings_of(broken[:10])] == ["continuations"]


def test_the_real_small_model() -> None:
    # What was seen of SmolLM2-135M-Instruct: 62 answers, 52 go on with the next question, 10 hold U+FFFD.
    def answer(config: Config, n: int, text: str) -> str:
        said = word(config, n, "other") + ("\ufffd" if n % 6 == 5 else "")
        return said if n % 6 == 0 and n < 60 else f"{said}\n\nQ: {word(config, n, 'q')}"

    found = {warning.kind: str(warning) for warning in warnings_of(small_run(answer))}
    assert set(found) == {"continuations", "cut_characters"}
    assert "52 of 62 go on after a line break" in found["continuations"]
    assert "10 of 62 answers hold U+FFFD, 0 at their end" in found["cut_characters"]


@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_five_answers_in_each_language_of_many_questions(missing: str) -> None:
    # As --limit 5 gives them: 250 questions, five answers, the others missing.
    run = []
    for config in small_run(lambda config, n, text: f"{text}\nQ: {n}", each=5):
        absent = [f"absent {number}" for number in range(245)]
        counted = absent if missing == "zero" else []
        run.append(
            MatchedConfig(
                config.config,
                [*config.ids, *counted],
                [*config.questions, *[Question((word(config.config, n, "absent"),)) for n in range(len(counted))]],
                [*config.predictions, *[""] * len(counted)],
                [True] * 5 + [False] * len(counted),
                [] if counted else absent,
            )
        )
    found = [warning for warning in warnings_of(run) if warning.kind != "missing_answers"]
    assert [(warning.kind, warning.config) for warning in found] == [("continuations", None)]
    assert "155 of 155 go on after a line break" in found[0].message


def test_the_first_20_questions_of_one_language() -> None:
    (config,) = small_run(lambda config, n, text: f"{text}\nQ: {n}", each=20, configs=LOCAL[:1])
    found = [(warning.kind, warning.config) for warning in warnings_of([config])]
    assert found == [("low_score", "ar"), ("continuations", "ar")]  # right ones are in answers that go on
    of_250 = MatchedConfig(
        config.config,
        [*config.ids, *(f"absent {number}" for number in range(230))],
        [*config.questions, *[Question((word(config.config, n, "absent"),)) for n in range(230)]],
        [word(config.config, 0, "no") if n < 8 else text for n, text in enumerate([*config.predictions, *[""] * 230])],
        [True] * 20 + [False] * 230,
    )
    kinds = {warning.kind for warning in warnings_of([of_250])}
    assert kinds == {"low_score", "continuations", "same_answer", "missing_answers"}


def test_large_configs_are_judged_by_themselves() -> None:
    large = small_run(lambda config, n, text: f"{text}\nQ: {n}", each=20, configs=LOCAL[:2])
    small = small_run(lambda config, n, text: text, each=10, configs=LOCAL[2:])
    found = [warning for warning in warnings_of([*large, *small]) if warning.kind != "low_score"]
    assert [(warning.kind, warning.config) for warning in found] == [("continuations", "ar"), ("continuations", "bn")]
    large = small_run(lambda config, n, text: text, each=20, configs=LOCAL[:2])
    small = small_run(lambda config, n, text: f"{text}\nQ: {n}", each=10, configs=LOCAL[2:])
    (warning,) = warnings_of([*large, *small])
    assert str(warning).startswith("29 of 31 configs together: answers look like raw continuations")
    assert warning.evidence["configs"] == [config.name for config in LOCAL[2:]]


def test_what_is_said_of_the_run_comes_first_and_in_full() -> None:
    run = small_run(lambda config, n, text: f"{text}\nQ: {n}")
    absent = [
        MatchedConfig(config.config, config.ids, config.questions, config.predictions, config.answered, ["absent"])
        for config in run
    ]
    lines = list(warning_lines(warnings_of(absent)))
    assert len(lines) == 1 + 3 + 1
    assert lines[0].startswith("whole run (31 configs together): answers look like raw continuations")
    assert lines[-1].startswith("missing_answers in 28 more configs")


def test_examples_are_shown_but_not_written() -> None:
    for _, _, answer in SIGNS:
        run = small_run(answer)
        written = json.dumps([warning.to_dict() for warning in warnings_of(run)], ensure_ascii=False)
        targets = [target for config in run for question in config.questions for target in question.targets]
        assert not [target for target in targets if target in written]


def test_what_travels_between_processes_is_small_and_enough() -> None:
    def diagnosed(run: Sequence[MatchedConfig]) -> list[Diagnosis]:
        return [diagnose_config(config, score_matched(config, SCORER), SCORER, FEWSHOT) for config in run]

    answer = SIGNS[0][2]
    small = diagnosed(small_run(answer))
    travelled = pickle.loads(pickle.dumps(small))
    assert compare_configs(travelled, SCORER) == compare_configs(small, SCORER) != ()
    (large,) = diagnosed(small_run(answer, each=20, configs=LOCAL[:1]))
    assert (large.unjudged, large.fewshot) == ((), ())
    assert {len(one.unjudged) for one in small} == {2}
