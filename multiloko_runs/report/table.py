"""A table of a report, and what its rows are made of.

Scores are in 0..100 here, as in every table for people, differences in points, lengths in characters. A cell without a
value is None.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from multiloko_metric.intervals import Interval
from multiloko_metric.languages import CONFIGS, Language
from multiloko_metric.summary import ConfigSummary

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    """As figures, CSV and LaTeX ask for it: ``em``."""
    title: str
    """As a person reads it: "EM"."""
    kind: str = "text"
    """text, count (whole number), score (0..100), points (difference of scores, with its sign), or number."""


@dataclass(frozen=True)
class ReportTable:
    """What one part of a report is about."""

    name: str
    title: str
    note: str
    """How to read it, in a sentence or two."""
    columns: Sequence[Column]
    rows: Sequence[Row]

    def __bool__(self) -> bool:
        """Whether there is anything in it."""
        return bool(self.rows)

    def column(self, name: str) -> list[Any]:
        """Return the values of a column.

        Raises:
            KeyError: it has no such column.
        """
        place = self._place(name)
        return [row[place] for row in self.rows]

    def where(self, **values: Any) -> ReportTable:
        """Return the table with only the rows that have these values."""
        places = {self._place(name): value for name, value in values.items()}
        kept = [row for row in self.rows if all(row[place] == value for place, value in places.items())]
        return replace(self, rows=kept)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield each row as values by the names of columns."""
        names = [column.name for column in self.columns]
        return (dict(zip(names, row, strict=True)) for row in self.rows)

    def _place(self, name: str) -> int:
        for place, column in enumerate(self.columns):
            if column.name == name:
                return place
        raise KeyError(f"{self.name} has no column {name!r}")


RUN = Column("run", "Run")
LANGUAGE = (Column("language", "Language"), Column("code", "Code"))
INTERVAL = (Column("low", "95 % from", "score"), Column("high", "to", "score"))


def in_order(configs: Iterable[ConfigSummary]) -> list[ConfigSummary]:
    """Return configs in the fixed order: local ones first."""
    return sorted(configs, key=lambda each: CONFIGS.index(each.config))


def named(language: Language) -> tuple[str, str]:
    """Return the two cells of `LANGUAGE`: its name for people, and its code."""
    return language.title, language.code


def hundred(value: float | None) -> float | None:
    """Return what is in 0..1 in 0..100; None for None."""
    return None if value is None else value * 100


def ends(interval: Interval | None) -> tuple[float | None, float | None]:
    """Return the two cells of an interval in 0..1, in 0..100; two times None where there is none."""
    return (None, None) if interval is None else (interval.low * 100, interval.high * 100)
