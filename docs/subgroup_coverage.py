"""How often the intervals of `multiloko score --by` hold the true value, and chance alone tells a group apart.

Draws many runs of models whose true scores are known. Run it from the repository:

    python docs/subgroup_coverage.py [--runs 1000] [--seed 0]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multiloko_metric.intervals import Interval
from multiloko_metric.languages import CONFIGS
from multiloko_runs.subgroup_intervals import (
    Answers,
    GroupMean,
    correlation_between_languages,
    difference_by_languages,
    difference_by_questions,
)

Array = NDArray[np.float64]
LOCAL = [config for config in CONFIGS if config.partition == "local"]
FROM_ENGLISH = [config for config in CONFIGS if config.partition == "from_english_human"]


@dataclass(frozen=True)
class Group:
    """A group whose truth is known: for each language how many questions, and how many of them the model knows."""

    name: str
    questions: Sequence[int]
    true: Sequence[float]


GROUPS = (
    Group("a kind of 40 questions in each of 31 languages", [40] * 31, np.linspace(0.16, 0.46, 31).tolist()),
    Group("a kind of 1 to 5 questions in 12 languages", [1, 2, 3, 4, 5, 1] * 2, np.linspace(0.1, 0.6, 12).tolist()),
    Group("a kind of 60 questions in one language, one in 5 others", [60, 1, 1, 1, 1, 1], [0.4] * 6),
    Group("the same, those 5 harder", [60, 1, 1, 1, 1, 1], [0.6] + [0.1] * 5),
    Group("the same, those 5 easier", [60, 1, 1, 1, 1, 1], [0.1] + [0.6] * 5),
    Group("a kind of 3 questions in one language", [3], [0.3]),
    Group("2 questions in each of 31 languages, nearly all wrong", [2] * 31, [0.02] * 31),
    Group("a script of one language", [250], [0.3]),
    Group("a family of 4 languages", [250] * 4, [0.2, 0.3, 0.4, 0.5]),
)


def drawn(group: Group, generator: np.random.Generator) -> Answers:
    """Return one run of that model."""
    cases = zip(LOCAL, group.questions, group.true, strict=False)
    return {config: _answers(generator.random(count) < share) for config, count, share in cases}


def drawn_of_one_set(languages: int, questions: int, generator: np.random.Generator) -> Answers:
    """Return a run of one set of questions, asked in several languages: some are easy in all, some hard in all."""
    ease = generator.beta(0.6, 1.4, size=questions)
    return {config: _answers(generator.random(questions) < ease) for config in FROM_ENGLISH[:languages]}


def _answers(right: NDArray[np.bool_]) -> dict[str, float]:
    return {str(number): float(value) for number, value in enumerate(right)}


def outside(interval: Interval, value: float) -> bool:
    """Return whether the interval does not hold the value."""
    return not interval.low <= value <= interval.high


def coverage(draw: Callable[[], Answers], true: float, runs: int) -> tuple[float, float]:
    """Return the share of runs whose interval holds the truth, and the mean width of the intervals."""
    intervals = []
    for _ in range(runs):
        answers = draw()
        intervals.append(GroupMean(answers, correlation_between_languages(answers)).interval)
    held = sum(not outside(interval, true) for interval in intervals) / runs
    return held, float(np.mean([interval.high - interval.low for interval in intervals]))


def told_apart_by_chance(languages: int, of: int, spread: float, runs: int, generator: np.random.Generator) -> float:
    """Return how often some languages are told from the rest, where all are drawn alike, with 250 questions each.

    As in `subgroups`: both intervals of the difference must be on the same side of 0.
    """
    found = 0
    for _ in range(runs):
        true = np.clip(generator.normal(0.3, spread, size=of), 0.01, 0.99)
        right = {config: _answers(generator.random(250) < share) for config, share in zip(LOCAL, true, strict=False)}
        group = GroupMean({config: right[config] for config in LOCAL[:languages]}, 0.0)
        rest = GroupMean({config: right[config] for config in LOCAL[languages:of]}, 0.0)
        spreads = difference_by_languages([*group.by_config.values()], [*rest.by_config.values()])
        asked = difference_by_questions(group, rest)
        found += spreads is not None and outside(spreads, 0) and outside(asked, 0)
    return found / runs


def kinds_told_apart_by_chance(questions: Sequence[int], runs: int, generator: np.random.Generator) -> float:
    """Return how often a kind of answer is told from the rest, where it is no harder than the other questions."""
    found = 0
    for _ in range(runs):
        true = np.linspace(0.16, 0.46, len(questions))
        both = [
            {config: _answers(generator.random(count) < share) for config, count, share in cases}
            for cases in (
                zip(LOCAL, questions, true, strict=False),
                zip(LOCAL, [250 - count for count in questions], true, strict=False),
            )
        ]
        group, rest = (GroupMean(answers, 0.0) for answers in both)
        found += outside(difference_by_questions(group, rest), 0)
    return found / runs


def sets_of_questions(runs: int, generator: np.random.Generator) -> list[tuple[str, float, float]]:
    """Return, of English questions in several languages: what it is, how often the truth is held, and the width."""
    return [
        (f"{questions} English questions in {languages} languages", *coverage(draw, 0.3, runs))
        for languages, questions in ((20, 250), (20, 30), (4, 250))
        for draw in [lambda languages=languages, questions=questions: drawn_of_one_set(languages, questions, generator)]
    ]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Simulate the intervals of groups of questions.")
    parser.add_argument("--runs", type=int, default=1000, help="of each kind of group")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    generator = np.random.default_rng(arguments.seed)
    print("| group | true value held | width |")
    print("| --- | --- | --- |")
    for group in GROUPS:
        held, width = coverage(lambda group=group: drawn(group, generator), float(np.mean(group.true)), arguments.runs)
        print(f"| {group.name} | {held:.1%} | {width:.3f} |")
    for name, held, width in sets_of_questions(arguments.runs, generator):
        print(f"| {name} | {held:.1%} | {width:.3f} |")
    print()
    print("| no different from the rest | told apart by chance |")
    print("| --- | --- |")
    for languages, of, spread in ((1, 31, 0.1), (4, 31, 0.1), (17, 31, 0.1), (1, 31, 0.0), (2, 4, 0.1)):
        share = told_apart_by_chance(languages, of, spread, arguments.runs, generator)
        alike = "which differ" if spread else "all equally hard"
        print(f"| {languages} of {of} languages, {alike} | {share:.1%} |")
    for name, counts in (("40 in each of 31 languages", [40] * 31), ("1 to 5 in 12", [1, 2, 3, 4, 5, 1] * 2)):
        share = kinds_told_apart_by_chance(counts, arguments.runs, generator)
        print(f"| a kind of answer, {name} | {share:.1%} |")


if __name__ == "__main__":
    main()
