"""The bundled sample: invented, whole, and full of what breaks tools."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from multiloko_metric.languages import CONFIGS, LANGUAGES
from multiloko_source.sample import SAMPLE_NAME, open_sample, sample_predictions, write_sample

CONFIG_IDS = [config.name for config in CONFIGS]
CODES = [language.code for language in LANGUAGES]


@cache
def dev(name: str) -> list[dict[str, Any]]:
    return list(open_sample().rows(name))


def everything() -> list[dict[str, Any]]:
    return [row for name in CONFIG_IDS for row in dev(name)]


def test_it_has_the_official_layout(tmp_path: Path) -> None:
    write_sample(tmp_path)
    names = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    examples = [f"{language.name}/knowledge_fewshot.jsonl" for language in LANGUAGES]
    assert names == sorted([*(config.path() for config in CONFIGS), *examples])
    official = {"text", "question", "target", "id", "targets", "output_type"}
    for name in names:
        lines = (tmp_path / name).read_text(encoding="utf-8").splitlines()
        assert len(lines) >= 2
        expected = {"question", "answer", "output_type"} if "fewshot" in name else official
        assert all(set(json.loads(line)) == expected for line in lines)


@pytest.mark.parametrize("name", CONFIG_IDS)
def test_every_question_is_whole(name: str) -> None:
    ids = [row["id"] for row in dev(name)]
    assert len(ids) == len(set(ids))
    for row in dev(name):
        assert re.fullmatch(r"\d{3,4}_.+\.txt", row["id"])
        assert 1 <= len(row["targets"]) <= 5
        assert all(isinstance(target, str) and target.strip() == target != "" for target in row["targets"])
        assert len(set(row["targets"])) == len(row["targets"])
        for field in ("text", "question", "target", "output_type"):
            assert row[field].strip()


def _plain(text: str) -> str:
    """Case, digits and spelling variants aside, letters and digits only."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    digits = "".join(str(unicodedata.digit(each, each)) for each in folded)
    return "".join(each for each in digits if each.isalnum())


@pytest.mark.parametrize("code", CODES)
def test_the_paragraph_contains_the_answer(code: str) -> None:
    for row in dev(code):
        assert any(_plain(target) in _plain(row["text"]) for target in row["targets"]), row["id"]


@pytest.mark.parametrize("code", [code for code in CODES if code != "en"])
def test_translations_by_people_and_machine_can_be_told_apart(code: str) -> None:
    for human, machine in ((f"{code}-en-human", f"{code}-en-machine"), (f"en-{code}-human", f"en-{code}-machine")):
        for by_people, by_machine in zip(dev(human), dev(machine), strict=True):
            assert by_people["id"] == by_machine["id"]
            for field in ("text", "question", "target"):
                assert by_people[field] != by_machine[field]
    assert [row["id"] for row in dev(code)] == [row["id"] for row in dev(f"{code}-en-human")]
    assert [row["id"] for row in dev("en")] == [row["id"] for row in dev(f"en-{code}-human")]


def test_the_mandarins_share_their_ids() -> None:
    assert [row["id"] for row in dev("zh-hans")] == [row["id"] for row in dev("zh-hant")]


def test_one_id_is_not_in_normal_form_c() -> None:
    ids = {row["id"] for row in everything() if not unicodedata.is_normalized("NFC", row["id"])}
    assert len(ids) == 1
    assert ids <= {row["id"] for row in dev("vi")}


def test_a_zero_width_non_joiner_in_farsi() -> None:
    assert any("\u200c" in target for row in dev("fa") for target in row["targets"])


def test_digits_of_four_scripts_and_more() -> None:
    texts = "".join(target for row in everything() for target in row["targets"])
    zeros = {chr(ord(each) - unicodedata.digit(each)) for each in texts if unicodedata.category(each) == "Nd"}
    assert {"0", "٠", "۰", "०", "০"} <= zeros


def test_right_to_left_text() -> None:
    for code in ("ar", "fa", "he", "ur"):
        directions = [unicodedata.bidirectional(each) for row in dev(code) for each in row["question"]]
        assert directions.count("R") + directions.count("AL") > directions.count("L")


def test_a_target_longer_than_200_characters() -> None:
    assert max(len(target) for row in dev("pl") for target in row["targets"]) > 200


def test_an_answer_that_is_only_an_article() -> None:
    assert any("een" in row["targets"] for row in dev("nl"))


def test_the_files_of_languages_say_that_they_are_not_the_benchmark() -> None:
    folder = sample_predictions().parent
    assert SAMPLE_NAME == "multiloko_sample"
    assert "not MultiLoKo" in (folder / "README.md").read_text()
    for language in LANGUAGES:
        first = (folder / "languages" / f"{language.name}.yaml").read_text(encoding="utf-8").splitlines()[0]
        assert "NOT MultiLoKo data" in first


def test_the_answers_are_to_the_questions() -> None:
    lines = sample_predictions().read_text(encoding="utf-8").splitlines()
    answers = [json.loads(line) for line in lines]
    named = [(answer["language"], answer["id"]) for answer in answers]
    assert len(named) == len(set(named)) == 2 * 151
    assert set(named) == {(name, row["id"]) for name in CONFIG_IDS for row in dev(name)}
    assert all(isinstance(answer["prediction"], str) for answer in answers)


def test_some_answers_are_right_and_some_are_wrong() -> None:
    answers = [json.loads(line) for line in sample_predictions().read_text(encoding="utf-8").splitlines()]
    targets = {(name, row["id"]): row["targets"] for name in CONFIG_IDS for row in dev(name)}
    right = sum(answer["prediction"] in targets[answer["language"], answer["id"]] for answer in answers)
    assert len(answers) / 5 < right < len(answers) * 4 / 5
