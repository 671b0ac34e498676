"""What a model is asked: the question in its own language, for a base model behind examples, for a chat model alone.

The wording of the 31 languages is in ``prompts.yaml``; `official_prompts` reads that of the official repository.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import Config
from multiloko_source.questions import Data
from multiloko_source.rows import Row
from multiloko_source.source import DEV, FEWSHOT

from .official_prompts import OfficialPrompts, read_official_prompts
from .question_keys import question_key

if TYPE_CHECKING:
    from jinja2 import Environment, Template

STYLES = ("chat", "base")
BASE_SHOTS = 5
"""Examples a base model is shown unless told otherwise, as in the paper (Hupkes and Bogoychev 2025, section 3)."""
_WIDE_ENDS = ("：", "。")
"""Punctuation with its own space, behind which none is written."""


class PromptError(MultiLoKoError):
    """Prompts that cannot be made as asked."""


class Generation(NamedTuple):
    """How an answer is generated; always greedily, unless told otherwise."""

    max_tokens: int
    stop: tuple[str, ...]


GENERATION = {"base": Generation(128, ("\n",)), "chat": Generation(2048, ())}
"""By style. A base model ends its answer with the line, never at a comma or a full stop, which answers hold. A token is
a byte or more, and all targets of the sample but one have less than 90 bytes, in Khmer and Bengali too. A chat model
ends by itself, may begin with a line break, and may think before it answers."""


class Prompt(NamedTuple):
    """What is sent for one question."""

    key: str
    """Of at most 64 characters; leads back to config and id (`question_key`)."""
    config: Config
    id: str
    prompt: str | None
    """Text that a base model goes on with; None in chat style."""
    messages: tuple[Mapping[str, str], ...] | None
    """Of a chat, the last one by the user; None in base style."""
    fewshot: tuple[str, ...]
    """Ids of the examples shown."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        about = {"key": self.key, "config": self.config.name, "id": self.id}
        return {**about, **self.asked(), "fewshot": list(self.fewshot)}

    def asked(self) -> dict[str, Any]:
        """Return what a request holds of it: ``prompt`` or ``messages``."""
        if self.messages is None:
            return {"prompt": self.prompt}
        return {"messages": [dict(each) for each in self.messages]}


@dataclass(frozen=True)
class PromptSettings:
    """How questions are put to a model."""

    style: str = "chat"
    """``base`` or ``chat``."""
    shots: int | None = None
    """Examples shown; None for 5 to a base model and none to a chat model."""
    open_book: bool = False
    """Whether the paragraph the question was made from stands in front of it: what a model can read, not know."""
    official: Path | None = None
    """Checkout of the official repository whose prompts are used instead of this project's."""

    def __post_init__(self) -> None:
        if self.style not in STYLES:
            raise PromptError(f"there is no style {self.style!r}, only {' and '.join(STYLES)}")
        if self.shots is not None and self.shots < 0:
            raise PromptError(f"expected a number of examples of 0 or more, found {self.shots}")
        if self.official and self.open_book:
            raise PromptError(
                "the official prompts have no place for the paragraph: --open-book goes without --official"
            )
        if self.official and self.style == "chat" and self.shots:
            raise PromptError("the official prompt for chat models has no examples; leave --shots out")

    @property
    def examples(self) -> int:
        """How many examples are shown."""
        if self.shots is not None:
            return self.shots
        return BASE_SHOTS if self.style == "base" else 0

    @cached_property
    def official_prompts(self) -> OfficialPrompts | None:
        """The official prompts, read once."""
        return read_official_prompts(self.official) if self.official else None

    def describe(self) -> dict[str, Any]:
        """Return what another person needs to ask the same, for records and signatures."""
        sha256 = self.official_prompts.sha256 if self.official_prompts else _wording_sha256()
        return {
            "prompts": f"{'official' if self.official else 'multiloko'}-{sha256[:12]}",
            "style": self.style,
            "shots": self.examples,
            "open_book": self.open_book,
        }


def make_prompts(
    data: Data, configs: Iterable[Config], settings: PromptSettings, *, subset: str = DEV, limit: int | None = None
) -> Iterator[Prompt]:
    """Yield the prompt of every question of some configs, in their order and then in file order.

    Args:
        data: the questions, and the examples: those of the question's language, in file order.
        configs: which questions.
        settings: how they are put.
        subset: which file of each config.
        limit: at most so many questions of each config.

    Raises:
        PromptError: there are no questions of a config, too few examples, or no paragraph for an open book.
    """
    for config in configs:
        if subset not in data.splits(config.name):
            raise PromptError(f"{data.location} holds no {subset} questions of {config.name}")
        examples = [] if settings.official else _examples(data, config, settings.examples)
        for row in islice(data.rows(config.name, subset), limit):
            yield _prompt(config, row, examples, settings)


