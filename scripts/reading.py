"""How files of answers are read: the options for it, and the answers of each config after all steps."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from multiloko_metric.answers import Answer
from multiloko_metric.languages import Config
from multiloko_metric.matching import Policy, Problem, split_by_config
from multiloko_runs.answer_steps import STEPS, AnswerStep, StepCount, apply_counted, parse_steps, step_notes
from multiloko_runs.readers import READERS, Reading, ReadOptions, read_answers

KINDS = (
    "a table (CSV, JSON lines, Parquet, ...) with language, id and prediction, a log of lm-eval, lighteval or "
    "inspect_ai, output of the OpenAI batch API, or a folder of such files"
)


def add_read_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say how files of answers are read."""
    group = parser.add_argument_group("how answers are read (docs/readers.md)")
    group.add_argument(
        "--answer",
        action="append",
        default=[],
        metavar="STEP",
        help=f"take the answer out of what the model wrote, before scoring: {', '.join(STEPS)}; several in order",
    )
    group.add_argument("--column", metavar="NAME", help="column of the answer (default: prediction)")
    group.add_argument("--language", metavar="CONFIG", help="config of a file that does not say it")
    group.add_argument("--filter", metavar="NAME", help="which of several filters of an lm-eval log")
    group.add_argument("--epoch", type=int, metavar="N", help="which of several answers to each question, from 1")
    group.add_argument(
        "--reader", metavar="NAME", help=f"what the file is, instead of finding out: {', '.join(READERS)}"
    )


def read_options(arguments: argparse.Namespace) -> ReadOptions:
    """Return what the options of `add_read_options` say.

    Raises:
        MultiLoKoError: one of them cannot be.
    """
    return ReadOptions(
        reader=arguments.reader,
        column=arguments.column,
        language=arguments.language,
        filter=arguments.filter,
        epoch=arguments.epoch,
    )


def steps_asked_for(arguments: argparse.Namespace) -> tuple[AnswerStep, ...]:
    """Return the steps that ``--answer`` names, in order.

    Raises:
        StepError: there is no such step.
    """
    return parse_steps(arguments.answer)


@dataclass(frozen=True)
class ReadAnswers:
    """The answers of a file, config by config in order of first appearance, after all steps."""

    by_config: dict[Config, Sequence[Answer]]
    problems: Sequence[Problem]
    """With names that are no config's."""
    counts: Sequence[StepCount]
    """What each step did in each config."""
    notes: Sequence[str]
    """What a person should know of how the file was read."""


def read_by_config(path: Path, arguments: argparse.Namespace, policy: Policy) -> ReadAnswers:
    """Read a file of answers and apply the steps.

    Raises:
        MultiLoKoError: the file cannot be read, or a step cannot be used.
    """
    steps = steps_asked_for(arguments)
    reading = Reading(read_options(arguments))
    by_config, problems = split_by_config(read_answers(path, reading), policy)
    counts: list[StepCount] = []
    if steps:
        for config, answers in by_config.items():
            texts, of_config = apply_counted(steps, [answer.prediction for answer in answers], config.name)
            by_config[config] = [answer._replace(prediction=text) for answer, text in zip(answers, texts, strict=True)]
            counts += of_config
    return ReadAnswers(by_config, problems, counts, [*reading.notes, *step_notes(counts)])
