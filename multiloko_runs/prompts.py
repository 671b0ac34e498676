"""Prompts for every question: PLACEHOLDER in English until the real module, with the same interface, is merged."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from multiloko_metric.languages import Config
from multiloko_source.rows import Row


class Data(Protocol):
    """Where questions come from."""

    def splits(self, name: str) -> tuple[str, ...]:
        """Splits of a config."""

    def rows(self, name: str, split: str = "dev") -> Iterator[Row]:
        """Rows of a split."""


class Prompt(NamedTuple):
    """What a model is asked."""

    key: str
    config: Config
    id: str
    prompt: str | None
    messages: tuple[dict[str, str], ...] | None
    fewshot: tuple[str, ...]


@dataclass(frozen=True)
class PromptSettings:
    """How prompts are made."""

    style: str = "chat"
    shots: int | None = None
    open_book: bool = False
    official: Path | None = None

    def describe(self) -> dict[str, Any]:
        """Return it for records."""
        return {"style": self.style, "shots": self.shots, "open_book": self.open_book, "prompts": "placeholder"}


def question_key(config: Config, identifier: str) -> str:
    """Return a key of at most 64 characters."""
    digest = hashlib.sha256(unicodedata.normalize("NFC", identifier).encode()).hexdigest()
    return f"{config.name}:{digest[:24]}"


def make_prompts(
    data: Data, configs: Iterable[Config], settings: PromptSettings, *, subset: str = "dev", limit: int | None = None
) -> Iterator[Prompt]:
    """Yield the prompts of every question."""
    shots = (5 if settings.style == "base" else 0) if settings.shots is None else settings.shots
    for config in configs:
        examples = list(data.rows(config.name, "fewshot"))[:shots]
        shown = tuple(example["id"] for example in examples)
        for place, row in enumerate(data.rows(config.name, subset)):
            if place == limit:
                break
            key = question_key(config, row["id"])
            if settings.style == "base":
                text = "".join(f"{_query(example)} {example['targets'][0]}\n\n" for example in examples) + _query(row)
                yield Prompt(key, config, row["id"], text, None, shown)
                continue
            turns = []
            for example in examples:
                turns.append({"role": "user", "content": _chat(example)})
                turns.append({"role": "assistant", "content": example["targets"][0]})
            turns.append({"role": "user", "content": _chat(row)})
            yield Prompt(key, config, row["id"], None, tuple(turns), shown)


def _query(row: Row) -> str:
    return f"Question: {row['question']}\nAnswer with {row['output_type']}.\nAnswer:"


def _chat(row: Row) -> str:
    return f"Answer with {row['output_type']} and nothing else: {row['question']}"
