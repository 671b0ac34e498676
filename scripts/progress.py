"""Progress bars: on standard error, gone when done, and only where a person sees them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from rich.console import Console
from rich.progress import Progress, ProgressColumn

Item = TypeVar("Item")


def progress(*columns: str | ProgressColumn, hidden: bool = False) -> Progress:
    """Return a progress display; where standard error is no terminal, one that shows nothing."""
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=hidden or not console.is_terminal)


def tracked(items: Sequence[Item], description: str) -> Iterator[Item]:
    """Yield the items, with a bar."""
    with progress(hidden=not items) as bar:
        yield from bar.track(items, description=description)


def advancing(
    results: Iterable[Item], sizes: Sequence[int], description: str, *, hidden: bool = False
) -> Iterator[Item]:
    """Yield the results, with a bar that each moves by its size."""
    with progress(hidden=hidden) as bar:
        task = bar.add_task(description, total=sum(sizes))
        for size, result in zip(sizes, results, strict=True):
            bar.advance(task, size)
            yield result
