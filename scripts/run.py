"""A run: the answers of one model, matched to gold and scored."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from multiloko_metric.languages import Config
from multiloko_metric.matching import MatchedConfig, score_matched
from multiloko_metric.profiles import ALIASES, PROFILES, get_profile
from multiloko_metric.results import ConfigScores
from multiloko_metric.scoring import Scorer
from multiloko_metric.signature import Signature, sign
from multiloko_source.source import DEV, FEWSHOT

from .each_config import for_each_config
from .gold import Data, add_gold_options
from .reading import add_read_options, steps_asked_for

if TYPE_CHECKING:
    from multiloko_metric.diagnosis import Diagnosis, RunWarning
    from multiloko_runs.answer_steps import StepCount
    from multiloko_runs.step_advice import Advice, Trial


@dataclass(frozen=True)
class Run:
    """One model's scored answers."""

    name: str
    """Name of the file of answers, without its ending."""
    notes: Sequence[str]
    """What a person should know about how answers and gold were matched."""
    results: tuple[ConfigScores, ...]
    """Scores of each config with at least one answer, in order of first appearance."""
    signature: Signature
    warnings: tuple[RunWarning, ...] = ()
    """What its scores do not say but its answers do, where that was asked for."""
    steps: Sequence[StepCount] = ()
    """What each answer step did in each config."""
    advice: tuple[Advice, ...] = ()
    """Answer steps that would help, where the warnings suspect raw output."""


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that scores answers, other than the files of answers themselves."""
    add_gold_options(parser)
    parser.add_argument("-s", "--subset", default=DEV, help="questions to score against (default: dev)")
    names = [*PROFILES, *ALIASES]
    parser.add_argument("--profile", default="official", metavar="NAME", help=f"{', '.join(names)} (default: official)")
    parser.add_argument(
        "--missing",
        choices=("zero", "skip", "error"),
        help="a question without an answer counts as an empty answer (default), is left out, or is an error",
    )
    parser.add_argument(
        "--duplicates", choices=("error", "first", "last"), default="error", help="several answers to one question"
    )
    parser.add_argument(
        "--unknown", choices=("error", "skip"), default="error", help="answers to what the gold does not have"
    )
    parser.add_argument("--num-proc", type=_positive, default=1, metavar="N", help="processes (default: 1)")
    add_read_options(parser)


def load_run(
    path: Path, data: Data, arguments: argparse.Namespace, *, diagnosed: bool = False, verify: bool = False
) -> Run:
    """Read, match and score one file of answers with the options of ``add_run_options``; look for warnings if asked.

    Raises:
        AnswerError: the file does not fit the gold.
        UnknownProfileError: there is no such profile.
        VerificationError: the written rules, asked to ``verify``, give another value for an answer.
    """
    profile = get_profile(arguments.profile)
    missing = arguments.missing or "zero"
    outcomes: list[tuple[ConfigScores, Diagnosis | None, Sequence[Trial]]] = []
    work = partial(_score_config, profile.name, data if diagnosed else None, verify)
    matching = for_each_config(work, outcomes.append, path, data, arguments, missing, slow=verify)
    results = tuple(result for result, *_ in outcomes)
    signature = sign(profile, missing, [step.signed for step in steps_asked_for(arguments)])
    if not diagnosed:
        return Run(path.stem, matching.notes, results, signature, steps=matching.steps)
    from multiloko_metric.diagnosis import compare_configs
    from multiloko_runs.step_advice import advise

    warnings = compare_configs(diagnosis for _, diagnosis, _ in outcomes if diagnosis)
    advice = advise(trial for *_, trials in outcomes for trial in trials)
    return Run(path.stem, matching.notes, results, signature, warnings, matching.steps, advice)


def _score_config(
    profile: str, data: Data | None, verify: bool, matched: MatchedConfig
) -> tuple[ConfigScores, Diagnosis | None, Sequence[Trial]]:
    """Score the answers of a config; with the data, where its few-shot examples are, also look for warnings."""
    scorer = Scorer(profile)
    result = scored(matched, scorer, verify=verify)
    if data is None:
        return result, None, ()
    from multiloko_metric.diagnosis import diagnose_config
    from multiloko_runs.step_advice import try_steps

    diagnosis = diagnose_config(matched, result, scorer, _fewshot_targets(data, matched.config))
    return result, diagnosis, try_steps(matched, result, scorer, diagnosis.warnings)


def scored(matched: MatchedConfig, scorer: Scorer, *, verify: bool) -> ConfigScores:
    """Return the scores of the answers of a config, checked against the written rules where that is asked for."""
    if not verify:
        return score_matched(matched, scorer)
    from multiloko_runs.verification import score_verified  # with sacrebleu, which takes a while to import

    return score_verified(matched, scorer)


def _fewshot_targets(data: Data, config: Config) -> list[str]:
    if FEWSHOT not in data.splits(config.name):
        return []
    return [target for row in data.rows(config.name, FEWSHOT) for target in row["targets"]]


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number
