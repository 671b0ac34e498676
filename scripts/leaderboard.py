"""A run as others show it: a line of the official leaderboard, and the results in a model's card on the Hub."""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from multiloko_metric.averages import GroupScore
from multiloko_metric.effects import Effect
from multiloko_metric.languages import LANGUAGES
from multiloko_metric.summary import Summary

from .errors import CommandError

COLUMNS = ("Model", "Average EM ± 2SE", "Gap", "MTE ± 2SE", "Min EM", "Max EM")
"""Of the leaderboard in the official README, without the rank."""
DATASET = "facebook/multiloko"
_HEADER = f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}"


def leaderboard_row(summary: Summary, model: str, *, partial: bool = False, header: bool = False) -> str:
    """Return a run as one line of Markdown in the columns of the official leaderboard: exact match, 0..100.

    Args:
        summary: of the run.
        model: its name.
        partial: take fewer than the 31 languages, or an MTE over fewer than 30; the name then says how many.
        header: put the two lines of the header in front.

    Raises:
        CommandError: no local language was run; or fewer than 31, or answers are missing in the MTE's languages, and
            ``partial`` is not set.
    """
    em = _local(summary)
    labels = _labels(summary)
    if labels and not partial:
        raise CommandError(
            f"a line of the leaderboard is over {len(LANGUAGES)} languages and this is {', '.join(labels)}; "
            "--partial prints it all the same, and labels it"
        )
    name = model.replace("|", "\\|") + (f" ({', '.join(labels)})" if labels else "")
    effect = summary.effects.get("mte_human")
    mother_tongue = effect.scores["em"] if effect and effect.languages else None
    cells = (
        name,
        _plus_minus(em.average, em.two_standard_errors),
        "-" if em.gap is None else f"{em.gap * 100:.2f}",
        _plus_minus(mother_tongue.average, mother_tongue.two_standard_errors) if mother_tongue else "-",
        f"{em.min * 100:.2f}",
        f"{em.max * 100:.2f}",
    )
    line = f"| {' | '.join(cells)} |"
    return f"{_HEADER}\n{line}" if header else line


def _local(summary: Summary) -> GroupScore:
    if "local" not in summary.groups:
        raise CommandError("no local language was run (fr, de, ...): there is no average to show")
    return summary.groups["local"].scores["em"]


def _labels(summary: Summary) -> list[str]:
    """What is less than the leaderboard's: none of the MTE is less only where some of it is there."""
    asked = summary.signature.get("asked") if isinstance(summary.signature, Mapping) else None
    labels = ["open book"] if asked and asked.get("open_book") else []
    languages = summary.groups["local"].languages
    if languages < len(LANGUAGES):
        labels.append(f"{languages} of {len(LANGUAGES)} languages")
    effect = summary.effects.get("mte_human")
    if effect and 0 < effect.languages < len(LANGUAGES) - 1:
        labels.append(f"MTE over {effect.languages} of {len(LANGUAGES) - 1}")
    return labels


def _plus_minus(value: float, two_errors: float | None) -> str:
    return f"{value * 100:.2f}" + ("" if two_errors is None else f" ± {two_errors * 100:.1f}")


def model_card(summary: Summary, model: str, *, split: str = "dev") -> str:
    """Return the YAML with which a model's card shows these results on the Hub: its ``model-index``, in 0..100.

    It goes between the two lines ``---`` at the top of the model's README.md. One result for the whole (average, gap,
    and the effects that were run), one for each local language.
    Source: https://github.com/huggingface/hub-docs/blob/main/modelcard.md

    Raises:
        CommandError: no local language was run.
    """
    # Only here, for it takes a while to import.
    from huggingface_hub.repocard_data import EvalResult, eval_results_to_model_index

    languages = summary.groups["local"].languages if "local" in summary.groups else 0
    em = _local(summary)
    arguments = {"profile": summary.profile}

    def result(config: str, dataset: str, metric: str, value: float) -> EvalResult:
        return EvalResult(
            task_type="question-answering",
            task_name="Question answering without context",
            dataset_type=DATASET,
            dataset_name=dataset,
            dataset_config=config,
            dataset_split=split,
            metric_type="exact_match",
            metric_name=metric,
            metric_value=round(value * 100, 2),
            metric_args=arguments,
        )

    whole = f"MultiLoKo ({languages} of {len(LANGUAGES)} languages)"
    results = [result("all", whole, "Average exact match", em.average)]
    if em.gap is not None:
        results.append(result("all", whole, "Gap between best and worst language", em.gap))
    results += [
        result("all", whole, f"{_effect_name(effect)}, over {effect.languages} languages", effect.scores["em"].average)
        for effect in summary.effects.values()
        if effect.languages and effect.definition.translation
    ]
    for name in summary.groups["local"].configs:
        config = summary.configs[name]
        results.append(result(name, f"MultiLoKo ({config.config.source.title})", "Exact match", config.means["em"]))
    index = {"model-index": eval_results_to_model_index(model, results)}
    return yaml.safe_dump(index, sort_keys=False, allow_unicode=True, width=120).rstrip("\n")


def _effect_name(effect: Effect) -> str:
    title = effect.definition.title
    return f"{title[0].upper()}{title[1:]} ({effect.definition.translation} translations)"
