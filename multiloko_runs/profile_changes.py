"""Which answers two profiles score differently, and by which rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from multiloko_metric.profiles import Profile
from multiloko_metric.scoring import Scorer

from .matching import MatchedConfig

SEVERAL = "several rules together"


@dataclass(frozen=True)
class Change:
    """An answer whose score two profiles do not agree on."""

    config: str
    id: str
    before: float
    """Its score under the first profile."""
    after: float
    rules: tuple[str, ...]
    """Each a rule that makes the difference alone: ``+`` where the second profile has it, ``-`` where it lacks it."""
    prediction: str
    """The form of the answer that gave the score under the second profile."""
    target: str | None
    """The form of the target it was compared with, as raw text where there is no single one."""


@dataclass(frozen=True)
class _Case:
    """An answer to be scored by one metric under several profiles."""

    metric: str
    prediction: str
    targets: Sequence[str]
    language: str

    def value(self, profile: Profile) -> float:
        scores = _scorer(profile).score(self.prediction, self.targets, self.language)
        return float(getattr(scores, self.metric))


def config_changes(before: Profile, after: Profile, metric: str, matched: MatchedConfig) -> tuple[list[Change], int]:
    """The answers of a config that change, and how many there are in all."""
    return list(changes(matched, before, after, metric)), len(matched.ids)


def changes(matched: MatchedConfig, before: Profile, after: Profile, metric: str) -> Iterator[Change]:
    """Yield the answers of a config that the two profiles score differently, each with the rules that make it so."""
    language = matched.config.question.name
    for identifier, prediction, question in zip(matched.ids, matched.predictions, matched.questions, strict=True):
        case = _Case(metric, prediction, question.targets, language)
        old, new = case.value(before), case.value(after)
        if old != new:
            winner = _scorer(after).trace(prediction, question.targets, language).winners[metric]
            rules = _responsible_rules(case, before, after)
            yield Change(matched.config.name, identifier, old, new, rules, winner.prediction, winner.target)


def _responsible_rules(case: _Case, before: Profile, after: Profile) -> tuple[str, ...]:
    """Return the rules each of which alone makes the difference between the two values."""
    old, new = ({rule.name: rule for rule in profile.rules} for profile in (before, after))
    added = [
        f"+{name}"
        for name, rule in new.items()
        if old.get(name) != rule and case.value(_borrowing(after, name, before)) == case.value(before)
    ]
    dropped = [
        f"-{name}"
        for name in old
        if name not in new and case.value(_borrowing(before, name, after)) == case.value(after)
    ]
    return (*added, *dropped) or (SEVERAL,)


_scorer = cache(Scorer)


@cache
def _borrowing(profile: Profile, name: str, other: Profile) -> Profile:
    return profile.borrowing(name, other)
