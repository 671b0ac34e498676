"""Progress bars: on standard error, gone when done, and only where a person sees them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

Item = TypeVar("Item")


def progress(*columns: str | ProgressColumn) -> Progress:
    """Return a progress display; where standard error is no terminal, one that shows nothing."""
    from rich.console import Console  # takes a while to import, and mostly there is nobody to see a bar
    from rich.progress import Progress

    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def tracked(items: Sequence[Item], description: str) -> Iterator[Item]:
    """Yield the items, with a bar."""
    return advancing(items, [1] * len(items), description)


def advancing(
    results: Iterable[Item], sizes: Sequence[int], description: str, *, hidden: bool = False
) -> Iterator[Item]:
    """Yield the results, with a bar that each moves by its size."""
    if hidden or not sizes or not sys.stderr.isatty():
        yield from results
        return
    with progress() as bar:
        task = bar.add_task(description, total=sum(sizes))
        for size, result in zip(sizes, results, strict=True):
            bar.advance(task, size)
            yield result
