"""Which answer steps would help, and by how much: tried on the very answers that look raw."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multiloko_metric.averages import ConfigScores
from multiloko_metric.scoring import Scorer

from .answer_steps import StepError, apply_steps, first_object, parse_steps
from .matching import MatchedConfig

if TYPE_CHECKING:
    from .run_warning import RunWarning

RAW = frozenset({"low_score", "continuations"})
"""Kinds of warnings that raw output may be the cause of."""
WORTH = 0.02
"""Share of the questions that a step must make right to be named: five of 250, as for what warnings call a frame."""
_PLAIN = (("first-line",), ("last-line",))
_THOUGHTS = (("after-think",), ("after-think", "first-line"), ("after-think", "last-line"))
_COMMON_FIELD = 1 / 3
"""Share of the answers that hold a JSON object with a field, from which on it is tried."""
_MOST_FIELDS = 5
_SHOWN = 3
_PATTERN = "regex:"


@dataclass(frozen=True)
class Trial:
    """What some steps make of the answers of one config."""

    steps: tuple[str, ...]
    config: str
    questions: int
    before: int
    """Answers that are an exact match without the steps."""
    after: int
    """And with them."""


@dataclass(frozen=True)
class Advice:
    """What some steps make of all configs that look raw."""

    steps: tuple[str, ...]
    trials: tuple[Trial, ...]

    def total(self, name: str) -> int:
        """Sum of a number of the trials."""
        return sum(getattr(trial, name) for trial in self.trials)

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON."""
        return {
            "steps": list(self.steps),
            "configs": {
                each.config: {"questions": each.questions, "right_before": each.before, "right_after": each.after}
                for each in self.trials
            },
        }

    def line(self, given: Sequence[str] = ()) -> str:
        """Return it as a sentence, with the options to type; ``given`` are the steps that were applied already."""
        options = " ".join(f"--answer {shlex.quote(step)}" for step in (*given, *self.steps))
        right = (
            f"{self.total('after'):,} of {self.total('questions'):,} answers right instead of {self.total('before'):,}"
        )
        best = sorted(self.trials, key=lambda trial: trial.before - trial.after)[:_SHOWN]
        each = ", ".join(
            f"{trial.config} em {100 * trial.before / trial.questions:.1f} to {100 * trial.after / trial.questions:.1f}"
            for trial in best
        )
        return f"{options} would make {right} ({each}{', ...' if len(self.trials) > _SHOWN else ''})"


def try_steps(
    matched: MatchedConfig, result: ConfigScores, scorer: Scorer, warnings: Iterable[RunWarning]
) -> list[Trial]:
    """Score the answers of a config with each step that may help, if a warning says that they look raw."""
    evidence = {warning.kind: warning.evidence for warning in warnings if warning.kind in RAW}
    if not evidence:
        return []
    frame = evidence.get("low_score", {})
    candidates = _candidates(matched.predictions, str(frame.get("opening", "")), str(frame.get("closing", "")))
    before = sum(score.em == 1 for score in result.scores)
    trials = []
    for steps in candidates:
        try:
            after = _right(steps, matched, result, scorer)
        except StepError:  # a pattern that takes too long on an answer is no advice
            continue
        trials.append(Trial(steps, matched.config.name, len(matched.ids), before, after))
    return trials


def _candidates(predictions: Sequence[str], opening: str, closing: str) -> list[tuple[str, ...]]:
    """Steps that may help: those that fit any text, and those that these answers suggest."""
    thoughts = any("</think>" in each or "<think>" in each for each in predictions)
    found: list[tuple[str, ...]] = [*(_THOUGHTS if thoughts else ()), *_PLAIN]
    fields: Counter[str] = Counter()
    for text in predictions:
        value = first_object(text) if "{" in text else None
        fields.update(name for name, each in (value or {}).items() if isinstance(each, str) and name.strip())
    common = [name for name, count in fields.most_common(_MOST_FIELDS) if count >= _COMMON_FIELD * len(predictions)]
    found += [(f"json:{name}",) for name in common]
    found += [("after-think", f"json:{name}") for name in common if thoughts]
    if opening or closing:
        around = [f"(?:{_typed(each.strip())})?" if each.strip() else "" for each in (opening, closing)]
        found.append((f"{_PATTERN}(?s)^\\s*{around[0]}(.*?){around[1]}\\s*$",))
    return found


def _typed(text: str) -> str:
    """A pattern for a text, as one would type it on one line."""
    return re.escape(text).replace("\\\n", "\\n").replace("\\ ", " ")


def _right(steps: Sequence[str], matched: MatchedConfig, result: ConfigScores, scorer: Scorer) -> int:
    """Count the answers that are an exact match after the steps."""
    parsed = parse_steps(steps)
    unescaped = any(step.startswith("json:") for step in steps)
    language = matched.config.question.name
    right = 0
    for text, question, score in zip(matched.predictions, matched.questions, result.scores, strict=True):
        # What does not contain a target has none that a part of it could equal, unless it is written with escapes.
        if score.em != 1 and score.contains == 0 and not unescaped:
            continue
        after = apply_steps(parsed, text)
        same = after == text
        right += (score.em if same else scorer.score(after, question.targets, language).em) == 1
    return right


def advise(trials: Iterable[Trial]) -> tuple[Advice, ...]:
    """Return the steps that would help, the best first: none that does no more than a part of it, or a simpler one."""
    by_steps: dict[tuple[str, ...], list[Trial]] = {}
    for trial in trials:
        by_steps.setdefault(trial.steps, []).append(trial)
    every = [Advice(steps, tuple(some)) for steps, some in by_steps.items()]
    worth = [each for each in every if _gain(each) >= max(1, WORTH * each.total("questions"))]
    worth.sort(key=lambda each: (-_gain(each), len(each.steps)))
    named: list[Advice] = []
    for each in worth:
        is_pattern = each.steps[0].startswith(_PATTERN)
        parts = [
            other for other in worth if set(other.steps) < set(each.steps) or (is_pattern and other.steps != each.steps)
        ]
        if all(_gain(each) > _gain(other) for other in parts):
            named.append(each)
    return tuple(named[:_SHOWN])


def _gain(advice: Advice) -> int:
    return advice.total("after") - advice.total("before")
