"""What the page shows of a trace and of a summary, as HTML in which text from people stays text.

Every value is escaped, and written in its own direction. No arithmetic: every number comes from elsewhere.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ..answer_scores import LOWER_IS_BETTER
from ..averages import GroupScore, GroupSummary, translated_language
from ..effects import Effect
from ..explanation import POOLED, Reading, TextTrace, Trace, Winner
from ..languages import LANGUAGES, Config, parse_config, parse_language
from ..profiles import get_profile
from ..summary import ConfigSummary, Summary

METRIC_TITLES = {
    "em": "Exact match",
    "f1": "F1",
    "bleu": "BLEU",
    "chrf": "chrF",
    "edit_distance": "Edit distance",
    "edit_similarity": "Edit similarity",
    "contains": "Contains a target",
    "edit_distance_first": "Edit distance, first target",
}
PARTITION_TITLES = {
    "local": "Local questions",
    "to_english_human": "Translated into English by people",
    "to_english_machine": "Translated into English by machine",
    "from_english_human": "English questions, translated by people",
    "from_english_machine": "English questions, translated by machine",
}
_PERCENT = frozenset({"bleu", "chrf"})
"""Metrics whose scale is 0..100 already."""
_COLUMNS = ("f1", "contains", "chrf")
"""Metrics shown beside exact match."""


@dataclass(frozen=True)
class Markup:
    """A piece of HTML that is safe to put into a page."""

    html: str


Content = str | Markup


def text(value: Content) -> str:
    """Return HTML for ``value``; plain text is escaped."""
    return value.html if isinstance(value, Markup) else escape(value)


def element(name: str, *contents: Content, css: str = "", **attributes: str) -> Markup:
    """Return an element with ``contents``. Its direction follows its own text."""
    classes = {"class": css} if css else {}
    shown = "".join(f' {key}="{escape(value)}"' for key, value in {**classes, **attributes}.items())
    return Markup(f"<{name}{shown}>{''.join(map(text, contents))}</{name}>")


def said(value: str) -> Markup:
    """Return somebody's words, told apart from ours and in their own direction."""
    return element("bdi", value, css="said") if value else element("i", "(empty)", css="quiet")


def joined(*contents: Content) -> Markup:
    """Return ``contents`` one after another."""
    return Markup("".join(map(text, contents)))


def table(
    heads: Sequence[str], rows: Iterable[Sequence[Content]], *, caption: str, numeric: Iterable[int] = ()
) -> Markup:
    """Return a table; the first cell of each row is its head.

    Args:
        heads: of the columns.
        rows: cells, one for each column.
        caption: what it shows.
        numeric: places of the columns with numbers.
    """
    numbers = set(numeric)

    def cell(place: int, content: Content) -> Markup:
        css = "number" if place in numbers else ""
        return element("td", content, css=css) if place else element("th", content, scope="row", css=css)

    head = [
        element("th", each, scope="col", css="number" if place in numbers else "") for place, each in enumerate(heads)
    ]
    body = [element("tr", *(cell(place, content) for place, content in enumerate(row))) for row in rows]
    inner = element("table", element("thead", element("tr", *head)), element("tbody", *body))
    # Wider than a phone, it scrolls by itself, by keyboard too; its caption stays where it can be read.
    region = element("div", inner, css="scroll", tabindex="0", role="region", **{"aria-label": caption})
    return joined(element("p", caption, css="caption"), region)


def bullets(items: Iterable[Content], *, css: str = "") -> Markup:
    """Return a list."""
    return element("ul", *(element("li", item) for item in items), css=css)


def error_view(message: str) -> str:
    """What went wrong, as HTML."""
    return element("div", message, css="problem", role="alert").html


def trace_view(trace: Trace) -> str:
    """The scores of one answer and how they came about, as HTML."""
    right = trace.scores.em == 1
    verdict = "Right: exact match" if right else "Not an exact match"
    winner = trace.winners["em"]
    reason = _why_right(trace, winner) if right else _nearest(trace)
    return joined(
        element("div", element("strong", verdict), reason, css=f"verdict {'right' if right else 'wrong'}"),
        table(["Metric", "Score", "Best target"], _metric_rows(trace), caption="Scores", numeric=[1]),
        element("h3", "How the texts were read"),
        element("p", "What each rule of the profile made of a text. Rules that changed nothing are left out."),
        *(_reading(trace, reading) for reading in trace.readings),
    ).html


