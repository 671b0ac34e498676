"""Everything a report draws, as tables: a figure is drawn from its table and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from multiloko_metric.averages import GroupScore, translated_language
from multiloko_metric.bootstrap import Bootstrap
from multiloko_metric.effects import Effect
from multiloko_metric.languages import CONFIGS, parse_config
from multiloko_metric.summary import ConfigSummary

from .reported_run import ReportedRun
from .table import INTERVAL, LANGUAGE, RUN, Column, ReportTable, Row, ends, hundred, in_order, named
from .translation_tables import agreement, difficulty, effects, overlap

if TYPE_CHECKING:
    from ..published_results import PublishedResult


def all_tables(runs: Sequence[ReportedRun], published: Sequence[PublishedResult] = ()) -> dict[str, ReportTable]:
    """Return the tables of a report by name, in its order; those without a row are left out."""
    tables = (
        headline(runs),
        scores(runs),
        effects(runs),
        overlap(runs),
        difficulty(runs),
        agreement(runs),
        by_group(runs),
        lengths(runs),
        open_book(runs),
        published_table(published),
    )
    return {table.name: table for table in tables if table}


def headline(runs: Sequence[ReportedRun]) -> ReportTable:
    """Return what a run comes to: average, gap, MTE and LE of local questions with human translations; a row a run."""
    columns = [
        RUN,
        Column("average", "Average EM", "score"),
        Column("average_low", "95 % from", "score"),
        Column("average_high", "to", "score"),
        Column("two_standard_errors", "2 SE", "score"),
        Column("languages", "Languages", "count"),
        Column("gap", "Gap", "score"),
        Column("gap_low", "95 % from", "score"),
        Column("gap_high", "to", "score"),
        Column("gap_bias", "Bias of the gap", "points"),
        Column("best", "Best language"),
        Column("best_em", "Its EM", "score"),
        Column("worst", "Worst language"),
        Column("worst_em", "Its EM", "score"),
        *(column for name, title in (("mte", "MTE"), ("le", "LE")) for column in _effect_columns(name, title)),
        Column("answered", "Answered", "count"),
        Column("questions", "Questions", "count"),
        Column("warnings", "Warnings", "count"),
        Column("profile", "Profile"),
    ]
    note = (
        "Exact match on local questions, 0..100, each language counting the same. MTE and LE are differences in "
        "points, from human translations. Intervals are from resampled questions; 2 SE is the spread across languages. "
        "Answered and questions are of all configs."
    )
    return ReportTable("headline", "What it comes to", note, columns, [_headline_row(run) for run in runs])


def _effect_columns(name: str, title: str) -> tuple[Column, ...]:
    return (
        Column(name, title, "points"),
        Column(f"{name}_low", "95 % from", "points"),
        Column(f"{name}_high", "to", "points"),
        Column(f"{name}_two_standard_errors", "2 SE", "points"),
        Column(f"{name}_languages", "Languages", "count"),
    )


def _headline_row(run: ReportedRun) -> Row:
    summary, resampled = run.summary, run.summary.bootstrap
    configs = summary.configs.values()
    counts = (sum(each.answered for each in configs), sum(each.questions for each in configs), len(run.warnings))
    local = (
        _local_cells(summary.groups["local"].scores["em"], len(summary.groups["local"].configs), resampled)
        if ("local" in summary.groups)
        else (None,) * 13
    )
    both = [cell for name in ("mte_human", "le_human") for cell in _effect_cells(summary.effects.get(name), resampled)]
    return (run.name, *local, *both, *counts, summary.profile)


def _local_cells(em: GroupScore, languages: int, resampled: Bootstrap | None) -> Row:
    group = resampled.groups["local"]["em"] if resampled else None
    return (
        hundred(em.average),
        *ends(group.average if group else None),
        hundred(em.two_standard_errors),
        languages,
        hundred(em.gap),
        *ends(group.gap if group else None),
        hundred(group.gap_bias if group else None),
        *((_title(em.max_config), hundred(em.max), _title(em.min_config), hundred(em.min))),
    )


def _effect_cells(effect: Effect | None, resampled: Bootstrap | None) -> Row:
    if not effect or not effect.languages:
        return (None, None, None, None, None)
    em = effect.scores["em"]
    interval = resampled.effects[effect.name]["em"].average if resampled else None
    return (hundred(em.average), *ends(interval), hundred(em.two_standard_errors), effect.languages)


def scores(runs: Sequence[ReportedRun]) -> ReportTable:
    """Return every config of every run: exact match with Wilson's interval, and the further metrics."""
    columns = [
        RUN,
        Column("config", "Config"),
        Column("partition", "Questions"),
        *LANGUAGE,
        Column("em", "EM", "score"),
        *INTERVAL,
        Column("f1", "F1", "score"),
        Column("contains", "Contains", "score"),
        Column("chrf", "chrF", "score"),
        Column("answered", "Answered", "count"),
        Column("questions", "Questions", "count"),
    ]
    rows = [_score_row(run, config) for run in runs for config in in_order(run.summary.configs.values())]
    note = "Exact match and other metrics, 0..100, with Wilson's interval at 95 % of exact match."
    return ReportTable("scores", "Languages", note, columns, rows)


