"""What the scores of a run's answers come to: means of configs, groups of languages, effects of language.

Scores of answers become the mean of their config, means of configs the average, max, min and gap of their partition,
and differences between partitions the effects (`effects`). Scales are the official ones: em, f1, edit_similarity and
contains in 0..1, bleu and chrf in 0..100, edit distances in characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .averages import ConfigScores, GroupSummary, Part, groups, mean
from .bootstrap import Answers, Bootstrap, bootstrap
from .effects import Effect, Overlap, effects, overlaps
from .errors import MultiLoKoError
from .intervals import Interval, wilson
from .languages import CONFIGS, Config, parse_config
from .profiles import Profile, get_profile
from .scoring import METRICS, AnswerScores

SCHEMA = "multiloko-summary/1"
PROPORTIONS = ("em", "contains")
"""The metrics that are 0 or 1 for each answer."""


@dataclass(frozen=True)
class ConfigSummary:
    """One config: how many of its questions were answered, and how well."""

    config: Config
    questions: int
    """Questions that were scored."""
    answered: int
    means: Mapping[str, float]
    """Mean of each metric over the questions: the official sum, from the left, over the count."""
    wilson: Mapping[str, Interval]
    """Wilson's interval at 95 % of each metric that is 0 or 1."""
    by_output_type: Mapping[str, Part] | None = None
    """Means by kind of answer, commonest first; None where not asked for. A question without a kind is under ``""``."""

    @property
    def missing(self) -> int:
        """Questions without an answer."""
        return self.questions - self.answered

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        data: dict[str, Any] = {
            "partition": self.config.partition,
            "source_language": self.config.source.name,
            "question_language": self.config.question.name,
            "translation_type": self.config.translation,
            "questions": self.questions,
            "answered": self.answered,
            "missing": self.missing,
            "means": dict(self.means),
            "wilson": {metric: interval.to_dict() for metric, interval in self.wilson.items()},
        }
        if self.by_output_type is not None:
            data["by_output_type"] = {kind: part.to_dict() for kind, part in self.by_output_type.items()}
        return data

    @classmethod
    def from_dict(cls, name: str, data: dict[str, Any]) -> ConfigSummary:
        """Return what `to_dict` gave."""
        kinds = data.get("by_output_type")
        return cls(
            parse_config(name),
            data["questions"],
            data["answered"],
            data["means"],
            {metric: Interval.from_dict(interval) for metric, interval in data["wilson"].items()},
            None if kinds is None else {kind: Part.from_dict(part) for kind, part in kinds.items()},
        )


@dataclass(frozen=True)
class Unanimous:
    """Answers to the questions of one partition that are all wrong, or all right. Between languages nothing varies
    then, and a standard error of 0 would read as certainty."""

    answers: int
    """How many there are, at least one; questions without an answer are not among them."""
    right: bool
    interval: Interval
    """Wilson's at 95 % of the share of right answers, over all of them together."""

    def __str__(self) -> str:
        digits = 1 if self.interval.high - self.interval.low >= 0.01 else 2
        low, high = (f"{bound * 100:.{digits}f}" for bound in (self.interval.low, self.interval.high))
        return f"{self.answers:,} answers, {'all' if self.right else 'none'} right: 95 % {low} to {high}"


