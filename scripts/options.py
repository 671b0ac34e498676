"""Options that several commands have: where the questions come from, and how answers are scored."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multiloko_metric.languages import CONFIGS, Config
from multiloko_metric.profiles import ALIASES, PROFILES
from multiloko_runs.scored_run import Options
from multiloko_source.installed import open_data
from multiloko_source.questions import Data
from multiloko_source.source import DEV, members

from .errors import CommandError
from .read_options import add_read_options, read_options, steps_asked_for
from .terminal import advancing

if TYPE_CHECKING:
    from multiloko_runs.prompts import PromptSettings

_WORTH_A_BAR = 20_000
"""Answers from which on scoring takes more than a few seconds."""


def add_gold_options(parser: argparse.ArgumentParser) -> None:
    """Add ``-d`` and ``--sample`` to a command that needs gold."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "-d",
        "--data",
        "--dataset_location",
        metavar="FOLDER|ARCHIVE|HUB_REPO",
        help="questions and gold: official folder, archive or Hub repository (default: the installed data)",
    )
    where.add_argument("--sample", action="store_true", help="the bundled sample: invented, not MultiLoKo data")


def open_gold(arguments: argparse.Namespace) -> Data:
    """Open what the options of ``add_gold_options`` ask for.

    Raises:
        SourceError: nothing was asked for and nothing is installed, or the place cannot be read.
    """
    if arguments.sample:
        from multiloko_source.sample import open_sample

        return open_sample()
    return open_data(arguments.data or None)


def predictions_file(arguments: argparse.Namespace) -> Path:
    """Return the file of answers that ``-p`` names; with ``--sample``, without it, the bundled one.

    Raises:
        CommandError: it is not named.
    """
    if arguments.predictions:
        return Path(arguments.predictions)
    if not arguments.sample:
        raise CommandError("name the file of answers with -p FILE")
    from multiloko_source.sample import sample_predictions

    return sample_predictions()


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
    parser.add_argument("--num-proc", type=positive, default=1, metavar="N", help="processes (default: 1)")
    add_read_options(parser)


def scoring_options(arguments: argparse.Namespace, *, verify: bool = False) -> Options:
    """Return what the options of ``add_run_options`` say, with a bar where scoring takes more than a few seconds."""
    least = 1 if verify else _WORTH_A_BAR

    def track(results: Iterable[Any], sizes: Sequence[int]) -> Iterable[Any]:
        return advancing(results, sizes, "Scoring", hidden=sum(sizes) < least)

    return Options(
        arguments.subset,
        arguments.profile,
        arguments.missing or "zero",
        arguments.duplicates,
        arguments.unknown,
        arguments.num_proc,
        verify,
        read_options(arguments),
        steps_asked_for(arguments),
        track,
    )


def add_prompt_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that puts questions to a model: which questions, and how they are put."""
    which = parser.add_argument_group("which questions")
    which.add_argument("-s", "--subset", default=DEV, help="file of each config (default: dev)")
    which.add_argument("--configs", metavar="NAMES", help="with commas between: fr,fr-en-human (default: all 31 local)")
    which.add_argument("--translated", action="store_true", help="the 120 translated configs too")
    which.add_argument("--limit", type=positive, metavar="N", help="at most so many questions of each config")
    how = parser.add_argument_group("how they are put")
    how.add_argument(
        "--style", choices=("chat", "base"), default="chat", help="for a chat model (default) or a base model"
    )
    how.add_argument("--shots", type=int, metavar="N", help="examples shown (default: 5 for base, none for chat)")
    how.add_argument("--open-book", action="store_true", help="put the question's source paragraph in front of it")
    how.add_argument(
        "--official",
        type=Path,
        metavar="PATH",
        help="use the prompts of a checkout of facebookresearch/multiloko, to the byte",
    )


def prompt_settings(arguments: argparse.Namespace) -> PromptSettings:
    """Return what the options of ``add_prompt_options`` say of how questions are put.

    Raises:
        PromptError: they contradict each other.
    """
    from multiloko_runs.prompts import PromptSettings

    return PromptSettings(arguments.style, arguments.shots, arguments.open_book, arguments.official)


def chosen_configs(arguments: argparse.Namespace, data: Data) -> Sequence[Config]:
    """Return the configs that the options of ``add_prompt_options`` name, in the fixed order.

    Where none is named, those of which the data have questions.

    Raises:
        CommandError: they name none, or some twice over.
        QuestionsError: the data have no questions of one that is named, or of any.
        UnknownConfigError: a name is no config's.
    """
    from multiloko_runs.asked_questions import configs_with

    if arguments.configs is None:
        wanted = [config for config in CONFIGS if arguments.translated or config.translation is None]
        return configs_with(data, arguments.subset, wanted, named=False)
    if arguments.translated:
        raise CommandError("--configs names the configs; --translated is for all of them without it")
    names = [name.strip() for name in arguments.configs.split(",") if name.strip()]
    if not names:
        raise CommandError(f"--configs names no config: {arguments.configs!r}; name some, such as fr,de")
    wanted = [config for name in names for config in members(name)]
    return configs_with(data, arguments.subset, wanted, named=True)


def positive(text: str) -> int:
    """Return a number of 1 or more, as a type of an option."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number
