"""What a language and a translation change: the effects of the paper, and the overlap of right answers.

Each effect is a difference of two configs of the same language L, one of each of two partitions (`EFFECTS`). English
has none: it is asked and sourced in English.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .averages import translated_language
from .intervals import standard_error
from .languages import ENGLISH, Config


@dataclass(frozen=True)
class EffectDefinition:
    """A difference between two partitions: the score in ``first`` minus the score in ``second``."""

    name: str
    title: str
    first: str
    second: str
    translation: str | None
    """Which translations it is from; None where it compares human with machine."""


EFFECTS = (
    EffectDefinition("mte_human", "mother tongue effect", "local", "to_english_human", "human"),
    EffectDefinition("mte_machine", "mother tongue effect", "local", "to_english_machine", "machine"),
    EffectDefinition("le_human", "locality effect", "local", "from_english_human", "human"),
    EffectDefinition("le_machine", "locality effect", "local", "from_english_machine", "machine"),
    EffectDefinition(
        "mt_to_english", "machine translation effect, to English", "to_english_human", "to_english_machine", None
    ),
    EffectDefinition(
        "mt_from_english",
        "machine translation effect, from English",
        "from_english_human",
        "from_english_machine",
        None,
    ),
)
"""MTE(L) = score(L) - score(L asked in English): positive where it is easier in the mother tongue. LE(L) = score(L) -
score(English questions asked in L): positive where translated English data underestimate L. Source: Hupkes and
Bogoychev 2025, arXiv 2504.10356. The machine translation effect is human minus machine: positive where machine
translation costs."""


@dataclass(frozen=True)
class EffectScore:
    """An effect by one metric, in the metric's unit; for distances, positive means farther away in ``first``."""

    by_language: Mapping[str, float]
    """Official name of each language with both sides, in order of appearance."""
    average: float
    standard_error: float | None
    """Over languages; None for fewer than two."""
    two_standard_errors: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        return {
            "average": self.average,
            "standard_error": self.standard_error,
            "two_standard_errors": self.two_standard_errors,
            "by_language": dict(self.by_language),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> EffectScore:
        """Return what `to_dict` gave."""
        return cls(data["by_language"], data["average"], data["standard_error"], data["two_standard_errors"])


@dataclass(frozen=True)
class Effect:
    """One effect over the languages that have both sides."""

    name: str
    """Of one of EFFECTS."""
    languages: int
    """How many languages have both sides."""
    without_partner: tuple[str, ...]
    """Official names of the languages that have one side only."""
    scores: Mapping[str, EffectScore]
    """By metric; empty where no language has both sides."""

    @property
    def definition(self) -> EffectDefinition:
        """What it is the difference of."""
        return next(definition for definition in EFFECTS if definition.name == self.name)

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        definition = self.definition
        return {
            "translation": definition.translation,
            "first": definition.first,
            "second": definition.second,
            "languages": self.languages,
            "without_partner": list(self.without_partner),
            "scores": {metric: score.to_dict() for metric, score in self.scores.items()},
        }

    @classmethod
    def from_dict(cls, name: str, data: dict[str, Any]) -> Effect:
        """Return what `to_dict` gave."""
        scores = {metric: EffectScore.from_dict(score) for metric, score in data["scores"].items()}
        return cls(name, data["languages"], tuple(data["without_partner"]), scores)


def effects(means: Mapping[Config, Mapping[str, float]]) -> tuple[Effect, ...]:
    """Return every effect of which at least one side was run, given the mean of each metric for each config."""
    by_place = {(config.partition, translated_language(config).name): of for config, of in means.items()}
    found = (_effect(definition, by_place) for definition in EFFECTS)
    return tuple(effect for effect in found if effect.languages or effect.without_partner)


def _effect(definition: EffectDefinition, means: Mapping[tuple[str, str], Mapping[str, float]]) -> Effect:
    sides = {definition.first, definition.second}
    languages = dict.fromkeys(name for partition, name in means if partition in sides and name != ENGLISH.name)
    both = [name for name in languages if all((side, name) in means for side in sides)]
    metrics = means[definition.first, both[0]] if both else ()
    scores = {
        metric: _score(
            {name: means[definition.first, name][metric] - means[definition.second, name][metric] for name in both}
        )
        for metric in metrics
    }
    return Effect(definition.name, len(both), tuple(name for name in languages if name not in both), scores)


def _score(by_language: Mapping[str, float]) -> EffectScore:
    error = standard_error(list(by_language.values()))
    average = sum(by_language.values()) / len(by_language)
    return EffectScore(by_language, average, error, None if error is None else 2 * error)


@dataclass(frozen=True)
class Overlap:
    """The same questions asked in two languages, paired by id: in which of the two they were answered right (em)."""

    first: str
    """Name of the local config: fr, or en."""
    second: str
    """Name of the config with its translations: fr-en-human, or en-fr-human."""
    both: int
    first_only: int
    second_only: int
    neither: int

    @property
    def one(self) -> int:
        """Questions right in exactly one of the two."""
        return self.first_only + self.second_only

    @property
    def ratio(self) -> float | None:
        """Both right over either right, 0..1; None where none is right in either."""
        either = self.both + self.one
        return self.both / either if either else None

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "both": self.both,
            "one": self.one,
            "first_only": self.first_only,
            "second_only": self.second_only,
            "neither": self.neither,
            "ratio": self.ratio,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Overlap:
        """Return what `to_dict` gave."""
        counts = (data[name] for name in ("both", "first_only", "second_only", "neither"))
        return cls(data["first"], data["second"], *counts)


def overlaps(right: Mapping[Config, Mapping[str, bool]]) -> tuple[Overlap, ...]:
    """Return the overlap of every local config with each of its translations.

    Args:
        right: for each config, whether each question was answered right, by id. Questions that only one of two configs
            has are left out of their overlap, and two configs without a common one have none.
    """
    local = {config.source: config for config in right if config.translation is None}
    pairs = ((local[config.source], config) for config in right if config.translation and config.source in local)
    found = (_overlap(first, second, right) for first, second in pairs)
    return tuple(overlap for overlap in found if overlap is not None)


def _overlap(first: Config, second: Config, right: Mapping[Config, Mapping[str, bool]]) -> Overlap | None:
    others = right[second]
    outcomes = [(is_right, others[identifier]) for identifier, is_right in right[first].items() if identifier in others]
    if not outcomes:
        return None
    counts = (outcomes.count(outcome) for outcome in ((True, True), (True, False), (False, True), (False, False)))
    return Overlap(first.name, second.name, *counts)
