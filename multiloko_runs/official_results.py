"""The official script's result file, to the byte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from json.encoder import encode_basestring as quoted
from pathlib import Path
from typing import BinaryIO

from multiloko_metric.averages import group_score, mean
from multiloko_metric.profiles import get_profile
from multiloko_metric.scoring import Scorer
from multiloko_source.questions import Data

from .answers import AnswerError
from .matching import MatchedConfig
from .scored_run import Options, for_each_config, scored

_FIRST = " " * 4
_SECOND = " " * 8
_THIRD = " " * 12
_FOURTH = " " * 16


def write_official_results(path: Path, data: Data, options: Options, file: BinaryIO) -> tuple[Sequence[str], int]:
    """Score a file of answers and write what the official scorer of that profile would have written.

    The text has a four-space indent and no final newline. ``json.dump`` gives the same; with an indent it runs in pure
    Python and takes longer than the scoring. Returns the notes of the matching, and how many answers were scored.

    Raises:
        AnswerError: the file does not fit the gold.
        AnswerError: the profile is not an official one, or an id cannot be told from a metric's name in that format.
    """
    profile = get_profile(options.profile)
    if profile.commit is None:
        raise AnswerError(f"--format upstream is the official output; profile {profile.name!r} is not an official one")
    means: list[dict[str, float]] = []
    answers = 0
    file.write(b"{\n")

    def take(result: tuple[bytes, dict[str, float], int]) -> None:
        nonlocal answers
        text, of_config, count = result
        answers += count
        file.write(text)
        means.append(of_config)

    work = partial(_config_text, profile.name, path, options.verify)
    matching = for_each_config(work, take, path, data, replace(options, missing="skip"))
    file.write(f'{_FIRST}"group_metrics": {{\n{_numbers(_group_metrics(means), _SECOND)}\n{_FIRST}}}\n}}'.encode())
    return matching.notes, answers


def _config_text(profile: str, path: Path, verify: bool, config: MatchedConfig) -> tuple[bytes, dict[str, float], int]:
    """The text of a config's results, its means, and how many answers it has. ``path`` is for messages."""
    scorer = Scorer(profile)
    metrics = scorer.profile.metrics
    count = len(metrics)
    language = config.config.question.name
    template = _answer_template(metrics)
    scores = scored(config, scorer, verify=verify).scores
    rows = []
    of_answers = zip(config.ids, config.predictions, config.questions, scores, strict=True)
    for identifier, prediction, question, score in of_answers:
        if identifier in metrics:
            where = f"the id {identifier!r} of {config.config.key}"
            raise AnswerError(f"--format upstream cannot hold {where}: it is the name of a metric")
        form = scorer.prediction_form(prediction, language)
        targets = _strings(scorer.target_forms(question.targets, language))
        answer = quoted(form) if isinstance(form, str) else _strings(form)
        rows.append(template % (quoted(identifier), *score[:count], targets, answer))
    means = {metric: mean(scores, metric) for metric in metrics}
    head = f"{_FIRST}{quoted(config.config.key)}: {{\n"
    text = head + "".join(rows) + _numbers(means, _SECOND) + f"\n{_FIRST}}},\n"
    try:
        return text.encode(), means, len(rows)
    except UnicodeEncodeError as error:
        where = f"an answer of {config.config.key} holds half of a surrogate pair"
        raise AnswerError(f"{path}: {where}, which --format upstream cannot write as UTF-8") from error


def _answer_template(metrics: Sequence[str]) -> str:
    """Where an answer's id, scores, targets and prediction go. Official metrics are the first of METRICS, in order."""
    numbers = ",\n".join(f'{_THIRD}"{metric}": %r' for metric in metrics)
    texts = f'{_THIRD}"targets": %s,\n{_THIRD}"prediction": %s'
    return f"{_SECOND}%s: {{\n{numbers},\n{texts}\n{_SECOND}}},\n"


def _group_metrics(means: Sequence[dict[str, float]]) -> dict[str, float]:
    """Average, max, min and gap of each metric over all configs, local and translated together, as upstream."""
    values = {}
    for metric in means[0]:
        group = group_score({str(number): of_config[metric] for number, of_config in enumerate(means)}, metric)
        for name in ("average", "max", "min"):
            values[f"{name}_{metric}"] = getattr(group, name)
        values[f"gap_{metric}"] = group.max - group.min  # with one config, too: 0
    return values


def _numbers(values: dict[str, float], indent: str) -> str:
    return ",\n".join(f'{indent}"{name}": {value!r}' for name, value in values.items())


def _strings(values: Sequence[str]) -> str:
    if not values:
        return "[]"
    return "[\n" + ",\n".join([f"{_FOURTH}{quoted(value)}" for value in values]) + f"\n{_THIRD}]"
