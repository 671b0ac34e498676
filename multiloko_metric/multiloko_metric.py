"""The metric as ``evaluate`` loads it: ``evaluate.load("multiloko", "variants")``. It holds no arithmetic.

Every sibling is imported here, also those that only other siblings need: ``evaluate`` copies what this file names.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import datasets
import evaluate

from .answer_scores import Comparison
from .averages import ConfigScores, GroupScore, mean
from .bootstrap import Bootstrap
from .citation import CITATION
from .effects import Effect
from .errors import MultiLoKoError
from .explanation import Trace
from .folding import FOLDS
from .intervals import Interval
from .languages import PARTITIONS, Config, parse_config
from .measures import contains
from .normalization import TextRule
from .profiles import get_profile
from .ratcliff_obershelp import ratio
from .scoring import METRICS, AnswerScores, Scorer
from .signature import sign
from .summary import Summary, summarize
from .variants import VARIANTS

_DESCRIPTION = """\
Scores short answers to the questions of MultiLoKo, exactly as the official scorer does, and sums them up: average, gap,
mother tongue effect and locality effect. The name of a profile selects the version of the official scorer, or the
lenient rules: evaluate.load("multiloko", "variants").
"""

_INPUTS = """
Args:
    predictions (list of str): the answers; a missing one is an empty string.
    references (list of list of str, or list of str): the targets of each question, or its only target.
    languages (str or list of str, optional): config name, one for all answers or one for each: "fr", "fr-en-human",
        also the official "french_translated_human_english". The profiles variants and lenient need it.
    ids (list of str, optional): id of each question. With them, the same questions asked in two languages are paired.
    per_example (bool): add the scores of each answer.
    resamples (int): with languages, add intervals by bootstrap from that many resamples of the questions (2000).
    seed (int): of the resamples.

Returns:
    dict. Higher is better, but for the two distances.
    em, f1, edit_similarity, contains (float, 0..1), bleu, chrf (float, 0..100), edit_distance, edit_distance_first
        (float, characters): means over the answers; with languages, over those of the local configs (where there are
        none, of the first kind of translation that is there: local and translated are never averaged together).
    average_M, max_M, min_M, gap_M (with languages): of each metric M over the same configs.
    per_language (with languages): the means of each config; groups, effects, overlaps and the rest of the summary.
    per_example (with per_example): the scores of each answer, in the order given.
    signature: what another person needs to get the same numbers.

Raises:
    ValueError: an input is empty, None, of another type or length, or a name is no config's.

Examples:
    >>> metric = evaluate.load("multiloko")
    >>> result = metric.compute(predictions=["the Seine"], references=[["Seine", "La Seine"]], languages="fr")
    >>> result["em"], result["average_em"]
    (1.0, 1.0)