def _score_row(run: ReportedRun, config: ConfigSummary) -> Row:
    means = config.means
    return (
        run.name,
        config.config.name,
        config.config.partition,
        *named(translated_language(config.config)),
        hundred(means["em"]),
        *ends(config.wilson["em"]),
        hundred(means["f1"]),
        hundred(means.get("contains")),
        means["chrf"],
        config.answered,
        config.questions,
    )


def by_group(runs: Sequence[ReportedRun]) -> ReportTable:
    """Return the subgroups of every run."""
    columns = [
        RUN,
        Column("dimension", "By"),
        Column("partition", "Questions"),
        Column("group", "Group"),
        Column("em", "EM", "score"),
        *INTERVAL,
        Column("languages", "Languages", "count"),
        Column("questions", "Questions", "count"),
        Column("tells", "Against the rest"),
    ]
    rows = [
        (
            run.name,
            each.dimension,
            each.partition,
            each.name,
            hundred(each.means["em"]),
            *ends(each.interval),
            each.languages,
            each.questions,
            "too small to tell" if each.too_small else "differs",
        )
        for run in runs
        for each in run.subgroups
    ]
    note = "Exact match of parts of the questions, 0..100, with an interval at 95 %; each language counts the same."
    return ReportTable("by_group", "Kinds of answers and of languages", note, columns, rows)


def lengths(runs: Sequence[ReportedRun]) -> ReportTable:
    """Return how long answers are beside the first target of their questions, config by config."""
    columns = [
        RUN,
        Column("config", "Config"),
        Column("partition", "Questions"),
        *LANGUAGE,
        Column("answers", "Answers", "count"),
        Column("answer_low", "Answer, 10 %", "number"),
        Column("answer_middle", "median", "number"),
        Column("answer_high", "90 %", "number"),
        Column("target_low", "Target, 10 %", "number"),
        Column("target_middle", "median", "number"),
        Column("target_high", "90 %", "number"),
    ]
    rows: list[Row] = []
    for run in runs:
        for config, of in sorted(run.lengths.items(), key=lambda item: CONFIGS.index(item[0])):
            if (answer := of.answer) and (target := of.target):
                spreads = (answer.low, answer.middle, answer.high, target.low, target.middle, target.high)
                language = named(translated_language(config))
                rows.append((run.name, config.name, config.partition, *language, len(of.answers), *spreads))
    note = "Characters of the answers given, and of the first target of the same questions: deciles and median."
    return ReportTable("lengths", "How long answers are", note, columns, rows)


def open_book(runs: Sequence[ReportedRun]) -> ReportTable:
    """Return closed beside open book, config by config, for every pair of runs of which one had the paragraph.

    Runs are paired where they differ in nothing else their files say of how they were asked; where none says more, each
    with each.
    """
    columns = [
        Column("closed_run", "Closed book"),
        Column("open_run", "Open book"),
        Column("config", "Config"),
        Column("partition", "Questions"),
        *LANGUAGE,
        Column("closed", "Closed EM", "score"),
        Column("open", "Open EM", "score"),
        Column("difference", "Difference", "points"),
    ]
    rows: list[Row] = []
    for closed, opened in _book_pairs(runs):
        for each in in_order(closed.summary.configs.values()):
            if (other := opened.summary.configs.get(each.config.name)) is None:
                continue
            first, second = each.means["em"] * 100, other.means["em"] * 100
            asked = (each.config.name, each.config.partition, *named(translated_language(each.config)))
            rows.append((closed.name, opened.name, *asked, first, second, second - first))
    note = "Exact match without and with the source paragraph in front of the question; the difference is in points."
    return ReportTable("open_book", "Closed and open book", note, columns, rows)


def _book_pairs(runs: Sequence[ReportedRun]) -> Iterator[tuple[ReportedRun, ReportedRun]]:
    def otherwise(run: ReportedRun) -> dict[str, Any]:
        return {name: value for name, value in run.asked.items() if name not in ("open_book", "sha256")}

    for opened in runs:
        if opened.asked.get("open_book"):
            for closed in runs:
                if closed.asked and not closed.asked.get("open_book") and otherwise(closed) == otherwise(opened):
                    yield closed, opened


def published_table(published: Iterable[PublishedResult]) -> ReportTable:
    """Return published results, for reference: of other questions, prompts or shots than the runs."""
    columns = [
        Column("model", "Model"),
        Column("average", "Average EM", "score"),
        Column("two_standard_errors", "2 SE", "score"),
        Column("gap", "Gap", "score"),
        Column("mte", "MTE", "points"),
        Column("mte_two_standard_errors", "2 SE", "points"),
        Column("split", "Split"),
        Column("shots", "Shots", "count"),
        Column("prompts", "Prompts"),
        Column("source", "Source"),
        Column("url", "Address"),
        Column("note", "Note"),
    ]
    rows = [tuple(getattr(each, column.name) for column in columns) for each in published]
    note = "Published by others, and not comparable one to one: each row says on which questions and how it was asked."
    return ReportTable("published", "Where published results lie", note, columns, rows)


def _title(config: str) -> str:
    return translated_language(parse_config(config)).title
