"""The steps of the official normalisation: each a named rule that takes a text and returns one.

Written from what ``eval.py`` of facebookresearch/multiloko does at the commits that `profiles` names.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """Something a profile does, as a line that a person can read."""

    name: str
    reason: str


@dataclass(frozen=True)
class TextRule(Rule):
    """A rule that makes one text of another."""

    apply: Callable[[str], str]
    languages: frozenset[str] | None = None
    """Official names of the question languages it is for; None for all."""


def _between(first: str, last: str) -> str:
    return "".join(map(chr, range(ord(first), ord(last) + 1)))


LISTED_PUNCTUATION = (
    string.punctuation
    + "¡¿«»"
    + "\u2013\u2014\u2018\u2019\u201b\u201c\u201d\u201e\u201f\u2026\u2027"  # dashes, quotation marks, ellipsis
    + "\ufe4f"  # wavy low line
    + "、。〃"
    + _between("《", "】")
    + _between("〔", "\u301f")  # brackets, wave dash, double prime quotation marks
    + "\u3030\u303e\u303f"  # wavy dash, variation indicator, half fill space
    + _between("！", "－")  # full-width forms of ASCII punctuation, all but the full stop
    + "／"
    + _between("：", "＠")
    + _between("［", "｀")
    + _between("｛", "､")  # with the half-width brackets, stop and comma
)
"""The characters that the first version calls punctuation, and the later ones too (remove_punc at 4f4de60)."""


class _PunctuationTable(dict[int, "int | None"]):
    """A table for `str.translate` that deletes the listed characters and, when asked, all of category P.

    It looks a character up in the Unicode database once, the first time it is met.
    """

    def __init__(self, *, category: bool) -> None:
        super().__init__(dict.fromkeys(map(ord, LISTED_PUNCTUATION)))
        self._category = category

    def __missing__(self, code: int) -> int | None:
        is_punctuation = self._category and unicodedata.category(chr(code)).startswith("P")
        kept = self[code] = None if is_punctuation else code
        return kept


_LISTED = _PunctuationTable(category=False)
_LISTED_AND_CATEGORY_P = _PunctuationTable(category=True)
_ENGLISH_ARTICLE = re.compile(r"\b(?:an?|the)\b")
_SAID = "answer is "
_COPULA = "です"


def collapse_spaces(text: str) -> str:
    """Return ``text`` with one space between its words and none around them."""
    return " ".join(text.split())


def _is_plain(text: str) -> bool:
    """Return whether there are only letters, numbers and spaces, and so no punctuation."""
    return text.replace(" ", "").isalnum()


def _remove_listed_punctuation(text: str) -> str:
    return text if _is_plain(text) else text.translate(_LISTED)


def _remove_punctuation(text: str) -> str:
    return text if _is_plain(text) else text.translate(_LISTED_AND_CATEGORY_P)


def _remove_english_articles(text: str) -> str:
    if "a" not in text and "the" not in text:
        return text
    return _ENGLISH_ARTICLE.sub(" ", text)


def _keep_what_the_answer_is(text: str) -> str:
    if _SAID not in text:
        return text.removesuffix(_COPULA)
    _, said, answer = text.rpartition(" " + _SAID)
    return answer if said else text.replace(_SAID, "")


LOWER = TextRule("lower case", "case seldom tells two answers apart", str.lower)
RELEASE_PUNCTUATION = TextRule(
    "punctuation", "a list of ASCII, CJK and some European marks is removed", _remove_listed_punctuation
)
PUNCTUATION = TextRule(
    "punctuation", "that list and every character of Unicode category P is removed", _remove_punctuation
)
ENGLISH_ARTICLES = TextRule(
    "English articles", "a, an and the become a space, whatever the language", _remove_english_articles
)
SPACES = TextRule("spaces", "one space between words, none around them", collapse_spaces)
ANSWER_IS = TextRule(
    "answer is",
    "what follows 'answer is' is kept; else a final Japanese です is dropped",
    _keep_what_the_answer_is,
)
