"""Means, groups, effects and overlaps of constructed runs, with values worked out by hand."""

from __future__ import annotations

import json
import math
import re
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from constructed import LOCAL, config_scores, share
from hypothesis import given
from hypothesis import strategies as st

from multiloko_metric.averages import ConfigScores, group_score, translated_language
from multiloko_metric.effects import EFFECTS
from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.intervals import standard_error, wilson
from multiloko_metric.languages import PARTITIONS, parse_config
from multiloko_metric.profiles import UnknownProfileError
from multiloko_metric.scoring import METRICS, Scorer
from multiloko_metric.summary import SCHEMA, Summary, summarize


def run_of(**right: int) -> list[ConfigScores]:
    """A run of 10 questions a config, so many right: fr=4, fr_en_human=3."""
    return [config_scores(name.replace("_", "-"), share(count, 10)) for name, count in right.items()]


class TestConfig:
    def test_mean_is_the_official_sum_from_the_left(self) -> None:
        values = [0.1, 0.7, 0.2] * 83 + [0.3]
        total = 0.0
        for value in values:
            total += value
        summary = summarize([config_scores("fr", values)], "unicode")
        assert summary.configs["fr"].means["f1"] == total / 250
        assert summary.configs["fr"].means["f1"] != math.fsum(values) / 250

    def test_counts_answers_and_missing_ones(self) -> None:
        result = config_scores("fr", share(1, 4), answered=[True, True, True, False])
        summary = summarize([result, config_scores("de", [1])], "unicode")
        french = summary.configs["fr"]
        assert (french.questions, french.answered, french.missing) == (4, 3, 1)
        assert summary.incomplete == ("fr",)

    def test_wilson_is_there_for_proportions_only(self) -> None:
        french = summarize([config_scores("fr", share(3, 10))], "unicode").configs["fr"]
        assert set(french.wilson) == {"em", "contains"}
        # Newcombe 1998 gives Wilson's interval of 15 in 148 as 0.0624 to 0.1605.
        assert wilson(15, 148).low == pytest.approx(0.0624, abs=5e-5)
        assert wilson(15, 148).high == pytest.approx(0.1605, abs=5e-5)

    def test_a_metric_the_profile_lacks_is_left_out(self) -> None:
        scorer = Scorer("release")
        result = ConfigScores(parse_config("fr"), ["a"], [scorer.score("x", ["x"])], [True])
        summary = summarize([result], "release")
        assert summary.metrics == tuple(metric for metric in METRICS if metric != "contains")
        assert "contains" not in summary.configs["fr"].means
        assert set(summary.configs["fr"].wilson) == {"em"}

    def test_by_output_type_where_asked(self) -> None:
        result = config_scores("fr", [1, 0, 1, 1], output_types=["une date", "une date", None, "une date"])
        assert summarize([result], "unicode").configs["fr"].by_output_type is None
        kinds = summarize([result], "unicode", by_output_type=True).configs["fr"].by_output_type
        assert kinds is not None
        assert {kind: (part.count, part.means["em"]) for kind, part in kinds.items()} == {
            "une date": (3, 2 / 3),
            "": (1, 1.0),
        }
        assert list(kinds) == ["une date", ""]
        without_kinds = summarize([config_scores("fr", [1])], "unicode", by_output_type=True)
        assert without_kinds.configs["fr"].by_output_type is None

    def test_lengths_must_agree_and_questions_be_there(self) -> None:
        with pytest.raises(MultiLoKoError, match=r"fr: ids, scores and the rest differ in length: 1, 2"):
            config_scores("fr", [1, 0], ids=["only one"])
        with pytest.raises(MultiLoKoError, match="fr: no questions"):
            config_scores("fr", [])


