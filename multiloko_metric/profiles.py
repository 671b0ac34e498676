"""Normalisation profiles: which rules make what is compared of the text of an answer and of a target.

``release``, ``unicode`` and ``variants`` are the rules of ``eval.py`` in facebookresearch/multiloko at one commit each.
``lenient`` is this project's own: ``variants``, and a second comparison on folded text.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace

from .errors import MultiLoKoError
from .folding import FOLDS
from .normalization import (
    ANSWER_IS,
    ENGLISH_ARTICLES,
    LOWER,
    PUNCTUATION,
    RELEASE_PUNCTUATION,
    SPACES,
    Rule,
    TextRule,
    apply_in_turn,
)
from .variants import VARIANTS

CHARACTERS_RULE = Rule(
    "characters", "f1 of folded text also compares characters where a script has no spaces (Han, kana, Thai, Khmer)"
)


class UnknownProfileError(MultiLoKoError):
    """A name that is no profile's."""


@dataclass(frozen=True)
class Profile:
    """One way to normalise and score."""

    name: str
    commit: str | None
    """Commit of facebookresearch/multiloko whose ``eval.py`` it reproduces; None for the project's own."""
    description: str
    metrics: tuple[str, ...]
    """The official metrics it has, in the official order."""
    steps: tuple[TextRule, ...]
    """What is done to every text, in this order."""
    variants: tuple[Rule, ...] = ()
    """In which forms a normalised text is then compared; none: in that one."""
    folds: tuple[TextRule, ...] = ()
    """What is done to the raw text before `steps` for a second comparison; each metric is the better of the two."""
    comparison: tuple[Rule, ...] = ()
    """What else is compared on folded text."""

    @property
    def needs_language(self) -> bool:
        """Whether the language of the question matters."""
        return bool(self.variants or self.folds)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Every rule in the order of its work."""
        return (*self.folds, *self.steps, *self.variants, *self.comparison)

    def normalize(self, text: str) -> str:
        """Return ``text`` after every one of `steps`."""
        return apply_in_turn(self.steps, text)

    def folds_for(self, language: str) -> tuple[TextRule, ...]:
        """Return those of `folds` that are for the language of that official name."""
        return tuple(rule for rule in self.folds if rule.languages is None or language in rule.languages)

    def fold(self, text: str, language: str) -> str:
        """Return raw ``text`` after all of `folds_for` the language of that official name."""
        return apply_in_turn(self.folds_for(language), text)

    def borrowing(self, name: str, other: Profile) -> Profile:
        """Return this profile with the rule of that name as ``other`` has it, or without it where ``other`` has none.

        What this changes in a score is what that rule does to it.
        """
        theirs = {rule.name: rule for rule in other.rules}.get(name)
        steps = [step if step.name != name else theirs for step in self.steps]
        return replace(
            self,
            steps=tuple(step for step in steps if isinstance(step, TextRule)),
            variants=tuple(rule for rule in self.variants if rule.name != name or theirs),
            folds=tuple(rule for rule in self.folds if rule.name != name or theirs),
            comparison=tuple(rule for rule in self.comparison if rule.name != name or theirs),
        )


_METRICS = ("em", "f1", "bleu", "chrf", "edit_distance", "edit_similarity", "contains")
_RELEASE = Profile(
    name="release",
    commit="4f4de60",
    description="as first published, April 2025: listed punctuation, English articles in every language",
    metrics=_METRICS[:-1],
    steps=(LOWER, RELEASE_PUNCTUATION, ENGLISH_ARTICLES, SPACES),
)
_UNICODE = Profile(
    name="unicode",
    commit="56524f9",
    description="punctuation by Unicode category, 'answer is' and です, the metric contains; the default",
    metrics=_METRICS,
    steps=(LOWER, PUNCTUATION, ENGLISH_ARTICLES, SPACES, ANSWER_IS),
)
_VARIANTS = Profile(
    name="variants",
    commit="26a1fcc",
    description="articles of the question's language, Urdu frame, non-joiner; best over variants (proposed upstream)",
    metrics=_METRICS,
    steps=(LOWER, PUNCTUATION, SPACES, ANSWER_IS),
    variants=VARIANTS,
)
_LENIENT = Profile(
    name="lenient",
    commit=None,
    description="the better of variants and of variants on text folded by width, case, digits, marks and spelling",
    metrics=_METRICS,
    steps=_VARIANTS.steps,
    variants=VARIANTS,
    folds=FOLDS,
    comparison=(CHARACTERS_RULE,),
)
PROFILES = {profile.name: profile for profile in (_RELEASE, _UNICODE, _VARIANTS, _LENIENT)}
ALIASES = {"official": "unicode"}
"""``official`` is the newest upstream version not known to be unmerged; a signature names the profile instead."""


def get_profile(name: str) -> Profile:
    """Return the profile called ``name``, or the one an alias stands for.

    Raises:
        UnknownProfileError: there is none. The message suggests the nearest.
    """
    key = name.strip().lower()
    found = PROFILES.get(ALIASES.get(key, key))
    if found is not None:
        return found
    names = [*PROFILES, *ALIASES]
    nearest = difflib.get_close_matches(key, names, n=1)
    meant = f"nearest: {nearest[0]}; all" if nearest else "there are"
    raise UnknownProfileError(f"no profile is called {name!r} ({meant}: {', '.join(names)})")
