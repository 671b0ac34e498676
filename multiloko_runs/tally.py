"""What came of a run, counted: tokens, failures by reason, and what explains many a bad score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .run_file import Record

CUT_OFF = "cut off at the token limit"
FILTERED = "refused by a content filter"
EMPTY = "empty"
_REASONS = {"length": CUT_OFF, "content_filter": FILTERED}


@dataclass
class Tally:
    """Counts over the records of a run."""

    answers: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    """Questions without an answer, by kind of failure."""
    examples: dict[str, str] = field(default_factory=dict)
    """One message of each kind of failure."""
    doubtful: dict[str, Counter[str]] = field(
        default_factory=lambda: {CUT_OFF: Counter(), FILTERED: Counter(), EMPTY: Counter()}
    )
    """What explains many a bad score, counted by config. An answer may be cut off and empty."""
    reasoned: int = 0
    """Answers whose reasoning came apart."""
    reasoning_characters: int = 0
    models: Counter[str] = field(default_factory=Counter)
    """Names that the server gave the model."""

    def add(self, record: Record) -> None:
        """Count one record."""
        if record["prediction"] is None:
            error = record.get("error") or {}
            kind = str(error.get("kind", "unknown"))
            self.failures[kind] += 1
            self.examples.setdefault(kind, str(error.get("message", "")))
            if kind == "content_filter":
                self.doubtful[FILTERED][record["config"]] += 1
            return
        self.answers += 1
        self.prompt_tokens += record.get("prompt_tokens") or 0
        self.completion_tokens += record.get("completion_tokens") or 0
        if reason := _REASONS.get(str(record.get("finish_reason"))):
            self.doubtful[reason][record["config"]] += 1
        if not record["prediction"].strip():
            self.doubtful[EMPTY][record["config"]] += 1
        if record.get("reasoning_characters"):
            self.reasoned += 1
            self.reasoning_characters += record["reasoning_characters"]
        if record.get("model"):
            self.models[record["model"]] += 1

    @property
    def failed(self) -> int:
        """Questions without an answer."""
        return sum(self.failures.values())


def tally(records: Iterable[Record]) -> Tally:
    """Return the counts over some records."""
    counts = Tally()
    for record in records:
        counts.add(record)
    return counts


def notes(counts: Tally, model: str) -> Iterator[str]:
    """Yield what a person should know of a run, a sentence each.

    Args:
        counts: of all its records.
        model: the name that was asked for.
    """
    for what, by_config in counts.doubtful.items():
        if total := sum(by_config.values()):
            where = ", ".join(f"{name} {count:,}" for name, count in by_config.items())
            yield f"{total:,} of {counts.answers + counts.failed:,} {what}: {where}"
    if counts.reasoned:
        mean = counts.reasoning_characters / counts.reasoned
        yield f"reasoning came apart in {counts.reasoned:,} answers, {mean:,.0f} characters each; it is not scored"
    others = [name for name in counts.models if name != model]
    if others:
        yield f"the server calls the model {', '.join(map(repr, others[:3]))}; {model!r} was asked for"
