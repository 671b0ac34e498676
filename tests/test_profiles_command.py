"""``multiloko profiles``: what it prints, and that the rules it names are the ones that make the difference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from multiloko_scripts.cli import main

from multiloko_metric.languages import parse_config
from multiloko_metric.profiles import PROFILES
from multiloko_runs.matching import MatchedConfig
from multiloko_runs.profile_changes import SEVERAL, Change, changes
from multiloko_source.questions import Question


def changed(
    config: str, prediction: str, targets: list[str], *, before: str, after: str, metric: str = "em"
) -> list[Change]:
    question = Question(targets)
    matched = MatchedConfig(parse_config(config), ["1"], [question], [prediction], [True])
    return list(changes(matched, PROFILES[before], PROFILES[after], metric))


@pytest.mark.parametrize(
    ("config", "prediction", "target", "before", "after", "rules"),
    [
        ("hi", "1947।", "1947", "release", "unicode", ("+punctuation",)),
        ("en", "The answer is 5", "5", "release", "unicode", ("+answer is",)),
        ("vi", "Thiên Môn", "Thiên An Môn", "unicode", "variants", ("-English articles",)),
        ("es", "Equipo A", "El Equipo A", "unicode", "variants", ("+articles",)),
        ("ur", "جواب غزل ہے", "غزل", "unicode", "variants", ("+answer frame",)),
        ("fa", "قطب زاده", "قطب\u200cزاده", "unicode", "variants", ("+non-joiner",)),
        ("fr", "...", "", "unicode", "variants", ("+blank forms",)),
        ("hi", "१९४७", "1947", "variants", "lenient", ("+digits",)),
        ("ja", "１２３", "123", "variants", "lenient", (SEVERAL,)),  # either of two rules is enough
        ("tr", "IĞDIR", "Iğdır", "variants", "lenient", ("+Turkish i",)),
        ("fr-en-human", "l'eau", "eau", "variants", "lenient", None),
        ("fr", "l'eau", "eau", "variants", "lenient", ("+elided article",)),
        ("tr", "IĞDIR １", "Iğdır 1", "variants", "lenient", ("+Turkish i",)),
    ],
)
def test_the_rule_that_makes_the_difference_is_named(
    *, config: str, prediction: str, target: str, before: str, after: str, rules: tuple[str, ...] | None
) -> None:
    found = changed(config, prediction, [target], before=before, after=after)
    if rules is None:
        assert found == []
    else:
        assert found[0].rules == rules


def test_the_other_direction_and_another_metric() -> None:
    (change,) = changed("hi", "1947।", ["1947"], before="unicode", after="release")
    assert (change.before, change.after) == (1.0, 0.0)
    assert change.rules == ("+punctuation",)
    (change,) = changed("zh-hans", "天气很好", ["天气好"], before="variants", after="lenient", metric="f1")
    assert change.rules == ("+characters",)


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    rows = [
        {"language": "hi", "id": "1", "prediction": "१९४७"},
        {"language": "hi", "id": "2", "prediction": "[b]दिल्ली"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    folder = tmp_path / "gold" / "hindi"
    folder.mkdir(parents=True)
    common = {"text": "", "question": "?", "target": "", "output_type": ""}
    rows = [{**common, "id": "1", "targets": ["1947"]}, {**common, "id": "2", "targets": ["मुंबई"]}]
    (folder / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder.parent


def test_the_difference_on_a_file(predictions: Path, gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["profiles", "--diff", "official", "lenient", "-p", str(predictions), "-d", str(gold)]
    assert main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["before"], result["after"], result["answers"]) == ("unicode", "lenient", 2)
    assert [(change["id"], change["rules"]) for change in result["changes"]] == [("1", ["+digits"])]
    assert main(arguments) == 0
    assert "1 of 2 answers have another em under lenient than under unicode" in capsys.readouterr().out
    assert main([*arguments, "--metric", "chrf"]) == 0
    assert "1 of 2 answers" in capsys.readouterr().out


def test_every_rule_is_listed_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profiles", "--json"]) == 0
    listed: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert [profile["name"] for profile in listed] == list(PROFILES)
    for profile in listed:
        expected = [(rule.name, rule.reason) for rule in PROFILES[profile["name"]].rules]
        assert [(rule["name"], rule["reason"]) for rule in profile["rules"]] == expected
    assert main(["profiles"]) == 0
    shown = capsys.readouterr().out
    assert all(rule.name in shown for profile in PROFILES.values() for rule in profile.rules)
    assert "turkish" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--diff", "unicod", "lenient"], "no profile is called 'unicod' (nearest: unicode"),
        (["--diff", "unicode", "lenient"], "name the file of answers with -p FILE"),
        (["-p", "x.jsonl"], "-p FILE is for --diff A B"),
        (["--diff", "release", "unicode", "--metric", "contains", "-p", "x"], "'release' has no contains"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profiles", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""
