"""How far the gap of a run lies from the gap of the languages' true scores, and what the bootstrap makes of it.

Draws many runs of a model whose true score in each language is known, and compares. Run it from the repository:

    python docs/gap_bias.py [--runs 100] [--questions 250] [--seed 0]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from multiloko_metric.bootstrap import Answers, bootstrap
from multiloko_metric.languages import CONFIGS

Array = NDArray[np.float64]
LOCAL = [config for config in CONFIGS if config.translation is None]
MODELS = {
    "all languages equal": np.full(len(LOCAL), 0.30),
    "spread as a strong model's": np.linspace(0.16, 0.46, len(LOCAL)),
    "one language far ahead": np.array([0.25] * (len(LOCAL) - 1) + [0.55]),
}


@dataclass(frozen=True)
class Outcome:
    """What one simulated run said of the gap and the average."""

    gap_error: float
    gap_bias: float
    gap_covered: bool
    shifted_covered: bool
    """Whether the interval covers the true gap when both its ends are moved by twice the bias."""
    average_covered: bool


def simulate(true: Array, questions: int, generator: np.random.Generator) -> Outcome:
    """Draw one run of a model with these true scores and return what the bootstrap says of it."""
    right = generator.random((len(true), questions)) < true[:, np.newaxis]
    ids = [str(number) for number in range(questions)]
    answers = {config: Answers(ids, row[:, np.newaxis].tolist()) for config, row in zip(LOCAL, right, strict=True)}
    seed = int(generator.integers(2**31))
    local = bootstrap(answers, ["em"], resamples=500, seed=seed).groups["local"]["em"]
    means = right.mean(axis=1)
    true_gap = true.max() - true.min()
    return Outcome(
        gap_error=means.max() - means.min() - true_gap,
        gap_bias=local.gap_bias,
        gap_covered=local.gap.low <= true_gap <= local.gap.high,
        shifted_covered=local.gap.low <= true_gap + 2 * local.gap_bias <= local.gap.high,
        average_covered=local.average.low <= true.mean() <= local.average.high,
    )


def main() -> None:
    """Print one row for each model."""
    parser = argparse.ArgumentParser(description="Simulate the bias of the gap.")
    parser.add_argument("--runs", type=int, default=100, help="runs of each model")
    parser.add_argument("--questions", type=int, default=250, help="questions a language")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print("| model | true gap | run exceeds it by | bias by bootstrap | gap covered | shifted | average covered |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, true in MODELS.items():
        generator = np.random.default_rng(arguments.seed)
        outcomes = [simulate(true, arguments.questions, generator) for _ in range(arguments.runs)]
        error, bias, gap, shifted, average = (
            float(np.mean([getattr(outcome, field) for outcome in outcomes]))
            for field in ("gap_error", "gap_bias", "gap_covered", "shifted_covered", "average_covered")
        )
        true_gap = np.ptp(true)
        print(f"| {name} | {true_gap:.3f} | {error:+.3f} | {bias:+.3f} | {gap:.0%} | {shifted:.0%} | {average:.0%} |")


if __name__ == "__main__":
    main()
