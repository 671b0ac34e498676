"""Signs that a score is low because of how the model was asked: its prompt, its stop sequences, its limit on tokens.

Each looks at answers and gives a warning or none. They do not depend on the language, so the answers of many configs
with a few answers each can be judged together: `pooled_warnings`. Thresholds are shares of the answers, each with its
reason; `docs/warnings.md` has them for people.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from multiloko_metric.scoring import Scorer

from .answer_frames import COMMON, Frame, common_ends, find_frame
from .answered import Answered
from .run_warning import RunWarning
from .writing_systems import main_script, scripts

FEWEST = 20
"""Answers from which on shares are judged: below, one answer more or less decides."""
_OF_USE = FEWEST // 2
"""Of these, so many must be of use to a sign that cannot use all: not empty, or with letters."""
RECOVERED = 0.02
"""Share of answers that become right without an opening or closing: five of 250. None do by chance."""
SHARED = 1 / 3
"""Share of answers of several languages with the same opening or closing, though none becomes right without it. Words
that many answers of a language begin with, such as articles, stay below it, and other languages have others."""
_LEAST_RECOVERED = 3
_LEAST_LANGUAGES = 3
"""Related languages have an article in common, without which two answers may be right."""
EMPTY = 0.02
CUT = 0.02
"""Share of answers with a character that was cut in two: as many as RECOVERED. No text has one by itself, but a small
model may now and then write bytes that are no character."""
LONGER = 5.0
"""Times the length of the longest target. A sentence that repeats the question has about four times a short answer."""
LONG = 40
"""Characters. Shorter answers are not continuations, however short the target: "in the year 1994"."""
BREAKS = 0.1
"""Share of answers that go on after a line break. A short answer has one line, unless generation went on after it."""
_LEAST_BREAKS = 3
"""Of 20 answers of a good real run two may have one: it had so in 3 of 40 samples."""
OTHER_SCRIPT = 0.2
"""Share of answers. Names and abbreviations in another script are rarer in any language."""
FEWSHOT = 0.05
"""Share of answers. Of ten real runs, the commonest answer of any was given to 2.4 %."""
SAME = 1 / 3
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
"""What a decoder puts in the place of bytes that are no character."""

FewshotAnswers = Mapping[str, Sequence[str]]
"""Acceptable answers of the few-shot examples, by config."""


def asking_warnings(config: str, answers: Sequence[Answered], fewshot: Sequence[str]) -> list[RunWarning]:
    """Return the signs in the answers of one config, other than an opening or closing; ``fewshot`` are the answers of
    its examples."""
    return _signs(config, answers, {config: fewshot})


def pooled_warnings(
    answers: Sequence[Answered], fewshot: FewshotAnswers, scorer: Scorer, *, run: int
) -> list[RunWarning]:
    """Return the signs in the answers of several configs together, none where there are fewer than FEWEST answers.

    Args:
        answers: of the configs that have too few of them to be judged by themselves.
        fewshot: the answers of their few-shot examples.
        scorer: with which they were scored.
        run: how many configs the run has in all.
    """
    if len(answers) < FEWEST:
        return []
    configs = list(dict.fromkeys(answer.config for answer in answers))
    found = [_shared_frame(answers, scorer), *_signs(None, answers, fewshot)]
    return [
        replace(warning, evidence={**warning.evidence, "configs": configs, "run": run}) for warning in found if warning
    ]


def _signs(config: str | None, answers: Sequence[Answered], fewshot: FewshotAnswers) -> list[RunWarning]:
    found = (
        _empty_answers(config, answers),
        _cut_characters(config, answers),
        _continuations(config, answers),
        _other_script(config, answers),
        _fewshot_answers(config, answers, fewshot),
        _same_answer(config, answers),
    )
    return [warning for warning in found if warning]


def plain(text: str) -> str:
    """Return a text without case, and without spaces and punctuation around it."""
    return text.casefold().strip(" \t\n.,;:!?\"'«»“”„()。、！？「」،؟।")


def frame_warning(config: str | None, answers: Sequence[Answered], frame: Frame) -> RunWarning:
    """Return the warning about what many answers begin or end with."""
    around = " and ".join(filter(None, [_begin(frame.opening), _end(frame.closing)]))
    gain = f"; {frame.recovered} more are right without it" if frame.recovered else ""
    return RunWarning(
        "low_score",
        config,
        f"{frame.answers} of {len(answers)} answers {around}{gain}",
        {
            "questions": len(answers),
            "right": sum(answer.score.em == 1 for answer in answers),
            "opening": frame.opening,
            "closing": frame.closing,
            "right_without_opening_and_closing": frame.recovered,
        },
        "remove it from the answers, or ask for the answer alone",
    )


def _begin(opening: str) -> str:
    return f"begin with {opening!r}" if opening else ""


def _end(closing: str) -> str:
    return f"end with {closing!r}" if closing else ""


def _shared_frame(answers: Sequence[Answered], scorer: Scorer) -> RunWarning | None:
    """Warn of an opening or closing across languages: one that hides right answers, or that a third of them have."""
    frame = find_frame(answers, scorer, (COMMON, SHARED))
    if frame.recovered >= max(_LEAST_RECOVERED, RECOVERED * len(answers)):
        return frame_warning(None, answers, frame)
    opening, closing = common_ends(answers, SHARED)
    for first, last in ((opening, ""), ("", closing)):
        framed = [answer for answer in answers if _has_more(answer.prediction.strip(), first, last)]
        languages = {answer.language for answer in framed}
        # One over a line break is what comes after the answer: `_continuations` says so.
        if (
            (first or last)
            and "\n" not in first + last
            and len(framed) >= SHARED * len(answers)
            and len(languages) >= _LEAST_LANGUAGES
        ):
            return frame_warning(None, answers, Frame(first, last, len(framed), 0))
    return None


def _has_more(text: str, opening: str, closing: str) -> bool:
    """Return whether a text has the opening and closing, and something else. What has not is the same answer."""
    if not (text.startswith(opening) and text.endswith(closing)):
        return False
    return bool(plain(text.removeprefix(opening).removesuffix(closing)))


def _empty_answers(config: str | None, answers: Sequence[Answered]) -> RunWarning | None:
    empty = sum(not answer.prediction.strip() for answer in answers)
    if empty <= EMPTY * len(answers):
        return None
    return RunWarning(
        "empty_answers",
        config,
        f"{empty} of {len(answers)} answers are empty",
        {"answers": len(answers), "empty": empty},
        "stop sequences, a limit on tokens, or a filter that removed all of an answer",
    )


def _cut_characters(config: str | None, answers: Sequence[Answered]) -> RunWarning | None:
    """Warn of the sign that stands for what is left of a character: at the end of an answer a limit on tokens cut it,
    elsewhere tokens were turned into text one by one."""
    cut = [
        answer.prediction.strip()
        for answer in answers
        if _REPLACEMENT in answer.prediction and not any(_REPLACEMENT in target for target in answer.targets)
    ]
    if len(cut) <= CUT * len(answers):
        return None
    at_the_end = sum(text.endswith(_REPLACEMENT) for text in cut)
    return RunWarning(
        "cut_characters",
        config,
        f"{len(cut)} of {len(answers)} answers hold U+FFFD, {at_the_end} at their end: a character was cut in two",
        {"answers": len(answers), "cut": len(cut), "share": len(cut) / len(answers), "at_the_end": at_the_end},
        "a limit on tokens (a letter may take several), or a program that turns tokens into text one by one",
        min(cut, key=len),
    )


def _continuations(config: str | None, answers: Sequence[Answered]) -> RunWarning | None:
    pairs = [
        (text, max(map(len, answer.targets), default=0)) for answer in answers if (text := answer.prediction.strip())
    ]
    if len(pairs) < _OF_USE:
        return None
    times = statistics.median(len(answer) / max(longest, 1) for answer, longest in pairs)
    length = statistics.median(len(answer) for answer, _ in pairs)
    breaks = sum("\n" in answer for answer, _ in pairs)
    if not (times >= LONGER and length >= LONG) and breaks < max(_LEAST_BREAKS, BREAKS * len(pairs)):
        return None
    return RunWarning(
        "continuations",
        config,
        f"answers look like raw continuations: {times:.1f} times as long as the longest target in the median, "
        f"{breaks} of {len(pairs)} go on after a line break",
        {"answers": len(pairs), "times_the_longest_target": times, "characters": length, "with_line_break": breaks},
        "end generation at a line break, use the model's chat template, or take the first line",
    )


def _other_script(config: str | None, answers: Sequence[Answered]) -> RunWarning | None:
    compared = Counter[str]()
    other = Counter[str]()
    instead_of = Counter[str]()
    for answer in answers:
        script = main_script(answer.prediction)
        of_targets = scripts(" ".join(answer.targets))
        if script and of_targets:
            expected = max(of_targets, key=of_targets.__getitem__)
            compared[expected] += 1
            if script not in of_targets:
                other[script] += 1
                instead_of[expected] += 1
    total = compared.total()
    if total < _OF_USE or other.total() < OTHER_SCRIPT * total:
        return None
    found, expected = other.most_common(1)[0][0], instead_of.most_common(1)[0][0]
    return RunWarning(
        "other_script",
        config,
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


def _fewshot_answers(config: str | None, answers: Sequence[Answered], fewshot: FewshotAnswers) -> RunWarning | None:
    shots = {name: set(map(plain, targets)) - {""} for name, targets in fewshot.items()}
    given = sum(bool(answer.prediction.strip()) for answer in answers)
    repeated = [
        answer.prediction.strip()
        for answer in answers
        if plain(answer.prediction) in shots.get(answer.config, ())
        and plain(answer.prediction) not in set(map(plain, answer.targets))
    ]
    if len(repeated) < FEWSHOT * given or not repeated:
        return None
    return RunWarning(
        "fewshot_answers",
        config,
        f"{len(repeated)} of {given} answers repeat an answer of the few-shot examples",
        {"answers": given, "repeated": len(repeated)},
        "the prompt: whether the question itself is in it, after the examples",
        Counter(repeated).most_common(1)[0][0],
    )


def _same_answer(config: str | None, answers: Sequence[Answered]) -> RunWarning | None:
    """Warn of one answer to many questions: the same in all languages, or in each language its own."""
    counts = Counter[str]()
    of_each: dict[str, Counter[str]] = {}
    for answer in answers:
        if text := plain(answer.prediction):
            counts[text] += 1
            of_each.setdefault(answer.config, Counter())[text] += 1
    if not counts:
        return None
    commonest, same = counts.most_common(1)[0]
    like = ""
    if same < SAME * len(answers):
        same = sum(most for each in of_each.values() if (most := max(each.values())) > 1)
        like = " as others of their config"
    if same < SAME * len(answers):
        return None
    return RunWarning(
        "same_answer",
        config,
        f"{same} of {len(answers)} answers are the same{like}",
        {"questions": len(answers), "same": same},
        "a refusal, an error text, or a prompt without its question",
        commonest,
    )
