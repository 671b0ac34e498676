"""What a person reads after scoring, and what others show of a run."""

from __future__ import annotations

import io
import json
import random
import re
from functools import cache

import pytest
import yaml
from constructed import LOCAL, config_scores, share
from huggingface_hub.repocard_data import model_index_to_eval_results
from multiloko_scripts.errors import CommandError
from multiloko_scripts.leaderboard import leaderboard_row, model_card
from multiloko_scripts.summary_table import run_table
from rich.cells import cell_len
from rich.console import Console

from multiloko_metric.averages import ConfigScores
from multiloko_metric.languages import CONFIGS, ENGLISH
from multiloko_metric.summary import Summary, summarize

SIGNATURE = {"profile": "unicode", "upstream_commit": "56524f9", "missing": "zero", "versions": {"multiloko": "0.1.0"}}


def printed(summary: Summary, *, width: int = 80, expand: bool = False, colour: bool = False) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=colour, color_system="truecolor" if colour else None)
    console.print(run_table(summary, width=width, expand=expand))
    return file.getvalue()


def summary_of(*results: ConfigScores, resamples: int = 0) -> Summary:
    return summarize(results, "unicode", signature=SIGNATURE, resamples=resamples)


@cache
def everything(resamples: int = 0) -> Summary:
    """All 151 configs; the languages are right on 50, 53, ... 140 of 250, a translation on 10 fewer,
    and ten answers are missing everywhere."""
    place = {config.source: 3 * number for number, config in enumerate(LOCAL)}
    right = {config: 50 + place[config.source] - 10 * bool(config.translation) for config in CONFIGS}
    return summary_of(
        *(config_scores(config.name, share(right[config], 250)) for config in CONFIGS), resamples=resamples
    )


