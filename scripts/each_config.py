"""Work on the answers of each config: matched to its gold, and done in one process or in several."""

from __future__ import annotations

import argparse
import gc
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from multiloko_metric.answers import Answer
from multiloko_metric.languages import Config
from multiloko_metric.matching import Findings, MatchedConfig, Policy, conclude, match_config
from multiloko_runs.answer_steps import StepCount
from multiloko_source.source import FEWSHOT

from .errors import CommandError
from .gold import Data, questions_of
from .reading import read_by_config
from .terminal import advancing

Job = TypeVar("Job")
Result = TypeVar("Result")

_WORTH_A_BAR = 20_000
"""Answers from which on scoring takes more than a few seconds."""


@dataclass(frozen=True)
class Matching:
    """How a file of answers was read, and fits the gold."""

    notes: Sequence[str]
    """What a person should know of it, a sentence each."""
    steps: Sequence[StepCount] = ()
    """What each step of ``--answer`` did in each config."""


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
def for_each_config(  # noqa: PLR0917 - what to do, then what with
    work: Callable[[MatchedConfig], Result],
    take: Callable[[Result], None],
    path: Path,
    data: Data,
    arguments: argparse.Namespace,
    missing: str,
    *,
    slow: bool = False,
) -> Matching:
    """Match one file of answers to the gold, do some work on each config, and return how it was read and fits.

    A config is handed over as a whole, its gold is read where its answers are scored: little is left for one process
    alone, and little travels between them.

    Args:
        work: what to do with a config; with ``--num-proc`` in another process, so it must be possible to pickle it.
        take: is given what came of each config, in order of first appearance.
        path: the file.
        data: the gold.
        arguments: those of ``add_run_options``, with those of ``add_read_options`` in them.
        missing: what becomes of a question without an answer.
        slow: whether the work is worth a bar from the first answer on.

    Raises:
        AnswerError: the file does not fit the gold. By then some of the work may have been done, and taken.
    """
    if arguments.subset == FEWSHOT:
        raise CommandError("the few-shot examples are not scored; --subset names dev or another subset of questions")
    policy = Policy(missing, arguments.duplicates, arguments.unknown)
    read = read_by_config(path, arguments, policy)
    by_config, problems = read.by_config, read.problems
    refused = any(problem.refused for problem in problems)
    worker = _Worker(list(by_config.items()), data, arguments.subset, policy, None if refused else work)
    sizes = [len(answers) for answers in by_config.values()]
    every: list[Findings] = []
    with _in_processes(arguments.num_proc, worker, range(len(by_config))) as outcomes:
        for findings, result in advancing(
            outcomes, sizes, "Scoring", hidden=sum(sizes) < (1 if slow else _WORTH_A_BAR)
        ):
            every.append(findings)
            if result is not None:
                take(result)
    return Matching([*read.notes, *conclude(every, problems, str(path))], read.counts)


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
        CommandError: a process was ended from outside.
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
        raise CommandError(f"one of the {count} processes was ended from outside; {advice}") from error
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
