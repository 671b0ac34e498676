"""Work done in one process or in several, in order, and shown to a person while it goes on."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from multiloko_metric.errors import MultiLoKoError

Job = TypeVar("Job")
Result = TypeVar("Result")


class ProcessError(MultiLoKoError):
    """A process was ended from outside."""


Track = Callable[[Iterable[Any], Sequence[int]], Iterable[Any]]
"""Passes results through and shows a person how far they are, given the size of each."""


def untracked(results: Iterable[Any], sizes: Sequence[int]) -> Iterable[Any]:
    """Show nothing."""
    return results


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Do not look for garbage in cycles: scoring makes none, but so much else that the search takes a tenth of it."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def in_processes(count: int, function: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Iterator[Result]]:
    """Give what a function gives for each job, in order; computed in ``count`` processes, or for one in this.

    Raises:
        ProcessError: a process was ended from outside.
    """
    if count == 1:
        yield map(function, jobs)
        return
    # They take a while to import, and mostly are not needed.
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    pool = ProcessPoolExecutor(count, initializer=_keep, initargs=(function,))
    try:
        yield pool.map(_call, jobs)  # this starts them, before a bar starts a thread: a copy of a thread may hang
    except BrokenProcessPool as error:
        advice = "if memory ran out, use fewer processes (--num-proc)"
        raise ProcessError(f"one of the {count} processes was ended from outside; {advice}") from error
    finally:
        pool.shutdown(cancel_futures=True)


_kept: list[Callable[[Any], Any]] = []
"""In another process: the function, which so is sent there once and not with every job."""


def _keep(function: Callable[[Any], Any]) -> None:
    gc.disable()  # as in the process that started this one
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one to handle
    _kept[:] = [function]


def _call(job: object) -> Any:
    return _kept[0](job)
