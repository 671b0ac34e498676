"""Means of configs, and averages over languages.

The scores of a config's answers have a mean; the configs of one partition are a group with average, max, min, gap and
standard error over their languages, each counting the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .answer_scores import LOWER_IS_BETTER, AnswerScores
from .errors import MultiLoKoError
from .intervals import standard_error
from .languages import ENGLISH, PARTITIONS, Config, Language


@dataclass(frozen=True)
class ConfigScores:
    """The scores of every question of one config, in order of the answers' first appearance, then the missing."""

    config: Config
    ids: Sequence[str]
    """Unique within the config. Questions of configs with one source language are paired by them; where ids are not
    known, give texts that no other config has, and nothing is paired."""
    scores: Sequence[AnswerScores]
    answered: Sequence[bool]
    """Whether there was an answer; a missing one is scored as an empty one."""
    output_types: Sequence[str | None] | None = None
    """Kind of answer each question expects, in the question's language."""

    def __post_init__(self) -> None:
        lengths = {len(self.ids), len(self.scores), len(self.answered)}
        if self.output_types is not None:
            lengths.add(len(self.output_types))
        if len(lengths) != 1:
            found = ", ".join(map(str, sorted(lengths)))
            raise MultiLoKoError(f"{self.config.name}: ids, scores and the rest differ in length: {found}")
        if not self.scores:
            raise MultiLoKoError(f"{self.config.name}: no questions to summarise")


def mean(scores: Sequence[AnswerScores], metric: str) -> float:
    """Return the mean of one metric as the official code computes it: a sum from the left over the count."""
    total: float = 0
    for score in scores:
        total += getattr(score, metric)
    return total / len(scores)


def translated_language(config: Config) -> Language:
    """Return the language of a config that is not English: fr of fr, fr-en-human, en-fr-human; English of en."""
    return config.question if config.source == ENGLISH else config.source


@dataclass(frozen=True)
class Part:
    """Some questions, or some languages, of a whole: how many, and the mean of each metric over them."""

    count: int
    means: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        return {"count": self.count, "means": dict(self.means)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Part:
        """Return what `to_dict` gave."""
        return cls(data["count"], data["means"])


@dataclass(frozen=True)
class GroupScore:
    """One metric over the languages of a partition, each counting the same."""

    average: float
    max: float
    min: float
    gap: float | None
    """max - min; None for fewer than two configs, between which there is none."""
    max_config: str
    min_config: str
    best_config: str
    """That of the max, or of the min for distances, where lower is better; of equals, the first to appear."""
    worst_config: str
    standard_error: float | None
    """Across languages; None for fewer than two."""
    two_standard_errors: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> GroupScore:
        """Return what `to_dict` gave, or gave in version 0.1.0, where a single config had a gap of 0."""
        gap = data["gap"] if data["standard_error"] is not None else None
        return cls(**{**data, "gap": gap})


@dataclass(frozen=True)
class GroupSummary:
    """The configs of one partition: the local ones, or one kind of translation. They are never mixed."""

    partition: str
    configs: tuple[str, ...]
    """Names of the configs it is over, in order of appearance."""
    scores: Mapping[str, GroupScore]
    """By metric."""
    by_script: Mapping[str, Part] | None = None
    """Averages over the source languages (the question languages where sourced in English) written in each script
    (ISO 15924); None where not asked for."""

    @property
    def languages(self) -> int:
        """How many configs it is over."""
        return len(self.configs)

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        data: dict[str, Any] = {
            "languages": self.languages,
            "configs": list(self.configs),
            "scores": {metric: score.to_dict() for metric, score in self.scores.items()},
        }
        if self.by_script is not None:
            data["by_script"] = {script: part.to_dict() for script, part in self.by_script.items()}
        return data

    @classmethod
    def from_dict(cls, partition: str, data: dict[str, Any]) -> GroupSummary:
        """Return what `to_dict` gave."""
        scripts = data.get("by_script")
        return cls(
            partition,
            tuple(data["configs"]),
            {metric: GroupScore.from_dict(score) for metric, score in data["scores"].items()},
            None if scripts is None else {script: Part.from_dict(part) for script, part in scripts.items()},
        )


def group_score(values: Mapping[str, float], metric: str) -> GroupScore:
    """Return average, max, min, gap and standard error of the values of one metric, by config name; at least one.

    The average is the builtin sum over the count, as in the official code.
    """
    highest, lowest = max(values, key=values.__getitem__), min(values, key=values.__getitem__)
    best, worst = (lowest, highest) if metric in LOWER_IS_BETTER else (highest, lowest)
    error = standard_error(list(values.values()))
    return GroupScore(
        average=sum(values.values()) / len(values),
        max=values[highest],
        min=values[lowest],
        gap=values[highest] - values[lowest] if len(values) > 1 else None,
        max_config=highest,
        min_config=lowest,
        best_config=best,
        worst_config=worst,
        standard_error=error,
        two_standard_errors=None if error is None else 2 * error,
    )


def groups(means: Mapping[Config, Mapping[str, float]], *, by_script: bool = False) -> tuple[GroupSummary, ...]:
    """Return the group of every partition that has a config, given the mean of each metric for each config."""
    partitions = {name: [config for config in means if config.partition == name] for name in PARTITIONS}
    return tuple(_group(name, configs, means, by_script) for name, configs in partitions.items() if configs)


def _group(
    partition: str, configs: list[Config], means: Mapping[Config, Mapping[str, float]], by_script: bool
) -> GroupSummary:
    scores = {
        metric: group_score({config.name: means[config][metric] for config in configs}, metric)
        for metric in means[configs[0]]
    }
    scripts = _by_script(configs, means) if by_script else None
    return GroupSummary(partition, tuple(config.name for config in configs), scores, scripts)


def _by_script(configs: list[Config], means: Mapping[Config, Mapping[str, float]]) -> dict[str, Part]:
    scripts: dict[str, list[Config]] = {}
    for config in configs:
        scripts.setdefault(translated_language(config).script, []).append(config)
    return {
        script: Part(len(of), {metric: sum(means[each][metric] for each in of) / len(of) for metric in means[of[0]]})
        for script, of in sorted(scripts.items())
    }