class TestGroup:
    def test_average_max_min_gap_with_names(self) -> None:
        local = summarize(run_of(fr=4, de=1, th=7), "unicode").groups["local"]
        em = local.scores["em"]
        assert local.languages == 3
        assert (em.average, em.max, em.min) == (sum([0.4, 0.1, 0.7]) / 3, 0.7, 0.1)
        assert em.gap == 0.7 - 0.1
        assert (em.max_config, em.min_config, em.best_config, em.worst_config) == ("th", "de", "th", "de")

    def test_of_distances_the_least_is_best(self) -> None:
        distance = summarize(run_of(fr=4, de=1, th=7), "unicode").groups["local"].scores["edit_distance"]
        assert (distance.max_config, distance.min_config) == ("de", "th")
        assert (distance.best_config, distance.worst_config) == ("th", "de")

    def test_partitions_are_never_mixed(self) -> None:
        run = run_of(fr=4, de=2, fr_en_human=3, fr_en_machine=2, en_fr_human=9, en_de_machine=8)
        groups = summarize(run, "unicode").groups
        assert {name: (group.configs, group.scores["em"].average) for name, group in groups.items()} == {
            "local": (("fr", "de"), pytest.approx(0.3)),
            "to_english_human": (("fr-en-human",), 0.3),
            "to_english_machine": (("fr-en-machine",), 0.2),
            "from_english_human": (("en-fr-human",), 0.9),
            "from_english_machine": (("en-de-machine",), 0.8),
        }

    def test_each_language_counts_the_same(self) -> None:
        run = [config_scores("fr", share(1, 2)), config_scores("de", share(0, 200))]
        assert summarize(run, "unicode").groups["local"].scores["em"].average == 0.25

    def test_standard_error_across_languages(self) -> None:
        em = summarize(run_of(fr=4, de=1, th=7), "unicode").groups["local"].scores["em"]
        assert em.standard_error == pytest.approx(statistics.stdev([0.4, 0.1, 0.7]) / 3**0.5)
        assert em.two_standard_errors == pytest.approx(2 * 0.17320508)
        assert summarize(run_of(fr=4), "unicode").groups["local"].scores["em"].standard_error is None

    def test_one_language_has_no_gap_and_an_old_file_is_read_so(self) -> None:
        summary = summarize(run_of(fr=4, de_en_human=2, it_en_human=3), "unicode", resamples=100)
        written = json.loads(json.dumps(summary.to_dict()))
        assert written["groups"]["local"]["scores"]["em"]["gap"] is None
        assert written["bootstrap"]["groups"]["local"]["em"] | {"average": 0} == {
            "average": 0,
            "gap": None,
            "gap_bias": None,
        }
        assert Summary.from_dict(written) == summary
        for score in written["groups"]["local"]["scores"].values():
            score["gap"] = 0.0  # as version 0.1.0 wrote it
        for partition in ("local", "to_english_human"):
            gaps = [score.gap for score in Summary.from_dict(written).groups[partition].scores.values()]
            assert gaps == [score.gap for score in summary.groups[partition].scores.values()]

    @pytest.mark.parametrize(
        ("right", "answers", "right_of_all"),
        [((0, 0), 20, False), ((10, 10), 20, True), ((0, 10), None, None), ((0, 1), None, None), ((0,), None, None)],
    )
    def test_unanimous(self, right: tuple[int, ...], answers: int | None, right_of_all: bool | None) -> None:
        run = [config_scores(name, share(count, 10)) for name, count in zip(("fr", "de"), right, strict=False)]
        found = summarize(run, "unicode").unanimous("local")
        if answers is None:
            assert found is None
            return
        assert found
        assert (found.answers, found.right) == (answers, right_of_all)
        assert found.interval == wilson(answers if right_of_all else 0, answers)

    def test_unanimous_counts_answers_and_not_questions(self) -> None:
        half = [True] * 5 + [False] * 5
        some = summarize([config_scores(name, [0] * 10, answered=half) for name in ("fr", "de")], "unicode")
        assert str(some.unanimous("local")) == "10 answers, none right: 95 % 0.0 to 27.8"
        none = summarize([config_scores(name, [0] * 10, answered=[False] * 10) for name in ("fr", "de")], "unicode")
        assert none.unanimous("local") is None

    def test_has_the_shape_of_the_official_leaderboard(self) -> None:
        # 31 languages of 250 questions: every score is a multiple of 1/250, and gap = max - min.
        right = [50 + 3 * number for number in range(31)]
        run = [config_scores(config.name, share(count, 250)) for config, count in zip(LOCAL, right, strict=True)]
        summary = summarize(run, "unicode")
        em = summary.groups["local"].scores["em"]
        assert summary.not_run == ()
        assert (em.max, em.min, em.gap) == (140 / 250, 50 / 250, 140 / 250 - 50 / 250)
        assert em.average == pytest.approx(95 / 250)

    def test_by_script_where_asked(self) -> None:
        run = run_of(fr=4, de=2, ru=6, ru_en_human=3, en_ru_human=5)
        groups = summarize(run, "unicode", by_script=True).groups
        scripts = {
            name: {script: (part.count, part.means["em"]) for script, part in (group.by_script or {}).items()}
            for name, group in groups.items()
        }
        assert scripts == {
            "local": {"Cyrl": (1, 0.6), "Latn": (2, pytest.approx(0.3))},
            "to_english_human": {"Cyrl": (1, 0.3)},
            "from_english_human": {"Cyrl": (1, 0.5)},
        }
        assert summarize(run, "unicode").groups["local"].by_script is None

    @given(st.lists(st.floats(0, 1), min_size=1, max_size=31))
    def test_is_what_the_official_code_computes(self, values: list[float]) -> None:
        score = group_score({str(number): value for number, value in enumerate(values)}, "em")
        assert score.average == sum(values) / len(values)
        assert score.gap == (max(values) - min(values) if len(values) > 1 else None)
        assert score.min <= score.max


