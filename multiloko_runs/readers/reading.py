"""What all readers share: how a log is to be read, what was noted while reading it, and whose answer a record is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from multiloko_metric.languages import Config, UnknownConfigError, parse_config, parse_language
from multiloko_runs.answers import Answer, AnswerError


@dataclass(frozen=True)
class ReadOptions:
    """How a file of answers is to be read, where it does not say so itself."""

    reader: str | None = None
    """Name of the reader; None to find it from the content."""
    column: str | None = None
    """Column of the answer; None for ``prediction``."""
    language: str | None = None
    """Config of all answers of a file that does not say it."""
    filter: str | None = None
    """Which of several filters of a log of lm-evaluation-harness."""
    epoch: int | None = None
    """Which of several answers to each question, counted from 1."""

    def __post_init__(self) -> None:
        if self.language is not None:
            parse_config(self.language)
        if self.epoch is not None and self.epoch < 1:
            raise AnswerError(f"epochs are counted from 1, found {self.epoch}")


@dataclass
class Reading:
    """One reading of a file of answers: how, and what there is to say of it afterwards."""

    options: ReadOptions = field(default_factory=ReadOptions)
    notes: list[str] = field(default_factory=list)
    asked: dict[str, Any] | None = None
    """How the questions were put, where the file says it."""

    def note(self, text: str) -> None:
        """Keep what a person should know, once."""
        if text not in self.notes:
            self.notes.append(text)


def listed(names: Iterable[object]) -> str:
    """Return names that a file gives, for a message: what would disturb a terminal is escaped, and there is an end."""
    return ", ".join(each if each.isprintable() else repr(each) for each in map(str, names))[:200]


def named_config(name: object) -> Config | None:
    """Return the config of that name; None where it is no name of one."""
    try:
        return parse_config(name) if isinstance(name, str) and name else None
    except UnknownConfigError:
        return None


def config_at_end(name: str) -> Config | None:
    """Return the config that the name of a task or file ends with: ``multiloko_fr``, ``multiloko:fr-en-human|5``."""
    name = re.sub(r"\|\d+(\|\d+)?$", "", name.strip())
    found = named_config(name)
    for separator in re.finditer(r"[_:|/. -]", name):
        found = found or named_config(name[separator.end() :])
    return found


def config_of(record: Mapping[str, Any], names: Iterable[object], reading: Reading, where: str) -> str:
    """Return the config of a record of a log, by name.

    Args:
        record: what may say it, in ``config``; in ``source_language``, ``question_language`` and ``translation_type``;
            or in ``language``.
        names: of the task or file, looked at next; ``--language`` comes last.
        reading: has the options.
        where: the place, for a message.

    Raises:
        AnswerError: nothing says it.
    """
    found = named_config(record.get("config")) or _from_languages(record) or named_config(record.get("language"))
    for name in names:
        found = found or (config_at_end(name) if isinstance(name, str) else None)
    if found:
        return found.name
    if reading.options.language:
        return reading.options.language
    said = [f"{key}={record[key]!r}" for key in ("config", "language", "source_language") if record.get(key)]
    said += [f"task {name!r}" for name in names if name]
    raise AnswerError(f"{where}: the log does not say the language ({', '.join(said) or 'nothing'}); add --language fr")


def _from_languages(record: Mapping[str, Any]) -> Config | None:
    source, question = record.get("source_language"), record.get("question_language")
    if not isinstance(source, str) or not isinstance(question, str):
        return None
    try:
        languages = [parse_language(each.replace(" ", "_")) for each in (source, question)]
    except UnknownConfigError:
        return None
    if languages[0] == languages[1]:
        return named_config(languages[0].code)
    how = str(record.get("translation_type") or "").lower().partition("-")[0]
    return named_config(f"{languages[0].code}-{languages[1].code}-{how}")


def text_or_none(value: object) -> str | None:
    """Return a text of a log if it is one, or a number as text, and is not empty."""
    if isinstance(value, bool):
        return None
    return str(value) if isinstance(value, str | int) and value != "" else None


class Group(NamedTuple):
    """Answers that a log holds side by side with others to the same questions."""

    name: str
    answers: list[Answer]


def one_of(values: Sequence[Any], reading: Reading, where: str) -> Any:
    """Return the only answer of several, or that which ``--epoch`` names; None where there is none.

    Raises:
        AnswerError: there are several and none is named, or that one is not there.
    """
    epoch = reading.options.epoch
    if len(values) <= 1 and epoch in (None, 1):
        return values[0] if values else None
    if epoch is None:
        raise AnswerError(f"{where}: {len(values)} answers to one question; --epoch 1 to {len(values)} chooses")
    if epoch > len(values):
        raise AnswerError(f"{where}: there is no answer {epoch}, only {len(values)}")
    return values[epoch - 1]


def answer_text(value: object, where: str) -> str | None:
    """Return an answer as text: a text as it is, a number as text, None for None.

    Raises:
        AnswerError: it is something else.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise AnswerError(f"{where}: prediction must be text or null, found {str(value)[:60]!r}")
