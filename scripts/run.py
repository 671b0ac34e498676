"""A run: the answers of one model, matched to gold and scored."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from multiloko_metric.answers import read_answers
from multiloko_metric.languages import CONFIGS, Config, UnknownConfigError, parse_config
from multiloko_metric.matching import Matched, MatchedConfig, match, score_matched
from multiloko_metric.profiles import ALIASES, PROFILES, get_profile
from multiloko_metric.scoring import Scorer
from multiloko_metric.signature import Signature, sign
from multiloko_metric.summary import ConfigScores
from multiloko_source.source import DEV, FEWSHOT

from .errors import CommandError
from .gold import Data, add_gold_options, questions_of
from .progress import advancing

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


def load_run(path: Path, data: Data, arguments: argparse.Namespace) -> Run:
    """Read, match and score one file of answers with the options of ``add_run_options``.

    Raises:
        AnswerError: the file does not fit the gold.
        UnknownProfileError: there is no such profile.
    """
    profile = get_profile(arguments.profile)
    missing = arguments.missing or "zero"
    with processes(arguments.num_proc) as pool:
        matched = load_matched(path, data, arguments, pool, missing)
        jobs = [(config, profile.name) for config in matched.configs]
        results = tuple(with_progress(pool.map(_score_config, jobs), matched))
    return Run(path.stem, matched, results, sign(profile, missing))


def load_matched(path: Path, data: Data, arguments: argparse.Namespace, pool: Pool, missing: str) -> Matched:
    """Read one file of answers and match it to the gold.

    Raises:
        AnswerError: the file does not fit the gold.
    """
    if arguments.subset == FEWSHOT:
        raise CommandError("the few-shot examples are not scored; --subset names dev or another subset of questions")
    answers = list(read_answers(path))
    configs = _known_configs({answer.language for answer in answers})
    gold = dict(zip(configs, pool.map(partial(questions_of, data, arguments.subset), configs), strict=True))
    return match(
        answers,
        gold.__getitem__,
        file=str(path),
        missing=missing,
        duplicates=arguments.duplicates,
        unknown=arguments.unknown,
    )


def _known_configs(names: set[str]) -> list[Config]:
    """The configs among the names; what is none is for ``match`` to complain of."""
    found = set()
    for name in names:
        with suppress(UnknownConfigError):
            found.add(parse_config(name))
    return sorted(found, key=CONFIGS.index)


class Pool(Protocol):
    """Where work on the configs is done, one after another or in several processes."""

    def map(self, function: Callable[[Job], Result], jobs: Iterable[Job], /) -> Iterator[Result]:
        """Yield the result of each job, in order."""


class _ThisProcess:
    def map(self, function: Callable[[Job], Result], jobs: Iterable[Job], /) -> Iterator[Result]:
        return map(function, jobs)


@contextmanager
def processes(count: int) -> Iterator[Pool]:
    """Give a pool of ``count`` processes, or this process itself for one."""
    if count == 1:
        yield _ThisProcess()
        return
    with ProcessPoolExecutor(count) as pool:
        yield pool


def with_progress(results: Iterable[Result], matched: Matched) -> Iterator[Result]:
    """Yield the result of each config; where there are enough answers, with a bar on standard error."""
    sizes = [len(config.ids) for config in matched.configs]
    return advancing(results, sizes, "Scoring", hidden=sum(sizes) < _WORTH_A_BAR)


def _score_config(job: tuple[MatchedConfig, str]) -> ConfigScores:
    matched, profile = job
    return score_matched(matched, Scorer(profile))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number
