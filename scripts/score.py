"""``multiloko score``: a model's answers against the gold."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from multiloko_source.files import replacing

from .errors import CommandError
from .run import Run, add_run_options, load_run, open_run_gold


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand. The official script's options mean here what they mean there."""
    parser = subparsers.add_parser("score", help="score a model's answers")
    parser.add_argument(
        "-p",
        "--predictions",
        type=Path,
        metavar="FILE",
        help="answers: CSV, JSON lines, a JSON array or Parquet with language, id and prediction "
        "(with --sample: the bundled ones)",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the result there, as JSON")
    parser.add_argument("--format", choices=("summary", "upstream"), default="summary", help="upstream: official JSON")
    add_run_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    predictions = _predictions(arguments)
    if arguments.format == "upstream":
        if arguments.missing not in (None, "skip"):
            raise CommandError(
                "--format upstream implies --missing skip: the official script counts only what it is given"
            )
        arguments.missing = "skip"
        _say("--format upstream leaves out unanswered questions, as the official script does (--missing skip)")
    data, gold = open_run_gold(arguments)
    scored = load_run(predictions, gold, arguments)
    for note in scored.notes:
        _say(f"note: {note}")
    if arguments.format == "upstream":
        from .upstream import write_upstream

        with _output(arguments.output) as file:
            write_upstream(scored, file)
        return 0
    return _summarise(scored, arguments)


def _predictions(arguments: argparse.Namespace) -> Path:
    if arguments.predictions:
        return Path(arguments.predictions)
    if not arguments.sample:
        raise CommandError("name the file of answers with -p FILE")
    from multiloko_source.sample import sample_predictions

    return sample_predictions()


@contextmanager
def _output(path: Path | None) -> Iterator[TextIO]:
    """The file to write to, whole or not at all; standard output without a path."""
    if path is None:
        yield sys.stdout
        return
    with replacing(path) as staging, staging.open("w", encoding="utf-8") as file:
        yield file


def _say(message: str) -> None:
    print(message, file=sys.stderr)
