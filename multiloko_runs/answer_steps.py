"""Steps that turn what a model wrote into an answer, before it is scored: ``--answer first-line``.

Nothing is removed unless a step asks for it. A step that looks for something and does not find it gives an empty
answer, which is scored as wrong: it never falls back to the whole text, which would score two kinds of answer as one.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

from multiloko_metric.errors import MultiLoKoError

SECONDS = 1.0
"""How long a pattern may take on one answer. Sound patterns take microseconds, even on long answers."""
_OPENING_BRACES = 100
"""Places at which a JSON object is looked for. The text of a model that writes JSON has few before it."""
_NO_STEP = "no step is called {name!r} ({meant}); there are: {steps}"
_THOUGHT = re.compile(r"</?think>")


class StepError(MultiLoKoError):
    """A step that does not exist, or whose field or pattern cannot be used."""


@dataclass(frozen=True)
class AnswerStep:
    """One way to take the answer out of a text."""

    name: str
    """As it is asked for: ``first-line``, ``json:answer``."""
    apply: Callable[[str], str]
    """Gives the answer in a text; "" where it holds none."""

    @property
    def signed(self) -> str:
        """The name as signatures have it: what separates their parts is percent-encoded, and so is space."""
        return re.sub(r"[%|,\s\x00-\x1f]", lambda found: quote(found[0], safe=""), self.name)


@dataclass(frozen=True)
class StepCount:
    """What a step did to the answers of one config."""

    step: str
    config: str
    answers: int
    """Answers it was given. One that is missing is none."""
    changed: int
    emptied: int
    """Answers that held something before the step and nothing after it; they are among the changed."""

    def to_dict(self) -> dict[str, int]:
        """The counts, for JSON."""
        return {"answers": self.answers, "changed": self.changed, "emptied": self.emptied}


def first_line(text: str) -> str:
    """Return the first line that is not blank, without the space around it; "" where there is none."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def last_line(text: str) -> str:
    """Return the last line that is not blank, without the space around it; "" where there is none."""
    return first_line("\n".join(reversed(text.splitlines())))


def after_think(text: str) -> str:
    """Return what follows the last ``</think>``, without the space around it.

    A thought that never ended has no answer after it: "". The opening tag may be in the prompt, so a closing tag counts
    without one. A text without either tag is returned as it is.
    """
    tags = list(_THOUGHT.finditer(text))
    if not tags:
        return text
    return "" if tags[-1][0] == "<think>" else text[tags[-1].end() :].strip()


# Line breaks inside of strings are not JSON, but models write them. Numbers are kept as they are written.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, strict=False)


def first_object(text: str) -> dict[str, object] | None:
    """Return the first JSON object in a text, wherever it is: bare, among words, or in a block of code."""
    at = text.find("{")
    for _ in range(_OPENING_BRACES):
        if at < 0:
            break
        try:
            found, _ = _DECODER.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            at = text.find("{", at + 1)
        else:
            return found if isinstance(found, dict) else None
    return None


def json_field(field: str, text: str) -> str:
    """Return a field of the first JSON object in a text, without the space around it.

    Args:
        field: its name; ``result.answer`` is ``answer`` in ``result``, ``answers.0`` the first of a list.
        text: where the object is.

    Returns:
        A text, or a number as it is written, or true or false; "" where there is no object, no such field, or
        something else in it.
    """
    value: object = first_object(text)
    if isinstance(value, dict) and field in value:
        value = value[field]  # the name itself may hold a full stop
    else:
        for name in field.split("."):
            if isinstance(value, dict):
                value = value.get(name)
            elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
                value = value[int(name)]
            else:
                return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value.strip() if isinstance(value, str) else ""


def _json_step(field: str) -> Callable[[str], str]:
    if not field.strip():
        raise StepError("json: needs the name of a field, such as json:answer")
    return partial(json_field, field)


def _regex_step(pattern: str) -> Callable[[str], str]:
    import regex  # of the standard library's the time cannot be bounded

    if not pattern:
        raise StepError("regex: needs a pattern, such as 'regex:answer is (.*)'")
    try:
        compiled = regex.compile(pattern)
    except (regex.error, RecursionError, OverflowError, MemoryError) as error:
        raise StepError(f"the pattern {pattern!r} is no regular expression: {error}") from error

    def search(text: str) -> str:
        try:
            found = compiled.search(text, timeout=SECONDS)
        except TimeoutError:
            raise StepError(
                f"the pattern {pattern!r} took longer than {SECONDS:g} s on an answer of {len(text):,} characters, "
                f"which begins {text[:40]!r}; write it without nested repetitions"
            ) from None
        if found is None:
            return ""
        return (found[1] or "").strip() if compiled.groups else found[0].strip()

    return search