class TestTable:
    def test_languages_best_first_with_bar_and_coverage(self) -> None:
        summary = summary_of(
            config_scores("de", share(1, 4)),
            config_scores("zh-hant", share(3, 4), answered=[True, True, True, False]),
            config_scores("fr", share(2, 4)),
        )
        lines = printed(summary).splitlines()
        assert lines[0].rstrip() == "Exact match on local questions, 0..100, profile unicode"
        rows = [re.split(r"\s{2,}", line.strip()) for line in lines[2:5]]
        assert [row[:3] for row in rows] == [
            ["Traditional Mandarin", "zh-hant", "75.00"],
            ["French", "fr", "50.00"],
            ["German", "de", "25.00"],
        ]
        assert [row[-1] for row in rows] == ["3/4", "4", "4"]
        bars = [line.count("█") for line in lines[2:5]]
        assert bars[0] > bars[1] > bars[2] > 0

    def test_group_and_what_is_not_there(self) -> None:
        text = printed(summary_of(config_scores("de", share(1, 4)), config_scores("fr", share(3, 4))))
        assert "50.00 ± 50.00 (2 SE) over 2 of 31 languages" in text
        assert "50.00 = 75.00 French - 25.00 German" in text
        assert "Not run (29 of 31 languages): ar, bn, yue" in text
        assert "Effects" not in text
        assert "Translated" not in text

    def test_one_language_has_neither_error_nor_gap(self) -> None:
        for resamples in (0, 100):
            text = printed(summary_of(config_scores("de", share(1, 4)), resamples=resamples))
            assert "25.00 over 1 of 31 languages" in text
            assert "gap" not in text.lower()
            assert ("Bootstrap  average" in text) == bool(resamples)

    def test_equal_languages_have_no_best_and_no_worst(self) -> None:
        text = printed(summary_of(config_scores("de", share(1, 4)), config_scores("fr", share(1, 4))))
        assert "Gap      0.00: all 2 languages are equal\n" in re.sub(" +\n", "\n", text)
        assert "25.00 ± 0.00 (2 SE) over 2 of 31 languages\n" in re.sub(" +\n", "\n", text)

    @pytest.mark.parametrize(
        ("right", "count", "says"),
        [
            (0, 2, "0.00 over 31 of 31 languages; 62 answers, none right: 95 % 0.0 to 5.8"),
            (2, 2, "100.00 over 31 of 31 languages; 62 answers, all right: 95 % 94.2 to 100.0"),
            (0, 250, "0.00 over 31 of 31 languages; 7,750 answers, none right: 95 % 0.00 to 0.05"),
        ],
    )
    def test_what_answers_that_are_all_wrong_or_all_right_leave_open(self, right: int, count: int, says: str) -> None:
        text = printed(summary_of(*(config_scores(each.name, share(right, count)) for each in LOCAL)), width=100)
        assert f"Average  {says}\n" in re.sub(" +\n", "\n", text)
        assert "all 31 languages are equal" in text
        assert "±" not in text

    def test_all_wrong_translations_are_said_to_be_so(self) -> None:
        wrong = [config_scores(name, share(0, 10)) for name in ("fr-en-human", "de-en-human")]
        text = printed(summary_of(*wrong, config_scores("fr", share(1, 10)), config_scores("de", share(0, 10))))
        assert "to English, human: 20 answers, none right: 95 % 0.0 to 16.1" in text
        assert "5.00 ± 10.00 (2 SE) over 2 of 31 languages\n" in re.sub(" +\n", "\n", text)

    def test_translations_are_apart_and_effects_name_their_languages(self) -> None:
        summary = summary_of(
            config_scores("fr", share(6, 10)),
            config_scores("de", share(2, 10)),
            config_scores("fr-en-human", share(4, 10)),
            config_scores("en-de-machine", share(1, 10)),
        )
        text = printed(summary)
        assert re.search(r"to English, human +1 +40\.00 +- +40\.0 fr +40\.0 fr +10\n", text.replace("  \n", "\n"))
        assert re.search(r"Mother tongue, human +\+20\.00 +1 +67% of 6", text)
        assert re.search(r"Locality, machine +\+10\.00 +1", text)
        assert "Mother tongue, human: no partner for German" in text

    def test_missing_answers_are_counted(self) -> None:
        text = printed(summary_of(config_scores("de", share(1, 4), answered=[True, True, False, False])))
        assert "2 questions without an answer, counted as wrong, in 1 config: de" in text

    def test_signature_at_the_foot(self) -> None:
        assert printed(everything(), width=120).splitlines()[-1] == (
            "profile:unicode|upstream_commit:56524f9|missing:zero|multiloko:0.1.0"
        )
        narrow = printed(everything(), width=40).splitlines()[-2:]
        assert "".join(narrow) == "profile:unicode|upstream_commit:56524f9|missing:zero|multiloko:0.1.0"

    @pytest.mark.parametrize("width", [80, 100, 120, 200])
    @pytest.mark.parametrize("expand", [False, True])
    def test_fits_and_cuts_nothing(self, width: int, expand: bool) -> None:
        text = printed(everything(resamples=100), width=width, expand=expand)
        assert max(map(cell_len, text.splitlines())) <= width
        assert "…" not in text
        assert ("Contains" in text) == (width >= 100)
        assert ("en-zh-hant-machine" in text) == expand
        assert len(text.splitlines()) < (60 if not expand else 220)

    def test_bootstrap_where_there_is_one(self) -> None:
        with_intervals, without = printed(everything(resamples=100)), printed(everything())
        assert re.search(r"Bootstrap +average \d\d\.\d\d to \d\d\.\d\d, gap .* \(bias [+-]\d\.\d\d\)", with_intervals)
        assert "Bootstrap" not in without

    def test_colour_on_a_terminal_only(self) -> None:
        assert "\x1b[" in printed(everything(), colour=True)
        assert "\x1b[" not in printed(everything())

    def test_without_local_configs(self) -> None:
        text = printed(summary_of(config_scores("fr-en-human", share(4, 10))))
        assert "to English, human" in text
        assert "Not run (31 of 31 languages)" in text


