"""Where the questions come from: ``-d``, the sample, or what is installed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from multiloko_metric.languages import Config
from multiloko_metric.matching import Question
from multiloko_source.installed import Installed
from multiloko_source.rows import Row
from multiloko_source.source import DEV, open_source

from .errors import CommandError


class Data(Protocol):
    """What a source and the installed data have in common."""

    @property
    def location(self) -> str:
        """Where the data are, for messages."""

    @property
    def fingerprint(self) -> str:
        """Hash of their content."""

    def splits(self, name: str) -> tuple[str, ...]:
        """Splits of a config; empty where there is nothing of it."""

    def rows(self, name: str, split: str = DEV) -> Iterator[Row]:
        """Rows of a split."""


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
        CommandError: nothing was asked for and nothing is installed.
        SourceError: the place cannot be read.
    """
    if arguments.sample:
        from multiloko_source.sample import open_sample

        return open_sample()
    if arguments.data:
        return open_source(arguments.data)
    installed = Installed()
    if not installed.configs:
        raise CommandError("no data is installed: run `multiloko install`, or name a folder or an archive with -d")
    return installed


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


def questions_of(data: Data, subset: str, config: Config) -> dict[str, Question] | None:
    """Return the questions of a config by id, in file order; None where ``data`` has none of that subset.

    Raises:
        CommandError: two of them share an id.
    """
    if subset not in data.splits(config.name):
        return None
    found: dict[str, Question] = {}
    for row in data.rows(config.name, subset):
        if row["id"] in found:
            raise CommandError(f"{data.location}: {config.path(subset)} holds the id {row['id']!r} twice")
        found[row["id"]] = Question(tuple(row["targets"]), row["output_type"], row["question"])
    return found
