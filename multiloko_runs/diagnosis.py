"""Warnings about a run: what its scores do not say, but its answers do.

Each check looks at the answers of one config and gives a warning or none; what tells how the model was asked is in
`asking`, and is looked for in several configs together where each has fewer than FEWEST answers. Thresholds stand with
the checks, each with its reason; `docs/warnings.md` has them for people.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from multiloko_metric.averages import ConfigScores
from multiloko_metric.languages import Config
from multiloko_metric.profiles import Profile
from multiloko_metric.scoring import Scorer
from multiloko_metric.summary import Summary

from .answer_frames import find_frame, wrapped
from .answered import Answered, answered_questions
from .asking_signs import FEWEST, RECOVERED, asking_warnings, frame_warning, plain, pooled_warnings
from .matching import MatchedConfig
from .run_warning import RunWarning

WRAPPED = 0.05
"""Share of answers with the target inside a longer answer. At 250 answers the standard error of such a difference is
1.4 points; this is more than three."""
NEAR_CHRF = 40.0
"""Mean chrF of the answers that do not match. Of wrong answers in the right language it is some 10 to 25."""
ELSEWHERE = 0.1
"""Share of the different answers with letters that fit other questions better. Names recur, but in fewer."""
_SHOWN = 3


FewshotTargets = Callable[[Config], Sequence[str]]
"""Gives the acceptable answers of the few-shot examples of a config; none where it has no examples."""


def run_result(summary: Summary, notes: Sequence[str], warnings: Sequence[RunWarning]) -> dict[str, Any]:
    """Return all there is to say of a run as plain values for JSON, without any text of questions or of gold."""
    return {**summary.to_dict(), "notes": list(notes), "warnings": [each.to_dict() for each in warnings]}


def diagnose(
    matched: Sequence[MatchedConfig],
    results: Sequence[ConfigScores],
    profile: str | Profile,
    *,
    fewshot: FewshotTargets | None = None,
) -> tuple[RunWarning, ...]:
    """Return the warnings about a run, in the order of its configs.

    Args:
        matched: the answers, and the questions they answer.
        results: their scores, config by config in the same order.
        profile: with which they were scored.
        fewshot: gives the answers of the few-shot examples; without it, repeating them goes unseen.

    Raises:
        ValueError: `matched` and `results` do not belong together.
    """
    scorer = Scorer(profile)
    return compare_configs(
        (
            diagnose_config(config, result, scorer, fewshot(config.config) if fewshot else ())
            for config, result in zip(matched, results, strict=True)
        ),
        scorer,
    )


@dataclass(frozen=True)
class Diagnosis:
    """What was seen of one config by itself, and what it takes to compare it with others."""

    config: Config
    warnings: Sequence[RunWarning]
    answers: frozenset[str]
    """Its different answers, as `_telling` gives them; none where it has too few questions to be judged."""
    right: int
    """How many of them are targets of their own question."""
    targets: frozenset[str]
    """The targets of all its questions, as `_telling` gives them."""
    unjudged: Sequence[Answered] = ()
    """Its answers, where they are too few to be judged by themselves."""
    fewshot: Sequence[str] = ()
    """The answers of its few-shot examples, where its own are unjudged."""


def diagnose_config(
    config: MatchedConfig, result: ConfigScores, scorer: Scorer, fewshot: Sequence[str] = ()
) -> Diagnosis:
    """Look at one config by itself; ``fewshot`` are the answers of its few-shot examples."""
    name = config.config.name
    targets = [set(map(_telling, question.targets)) - {""} for question in config.questions]
    every_target = frozenset[str]().union(*targets)
    given = answered_questions(config, result)
    judged = len(given) >= FEWEST
    found = [_missing_answers(config)]
    if judged:
        found += [_low_score(name, given, scorer), *asking_warnings(name, given, fewshot)]
    answers: frozenset[str] = frozenset()
    right: set[str] = set()
    if len(config.ids) >= FEWEST:
        told = list(map(_telling, config.predictions))
        answers = frozenset(told) - {""}
        right = {answer for answer, own in zip(told, targets, strict=True) if answer in own}
    warnings = [warning for warning in found if warning]
    unjudged = ((), ()) if judged else (given, fewshot)
    return Diagnosis(config.config, warnings, answers, len(right), every_target, *unjudged)


def compare_configs(diagnoses: Iterable[Diagnosis], scorer: Scorer) -> tuple[RunWarning, ...]:
    """Return the warnings for which all configs must be seen together, and those about each.

    First comes what concerns the whole run, then what concerns each config, in the order of the configs. ``scorer`` is
    the one with which they were scored.
    """
    every = list(diagnoses)
    holders: dict[str, list[int]] = {}
    for place, diagnosis in enumerate(every):
        for target in diagnosis.targets:
            holders.setdefault(target, []).append(place)
    unjudged = list(chain.from_iterable(diagnosis.unjudged for diagnosis in every))
    shots = {diagnosis.config.name: diagnosis.fewshot for diagnosis in every}
    found = pooled_warnings(unjudged, shots, scorer, run=len(every))
    for place, diagnosis in enumerate(every):
        found += diagnosis.warnings
        if misplaced := _misplaced_answers(place, every, holders):
            found.append(misplaced)
    return tuple(found)


def _low_score(config: str, answers: Sequence[Answered], scorer: Scorer) -> RunWarning | None:
    """Warn of a score of 0, or far below what the answers hold."""
    questions = len(answers)
    right = sum(answer.score.em == 1 for answer in answers)
    inside = wrapped(answers, scorer)
    frame = find_frame(answers, scorer)
    wrong_chrf = [answer.score.chrf for answer in answers if answer.score.em != 1]
    near = statistics.fmean(wrong_chrf) if len(wrong_chrf) >= FEWEST else 0.0
    framed = frame_warning(config, answers, frame)
    evidence = {
        "questions": questions,
        "right": right,
        "target_inside_a_longer_answer": len(inside),
        **framed.evidence,
        "chrf_of_the_others": near,
    }
    example = ""
    if frame.recovered >= RECOVERED * questions:
        return replace(framed, evidence=evidence)
    if len(inside) >= max(WRAPPED * questions, right):
        message = f"{right} of {questions} answers match, {len(inside)} more hold a right answer among other words"
        example = sorted((answer.prediction.strip() for answer in inside), key=len)[len(inside) // 2]
        look = "a frame or an explanation left in the answers"
    elif near >= NEAR_CHRF:
        message = f"the answers that do not match come close to the targets: their chrF is {near:.0f}"
        look = "spelling, script variants, units or inflection; --profile lenient folds some of these"
    elif right == 0:
        message = f"none of {questions} answers matches"
        example = answers[0].prediction.strip()
        look = "the answers themselves"
    else:
        return None
    return RunWarning("low_score", config, message, evidence, look, example)


def _missing_answers(config: MatchedConfig) -> RunWarning | None:
    missing = [identifier for identifier, there in zip(config.ids, config.answered, strict=True) if not there]
    fate = "are left out" if config.left_out else "count as wrong"
    missing += config.left_out
    if not missing:
        return None
    total = len(config.ids) + len(config.left_out)
    first = ", ".join(map(repr, missing[:_SHOWN])) + (", ..." if len(missing) > _SHOWN else "")
    return RunWarning(
        "missing_answers",
        config.config.name,
        f"{total - len(missing)} of {total} questions are answered; the others {fate}: {first}",
        {"questions": total, "missing": len(missing)},
        "whether generation ended early, or a filter dropped rows",
    )


def _telling(text: str) -> str:
    """Return a text as it is compared across questions; "" where many questions may have it: no letters."""
    bare = plain(text)
    return bare if any(map(str.isalpha, bare)) else ""


def _misplaced_answers(
    place: int, every: Sequence[Diagnosis], holders: Mapping[str, Sequence[int]]
) -> RunWarning | None:
    """Warn of a config whose answers are targets of other questions rather than of their own."""
    diagnosis = every[place]
    answers, right = len(diagnosis.answers), diagnosis.right
    hits = Counter(chain.from_iterable(holders.get(answer, ()) for answer in diagnosis.answers))
    # What would be gained by another config's questions, or by other questions of this one.
    gains = {other: count - hits[place] for other, count in hits.items() if other != place}
    gains[place] = hits[place] - right
    best = max(gains, key=lambda other: (gains[other], -other))  # the first of equals
    if gains[best] < max(ELSEWHERE * answers, FEWEST / 2):
        return None
    here, there = diagnosis.config.name, every[best].config.name
    evidence = {"different_answers": answers, "right": right, "config": there, "targets_there": hits[best]}
    if best == place:
        message = f"{gains[best]} of {answers} different answers are right for another question of {there}"
        look = "whether answers and ids are in the same order"
    else:
        message = f"{hits[best]} of {answers} different answers are targets of {there}, {hits[place]} of {here}"
        look = f"whether the answers of {there} were filed under {here}, or given in its language"
    return RunWarning("other_questions", here, message, evidence, look)