def _examples(data: Data, config: Config, count: int) -> list[Row]:
    if not count:
        return []
    found = list(islice(data.rows(config.name, FEWSHOT), count)) if FEWSHOT in data.splits(config.name) else []
    if len(found) < count:
        there = f"{data.location} holds {len(found)} examples in {config.question.name}"
        raise PromptError(f"{there}, not {count}; --shots {len(found)} shows what there is")
    return found


def _prompt(config: Config, row: Row, examples: Sequence[Row], settings: PromptSettings) -> Prompt:
    if settings.open_book and not (row["text"] or "").strip():
        raise PromptError(f"{config.name} {row['id']!r} has no paragraph to open the book at")
    language, shown = config.question.name, tuple(example["id"] for example in examples)
    prompt: str | None = None
    messages: tuple[Mapping[str, str], ...] | None = None
    if (official := settings.official_prompts) and settings.style == "base":
        held = len(official.examples[language])
        if held < settings.examples:
            there = f"{settings.official} holds {held} examples in {language}"
            raise PromptError(f"{there}, not {settings.examples}; --shots {held} shows what there is")
        prompt = official.base_prompt(row, language, settings.examples)
        shown = tuple(f"official-{number}" for number in range(1, settings.examples + 1))
    elif official:
        messages = ({"role": "user", "content": official.chat_prompt(row, language)},)
    elif settings.style == "base":
        prompt = _base(row, examples, language, open_book=settings.open_book)
    else:
        messages = tuple(_chat(row, examples, language, open_book=settings.open_book))
    return Prompt(question_key(config, row["id"]), config, row["id"], prompt, messages, shown)


def _base(row: Row, examples: Sequence[Row], language: str, *, open_book: bool) -> str:
    shown = [
        {"asked": _asked(each, language, open_book=open_book), "answer": each["targets"][0].strip()}
        for each in examples
    ]
    return _template("base").render(
        wording=_wording(language),
        task=_task("instruction", language, open_book=open_book),
        examples=shown,
        asked=_asked(row, language, open_book=open_book),
    )


def _chat(row: Row, examples: Sequence[Row], language: str, *, open_book: bool) -> Iterator[Mapping[str, str]]:
    """Yield the examples as turns, then the question; what is to be done stands in front of the first."""
    task = _task("chat", language, open_book=open_book)
    for place, each in enumerate([*examples, row]):
        asked = _asked(each, language, open_book=open_book)
        content = asked if place else _template("chat").render(task=task, asked=asked)
        yield {"role": "user", "content": content}
        if place < len(examples):
            yield {"role": "assistant", "content": each["targets"][0].strip()}


def chat_question(question: str, kind: str, language: str) -> str:
    """Return what a chat model is asked without examples, as `make_prompts` puts it.

    Args:
        question: its text, or what another template language puts its text in place of, such as ``{prompt}``.
        kind: kind of answer that is expected, or such a placeholder; empty leaves the line out.
        language: official name of the language.
    """
    row: Row = {"question": question, "output_type": kind, "text": None}
    (message,) = _chat(row, [], language, open_book=False)
    return message["content"]


def _asked(row: Row, language: str, *, open_book: bool) -> str:
    return (
        _template("asked")
        .render(
            wording=_wording(language),
            text=(row["text"] or "").strip() if open_book else "",
            question=row["question"].strip(),
            kind=(row["output_type"] or "").strip(),
        )
        .rstrip("\n")
    )


def _task(name: str, language: str, *, open_book: bool) -> str:
    wording = _wording(language)
    return wording[name] + _gap(wording[name]) + wording["open_book"] if open_book else wording[name]


def _gap(before: str) -> str:
    return "" if before.endswith(_WIDE_ENDS) else " "


def _wording(language: str) -> Mapping[str, str]:
    wording: Mapping[str, str] = _content()["wording"][language]
    return wording


@cache
def _template(name: str) -> Template:
    return _environment().from_string(_content()["templates"][name])


@cache
def _environment() -> Environment:
    from jinja2 import Environment, StrictUndefined

    # Prompts are plain text for a model, not HTML.
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    environment.globals["gap"] = _gap
    return environment


@cache
def _content() -> dict[str, Any]:
    import yaml

    content: dict[str, Any] = yaml.safe_load(_file_text())
    return content


def _wording_sha256() -> str:
    return hashlib.sha256(_file_text().encode()).hexdigest()


@cache
def _file_text() -> str:
    return (files("multiloko_runs") / "prompts.yaml").read_text(encoding="utf-8")
