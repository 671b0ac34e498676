"""The table a person reads after scoring: languages, groups, effects. Scores are shown as 0..100."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.bar import Bar
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from multiloko_metric.averages import GroupScore, GroupSummary, translated_language
from multiloko_metric.bootstrap import GroupBootstrap
from multiloko_metric.effects import Effect
from multiloko_metric.languages import LANGUAGES, parse_config, parse_language
from multiloko_metric.signature import signature_text
from multiloko_metric.summary import ConfigSummary, Summary

from .terminal import shows

PARTITION_TITLES = {
    "local": "local questions",
    "to_english_human": "to English, human",
    "to_english_machine": "to English, machine",
    "from_english_human": "from English, human",
    "from_english_machine": "from English, machine",
}
EFFECT_TITLES = {
    "mte_human": "Mother tongue, human",
    "mte_machine": "Mother tongue, machine",
    "le_human": "Locality, human",
    "le_machine": "Locality, machine",
    "mt_to_english": "MT cost, to English",
    "mt_from_english": "MT cost, from English",
}
_WIDE = 100
"""Columns of a terminal from which on further metrics fit."""
_WIDEST = 120
"""Wider, a bar is no easier to read."""
_FURTHER = {"f1": "F1", "contains": "Contains", "chrf": "chrF"}
_UNIT = {"chrf": 1, "bleu": 1}
_MOST_NAMED = 8
_BLOCKS = "▉▊▋▌▍▎▏█▐▕"
"""What a bar is drawn with."""
_PLAIN_BAR = 8
"""Signs of a whole bar where the output's encoding lacks these."""


def run_table(
    summary: Summary, *, width: int = 80, expand: bool = False, groups: Iterable[RenderableType] = ()
) -> RenderableType:
    """Return a run's summary to print: local languages, best first, then translations, effects, and the signature.

    Args:
        summary: of the run.
        width: columns there are; from 100 on F1, contains and chrF are shown beside exact match.
        expand: list the configs of each translated partition too, where otherwise each is one line.
        groups: what to print behind the languages (`subgroup_tables`).
    """
    parts: list[RenderableType] = []
    partitions = [name for name in summary.groups if name == "local" or expand]
    for partition in partitions:
        title = f"Exact match on {PARTITION_TITLES[partition]}, 0..100, profile {summary.profile}"
        parts += [_heading(title), _configs(summary, partition, width), _group_lines(summary, partition), Text()]
    parts += groups
    if any(name != "local" for name in summary.groups):
        parts += [_heading("Translated questions, each kind apart"), _translated(summary)]
        parts += [*_unanimous_lines(summary), Text()]
    if summary.effects:
        parts += _effects(summary)
    parts += _absent(summary)
    parts.append(Text(broken_at_bars(_signature(summary), width), style="dim"))
    return Group(*parts)


def _heading(text: str) -> Text:
    return Text(text, style="bold")


def _plain_table(width: int | None = None) -> Table:
    return Table(box=None, padding=(0, 1), pad_edge=False, width=width, header_style="bold")


def _percent(value: float, metric: str = "em") -> str:
    return f"{value * _UNIT.get(metric, 100):.2f}"


def _configs(summary: Summary, partition: str, width: int) -> Table:
    """The configs of one partition, best first."""
    further = {metric: title for metric, title in _FURTHER.items() if width >= _WIDE and metric in summary.metrics}
    table = _plain_table(min(width, _WIDEST))
    table.add_column("Language", no_wrap=True)
    table.add_column("Config", no_wrap=True)
    table.add_column("EM", justify="right", no_wrap=True)
    table.add_column("", ratio=1, min_width=8)
    table.add_column("95 %", justify="right", no_wrap=True)
    for column in further.values():
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("Answered", justify="right", no_wrap=True)
    members = [summary.configs[name] for name in summary.groups[partition].configs]
    for config in sorted(members, key=lambda each: -each.means["em"]):
        interval = config.wilson["em"]
        table.add_row(
            translated_language(config.config).title,
            config.config.name,
            _percent(config.means["em"]),
            _bar(config.means["em"]),
            Text(f"{interval.low * 100:.1f} to {interval.high * 100:.1f}", style="dim"),
            *(_percent(config.means[metric], metric) for metric in further),
            _coverage(config),
        )
    return table


