"""Runs compared on common questions: values known by hand or from a slow twin, and the command."""

from __future__ import annotations

import io
import json
import math
import random
from pathlib import Path

import pytest
from constructed import LOCAL, config_scores
from hypothesis import given
from hypothesis import strategies as st
from multiloko_scripts import cli
from multiloko_scripts.compare import comparison_table
from rich.cells import cell_len
from rich.console import Console

from multiloko_metric.averages import ConfigScores
from multiloko_metric.errors import MultiLoKoError
from multiloko_runs.paired import RunComparison, compare, holm, mcnemar
from multiloko_source.sample import sample_predictions


def coins(generator: random.Random, chance: float, count: int = 50) -> list[float]:
    return [float(generator.random() < chance) for _ in range(count)]


def printed(comparison: RunComparison, *, width: int = 80, flips: bool = False) -> str:
    file = io.StringIO()
    Console(file=file, width=width).print(comparison_table(comparison, flips=flips))
    return file.getvalue()


def everywhere(seed: int, chance: float) -> list[ConfigScores]:
    """A run over all local languages, each asked in English too, and the English questions in each."""
    generator = random.Random(seed)
    names = [config.name for config in LOCAL]
    others = [name for name in names if name != "en"]
    names += [f"{name}-en-human" for name in others] + [f"en-{name}-human" for name in others]
    return [config_scores(name, coins(generator, chance)) for name in names]


class TestMcNemar:
    def test_value_known_to_be_right(self) -> None:
        # Of 220 paired questions 30 discordant, 23 against 7.
        first = [1] * 23 + [0] * 7 + [1] * 90 + [0] * 100
        second = [0] * 23 + [1] * 7 + [1] * 90 + [0] * 100
        comparison = compare({"A": [config_scores("fr", first)], "B": [config_scores("fr", second)]}, resamples=100)
        flips = comparison.pairs[0].flips["fr"]
        assert flips.questions == 220
        assert (len(flips.first_only), len(flips.second_only), flips.both, flips.neither) == (23, 7, 90, 100)
        assert round(flips.p, 5) == 0.00522
        assert not flips.within_noise

    @given(st.integers(0, 60), st.integers(0, 60))
    def test_is_twice_the_smaller_tail(self, one: int, other: int) -> None:
        total = one + other
        tail = sum(math.comb(total, each) for each in range(min(one, other) + 1)) / 2**total
        assert mcnemar(one, other) == pytest.approx(min(1.0, 2 * tail), abs=1e-12)
        assert mcnemar(one, other) == mcnemar(other, one)

    def test_without_flips_is_one(self) -> None:
        assert mcnemar(0, 0) == 1


class TestHolm:
    def test_known_values(self) -> None:
        # Of 0.01, 0.02, 0.03 and 0.04: 4, 3, 2 and 1 times, none less than the one before.
        assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
        assert holm([0.9, 0.8]) == [1.0, 1.0]
        assert holm([]) == []

    @given(st.lists(st.floats(0, 1), min_size=1, max_size=31))
    def test_rejects_as_step_by_step(self, p_values: list[float]) -> None:
        rejected = set()
        for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
            if p_values[place] * (len(p_values) - rank) >= 0.05:
                break
            rejected.add(place)
        assert {place for place, p in enumerate(holm(p_values)) if p < 0.05} == rejected

    def test_is_for_the_languages_of_one_partition(self) -> None:
        better = [config_scores(config.name, [1] * 12) for config in LOCAL]
        worse = [config_scores(config.name, [0] * 12) for config in LOCAL]
        translated = config_scores("fr-en-human", [1] * 12), config_scores("fr-en-human", [0] * 12)
        pair = compare({"A": [*better, translated[0]], "B": [*worse, translated[1]]}, resamples=100).pairs[0]
        assert pair.flips["fr"].p == pytest.approx(2 / 2**12)
        assert pair.flips["fr"].p_holm == pytest.approx(31 * 2 / 2**12)
        assert pair.flips["fr-en-human"].p_holm == pytest.approx(2 / 2**12)


