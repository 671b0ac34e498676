"""Answers matched to the questions they answer."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .answers import Answer, AnswerError
from .languages import Config, UnknownConfigError, parse_config
from .scoring import Scorer
from .summary import ConfigScores

_SHOWN = 3
"""Problems of one kind that a message names, the rest are counted; configs without gold are all named."""
_NO_GOLD = "configs without gold"


class Question(NamedTuple):
    """What is needed of a question to score an answer to it.

    A named tuple and no dataclass: it goes to another process and back in a third of the time.
    """

    targets: Sequence[str]
    """Acceptable answers."""
    output_type: str | None = None
    """Kind of answer expected, in the question's language: "une date"."""


Gold = Callable[[Config], "dict[str, Question] | None"]
"""Questions of a config by id, in file order; None where there is no gold for it."""


@dataclass(frozen=True)
class MatchedConfig:
    """The questions of one config with their answers: in order of the answers' first appearance, then the missing."""

    config: Config
    ids: Sequence[str]
    questions: Sequence[Question]
    predictions: Sequence[str]
    """The answer to each question, empty where it is missing."""
    answered: Sequence[bool]
    """Whether there was an answer at all."""
    left_out: Sequence[str] = ()
    """Ids of the questions without an answer, where those are skipped."""


@dataclass(frozen=True)
class Matched:
    """All configs with at least one answer, in order of first appearance."""

    configs: Sequence[MatchedConfig]
    notes: Sequence[str]
    """What a person should know about the matching, a sentence each."""


class _UnfitError(Exception):
    """An answer to no question of the gold."""

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(kind, what)
        self.kind = kind
        self.what = what


@dataclass
class _Problems:
    """Rows that do not fit, by kind, each with the first place it was seen."""

    file: str
    kinds: dict[str, dict[str, int]] = field(default_factory=dict)

    def add(self, kind: str, what: str, place: int) -> None:
        self.kinds.setdefault(kind, {}).setdefault(what, place)

    def messages(self) -> list[str]:
        return [self._message(kind, found) for kind, found in self.kinds.items()]

    def _message(self, kind: str, found: dict[str, int]) -> str:
        if kind == _NO_GOLD:
            return f"{len(found)} {kind}: {', '.join(found)}"
        named = [f"{what} ({self.file}:{place})" for what, place in list(found.items())[:_SHOWN]]
        more = f" and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
        return f"{len(found):,} {kind}: {', '.join(named)}{more}"


def match(
    answers: Iterable[Answer],
    gold: Gold,
    *,
    file: str = "predictions",
    missing: str = "zero",
    duplicates: str = "error",
    unknown: str = "error",
) -> Matched:
    """Match answers to gold by (config, id), then by the id's NFC form.

    Args:
        answers: rows of a file of answers.
        gold: gives the questions of a config.
        file: name of the file, for messages.
        missing: ``zero`` scores a question without an answer as an empty answer, ``skip`` leaves it out (the official
            behaviour), ``error`` refuses.
        duplicates: ``first`` or ``last`` keeps that one of several answers to a question, ``error`` refuses.
        unknown: ``skip`` leaves out answers to what is not in the gold, ``error`` refuses.

    Raises:
        AnswerError: what was to be refused; one message with the first few of each kind.
    """
    refused, notes = _Problems(file), _Problems(file)
    found: dict[Config, dict[str, str | None]] = {}
    lookup = _Lookup(gold)
    for answer in answers:
        try:
            config, identifier = lookup.find(answer)
        except _UnfitError as unfit:
            (refused if unknown == "error" else notes).add(unfit.kind, unfit.what, answer.place)
            continue
        of_config = found.setdefault(config, {})
        if identifier not in of_config:
            of_config[identifier] = answer.prediction
            continue
        problems = refused if duplicates == "error" else notes
        problems.add(f"repeated answers, {duplicates} kept", f"{config.name} {answer.id!r}", answer.place)
        if duplicates == "last":
            of_config[identifier] = answer.prediction
    for written, place in lookup.normalised.items():
        notes.add("ids that match the gold only in Unicode normal form C", repr(written), place)
    if refused.kinds:
        raise AnswerError(_refusal(refused, [config.name for config in found]))
    configs = [_complete(config, of_config, lookup.questions(config), missing) for config, of_config in found.items()]
    configs = [config for config in configs if config.ids]
    if not configs:
        raise AnswerError("\n  ".join([f"{file} holds no answer to any question of the gold", *notes.messages()]))
    incomplete = [_incomplete(config) for config in configs if not all(config.answered)]
    if incomplete and missing == "error":
        raise AnswerError(f"{file}: answers are missing: {'; '.join(incomplete)}")
    return Matched(configs, notes.messages())


