"""The official script's result file, to the byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from json.encoder import encode_basestring as quoted
from typing import TextIO

from multiloko_metric.groups import group_score
from multiloko_metric.matching import MatchedConfig
from multiloko_metric.profiles import get_profile
from multiloko_metric.scoring import AnswerScores, Scorer
from multiloko_metric.summary import mean

from .errors import CommandError
from .run import Run

_FIRST = " " * 4
_SECOND = " " * 8
_THIRD = " " * 12
_FOURTH = " " * 16


def write_upstream(run: Run, file: TextIO) -> None:
    """Write what the official scorer of the run's profile would have written: four-space indent, no final newline.

    ``json.dump`` gives the same text; with an indent it runs in pure Python and takes longer than the scoring.

    Raises:
        CommandError: the profile is not an official one, or an id cannot be told from a metric's name in that format.
    """
    profile = get_profile(run.signature.profile)
    if profile.commit is None:
        raise CommandError(f"--format upstream is the official output; profile {profile.name!r} is not an official one")
    metrics = profile.metrics
    for config in run.matched.configs:
        clash = next((identifier for identifier in config.ids if identifier in metrics), None)
        if clash is not None:
            key = config.config.key
            raise CommandError(f"--format upstream cannot hold the id {clash!r} of {key}: it is the name of a metric")
    means = [{metric: mean(result.scores, metric) for metric in metrics} for result in run.results]
    scorer = Scorer(profile)
    file.write("{\n")
    for config, result, of_config in zip(run.matched.configs, run.results, means, strict=True):
        file.write(f"{_FIRST}{quoted(config.config.key)}: {{\n")
        file.writelines(_rows(config, result.scores, metrics, scorer))
        file.write(_numbers(of_config, _SECOND) + f"\n{_FIRST}}},\n")
    file.write(f'{_FIRST}"group_metrics": {{\n{_numbers(_group_metrics(means), _SECOND)}\n{_FIRST}}}\n}}')


def _group_metrics(means: Sequence[dict[str, float]]) -> dict[str, float]:
    """Average, max, min and gap of each metric over all configs, local and translated together, as upstream."""
    values = {}
    for metric in means[0]:
        group = group_score({str(number): of_config[metric] for number, of_config in enumerate(means)}, metric)
        for name in ("average", "max", "min", "gap"):
            values[f"{name}_{metric}"] = getattr(group, name)
    return values


def _rows(
    config: MatchedConfig, scores: Sequence[AnswerScores], metrics: Sequence[str], scorer: Scorer
) -> Iterator[str]:
    language = config.config.question.name
    rows = zip(config.ids, scores, config.predictions, config.questions, strict=True)
    for identifier, score, prediction, question in rows:
        numbers = _numbers({metric: getattr(score, metric) for metric in metrics}, _THIRD)
        targets = _strings(scorer.target_forms(question.targets, language))
        form = scorer.prediction_form(prediction, language)
        answer = quoted(form) if isinstance(form, str) else _strings(form)
        yield (
            f"{_SECOND}{quoted(identifier)}: {{\n{numbers},\n"
            f'{_THIRD}"targets": {targets},\n{_THIRD}"prediction": {answer}\n{_SECOND}}},\n'
        )


def _numbers(values: dict[str, float], indent: str) -> str:
    return ",\n".join(f'{indent}"{name}": {value!r}' for name, value in values.items())


def _strings(values: Sequence[str]) -> str:
    if not values:
        return "[]"
    return "[\n" + ",\n".join(f"{_FOURTH}{quoted(value)}" for value in values) + f"\n{_THIRD}]"
