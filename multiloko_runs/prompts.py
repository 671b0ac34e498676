"""PLACEHOLDER with the interface of the real module, English wording only; it is overwritten when that is merged."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from multiloko_metric.languages import Config
from multiloko_source.rows import Row

_WORDING = ("Question: {}\nAnswer with {}.\nAnswer:", "Answer with {} and nothing else.\n{}")


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
        shots = (5 if self.style == "base" else 0) if self.shots is None else self.shots
        sha256 = hashlib.sha256("".join(_WORDING).encode()).hexdigest()
        named = "official" if self.official else "multiloko"
        return {"style": self.style, "shots": shots, "open_book": self.open_book, "prompts": named, "sha256": sha256}


def question_key(config: Config, identifier: str) -> str:
    """Return a key of at most 64 characters."""
    digest = hashlib.sha256(unicodedata.normalize("NFC", identifier).encode()).hexdigest()
    return f"{config.name}:{digest[:24]}"


def make_prompts(
    data: Data, configs: Iterable[Config], settings: PromptSettings, *, subset: str = "dev", limit: int | None = None
) -> Iterator[Prompt]:
    """Yield the prompts of every question."""
    base, shots = settings.style == "base", settings.describe()["shots"]
    for config in configs:
        examples = list(data.rows(config.name, "fewshot"))[:shots] if shots else []
        for number, row in enumerate(data.rows(config.name, subset)):
            if number == limit:
                break
            text, messages = None, None
            if base:
                shown = [f"{_asked(example, base)} {example['targets'][0]}\n\n" for example in examples]
                text = "".join(shown) + _asked(row, base)
            else:
                turns = []
                for example in examples:
                    turns.append({"role": "user", "content": _asked(example, base)})
                    turns.append({"role": "assistant", "content": example["targets"][0]})
                messages = (*turns, {"role": "user", "content": _asked(row, base)})
            key = question_key(config, row["id"])
            yield Prompt(key, config, row["id"], text, messages, tuple(example["id"] for example in examples))


def _asked(row: Row, base: bool) -> str:
    if base:
        return _WORDING[0].format(row["question"], row["output_type"])
    return _WORDING[1].format(row["output_type"], row["question"])