class TestRow:
    def test_is_a_line_of_the_leaderboard(self) -> None:
        row = leaderboard_row(everything(), "A model", header=True).splitlines()
        assert row[0] == "| Model | Average EM ± 2SE | Gap | MTE ± 2SE | Min EM | Max EM |"
        assert row[1].count("---") == 6
        # 50, 53, ... 140 of 250: standard deviation 3 times that of 0..30, which is 9.0922.
        assert row[2] == "| A model | 38.00 ± 3.9 | 36.00 | 4.00 ± 0.0 | 20.00 | 56.00 |"

    def test_fewer_languages_only_when_asked_and_labelled(self) -> None:
        summary = summary_of(config_scores("fr", share(6, 10)), config_scores("de", share(3, 10)))
        with pytest.raises(CommandError, match=r"2 of 31 languages; --partial"):
            leaderboard_row(summary, "A model")
        assert leaderboard_row(summary, "A|model", partial=True) == (
            "| A\\|model (2 of 31 languages) | 45.00 ± 30.0 | 30.00 | - | 30.00 | 60.00 |"
        )

    def test_one_language_has_no_gap(self) -> None:
        row = leaderboard_row(summary_of(config_scores("fr", share(6, 10))), "m", partial=True)
        assert row == "| m (1 of 31 languages) | 60.00 | - | - | 60.00 | 60.00 |"

    def test_mother_tongue_effect_of_some_languages_is_labelled(self) -> None:
        local = [config_scores(config.name, share(5, 10)) for config in LOCAL]
        summary = summary_of(*local, config_scores("fr-en-human", share(4, 10)))
        with pytest.raises(CommandError, match="MTE over 1 of 30"):
            leaderboard_row(summary, "A model")
        row = leaderboard_row(summary, "A model", partial=True)
        assert row == "| A model (MTE over 1 of 30) | 50.00 ± 0.0 | 0.00 | 10.00 | 50.00 | 50.00 |"

    def test_without_translations_the_effect_is_a_dash(self) -> None:
        summary = summary_of(*(config_scores(config.name, share(5, 10)) for config in LOCAL))
        assert leaderboard_row(summary, "A model") == "| A model | 50.00 ± 0.0 | 0.00 | - | 50.00 | 50.00 |"

    def test_needs_a_local_language(self) -> None:
        with pytest.raises(CommandError, match="no local language"):
            leaderboard_row(summary_of(config_scores("fr-en-human", [1])), "A model", partial=True)


class TestModelCard:
    def test_is_what_the_hub_reads(self) -> None:
        card = yaml.safe_load(model_card(everything(), "A model: 7B"))
        name, results = model_index_to_eval_results(card["model-index"])
        assert name == "A model: 7B"
        values = {(result.dataset_config, result.metric_name): result.metric_value for result in results}
        assert values["all", "Average exact match"] == 38.0
        assert values["all", "Gap between best and worst language"] == 36.0
        assert values["all", "Mother tongue effect (human translations), over 30 languages"] == 4.0
        assert values["vi", "Exact match"] == 56.0
        assert len(results) == 2 + 4 + 31
        assert {(result.dataset_type, result.dataset_split) for result in results} == {("facebook/multiloko", "dev")}
        assert {json.dumps(result.metric_args) for result in results} == {'{"profile": "unicode"}'}

    def test_says_over_how_many_languages(self) -> None:
        card = model_card(summary_of(config_scores("fr", share(6, 10))), "m")
        assert "MultiLoKo (1 of 31 languages)" in card
        assert "Mother tongue" not in card
        assert "Gap" not in card

    def test_needs_a_local_language(self) -> None:
        with pytest.raises(CommandError, match="no local language"):
            model_card(summary_of(config_scores("fr-en-human", [1])), "m")


def test_random_runs_never_break_the_table() -> None:
    generator = random.Random(3)
    for _ in range(20):
        chosen = generator.sample(CONFIGS, generator.randint(1, 20))
        run = [config_scores(config.name, share(generator.randint(0, 5), 5)) for config in chosen]
        text = printed(summary_of(*run, resamples=100), width=generator.choice([80, 120]))
        assert "nan" not in text.replace("Vietnamese", "")
        assert ENGLISH.title in text or "en" in text
