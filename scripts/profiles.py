"""``multiloko profiles``: the rules of each profile, and what changes from one profile to another."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from multiloko_metric.normalization import TextRule
from multiloko_metric.profiles import ALIASES, PROFILES, Profile, get_profile
from multiloko_metric.scoring import METRICS
from multiloko_runs.profile_changes import Change, config_changes
from multiloko_runs.scored_run import for_each_config
from multiloko_source.source import DEV

from .errors import CommandError
from .options import add_gold_options, open_gold, predictions_file, scoring_options
from .read_options import add_read_options
from .terminal import as_json, console, print_data, print_notes


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "profiles",
        help="the rules of each way to score, and which answers two of them score differently",
        epilog="A rule is named where it makes the difference alone: without it, or as the other profile has it, "
        "the two profiles agree on the answer.",
    )
    parser.add_argument(
        "--diff",
        nargs=2,
        metavar=("A", "B"),
        help="the answers in FILE that A and B score differently",
    )
    parser.add_argument("-p", "--predictions", type=Path, metavar="FILE", help="answers, as for `multiloko score`")
    parser.add_argument("--metric", choices=METRICS, default="em", help="the score to compare (default: em)")
    parser.add_argument("-s", "--subset", default=DEV, help="questions to score against (default: dev)")
    parser.add_argument("--unknown", choices=("error", "skip"), default="error", help="answers the gold does not have")
    parser.add_argument("--json", action="store_true", help="for programs")
    add_gold_options(parser)
    add_read_options(parser)
    parser.set_defaults(run=run, profile="official", missing="skip", duplicates="error", num_proc=1)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    if not arguments.diff:
        if arguments.predictions:
            raise CommandError("-p FILE is for --diff A B, which compares two profiles on the answers in it")
        if arguments.json:
            print_data(as_json([_describe(profile) for profile in PROFILES.values()]))
        else:
            _show_profiles()
        return 0
    before, after = map(get_profile, arguments.diff)
    for profile in (before, after):
        if arguments.metric not in (*profile.metrics, "edit_distance_first"):
            raise CommandError(f"the profile {profile.name!r} has no {arguments.metric}; choose another --metric")
    predictions = predictions_file(arguments)
    found: list[Change] = []
    sizes: list[int] = []

    def take(result: tuple[list[Change], int]) -> None:
        found.extend(result[0])
        sizes.append(result[1])

    work = partial(config_changes, before, after, arguments.metric)
    matching = for_each_config(work, take, predictions, open_gold(arguments), scoring_options(arguments))
    total = sum(sizes)
    print_notes(matching.notes)
    if arguments.json:
        result = {"metric": arguments.metric, "before": before.name, "after": after.name, "answers": total}
        print_data(as_json({**result, "changes": [asdict(change) for change in found]}))
    else:
        _show_changes(found, total, before, after, arguments.metric)
    return 0


def _show_changes(found: Sequence[Change], total: int, before: Profile, after: Profile, metric: str) -> None:
    where = console()
    if found:
        table = Table(box=None)
        for column in ("config", "id", before.name, after.name, "rules", "answer", "target"):
            table.add_column(column, overflow="fold")
        for change in found:
            texts = (change.prediction, "(all)" if change.target is None else change.target)
            numbers = (f"{change.before:.3g}", f"{change.after:.3g}")
            cells = (change.config, change.id, *numbers, ", ".join(change.rules), *map(repr, texts))
            table.add_row(*map(Text, cells))
        where.print(table)
        where.print()
        for rule, count in Counter(rule for change in found for rule in change.rules).most_common():
            where.print(f"{count:6,} {rule}", markup=False, highlight=False)
    where.print(
        f"{len(found):,} of {total:,} answers have another {metric} under {after.name} than under {before.name}",
        markup=False,
        highlight=False,
    )


def _show_profiles() -> None:
    where = console()
    aliases = {name: alias for alias, name in ALIASES.items()}
    for profile in PROFILES.values():
        also = f" (also: {aliases[profile.name]})" if profile.name in aliases else ""
        where.print(f"[bold]{profile.name}[/bold]{also}: {profile.description}", highlight=False)
        where.print(f"  {_origin(profile)}; metrics: {', '.join(profile.metrics)}", highlight=False)
        table = Table(box=None, show_header=False, padding=(0, 1, 0, 2))
        for rule in _describe(profile)["rules"]:
            languages = f" [{', '.join(rule['languages'])}]" if rule["languages"] else ""
            table.add_row(rule["stage"], rule["name"], Text(rule["reason"] + languages))
        where.print(table)
        where.print()


def _origin(profile: Profile) -> str:
    return f"eval.py of facebookresearch/multiloko at {profile.commit}" if profile.commit else "this project's own"


def _describe(profile: Profile) -> dict[str, Any]:
    stages = {"fold": profile.folds, "step": profile.steps, "forms": profile.variants, "compare": profile.comparison}
    return {
        "name": profile.name,
        "commit": profile.commit,
        "description": profile.description,
        "metrics": list(profile.metrics),
        "needs_language": profile.needs_language,
        "rules": [
            {
                "stage": stage,
                "name": rule.name,
                "reason": rule.reason,
                "languages": sorted(rule.languages or ()) if isinstance(rule, TextRule) else [],
            }
            for stage, rules in stages.items()
            for rule in rules
        ],
    }
