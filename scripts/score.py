"""``multiloko score``: a model's answers against the gold.

What is shown: a table, a line of the leaderboard, a model's card, or the whole of it as JSON.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from multiloko_metric.summary import Summary, summarize
from multiloko_runs.answer_steps import step_table
from multiloko_runs.diagnosis import run_result
from multiloko_runs.output_types import english_output_types
from multiloko_runs.run_warning import RunWarning
from multiloko_runs.scored_run import Run, score_file
from multiloko_runs.subgroups import DIMENSIONS, OUTPUT_TYPE, Subgroup, subgroups
from multiloko_source.questions import Data

from .errors import CommandError
from .options import add_run_options, open_gold, predictions_file, scoring_options
from .read_options import KINDS
from .terminal import as_json, as_typed, console, output_file, print_notes, print_text, print_verified

_IN_FULL = 3
"""Warnings of one kind that are printed in full where there are many: 151 configs may have the same fault."""


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
    further.add_argument(
        "--by",
        action="append",
        choices=DIMENSIONS,
        default=[],
        help="show means by kind of answer (named in English in all languages), by script or by language family, with "
        "intervals that say when a group is too small to tell; several times for several",
    )
    further.add_argument(
        "--by-output-type",
        action="store_true",
        help="add the mean of each kind of answer, as each language words it, to the JSON (--by has intervals)",
    )
    further.add_argument(
        "--by-script", action="store_true", help="add averages by script to the JSON (--by has intervals)"
    )
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
    if arguments.format == "upstream":
        _write_official(predictions, data, arguments)
    else:
        _report(predictions, data, arguments)
    return 0


def _write_official(predictions: Path, data: Data, arguments: argparse.Namespace) -> None:
    """Write what the official script would have written."""
    from multiloko_runs.official_results import write_official_results

    if arguments.by:
        raise CommandError(
            "--format upstream writes what the official script writes, which has no groups; leave out --by"
        )
    if arguments.missing not in (None, "skip"):
        raise CommandError("--format upstream implies --missing skip: the official script scores what it is given")
    with output_file(arguments.output) as file:
        options = scoring_options(arguments, verify=arguments.verify)
        notes, answers = write_official_results(predictions, data, options, file)
    if arguments.verify:
        print_verified(answers)
    print_notes(["unanswered questions are left out, as the official script does (--missing skip)", *notes])


def _report(predictions: Path, data: Data, arguments: argparse.Namespace) -> None:
    """Score a file of answers and show or write what the options of ``multiloko score`` ask for."""
    options = scoring_options(arguments, verify=arguments.verify)
    scored = score_file(predictions, data, options, diagnosed=not arguments.no_warnings)
    summary = summarize(
        scored.results,
        scored.signature.profile,
        signature=scored.signature.to_dict(),
        by_output_type=arguments.by_output_type,
        by_script=arguments.by_script,
        resamples=arguments.bootstrap,
        seed=arguments.seed,
    )
    groups = _subgroups(scored, data, arguments)
    if arguments.output or arguments.json:
        result = _result(scored, summary, groups, per_answer=arguments.per_answer)
        with output_file(arguments.output) as file:
            file.write(as_json(result))
    if not arguments.json:
        _show(summary, groups, arguments)
    if arguments.verify:
        print_verified(sum(len(result.ids) for result in scored.results))
    print_notes(scored.notes)
    for line in warning_lines(scored.warnings):
        print(f"warning: {line}", file=sys.stderr)
    for advice in scored.advice:
        print(f"advice: {advice.line(arguments.answer)}", file=sys.stderr)


def warning_lines(warnings: Sequence[RunWarning]) -> Iterator[str]:
    """Yield what to print: all about the whole run, and of each kind a few in full and the other configs' names."""
    configs: dict[str, list[str]] = {}
    for warning in warnings:
        if warning.config is not None:
            configs.setdefault(warning.kind, []).append(warning.config)
    in_full = {kind: len(names) if len(names) <= _IN_FULL + 1 else _IN_FULL for kind, names in configs.items()}
    for warning in warnings:
        if warning.config is None or warning.config in configs[warning.kind][: in_full[warning.kind]]:
            yield str(warning)
    for kind, names in configs.items():
        if others := names[in_full[kind] :]:
            yield f"{kind} in {len(others)} more configs (the JSON says it of each): {', '.join(others)}"


def _subgroups(scored: Run, data: Data, arguments: argparse.Namespace) -> Mapping[str, Sequence[Subgroup]]:
    """Return the groups of each dimension that is asked for. English names of kinds are read only where they are."""
    if not arguments.by:
        return {}
    configs = [result.config for result in scored.results] if OUTPUT_TYPE in arguments.by else []
    names = english_output_types(data, arguments.subset, configs)
    return {dimension: subgroups(scored.results, dimension, names) for dimension in dict.fromkeys(arguments.by)}


def _result(
    scored: Run, summary: Summary, groups: Mapping[str, Sequence[Subgroup]], *, per_answer: bool
) -> dict[str, Any]:
    """The summary, with what else there is to know of the run. It holds no text of questions or of gold."""
    result = run_result(summary, scored.notes, scored.warnings)
    if groups:
        result["subgroups"] = {dimension: [each.to_dict() for each in of] for dimension, of in groups.items()}
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


def _show(summary: Summary, groups: Mapping[str, Sequence[Subgroup]], arguments: argparse.Namespace) -> None:
    if arguments.row:
        from .leaderboard import leaderboard_row

        print_text(leaderboard_row(summary, arguments.row, partial=arguments.partial, header=True))
    elif arguments.model_card:
        from .leaderboard import model_card

        print_text(model_card(summary, arguments.model_card, split=arguments.subset))
    else:
        from .subgroup_table import subgroup_tables
        from .summary_table import run_table

        where = console()
        every = [*chain.from_iterable(groups.values())]
        tables = subgroup_tables(every, width=where.width, expand=arguments.all_configs)
        where.print(run_table(summary, width=where.width, expand=arguments.all_configs, groups=tables))
