"""Runs compared on the same questions: differences with paired intervals, and McNemar's test language by language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from multiloko_metric.averages import ConfigScores
from multiloko_metric.bootstrap import (
    RESAMPLES,
    Answers,
    Statistics,
    observed_means,
    percentiles,
    resampled_means,
    statistics,
)
from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.intervals import Interval
from multiloko_metric.languages import Config
from multiloko_metric.summary import answers_of

if TYPE_CHECKING:
    from pandas import DataFrame

SCHEMA = "multiloko-comparison/1"
NOISE = 0.05
"""Corrected p from which on a difference in one language is called noise."""


@dataclass(frozen=True)
class Compared:
    """One of the runs, and how much of it there is to compare."""

    name: str
    answered: int
    """Questions it answered, in all its configs."""
    common: int
    """Of those, the questions that every other run answered too."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        return {"name": self.name, "answered": self.answered, "common": self.common}


@dataclass(frozen=True)
class Difference:
    """A number of two runs: first minus second, in the metric's unit, over the common questions."""

    first: float
    second: float
    interval: Interval
    """Percentile interval of the difference at 95 %, by resampling the questions of both runs alike."""

    @property
    def difference(self) -> float:
        """First minus second."""
        return self.first - self.second

    @property
    def within_noise(self) -> bool:
        """Whether the interval holds 0."""
        return self.interval.low <= 0 <= self.interval.high

    def reversed(self) -> Difference:
        """Return it as second minus first."""
        return Difference(self.second, self.first, Interval(-self.interval.high, -self.interval.low))

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "interval": self.interval.to_dict(),
            "within_noise": self.within_noise,
        }


@dataclass(frozen=True)
class Flips:
    """Right and wrong (em) of two runs on the common questions of one config."""

    config: Config
    both: int
    neither: int
    first_only: tuple[str, ...]
    """Ids of the questions that only the first run has right."""
    second_only: tuple[str, ...]
    p: float
    """McNemar's exact two-sided p, 0..1: how likely so uneven a split of the flips is when neither run is better."""
    p_holm: float
    """Corrected by Holm for as many looks as configs of the same partition are compared."""

    @property
    def questions(self) -> int:
        """How many questions both answered."""
        return self.both + self.neither + len(self.first_only) + len(self.second_only)

    @property
    def within_noise(self) -> bool:
        """Whether the corrected p is 0.05 or more."""
        return self.p_holm >= NOISE

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        return {
            "questions": self.questions,
            "both": self.both,
            "neither": self.neither,
            "first_only": list(self.first_only),
            "second_only": list(self.second_only),
            "p": self.p,
            "p_holm": self.p_holm,
            "within_noise": self.within_noise,
        }


@dataclass(frozen=True)
class Pair:
    """Two runs compared."""

    first: str
    second: str
    differences: Mapping[str, Difference]
    """``average`` and ``gap`` of each partition (``local.average``) and the average of each effect (``mte_human``)."""
    flips: Mapping[str, Flips]
    """By name of the config."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "differences": {name: each.to_dict() for name, each in self.differences.items()},
            "flips": {name: each.to_dict() for name, each in self.flips.items()},
        }


@dataclass(frozen=True)
class RunComparison:
    """Two runs or more on the questions that all of them answered."""

    metric: str
    resamples: int
    seed: int
    runs: tuple[Compared, ...]
    questions: Mapping[str, int]
    """Common questions by name of the config, in order of appearance in the first run."""
    values: Mapping[str, Mapping[str, float]]
    """By run, what `Pair.differences` are differences of."""
    pairs: tuple[Pair, ...]
    """Every run with every later one."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON, with a ``schema``."""
        return {
            "schema": SCHEMA,
            "metric": self.metric,
            "resamples": self.resamples,
            "seed": self.seed,
            "runs": [run.to_dict() for run in self.runs],
            "questions": dict(self.questions),
            "values": {name: dict(of) for name, of in self.values.items()},
            "pairs": [pair.to_dict() for pair in self.pairs],
        }

    def to_pandas(self) -> DataFrame:
        """Return a row for each pair of runs and each number compared: its values, the difference and its interval."""
        from pandas import DataFrame

        return DataFrame(
            [
                {
                    "first_run": pair.first,
                    "second_run": pair.second,
                    "what": name,
                    "first": each.first,
                    "second": each.second,
                    "difference": each.difference,
                    "low": each.interval.low,
                    "high": each.interval.high,
                    "within_noise": each.within_noise,
                }
                for pair in self.pairs
                for name, each in pair.differences.items()
            ]
        )

    def _repr_html_(self) -> str:
        """Show the differences, as notebooks do with the last value of a cell."""
        count = f"{sum(self.questions.values()):,} questions of {len(self.questions)} configs that every run answered"
        return f"<p>{count}; {self.metric}</p>" + str(self.to_pandas().to_html(float_format="{:.4g}".format))


