"""Options that say how files of answers are read."""

from __future__ import annotations

import argparse

from multiloko_runs.answer_steps import STEPS, AnswerStep, parse_steps
from multiloko_runs.readers import READERS, ReadOptions

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
