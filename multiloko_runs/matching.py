"""Answers matched to the questions they answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from multiloko_metric.languages import Config, UnknownConfigError, parse_config
from multiloko_source.questions import Gold, Question

from .answers import Answer, AnswerError
from .joining import AMBIGUOUS, BY_QUESTION, Joiner

_SHOWN = 3
"""Problems of one kind that a message names, the rest are counted; configs without gold are all named."""
_NO_GOLD = "configs without gold"


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
    endings: Mapping[str, str] = field(default_factory=dict)
    """By id, how the answers ended of which the file says that they failed, were cut off or were filtered."""


@dataclass(frozen=True)
class Matched:
    """All configs with at least one answer, in order of first appearance."""

    configs: Sequence[MatchedConfig]
    notes: Sequence[str]
    """What a person should know about the matching, a sentence each."""


@dataclass(frozen=True)
class Policy:
    """What becomes of answers and questions that do not meet."""

    missing: str = "zero"
    """``zero`` scores a question without an answer as an empty answer, ``skip`` leaves it out (the official
    behaviour), ``error`` refuses the file."""
    duplicates: str = "error"
    """``first`` or ``last`` keeps that one of several answers to a question, ``error`` refuses the file."""
    unknown: str = "error"
    """``skip`` leaves out answers to what is not in the gold, ``error`` refuses the file."""


class Problem(NamedTuple):
    """Something that does not fit as it should."""

    place: int
    """Line or row of the file of answers."""
    kind: str
    what: str
    refused: bool
    """Whether the file is refused for it; else it is worth a note."""
    source: str = ""
    """Which file of a folder or archive, where there are several."""


@dataclass(frozen=True)
class Findings:
    """What there is to say of how the answers of one config fit its gold."""

    config: Config
    problems: Sequence[Problem] = ()
    found: bool = False
    """Whether any answer is to a question of the gold."""
    scorable: bool = False
    """Whether there is anything to score, and nothing to refuse."""
    incomplete: str = ""
    """Which questions lack an answer, where the file is refused for that."""


def match(
    answers: Iterable[Answer],
    gold: Gold,
    *,
    file: str = "predictions",
    missing: str = "zero",
    duplicates: str = "error",
    unknown: str = "error",
) -> Matched:
    """Match answers to gold by config and id, then as `Joiner` does.

    Args:
        answers: rows of a file of answers.
        gold: gives the questions of a config.
        file: name of the file, for messages.
        missing, duplicates, unknown: as in `Policy`.

    Raises:
        AnswerError: what was to be refused; one message with the first few of each kind.
    """
    policy = Policy(missing, duplicates, unknown)
    by_config, problems = split_by_config(answers, policy)
    each = [match_config(config, some, gold(config), policy) for config, some in by_config.items()]
    notes = conclude([findings for _, findings in each], problems, file)
    return Matched([matched for matched, _ in each if matched], notes)


def split_by_config(
    answers: Iterable[Answer], policy: Policy
) -> tuple[dict[Config, Sequence[Answer]], Sequence[Problem]]:
    """Return the answers of each config, in order of first appearance, and what names no config."""
    by_name: dict[str, list[Answer]] = {}
    for answer in answers:
        by_name.setdefault(answer.language, []).append(answer)
    by_config: dict[Config, Sequence[Answer]] = {}
    problems = []
    for name, some in by_name.items():
        try:
            config = parse_config(name)
        except UnknownConfigError as error:
            what = str(error).partition(";")[0]
            refused = policy.unknown == "error"
            problems.append(Problem(some[0].place, "names that are no config", what, refused, some[0].source))
        else:
            others = by_config.get(config)  # by another of its names
            by_config[config] = sorted([*others, *some], key=attrgetter("source", "place")) if others else some
    return by_config, problems


def match_config(
    config: Config, answers: Sequence[Answer], gold: dict[str, Question] | None, policy: Policy
) -> tuple[MatchedConfig | None, Findings]:
    """Match the answers of one config to its questions, and say how they fit. What is to be refused is not matched."""
    refuse_unknown, refuse_repeated = policy.unknown == "error", policy.duplicates == "error"
    repeated = "repeated answers" if refuse_repeated else f"repeated answers, {policy.duplicates} kept"
    if gold is None:
        first = {answer.language: answer for answer in reversed(answers)}
        return None, Findings(
            config, [Problem(each.place, _NO_GOLD, name, refuse_unknown, each.source) for name, each in first.items()]
        )
    problems = []
    found: dict[str, str | None] = {}
    endings: dict[str, str] = {}
    joiner = Joiner(config, gold)
    for answer in answers:
        identifier = answer.id
        if identifier not in gold:
            identifier, kind, what = joiner.find(answer)
            if kind:
                refused = not identifier and (refuse_unknown or kind == AMBIGUOUS)
                problems.append(Problem(answer.place, kind, what, refused, answer.source))
            if not identifier:
                continue
        if identifier in found:
            what = f"{config.name} {(answer.id or identifier)!r}"
            problems.append(Problem(answer.place, repeated, what, refuse_repeated, answer.source))
            if policy.duplicates != "last":
                continue
        found[identifier] = answer.prediction
        if answer.ended:
            endings[identifier] = answer.ended
        elif endings:
            endings.pop(identifier, None)  # of an earlier answer, of which the last is kept
    matched = _complete(config, found, gold, policy.missing, endings)
    incomplete = "" if policy.missing != "error" or all(matched.answered) else _incomplete(matched)
    refused = bool(incomplete) or any(problem.refused for problem in problems)
    scorable = bool(found and matched.ids) and not refused
    return matched if scorable else None, Findings(config, problems, bool(found), scorable, incomplete)


def conclude(each: Sequence[Findings], problems: Sequence[Problem], file: str) -> Sequence[str]:
    """Return what a person should know about how a file of answers fits the gold, a sentence each.

    Args:
        each: what was found of each config.
        problems: with names that are no config.
        file: name of the file.

    Raises:
        AnswerError: the file is refused, or there is nothing in it to score.
    """
    problems = sorted(chain(problems, *(findings.problems for findings in each)))
    refused = [problem for problem in problems if problem.refused]
    notes = _messages([problem for problem in problems if not problem.refused], file)
    if refused:
        raise AnswerError(_refusal(refused, file, [findings.config.name for findings in each if findings.found]))
    incomplete = [findings.incomplete for findings in each if findings.found and findings.incomplete]
    if incomplete:
        raise AnswerError(f"{file}: answers are missing: {'; '.join(incomplete)}")
    if not any(findings.scorable for findings in each):
        raise AnswerError("\n  ".join([f"{file} holds no answer to any question of the gold", *notes]))
    return notes


def _incomplete(matched: MatchedConfig) -> str:
    absent = [identifier for identifier, answered in zip(matched.ids, matched.answered, strict=True) if not answered]
    return f"{matched.config.name} lacks {len(absent):,} of {len(matched.ids):,} (first: {absent[0]!r})"


def _refusal(problems: Sequence[Problem], file: str, found: Sequence[str]) -> str:
    lines = [f"{file} does not fit the gold", *_messages(problems, file)]
    kinds = {problem.kind for problem in problems}
    if any(kind.startswith("repeated") for kind in kinds):
        lines.append("--duplicates first or --duplicates last keeps one of several answers")
    if found and not all(kind.startswith("repeated") for kind in kinds):
        names = ", ".join(found[:_SHOWN]) + (", ..." if len(found) > _SHOWN else "")
        lines.append(f"--unknown skip leaves these out and scores what has gold: {names}")
    return "\n  ".join(lines)


def _messages(problems: Iterable[Problem], file: str) -> list[str]:
    """One sentence for each kind of problem, in order of first appearance, each thing once and with its first place."""
    kinds: dict[str, dict[str, str]] = {}
    for problem in problems:
        within = f"{file}/{problem.source}" if problem.source else file
        kinds.setdefault(problem.kind, {}).setdefault(problem.what, f"{within}:{problem.place}")
    return [_message(kind, places) for kind, places in kinds.items()]


def _message(kind: str, places: dict[str, str]) -> str:
    if kind == _NO_GOLD:
        return f"{len(places)} {kind}: {', '.join(places)}"
    if kind == BY_QUESTION:
        return f"{len(places):,} {kind}"
    named = [f"{what} ({place})" for what, place in list(places.items())[:_SHOWN]]
    more = f" and {len(places) - _SHOWN:,} more" if len(places) > _SHOWN else ""
    return f"{len(places):,} {kind}: {', '.join(named)}{more}"


def _complete(
    config: Config,
    found: dict[str, str | None],
    gold: dict[str, Question],
    missing: str,
    endings: dict[str, str],
) -> MatchedConfig:
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
        endings,
    )
