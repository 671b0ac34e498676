"""Which question an answer is to, where its id is not one of the gold's as it is written."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from multiloko_metric.languages import Config

from .answers import Answer
from .question_keys import is_question_key, question_key

if TYPE_CHECKING:
    from multiloko_source.questions import Question

UNKNOWN_ID = "answers with an id that the gold does not have"
UNKNOWN_QUESTION = "answers to a question that the gold does not have"
UNKNOWN_KEY = "answers with a key of no question of the gold"
OTHER_FORM = "ids that match the gold only in Unicode normal form C"
BY_QUESTION = "answers joined by the text of their question"
AMBIGUOUS = "questions whose text is in the gold more than once, so that an id is needed"
_LONGEST = 60


class Join(NamedTuple):
    """How an answer was joined to the gold."""

    id: str
    """Id of the question, as the gold has it; "" where there is none."""
    kind: str
    """What there is to say of it; "" where it is as it should be."""
    what: str
    """The id or the question, for a message."""


class Joiner:
    """Finds the questions of one config by the NFC form of their id, by key, or by their text."""

    def __init__(self, config: Config, gold: Mapping[str, Question]) -> None:
        self.config = config
        self.gold = gold

    def find(self, answer: Answer) -> Join:
        """Return the question of an answer: by id first, then by key, then by text. Place and order never count."""
        if answer.id in self.gold:
            return Join(answer.id, "", "")
        if by_form := self._by_form.get(unicodedata.normalize("NFC", answer.id)):
            return Join(by_form, OTHER_FORM, repr(answer.id))
        is_key = is_question_key(answer.id)
        if is_key and (by_key := self._by_key.get(answer.id.lower())):
            return Join(by_key, "", "")
        if answer.question is not None:
            return self._by_question(answer.question)
        return Join("", UNKNOWN_KEY if is_key else UNKNOWN_ID, f"{self.config.name} {answer.id!r}")

    def _by_question(self, question: str) -> Join:
        found = self._by_text.get(_plain(question), ())
        # What a question says is not repeated where notes are kept: they go into files that are shown to others.
        if len(found) == 1:
            return Join(found[0], BY_QUESTION, f"{self.config.name} {found[0]!r}")
        if found:
            return Join("", AMBIGUOUS, f"{self.config.name} {' and '.join(map(repr, found))}")
        shown = question if len(question) <= _LONGEST else f"{question[: _LONGEST - 3]}..."
        return Join("", UNKNOWN_QUESTION, f"{self.config.name} {shown!r}")

    @cached_property
    def _by_form(self) -> dict[str, str]:
        return {unicodedata.normalize("NFC", each): each for each in self.gold}

    @cached_property
    def _by_key(self) -> dict[str, str]:
        return {question_key(self.config, each): each for each in self.gold}

    @cached_property
    def _by_text(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for identifier, question in self.gold.items():
            if question.question:
                found.setdefault(_plain(question.question), []).append(identifier)
        return found


def _plain(question: str) -> str:
    return " ".join(unicodedata.normalize("NFC", question).split())
