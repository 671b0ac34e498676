"""Tables of what a language and a translation change: effects, overlap, and the order of languages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from multiloko_metric.averages import translated_language
from multiloko_metric.effects import EFFECTS
from multiloko_metric.languages import Language, parse_config, parse_language

from .reported_run import ReportedRun
from .table import LANGUAGE, RUN, Column, ReportTable, Row, ends, hundred, in_order, named


def effects(runs: Sequence[ReportedRun]) -> ReportTable:
    """Return each effect in each language: its two sides, and their difference with its interval."""
    columns = [
        RUN,
        Column("effect", "Effect"),
        *LANGUAGE,
        Column("first", "First EM", "score"),
        Column("second", "Second EM", "score"),
        Column("difference", "Difference", "points"),
        Column("low", "95 % from", "points"),
        Column("high", "to", "points"),
    ]
    rows = [row for run in runs for definition in EFFECTS for row in _effect_rows(run, definition.name)]
    note = (
        "First minus second, in points of exact match. mte: in the mother tongue, minus the same questions in English. "
        "le: local questions, minus English ones translated. mt: human minus machine translations."
    )
    return ReportTable("effects", "What a language and a translation change", note, columns, rows)


def _effect_rows(run: ReportedRun, name: str) -> Iterator[Row]:
    effect = run.summary.effects.get(name)
    if not effect or not effect.languages:
        return
    resampled = run.summary.bootstrap.effects[name]["em"].by_language if run.summary.bootstrap else {}
    means = {
        (each.config.partition, translated_language(each.config).name): each.means["em"]
        for each in run.summary.configs.values()
    }
    definition = effect.definition
    for language, difference in effect.scores["em"].by_language.items():
        sides = (means[definition.first, language], means[definition.second, language])
        cells = (*map(hundred, sides), hundred(difference), *ends(resampled.get(language)))
        yield (run.name, name, *named(parse_language(language)), *cells)


def overlap(runs: Sequence[ReportedRun]) -> ReportTable:
    """Return of the same questions asked in two languages how many were right in both, in one, in neither."""
    columns = [
        RUN,
        Column("partition", "Translation"),
        *LANGUAGE,
        Column("both", "Both", "count"),
        Column("first_only", "Only as written", "count"),
        Column("second_only", "Only translated", "count"),
        Column("neither", "Neither", "count"),
        Column("ratio", "Both of either, %", "score"),
    ]
    rows: list[Row] = []
    for run in runs:
        for each in run.summary.overlaps:
            config = parse_config(each.second)
            counts = (each.both, each.first_only, each.second_only, each.neither)
            rows.append((run.name, config.partition, *named(translated_language(config)), *counts, hundred(each.ratio)))
    note = (
        "The same questions, as written and translated: answers that are an exact match in both, in one, in neither. "
        "The last column is the share of those right in either that are right in both."
    )
    return ReportTable("overlap", "Right in both languages", note, columns, rows)


_COMPARED = ("from_english_human", "from_english_machine", "to_english_human", "to_english_machine")


def difficulty(runs: Sequence[ReportedRun]) -> ReportTable:
    """Return each language's exact match and rank on local and on translated questions, best first."""
    columns = [
        RUN,
        Column("partition", "Translation"),
        *LANGUAGE,
        Column("local", "Local EM", "score"),
        Column("translated", "Translated EM", "score"),
        Column("local_rank", "Local rank", "number"),
        Column("translated_rank", "Translated rank", "number"),
    ]
    rows: list[Row] = []
    for run in runs:
        for partition in _COMPARED:
            languages, local, translated = _both_sides(run, partition)
            ranks = zip(languages, local, translated, _ranks(local), _ranks(translated), strict=True)
            rows += [(run.name, partition, *named(language), *cells) for language, *cells in ranks]
    note = "Rank 1 is the language with the highest exact match; languages with the same share the mean of their ranks."
    return ReportTable("difficulty", "Which languages are hard", note, columns, rows)


def agreement(runs: Sequence[ReportedRun]) -> ReportTable:
    """Return how far the order of languages on translated questions is that on local ones: rank correlations."""
    from scipy import stats  # takes a while to import

    columns = [
        RUN,
        Column("partition", "Translation"),
        Column("languages", "Languages", "count"),
        Column("spearman", "Spearman's rho", "number"),
        Column("kendall", "Kendall's tau-b", "number"),
    ]
    rows: list[Row] = []
    for run in runs:
        for partition in _COMPARED:
            languages, local, translated = _both_sides(run, partition)
            if len(languages) > 2 and len(set(local)) > 1 and len(set(translated)) > 1:
                rho, tau = stats.spearmanr(local, translated), stats.kendalltau(local, translated)
                rows.append((run.name, partition, len(languages), float(rho.statistic), float(tau.statistic)))
    note = (
        "Rank correlation over languages, -1..1; 1 where translated questions put the languages in the very order of "
        "the local ones. Noise in 250 questions a language lowers it. Left out where all languages score the same."
    )
    return ReportTable("agreement", "Do translated questions rank languages alike?", note, columns, rows)


def _both_sides(run: ReportedRun, partition: str) -> tuple[list[Language], list[float], list[float]]:
    """Languages with local questions and those of the partition, and their exact match on either."""
    configs = run.summary.configs
    both = [
        (each.config, configs[translated_language(each.config).code])
        for each in in_order(configs.values())
        if each.config.partition == partition and translated_language(each.config).code in configs
    ]
    return (
        [translated_language(config) for config, _ in both],
        [local.means["em"] * 100 for _, local in both],
        [configs[config.name].means["em"] * 100 for config, _ in both],
    )


def _ranks(values: Sequence[float]) -> list[float]:
    """The rank of each, 1 for the highest; equals share the mean of theirs."""
    return [sum(other > value for other in values) + (values.count(value) + 1) / 2 for value in values]
