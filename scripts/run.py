"""A run: the answers of one model, matched to gold and scored."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from multiloko_metric.answers import read_answers
from multiloko_metric.matching import Gold, Matched, MatchedConfig, match
from multiloko_metric.profiles import ALIASES, PROFILES, get_profile
from multiloko_metric.scoring import AnswerScores, Scorer
from multiloko_metric.signature import Signature, sign
from multiloko_metric.summary import ConfigScores
from multiloko_source.source import DEV, FEWSHOT

from .errors import CommandError
from .gold import Data, add_gold_options, gold_of, open_gold

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


def load_run(path: Path, gold: Gold, arguments: argparse.Namespace) -> Run:
    """Read, match and score one file of answers with the options of ``add_run_options``.

    Raises:
        AnswerError: the file does not fit the gold.
        UnknownProfileError: there is no such profile.
    """
    profile = get_profile(arguments.profile)
    missing = arguments.missing or "zero"
    matched = match(
        read_answers(path),
        gold,
        file=str(path),
        missing=missing,
        duplicates=arguments.duplicates,
        unknown=arguments.unknown,
    )
    results = tuple(_scored(matched.configs, profile.name, arguments.num_proc))
    return Run(path.stem, matched, results, sign(profile, missing))


def open_run_gold(arguments: argparse.Namespace) -> tuple[Data, Gold]:
    """Open the gold that the options ask for.

    Raises:
        CommandError: the subset is the few-shot examples, which are no questions to score.
    """
    if arguments.subset == FEWSHOT:
        raise CommandError("the few-shot examples are not scored; --subset names dev or another subset of questions")
    data = open_gold(arguments)
    return data, gold_of(data, arguments.subset)


def _scored(configs: Sequence[MatchedConfig], profile: str, processes: int) -> Iterator[ConfigScores]:
    total = sum(len(config.ids) for config in configs)
    jobs = [(config, profile) for config in configs]
    bar = Progress(console=Console(stderr=True), transient=True, disable=total < _WORTH_A_BAR)
    with bar, ProcessPoolExecutor(processes) if processes > 1 else _ThisProcess() as pool:
        task = bar.add_task("Scoring", total=total)
        for config, scores in zip(configs, pool.map(_score_config, jobs), strict=True):
            bar.advance(task, len(scores))
            output_types = [question.output_type for question in config.questions]
            yield ConfigScores(config.config, config.ids, scores, config.answered, output_types)


class _ThisProcess:
    """Stands in for a pool of processes."""

    map = staticmethod(map)

    def __enter__(self) -> _ThisProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        pass


def _score_config(job: tuple[MatchedConfig, str]) -> list[AnswerScores]:
    matched, profile = job
    scorer = Scorer(profile)
    language = matched.config.question.name
    return [
        scorer.score(prediction, question.targets, language)
        for prediction, question in zip(matched.predictions, matched.questions, strict=True)
    ]


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number
