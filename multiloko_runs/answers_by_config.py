"""The answers of a file or folder, config by config, taken out of what the model wrote where that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multiloko_metric.languages import Config

from .answer_steps import AnswerStep, StepCount, apply_counted, step_notes
from .answers import Answer
from .matching import Policy, Problem, split_by_config
from .readers import Reading, ReadOptions, read_answers


@dataclass(frozen=True)
class ReadAnswers:
    """The answers of a file, config by config in order of first appearance, after all steps."""

    by_config: dict[Config, Sequence[Answer]]
    problems: Sequence[Problem]
    """With names that are no config's."""
    counts: Sequence[StepCount]
    """What each step did in each config."""
    notes: Sequence[str]
    """What a person should know of how the file was read."""
    asked: dict[str, Any] | None = None
    """How the questions were put, where the file says it."""


def read_by_config(path: Path, options: ReadOptions, steps: Sequence[AnswerStep], policy: Policy) -> ReadAnswers:
    """Read a file of answers and apply the steps.

    Raises:
        MultiLoKoError: the file cannot be read, or a step cannot be used.
    """
    reading = Reading(options)
    by_config, problems = split_by_config(read_answers(path, reading), policy)
    counts: list[StepCount] = []
    if steps:
        for config, answers in by_config.items():
            texts, of_config = apply_counted(steps, [answer.prediction for answer in answers], config.name)
            by_config[config] = [answer._replace(prediction=text) for answer, text in zip(answers, texts, strict=True)]
            counts += of_config
    return ReadAnswers(by_config, problems, counts, [*reading.notes, *step_notes(counts)], reading.asked)