def compare(
    runs: Mapping[str, Sequence[ConfigScores]], *, metric: str = "em", resamples: int = RESAMPLES, seed: int = 0
) -> RunComparison:
    """Compare runs, by name, on the questions that all of them answered.

    Args:
        runs: two or more, with the scores of their configs.
        metric: of the differences; flips are always of em.
        resamples: how often questions are drawn; at least 100.
        seed: of the draws.

    Raises:
        MultiLoKoError: fewer than two runs, no question that all answered, or a metric that one of them lacks.
    """
    if len(runs) < 2:
        raise MultiLoKoError(f"expected at least two runs to compare, found {len(runs)}")
    common = _common(runs)
    if not common:
        raise MultiLoKoError(f"no question was answered by all of {', '.join(runs)}: there is nothing to compare")
    restricted = {name: _restricted(results, common) for name, results in runs.items()}
    answers = {name: _answers(name, results, metric) for name, results in restricted.items()}
    observed = {name: statistics(observed_means(of)) for name, of in answers.items()}
    # The same seed over the same questions: every run is resampled alike.
    drawn = {name: statistics(resampled_means(of, resamples, seed)) for name, of in answers.items()}
    return RunComparison(
        metric,
        resamples,
        seed,
        tuple(_compared(name, results, common) for name, results in runs.items()),
        {config.name: len(ids) for config, ids in common.items()},
        {name: {label: float(of[0]) for label, of in _numbers(found)} for name, found in observed.items()},
        tuple(
            Pair(
                first,
                second,
                _differences(observed[first], observed[second], drawn[first], drawn[second]),
                _flips(restricted[first], restricted[second]),
            )
            for first, second in combinations(runs, 2)
        ),
    )


def mcnemar(first_only: int, second_only: int) -> float:
    """Return McNemar's exact two-sided p for the questions that only one of two runs has right: 0..1, 1 for none.

    It is the binomial test of an even split. Source: McNemar 1947, Psychometrika 12, 153-157.
    """
    from scipy.stats import binomtest  # takes a second to import

    discordant = first_only + second_only
    return float(binomtest(first_only, discordant).pvalue) if discordant else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p values corrected for as many looks, in the same order.

    Source: Holm 1979, Scandinavian Journal of Statistics 6, 65-70.
    """
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = highest
    return corrected


def _answered(result: ConfigScores) -> list[str]:
    return [identifier for identifier, there in zip(result.ids, result.answered, strict=True) if there]


def _common(runs: Mapping[str, Sequence[ConfigScores]]) -> dict[Config, list[str]]:
    """Return the ids that every run answered, by config."""
    first, *others = ({result.config: _answered(result) for result in results} for results in runs.values())
    common: dict[Config, list[str]] = {}
    for config, ids in first.items():
        shared = set(ids).intersection(*(other.get(config, ()) for other in others))
        if shared:
            common[config] = [identifier for identifier in ids if identifier in shared]
    return common


def _compared(name: str, results: Sequence[ConfigScores], common: Mapping[Config, Sequence[str]]) -> Compared:
    return Compared(name, sum(sum(result.answered) for result in results), sum(map(len, common.values())))


def _restricted(results: Sequence[ConfigScores], common: Mapping[Config, Sequence[str]]) -> list[ConfigScores]:
    """Return the common questions of a run, in the common order."""
    by_config = {result.config: result for result in results}
    restricted = []
    for config, ids in common.items():
        scores = dict(zip(by_config[config].ids, by_config[config].scores, strict=True))
        restricted.append(ConfigScores(config, ids, [scores[each] for each in ids], [True] * len(ids)))
    return restricted


def _answers(name: str, results: Sequence[ConfigScores], metric: str) -> dict[Config, Answers]:
    if getattr(results[0].scores[0], metric, None) is None:
        raise MultiLoKoError(f"{name} has no metric {metric!r}")
    return {result.config: answers_of(result, [metric]) for result in results}


def _numbers(found: Statistics) -> Iterator[tuple[str, Any]]:
    """Yield the name and the resamples of each number that is compared, of its only metric."""
    for partition in found.averages:
        yield f"{partition}.average", found.averages[partition][:, 0]
        yield f"{partition}.gap", found.gaps[partition][:, 0]
    for name, by_language in found.effects.items():
        yield name, by_language.mean(axis=0)[:, 0]


def _differences(
    first: Statistics, second: Statistics, first_drawn: Statistics, second_drawn: Statistics
) -> dict[str, Difference]:
    first_value, second_value = dict(_numbers(first)), dict(_numbers(second))
    others = dict(_numbers(second_drawn))
    return {
        name: Difference(
            float(first_value[name][0]),
            float(second_value[name][0]),
            percentiles((drawn - others[name])[:, None])[0],
        )
        for name, drawn in _numbers(first_drawn)
    }


def _flips(first: Sequence[ConfigScores], second: Sequence[ConfigScores]) -> dict[str, Flips]:
    found = [_flips_of(one, other) for one, other in zip(first, second, strict=True)]
    corrected: dict[str, float] = {}
    for partition in dict.fromkeys(each.config.partition for each in found):
        members = [each for each in found if each.config.partition == partition]
        for each, p_holm in zip(members, holm([each.p for each in members]), strict=True):
            corrected[each.config.name] = p_holm
    return {each.config.name: replace(each, p_holm=corrected[each.config.name]) for each in found}


def _flips_of(first: ConfigScores, second: ConfigScores) -> Flips:
    """Return the flips of one config; the p is not corrected yet."""
    both = neither = 0
    first_only, second_only = [], []
    for identifier, one, other in zip(first.ids, first.scores, second.scores, strict=True):
        if one.em == 1:
            if other.em == 1:
                both += 1
            else:
                first_only.append(identifier)
        elif other.em == 1:
            second_only.append(identifier)
        else:
            neither += 1
    p = mcnemar(len(first_only), len(second_only))
    return Flips(first.config, both, neither, tuple(first_only), tuple(second_only), p, p)