def _bar(value: float) -> RenderableType:
    return Bar(1, 0, value, color="cyan") if shows(_BLOCKS) else "#" * round(_PLAIN_BAR * value)


def _coverage(*configs: ConfigSummary) -> Text:
    """How many questions were answered, of how many where it is not all."""
    answered, questions = sum(each.answered for each in configs), sum(each.questions for each in configs)
    if answered == questions:
        return Text(f"{questions:,}")
    return Text(f"{answered:,}/{questions:,}", style="yellow")


def _group_lines(summary: Summary, partition: str) -> RenderableType:
    group = summary.groups[partition]
    em = group.scores["em"]
    of = f" of {len(LANGUAGES)}" if partition == "local" else ""
    lines = Table.grid(padding=(0, 2, 0, 0))
    unanimous = summary.unanimous(partition)
    two_errors = None if unanimous else em.two_standard_errors
    error = "" if two_errors is None else " (2 SE)"
    open_to = f"; {unanimous}" if unanimous else ""
    average = f"{_plus_minus(em.average, two_errors)}{error} over {group.languages}{of} languages{open_to}"
    lines.add_row(Text("Average", style="bold"), average)
    if em.gap is not None:
        lines.add_row(Text("Gap", style="bold"), _gap(em, em.gap, group.languages))
    if resampled := _resampled(summary, partition):
        lines.add_row(Text("Bootstrap", style="bold"), _resampled_text(resampled))
    return lines


def _gap(em: GroupScore, gap: float, languages: int) -> str:
    if em.max == em.min:
        return f"{_percent(gap)}: all {languages} languages are equal"
    ends = (
        f"{_percent(value)} {_language(name)}" for value, name in ((em.max, em.max_config), (em.min, em.min_config))
    )
    return f"{_percent(gap)} = {' - '.join(ends)}"


def _resampled_text(resampled: GroupBootstrap) -> str:
    average, gap, bias = resampled.average, resampled.gap, resampled.gap_bias
    text = f"average {_percent(average.low)} to {_percent(average.high)}"
    if gap is None or bias is None:
        return text
    return f"{text}, gap {_percent(gap.low)} to {_percent(gap.high)} (bias {bias * 100:+.2f})"


def _resampled(summary: Summary, partition: str) -> GroupBootstrap | None:
    return summary.bootstrap.groups[partition]["em"] if summary.bootstrap else None


def _plus_minus(value: float, two_errors: float | None, sign: str = "") -> str:
    return f"{value * 100:{sign}.2f}" + ("" if two_errors is None else f" {_plus_minus_sign()} {two_errors * 100:.2f}")


def _plus_minus_sign() -> str:
    return "±" if shows("±") else "+-"


def _language(config: str) -> str:
    return translated_language(parse_config(config)).title


def _code(config: str) -> str:
    return translated_language(parse_config(config)).code