def score_matched(matched: MatchedConfig, scorer: Scorer) -> ConfigScores:
    """Return the scores of the answers to the questions of one config."""
    targets = [question.targets for question in matched.questions]
    scores = scorer.score_all(matched.predictions, targets, matched.config.question.name)
    output_types = [question.output_type for question in matched.questions]
    return ConfigScores(matched.config, matched.ids, scores, matched.answered, output_types)


def _incomplete(matched: MatchedConfig) -> str:
    absent = [identifier for identifier, answered in zip(matched.ids, matched.answered, strict=True) if not answered]
    return f"{matched.config.name} lacks {len(absent):,} of {len(matched.ids):,} (first: {absent[0]!r})"


def _refusal(problems: _Problems, scorable: list[str]) -> str:
    lines = [f"{problems.file} does not fit the gold", *problems.messages()]
    if any(kind.startswith("repeated") for kind in problems.kinds):
        lines.append("--duplicates first or --duplicates last keeps one of several answers")
    if scorable and not all(kind.startswith("repeated") for kind in problems.kinds):
        names = ", ".join(scorable[:_SHOWN]) + (", ..." if len(scorable) > _SHOWN else "")
        lines.append(f"--unknown skip leaves these out and scores what has gold: {names}")
    return "\n  ".join(lines)


def _complete(config: Config, found: dict[str, str | None], gold: dict[str, Question], missing: str) -> MatchedConfig:
    """Put the questions without an answer behind those with one; a null prediction is no answer."""
    answered = {identifier: prediction for identifier, prediction in found.items() if prediction is not None}
    unanswered = [identifier for identifier in gold if identifier not in answered]
    absent, left_out = ([], unanswered) if missing == "skip" else (unanswered, [])
    ids = [*answered, *absent]
    return MatchedConfig(
        config,
        ids,
        [gold[identifier] for identifier in ids],
        [*answered.values(), *[""] * len(absent)],
        [True] * len(answered) + [False] * len(absent),
        left_out,
    )


class _Lookup:
    """The question that an answer answers; configs and gold are looked up once each."""

    def __init__(self, gold: Gold) -> None:
        self._gold = gold
        self._configs: dict[str, Config | _UnfitError] = {}
        self._questions: dict[Config, dict[str, Question] | None] = {}
        self._by_normal_form: dict[Config, dict[str, str]] = {}
        self.normalised: dict[str, int] = {}
        """Ids found by their normal form only, each with its first place."""

    def find(self, answer: Answer) -> tuple[Config, str]:
        if answer.language not in self._configs:
            self._configs[answer.language] = self._config(answer.language)
        config = self._configs[answer.language]
        if isinstance(config, _UnfitError):
            raise config
        if answer.id in self.questions(config):
            return config, answer.id
        identifier = self._normal_forms(config).get(unicodedata.normalize("NFC", answer.id))
        if identifier is None:
            raise _UnfitError("answers with an id that the gold does not have", f"{config.name} {answer.id!r}")
        self.normalised.setdefault(answer.id, answer.place)
        return config, identifier

    def questions(self, config: Config) -> dict[str, Question]:
        return self._questions[config] or {}

    def _config(self, name: str) -> Config | _UnfitError:
        try:
            config = parse_config(name)
        except UnknownConfigError as error:
            return _UnfitError("names that are no config", str(error).partition(";")[0])
        if config not in self._questions:
            self._questions[config] = self._gold(config)
        return _UnfitError(_NO_GOLD, name) if self._questions[config] is None else config

    def _normal_forms(self, config: Config) -> dict[str, str]:
        if config not in self._by_normal_form:
            self._by_normal_form[config] = {unicodedata.normalize("NFC", each): each for each in self.questions(config)}
        return self._by_normal_form[config]