class TestEffects:
    def test_mother_tongue_and_locality(self) -> None:
        run = run_of(fr=5, de=2, fr_en_human=3, de_en_human=4, en_fr_human=9, en_de_human=1, en=8)
        effects = summarize(run, "unicode").effects
        mother_tongue, locality = effects["mte_human"].scores["em"], effects["le_human"].scores["em"]
        assert mother_tongue.by_language == pytest.approx({"french": 0.2, "german": -0.2})
        assert mother_tongue.average == pytest.approx(0)
        assert locality.by_language == pytest.approx({"french": -0.4, "german": 0.1})
        assert locality.average == pytest.approx(-0.15)
        # The two differ by 0.5: their deviation is 0.5 / root 2, their error 0.25.
        assert locality.two_standard_errors == pytest.approx(0.5)
        assert effects["le_human"].languages == 2

    def test_english_has_neither(self) -> None:
        effects = summarize(run_of(en=5, fr=5, en_fr_human=4), "unicode").effects
        assert list(effects["le_human"].scores["em"].by_language) == ["french"]
        assert all("english" not in effect.without_partner for effect in effects.values())
        assert summarize(run_of(en=5), "unicode").effects == {}

    def test_human_and_machine_are_kept_apart(self) -> None:
        run = run_of(fr=5, fr_en_human=3, fr_en_machine=1, en_fr_human=4, en_fr_machine=2)
        effects = summarize(run, "unicode").effects
        averages = {name: effect.scores["em"].average for name, effect in effects.items()}
        assert averages == pytest.approx(
            {
                "mte_human": 0.2,
                "mte_machine": 0.4,
                "le_human": 0.1,
                "le_machine": 0.3,
                "mt_to_english": 0.2,
                "mt_from_english": 0.2,
            }
        )

    def test_one_side_alone_is_listed_and_not_guessed(self) -> None:
        effects = summarize(run_of(fr=5, de=2, it=1, fr_en_human=3, th_en_human=1), "unicode").effects
        assert list(effects["mte_human"].scores["em"].by_language) == ["french"]
        assert effects["mte_human"].without_partner == ("german", "italian", "thai")
        assert effects["le_human"].languages == 0
        assert effects["le_human"].scores == {}
        assert effects["le_human"].without_partner == ("french", "german", "italian")

    def test_of_one_language_has_no_error(self) -> None:
        score = summarize(run_of(fr=5, fr_en_human=3), "unicode").effects["mte_human"].scores["em"]
        assert (score.standard_error, score.two_standard_errors) == (None, None)

    def test_each_definition_is_a_pair_of_partitions(self) -> None:
        found = {definition.name: (definition.first, definition.second) for definition in EFFECTS}
        assert found["mte_machine"] == ("local", "to_english_machine")
        assert found["mt_from_english"] == ("from_english_human", "from_english_machine")
        assert len(found) == 6

    @pytest.mark.parametrize(
        ("name", "language"),
        [("fr", "french"), ("fr-en-human", "french"), ("en-fr-machine", "french"), ("en", "english")],
    )
    def test_language_of_a_config(self, name: str, language: str) -> None:
        assert translated_language(parse_config(name)).name == language


class TestOverlap:
    def test_pairs_questions_by_id_in_any_order(self) -> None:
        run = [
            config_scores("fr", [1, 1, 0, 0, 1], ids=["a", "b", "c", "d", "e"]),
            config_scores("fr-en-human", [1, 0, 1, 0], ids=["c", "d", "a", "b"]),
        ]
        (overlap,) = summarize(run, "unicode").overlaps
        assert (overlap.first, overlap.second) == ("fr", "fr-en-human")
        # a right in both, b in French only, c in English only, d in neither; e was not asked in English.
        assert (overlap.both, overlap.first_only, overlap.second_only, overlap.neither) == (1, 1, 1, 1)
        assert (overlap.one, overlap.ratio) == (2, 1 / 3)

    def test_english_is_paired_with_its_translations(self) -> None:
        overlaps = summarize(run_of(en=4, en_fr_human=3, en_th_machine=2, fr=9), "unicode").overlaps
        assert [(each.first, each.second, each.both) for each in overlaps] == [
            ("en", "en-fr-human", 3),
            ("en", "en-th-machine", 2),
        ]

    def test_nothing_right_has_no_ratio(self) -> None:
        (overlap,) = summarize(run_of(fr=0, fr_en_human=0), "unicode").overlaps
        assert overlap.ratio is None

    def test_ids_that_no_other_config_has_pair_nothing(self) -> None:
        run = [config_scores("fr", [1], ids=["0"]), config_scores("fr-en-human", [1], ids=["1"])]
        assert summarize(run, "unicode").overlaps == ()


