"""Work on the answers of each config: matched to its gold, and done in one process or in several."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import Config
from multiloko_source.questions import Data, questions_of
from multiloko_source.source import DEV, FEWSHOT

from .answers import Answer, AnswerError, read_answers
from .matching import Findings, MatchedConfig, Policy, conclude, match_config, split_by_config

Job = TypeVar("Job")
Result = TypeVar("Result")


class ProcessError(MultiLoKoError):
    """A process was ended from outside."""


Track = Callable[[Iterable[Any], Sequence[int]], Iterable[Any]]
"""Passes results through and shows a person how far they are, given the size of each."""


def untracked(results: Iterable[Any], sizes: Sequence[int]) -> Iterable[Any]:
    """Show nothing."""
    return results


@dataclass(frozen=True)
class Options:
    """How a file of answers is read, matched and scored."""

    subset: str = DEV
    """Questions it is scored against."""
    profile: str = "official"
    missing: str = "zero"
    duplicates: str = "error"
    unknown: str = "error"
    """These three as in `Policy`."""
    processes: int = 1
    verify: bool = False
    """Score every answer again by the written rules."""
    track: Track = untracked


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Do not look for garbage in cycles: scoring makes none, but so much else that the search takes a tenth of it."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@_without_garbage_collection()
def for_each_config(
    work: Callable[[MatchedConfig], Result], take: Callable[[Result], None], path: Path, data: Data, options: Options
) -> Sequence[str]:
    """Match one file of answers to the gold, do some work on each config, and return the notes of the matching.

    A config is handed over as a whole, its gold is read where its answers are scored: little is left for one process
    alone, and little travels between them.

    Args:
        work: what to do with a config; with several processes in another one, so it must be possible to pickle it.
        take: is given what came of each config, in order of first appearance.
        path: the file.
        data: the gold.
        options: how.

    Raises:
        AnswerError: the file does not fit the gold. By then some of the work may have been done, and taken.
    """
    if options.subset == FEWSHOT:
        raise AnswerError("the few-shot examples are not scored; --subset names dev or another subset of questions")
    policy = Policy(options.missing, options.duplicates, options.unknown)
    by_config, problems = split_by_config(read_answers(path), policy)
    refused = any(problem.refused for problem in problems)
    worker = _Worker(list(by_config.items()), data, options.subset, policy, None if refused else work)
    sizes = [len(answers) for answers in by_config.values()]
    every: list[Findings] = []
    with _in_processes(options.processes, worker, range(len(by_config))) as outcomes:
        for findings, result in options.track(outcomes, sizes):
            every.append(findings)
            if result is not None:
                take(result)
    return conclude(every, problems, str(path))


@dataclass(frozen=True)
class _Worker(Generic[Result]):
    """Matches the answers of a config, and works on them unless they are refused."""

    answers: Sequence[tuple[Config, Sequence[Answer]]]
    """Of each config. They are part of the worker: a process that is a copy of this one has them without any travel."""
    data: Data
    subset: str
    policy: Policy
    work: Callable[[MatchedConfig], Result] | None
    """None where all is refused already, and it is only of interest for what else."""

    def __call__(self, number: int) -> tuple[Findings, Result | None]:
        config, answers = self.answers[number]
        matched, findings = match_config(config, answers, questions_of(self.data, self.subset, config), self.policy)
        return findings, self.work(matched) if self.work and matched else None


@contextmanager
def _in_processes(count: int, function: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Iterator[Result]]:
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