_PLAIN: dict[str, Callable[[str], str]] = {
    "first-line": first_line,
    "last-line": last_line,
    "after-think": after_think,
}
_WITH_ARGUMENT: dict[str, Callable[[str], Callable[[str], str]]] = {"json": _json_step, "regex": _regex_step}
STEPS = (*_PLAIN, "json:FIELD", "regex:PATTERN")
"""What can be asked for, as a person reads it."""


def parse_step(text: str) -> AnswerStep:
    """Return the step that is called so: one of STEPS.

    ``regex:PATTERN`` gives group 1 of the first match, or the whole match where the pattern has no group, without the
    space around it; its syntax is that of the package ``regex``, which takes all that ``re`` does and can be stopped.

    Raises:
        StepError: there is no such step, or its pattern or field cannot be used.
    """
    kind, colon, argument = text.partition(":")
    kind = kind.strip().lower()
    if colon and kind in _WITH_ARGUMENT:
        return AnswerStep(f"{kind}:{argument}", _WITH_ARGUMENT[kind](argument))
    if not colon and kind in _PLAIN:
        return AnswerStep(kind, _PLAIN[kind])
    by_kind = {name.partition(":")[0]: name for name in STEPS}
    nearest = [by_kind[each] for each in difflib.get_close_matches(kind.replace("_", "-"), by_kind, n=2)]
    meant = f"nearest: {', '.join(nearest)}" if nearest else "none is near"
    raise StepError(_NO_STEP.format(name=text, meant=meant, steps=", ".join(STEPS)))


def parse_steps(texts: Iterable[str]) -> tuple[AnswerStep, ...]:
    """Return the steps that are called so, in order.

    Raises:
        StepError: as `parse_step`.
    """
    return tuple(map(parse_step, texts))


def apply_steps(steps: Sequence[AnswerStep], text: str) -> str:
    """Return what is left of a text after every step, in order."""
    for step in steps:
        text = step.apply(text)
    return text


def apply_counted(
    steps: Sequence[AnswerStep], texts: Sequence[str | None], config: str
) -> tuple[list[str | None], list[StepCount]]:
    """Apply the steps to the answers of a config, and count what each did. None, a missing answer, stays None."""
    counts = []
    current = list(texts)
    for step in steps:
        after = [text if text is None else step.apply(text) for text in current]
        pairs = [(old, new) for old, new in zip(current, after, strict=True) if old is not None and new is not None]
        changed = sum(old != new for old, new in pairs)
        emptied = sum(bool(old.strip()) and not new.strip() for old, new in pairs)
        counts.append(StepCount(step.name, config, len(pairs), changed, emptied))
        current = after
    return current, counts


_SHOWN = 3


def step_table(counts: Sequence[StepCount]) -> dict[str, dict[str, dict[str, int]]]:
    """Return the counts of each step in each config, for JSON."""
    table: dict[str, dict[str, dict[str, int]]] = {}
    for each in counts:
        table.setdefault(each.step, {})[each.config] = each.to_dict()
    return table


def step_notes(counts: Sequence[StepCount]) -> list[str]:
    """Return a sentence for each step: what it did in all, and in which configs it emptied answers."""
    by_step: dict[str, list[StepCount]] = {}
    for each in counts:
        by_step.setdefault(each.step, []).append(each)
    notes = []
    for step, some in by_step.items():
        total, changed, emptied = (
            sum(getattr(each, name) for each in some) for name in ("answers", "changed", "emptied")
        )
        note = f"--answer {step} changed {changed:,} of {total:,} answers and emptied {emptied:,}"
        worst = sorted((each for each in some if each.emptied), key=lambda each: -each.emptied)
        if worst and len(some) > 1:
            named = [f"{each.config} {each.emptied:,}" for each in worst[:_SHOWN]]
            note += f" ({', '.join(named)}{', ...' if len(worst) > _SHOWN else ''})"
        notes.append(note)
    return notes
