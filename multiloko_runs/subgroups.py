"""A run by kind of answer, by script and by language family: means with intervals that say when there is too little.

Where the groups come from: the kind of answer is in the gold (`output_types`), the script in
`multiloko_metric.languages`, the family in ``language_groups.yaml``. A config belongs to the group of its language that
is not English (`translated_language`): fr, fr-en-human and en-fr-human are all French.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from multiloko_metric.answer_scores import METRICS
from multiloko_metric.averages import ConfigScores, mean, translated_language
from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.intervals import Interval
from multiloko_metric.languages import PARTITIONS, Config, Language

from .output_types import OutputTypes, output_type_name
from .subgroup_intervals import (
    Answers,
    GroupMean,
    correlation_between_languages,
    difference_by_languages,
    difference_by_questions,
)

OUTPUT_TYPE, SCRIPT, FAMILY = "output_type", "script", "family"
DIMENSIONS = (OUTPUT_TYPE, SCRIPT, FAMILY)
FEWEST = 10
"""Effective questions, of the group and of the rest, from which on they are compared. With fewer, chance alone puts 0
outside the interval more often than it should: of one question against five hundred up to three times as often."""


@dataclass(frozen=True)
class Subgroup:
    """The questions of one partition that belong to one group: a kind of answer, a script, or a family."""

    dimension: str
    """One of DIMENSIONS."""
    name: str
    """For people: ``date``, ``Arabic``, ``Germanic``; ``""`` for questions whose kind of answer is not known."""
    partition: str
    """Scores of different partitions are never mixed."""
    configs: tuple[str, ...]
    """Names of the configs that have such questions, in order of appearance."""
    questions: int
    """How many such questions were scored, in all its configs."""
    answered: int
    """How many of them have an answer."""
    means: Mapping[str, float]
    """By metric, on the official scales: the mean over each config's questions of the group, then the average over the
    configs, each counting the same however many such questions it has."""
    effective_questions: float
    """As many questions that weigh the same and are asked once say as much: at most ``questions``."""
    interval: Interval
    """Of em, at 95 %, 0..1: of these languages, had other questions been asked."""
    difference: float | None
    """em of the group minus that of the rest: for a kind of answer the other questions in the same languages, for a
    script or a family the other languages of the partition. None where there is no rest."""
    difference_interval: Interval | None
    """Of the difference, at 95 %. For a kind of answer: had other questions been asked. For a script or a family it
    reaches as far as that or as languages differ among themselves, whichever is farther. None where it would say more
    than there is to know: fewer effective questions than FEWEST on one side, no rest, fewer than three languages for a
    script or a family."""

    @property
    def languages(self) -> int:
        """How many configs it is over; in one partition, each is another language."""
        return len(self.configs)

    @property
    def too_small(self) -> bool:
        """Whether the group cannot be told from the rest: the interval of the difference holds 0, or there is none."""
        interval = self.difference_interval
        return interval is None or interval.low <= 0 <= interval.high

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        between = self.difference_interval
        return {
            "dimension": self.dimension,
            "name": self.name,
            "partition": self.partition,
            "configs": list(self.configs),
            "languages": self.languages,
            "questions": self.questions,
            "answered": self.answered,
            "means": dict(self.means),
            "effective_questions": self.effective_questions,
            "interval": self.interval.to_dict(),
            "difference": self.difference,
            "difference_interval": None if between is None else between.to_dict(),
            "too_small": self.too_small,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Subgroup:
        """Return what `to_dict` gave."""
        between = data["difference_interval"]
        return cls(
            data["dimension"],
            data["name"],
            data["partition"],
            tuple(data["configs"]),
            data["questions"],
            data["answered"],
            data["means"],
            data["effective_questions"],
            Interval.from_dict(data["interval"]),
            data["difference"],
            None if between is None else Interval.from_dict(between),
        )


def group_of(dimension: str, config: Config, output_type: str | None = None) -> str:
    """Return the name of the group that a question belongs to.

    Args:
        dimension: one of DIMENSIONS.
        config: of the question.
        output_type: the kind of answer it expects, in English where that is known (`english_output_types`); it decides
            where the dimension is ``output_type``, and is not looked at otherwise.

    Raises:
        MultiLoKoError: there is no such dimension.
    """
    if dimension == OUTPUT_TYPE:
        return output_type_name(output_type)
    language = translated_language(config)
    if dimension == SCRIPT:
        return str(_language_groups()["scripts"]["names"][language.script])
    if dimension == FAMILY:
        return _family(language)
    raise MultiLoKoError(f"no dimension is called {dimension!r}; there are {', '.join(DIMENSIONS)}")


def _family(language: Language) -> str:
    entry = _language_groups()["families"]["languages"][language.name]
    return str(entry.get("branch", entry["family"]))


@cache
def _language_groups() -> dict[str, Any]:
    import yaml  # only where groups of languages are asked for

    text = (files("multiloko_runs") / "language_groups.yaml").read_text(encoding="utf-8")
    groups: dict[str, Any] = yaml.safe_load(text)
    return groups


def subgroups(
    results: Sequence[ConfigScores], dimension: str, output_types: OutputTypes | None = None
) -> tuple[Subgroup, ...]:
    """Return the groups of a run, partition after partition, the largest first in each.

    Args:
        results: scores of the configs, each once.
        dimension: one of DIMENSIONS.
        output_types: English names of the kinds of answer (`english_output_types`). Where it has none of a question,
            the wording in the question's own language is the name. Of no use to the other dimensions.

    Raises:
        MultiLoKoError: there is no such dimension, or a config is there twice.
    """
    if dimension not in DIMENSIONS:
        raise MultiLoKoError(f"no dimension is called {dimension!r}; there are {', '.join(DIMENSIONS)}")
    if len({result.config for result in results}) < len(results):
        raise MultiLoKoError("a config is there twice")
    found: list[Subgroup] = []
    for partition in PARTITIONS:
        of_partition = [result for result in results if result.config.partition == partition]
        if of_partition:
            found += _of_partition(of_partition, dimension, output_types or {})
    return tuple(found)


def _of_partition(results: Sequence[ConfigScores], dimension: str, output_types: OutputTypes) -> list[Subgroup]:
    correlation = correlation_between_languages(_right(results))
    parts: dict[str, list[ConfigScores]] = {}
    rests: dict[str, list[ConfigScores]] = {}
    for result in results:
        names = _names(result, dimension, output_types.get(result.config.name, {}))
        for name in dict.fromkeys(names):
            inside = [each == name for each in names]
            parts.setdefault(name, []).append(_some(result, inside))
            if dimension == OUTPUT_TYPE and not all(inside):
                rests.setdefault(name, []).append(_some(result, [not each for each in inside]))
    if dimension != OUTPUT_TYPE:
        rests = {name: [each for other, of in parts.items() if other != name for each in of] for name in parts}
    groups = [_subgroup(dimension, name, of, rests.get(name, []), correlation) for name, of in parts.items()]
    return sorted(groups, key=lambda group: (-group.questions, group.name))


def _names(result: ConfigScores, dimension: str, english: Mapping[str, str]) -> list[str]:
    """Return the group of each question of a config."""
    if dimension != OUTPUT_TYPE:
        return [group_of(dimension, result.config)] * len(result.ids)
    own = result.output_types or [None] * len(result.ids)
    return [
        group_of(dimension, result.config, english.get(identifier, kind))
        for identifier, kind in zip(result.ids, own, strict=True)
    ]


def _some(result: ConfigScores, chosen: Sequence[bool]) -> ConfigScores:
    """Return some of the questions of a config."""
    if all(chosen):
        return result

    def only(values: Sequence[Any]) -> list[Any]:
        return [value for value, taken in zip(values, chosen, strict=True) if taken]

    return replace(
        result, ids=only(result.ids), scores=only(result.scores), answered=only(result.answered), output_types=None
    )


def _right(results: Iterable[ConfigScores]) -> Answers:
    return {
        result.config: {
            identifier: float(score.em) for identifier, score in zip(result.ids, result.scores, strict=True)
        }
        for result in results
    }


def _subgroup(
    dimension: str, name: str, part: Sequence[ConfigScores], rest: Sequence[ConfigScores], correlation: float
) -> Subgroup:
    group = GroupMean(_right(part), correlation)
    difference, between = _difference(dimension, group, GroupMean(_right(rest), correlation) if rest else None)
    return Subgroup(
        dimension,
        name,
        part[0].config.partition,
        tuple(result.config.name for result in part),
        sum(len(result.ids) for result in part),
        sum(sum(result.answered) for result in part),
        _means(part),
        group.effective,
        group.interval,
        difference,
        between,
    )


def _means(part: Sequence[ConfigScores]) -> dict[str, float]:
    """Return the average over the configs of each metric that the profile has."""
    metrics = [metric for metric in METRICS if getattr(part[0].scores[0], metric) is not None]
    return {metric: sum(mean(result.scores, metric) for result in part) / len(part) for metric in metrics}


def _difference(dimension: str, group: GroupMean, rest: GroupMean | None) -> tuple[float | None, Interval | None]:
    """Return how far the group is from the rest, and the interval of that where there is enough for one."""
    if rest is None:
        return None, None
    if dimension == OUTPUT_TYPE:
        group = GroupMean({config: group.answers[config] for config in rest.answers}, group.correlation)
    difference = group.mean - rest.mean
    if min(group.effective, rest.effective) < FEWEST:
        return difference, None
    asked = difference_by_questions(group, rest)
    if dimension == OUTPUT_TYPE:
        return difference, asked
    spread = difference_by_languages([*group.by_config.values()], [*rest.by_config.values()])
    return difference, spread and Interval(min(asked.low, spread.low), max(asked.high, spread.high))
