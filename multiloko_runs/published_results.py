"""What others have published: the official leaderboard, and figures of model cards and reports.

They are marks to see a run against, never to rank it with: split, examples, prompts and metric differ. Each says how.
The figures and their sources stand in ``published_results.yaml``.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class PublishedResult:
    """One model's published score. What the source does not say is None, and is not guessed."""

    model: str
    """As the source calls it."""
    average: float
    """Over languages, 0..100."""
    two_standard_errors: float | None
    """Across languages, in points."""
    gap: float | None
    """Of the best and the worst language, in points."""
    mte: float | None
    """Average mother tongue effect, in points."""
    mte_two_standard_errors: float | None
    min: float | None
    """Of the worst language, 0..100."""
    max: float | None
    """Of the best language, 0..100."""
    split: str | None
    """``dev`` or ``test``."""
    shots: int | None
    """Examples shown."""
    prompts: str | None
    """Whose they are."""
    source: str
    """Title of where it was published."""
    url: str
    note: str
    """What to know before comparing."""
    metric: str = "em"
    """``em``, or ``llm_judge`` where a language model judged the answers."""
    model_type: str | None = None
    """``base`` or ``chat``."""
    date: datetime.date | None = None
    """Of publication."""

    @property
    def settings(self) -> str:
        """What it was measured with, in short: ``test split, 5 examples, base model``."""
        parts = [
            f"{self.split} split" if self.split else "split not said",
            "examples not said" if self.shots is None else f"{self.shots or 'no'} examples",
            f"{self.model_type} model" if self.model_type else "",
            "judged by a language model" if self.metric == "llm_judge" else "",
        ]
        return ", ".join(part for part in parts if part)

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        data = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**data, "date": self.date.isoformat() if self.date else None}


@cache
def published_results() -> tuple[PublishedResult, ...]:
    """Return every published result, source after source, the official leaderboard first and in its own order."""
    import yaml  # only where they are shown

    text = (files("multiloko_runs") / "published_results.yaml").read_text(encoding="utf-8")
    sources: list[dict[str, Any]] = yaml.safe_load(text)
    return tuple(
        _result({**{name: value for name, value in source.items() if name != "results"}, **entry})
        for source in sources
        for entry in source["results"]
    )


def _result(fields: dict[str, Any]) -> PublishedResult:
    """Return a result from its own fields and those of its source; an unknown one is an error of the data file."""
    absent = dict.fromkeys(PublishedResult.__dataclass_fields__)
    return PublishedResult(**{**absent, "metric": "em", **fields})
