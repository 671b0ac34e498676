"""``multiloko score --verify``: says that every value is as the written rules give it, and finds what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from multiloko_scripts.cli import main

from multiloko_metric import normalization, scoring
from multiloko_runs import specification


@pytest.mark.parametrize("profile", ["release", "unicode", "variants", "lenient"])
def test_all_is_equal(profile: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--sample", "--profile", profile, "--verify"]) == 0
    shown = capsys.readouterr()
    assert "verified: 302 answers, every value equal to sacrebleu 2." in shown.err
    assert f"profile {profile}" in shown.out


def test_the_official_output_in_two_processes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["score", "--sample", "--format", "upstream", "-o"]
    assert main([*arguments, str(tmp_path / "plain.json")]) == 0
    assert main([*arguments, str(tmp_path / "verified.json"), "--verify", "--num-proc", "2"]) == 0
    assert "verified: 302 answers" in capsys.readouterr().err
    assert (tmp_path / "plain.json").read_bytes() == (tmp_path / "verified.json").read_bytes()


@pytest.mark.parametrize("how", [[], ["--format", "upstream"]])
def test_a_planted_difference_is_named_and_nothing_is_written(
    how: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = scoring.score_form

    def planted(prediction: str, *arguments: Any) -> Any:
        scores = rule(prediction, *arguments)
        return scores._replace(chrf=scores.chrf + 1e-12) if scores.chrf not in (0.0, 100.0) else scores

    monkeypatch.setattr(scoring, "score_form", planted)
    assert main(["score", "--sample", "--verify", "-o", str(tmp_path / "result.json"), *how]) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith("multiloko: ")
    assert ": chrf is " in shown.err
    assert "by the scorer" in shown.err
    assert shown.out == ""
    assert not (tmp_path / "result.json").exists()


def test_a_text_that_was_normalised_differently_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(specification, "collapse_spaces", normalization.collapse_spaces)
    monkeypatch.setattr(specification, "remove_english_articles", lambda text: text)
    assert main(["score", "--sample", "--verify"]) == 1
    assert "by the written rules" in capsys.readouterr().err