def _translated(summary: Summary) -> Table:
    """One line for each translated partition."""
    table = _plain_table()
    table.add_column("Translated", no_wrap=True)
    for column in ("Langs", "Average EM", "Gap"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("Max", no_wrap=True)
    table.add_column("Min", no_wrap=True)
    table.add_column("Answered", justify="right", no_wrap=True)
    for partition, group in summary.groups.items():
        if partition != "local":
            table.add_row(*_translated_row(summary, group, group.scores["em"]))
    return table


def _translated_row(summary: Summary, group: GroupSummary, em: GroupScore) -> Iterator[RenderableType]:
    yield PARTITION_TITLES[group.partition]
    yield str(group.languages)
    yield _plus_minus(em.average, None if summary.unanimous(group.partition) else em.two_standard_errors)
    yield "-" if em.gap is None else _percent(em.gap)
    yield f"{em.max * 100:.1f} {_code(em.max_config)}"
    yield f"{em.min * 100:.1f} {_code(em.min_config)}"
    yield _coverage(*(summary.configs[name] for name in group.configs))


def _unanimous_lines(summary: Summary) -> list[Text]:
    """Of the translated partitions whose answers are all wrong or all right, what that leaves open."""
    every = {name: summary.unanimous(name) for name in summary.groups if name != "local"}
    return [Text(f"{PARTITION_TITLES[name]}: {unanimous}") for name, unanimous in every.items() if unanimous]


def _effects(summary: Summary) -> list[RenderableType]:
    """The effects that have a language with both sides, and those that lack a side."""
    table = _plain_table()
    table.add_column("Effect", no_wrap=True)
    table.add_column("Average", justify="right", no_wrap=True)
    if summary.bootstrap:
        table.add_column("Bootstrap", justify="right", no_wrap=True)
    table.add_column("Langs", justify="right", no_wrap=True)
    table.add_column("Right in both", justify="right", no_wrap=True)
    there = [effect for effect in summary.effects.values() if effect.languages]
    for effect in there:
        table.add_row(*_effect_row(summary, effect))
    alone = [effect for effect in summary.effects.values() if effect.without_partner and effect.languages]
    lines = [Text(f"{EFFECT_TITLES[effect.name]}: no partner for {_names(effect.without_partner)}") for effect in alone]
    heading = _heading("Effects on exact match, in points, by kind of translation")
    return [heading, table, *lines, Text()] if there else []


def _effect_row(summary: Summary, effect: Effect) -> Iterator[RenderableType]:
    score = effect.scores["em"]
    yield EFFECT_TITLES[effect.name]
    yield _plus_minus(score.average, score.two_standard_errors, "+")
    if summary.bootstrap:
        interval = summary.bootstrap.effects[effect.name]["em"].average
        yield f"{interval.low * 100:+.2f} to {interval.high * 100:+.2f}"
    yield str(effect.languages)
    yield _overlap(summary, effect)


def _overlap(summary: Summary, effect: Effect) -> str:
    """Of the same questions in two languages: only the mother tongue effect asks the same ones twice."""
    if not effect.name.startswith("mte"):
        return ""
    pairs = [each for each in summary.overlaps if parse_config(each.second).partition == effect.definition.second]
    both, either = sum(each.both for each in pairs), sum(each.both + each.one for each in pairs)
    return f"{both / either:.0%} of {either:,}" if either else ""


def _names(languages: Sequence[str]) -> str:
    titles = [parse_language(name).title for name in languages]
    more = len(titles) - _MOST_NAMED
    return ", ".join(titles[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _absent(summary: Summary) -> list[RenderableType]:
    lines = []
    if summary.not_run:
        names = ", ".join(summary.not_run)
        lines.append(Text(f"Not run ({len(summary.not_run)} of {len(LANGUAGES)} languages): {names}", style="yellow"))
    if summary.incomplete:
        missing = sum(config.missing for config in summary.configs.values())
        lines.append(
            Text(
                f"{missing:,} questions without an answer, counted as wrong, in {len(summary.incomplete)} "
                f"config{'s' if len(summary.incomplete) > 1 else ''}: {_some(summary.incomplete)}",
                style="yellow",
            )
        )
    return [*lines, Text()] if lines else []


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _signature(summary: Summary) -> str:
    """The signature on one line, as whoever computed the summary gave it."""
    if isinstance(summary.signature, Mapping):
        return signature_text(summary.signature)
    return str(summary.signature or f"profile:{summary.profile}")


def broken_at_bars(signature: str, width: int) -> str:
    """Return a signature in lines of at most ``width``, broken at its bars."""
    lines = [""]
    for part in signature.split("|"):
        if lines[-1] and len(lines[-1]) + len(part) + 1 > width:
            lines.append("")
        lines[-1] += part + "|"
    return "\n".join(lines).removesuffix("|")
