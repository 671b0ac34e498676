"""Whether an answer holds a target whole: as words of its own, and not as letters of another word or number.

Stricter than the metric contains, for which 3 is in 1993 and Rome in Romeo. What is a word of its own depends on how the
language is written: without spaces, with what other languages write as words of their own put before it, or after it.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from .writing_systems import main_script

_UNSPACED = frozenset({"HAN AND KANA", "THAI", "KHMER"})
"""Scripts written without spaces between words."""
_PREFIXING = frozenset({"arabic", "hebrew"})
"""Languages that write and, in, to and the article as one with the next word: up to three letters."""
_SUFFIXING = frozenset(
    {"bengali", "czech", "korean", "marathi", "polish", "romanian", "russian", "turkish", "urdu", "hindi"}
)
"""Languages in which a case ending or an article follows the noun as one with it: up to three letters."""
_LONGEST_AFFIX = 3
_SHORT = 3
"""A target of so few letters is often part of another word, and is looked for as a word of its own everywhere."""


def find_whole(answer: str, target: str, language: str) -> int:
    """Return where a normalised answer holds a normalised target whole; -1 where it does not, or the target is blank.

    Args:
        answer: after normalisation.
        target: after the same.
        language: official name of the language of the question.
    """
    at = answer.find(target) if target else -1
    while at >= 0:
        if _is_whole(answer, at, at + len(target), language):
            return at
        at = answer.find(target, at + 1)
    return -1


def _is_whole(answer: str, start: int, end: int, language: str) -> bool:
    target = answer[start:end]
    if target[0].isdigit() and answer[start - 1 : start].isdigit() and start:
        return False
    if target[-1].isdigit() and answer[end : end + 1].isdigit():
        return False
    if main_script(target) in _UNSPACED:  # one character, too: a name or a number may be one
        return len(target) > 1 or not (_in_word(answer, start - 1) or _in_word(answer, end))
    before, after = _letters_before(answer, start), _letters_after(answer, end)
    short = len(target) <= _SHORT
    allowed_before = 0 if short or language not in _PREFIXING else _LONGEST_AFFIX
    allowed_after = 0 if short or language not in _SUFFIXING else _LONGEST_AFFIX
    if target[0].isdigit():  # the unit is written as one with the number, or its own script follows it: 3km, 1994年
        allowed_before = _LONGEST_AFFIX
    if target[-1].isdigit():
        allowed_after = _LONGEST_AFFIX
    return before <= allowed_before and after <= allowed_after


def _in_word(text: str, place: int) -> bool:
    return 0 <= place < len(text) and _is_letter(text[place])


def _letters_before(text: str, place: int) -> int:
    count = 0
    while count <= _LONGEST_AFFIX and _in_word(text, place - 1 - count):
        count += 1
    return count


def _letters_after(text: str, place: int) -> int:
    count = 0
    while count <= _LONGEST_AFFIX and _in_word(text, place + count):
        count += 1
    return count


@cache
def _is_letter(character: str) -> bool:
    """Return whether a character is part of a word that is written with spaces: a letter, digit or mark on one."""
    if not character.isalnum() and unicodedata.category(character)[0] != "M":
        return False
    return main_script(character) not in _UNSPACED
