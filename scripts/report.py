"""The summary of a run: a table, a line of the leaderboard, a model's card, or the whole of it as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from multiloko_metric.diagnosis import RunWarning, diagnose, run_result
from multiloko_metric.languages import Config
from multiloko_metric.summary import Summary, summarize
from multiloko_source.source import FEWSHOT

from .gold import Data
from .leaderboard import leaderboard_row, model_card
from .output import output_file, print_notes
from .run import Run, load_run
from .table import run_table


def report(predictions: Path, data: Data, arguments: argparse.Namespace) -> None:
    """Score a file of answers and show or write what the options of ``multiloko score`` ask for."""
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
        with output_file(arguments.output) as file:
            file.write(json.dumps(result, ensure_ascii=False, indent=1).encode() + b"\n")
    if not arguments.json:
        _show(summary, arguments)
    print_notes(scored.notes)
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)


def _warnings(scored: Run, data: Data) -> tuple[RunWarning, ...]:
    def fewshot(config: Config) -> list[str]:
        if FEWSHOT not in data.splits(config.name):
            return []
        return [target for row in data.rows(config.name, FEWSHOT) for target in row["targets"]]

    return diagnose(scored.matched.configs, scored.results, scored.signature.profile, fewshot=fewshot)


def _result(scored: Run, summary: Summary, warnings: Sequence[RunWarning], per_answer: bool) -> dict[str, Any]:
    """The summary, with what else there is to know of the run. It holds no text of questions or of gold."""
    result = run_result(summary, scored.notes, warnings)
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
