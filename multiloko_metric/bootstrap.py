"""Intervals by resampling questions: what a run's numbers would be had other questions been written.

Questions are drawn with replacement within each source language. Configs that hold the same questions (``fr``,
``fr-en-human`` and ``fr-en-machine``; ``en`` and every ``en-fr-human``) get the same draws, by id: an effect is a
difference of answers to the same questions. The draws follow from the seed, the source language and the ids alone, so
that two runs over the same questions are resampled alike. Languages are not resampled: an average's interval is about
these languages, its standard error across languages about how much they differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .averages import translated_language
from .effects import EFFECTS
from .errors import MultiLoKoError
from .intervals import Interval
from .languages import ENGLISH, LANGUAGES, PARTITIONS, Config, Language

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

RESAMPLES = 2000
FEWEST_RESAMPLES = 100
"""With fewer, the ends of an interval at 95 % rest on two draws."""
_DRAWS_AT_ONCE = 4_000_000
"""Bounds memory: 32 MB of draws and as much of counts."""


@dataclass(frozen=True)
class Answers:
    """What is resampled of one config: a row of scores for each question, one column for each metric."""

    ids: Sequence[str]
    scores: Sequence[Sequence[float]]


@dataclass(frozen=True)
class GroupBootstrap:
    """Intervals of one metric over the configs of a partition, in the metric's unit."""

    average: Interval
    gap: Interval | None
    """Not centred on the gap: see `gap_bias`. None for fewer than two configs, between which there is none."""
    gap_bias: float | None
    """Mean of the resampled gaps minus the gap. Positive: a maximum picks up luck, a minimum bad luck, once more with
    every resampling. The gap of the run exceeds that of the true scores likewise, by this or more
    (`docs/gap_bias.py` shows how much)."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        gap = self.gap.to_dict() if self.gap else None
        return {"average": self.average.to_dict(), "gap": gap, "gap_bias": self.gap_bias}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> GroupBootstrap:
        """Return what `to_dict` gave."""
        gap = Interval.from_dict(data["gap"]) if data["gap"] else None
        return cls(Interval.from_dict(data["average"]), gap, data["gap_bias"])


@dataclass(frozen=True)
class EffectBootstrap:
    """Intervals of an effect by one metric: of its average over languages, and in each."""

    average: Interval
    by_language: Mapping[str, Interval]

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        by_language = {name: interval.to_dict() for name, interval in self.by_language.items()}
        return {"average": self.average.to_dict(), "by_language": by_language}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> EffectBootstrap:
        """Return what `to_dict` gave."""
        by_language = {name: Interval.from_dict(interval) for name, interval in data["by_language"].items()}
        return cls(Interval.from_dict(data["average"]), by_language)


@dataclass(frozen=True)
class Bootstrap:
    """Percentile intervals at 95 % of a run's groups and effects."""

    resamples: int
    seed: int
    groups: Mapping[str, Mapping[str, GroupBootstrap]]
    """By partition and metric."""
    effects: Mapping[str, Mapping[str, EffectBootstrap]]
    """By name of the effect and metric."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        return {
            "resamples": self.resamples,
            "seed": self.seed,
            "groups": {name: {each: of.to_dict() for each, of in by.items()} for name, by in self.groups.items()},
            "effects": {name: {each: of.to_dict() for each, of in by.items()} for name, by in self.effects.items()},
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Bootstrap:
        """Return what `to_dict` gave."""
        return cls(
            data["resamples"],
            data["seed"],
            {
                name: {metric: GroupBootstrap.from_dict(of) for metric, of in by.items()}
                for name, by in data["groups"].items()
            },
            {
                name: {metric: EffectBootstrap.from_dict(of) for metric, of in by.items()}
                for name, by in data["effects"].items()
            },
        )


@dataclass(frozen=True)
class Statistics:
    """Groups and effects of many resamples: arrays whose last two axes are resample and metric."""

    averages: Mapping[str, Array]
    """By partition."""
    gaps: Mapping[str, Array]
    """By partition."""
    effects: Mapping[str, Array]
    """By name; the first axis is the language, in the order of `effect_languages`."""
    effect_languages: Mapping[str, Sequence[str]]


def bootstrap(
    answers: Mapping[Config, Answers], metrics: Sequence[str], *, resamples: int = RESAMPLES, seed: int = 0
) -> Bootstrap:
    """Return percentile intervals at 95 % of the groups and effects of a run.

    Args:
        answers: the scores of each config that was run; ``metrics`` names their columns.
        metrics: names of the metrics.
        resamples: how often the questions are drawn; at least 100.
        seed: of the draws. The same seed gives the same intervals, in any order of the answers.

    Raises:
        MultiLoKoError: fewer resamples than 100.
    """
    if resamples < FEWEST_RESAMPLES:
        raise MultiLoKoError(f"expected at least {FEWEST_RESAMPLES} resamples, found {resamples}")
    observed = statistics(observed_means(answers))
    drawn = statistics(resampled_means(answers, resamples, seed))
    return Bootstrap(
        resamples,
        seed,
        {
            name: _group_intervals(name, observed, drawn, metrics, sum(each.partition == name for each in answers))
            for name in observed.averages
        },
        {name: _effect_intervals(name, drawn, metrics) for name in observed.effects},
    )


def _group_intervals(
    partition: str, observed: Statistics, drawn: Statistics, metrics: Sequence[str], configs: int
) -> dict[str, GroupBootstrap]:
    averages, gaps = percentiles(drawn.averages[partition]), percentiles(drawn.gaps[partition])
    bias = drawn.gaps[partition].mean(axis=0) - observed.gaps[partition][0]
    if configs < 2:
        return {metric: GroupBootstrap(averages[column], None, None) for column, metric in enumerate(metrics)}
    return {
        metric: GroupBootstrap(averages[column], gaps[column], float(bias[column]))
        for column, metric in enumerate(metrics)
    }


def _effect_intervals(name: str, drawn: Statistics, metrics: Sequence[str]) -> dict[str, EffectBootstrap]:
    averages = percentiles(drawn.effects[name].mean(axis=0))
    by_language = [percentiles(of_language) for of_language in drawn.effects[name]]
    languages = drawn.effect_languages[name]
    return {
        metric: EffectBootstrap(
            averages[column],
            {language: of[column] for language, of in zip(languages, by_language, strict=True)},
        )
        for column, metric in enumerate(metrics)
    }


def percentiles(drawn: Array) -> list[Interval]:
    """Return the percentile interval at 95 % of each column."""
    import numpy as np

    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    return [Interval(float(a), float(b)) for a, b in zip(low, high, strict=True)]


def observed_means(answers: Mapping[Config, Answers]) -> dict[Config, Array]:
    """Return the mean of each metric of each config, as one row: a resample in which every question is drawn once."""
    import numpy as np

    tables = {config: np.asarray(of.scores, dtype=np.float64) for config, of in answers.items()}
    return {config: table.mean(axis=0, keepdims=True) for config, table in tables.items()}


def resampled_means(answers: Mapping[Config, Answers], resamples: int, seed: int) -> dict[Config, Array]:
    """Return the means of each config in each resample: (resamples, metrics)."""
    means: dict[Config, Array] = {}
    for source in dict.fromkeys(config.source for config in answers):
        family = {config: of for config, of in answers.items() if config.source is source}
        means |= _family_means(family, resamples, seed, source)
    return {config: means[config] for config in answers}


def _family_means(family: Mapping[Config, Answers], resamples: int, seed: int, source: Language) -> dict[Config, Array]:
    """Return the resampled means of the configs of one source language.

    Questions are drawn in strata, each of the questions that the same configs have: so every config keeps its number of
    questions in every resample, whichever questions it shares with which other.
    """
    import numpy as np

    place = {config: {identifier: row for row, identifier in enumerate(of.ids)} for config, of in family.items()}
    scores = {config: np.asarray(of.scores, dtype=np.float64) for config, of in family.items()}
    sums = {config: np.zeros((resamples, scores[config].shape[1])) for config in family}
    for number, (configs, ids) in enumerate(_strata(place)):
        rows = np.hstack([scores[config][[place[config][identifier] for identifier in ids]] for config in configs])
        generator = np.random.default_rng([seed, LANGUAGES.index(source), number])
        drawn = np.vstack([counts @ rows for counts in _counts(generator, len(ids), resamples)])
        for config, of in zip(configs, np.split(drawn, len(configs), axis=1), strict=True):
            sums[config] += of
    return {config: of / len(family[config].ids) for config, of in sums.items()}


def _strata(place: Mapping[Config, Mapping[str, int]]) -> list[tuple[list[Config], list[str]]]:
    """Return the ids that the same configs have, with those configs, both sorted."""
    holders: dict[str, list[Config]] = {}
    for config in sorted(place, key=lambda each: each.name):
        for identifier in place[config]:
            holders.setdefault(identifier, []).append(config)
    strata: dict[tuple[str, ...], tuple[list[Config], list[str]]] = {}
    for identifier in sorted(holders):
        configs = holders[identifier]
        strata.setdefault(tuple(config.name for config in configs), (configs, []))[1].append(identifier)
    return [strata[names] for names in sorted(strata)]


def _counts(generator: np.random.Generator, questions: int, resamples: int) -> Iterator[Array]:
    """Yield blocks of resamples, a row each: how often each question was drawn."""
    import numpy as np

    block = max(1, _DRAWS_AT_ONCE // questions)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        draws = generator.integers(questions, size=(size, questions))
        draws += np.arange(size)[:, np.newaxis] * questions
        yield np.bincount(draws.ravel(), minlength=size * questions).reshape(size, questions).astype(np.float64)


def statistics(means: Mapping[Config, Array]) -> Statistics:
    """Return the groups and effects of means that are (resamples, metrics) for each config."""
    import numpy as np

    by_place = {(config.partition, translated_language(config).name): of for config, of in means.items()}
    groups = {
        partition: np.stack(members)
        for partition in PARTITIONS
        if (members := [of for config, of in means.items() if config.partition == partition])
    }
    languages = {
        effect.name: [
            name
            for partition, name in by_place
            if partition == effect.first and name != ENGLISH.name and (effect.second, name) in by_place
        ]
        for effect in EFFECTS
    }
    return Statistics(
        {partition: of.mean(axis=0) for partition, of in groups.items()},
        {partition: of.max(axis=0) - of.min(axis=0) for partition, of in groups.items()},
        {
            effect.name: np.stack(
                [by_place[effect.first, name] - by_place[effect.second, name] for name in languages[effect.name]]
            )
            for effect in EFFECTS
            if languages[effect.name]
        },
        {name: of for name, of in languages.items() if of},
    )