"""

_COLUMNS = ("predictions", "references", "languages")


class Multiloko(evaluate.Metric):  # type: ignore[misc]  # evaluate is untyped
    """The metric, which evaluate names after this class: ``multiloko``.

    Its configuration name is a profile's: release, unicode, variants, lenient, official (default).
    """

    def _info(self) -> evaluate.MetricInfo:
        profile = get_profile("official" if self.config_name == "default" else self.config_name)
        self.scorer = Scorer(profile)
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features(
                {
                    "predictions": datasets.Value("string"),
                    "references": datasets.Sequence(datasets.Value("string")),
                    "languages": datasets.Value("string"),
                }
            ),
            homepage="https://github.com/facebookresearch/multiloko",
            reference_urls=["https://arxiv.org/abs/2504.10356"],
        )

    def compute(
        self,
        *,
        predictions: Iterable[str] | None = None,
        references: Iterable[str | Sequence[str]] | None = None,
        languages: str | Iterable[str] | None = None,
        **options: Any,
    ) -> dict[str, Any] | None:
        """Score the given answers, together with those added before. None in every process but the first of several."""
        given = predictions is not None or references is not None
        columns = _columns(predictions, references, languages) if given else dict.fromkeys(_COLUMNS)
        if not given and self.writer is None:
            raise MultiLoKoError("there is nothing to score: give predictions and references, or add them first")
        result: dict[str, Any] | None = super().compute(**columns, **options)
        return result

    def add_batch(
        self,
        *,
        predictions: Iterable[str] | None = None,
        references: Iterable[str | Sequence[str]] | None = None,
        languages: str | Iterable[str] | None = None,
    ) -> None:
        """Add answers, to be scored by ``compute``."""
        super().add_batch(**_columns(predictions, references, languages))

    def add(
        self, *, prediction: str | None = None, reference: str | Sequence[str] | None = None, language: str = ""
    ) -> None:
        """Add one answer, to be scored by ``compute``."""
        super().add_batch(**_columns([prediction], [reference], language))

    def _compute(
        self,
        predictions: Sequence[str],
        references: Sequence[Sequence[str]],
        languages: Sequence[str],
        *,
        ids: Sequence[str] | None = None,
        per_example: bool = False,
        resamples: int = 0,
        seed: int = 0,
    ) -> dict[str, Any]:
        configs = _configs(languages)
        if ids is not None and len(ids) != len(predictions):
            raise MultiLoKoError(f"there are {len(ids)} ids for {len(predictions)} predictions; give one for each")
        scores = self._scores(predictions, references, configs)
        signature = sign(self.scorer.profile, "given").to_dict()
        names = [str(each) for each in (range(len(scores)) if ids is None else ids)]
        if configs[0] is None:
            metrics = [metric for metric in METRICS if getattr(scores[0], metric) is not None]
            result: dict[str, Any] = {metric: mean(scores, metric) for metric in metrics}
        else:
            results = _by_config(scores, configs, names)
            summary = summarize(results, self.scorer.profile, signature=signature, resamples=resamples, seed=seed)
            result = _numbers(summary, results)
        if per_example:
            result["per_example"] = [score.to_dict() for score in scores]
        return {**result, "signature": signature}

    def _scores(
        self, predictions: Sequence[str], references: Sequence[Sequence[str]], configs: Sequence[Config | None]
    ) -> list[AnswerScores]:
        """The scores in the order given; answers in one language are scored together, which is faster."""
        places: dict[str | None, list[int]] = {}
        for place, config in enumerate(configs):
            places.setdefault(config.question.name if config else None, []).append(place)
        scores: dict[int, AnswerScores] = {}
        for language, of in places.items():
            together = self.scorer.score_all([predictions[at] for at in of], [references[at] for at in of], language)
            scores.update(zip(of, together, strict=True))
        return [scores[place] for place in range(len(predictions))]


def _columns(
    predictions: Iterable[str | None] | None,
    references: Iterable[str | Sequence[str] | None] | None,
    languages: str | Iterable[str] | None,
) -> dict[str, list[Any]]:
    """The three columns, with what was left out filled in. Raises MultiLoKoError for anything Arrow would refuse."""
    answers = _texts(predictions, "predictions")
    targets = [_targets(each, place) for place, each in enumerate(_listed(references, "references"))]
    whole = languages is None or isinstance(languages, str)
    names = _texts([languages or ""] * len(answers) if whole else languages, "languages")
    if not len(answers) == len(targets) == len(names):
        counts = f"{len(answers)} predictions, {len(targets)} references, {len(names)} languages"
        raise MultiLoKoError(f"there are {counts}; give one of each for every question")
    _configs(names)  # a wrong name is refused here, with its batch, and not when everything is scored
    return {"predictions": answers, "references": targets, "languages": names}


def _listed(values: Iterable[Any] | None, name: str) -> list[Any]:
    if values is None or isinstance(values, str) or not isinstance(values, Iterable):
        raise MultiLoKoError(f"{name} must be a list, one for every question; found {values!r:.60}")
    listed = list(values)
    if not listed:
        raise MultiLoKoError(f"{name} is empty; give one for every question")
    return listed


def _texts(values: Iterable[Any] | None, name: str) -> list[str]:
    listed = _listed(values, name)
    for place, value in enumerate(listed):
        if not isinstance(value, str):
            advice = "; a missing answer is an empty string" if value is None else ""
            raise MultiLoKoError(f"{name}[{place}] must be text, found {value!r:.60}{advice}")
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise MultiLoKoError(f"{name}[{place}] holds half of a surrogate pair: {value!r:.60}") from error
    return listed


def _targets(value: Any, place: int) -> list[str]:
    targets = [value] if isinstance(value, str) else value
    if targets is None or isinstance(targets, dict) or not isinstance(targets, Iterable):
        raise MultiLoKoError(f"references[{place}] must be text or a list of texts, found {value!r:.60}")
    listed = list(targets)
    if not listed:
        raise MultiLoKoError(f"references[{place}] is an empty list; a question has at least one target")
    return _texts(listed, f"references[{place}]")


def _configs(languages: Sequence[str]) -> list[Config] | list[None]:
    """The config of each answer; all None where no languages were given."""
    named = {name: parse_config(name) for name in set(languages) if name}
    if not named:
        return [None] * len(languages)
    if "" in languages:
        raise MultiLoKoError(f"languages[{list(languages).index('')}] is empty, though others are given; name each")
    return [named[name] for name in languages]


def _by_config(scores: Sequence[AnswerScores], configs: Sequence[Config], ids: Sequence[str]) -> list[ConfigScores]:
    places: dict[Config, list[int]] = {}
    for place, config in enumerate(configs):
        places.setdefault(config, []).append(place)
    return [
        ConfigScores(config, [ids[place] for place in of], [scores[place] for place in of], [True] * len(of))
        for config, of in places.items()
    ]


def _numbers(summary: Summary, results: Sequence[ConfigScores]) -> dict[str, Any]:
    """The summary, and what is asked for most often at its top: the scores of one partition, the local one if there."""
    partition = next(each for each in PARTITIONS if each in summary.groups)
    counted = [score for result in results if result.config.partition == partition for score in result.scores]
    group = summary.groups[partition].scores
    return {
        **{metric: mean(counted, metric) for metric in summary.metrics},
        **{f"{name}_{metric}": value for metric in group for name, value in _statistics(group[metric]).items()},
        "per_language": {name: dict(config.means) for name, config in summary.configs.items()},
        **summary.to_dict(),
    }


def _statistics(score: GroupScore) -> dict[str, float]:
    """Average and extremes, all numbers: here one config has a gap of 0, as in the official script."""
    return {"average": score.average, "max": score.max, "min": score.min, "gap": score.max - score.min}
