"""The summary of a run: a table, a line of the leaderboard, a model's card, or the whole of it as JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from multiloko_metric.diagnosis import RunWarning, run_result
from multiloko_metric.summary import Summary, summarize
from multiloko_runs.answer_steps import step_table

from .gold import Data
from .leaderboard import leaderboard_row, model_card
from .run import Run, load_run
from .table import run_table
from .terminal import as_json, console, output_file, print_notes, print_text, print_verified

_IN_FULL = 3
"""Warnings of one kind that are printed in full where there are many: 151 configs may have the same fault."""


def report(predictions: Path, data: Data, arguments: argparse.Namespace) -> None:
    """Score a file of answers and show or write what the options of ``multiloko score`` ask for."""
    scored = load_run(predictions, data, arguments, diagnosed=not arguments.no_warnings, verify=arguments.verify)
    summary = summarize(
        scored.results,
        scored.signature.profile,
        signature=scored.signature.to_dict(),
        by_output_type=arguments.by_output_type,
        by_script=arguments.by_script,
        resamples=arguments.bootstrap,
        seed=arguments.seed,
    )
    if arguments.output or arguments.json:
        result = _result(scored, summary, per_answer=arguments.per_answer)
        with output_file(arguments.output) as file:
            file.write(as_json(result))
    if not arguments.json:
        _show(summary, arguments)
    if arguments.verify:
        print_verified(sum(len(result.ids) for result in scored.results))
    print_notes(scored.notes)
    for line in warning_lines(scored.warnings):
        print(f"warning: {line}", file=sys.stderr)
    for advice in scored.advice:
        print(f"advice: {advice.line(arguments.answer)}", file=sys.stderr)


def warning_lines(warnings: Sequence[RunWarning]) -> Iterator[str]:
    """Yield what to print: of each kind a few in full, of the others the names of the configs."""
    configs: dict[str, list[str]] = {}
    for warning in warnings:
        configs.setdefault(warning.kind, []).append(warning.config)
    in_full = {kind: len(names) if len(names) <= _IN_FULL + 1 else _IN_FULL for kind, names in configs.items()}
    for warning in warnings:
        if warning.config in configs[warning.kind][: in_full[warning.kind]]:
            yield str(warning)
    for kind, names in configs.items():
        if others := names[in_full[kind] :]:
            yield f"{kind} in {len(others)} more configs (the JSON says it of each): {', '.join(others)}"


def _result(scored: Run, summary: Summary, *, per_answer: bool) -> dict[str, Any]:
    """The summary, with what else there is to know of the run. It holds no text of questions or of gold."""
    result = run_result(summary, scored.notes, scored.warnings)
    if scored.steps:
        result["answer_steps"] = step_table(scored.steps)
    if scored.advice:
        result["step_advice"] = [advice.to_dict() for advice in scored.advice]
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
        print_text(leaderboard_row(summary, arguments.row, partial=arguments.partial, header=True))
    elif arguments.model_card:
        print_text(model_card(summary, arguments.model_card, split=arguments.subset))
    else:
        where = console()
        where.print(run_table(summary, width=where.width, expand=arguments.all_configs))
