"""The 31 languages of MultiLoKo and the names of its configs.

This is the only place where either is written down. A config is a set of questions: where they were sourced, in which
language they are asked, and who translated them. ``fr`` is sourced and asked in French; ``fr-en-human`` holds the
French questions translated into English by people; ``en-fr-machine`` the English questions translated into French by
machine.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from .errors import MultiLoKoError

Named = TypeVar("Named")

ALL = "all"
_CACHED = "default"
"""The one config that the platform's reader of its cache says there is, whatever is installed."""
TRANSLATION_TYPES = ("human", "machine")
PARTITIONS = ("local", "to_english_human", "to_english_machine", "from_english_human", "from_english_machine")


class UnknownConfigError(MultiLoKoError):
    """A name that is neither a config nor an official result key."""


@dataclass(frozen=True)
class Language:
    """One of the 31 languages."""

    name: str
    """Official name, as in the official folders and results: ``simplified_mandarin``."""
    code: str
    """Code used in config names: ``zh-hans``. BCP 47 where it has one."""
    script: str
    """ISO 15924 code of the script it is written in: ``Hans``."""

    @property
    def title(self) -> str:
        """Name for people: ``Simplified Mandarin``."""
        return self.name.replace("_", " ").title()


LANGUAGES = (
    Language("arabic", "ar", "Arab"),
    Language("bengali", "bn", "Beng"),
    Language("cantonese", "yue", "Hant"),
    Language("czech", "cs", "Latn"),
    Language("dutch", "nl", "Latn"),
    Language("english", "en", "Latn"),
    Language("farsi", "fa", "Arab"),
    Language("french", "fr", "Latn"),
    Language("german", "de", "Latn"),
    Language("hebrew", "he", "Hebr"),
    Language("hindi", "hi", "Deva"),
    Language("indonesian", "id", "Latn"),
    Language("italian", "it", "Latn"),
    Language("japanese", "ja", "Jpan"),
    Language("khmer", "km", "Khmr"),
    Language("korean", "ko", "Kore"),
    Language("malay", "ms", "Latn"),
    Language("marathi", "mr", "Deva"),
    Language("polish", "pl", "Latn"),
    Language("portuguese", "pt", "Latn"),
    Language("romanian", "ro", "Latn"),
    Language("russian", "ru", "Cyrl"),
    Language("simplified_mandarin", "zh-hans", "Hans"),
    Language("spanish", "es", "Latn"),
    Language("swedish", "sv", "Latn"),
    Language("tagalog", "tl", "Latn"),
    Language("thai", "th", "Thai"),
    Language("traditional_mandarin", "zh-hant", "Hant"),
    Language("turkish", "tr", "Latn"),
    Language("urdu", "ur", "Arab"),
    Language("vietnamese", "vi", "Latn"),
)
ENGLISH = next(language for language in LANGUAGES if language.code == "en")


@dataclass(frozen=True)
class Config:
    """A set of questions: (source language, question language, translation)."""

    source: Language
    """Language whose speakers wrote the questions."""
    question: Language
    """Language the questions are asked in."""
    translation: str | None = None
    """``human``, ``machine``, or None where the questions are asked in the language they were written in."""

    @property
    def name(self) -> str:
        """Name for ``load_dataset``: ``fr``, ``fr-en-human``."""
        if self.translation is None:
            return self.source.code
        return f"{self.source.code}-{self.question.code}-{self.translation}"

    @property
    def key(self) -> str:
        """Key in the official results: ``french``, ``french_translated_human_english``."""
        return self.source.name + self._suffix

    @property
    def partition(self) -> str:
        """Which of PARTITIONS it belongs to. Scores of different partitions are never averaged together."""
        if self.translation is None:
            return "local"
        return f"{'to' if self.question == ENGLISH else 'from'}_english_{self.translation}"

    def path(self, subset: str = "dev") -> str:
        """File in the official folder: ``french/dev_translated_human_english.jsonl``."""
        return f"{self.source.name}/{subset}{self._suffix}.jsonl"

    @property
    def _suffix(self) -> str:
        return f"_translated_{self.translation}_{self.question.name}" if self.translation else ""


def _all_configs() -> tuple[Config, ...]:
    others = [language for language in LANGUAGES if language is not ENGLISH]
    local = [Config(language, language) for language in LANGUAGES]
    to_english = [Config(language, ENGLISH, how) for how in TRANSLATION_TYPES for language in others]
    from_english = [Config(ENGLISH, language, how) for how in TRANSLATION_TYPES for language in others]
    return (*local, *to_english, *from_english)


CONFIGS = _all_configs()
"""All 151 configs (``all`` is not one: it is 31 of them), local ones first, each group by official name."""

_BY_NAME = {name: config for config in CONFIGS for name in (config.name, config.key)}
_LANGUAGE_BY_NAME = {name: language for language in LANGUAGES for name in (language.code, language.name)}


def parse_config(name: str) -> Config:
    """Return the config called ``name``, in any case: ``fr-en-human``, ``french_translated_human_english``.

    Raises:
        UnknownConfigError: no config has that name. The message suggests the nearest ones.
    """
    return _look_up(_BY_NAME, name, "config")


def parse_language(name: str) -> Language:
    """Return the language with that code or official name, in any case: ``fr``, ``French``.

    Raises:
        UnknownConfigError: no language has that name. The message suggests the nearest ones.
    """
    return _look_up(_LANGUAGE_BY_NAME, name, "language")


def _look_up(table: Mapping[str, Named], name: str, kind: str) -> Named:
    found = table.get(name.strip().lower())
    if found is not None:
        return found
    if name.strip().lower() == ALL:
        raise UnknownConfigError(f"{name!r} is all 31 local sets together, not one {kind}; name each, such as 'fr'")
    if name.strip().lower() == _CACHED:
        raise UnknownConfigError(
            f"{name!r} is no {kind} but what get_dataset_config_names answers for what is installed, whose configs it "
            "does not know; `multiloko list --json` and multiloko_metric.languages.CONFIGS have them all"
        )
    nearest = difflib.get_close_matches(name.strip().lower(), table, n=3)
    meant = f"nearest: {', '.join(nearest)}" if nearest else "for example: fr, fr-en-human, en-fr-machine"
    raise UnknownConfigError(f"no {kind} is called {name!r} ({meant}); `multiloko list` shows every config")
