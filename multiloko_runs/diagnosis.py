"""Warnings about a run: what its scores do not say, but its answers do.

Each check looks at the answers of one config and gives a warning or none. Thresholds are here, each with its reason;
`docs/warnings.md` has them for people. Shares of fewer than FEWEST questions say nothing and are not judged.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from multiloko_metric.averages import ConfigScores
from multiloko_metric.languages import Config
from multiloko_metric.profiles import Profile
from multiloko_metric.scoring import Scorer
from multiloko_metric.summary import Summary

from .answer_frames import find_frame, wrapped
from .matching import MatchedConfig
from .writing_systems import main_script, scripts

FEWEST = 20
"""Questions from which on shares are judged: below, one answer more or less decides."""
WRAPPED = 0.05
"""Share of questions with the target inside a longer answer. At 250 questions the standard error of such a difference
is 1.4 points; this is more than three."""
RECOVERED = 0.02
"""Share of questions that become right without an opening or closing: five of 250. None do by chance."""
NEAR_CHRF = 40.0
"""Mean chrF of the answers that do not match. Of wrong answers in the right language it is some 10 to 25."""
EMPTY = 0.02
LONGER = 5.0
"""Times the length of the longest target. A sentence that repeats the question has about four times a short answer."""
LONG = 40
"""Characters. Shorter answers are not continuations, however short the target: "in the year 1994"."""
BREAKS = 0.1
"""Share of answers that go on after a line break. A short answer has one line, unless generation went on after it."""
OTHER_SCRIPT = 0.2
"""Share of answers. Names and abbreviations in another script are rarer in any language."""
FEWSHOT = 0.05
"""Share of answers. Of ten real runs, the commonest answer of any was given to 2.4 %."""
SAME = 1 / 3
ELSEWHERE = 0.1
"""Share of the different answers with letters that fit other questions better. Names recur, but in fewer."""
_SHOWN = 3
_LONGEST_EXAMPLE = 60


@dataclass(frozen=True)
class RunWarning:
    """One thing about a config that a person should look at before trusting its score."""

    kind: str
    """low_score, empty_answers, continuations, other_script, fewshot_answers, missing_answers, same_answer or
    other_questions."""
    config: str
    """Name of the config."""
    message: str
    """What was seen, in a sentence."""
    evidence: Mapping[str, Any]
    """The numbers behind it."""
    look_at: str
    """What to look at, or do, next."""
    example: str = ""
    """An answer that shows it. For the eye only: it may hold a right answer, which is not to be written to disk."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as a dict for JSON, without the example."""
        return {
            "kind": self.kind,
            "config": self.config,
            "message": self.message,
            "evidence": dict(self.evidence),
            "look_at": self.look_at,
        }

    def __str__(self) -> str:
        shown = self.example if len(self.example) <= _LONGEST_EXAMPLE else self.example[: _LONGEST_EXAMPLE - 3] + "..."
        example = f", such as {shown!r}" if self.example else ""
        return f"{self.config}: {self.message}{example}; {self.look_at}"


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
        diagnose_config(config, result, scorer, fewshot(config.config) if fewshot else ())
        for config, result in zip(matched, results, strict=True)
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


def diagnose_config(
    config: MatchedConfig, result: ConfigScores, scorer: Scorer, fewshot: Sequence[str] = ()
) -> Diagnosis:
    """Look at one config by itself; ``fewshot`` are the answers of its few-shot examples."""
    targets = [set(map(_telling, question.targets)) - {""} for question in config.questions]
    every_target = frozenset[str]().union(*targets)
    found = [_missing_answers(config)]
    answers: frozenset[str] = frozenset()
    right: set[str] = set()
    if len(config.ids) >= FEWEST:
        found.append(_low_score(config, result, scorer))
        found.append(_empty_answers(config))
        found.append(_continuations(config))
        found.append(_other_script(config))
        found.append(_fewshot_answers(config, fewshot))
        found.append(_same_answer(config))
        told = list(map(_telling, config.predictions))
        answers = frozenset(told) - {""}
        right = {answer for answer, own in zip(told, targets, strict=True) if answer in own}
    warnings = [warning for warning in found if warning]
    return Diagnosis(config.config, warnings, answers, len(right), every_target)


def compare_configs(diagnoses: Iterable[Diagnosis]) -> tuple[RunWarning, ...]:
    """Return the warnings about each config, and those for which all configs must be seen together."""
    every = list(diagnoses)
    holders: dict[str, list[int]] = {}
    for place, diagnosis in enumerate(every):
        for target in diagnosis.targets:
            holders.setdefault(target, []).append(place)
    found: list[RunWarning] = []
    for place, diagnosis in enumerate(every):
        found += diagnosis.warnings
        if misplaced := _misplaced_answers(place, every, holders):
            found.append(misplaced)
    return tuple(found)


def _answers(config: MatchedConfig) -> list[str]:
    """The answers that are there and not empty."""
    return [prediction.strip() for prediction in config.predictions if prediction.strip()]


def _plain(text: str) -> str:
    return text.casefold().strip(" \t\n.,;:!?\"'«»“”„()。、！？「」،؟।")


