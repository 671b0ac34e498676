"""``multiloko score``: a model's answers against the gold."""

from __future__ import annotations

import argparse
from pathlib import Path

from .errors import CommandError
from .gold import open_gold, predictions_file
from .reading import KINDS
from .run import add_run_options
from .terminal import as_typed


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand. The official script's options mean here what they mean there."""
    parser = subparsers.add_parser("score", help="score a model's answers")
    parser.add_argument(
        "-p",
        "--predictions",
        type=Path,
        metavar="FILE",
        help=f"{KINDS} (with --sample: the bundled answers)",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the result there, as JSON")
    parser.add_argument("--format", choices=("summary", "upstream"), default="summary", help="upstream: official JSON")
    show = parser.add_argument_group("what is shown")
    show.add_argument("--json", action="store_true", help="the whole result, for programs, instead of the table")
    show.add_argument(
        "--row", type=as_typed, metavar="MODEL", help="one line in the columns of the official leaderboard, in Markdown"
    )
    show.add_argument(
        "--model-card", type=as_typed, metavar="MODEL", help="the YAML that shows the results in a model's card"
    )
    show.add_argument("--partial", action="store_true", help="allow --row with fewer than 31 languages, labelled")
    show.add_argument("--all-configs", action="store_true", help="list every translated config, not only their groups")
    show.add_argument("--no-warnings", action="store_true", help="do not look for what makes a score doubtful")
    further = parser.add_argument_group("what is computed")
    further.add_argument("--by-output-type", action="store_true", help="add means by kind of answer to the JSON")
    further.add_argument("--by-script", action="store_true", help="add averages by script to the JSON")
    further.add_argument("--per-answer", action="store_true", help="add the scores of each answer to the JSON, by id")
    further.add_argument(
        "--bootstrap",
        type=int,
        nargs="?",
        const=2000,
        default=0,
        metavar="N",
        help="add intervals from N resamples of the questions (2000)",
    )
    further.add_argument(
        "--verify", action="store_true", help="score every answer again by the written rules, and compare (slow)"
    )
    further.add_argument("--seed", type=int, default=0, help="of the resamples (default: 0)")
    add_run_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    if arguments.sample and (arguments.row or arguments.model_card):
        raise CommandError("the sample is invented and its scores are no result to show; score the benchmark")
    predictions = predictions_file(arguments)
    data = open_gold(arguments)
    # Each of the two needs modules that take longer to import than to use, and none of the other's.
    if arguments.format == "upstream":
        from .upstream import report_upstream

        report_upstream(predictions, data, arguments)
    else:
        from .report import report

        report(predictions, data, arguments)
    return 0
