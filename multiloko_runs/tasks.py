"""What the tasks of every evaluation harness share: questions, prompts, generation settings, scores of an answer.

A harness is told what to evaluate by its own options; what it has no option for comes from the environment:

- ``MULTILOKO_DATASET``: name of the installed data, ``multiloko`` or ``multiloko_sample`` (default: ``multiloko``);
- ``MULTILOKO_PROFILE``: profile of the scores (default: ``official``).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import CONFIGS, PARTITIONS, Config, parse_config
from multiloko_metric.profiles import get_profile
from multiloko_metric.scoring import Scorer
from multiloko_source.installed import Installed
from multiloko_source.rows import Row
from multiloko_source.source import DEV

from .prompts import Prompt, PromptSettings, make_prompts

METRICS = ("em", "f1", "chrf", "contains")
"""What a harness reports: em, f1 and contains in 0..1, chrf in 0..100."""


def dataset_name() -> str:
    """Return the name of the data set that the environment asks for."""
    return os.environ.get("MULTILOKO_DATASET") or "multiloko"


def configs_named(names: Sequence[str]) -> list[Config]:
    """Return the configs of these names; a partition (``local``, ``to_english_human``) stands for all of its configs.

    Raises:
        UnknownConfigError: a name is neither.
    """
    found = []
    for name in names:
        of_partition = [config for config in CONFIGS if config.partition == name] if name in PARTITIONS else None
        found += of_partition or [parse_config(name)]
    return list(dict.fromkeys(found))


@cache
def questions(dataset: str, config: Config) -> Mapping[str, Row]:
    """Return the dev questions of a config by id, in file order.

    Raises:
        MultiLoKoError: the config is not installed.
    """
    installed = _installed(dataset)
    if DEV not in installed.splits(config.name):
        how = "multiloko install --sample" if dataset.endswith("_sample") else "multiloko install"
        raise MultiLoKoError(f"the config {config.name!r} of {dataset!r} is not installed: run `{how}` first")
    return {row["id"]: row for row in installed.rows(config.name, DEV)}


@cache
def prompts(dataset: str, config: Config, style: str, shots: int) -> Mapping[str, Prompt]:
    """Return the prompts of the dev questions of a config by id, in file order.

    Raises:
        MultiLoKoError: the config is not installed.
    """
    rows = questions(dataset, config)
    made = make_prompts(_installed(dataset), [config], PromptSettings(style=style, shots=shots))
    return {prompt.id: prompt for prompt in made if prompt.id in rows}


def score_answer(config: Config, answer: str, targets: Sequence[str]) -> dict[str, float]:
    """Return METRICS of an answer under the profile of the environment; one that the profile lacks is left out.

    Raises:
        UnknownProfileError: there is no such profile.
    """
    scores = _scorer(profile_name()).score(answer, targets, config.question.name).to_dict()
    return {metric: float(scores[metric]) for metric in METRICS if metric in scores}


def reported_metrics() -> tuple[str, ...]:
    """Return those of METRICS that the profile of the environment has."""
    return tuple(metric for metric in METRICS if metric in get_profile(profile_name()).metrics)


def profile_name() -> str:
    """Return the name of the profile that the environment asks for."""
    return os.environ.get("MULTILOKO_PROFILE") or "official"


@cache
def _scorer(profile: str) -> Scorer:
    return Scorer(profile)


@cache
def _installed(dataset: str) -> Installed:
    return Installed(dataset)
