"""A run: the answers of one model, matched to gold and scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from multiloko_metric.averages import ConfigScores
from multiloko_metric.bootstrap import RESAMPLES
from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import Config
from multiloko_metric.profiles import get_profile
from multiloko_metric.scoring import Scorer
from multiloko_metric.signature import Signature, sign
from multiloko_metric.summary import Summary, summarize
from multiloko_source.installed import open_data
from multiloko_source.questions import Data, questions_of
from multiloko_source.source import DEV, FEWSHOT

from .answer_lengths import AnswerLengths, answer_lengths
from .answer_steps import AnswerStep, StepCount
from .answers import Answer, AnswerError
from .answers_by_config import read_by_config
from .matching import Findings, MatchedConfig, Policy, conclude, match_config
from .paired import RunComparison, compare
from .processes import Track, in_processes, untracked, without_garbage_collection
from .readers import ReadOptions

if TYPE_CHECKING:
    from pandas import DataFrame

    from .diagnosis import Diagnosis
    from .run_warning import RunWarning
    from .step_advice import Advice, Trial

Result = TypeVar("Result")


@dataclass(frozen=True)
class Options:
    """How a file of answers is read, matched and scored."""

    subset: str = DEV
    """Questions it is scored against."""
    profile: str = "official"
    missing: str = "zero"
    duplicates: str = "error"
    unknown: str = "error"
    """These three as in `Policy`."""
    processes: int = 1
    verify: bool = False
    """Score every answer again by the written rules."""
    read: ReadOptions = field(default_factory=ReadOptions)
    """How the file is read, where it does not say so itself."""
    steps: tuple[AnswerStep, ...] = ()
    """What takes the answer out of what the model wrote, before scoring."""
    track: Track = untracked


@dataclass(frozen=True)
class Matching:
    """How a file of answers was read, and fits the gold."""

    notes: Sequence[str]
    """What a person should know of it, a sentence each."""
    steps: Sequence[StepCount] = ()
    """What each answer step did in each config."""
    asked: dict[str, Any] | None = None
    """How the questions were put, where the file says it."""


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
    lengths: Mapping[Config, AnswerLengths] = field(default_factory=dict)
    """Of the answers and their targets in each config, where warnings were asked for."""

    @cached_property
    def summary(self) -> Summary:
        """Means, groups and effects, without intervals from resampling."""
        return summarize(self.results, self.signature.profile, signature=self.signature.to_dict())

    def to_pandas(self) -> DataFrame:
        """Return a row for each answer: config, id, answered, output_type, and its metrics on the official scales."""
        from pandas import DataFrame

        return DataFrame(
            [
                {"config": of.config.name, "id": identifier, "answered": there, "output_type": kind, **score.to_dict()}
                for of in self.results
                for identifier, there, kind, score in zip(
                    of.ids, of.answered, of.output_types or [None] * len(of.ids), of.scores, strict=True
                )
            ]
        )

    def _repr_html_(self) -> str:
        """Show the means of each config, as notebooks do with the last value of a cell."""
        from html import escape

        from pandas import DataFrame

        configs = self.summary.configs.items()
        rows = {name: {"questions": of.questions, "answered": of.answered, **of.means} for name, of in configs}
        lines = [*map(str, self.warnings), str(self.signature)]
        table = str(DataFrame.from_dict(rows, orient="index").to_html(float_format="{:.4g}".format))
        return "".join([f"<p>{escape(self.name)}</p>", table, *(f"<p>{escape(line)}</p>" for line in lines)])


def load_run(
    predictions: str | Path,
    gold: str | Path | Data | None = None,
    *,
    profile: str = "official",
    missing: str = "zero",
    unknown: str = "error",
    subset: str = DEV,
    warn: bool = True,
) -> Run:
    """Read, match and score a file of answers.

    Args:
        predictions: the file: CSV, JSON lines, a JSON array or Parquet with language (or config), id and prediction.
        gold: folder, archive or Hub repository with the questions, or such a source; default: what is installed.
        profile: how answers are normalised and scored: release, unicode, variants, lenient, official.
        missing: a question without an answer counts as an empty one (zero), is left out (skip) or an error.
        unknown: answers to what the gold does not have are an error, or left out (skip).
        subset: the questions.
        warn: also look for what makes a score doubtful (`Run.warnings`).

    Raises:
        MultiLoKoError: the file or the gold cannot be read, they do not fit, or there is no such profile.
    """
    data = open_data(gold) if gold is None or isinstance(gold, str | Path) else gold
    options = Options(subset=subset, profile=profile, missing=missing, unknown=unknown)
    return score_file(Path(predictions), data, options, diagnosed=warn)


def compare_runs(
    runs: Sequence[Run], *, metric: str = "em", resamples: int = RESAMPLES, seed: int = 0
) -> RunComparison:
    """Compare runs on the questions that all of them answered: as `paired.compare`, which says more.

    Raises:
        MultiLoKoError: fewer than two runs, two of one name or of different profiles, or nothing in common.
    """
    names = [run.name for run in runs]
    if len(set(names)) < len(names):
        raise MultiLoKoError(f"runs to compare need names of their own, found {', '.join(names)}")
    profiles = {run.signature.profile for run in runs}
    if len(profiles) > 1:
        raise MultiLoKoError(f"runs scored with different profiles do not compare: {', '.join(sorted(profiles))}")
    return compare({run.name: run.results for run in runs}, metric=metric, resamples=resamples, seed=seed)


@without_garbage_collection()
def for_each_config(
    work: Callable[[MatchedConfig], Result], take: Callable[[Result], None], path: Path, data: Data, options: Options
) -> Matching:
    """Match one file of answers to the gold, do some work on each config, and return how it was read and fits.

    A config is handed over as a whole, its gold is read where its answers are scored: little is left for one process
    alone, and little travels between them.

    Args:
        work: what to do with a config; with several processes in another one, so it must be possible to pickle it.
        take: is given what came of each config, in order of first appearance.
        path: the file.
        data: the gold.
        options: how.

    Raises:
        AnswerError: the file does not fit the gold. By then some of the work may have been done, and taken.
    """
    if options.subset == FEWSHOT:
        raise AnswerError("the few-shot examples are not scored; --subset names dev or another subset of questions")
    policy = Policy(options.missing, options.duplicates, options.unknown)
    read = read_by_config(path, options.read, options.steps, policy)
    by_config, problems = read.by_config, read.problems
    refused = any(problem.refused for problem in problems)
    worker = _Worker(list(by_config.items()), data, options.subset, policy, None if refused else work)
    sizes = [len(answers) for answers in by_config.values()]
    every: list[Findings] = []
    with in_processes(options.processes, worker, range(len(by_config))) as outcomes:
        for findings, result in options.track(outcomes, sizes):
            every.append(findings)
            if result is not None:
                take(result)
    return Matching([*read.notes, *conclude(every, problems, str(path))], read.counts, read.asked)


@dataclass(frozen=True)
class _Worker(Generic[Result]):
    """Matches the answers of a config, and works on them unless they are refused."""

    answers: Sequence[tuple[Config, Sequence[Answer]]]
    """Of each config. They are part of the worker: a process that is a copy of this one has them without any travel."""
    data: Data
    subset: str
    policy: Policy
    work: Callable[[MatchedConfig], Result] | None
    """None where all is refused already, and it is only of interest for what else."""

    def __call__(self, number: int) -> tuple[Findings, Result | None]:
        config, answers = self.answers[number]
        matched, findings = match_config(config, answers, questions_of(self.data, self.subset, config), self.policy)
        return findings, self.work(matched) if self.work and matched else None


def score_file(path: Path, data: Data, options: Options = Options(), *, diagnosed: bool = False) -> Run:
    """Read, match and score one file of answers; look for warnings if asked.

    Raises:
        AnswerError: the file does not fit the gold.
        UnknownProfileError: there is no such profile.
        VerificationError: the written rules, where they are asked for, give another value for an answer.
    """
    profile = get_profile(options.profile)
    outcomes: list[tuple[ConfigScores, _Seen | None]] = []
    work = partial(_score_config, profile.name, options.verify, data if diagnosed else None)
    matching = for_each_config(work, outcomes.append, path, data, options)
    results = tuple(result for result, _ in outcomes)
    signature = sign(profile, options.missing, [step.signed for step in options.steps], matching.asked)
    if not diagnosed:
        return Run(path.stem, matching.notes, results, signature, steps=matching.steps)
    from .diagnosis import compare_configs
    from .step_advice import advise

    seen = [each for _, each in outcomes if each]
    warnings = compare_configs((each.diagnosis for each in seen), Scorer(profile))
    advice = advise(trial for each in seen for trial in each.trials)
    lengths = {each.diagnosis.config: each.lengths for each in seen}
    return Run(path.stem, matching.notes, results, signature, warnings, matching.steps, advice, lengths)


class _Seen(NamedTuple):
    """What is seen of the answers of a config beside their scores."""

    diagnosis: Diagnosis
    trials: Sequence[Trial]
    lengths: AnswerLengths


def _score_config(
    profile: str, verify: bool, data: Data | None, matched: MatchedConfig
) -> tuple[ConfigScores, _Seen | None]:
    """Score the answers of a config; with the data, where its few-shot examples are, also look for warnings."""
    scorer = Scorer(profile)
    result = scored(matched, scorer, verify=verify)
    if data is None:
        return result, None
    from .diagnosis import diagnose_config
    from .step_advice import try_steps

    diagnosis = diagnose_config(matched, result, scorer, _fewshot_targets(data, matched.config))
    return result, _Seen(diagnosis, try_steps(matched, result, scorer, diagnosis.warnings), answer_lengths(matched))


def score_matched(matched: MatchedConfig, scorer: Scorer) -> ConfigScores:
    """Return the scores of the answers to the questions of one config."""
    targets = [question.targets for question in matched.questions]
    scores = scorer.score_all(matched.predictions, targets, matched.config.question.name)
    output_types = [question.output_type for question in matched.questions]
    return ConfigScores(matched.config, matched.ids, scores, matched.answered, output_types)


def scored(matched: MatchedConfig, scorer: Scorer, *, verify: bool) -> ConfigScores:
    """Return the scores of the answers of a config, checked against the written rules where that is asked for."""
    if not verify:
        return score_matched(matched, scorer)
    from .verification import score_verified  # with sacrebleu, which takes a while to import

    return score_verified(matched, scorer)


def _fewshot_targets(data: Data, config: Config) -> list[str]:
    if FEWSHOT not in data.splits(config.name):
        return []
    return [target for row in data.rows(config.name, FEWSHOT) for target in row["targets"]]
