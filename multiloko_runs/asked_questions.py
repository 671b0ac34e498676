"""Which questions a run asks, in the data's order, and about how many tokens that takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import CONFIGS, Config
from multiloko_source.questions import Data

from .prompts import Prompt
from .run_file import Key


class QuestionsError(MultiLoKoError):
    """Questions that cannot be asked."""


def configs_with(data: Data, subset: str, wanted: Sequence[Config], *, named: bool) -> tuple[Config, ...]:
    """Return those of the wanted configs that have the subset, in the fixed order of configs.

    Args:
        data: where questions come from.
        subset: ``dev`` or another.
        wanted: the configs.
        named: whether the person named each, so that none may be lacking.

    Raises:
        QuestionsError: one that was named is lacking, or all are.
    """
    found = tuple(config for config in CONFIGS if config in wanted and subset in data.splits(config.name))
    lacking = [config.name for config in wanted if config not in found]
    if not found or (named and lacking):
        raise QuestionsError(f"{data.location} has no {subset} questions of {', '.join(lacking[:5])}")
    return found


def question_ids(data: Data, config: Config, subset: str) -> tuple[str, ...]:
    """Return the ids of a config's questions, in file order.

    Raises:
        QuestionsError: two share an id, so that their answers could not be told apart.
    """
    ids = tuple(str(row["id"]) for row in data.rows(config.name, subset))
    if len(set(ids)) < len(ids):
        twice = next(each for each in ids if ids.count(each) > 1)
        raise QuestionsError(f"{data.location}: {config.path(subset)} holds the id {twice!r} twice")
    return ids


def data_order(data: Data, subset: str, keys: Iterable[Key]) -> list[Key]:
    """Return keys of questions in the data's order: by config, then as in its file."""
    wanted = set(keys)
    names = {name for name, _ in wanted}
    return [
        (config.name, identifier)
        for config in CONFIGS
        if config.name in names
        for identifier in question_ids(data, config, subset)
        if (config.name, identifier) in wanted
    ]


def text_of(prompt: Prompt) -> str:
    """Return all that a model reads of a prompt."""
    if prompt.messages is None:
        return prompt.prompt or ""
    return "\n".join(message["content"] for message in prompt.messages)


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text has: one for four ASCII characters, for two letters of two bytes in UTF-8
    (Cyrillic, Arabic, Hebrew, accented Latin), and for each of three (Indic and East Asian scripts, Thai, Khmer).

    A tokenizer may take half as many, or twice; the empty text has none.
    """
    raw = text.encode("utf-8", "replace")
    ascii_characters = len(text.encode("ascii", "ignore"))
    other = len(text) - ascii_characters
    three = max(len(raw) - ascii_characters - 2 * other, 0)
    return round(ascii_characters / 4 + (other - min(three, other)) / 2 + min(three, other))
