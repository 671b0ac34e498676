"""The tables of ``multiloko score --by``: a run by kind of answer, script and language family. Scores are 0..100."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from multiloko_runs.subgroups import DIMENSIONS, OUTPUT_TYPE, Subgroup

from .summary_table import PARTITION_TITLES

_TITLES = dict(zip(DIMENSIONS, ("kind of answer", "script", "language family"), strict=True))
_MOST = 20
"""Groups of a partition that are printed, the largest: kinds of answer run into hundreds."""
_BESIDE_NAMES = 55
"""Columns of the terminal that the numbers and the verdict need."""
_NARROWEST_NAME, _WIDEST_NAME = 15, 60
_UNNAMED = "(not said)"
TOO_SMALL = "too small to tell"


def subgroup_tables(groups: Sequence[Subgroup], *, width: int = 80, expand: bool = False) -> Iterator[RenderableType]:
    """Yield a heading and a table for each dimension and partition, in the order of the groups.

    Args:
        groups: of one or several dimensions.
        width: columns there are; names that are longer than what is left for them end in an ellipsis.
        expand: translated partitions too, where otherwise only local questions are shown, if there are any.
    """
    for dimension in dict.fromkeys(group.dimension for group in groups):
        of_dimension = [group for group in groups if group.dimension == dimension]
        partitions = list(dict.fromkeys(group.partition for group in of_dimension))
        for partition in partitions if expand or "local" not in partitions else ["local"]:
            title = f"Exact match by {_TITLES[dimension]}, {PARTITION_TITLES[partition]}, 0..100"
            yield Text(title, style="bold")
            yield from _table(dimension, [group for group in of_dimension if group.partition == partition], width)
            yield Text()


def _table(dimension: str, groups: Sequence[Subgroup], width: int) -> Iterator[RenderableType]:
    table = Table(box=None, padding=(0, 1), pad_edge=False, collapse_padding=True, header_style="bold")
    names = min(_WIDEST_NAME, max(_NARROWEST_NAME, width - _BESIDE_NAMES))
    table.add_column(_TITLES[dimension].capitalize(), no_wrap=True, max_width=names)
    for column in ("Langs", "Questions", "EM", "95 %"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("Against the rest", no_wrap=True)
    for group in groups[:_MOST]:
        table.add_row(*_row(group))
    yield table
    if more := groups[_MOST:]:
        yield Text(f"and {len(more):,} more, of {_questions(more):,} questions; the JSON has them all", style="dim")
    if dimension == OUTPUT_TYPE:
        yield Text("the rest: other questions in the same languages", style="dim")


def _row(group: Subgroup) -> Iterator[RenderableType]:
    low, high = group.interval.low, group.interval.high
    yield Text(group.name or _UNNAMED)
    yield str(group.languages)
    yield f"{group.questions:,}"
    yield f"{group.means['em'] * 100:.2f}"
    yield Text(f"{low * 100:.1f} to {high * 100:.1f}", style="dim")
    if group.too_small or group.difference is None:
        yield Text(TOO_SMALL, style="yellow")
    else:
        yield f"{group.difference * 100:+.1f}"


def _questions(groups: Iterable[Subgroup]) -> int:
    return sum(group.questions for group in groups)
