"""A run: the answers of one model, matched to gold and scored."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from multiloko_metric.answers import Answer, read_answers
from multiloko_metric.languages import Config
from multiloko_metric.matching import (
    Findings,
    Matched,
    MatchedConfig,
    Policy,
    conclude,
    match_config,
    split_by_config,
)
from multiloko_metric.profiles import ALIASES, PROFILES, get_profile
from multiloko_metric.results import ConfigScores, score_matched
from multiloko_metric.scoring import Scorer
from multiloko_metric.signature import Signature, sign
from multiloko_source.source import DEV, FEWSHOT

from .errors import CommandError
from .gold import Data, add_gold_options, questions_of
from .progress import advancing

if TYPE_CHECKING:
    from multiloko_metric.diagnosis import RunWarning

Job = TypeVar("Job")
Result = TypeVar("Result")

_WORTH_A_BAR = 20_000
"""Answers from which on scoring takes more than a few seconds."""


@dataclass(frozen=True)
class Run:
    """One model's scored answers."""

    name: str
    """Name of the file of answers, without its ending."""
    matched: Matched
    results: tuple[ConfigScores, ...]
    """Scores of each config with at least one answer, in order of first appearance."""
    signature: Signature
    warnings: tuple[RunWarning, ...] = ()
    """What its scores do not say but its answers do, where that was asked for."""

    @property
    def notes(self) -> Sequence[str]:
        """What a person should know about how answers and gold were matched."""
        return self.matched.notes


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that scores answers, other than the files of answers themselves."""
    add_gold_options(parser)
    parser.add_argument("-s", "--subset", default=DEV, help="questions to score against (default: dev)")
    names = [*PROFILES, *ALIASES]
    parser.add_argument("--profile", default="official", metavar="NAME", help=f"{', '.join(names)} (default: official)")
    parser.add_argument(
        "--missing",
        choices=("zero", "skip", "error"),
        help="a question without an answer counts as an empty answer (default), is left out, or is an error",
    )
    parser.add_argument(
        "--duplicates", choices=("error", "first", "last"), default="error", help="several answers to one question"
    )
    parser.add_argument(
        "--unknown", choices=("error", "skip"), default="error", help="answers to what the gold does not have"
    )
    parser.add_argument("--num-proc", type=_positive, default=1, metavar="N", help="processes (default: 1)")


def load_run(path: Path, data: Data, arguments: argparse.Namespace, *, diagnosed: bool = False) -> Run:
    """Read, match and score one file of answers with the options of ``add_run_options``; look for warnings if asked.

    Raises:
        AnswerError: the file does not fit the gold.
        UnknownProfileError: there is no such profile.
    """
    profile = get_profile(arguments.profile)
    missing = arguments.missing or "zero"
    scored: list[_Scored] = []
    work = partial(_score_config, profile.name, data if diagnosed else None)
    notes = for_each_config(work, scored.append, path, data, arguments, missing)
    matched = [each.matched for each in scored]
    warnings: tuple[RunWarning, ...] = ()
    if diagnosed:
        from multiloko_metric.diagnosis import with_misplaced_answers

        warnings = with_misplaced_answers([each.warnings for each in scored], matched)
    results = tuple(each.result for each in scored)
    return Run(path.stem, Matched(matched, notes), results, sign(profile, missing), warnings)


class _Scored(NamedTuple):
    matched: MatchedConfig
    result: ConfigScores
    warnings: Sequence[RunWarning]


def _score_config(profile: str, data: Data | None, matched: MatchedConfig) -> _Scored:
    """Score the answers of a config; with the data, where its few-shot examples are, also look for warnings."""
    scorer = Scorer(profile)
    result = score_matched(matched, scorer)
    if data is None:
        return _Scored(matched, result, ())
    from multiloko_metric.diagnosis import diagnose_config

    return _Scored(matched, result, diagnose_config(matched, result, scorer, _fewshot_targets(data, matched.config)))


def _fewshot_targets(data: Data, config: Config) -> list[str]:
    if FEWSHOT not in data.splits(config.name):
        return []
    return [target for row in data.rows(config.name, FEWSHOT) for target in row["targets"]]


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
) -> Sequence[str]:
    """Match one file of answers to the gold, do some work on each config, and return the notes of the matching.

    A config is handed over as a whole, its gold is read where its answers are scored: little is left for one process
    alone, and little travels between them.

    Args:
        work: what to do with a config; with ``--num-proc`` in another process, so it must be possible to pickle it.
        take: is given what came of each config, in order of first appearance.
        path: the file.
        data: the gold.
        arguments: those of ``add_run_options``.
        missing: what becomes of a question without an answer.

    Raises:
        AnswerError: the file does not fit the gold. By then some of the work may have been done, and taken.
    """
    if arguments.subset == FEWSHOT:
        raise CommandError("the few-shot examples are not scored; --subset names dev or another subset of questions")
    policy = Policy(missing, arguments.duplicates, arguments.unknown)
    by_config, problems = split_by_config(read_answers(path), policy)
    refused = any(problem.refused for problem in problems)
    worker = _Worker(list(by_config.items()), data, arguments.subset, policy, None if refused else work)
    sizes = [len(answers) for answers in by_config.values()]
    every: list[Findings] = []
    with closing(_in_processes(arguments.num_proc, worker, range(len(by_config)))) as outcomes:
        for findings, result in advancing(outcomes, sizes, "Scoring", hidden=sum(sizes) < _WORTH_A_BAR):
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


def _in_processes(count: int, function: Callable[[Job], Result], jobs: Iterable[Job]) -> Generator[Result]:
    """Yield what a function gives for each job, in order; computed in ``count`` processes, or for one in this."""
    if count == 1:
        yield from map(function, jobs)
        return
    from concurrent.futures import ProcessPoolExecutor  # it takes a while to import, and mostly is not needed

    with ProcessPoolExecutor(count, initializer=_keep, initargs=(function,)) as pool:
        yield from pool.map(_call, jobs)


_kept: list[Callable[[Any], Any]] = []
"""In another process: the function, which so is sent there once and not with every job."""


def _keep(function: Callable[[Any], Any]) -> None:
    gc.disable()  # as in the process that started this one
    _kept[:] = [function]


def _call(job: object) -> Any:
    return _kept[0](job)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number