class TestDifferences:
    def test_of_what_is_compared(self) -> None:
        first = [
            config_scores("fr", [1, 1, 1, 0]),
            config_scores("de", [1, 0, 0, 0]),
            config_scores("fr-en-human", [1, 0, 0, 0]),
            config_scores("en-fr-human", [1, 1, 0, 0]),
        ]
        second = [
            config_scores("fr", [1, 1, 0, 0]),
            config_scores("de", [1, 1, 0, 0]),
            config_scores("fr-en-human", [1, 1, 0, 0]),
            config_scores("en-fr-human", [0, 0, 0, 0]),
        ]
        differences = compare({"A": first, "B": second}, resamples=200).pairs[0].differences
        assert {name: (each.first, each.second) for name, each in differences.items()} == {
            "local.average": (0.5, 0.5),
            "local.gap": (0.5, 0.0),
            "to_english_human.average": (0.25, 0.5),
            "to_english_human.gap": (0.0, 0.0),
            "from_english_human.average": (0.5, 0.0),
            "from_english_human.gap": (0.0, 0.0),
            "mte_human": (0.5, 0.0),
            "le_human": (0.25, 0.5),
        }

    def test_of_a_run_and_itself_is_none_whatever_is_drawn(self) -> None:
        pair = compare({"A": everywhere(1, 0.3), "B": everywhere(1, 0.3)}, resamples=200).pairs[0]
        for difference in pair.differences.values():
            assert (difference.interval.low, difference.difference, difference.interval.high) == (0, 0, 0)
            assert difference.within_noise
        assert {flips.p_holm for flips in pair.flips.values()} == {1.0}

    def test_pairing_narrows_the_interval(self) -> None:
        # Both runs find the same questions hard; one is right on a few more of them.
        generator = random.Random(2)
        base = coins(generator, 0.5, 250)
        better = [1.0 if generator.random() < 0.03 else value for value in base]
        difference = (
            compare({"A": [config_scores("fr", better)], "B": [config_scores("fr", base)]})
            .pairs[0]
            .differences["local.average"]
        )
        width = difference.interval.high - difference.interval.low
        assert width < 0.06
        assert 2 * 1.96 * (2 * 0.25 / 250) ** 0.5 > 0.17  # what two runs of unrelated questions would have

    def test_interval_is_that_of_the_paired_differences(self) -> None:
        generator = random.Random(3)
        first, second = coins(generator, 0.6, 200), coins(generator, 0.4, 200)
        found = compare({"A": [config_scores("fr", first)], "B": [config_scores("fr", second)]}, resamples=4000)
        interval = found.pairs[0].differences["local.average"].interval
        each = [one - other for one, other in zip(first, second, strict=True)]
        mean = sum(each) / 200
        error = (sum((value - mean) ** 2 for value in each) / 199 / 200) ** 0.5
        assert interval.low == pytest.approx(mean - 1.96 * error, abs=0.012)
        assert interval.high == pytest.approx(mean + 1.96 * error, abs=0.012)

    def test_other_metrics(self) -> None:
        runs = {"A": [config_scores("fr", [1, 0])], "B": [config_scores("fr", [1, 1])]}
        difference = compare(runs, metric="edit_distance", resamples=100).pairs[0].differences["local.average"]
        assert (difference.first, difference.second, difference.difference) == (5, 0, 5)
        with pytest.raises(MultiLoKoError, match="A has no metric 'rouge'"):
            compare(runs, metric="rouge", resamples=100)


class TestCommonQuestions:
    def test_only_what_every_run_answered(self) -> None:
        first = [
            config_scores("fr", [1, 1, 0], ids=["a", "b", "c"], answered=[True, True, False]),
            config_scores("de", [1], ids=["x"]),
        ]
        second = [config_scores("fr", [0, 1, 1], ids=["c", "b", "d"])]
        comparison = compare({"A": first, "B": second}, resamples=100)
        assert comparison.questions == {"fr": 1}
        assert [(run.answered, run.common) for run in comparison.runs] == [(3, 1), (3, 1)]
        assert comparison.pairs[0].flips["fr"].both == 1
        assert "A: 2 of 3 answers left out" in printed(comparison)

    def test_ids_are_paired_in_any_order(self) -> None:
        first = config_scores("fr", [1, 0, 1], ids=["a", "b", "c"])
        second = config_scores("fr", [1, 1, 0], ids=["c", "a", "b"])
        flips = compare({"A": [first], "B": [second]}, resamples=100).pairs[0].flips["fr"]
        assert (flips.both, flips.neither, flips.first_only, flips.second_only) == (2, 1, (), ())

    def test_the_questions_that_flip_by_id(self) -> None:
        runs = {"A": [config_scores("fr", [1, 0, 1, 0])], "B": [config_scores("fr", [0, 1, 1, 0])]}
        comparison = compare(runs, resamples=100)
        assert comparison.pairs[0].flips["fr"].first_only == ("q0",)
        assert comparison.pairs[0].flips["fr"].second_only == ("q1",)
        assert "fr: right in A only\n  q0" in printed(comparison, flips=True).replace(" \n", "\n")
        assert "right in A only" not in printed(comparison)

    def test_nothing_in_common_is_an_error(self) -> None:
        with pytest.raises(MultiLoKoError, match="no question was answered by all of A, B"):
            compare({"A": [config_scores("fr", [1])], "B": [config_scores("de", [1])]})

    def test_one_run_is_an_error(self) -> None:
        with pytest.raises(MultiLoKoError, match="at least two runs to compare, found 1"):
            compare({"A": [config_scores("fr", [1])]})


