"""Warnings: runs made to trip exactly one each, and runs that trip none."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from multiloko_metric.averages import ConfigScores
from multiloko_metric.languages import parse_config
from multiloko_metric.profiles import PROFILES
from multiloko_metric.scoring import Scorer
from multiloko_runs.answer_frames import common_opening
from multiloko_runs.answers import Answer
from multiloko_runs.diagnosis import diagnose
from multiloko_runs.matching import MatchedConfig, match
from multiloko_runs.run_warning import RunWarning
from multiloko_runs.writing_systems import main_script, scripts
from multiloko_source.questions import Question

COUNT = 100
SYLLABLES = {
    "it": ("ba", "ce", "di", "fo", "lu", "ma", "ne", "pi", "ro", "su"),
    "es": ("ja", "ye", "gui", "ño", "zu", "cha", "lle", "qui", "rro", "xu"),
    "ru": ("ба", "вэ", "ги", "до", "жу", "ка", "ле", "ми", "но", "пу"),
    "zh-hans": tuple("东南西北中山水火木金"),
}


def names(language: str, kind: str = "") -> list[str]:
    """Made-up names, all different, and others for each kind."""
    generator = random.Random(f"{language} {kind}")
    made: dict[str, None] = {}
    while len(made) < COUNT:
        made["".join(generator.choices(SYLLABLES[language], k=generator.randint(3, 5))).capitalize()] = None
    return list(made)


def config_of(name: str, answers: Sequence[str], targets: Sequence[str], answered: int = COUNT) -> MatchedConfig:
    return MatchedConfig(
        parse_config(name),
        [f"{number:03}" for number in range(len(answers))],
        [Question((target, f"{target} {target}")) for target in targets],
        answers,
        [number < answered for number in range(len(answers))],
    )


def good(language: str) -> MatchedConfig:
    """A run of which four in ten answers are right, and the wrong ones are names too."""
    targets, others = names(language), names(language, "wrong")
    return config_of(language, [targets[n] if n % 5 < 2 else others[n] for n in range(COUNT)], targets)


def warnings_of(
    *configs: MatchedConfig, profile: str = "unicode", fewshot: Sequence[str] | None = None
) -> list[RunWarning]:
    scorer = Scorer(profile)
    results = [
        ConfigScores(
            config.config,
            config.ids,
            [
                scorer.score(answer, question.targets, config.config.question.name)
                for answer, question in zip(config.predictions, config.questions, strict=True)
            ],
            config.answered,
        )
        for config in configs
    ]
    given = None if fewshot is None else (lambda config: fewshot)
    return list(diagnose(configs, results, profile, fewshot=given))


def every(changed: Callable[[int, str], str], language: str = "it") -> MatchedConfig:
    """The good run with each of its answers changed."""
    config = good(language)
    return replace(config, predictions=[changed(number, answer) for number, answer in enumerate(config.predictions)])


FEWSHOT = ["Uno", "Due", "Tre", "Quattro", "Cinque"]
TRIPPED: list[tuple[str, str, MatchedConfig]] = [
    ("low_score", "a frame before", every(lambda n, answer: f"La risposta è {answer}.")),
    ("low_score", "a prompt's letter before", every(lambda n, answer: f"R: {answer}" if n % 3 else answer)),
    ("low_score", "a stop sequence spelled out", every(lambda n, answer: f"{answer}/n")),
    ("low_score", "a frame without spaces", every(lambda n, answer: f"答案是{answer}。", "zh-hans")),
    ("low_score", "brackets, each other", every(lambda n, answer: f"{answer} ({names('it', 'beside')[n]})")),
    ("low_score", "other inflection", every(lambda n, answer: f"{names('it')[n]}{answer[:2]}")),
    ("low_score", "nothing right", every(lambda n, answer: names("it", "other")[n])),
    ("empty_answers", "three", every(lambda n, answer: " " if n in (7, 8, 9) else answer)),
    ("cut_characters", "at the end", every(lambda n, answer: f"{answer}\ufffd" if n % 30 == 4 else answer)),
    ("cut_characters", "elsewhere", every(lambda n, answer: f"\ufffd{answer}" if n % 30 == 4 else answer)),
    (
        "continuations",
        "long",
        every(lambda n, answer: answer if n % 5 == 0 else " ".join(names("it", "long")[n % 9 :][:16])),
    ),
    ("continuations", "another line", every(lambda n, answer: f"{answer}\nDomanda" if n % 5 == 2 else answer)),
    ("other_script", "a quarter in Russian", every(lambda n, answer: names("ru")[n] if n % 4 == 3 else answer)),
    (
        "fewshot_answers",
        "the examples in turn",
        every(lambda n, answer: FEWSHOT[n % 5] + "." if n % 7 == 4 else answer),
    ),
    ("missing_answers", "two", replace(good("it"), answered=[n < 98 for n in range(COUNT)])),
    ("same_answer", "a refusal", every(lambda n, answer: "Non lo so." if n % 5 > 2 else answer)),
    ("other_questions", "shifted by one", every(lambda n, answer: names("it")[n - 1] if n % 5 > 1 else answer)),
]


@pytest.mark.parametrize(
    ("kind", "config"), [pytest.param(kind, config, id=f"{kind}: {what}") for kind, what, config in TRIPPED]
)
def test_trips_exactly_one(kind: str, config: MatchedConfig) -> None:
    found = warnings_of(config, good("es"), fewshot=FEWSHOT)
    assert [(warning.kind, warning.config) for warning in found] == [(kind, config.config.name)]
    assert found[0].message
    assert found[0].look_at


def test_there_are_nine_kinds() -> None:
    assert len({kind for kind, _, _ in TRIPPED}) == 9


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("language", SYLLABLES)
def test_a_good_run_trips_none(language: str, profile: str) -> None:
    assert warnings_of(good(language), profile=profile, fewshot=FEWSHOT) == []


def test_swapped_languages() -> None:
    italian, spanish = good("it"), good("es")
    found = warnings_of(
        replace(italian, predictions=spanish.predictions), replace(spanish, predictions=italian.predictions)
    )
    elsewhere = [warning for warning in found if warning.kind == "other_questions"]
    assert [(warning.config, warning.evidence["config"]) for warning in elsewhere] == [("it", "es"), ("es", "it")]
    assert elsewhere[0].message.endswith("different answers are targets of es, 0 of it")
    # Then none of their answers matches either.
    assert {warning.kind for warning in found} == {"other_questions", "low_score"}


def test_partly_swapped_languages_trip_one() -> None:
    italian, spanish = good("it"), good("es")
    mixed = [spanish.predictions[n] if n % 2 else answer for n, answer in enumerate(italian.predictions)]
    found = warnings_of(replace(italian, predictions=mixed), spanish)
    assert [(warning.kind, warning.config) for warning in found] == []
    mostly = [spanish.predictions[n] if n % 4 else answer for n, answer in enumerate(italian.predictions)]
    found = warnings_of(replace(italian, predictions=mostly), spanish)
    assert [(warning.kind, warning.config) for warning in found] == [("other_questions", "it")]


def test_the_same_names_in_two_configs_are_no_swap() -> None:
    # A translation has the same names; both runs are right about their own.
    italian = good("it")
    translated = replace(italian, config=parse_config("it-en-human"))
    assert warnings_of(italian, translated) == []


def test_numbers_in_numbers_are_no_frame() -> None:
    # The metric contains finds 3 in 1913; the warning does not.
    italian = good("it")
    targets, answers = names("it"), list(italian.predictions)
    for number in range(3, COUNT, 5):
        targets[number], answers[number] = "3", f"19{number:02}3"
    assert warnings_of(config_of("it", answers, targets)) == []
    # Had they been answers among other words, as many of them as right ones would do: 20 each.
    few_right = [names("it", "wrong")[n] if n % 5 == 0 else answer for n, answer in enumerate(answers)]
    assert warnings_of(config_of("it", few_right, targets)) == []
    spaced = [answer[:-1] + " anni, 3" if n % 5 == 3 else answer for n, answer in enumerate(few_right)]
    assert [warning.kind for warning in warnings_of(config_of("it", spaced, targets))] == ["low_score"]


def test_the_frame_is_named_with_what_it_costs() -> None:
    (warning,) = warnings_of(every(lambda n, answer: f"R: {answer}"))
    assert warning.message == "100 of 100 answers begin with 'R: '; 40 more are right without it"
    assert warning.evidence["right_without_opening_and_closing"] == 40
    assert str(warning).startswith("it: 100 of 100 answers begin with 'R: '")
    assert set(warning.to_dict()) == {"kind", "config", "message", "evidence", "look_at"}


def test_answers_are_shown_but_not_written() -> None:
    # An answer that holds a target is as good as the target itself, and no gold goes to disk.
    for _, _, config in TRIPPED:
        for warning in warnings_of(config, fewshot=FEWSHOT):
            written = str(warning.to_dict())
            assert not warning.example or repr(warning.example)[1:60] not in written
            assert not [target for question in config.questions for target in question.targets if target in written]
    (warning,) = warnings_of(every(lambda n, answer: f"{answer} ({names('it', 'beside')[n]})"))
    assert warning.example
    assert warning.example in str(warning)


def test_profiles_without_contains_see_a_frame_too() -> None:
    found = warnings_of(every(lambda n, answer: f"La risposta è {answer}."), profile="release")
    assert [warning.kind for warning in found] == ["low_score"]


def test_a_frame_that_the_profile_knows_is_none() -> None:
    english = replace(every(lambda n, answer: f"The answer is {answer}."), config=parse_config("it-en-human"))
    assert [warning.kind for warning in warnings_of(english, profile="release")] == ["low_score"]
    assert warnings_of(english, profile="unicode") == []


@pytest.mark.parametrize(("empty", "warned"), [(2, False), (3, True)])
def test_more_than_two_percent_empty(empty: int, warned: bool) -> None:
    found = warnings_of(every(lambda n, answer: "" if n % 5 == 2 and n < 5 * empty else answer))
    assert [warning.kind for warning in found] == ["empty_answers"] * warned


@pytest.mark.parametrize(("cut", "warned"), [(2, False), (3, True)])
def test_more_than_two_percent_cut_in_two(cut: int, warned: bool) -> None:
    found = warnings_of(every(lambda n, answer: f"{answer} \ufffd\ufffd\n" if n % 5 == 2 and n < 5 * cut else answer))
    assert [warning.kind for warning in found] == ["cut_characters"] * warned
    if warned:
        assert found[0].evidence == {"answers": 100, "cut": 3, "share": 0.03, "at_the_end": 3}


def test_a_sign_that_a_target_has_was_not_cut() -> None:
    targets = [f"{name}\ufffd" for name in names("it")]
    assert warnings_of(config_of("it", targets, targets)) == []


@pytest.mark.parametrize(("same", "warned"), [(33, False), (34, True)])
def test_a_third_the_same(same: int, warned: bool) -> None:
    wrong = [n for n in range(COUNT) if n % 5 > 1][:same]
    found = warnings_of(every(lambda n, answer: "boh" if n in wrong else answer))
    assert [warning.kind for warning in found] == ["same_answer"] * warned


def test_few_questions_are_not_judged_but_counted() -> None:
    few = config_of("it", ["", "x"], ["a", "b"], answered=1)
    assert [warning.kind for warning in warnings_of(few)] == ["missing_answers"]
    assert warnings_of(few)[0].message == "1 of 2 questions are answered; the others count as wrong: '001'"


def test_an_answer_right_by_itself_does_not_repeat_the_examples() -> None:
    targets = FEWSHOT * 20
    assert warnings_of(config_of("it", targets[:40] + names("it")[:60], targets), fewshot=FEWSHOT) == []


def test_without_answers() -> None:
    found = warnings_of(config_of("it", [""] * COUNT, names("it")))
    assert {warning.kind for warning in found} == {"empty_answers", "low_score"}


@pytest.mark.parametrize(
    ("texts", "opening"),
    [
        (["R: a", "R: b", "R: c", "R: d", "R: e", "f"], "R: "),
        (["a", "b", "c", "d", "e", "f"], ""),
        (["x"] * 4, ""),
        ([], ""),
        (["", "", "", "", ""], ""),
        (["It is a", "It is b", "It was c", "It was d", "It was e", "It is f", "It is g", "It is h"], "It is "),
    ],
)
def test_common_opening(texts: list[str], opening: str) -> None:
    assert common_opening(texts) == opening


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Roma 1994", "LATIN"),
        ("１９９４ＡＢ", "LATIN"),
        ("Москва (Moscow)", "CYRILLIC"),
        ("東京タワー", "HAN AND KANA"),
        ("서울", "HANGUL"),
        ("ﺍﻟﻘﺎﻫﺮﺓ", "ARABIC"),
        ("กรุงเทพ", "THAI"),
        ("१९४७", None),
        ("", None),
    ],
)
def test_main_script(text: str, script: str | None) -> None:
    assert main_script(text) == script


def test_scripts_counts_letters() -> None:
    assert scripts("Abc где, 12") == {"LATIN": 3, "CYRILLIC": 3}


def test_skipped_questions_are_still_said_to_be_missing() -> None:
    config = parse_config("fr")
    gold = {str(number): Question([f"réponse {number}"]) for number in range(25)}
    answers = [Answer("fr", str(number), f"réponse {number}", number + 1) for number in range(23)]
    matched = match(answers, lambda _: gold, missing="skip").configs
    scores = [Scorer("unicode").score(prediction, ["x"]) for prediction in matched[0].predictions]
    results = [ConfigScores(config, matched[0].ids, scores, matched[0].answered)]
    (warning,) = [each for each in diagnose(matched, results, "unicode") if each.kind == "missing_answers"]
    assert warning.evidence == {"questions": 25, "missing": 2}
    assert "23 of 25 questions are answered; the others are left out: '23', '24'" in warning.message
