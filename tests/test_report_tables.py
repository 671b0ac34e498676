"""The tables that a report's figures are drawn from, against runs whose summary is known by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from constructed import config_scores, share

from multiloko_metric.languages import parse_config
from multiloko_metric.summary import summarize
from multiloko_runs.answer_lengths import AnswerLengths, Spread
from multiloko_runs.published_results import published_results
from multiloko_runs.report.reported_run import ReportedRun, ReportError, is_result, read_result
from multiloko_runs.report.tables import all_tables
from multiloko_runs.subgroups import subgroups

RESULTS = [
    config_scores("fr", share(6, 10)),
    config_scores("de", share(2, 10), output_types=["Datum"] * 5 + ["Name"] * 5),
    config_scores("fr-en-human", share(3, 10)),
    config_scores("en-fr-human", share(5, 10)),
]
RUN = ReportedRun(
    "a run",
    summarize(RESULTS, "unicode", signature={"profile": "unicode", "asked": {"shots": 5}}, resamples=100),
    subgroups=subgroups(RESULTS, "family"),
    lengths={parse_config("fr"): AnswerLengths([1, 2, 3], [4, 4, 4])},
)


def test_a_table_for_everything_there_is() -> None:
    tables = all_tables([RUN], published_results())
    assert list(tables) == [
        "headline",
        "scores",
        "effects",
        "overlap",
        "difficulty",
        "by_group",
        "lengths",
        "published",
    ]
    (headline,) = tables["headline"].records()
    assert (headline["average"], headline["gap"], headline["best"], headline["worst"]) == (
        pytest.approx(40),
        pytest.approx(40),
        "French",
        "German",
    )
    assert headline["average_low"] < 40 < headline["average_high"]
    assert (headline["mte"], headline["le"]) == (pytest.approx(30), pytest.approx(10))
    assert (headline["answered"], headline["questions"], headline["warnings"]) == (40, 40, 0)


def test_both_sides_of_an_effect_and_their_difference() -> None:
    rows = list(all_tables([RUN])["effects"].where(effect="mte_human").records())
    assert [(row["code"], row["first"], row["second"]) for row in rows] == [("fr", 60, 30)]
    assert rows[0]["difference"] == pytest.approx(30)


def test_the_same_questions_right_in_both_languages() -> None:
    (row,) = all_tables([RUN])["overlap"].where(partition="to_english_human").records()
    assert (row["both"], row["first_only"], row["second_only"], row["neither"]) == (3, 3, 0, 4)
    assert row["ratio"] == pytest.approx(50)


def test_equal_languages_share_the_mean_of_their_ranks() -> None:
    names = ("fr", "de", "it", "en-fr-human", "en-de-human", "en-it-human")
    rights = (5, 5, 1, 2, 8, 4)
    results = [config_scores(name, share(right, 10)) for name, right in zip(names, rights, strict=True)]
    tables = all_tables([ReportedRun("r", summarize(results, "unicode"))])
    rows = list(tables["difficulty"].records())
    assert [(row["code"], row["local_rank"], row["translated_rank"]) for row in rows] == [
        ("fr", 1.5, 3),
        ("de", 1.5, 1),
        ("it", 3, 2),
    ]
    (agreement,) = tables["agreement"].records()
    assert agreement["spearman"] == pytest.approx(0.0)


def test_open_book_beside_closed_book_of_runs_that_differ_in_nothing_else() -> None:
    def asked(name: str, right: int, **how: object) -> ReportedRun:
        return ReportedRun(
            name, summarize([config_scores("fr", share(right, 10))], "unicode", signature={"asked": how})
        )

    runs = [
        asked("closed", 2, shots=5, open_book=False),
        asked("open", 9, shots=5, open_book=True),
        asked("other", 1, shots=0, open_book=False),
    ]
    (row,) = all_tables(runs)["open_book"].records()
    assert (row["closed_run"], row["open_run"]) == ("closed", "open")
    assert row["difference"] == pytest.approx(70)


def test_lengths_are_deciles_and_a_median() -> None:
    assert AnswerLengths(list(range(11)), [5]).answer == Spread(1, 5, 9)
    assert AnswerLengths([7], [5]).target == Spread(5, 5, 5)
    assert AnswerLengths([], []).answer is None


def test_a_result_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text('{"schema": "multiloko-summary/1"}', encoding="utf-8")
    assert is_result(path)
    with pytest.raises(ReportError, match="not a whole result of a run"):
        read_result(path)
    assert not is_result(tmp_path / "nothing.json")