class TestTable:
    @pytest.mark.parametrize("width", [80, 120])
    def test_two_runs_fit(self, width: int) -> None:
        text = printed(compare({"A": everywhere(1, 0.5), "B": everywhere(2, 0.2)}, resamples=200), width=width)
        assert max(map(cell_len, text.splitlines())) <= width
        assert "…" not in text
        assert "Mother tongue, human" in text
        assert "differ" in text
        assert "within noise" in text

    def test_several_runs_are_ranked_and_paired(self) -> None:
        runs = {"weak": everywhere(1, 0.2), "strong": everywhere(2, 0.5), "strong again": everywhere(3, 0.5)}
        text = printed(compare(runs, resamples=500))
        assert text.index("strong") < text.index("weak")
        verdicts = {line[:5]: "within noise" in line for line in text.splitlines() if " - " in line[:5]}
        assert verdicts == {"A - B": True, "A - C": False, "B - C": False}
        assert max(map(cell_len, text.splitlines())) <= 80

    def test_of_distances_the_least_is_first(self) -> None:
        runs = {
            "near": [config_scores("fr", [1])],
            "far": [config_scores("fr", [0])],
            "half": [config_scores("fr", [0.5])],
        }
        text = printed(compare(runs, metric="edit_distance", resamples=100))
        assert text.index("near") < text.index("half") < text.index("far")


class TestJson:
    def test_holds_all_of_it(self) -> None:
        data = compare({"A": everywhere(1, 0.5), "B": everywhere(2, 0.2)}, resamples=100).to_dict()
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert data["schema"] == "multiloko-comparison/1"
        assert [run["name"] for run in data["runs"]] == ["A", "B"]
        difference = data["pairs"][0]["differences"]["local.average"]
        assert difference["difference"] == difference["first"] - difference["second"]
        assert data["values"]["A"]["local.average"] == difference["first"]
        assert len(data["pairs"][0]["flips"]) == 91


@pytest.fixture
def answers(tmp_path: Path) -> list[Path]:
    """Three files of answers to the sample."""
    from multiloko_source.sample import sample_predictions

    rows = [json.loads(line) for line in sample_predictions().read_text(encoding="utf-8").splitlines()]
    files = []
    for name, kept in (("all", rows), ("fewer", rows[:200]), ("empty", [{**row, "prediction": "x"} for row in rows])):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in kept), encoding="utf-8")
        files.append(path)
    return files


class TestCommand:
    def test_prints_a_table(self, answers: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
        assert cli.main(["compare", str(answers[0]), str(answers[2]), "--sample", "--resamples", "100"]) == 0
        captured = capsys.readouterr()
        assert "A = all" in captured.out
        assert "profile:unicode|" in captured.out

    def test_prints_json(self, answers: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
        files = [str(path) for path in answers]
        assert cli.main(["compare", *files, "--sample", "--json", "--resamples", "100", "--profile", "variants"]) == 0
        data = json.loads(capsys.readouterr().out)
        assert data["signature"]["profile"] == "variants"
        assert [run["common"] for run in data["runs"]] == [200, 200, 200]
        assert [(pair["first"], pair["second"]) for pair in data["pairs"]] == [
            ("all", "fewer"),
            ("all", "empty"),
            ("fewer", "empty"),
        ]

    def test_one_file_is_refused(self, answers: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
        assert cli.main(["compare", str(answers[0]), "--sample"]) == 2
        assert "at least two files" in capsys.readouterr().err

    def test_the_same_file_twice_is_refused(self, answers: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
        assert cli.main(["compare", str(answers[0]), str(answers[0]), "--sample"]) == 2
        assert "the same file twice" in capsys.readouterr().err

    def test_files_of_one_name_are_told_apart(self, answers: list[Path], tmp_path: Path) -> None:
        other = tmp_path / "other" / "all.jsonl"
        other.parent.mkdir()
        other.write_bytes(answers[2].read_bytes())
        assert cli.main(["compare", str(answers[0]), str(other), "--sample", "--resamples", "100"]) == 0


def test_open_and_closed_book_are_compared_and_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = sample_predictions().read_text(encoding="utf-8")
    for name, open_book in (("open", True), ("closed", False)):
        prompts = {"prompts": "multiloko-0123456789ab", "style": "chat", "shots": 0, "open_book": open_book}
        header = json.dumps({"multiloko_run": {"model": "m", "prompts": prompts}})
        (tmp_path / f"{name}.jsonl").write_text(f"{header}\n{rows}", encoding="utf-8")
    files = [str(tmp_path / f"{name}.jsonl") for name in ("open", "closed")]
    assert cli.main(["compare", "--sample", *files, "--resamples", "100"]) == 0
    shown = capsys.readouterr()
    assert "note: open: asked with multiloko-0123456789ab, chat, 0 examples, open book" in shown.err
    assert "note: closed: asked with multiloko-0123456789ab, chat, 0 examples, closed book" in shown.err
    assert cli.main(["score", "--sample", "-p", files[0], "--json"]) == 0
    signature = json.loads(capsys.readouterr().out)["signature"]
    assert signature["asked"]["open_book"] is True
    assert cli.main(["score", "--sample", "-p", files[0]]) == 0
    assert "open_book:True" in capsys.readouterr().out
