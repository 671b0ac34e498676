"""``multiloko compare``: two runs or more on the questions that all of them answered."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import ascii_uppercase

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from multiloko_metric.bootstrap import RESAMPLES
from multiloko_metric.languages import parse_config
from multiloko_metric.scoring import LOWER_IS_BETTER, METRICS
from multiloko_metric.signature import Signature
from multiloko_runs.paired import Difference, Flips, Pair, RunComparison, compare
from multiloko_runs.scored_run import score_file

from .errors import CommandError
from .options import add_run_options, open_gold, scoring_options
from .summary_table import EFFECT_TITLES, PARTITION_TITLES, broken_at_bars
from .terminal import as_json, console, print_data, print_notes

_HUNDREDFOLD = frozenset({"em", "f1", "edit_similarity", "contains"})
"""Metrics in 0..1, shown as 0..100."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("compare", help="compare runs on the questions that all of them answered")
    parser.add_argument("runs", nargs="+", type=Path, metavar="FILE", help="answers of one model each, at least two")
    parser.add_argument("--metric", choices=METRICS, default="em", help="of the differences (default: em)")
    parser.add_argument("--flips", action="store_true", help="name the questions that only one of two runs has right")
    parser.add_argument("--resamples", type=int, default=RESAMPLES, metavar="N", help=f"default: {RESAMPLES}")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the resampling (default: 0)")
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")
    add_run_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    if len(arguments.runs) < 2:
        raise CommandError("name at least two files of answers to compare")
    names = _names(arguments.runs)
    data = open_gold(arguments)
    options = scoring_options(arguments)
    loaded = {name: score_file(path, data, options) for name, path in zip(names, arguments.runs, strict=True)}
    for name, each in loaded.items():
        print_notes([f"{name}: {note}" for note in each.notes])
    how = {name: _asked(each.signature) for name, each in loaded.items()}
    if len(set(how.values())) > 1:
        print_notes(
            [f"{name}: asked with {asked or 'prompts that its file does not name'}" for name, asked in how.items()]
        )
    results = {name: each.results for name, each in loaded.items()}
    comparison = compare(results, metric=arguments.metric, resamples=arguments.resamples, seed=arguments.seed)
    signature = next(iter(loaded.values())).signature
    if arguments.json:
        print_data(as_json({**comparison.to_dict(), "signature": signature.to_dict()}, indent=2))
        return 0
    where = console()
    where.print(comparison_table(comparison, flips=arguments.flips))
    where.print(Text(broken_at_bars(str(signature), where.width), style="dim"))
    return 0


def _asked(signature: Signature) -> str:
    """How the questions of a run were put, for a person; "" where its file does not say it."""
    if not signature.asked:
        return ""
    asked = {"prompts": "other prompts", "style": "", "shots": 0, "open_book": False} | dict(signature.asked)
    book = "open book" if asked["open_book"] else "closed book"
    return f"{asked['prompts']}, {asked['style']}, {asked['shots']} examples, {book}"


def _names(paths: Sequence[Path]) -> list[str]:
    """Names of the runs: the files' without ending, or the whole paths where those are not all different."""
    stems = [path.stem for path in paths]
    names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    if len(set(names)) < len(names):
        raise CommandError(f"the same file twice: {', '.join(names)}")
    return names


def comparison_table(comparison: RunComparison, *, flips: bool = False) -> RenderableType:
    """Return a comparison to print: what is compared, the runs, then two runs in detail or several pair by pair."""
    parts: list[RenderableType] = [*_coverage(comparison), Text()]
    if len(comparison.runs) == 2:
        (pair,) = comparison.pairs
        parts += [_differences(pair, comparison.metric), Text(), _languages(pair)]
    else:
        parts += [_runs(comparison), Text(), _pairs(comparison), Text(_MANY_PAIRS, style="dim")]
    if flips:
        for pair in comparison.pairs:
            parts += [Text(), *_flipped(pair)]
    return Group(*parts, Text())


_SHORT = {"local.average": "Average", "local.gap": "Gap", "mte_human": "MTE", "le_human": "LE"}
_MANY_PAIRS = "Each interval is at 95 % by itself: of 20 pairs without a difference, one is expected outside it."


def _table(*columns: str, left: int = 1) -> Table:
    """A table whose first columns are aligned left, the others right."""
    table = Table(box=None, padding=(0, 1), pad_edge=False, header_style="bold")
    for place, column in enumerate(columns):
        if place < left:
            table.add_column(column, overflow="fold")
        else:
            table.add_column(column, justify="right", no_wrap=True)
    return table


def _coverage(comparison: RunComparison) -> Iterator[Text]:
    total = sum(comparison.questions.values())
    configs = len(comparison.questions)
    yield Text(
        f"{total:,} questions of {configs} config{'s' if configs > 1 else ''} that every run answered", style="bold"
    )
    for each in comparison.runs:
        if each.common < each.answered:
            yield Text(
                f"{each.name}: {each.answered - each.common:,} of {each.answered:,} answers left out", style="yellow"
            )


def _shown(value: float, metric: str, sign: str = "") -> str:
    return f"{value * (100 if metric in _HUNDREDFOLD else 1):{sign}.2f}"


