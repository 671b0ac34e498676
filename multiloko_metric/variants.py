"""The forms in which the profiles ``variants`` and ``lenient`` compare an answer, by the language of its question.

Written from what ``eval.py`` of facebookresearch/multiloko does at 26a1fcc.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from .languages import parse_language
from .normalization import Rule, collapse_spaces

NON_JOINER = "\u200c"

ARTICLES_RULE = Rule("articles", "an answer is compared with and without the articles of the question's language")
FRAME_RULE = Rule("answer frame", "and without the sentence that the official Urdu prompt puts around it")
NON_JOINER_RULE = Rule(
    "non-joiner", "a zero-width non-joiner (U+200C) is compared as it is, as a space and as nothing: all are written"
)
BLANK_RULE = Rule("blank forms", "a form without a character is dropped: it would be contained in every answer")
VARIANTS = (ARTICLES_RULE, FRAME_RULE, NON_JOINER_RULE, BLANK_RULE)

# Articles that carry no meaning of their own, so that an answer may leave them out. Those that are the numeral one too
# (ein, een, un, um, en, bir) are not among them: they can be the answer.
ARTICLES: dict[str, tuple[str, ...]] = {
    "english": ("a", "an", "the"),
    "german": ("der", "die", "das", "den", "dem", "des"),
    "dutch": ("de", "het"),
    "french": ("le", "la", "les", "des"),
    "italian": ("il", "lo", "la", "i", "gli", "le"),
    "spanish": ("el", "la", "los", "las", "unos", "unas"),
    "portuguese": ("o", "a", "os", "as", "uns", "umas"),
    "romanian": ("niste", "niște"),
    "tagalog": ("ang", "ng", "mga", "si", "sina"),
}
PREFIX_ARTICLES = {"arabic": "ال", "hebrew": "ה"}
"""Articles written as one with the word that follows."""
SHORTEST_WITHOUT_PREFIX = 2
"""A shorter word keeps its prefix, which is then part of it: the Hebrew for mountain begins with that letter."""
ANSWER_FRAMES = {"urdu": ("جواب ", " ہے")}
"""What stands before and after the answer in the sentence the official prompt asks for ("the answer ... is")."""
AS_IT_STANDS = "as it stands"


@dataclass(frozen=True)
class LanguageRules:
    """What is compared in a language."""

    name: str
    articles: re.Pattern[str] | None = None
    prefix: str = ""
    frame: tuple[str, str] = ("", "")
    non_joiner: bool = True
    drop_blank: bool = True

    def without_articles(self, text: str) -> str:
        """Return ``text`` without the articles of the language."""
        if self.prefix:
            return " ".join(map(self._without_prefix, text.split()))
        if self.articles:
            return collapse_spaces(self.articles.sub(" ", text))
        return text

    def without_frame(self, text: str) -> str:
        """Return ``text`` without the sentence around the answer, or as it is where nothing would be left."""
        before, after = self.frame
        return collapse_spaces(text.removeprefix(before).removesuffix(after)) or text

    def _without_prefix(self, word: str) -> str:
        long_enough = len(word) >= len(self.prefix) + SHORTEST_WITHOUT_PREFIX
        return word.removeprefix(self.prefix) if long_enough else word


def language_rules(language: str, rules: Collection[Rule] = VARIANTS) -> LanguageRules:
    """Return what ``rules`` do in the language with that official name or code.

    Raises:
        UnknownConfigError: no language has that name.
    """
    name = parse_language(language).name
    articles = ARTICLES.get(name, ()) if ARTICLES_RULE in rules else ()
    return LanguageRules(
        name,
        articles=re.compile(rf"\b(?:{'|'.join(articles)})\b") if articles else None,
        prefix=PREFIX_ARTICLES.get(name, "") if ARTICLES_RULE in rules else "",
        frame=ANSWER_FRAMES.get(name, ("", "")) if FRAME_RULE in rules else ("", ""),
        non_joiner=NON_JOINER_RULE in rules,
        drop_blank=BLANK_RULE in rules,
    )


def answer_forms(answer: str, rules: LanguageRules) -> dict[str, str]:
    """Return the forms in which a normalised text is compared, each with how it was made, in the official order.

    As it stands, without articles, without the frame around it, and where it holds a non-joiner also with a space and
    with nothing in its place. Empty for a text of which nothing is left.
    """
    made = [(answer, AS_IT_STANDS), (rules.without_articles(answer), "without articles")]
    unframed = rules.without_frame(answer)
    if unframed != answer:
        made += [(unframed, "without frame"), (rules.without_articles(unframed), "without frame and articles")]
    if rules.non_joiner and NON_JOINER in answer:
        for text, how in [pair for pair in made if NON_JOINER in pair[0]]:
            made.append((collapse_spaces(text.replace(NON_JOINER, " ")), f"{how}, non-joiner as space"))
            made.append((collapse_spaces(text.replace(NON_JOINER, "")), f"{how}, non-joiner removed"))
    forms: dict[str, str] = {}
    for text, how in made:
        if text or not rules.drop_blank:
            forms.setdefault(text, how)
    return forms