def _why_right(trace: Trace, winner: Winner) -> Markup:
    folded = ", after folding" if winner.folded else ""
    return joined(": the answer equals ", said(_raw_target(trace, winner) or ""), f"{folded}.")


def _nearest(trace: Trace) -> Markup:
    winner = trace.winners["chrf"]
    target = _raw_target(trace, winner)
    if target is None:
        return Markup(". There is no target to compare with.")
    return joined(". The nearest target by chrF is ", said(target), ".")


def _metric_rows(trace: Trace) -> Iterator[Sequence[Content]]:
    for name, winner in trace.winners.items():
        value = f"{winner.value:.0f}" if name in LOWER_IS_BETTER else f"{winner.value:.{1 if name in _PERCENT else 3}f}"
        title = joined(METRIC_TITLES[name], element("small", _scale(name)))
        yield [title, value, _won(trace, name, winner)]


def _scale(name: str) -> str:
    if name in LOWER_IS_BETTER:
        return "characters, lower is better"
    return f"0 to {100 if name in _PERCENT else 1}, higher is better"


def _won(trace: Trace, name: str, winner: Winner) -> Markup:
    """Which target gave the score, and what was compared with what."""
    if name == POOLED:
        return joined("counts over all targets", element("small", "compared: ", said(winner.prediction)))
    target = _raw_target(trace, winner)
    if target is None:
        return Markup("there is none")
    if winner.value == 0 and name not in LOWER_IS_BETTER:
        return element("span", "none", css="quiet")
    how = f"{', folded' if winner.folded else ''}{', by characters' if winner.characters else ''}"
    compared = element("small", "compared: ", said(winner.prediction), " with ", said(winner.target or ""), how)
    return joined(said(target), compared)


def _raw_target(trace: Trace, winner: Winner) -> str | None:
    """The first target, as it was written, that has the form that won."""
    readings = (reading for reading in trace.readings if reading.folded == winner.folded)
    targets = (target for reading in readings for target in reading.targets)
    return next((target.raw for target in targets if winner.target in target.forms), None)


def _reading(trace: Trace, reading: Reading) -> Markup:
    reasons = {rule.name: rule.reason for rule in get_profile(trace.profile).rules}
    texts = [("Answer", reading.prediction)]
    texts += [(f"Target {number}", target) for number, target in enumerate(reading.targets, start=1)]
    heading = [element("h4", "Once more, folded")] if reading.folded else []
    return joined(*heading, *(_text(title, each, reasons) for title, each in texts))


def _text(title: str, traced: TextTrace, reasons: Mapping[str, str]) -> Markup:
    """One text, from how it was written to the forms that were compared; closed until somebody opens it."""
    steps: list[Content] = []
    before = traced.raw
    for step in traced.steps:
        if step.text != before:
            rule = element("span", step.rule, css="rule", title=reasons.get(step.rule, ""))
            steps.append(joined(rule, " ", said(step.text)))
        before = step.text
    forms: list[Content] = [
        joined(element("span", "compared", css="rule"), " ", said(form), f" ({how})")
        for form, how in traced.forms.items()
    ]
    summary = element("summary", f"{title}: ", said(traced.raw))
    return element("details", summary, bullets([*steps, *(forms or ["no target: blank"])], css="steps"))


def summary_view(summary: Summary, notes: Sequence[str], warnings: Sequence[str], result: Mapping[str, Any]) -> str:
    """A run's tables, what a person should look at, and a link with which to save ``result`` as JSON, as HTML."""
    parts: list[Content] = [_download(result)]
    if warnings:
        parts.append(element("div", element("strong", "Look at this first"), bullets(warnings), css="warnings"))
    for partition, group in summary.groups.items():
        parts += [_configs(summary, partition, group), _group(summary, partition, group)]
    if any(effect.languages for effect in summary.effects.values()):
        parts.append(_effects(summary.effects))
    if summary.not_run:
        names = ", ".join(summary.not_run)
        parts.append(element("p", f"Not run, {len(summary.not_run)} of {len(LANGUAGES)} languages: {names}"))
    if notes:
        parts.append(bullets(notes, css="notes"))
    return joined(*parts).html