def _title(name: str) -> str:
    if name in EFFECT_TITLES:
        return EFFECT_TITLES[name]
    partition, what = name.split(".")
    return f"{what.title()}, {PARTITION_TITLES[partition].removesuffix(' questions')}"


def _interval(difference: Difference, metric: str) -> str:
    return f"{_shown(difference.interval.low, metric, '+')} to {_shown(difference.interval.high, metric, '+')}"


def _differences(pair: Pair, metric: str) -> RenderableType:
    table = _table(metric, "A", "B", "A - B", "95 %", "")
    for name, difference in pair.differences.items():
        if name.endswith(".gap") and len(_members(pair, name)) < 2:
            continue
        table.add_row(
            _title(name),
            _shown(difference.first, metric),
            _shown(difference.second, metric),
            _shown(difference.difference, metric, "+"),
            _interval(difference, metric),
            _verdict(difference.within_noise),
        )
    return Group(Text(f"A = {pair.first}"), Text(f"B = {pair.second}"), Text(), table)


def _members(pair: Pair, name: str) -> list[Flips]:
    return [each for each in pair.flips.values() if each.config.partition == name.partition(".")[0]]


def _languages(pair: Pair) -> RenderableType:
    """Exact match in every local language and in the translated configs that differ, the surest differences first."""
    table = _table("Exact match", "Asked", "A", "B", "Only A", "Only B", "p", "p, Holm", "")
    translated = [each for each in pair.flips.values() if each.config.translation]
    local = [each for each in pair.flips.values() if not each.config.translation]
    differing = [each for each in translated if not each.within_noise]
    for each in [*sorted(local, key=lambda flips: flips.p), *sorted(differing, key=lambda flips: flips.p)]:
        table.add_row(
            each.config.name if each.config.translation else each.config.source.title,
            f"{each.questions:,}",
            _shown((each.both + len(each.first_only)) / each.questions, "em"),
            _shown((each.both + len(each.second_only)) / each.questions, "em"),
            str(len(each.first_only)),
            str(len(each.second_only)),
            _p(each.p),
            _p(each.p_holm),
            "" if each.within_noise else Text("differ", style="bold"),
        )
    within = len(translated) - len(differing)
    note = [Text(f"{within} of {len(translated)} translated configs are within noise: --json has them", style="dim")]
    return Group(table, *(note if within else []))


def _p(value: float) -> str:
    return f"{value:.3g}" if value >= 0.0001 else "<.0001"


def _letters(comparison: RunComparison) -> dict[str, str]:
    """A letter, or a number from the 27th on, for each run: the best by the first number first."""
    label = next(iter(next(iter(comparison.values.values()))))
    best_first = sorted(comparison.values, key=lambda name: comparison.values[name][label], reverse=True)
    if comparison.metric in LOWER_IS_BETTER:
        best_first.reverse()
    return {name: ascii_uppercase[place : place + 1] or str(place + 1) for place, name in enumerate(best_first)}


def _runs(comparison: RunComparison) -> Table:
    """One line a run, best first."""
    labels = list(next(iter(comparison.values.values())))
    shown = [name for name in ("local.average", "local.gap", "mte_human", "le_human") if name in labels] or labels[:2]
    if sum(parse_config(name).partition == "local" for name in comparison.questions) == 1:
        shown.remove("local.gap")
    table = _table("", f"Run, by {comparison.metric}", *(_SHORT.get(name) or _title(name) for name in shown), left=2)
    for name, letter in _letters(comparison).items():
        values = comparison.values[name]
        table.add_row(letter, name, *(_shown(values[each], comparison.metric) for each in shown))
    return table


def _pairs(comparison: RunComparison) -> Table:
    """One line a pair: the difference of the average, and in how many configs they differ."""
    metric = comparison.metric
    letters = _letters(comparison)
    label = next(iter(comparison.pairs[0].differences))
    table = _table("Pair", _SHORT.get(label) or _title(label), "95 %", "", "Configs that differ")
    rank = {name: place for place, name in enumerate(letters)}
    ranked = [sorted((pair.first, pair.second), key=rank.__getitem__) for pair in comparison.pairs]
    in_order = sorted(zip(ranked, comparison.pairs, strict=True), key=lambda each: [rank[name] for name in each[0]])
    for (better, worse), pair in in_order:
        difference = pair.differences[label]
        if better != pair.first:
            difference = difference.reversed()
        table.add_row(
            f"{letters[better]} - {letters[worse]}",
            _shown(difference.difference, metric, "+"),
            _interval(difference, metric),
            _verdict(difference.within_noise),
            f"{sum(not each.within_noise for each in pair.flips.values())} of {len(pair.flips)}",
        )
    return table


def _verdict(within_noise: bool) -> Text:
    return Text("within noise", style="dim") if within_noise else Text("differ", style="bold")


def _flipped(pair: Pair) -> Iterator[Text]:
    for name, each in pair.flips.items():
        for run_name, ids in ((pair.first, each.first_only), (pair.second, each.second_only)):
            if ids:
                yield Text(f"{name}: right in {run_name} only", style="bold")
                yield Text("\n".join(f"  {identifier}" for identifier in ids))
