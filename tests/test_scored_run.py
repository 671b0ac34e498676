"""The interface for notebooks: ``load_run``, ``compare_runs``, and how what they return shows itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from multiloko_metric.errors import MultiLoKoError
from multiloko_runs import compare_runs, load_run
from multiloko_source.sample import open_sample, sample_predictions


def test_a_run_has_its_answers_as_a_table(sample_folder: Path) -> None:
    run = load_run(sample_predictions(), sample_folder)
    table = run.to_pandas()
    assert list(table.columns[:5]) == ["config", "id", "answered", "output_type", "em"]
    assert len(table) == sum(len(result.ids) for result in run.results) == 302
    of_french = table[table.config == "fr"]
    assert of_french.em.mean() == run.summary.configs["fr"].means["em"]


def test_it_shows_itself(sample_folder: Path) -> None:
    shown = load_run(sample_predictions(), sample_folder, profile="variants")._repr_html_()
    assert "fr-en-human" in shown
    assert "profile:variants|" in shown


def test_text_of_answers_is_escaped(sample: Path, tmp_path: Path) -> None:
    path = tmp_path / "<b>answers.jsonl"
    questions = [
        json.loads(line) for line in (sample / "french" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    rows = [{"language": "fr", "id": row["id"], "prediction": "<script>"} for row in questions]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    shown = load_run(path, sample)._repr_html_()
    assert "<b>" not in shown
    assert "&lt;b&gt;answers" in shown


def test_two_runs_are_compared(sample_folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    rows = [json.loads(line) for line in sample_predictions().read_text(encoding="utf-8").splitlines()]
    other.write_text("".join(json.dumps({**row, "prediction": "no"}) + "\n" for row in rows), encoding="utf-8")
    runs = [load_run(path, sample_folder) for path in (sample_predictions(), other)]
    comparison = compare_runs(runs, resamples=100)
    table = comparison.to_pandas().set_index("what")
    assert table.loc["local.average", "difference"] == pytest.approx(
        runs[0].summary.groups["local"].scores["em"].average
    )
    assert "local.average" in comparison._repr_html_()


def test_runs_that_do_not_compare(sample_folder: Path) -> None:
    run = load_run(sample_predictions(), open_sample())
    with pytest.raises(MultiLoKoError, match="names of their own"):
        compare_runs([run, run])
    with pytest.raises(MultiLoKoError, match="different profiles"):
        compare_runs(
            [
                run,
                type(run)(
                    "b", (), run.results, load_run(sample_predictions(), sample_folder, profile="release").signature
                ),
            ]
        )


def test_without_gold(home: Path) -> None:
    with pytest.raises(MultiLoKoError, match="no data is installed"):
        load_run(sample_predictions())