def _download(result: Mapping[str, Any]) -> Markup:
    """A link that holds the file itself, so that the server keeps none."""
    content = base64.b64encode(json.dumps(result, ensure_ascii=False, indent=1).encode()).decode()
    address = f"data:application/json;base64,{content}"
    return element("a", "Download the result (JSON)", css="download", href=address, download="multiloko-scores.json")


def _configs(summary: Summary, partition: str, group: GroupSummary) -> Markup:
    columns = [metric for metric in _COLUMNS if metric in summary.metrics]
    heads = ["Language", "Config", "Answered", "Exact match", "95 %", *(METRIC_TITLES[metric] for metric in columns)]
    members = sorted((summary.configs[name] for name in group.configs), key=lambda each: -each.means["em"])
    caption = f"{PARTITION_TITLES[partition]}: scores from 0 to 100, profile {summary.profile}"
    rows = (_config_row(config, columns) for config in members)
    return table(heads, rows, caption=caption, numeric=range(2, len(heads)))


def _config_row(config: ConfigSummary, columns: Sequence[str]) -> list[Content]:
    interval = config.wilson["em"]
    answered = f"{config.answered:,} of {config.questions:,}" if config.missing else f"{config.questions:,}"
    return [
        translated_language(config.config).title,
        config.config.name,
        answered,
        _points(config.means["em"]),
        f"{interval.low * 100:.1f} to {interval.high * 100:.1f}",
        *(_points(config.means[metric], metric) for metric in columns),
    ]


def _points(value: float, metric: str = "em") -> str:
    return f"{value * (1 if metric in _PERCENT else 100):.2f}"


def _group(summary: Summary, partition: str, group: GroupSummary) -> Markup:
    """Average and gap; one language has no gap."""
    em = group.scores["em"]
    of = f" of {len(LANGUAGES)}" if partition == "local" else ""
    unanimous = summary.unanimous(partition)
    error = f" ± {em.two_standard_errors * 100:.2f} (2 SE)" if em.two_standard_errors is not None else ""
    average = f"{_points(em.average)}{'' if unanimous else error} over {group.languages}{of} languages"
    lines = {}
    if em.gap is not None:
        lines["Average"] = f"{average}; {unanimous}" if unanimous else average
        lines["Gap"] = _gap(em, em.gap, group.languages)
    return bullets([joined(element("strong", name), " ", line) for name, line in lines.items()], css="group")


def _gap(em: GroupScore, gap: float, languages: int) -> str:
    if em.max == em.min:
        return f"{_points(gap)}: all {languages} languages are equal"
    return f"{_points(gap)} = {_points(em.max)} {_title(em.max_config)} - {_points(em.min)} {_title(em.min_config)}"


def _title(config: str) -> str:
    return translated_language(parse_config(config)).title


def _effects(effects: Mapping[str, Effect]) -> Markup:
    rows: list[Sequence[Content]] = []
    for effect in effects.values():
        if effect.languages:
            score = effect.scores["em"]
            error = "" if score.two_standard_errors is None else f" ± {score.two_standard_errors * 100:.2f}"
            alone = ", ".join(parse_language(name).title for name in effect.without_partner)
            rows.append([effect.definition.title, f"{score.average * 100:+.2f}{error}", str(effect.languages), alone])
    heads = ["Effect", "Points", "Languages", "No partner"]
    return table(heads, rows, caption="Effects on exact match, with two standard errors", numeric=[1, 2])


def config_title(config: Config) -> str:
    """A config for a list to choose from: ``fr: French``, ``fr-en-human: French, asked in English (human)``."""
    how = f", asked in {config.question.title} ({config.translation})" if config.translation else ""
    return f"{config.name}: {config.source.title}{how}"