@dataclass(frozen=True)
class Summary:
    """Everything there is to say about a run."""

    profile: str
    signature: Any
    """What another person needs to get the same numbers, as the caller gave it."""
    metrics: tuple[str, ...]
    configs: Mapping[str, ConfigSummary]
    """By name, in order of appearance."""
    groups: Mapping[str, GroupSummary]
    """By partition; only those with at least one config."""
    effects: Mapping[str, Effect]
    """By name; only those with at least one side."""
    overlaps: tuple[Overlap, ...]
    bootstrap: Bootstrap | None = None
    """Intervals by resampling; None where not asked for."""

    @property
    def not_run(self) -> tuple[str, ...]:
        """Names of the local configs without any prediction. They are not zero; they are not there."""
        return tuple(each.name for each in CONFIGS if each.translation is None and each.name not in self.configs)

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Names of the configs with fewer answers than questions."""
        return tuple(name for name, config in self.configs.items() if config.missing)

    def unanimous(self, partition: str) -> Unanimous | None:
        """Return what the answers of several languages of a partition leave open, where all are wrong or all right."""
        configs = [self.configs[name] for name in self.groups[partition].configs]
        values = {config.means["em"] for config in configs}
        answers = sum(config.answered for config in configs)
        if len(configs) < 2 or not answers or values not in ({0}, {1}):
            return None
        right = values == {1}
        return Unanimous(answers, right, wilson(answers if right else 0, answers))

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON, with a ``schema``."""
        return {
            "schema": SCHEMA,
            "profile": self.profile,
            "signature": self.signature,
            "metrics": list(self.metrics),
            "configs": {name: config.to_dict() for name, config in self.configs.items()},
            "groups": {partition: group.to_dict() for partition, group in self.groups.items()},
            "effects": {name: effect.to_dict() for name, effect in self.effects.items()},
            "overlaps": [overlap.to_dict() for overlap in self.overlaps],
            "not_run": list(self.not_run),
            "incomplete": list(self.incomplete),
            "bootstrap": self.bootstrap.to_dict() if self.bootstrap else None,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Summary:
        """Return what `to_dict` gave.

        Raises:
            MultiLoKoError: it has another schema than SCHEMA, or none.
        """
        if data.get("schema") != SCHEMA:
            raise MultiLoKoError(f"expected a summary of the schema {SCHEMA!r}, found {data.get('schema')!r}")
        return cls(
            data["profile"],
            data["signature"],
            tuple(data["metrics"]),
            {name: ConfigSummary.from_dict(name, config) for name, config in data["configs"].items()},
            {partition: GroupSummary.from_dict(partition, group) for partition, group in data["groups"].items()},
            {name: Effect.from_dict(name, effect) for name, effect in data["effects"].items()},
            tuple(Overlap.from_dict(overlap) for overlap in data["overlaps"]),
            Bootstrap.from_dict(data["bootstrap"]) if data["bootstrap"] else None,
        )


def summarize(
    results: Sequence[ConfigScores],
    profile: str | Profile,
    *,
    signature: Any = None,
    by_output_type: bool = False,
    by_script: bool = False,
    resamples: int = 0,
    seed: int = 0,
) -> Summary:
    """Summarise the scores of a run.

    Args:
        results: the configs that have at least one answer, in order of appearance; each once. None at all gives a
            summary without any, in which all 31 languages are not run.
        profile: name of the profile they were scored with.
        signature: anything JSON can hold; it is passed on.
        by_output_type: add means by kind of answer to each config that has kinds.
        by_script: add averages by script to each group.
        resamples: how often questions are drawn for intervals by bootstrap (2,000 are usual); 0 for no intervals.
        seed: of the draws.

    Raises:
        MultiLoKoError: a config is there twice, or there are some resamples but fewer than 100.
        UnknownProfileError: no profile is called that.
    """
    names = [result.config.name for result in results]
    if len(set(names)) != len(names):
        raise MultiLoKoError(f"a config is there twice: {', '.join(sorted({n for n in names if names.count(n) > 1}))}")
    metrics = _metrics(results)
    configs = {result.config.name: _config_summary(result, metrics, by_output_type) for result in results}
    means = {config.config: config.means for config in configs.values()}
    intervals = None
    if resamples and results:
        answers = {result.config: answers_of(result, metrics) for result in results}
        intervals = bootstrap(answers, metrics, resamples=resamples, seed=seed)
    return Summary(
        (get_profile(profile) if isinstance(profile, str) else profile).name,
        signature,
        metrics,
        configs,
        {group.partition: group for group in groups(means, by_script=by_script)},
        {effect.name: effect for effect in effects(means)},
        overlaps({result.config: _right(result) for result in results}),
        intervals,
    )


def _metrics(results: Sequence[ConfigScores]) -> tuple[str, ...]:
    """Return the metrics the profile has: those with a value in the first score."""
    return tuple(each for each in METRICS if results and getattr(results[0].scores[0], each) is not None)


def answers_of(result: ConfigScores, metrics: Sequence[str]) -> Answers:
    """Return the scores of a config as rows, for resampling."""
    return Answers(result.ids, [[getattr(score, metric) for metric in metrics] for score in result.scores])


def _right(result: ConfigScores) -> dict[str, bool]:
    return {identifier: score.em == 1 for identifier, score in zip(result.ids, result.scores, strict=True)}


def _config_summary(result: ConfigScores, metrics: Sequence[str], by_output_type: bool) -> ConfigSummary:
    count = len(result.scores)
    means = {metric: mean(result.scores, metric) for metric in metrics}
    proportions = {each: wilson(round(means[each] * count), count) for each in PROPORTIONS if each in means}
    kinds = _by_output_type(result, metrics) if by_output_type else None
    return ConfigSummary(result.config, count, sum(result.answered), means, proportions, kinds)


def _by_output_type(result: ConfigScores, metrics: Sequence[str]) -> dict[str, Part] | None:
    if result.output_types is None:
        return None
    kinds: dict[str, list[AnswerScores]] = {}
    for kind, score in zip(result.output_types, result.scores, strict=True):
        kinds.setdefault(kind or "", []).append(score)
    commonest_first = sorted(kinds.items(), key=lambda item: -len(item[1]))
    return {kind: Part(len(of), {each: mean(of, each) for each in metrics}) for kind, of in commonest_first}
