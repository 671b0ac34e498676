"""The steps of the official normalisation: each a named rule that takes a text and returns one.

Written from what ``eval.py`` of facebookresearch/multiloko does at the commits that `profiles` names.
"""

from __future__ import annotations

import re
import string
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Sequence
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
    apply_joined: Callable[[str], str] | None = None
    """Does the same to each of several texts with a SEPARATOR between them; None where `apply` does that too."""
    languages: frozenset[str] | None = None
    """Official names of the question languages it is for; None for all."""


SEPARATOR = "\ue5e5"
"""Stands between texts that are handled as one. It is for private use: no letter, no space, no punctuation."""


def apply_in_turn(rules: Iterable[TextRule], text: str) -> str:
    """Return a text after all of the rules."""
    for rule in rules:
        text = rule.apply(text)
    return text


def apply_to_all(rules: Sequence[TextRule], texts: Sequence[str]) -> list[str]:
    """Return each text after all of the rules, as if it were handled alone.

    One pass over the texts as one takes a fraction of the time of a pass over each.
    """
    joined = SEPARATOR.join(texts)
    if joined.count(SEPARATOR) != len(texts) - 1:
        return [apply_in_turn(rules, text) for text in texts]
    for rule in rules:
        joined = (rule.apply_joined or rule.apply)(joined)
    return joined.split(SEPARATOR)


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


def _any_of(characters: str) -> re.Pattern[str]:
    return re.compile(f"[{re.escape(characters)}]+")


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character).startswith("P")


_LISTED = _any_of(LISTED_PUNCTUATION)
# Of the first plane, without surrogates and private use. Letters, numbers and spaces are no punctuation either: leaving
# them out first takes a tenth of the time, of which every import would have its share.
_FIRST_PLANE = array("I", [*range(0xD800), *range(0xF900, 0x10000)]).tobytes().decode("utf-32")
_CATEGORY_P = "".join(filter(_is_punctuation, re.findall(r"[^\w\s]|_", _FIRST_PLANE)))
_LISTED_OR_CATEGORY_P = _any_of(LISTED_PUNCTUATION + _CATEGORY_P)
# A class with the ranges beyond the first plane too would be slow on every text; few texts have any such character.
_BEYOND_FIRST_PLANE = re.compile("[\U00010000-\U0010ffff]")
# a, an and the as whole words. To begin with the letters lets the search skip all others: \b(?:an?|the)\b is slower.
_ENGLISH_ARTICLE = re.compile(r"[at](?:(?<=\ba)n?|(?<=\bt)he)\b")
_SAID = "answer is "
_COPULA = "です"


def collapse_spaces(text: str) -> str:
    """Return ``text`` with one space between its words and none around them."""
    return " ".join(text.split())


def _collapse_all_spaces(joined: str) -> str:
    return collapse_spaces(joined).replace(f" {SEPARATOR}", SEPARATOR).replace(f"{SEPARATOR} ", SEPARATOR)


def _is_plain(text: str) -> bool:
    """Return whether there are only letters, numbers and spaces, and so no punctuation."""
    return text.replace(" ", "").isalnum()


def _remove_listed_punctuation(text: str) -> str:
    return text if _is_plain(text) else _LISTED.sub("", text)


def _remove_punctuation(text: str) -> str:
    if _is_plain(text):
        return text
    text = _LISTED_OR_CATEGORY_P.sub("", text)
    if len(text.encode("utf-16-le", "surrogatepass")) == 2 * len(text):  # all of it is in the first plane
        return text
    return _BEYOND_FIRST_PLANE.sub(lambda found: "" if _is_punctuation(found[0]) else found[0], text)


def _remove_english_articles(text: str) -> str:
    if text.isalnum() and len(text) > 3:  # one word, and no article
        return text
    return _ENGLISH_ARTICLE.sub(" ", text)


def _keep_what_the_answer_is(text: str) -> str:
    if _SAID not in text:
        return text.removesuffix(_COPULA)
    # Not rpartition: of "so answer is answer is paris", whose delimiters share a space, split finds the first.
    *before, answer = text.split(" " + _SAID)
    return answer if before else answer.replace(_SAID, "")


def _keep_what_all_answers_are(joined: str) -> str:
    if _SAID not in joined and _COPULA not in joined:
        return joined
    texts = joined.split(SEPARATOR)
    return SEPARATOR.join(
        [_keep_what_the_answer_is(text) if _SAID in text or _COPULA in text else text for text in texts]
    )


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
SPACES = TextRule("spaces", "one space between words, none around them", collapse_spaces, _collapse_all_spaces)
ANSWER_IS = TextRule(
    "answer is",
    "what follows 'answer is' is kept; else a final Japanese です is dropped",
    _keep_what_the_answer_is,
    _keep_what_all_answers_are,
)
