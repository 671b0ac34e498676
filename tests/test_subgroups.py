"""Groups of a run against runs whose groups are known by hand."""

from __future__ import annotations

import pytest
from constructed import config_scores, share

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import LANGUAGES, Config, parse_config
from multiloko_runs.subgroups import DIMENSIONS, Subgroup, group_of, subgroups

FRENCH = config_scores("fr", share(6, 10), output_types=["une date"] * 5 + ["un nom"] * 5)
GERMAN = config_scores("de", share(2, 10), output_types=["ein Datum"] * 5 + ["ein Name"] * 5)
ENGLISH = {"fr": {f"q{n}": "a date" if n < 5 else "a name" for n in range(10)}} | {
    "de": {f"q{n}": "a date" if n < 5 else "a name" for n in range(10)}
}


def test_every_language_has_a_script_and_a_family() -> None:
    for language in LANGUAGES:
        config = Config(language, language)
        assert group_of("script", config)
        assert group_of("family", config)
    assert group_of("family", parse_config("en-fr-human")) == group_of("family", parse_config("fr")) == "Romance"
    assert group_of("script", parse_config("ur")) == "Arabic"


def test_kinds_of_answer_are_compared_across_languages_by_their_english_names() -> None:
    groups = {group.name: group for group in subgroups([FRENCH, GERMAN], "output_type", ENGLISH)}
    assert set(groups) == {"date", "name"}
    # French 5 of 5 and German 2 of 5 dates, 1 of 5 and 0 of 5 names; each language counts the same.
    assert (groups["date"].means["em"], groups["name"].means["em"]) == (pytest.approx(0.7), pytest.approx(0.1))
    assert groups["date"].questions == groups["name"].questions == 10
    assert groups["date"].interval.low < 0.7 < groups["date"].interval.high


def test_partitions_are_never_mixed_and_every_question_is_in_one_group() -> None:
    results = [FRENCH, GERMAN, config_scores("fr-en-human", share(3, 10))]
    for dimension in DIMENSIONS:
        groups = subgroups(results, dimension)
        assert {group.partition for group in groups} == {"local", "to_english_human"}
        assert sum(group.questions for group in groups) == 30
        assert [Subgroup.from_dict(group.to_dict()) for group in groups] == list(groups)


def test_a_single_group_cannot_be_told_from_a_rest_that_is_not_there() -> None:
    (group,) = subgroups([FRENCH], "family")
    assert group.difference is None
    assert group.too_small


def test_an_unknown_dimension_and_a_config_twice_are_refused() -> None:
    with pytest.raises(MultiLoKoError, match="output_type, script, family"):
        subgroups([FRENCH], "colour")
    with pytest.raises(MultiLoKoError, match="twice"):
        subgroups([FRENCH, FRENCH], "script")