def _low_score(config: MatchedConfig, result: ConfigScores, scorer: Scorer) -> RunWarning | None:
    """Warn of a score of 0, or far below what the answers hold."""
    questions = len(config.ids)
    right = sum(score.em == 1 for score in result.scores)
    inside = wrapped(config, result.scores, scorer)
    frame = find_frame(config, result.scores, scorer)
    wrong_chrf = [score.chrf for score in result.scores if score.em != 1]
    near = statistics.fmean(wrong_chrf) if len(wrong_chrf) >= FEWEST else 0.0
    evidence = {
        "questions": questions,
        "right": right,
        "target_inside_a_longer_answer": len(inside),
        "opening": frame.opening,
        "closing": frame.closing,
        "right_without_opening_and_closing": frame.recovered,
        "chrf_of_the_others": near,
    }
    example = ""
    if frame.recovered >= RECOVERED * questions:
        around = " and ".join(filter(None, [_begin(frame.opening), _end(frame.closing)]))
        message = f"{frame.answers} of {questions} answers {around}; {frame.recovered} more are right without it"
        look = "remove it from the answers, or ask for the answer alone"
    elif len(inside) >= max(WRAPPED * questions, right):
        message = f"{right} of {questions} answers match, {len(inside)} more hold a right answer among other words"
        example = sorted((config.predictions[place].strip() for place in inside), key=len)[len(inside) // 2]
        look = "a frame or an explanation left in the answers"
    elif near >= NEAR_CHRF:
        message = f"the answers that do not match come close to the targets: their chrF is {near:.0f}"
        look = "spelling, script variants, units or inflection; --profile lenient folds some of these"
    elif right == 0:
        message = f"none of {questions} answers matches"
        example = config.predictions[0].strip()
        look = "the answers themselves"
    else:
        return None
    return RunWarning("low_score", config.config.name, message, evidence, look, example)


def _begin(opening: str) -> str:
    return f"begin with {opening!r}" if opening else ""


def _end(closing: str) -> str:
    return f"end with {closing!r}" if closing else ""


def _empty_answers(config: MatchedConfig) -> RunWarning | None:
    given = [prediction for prediction, there in zip(config.predictions, config.answered, strict=True) if there]
    empty = sum(not prediction.strip() for prediction in given)
    if not given or empty <= EMPTY * len(given):
        return None
    return RunWarning(
        "empty_answers",
        config.config.name,
        f"{empty} of {len(given)} answers are empty",
        {"answers": len(given), "empty": empty},
        "stop sequences, a limit on tokens, or a filter that removed all of an answer",
    )


def _continuations(config: MatchedConfig) -> RunWarning | None:
    pairs = [
        (prediction.strip(), max((len(target) for target in question.targets), default=0))
        for prediction, question in zip(config.predictions, config.questions, strict=True)
        if prediction.strip()
    ]
    if len(pairs) < FEWEST:
        return None
    times = statistics.median(len(answer) / max(longest, 1) for answer, longest in pairs)
    length = statistics.median(len(answer) for answer, _ in pairs)
    breaks = sum("\n" in answer for answer, _ in pairs)
    if not (times >= LONGER and length >= LONG) and breaks < BREAKS * len(pairs):
        return None
    return RunWarning(
        "continuations",
        config.config.name,
        f"answers look like raw continuations: {times:.1f} times as long as the longest target in the median, "
        f"{breaks} of {len(pairs)} go on after a line break",
        {"answers": len(pairs), "times_the_longest_target": times, "characters": length, "with_line_break": breaks},
        "end generation at a line break, use the model's chat template, or take the first line",
    )


def _other_script(config: MatchedConfig) -> RunWarning | None:
    compared = Counter[str]()
    other = Counter[str]()
    for prediction, question in zip(config.predictions, config.questions, strict=True):
        script = main_script(prediction)
        of_targets = scripts(" ".join(question.targets))
        if script and of_targets:
            compared[max(of_targets, key=of_targets.__getitem__)] += 1
            if script not in of_targets:
                other[script] += 1
    total = compared.total()
    if total < FEWEST or other.total() < OTHER_SCRIPT * total:
        return None
    expected, found = compared.most_common(1)[0][0], other.most_common(1)[0][0]
    return RunWarning(
        "other_script",
        config.config.name,
        f"{other.total()} of {total} answers are in a script that none of their targets has: "
        f"mostly {found.title()}, the targets mostly {expected.title()}",
        {
            "answers": total,
            "in_another_script": other.total(),
            "scripts": dict(other),
            "target_scripts": dict(compared),
        },
        "whether the model answers in the language of the question, and whether the file is the right one",
    )


def _fewshot_answers(config: MatchedConfig, targets: Sequence[str]) -> RunWarning | None:
    shots = {_plain(target) for target in targets} - {""}
    answers = _answers(config)
    repeated = [
        prediction.strip()
        for prediction, question in zip(config.predictions, config.questions, strict=True)
        if _plain(prediction) in shots and _plain(prediction) not in set(map(_plain, question.targets))
    ]
    if len(repeated) < FEWSHOT * len(answers) or not repeated:
        return None
    return RunWarning(
        "fewshot_answers",
        config.config.name,
        f"{len(repeated)} of {len(answers)} answers repeat an answer of the few-shot examples",
        {"answers": len(answers), "repeated": len(repeated)},
        "the prompt: whether the question itself is in it, after the examples",
        Counter(repeated).most_common(1)[0][0],
    )


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


def _same_answer(config: MatchedConfig) -> RunWarning | None:
    counts = Counter(filter(None, map(_plain, config.predictions)))
    if not counts:
        return None
    answer, count = counts.most_common(1)[0]
    if count < SAME * len(config.ids):
        return None
    return RunWarning(
        "same_answer",
        config.config.name,
        f"{count} of {len(config.ids)} answers are the same",
        {"questions": len(config.ids), "same": count},
        "a refusal, an error text, or a prompt without its question",
        answer,
    )


def _telling(text: str) -> str:
    """Return a text as it is compared across questions; "" where many questions may have it: no letters."""
    plain = _plain(text)
    return plain if any(map(str.isalpha, plain)) else ""


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