class TestSummary:
    def test_not_run_lists_local_configs_only(self) -> None:
        summary = summarize(run_of(fr=1, de_en_human=1), "unicode")
        assert len(summary.not_run) == 30
        assert "fr" not in summary.not_run
        assert "de" in summary.not_run

    def test_of_nothing(self) -> None:
        summary = summarize([], "unicode", resamples=500)
        assert (len(summary.not_run), summary.groups, summary.metrics) == (31, {}, ())

    def test_names_the_profile_and_never_the_alias(self) -> None:
        assert summarize(run_of(fr=1), "official").profile == "unicode"
        with pytest.raises(UnknownProfileError):
            summarize(run_of(fr=1), "uncode")

    def test_a_config_twice_is_refused(self) -> None:
        with pytest.raises(MultiLoKoError, match="twice: fr"):
            summarize([*run_of(fr=1), *run_of(fr=2, de=1)], "unicode")

    def test_round_trips_through_json(self) -> None:
        run = run_of(fr=5, de=2, fr_en_human=3, en=4, en_fr_machine=9)
        summary = summarize(
            run, "variants", signature={"profile": "variants"}, by_output_type=True, by_script=True, resamples=100
        )
        data = summary.to_dict()
        assert data["schema"] == SCHEMA
        assert Summary.from_dict(json.loads(json.dumps(data, allow_nan=False))) == summary

    def test_another_schema_is_refused(self) -> None:
        with pytest.raises(MultiLoKoError, match=r"multiloko-summary/1.*found None"):
            Summary.from_dict({"profile": "unicode"})

    def test_needs_neither_numpy_nor_scipy_without_resampling(self) -> None:
        code = "import sys; from multiloko_metric.summary import summarize; summarize([], 'unicode'); "
        code += "print({'numpy', 'scipy'} & {*sys.modules})"
        printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        assert printed.strip() == "set()"


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=40))
def test_standard_error_is_that_of_the_library(values: list[float]) -> None:
    assert standard_error(values) == pytest.approx(statistics.stdev(values) / len(values) ** 0.5, abs=1e-12)


@given(st.integers(1, 400).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_wilson_holds_the_share_and_stays_within_bounds(counts: tuple[int, int]) -> None:
    successes, trials = counts
    interval = wilson(successes, trials)
    assert 0 <= interval.low <= successes / trials <= interval.high <= 1


def test_wilson_refuses_what_is_no_proportion() -> None:
    with pytest.raises(ValueError, match=r"expected 0\.\.0"):
        wilson(0, 0)
    with pytest.raises(ValueError, match="found 3"):
        wilson(3, 2)


def fields_of(data: object) -> set[str]:
    """The names of fields in a result: keys but those that are names of configs, languages, metrics and the like."""
    named = {"configs", "means", "wilson", "scores", "groups", "effects", "by_output_type", "by_script", "by_language"}
    found: set[str] = set()
    if isinstance(data, dict):
        for key, value in data.items():
            found.add(key)
            inner = list(value.values()) if key in named and isinstance(value, dict) else [value]
            for each in inner:
                found |= fields_of(each)
    elif isinstance(data, list):
        for each in data:
            found |= fields_of(each)
    return found


def test_every_field_is_documented() -> None:
    run = [config_scores("fr", [1, 0], output_types=["x", "y"]), config_scores("fr-en-human", [1, 1])]
    summary = summarize(run, "unicode", by_output_type=True, by_script=True, resamples=100)
    documented = set(
        re.findall(r"`([a-z_]+)`", (Path(__file__).parent.parent / "docs" / "summary.md").read_text("utf-8"))
    )
    names = {*METRICS, *PARTITIONS, *(definition.name for definition in EFFECTS), "french"}
    assert fields_of(summary.to_dict()) - names - documented == set()
