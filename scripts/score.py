"""``multiloko score``: a model's answers against the gold."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console

from multiloko_metric.diagnosis import RunWarning, diagnose
from multiloko_metric.languages import Config
from multiloko_metric.summary import Summary, summarize
from multiloko_source.files import replacing
from multiloko_source.source import FEWSHOT

from .errors import CommandError
from .gold import Data, open_gold, predictions_file
from .leaderboard import leaderboard_row, model_card
from .run import Run, add_run_options, load_run
from .table import run_table


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
    show = parser.add_argument_group("what is shown")
    show.add_argument("--json", action="store_true", help="the whole result, for programs, instead of the table")
    show.add_argument("--row", metavar="MODEL", help="one line in the columns of the official leaderboard, in Markdown")
    show.add_argument("--model-card", metavar="MODEL", help="the YAML that shows the results in a model's card")
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
    further.add_argument("--seed", type=int, default=0, help="of the resamples (default: 0)")
    add_run_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    if arguments.sample and (arguments.row or arguments.model_card):
        raise CommandError("the sample is invented and its scores are no result to show; score the benchmark")
    predictions = predictions_file(arguments)
    data = open_gold(arguments)
    if arguments.format == "upstream":
        return _upstream(predictions, data, arguments)
    scored = load_run(predictions, data, arguments)
    summary = summarize(
        scored.results,
        scored.signature.profile,
        signature=scored.signature.to_dict(),
        by_output_type=arguments.by_output_type,
        by_script=arguments.by_script,
        resamples=arguments.bootstrap,
        seed=arguments.seed,
    )
    warnings = () if arguments.no_warnings else _warnings(scored, data)
    if arguments.output or arguments.json:
        result = _result(scored, summary, warnings, arguments.per_answer)
        with _output(arguments.output) as file:
            json.dump(result, file, ensure_ascii=False, indent=1)
            file.write("\n")
    if not arguments.json:
        _show(summary, arguments)
    _note(scored.notes)
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
    return 0


def _warnings(scored: Run, data: Data) -> tuple[RunWarning, ...]:
    def fewshot(config: Config) -> list[str]:
        if FEWSHOT not in data.splits(config.name):
            return []
        return [target for row in data.rows(config.name, FEWSHOT) for target in row["targets"]]

    return diagnose(scored.matched.configs, scored.results, scored.signature.profile, fewshot=fewshot)


def _result(scored: Run, summary: Summary, warnings: Sequence[RunWarning], per_answer: bool) -> dict[str, Any]:
    """The summary, with what else there is to know of the run. It holds no text of questions or of gold."""
    result = {**summary.to_dict(), "notes": list(scored.notes), "warnings": [each.to_dict() for each in warnings]}
    if per_answer:
        result["answers"] = {
            each.config.name: {
                identifier: score.to_dict() for identifier, score in zip(each.ids, each.scores, strict=True)
            }
            for each in scored.results
        }
    return result


def _show(summary: Summary, arguments: argparse.Namespace) -> None:
    if arguments.row:
        print(leaderboard_row(summary, arguments.row, partial=arguments.partial, header=True))
    elif arguments.model_card:
        print(model_card(summary, arguments.model_card, split=arguments.subset))
    else:
        console = Console()
        console.print(run_table(summary, width=console.width, expand=arguments.all_configs))


def _upstream(predictions: Path, data: Data, arguments: argparse.Namespace) -> int:
    if arguments.missing not in (None, "skip"):
        raise CommandError("--format upstream implies --missing skip: the official script scores what it is given")
    from .upstream import write_upstream

    with _output(arguments.output) as file:
        notes = write_upstream(predictions, data, arguments, file)
    _note(["unanswered questions are left out, as the official script does (--missing skip)", *notes])
    return 0


@contextmanager
def _output(path: Path | None) -> Iterator[TextIO]:
    """The file to write to, whole or not at all; standard output without a path."""
    if path is None:
        yield sys.stdout
        return
    with replacing(path) as staging, staging.open("w", encoding="utf-8") as file:
        yield file


def _note(notes: Sequence[str]) -> None:
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
