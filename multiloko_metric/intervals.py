"""Uncertainty without resampling: the standard error over languages, and Wilson's interval of a proportion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Z_95 = 1.959963984540054
"""The 97.5 % point of the normal distribution: of an interval at 95 %."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval at 95 %, in the unit of what it is about."""

    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        """Return it as a dict for JSON."""
        return {"low": self.low, "high": self.high}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Interval:
        """Return what `to_dict` gave."""
        return cls(data["low"], data["high"])


def wilson(successes: float, trials: float) -> Interval:
    """Return Wilson's score interval at 95 % for a proportion: within 0..1, also where none or all succeeded.

    Trials need not be whole: where they weigh unequally it is their effective number.

    Source: Wilson 1927, Journal of the American Statistical Association 22, 209-212.

    Raises:
        ValueError: there are no trials, or more successes than trials.
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"expected 0..{trials} successes of at least one trial, found {successes}")
    share = successes / trials
    squared = Z_95 * Z_95
    centre = (share + squared / (2 * trials)) / (1 + squared / trials)
    half = Z_95 / (1 + squared / trials) * math.sqrt(share * (1 - share) / trials + squared / (4 * trials * trials))
    # Rounding leaves the end of an interval that touches 0 or 1 a hair away from it.
    return Interval(0.0 if successes == 0 else centre - half, 1.0 if successes == trials else centre + half)


def standard_error(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation (n - 1) over the root of n: at least 0, in the unit of the values.

    None for fewer than two values, which say nothing of how they spread.
    """
    count = len(values)
    if count < 2:
        return None
    mean = math.fsum(values) / count
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1) / count)
