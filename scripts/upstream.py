"""The official script's result file, to the byte."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from json.encoder import encode_basestring as quoted
from pathlib import Path
from typing import TextIO

from multiloko_metric.groups import group_score
from multiloko_metric.matching import MatchedConfig
from multiloko_metric.profiles import Profile, get_profile
from multiloko_metric.scoring import Scorer
from multiloko_metric.summary import mean

from .errors import CommandError
from .gold import Data
from .run import load_matched, processes, with_progress

_FIRST = " " * 4
_SECOND = " " * 8
_THIRD = " " * 12
_FOURTH = " " * 16


def write_upstream(path: Path, data: Data, arguments: argparse.Namespace, file: TextIO) -> Sequence[str]:
    """Score a file of answers and write what the official scorer of that profile would have written.

    The text has a four-space indent and no final newline. ``json.dump`` gives the same; with an indent it runs in pure
    Python and takes longer than the scoring. Returns the notes of the matching.

    Raises:
        AnswerError: the file does not fit the gold.
        CommandError: the profile is not an official one, or an id cannot be told from a metric's name in that format.
    """
    profile = get_profile(arguments.profile)
    if profile.commit is None:
        raise CommandError(f"--format upstream is the official output; profile {profile.name!r} is not an official one")
    with processes(arguments.num_proc) as pool:
        matched = load_matched(path, data, arguments, pool, "skip")
        _refuse_metric_names(matched.configs, profile)
        jobs = [(config, profile.name) for config in matched.configs]
        file.write("{\n")
        means = []
        results = with_progress(pool.map(_config_text, jobs), matched)
        for config, (text, of_config) in zip(matched.configs, results, strict=True):
            try:
                file.write(text)
            except UnicodeEncodeError as error:
                where = f"an answer of {config.config.key} holds half of a surrogate pair"
                raise CommandError(f"{path}: {where}, which --format upstream cannot write as UTF-8") from error
            means.append(of_config)
    file.write(f'{_FIRST}"group_metrics": {{\n{_numbers(_group_metrics(means), _SECOND)}\n{_FIRST}}}\n}}')
    return matched.notes


def _refuse_metric_names(configs: Iterable[MatchedConfig], profile: Profile) -> None:
    for config in configs:
        for identifier in config.ids:
            if identifier in profile.metrics:
                where = f"the id {identifier!r} of {config.config.key}"
                raise CommandError(f"--format upstream cannot hold {where}: it is the name of a metric")


def _config_text(job: tuple[MatchedConfig, str]) -> tuple[str, dict[str, float]]:
    """The text of a config's results, and its means."""
    config, profile = job
    scorer = Scorer(profile)
    metrics = scorer.profile.metrics
    language = config.config.question.name
    scores = scorer.score_all(config.predictions, [question.targets for question in config.questions], language)
    rows = []
    of_answers = zip(config.ids, config.predictions, config.questions, scores, strict=True)
    for identifier, prediction, question, score in of_answers:
        form = scorer.prediction_form(prediction, language)
        numbers = _numbers({metric: getattr(score, metric) for metric in metrics}, _THIRD)
        targets = _strings(scorer.target_forms(question.targets, language))
        answer = quoted(form) if isinstance(form, str) else _strings(form)
        rows.append(
            f"{_SECOND}{quoted(identifier)}: {{\n{numbers},\n"
            f'{_THIRD}"targets": {targets},\n{_THIRD}"prediction": {answer}\n{_SECOND}}},\n'
        )
    means = {metric: mean(scores, metric) for metric in metrics}
    head = f"{_FIRST}{quoted(config.config.key)}: {{\n"
    return head + "".join(rows) + _numbers(means, _SECOND) + f"\n{_FIRST}}},\n", means


def _group_metrics(means: Sequence[dict[str, float]]) -> dict[str, float]:
    """Average, max, min and gap of each metric over all configs, local and translated together, as upstream."""
    values = {}
    for metric in means[0]:
        group = group_score({str(number): of_config[metric] for number, of_config in enumerate(means)}, metric)
        for name in ("average", "max", "min", "gap"):
            values[f"{name}_{metric}"] = getattr(group, name)
    return values


def _numbers(values: dict[str, float], indent: str) -> str:
    return ",\n".join(f'{indent}"{name}": {value!r}' for name, value in values.items())


def _strings(values: Sequence[str]) -> str:
    if not values:
        return "[]"
    return "[\n" + ",\n".join(f"{_FOURTH}{quoted(value)}" for value in values) + f"\n{_THIRD}]"
