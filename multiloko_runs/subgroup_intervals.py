"""How sure the mean of a group of questions is, and its difference from the rest.

A group is some questions of some configs of one partition. Its mean is the average over the configs of each config's
share of right answers; so a question of a config with few questions of the group weighs more than one of a config with
many. Three things make such a mean less sure than its number of questions says, and all three are counted:

- unequal weights: the effective number of questions is 1 over the sum of the squared weights (Kish 1965, *Survey
  Sampling*), fewer than there are;
- a question that is asked in several languages (the English ones in 30) is not 30 questions: the correlation of being
  right in two languages is estimated, and counts as in the design effect of clusters (Kish again);
- few, or none, or all are right: the interval is Wilson's, with the effective number of questions as its trials.

``docs/subgroup_coverage.py`` measures how often the intervals hold the true value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from multiloko_metric.intervals import Interval, wilson
from multiloko_metric.languages import Config

_SHARED = {"traditional_mandarin": "simplified_mandarin"}
"""Languages that have the questions of another one, in another script, under the same ids."""

QuestionKey = tuple[str, str]
"""Which question it is, in whatever language it is asked: whose it is, and its id."""
Answers = Mapping[Config, Mapping[str, float]]
"""Of some configs of one partition, by id: whether the answer is right, 1 or 0."""


def question_key(config: Config, identifier: str) -> QuestionKey:
    """Return what configs of one partition have in common that ask the same question."""
    source = config.source.name
    return _SHARED.get(source, source), identifier


@dataclass(frozen=True)
class GroupMean:
    """The mean of a group, and how much its answers say."""

    answers: Answers
    """At least one answer of at least one config, and none without any."""
    correlation: float
    """Between two answers to one question, 0..1 (`correlation_between_languages`)."""

    @cached_property
    def by_config(self) -> dict[Config, float]:
        """Share of right answers in each config."""
        return {config: math.fsum(of.values()) / len(of) for config, of in self.answers.items()}

    @cached_property
    def mean(self) -> float:
        """Average over the configs, each counting the same: 0..1."""
        return math.fsum(self.by_config.values()) / len(self.by_config)

    @cached_property
    def weights(self) -> dict[QuestionKey, float]:
        """How much of the mean rests on each question, over all languages it is asked in: 1 in all."""
        found: dict[QuestionKey, float] = {}
        for config, of in self.answers.items():
            weight = 1 / (len(self.answers) * len(of))
            for identifier in of:
                key = question_key(config, identifier)
                found[key] = found.get(key, 0.0) + weight
        return found

    @cached_property
    def effective(self) -> float:
        """Number of questions, each asked once and weighing the same, that would say as much."""
        alone = math.fsum(1 / len(of) for of in self.answers.values()) / len(self.answers) ** 2
        together = math.fsum(weight * weight for weight in self.weights.values()) - alone
        return 1 / (alone + self.correlation * max(0.0, together))

    @cached_property
    def interval(self) -> Interval:
        """Wilson's interval at 95 % with the effective number of questions: of these languages, whatever is asked."""
        share = min(1.0, max(0.0, self.mean))
        return wilson(share * self.effective, self.effective)


def correlation_between_languages(answers: Answers) -> float:
    """Return how alike two answers to one question are, in different configs of a partition: 0..1.

    It is the average product of two deviations from the config's mean, over the average square of one. 0 where no
    question is asked twice; 1, the most cautious, where it is but no answer deviates.
    """
    means = {config: math.fsum(of.values()) / len(of) for config, of in answers.items()}
    deviations: dict[QuestionKey, list[float]] = {}
    for config, of in answers.items():
        for identifier, value in of.items():
            deviations.setdefault(question_key(config, identifier), []).append(value - means[config])
    repeated = [each for each in deviations.values() if len(each) > 1]
    if not repeated:
        return 0.0
    squares = [math.fsum(value * value for value in each) for each in repeated]
    products = math.fsum(math.fsum(each) ** 2 - square for each, square in zip(repeated, squares, strict=True))
    most = math.fsum((len(each) - 1) * square for each, square in zip(repeated, squares, strict=True))
    return min(1.0, max(0.0, products / most)) if most else 1.0


def difference_by_questions(group: GroupMean, rest: GroupMean) -> Interval:
    """Return the interval at 95 % of group minus rest, of these languages, had other questions been asked.

    Newcombe's hybrid of the two Wilson intervals, with the correlation of the two means where they rest on the same
    questions (Newcombe 1998, Statistics in Medicine 17, 873-890, method 10; and 2635-2650 for pairs).
    """
    alike = _correlation_of_means(group, rest)
    (below, above), (rest_below, rest_above) = (
        (of.mean - of.interval.low, of.interval.high - of.mean) for of in (group, rest)
    )
    difference = group.mean - rest.mean
    return Interval(
        difference - _third_side(below, rest_above, alike), difference + _third_side(above, rest_below, alike)
    )


def _correlation_of_means(group: GroupMean, rest: GroupMean) -> float:
    if not (0 < group.mean < 1 and 0 < rest.mean < 1):
        return 0.0
    common = math.fsum(weight * rest.weights.get(key, 0.0) for key, weight in group.weights.items())
    return min(1.0, group.correlation * common * math.sqrt(group.effective * rest.effective))


def _third_side(first: float, second: float, alike: float) -> float:
    return math.sqrt(max(0.0, first * first + second * second - 2 * alike * first * second))


def difference_by_languages(group: Sequence[float], rest: Sequence[float]) -> Interval | None:
    """Return the interval at 95 % of the mean of some languages minus that of others, as languages differ at all.

    Student's, with one variance for both, so that a group of one language is asked whether it lies outside what the
    others spread over. None for fewer than three languages in all, which say nothing of how much languages differ.
    """
    degrees = len(group) + len(rest) - 2
    if degrees < 1 or not group or not rest:
        return None
    from scipy.special import stdtrit  # only where groups of languages are asked for

    means = [math.fsum(values) / len(values) for values in (group, rest)]
    squares = math.fsum(_squares(group, means[0])) + math.fsum(_squares(rest, means[1]))
    error = math.sqrt(squares / degrees * (1 / len(group) + 1 / len(rest)))
    half = float(stdtrit(degrees, 0.975)) * error
    return Interval(means[0] - means[1] - half, means[0] - means[1] + half)


def _squares(values: Iterable[float], mean: float) -> list[float]:
    return [(value - mean) ** 2 for value in values]
