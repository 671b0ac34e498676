"""Normalisation profiles: how the text of an answer and of a target becomes what is compared.

``release``, ``unicode`` and ``variants`` are the rules of ``eval.py`` in facebookresearch/multiloko at one commit each.
``lenient`` is this project's own: ``variants``, and a second chance on text folded by the rules of `folding`.
"""

from __future__ import annotations

import difflib
import re
import string
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from .folding import FOLDS, Fold
from .languages import parse_language

NON_JOINER = "\u200c"
"""Zero-width non-joiner: a boundary inside a word of Persian, Urdu and Indic scripts."""

_CONTAINS = ("em", "f1", "bleu", "chrf", "edit_distance", "edit_similarity", "contains")


class UnknownProfileError(ValueError):
    """A name that is no profile's."""


@dataclass(frozen=True)
class Step:
    """One step of a profile's normalisation, the same in every language."""

    name: str
    reason: str
    apply: Callable[[str], str]


@dataclass(frozen=True)
class Profile:
    """One way to normalise and score."""

    name: str
    commit: str | None
    """Commit of facebookresearch/multiloko whose ``eval.py`` it reproduces; None for the project's own."""
    description: str
    metrics: tuple[str, ...]
    """The official metrics it has, in the official order."""
    steps: tuple[Step, ...]
    """What is done to every text, in this order."""
    needs_language: bool = False
    """Whether an answer is compared in several forms, which depend on the question's language (see `answer_forms`)."""
    folds: tuple[Fold, ...] = ()
    """Rules applied before `steps` for a second comparison; each metric is the better of the two."""

    def normalize(self, text: str) -> str:
        """Return ``text`` after every one of `steps`."""
        for step in self.steps:
            text = step.apply(text)
        return text


class _PunctuationTable(dict[int, "int | None"]):
    """A table for `str.translate` that deletes the listed characters and, when asked, all of category P.

    It looks a character up in the Unicode database once, the first time it is met.
    """

    def __init__(self, deleted: str, *, category: bool) -> None:
        super().__init__(dict.fromkeys(map(ord, deleted)))
        self._category = category

    def __missing__(self, code: int) -> int | None:
        is_punctuation = self._category and unicodedata.category(chr(code)).startswith("P")
        kept = self[code] = None if is_punctuation else code
        return kept


def _between(first: str, last: str) -> str:
    return "".join(map(chr, range(ord(first), ord(last) + 1)))


# The characters that `release` calls punctuation, and `unicode` too: eval.py at 4f4de60, remove_punc.
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
_LISTED = _PunctuationTable(LISTED_PUNCTUATION, category=False)
_LISTED_AND_CATEGORY_P = _PunctuationTable(LISTED_PUNCTUATION, category=True)
_ENGLISH_ARTICLE = re.compile(r"\b(?:an?|the)\b")
_SAID = "answer is "
_COPULA = "です"


def collapse_spaces(text: str) -> str:
    """Return ``text`` with one space between its words and none around them."""
    return " ".join(text.split())


def _remove_listed_punctuation(text: str) -> str:
    return text.translate(_LISTED)


def _remove_punctuation(text: str) -> str:
    return text.translate(_LISTED_AND_CATEGORY_P)


def _remove_english_articles(text: str) -> str:
    return _ENGLISH_ARTICLE.sub(" ", text)


def _keep_what_the_answer_is(text: str) -> str:
    if " " + _SAID in text:
        return text.rpartition(" " + _SAID)[2]
    if _SAID in text:
        return text.replace(_SAID, "")
    return text.removesuffix(_COPULA)


_LOWER = Step("lower", "case carries no meaning in an answer", str.lower)
_LISTED_STEP = Step("punctuation", "a list: ASCII, CJK and some European marks", _remove_listed_punctuation)
_CATEGORY_STEP = Step("punctuation", "that list and every character of category P", _remove_punctuation)
_ARTICLES_STEP = Step("articles", "a, an, the become a space, in every language", _remove_english_articles)
_SPACES_STEP = Step("spaces", "one space between words, none around them", collapse_spaces)
_ANSWER_STEP = Step(
    "answer is", "keeps what follows 'answer is'; else drops a final Japanese です", _keep_what_the_answer_is
)

# Articles that carry no meaning of their own, so that an answer may leave them out. Those that are also the numeral one
# (ein, een, un, um, en, bir) are not among them: they can be the answer. eval.py at 26a1fcc, ARTICLES.
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
# Articles written as one with the word that follows. eval.py at 26a1fcc, PREFIX_ARTICLES.
PREFIX_ARTICLES = {"arabic": "ال", "hebrew": "ה"}
_SHORTEST_WITHOUT_PREFIX = 2
# What the official Urdu prompt makes a model put around its answer ("the answer [answer] is"). ANSWER_FRAMES there.
ANSWER_FRAMES = {"urdu": ("جواب ", " ہے")}


@dataclass(frozen=True)
class LanguageRules:
    """What the profile `variants` knows of a language."""

    articles: re.Pattern[str] | None = None
    prefix: str = ""
    frame: tuple[str, str] = ("", "")

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
        long_enough = len(word) >= len(self.prefix) + _SHORTEST_WITHOUT_PREFIX
        return word.removeprefix(self.prefix) if long_enough else word


def _language_rules(language: str) -> LanguageRules:
    articles = ARTICLES.get(language)
    return LanguageRules(
        articles=re.compile(rf"\b(?:{'|'.join(articles)})\b") if articles else None,
        prefix=PREFIX_ARTICLES.get(language, ""),
        frame=ANSWER_FRAMES.get(language, ("", "")),
    )


_RULES_BY_LANGUAGE: dict[str, LanguageRules] = {}


def language_rules(language: str) -> LanguageRules:
    """Return the rules for the language with that official name or code.

    Raises:
        UnknownConfigError: no language has that name.
    """
    rules = _RULES_BY_LANGUAGE.get(language)
    if rules is None:
        rules = _RULES_BY_LANGUAGE[language] = _language_rules(parse_language(language).name)
    return rules


def answer_forms(answer: str, rules: LanguageRules) -> dict[str, str]:
    """Return the forms in which a normalised text is compared, each with how it was made, in the official order.

    As it stands, without articles, without the frame around it, and where it holds a non-joiner also with a space and
    with nothing in its place. Empty where no form has a character: a blank target is no target (it would be contained
    in every answer). Source: answer_variants in eval.py at 26a1fcc.
    """
    made = [(answer, "as it stands"), (rules.without_articles(answer), "without articles")]
    unframed = rules.without_frame(answer)
    if unframed != answer:
        made += [(unframed, "without frame"), (rules.without_articles(unframed), "without frame and articles")]
    if NON_JOINER in answer:
        for text, how in tuple(made):
            if NON_JOINER in text:
                made.append((collapse_spaces(text.replace(NON_JOINER, " ")), f"{how}, non-joiner as space"))
                made.append((collapse_spaces(text.replace(NON_JOINER, "")), f"{how}, non-joiner removed"))
    forms: dict[str, str] = {}
    for text, how in made:
        if text:
            forms.setdefault(text, how)
    return forms


_RELEASE = Profile(
    name="release",
    commit="4f4de60",
    description="as first published, April 2025: listed punctuation, English articles in every language",
    metrics=_CONTAINS[:-1],
    steps=(_LOWER, _LISTED_STEP, _ARTICLES_STEP, _SPACES_STEP),
)
_UNICODE = Profile(
    name="unicode",
    commit="56524f9",
    description="punctuation by Unicode category, 'answer is' and です, the metric contains; the default",
    metrics=_CONTAINS,
    steps=(_LOWER, _CATEGORY_STEP, _ARTICLES_STEP, _SPACES_STEP, _ANSWER_STEP),
)
_VARIANTS = Profile(
    name="variants",
    commit="26a1fcc",
    description="articles of the question's language, Urdu frame, non-joiner; best over variants (proposed upstream)",
    metrics=_CONTAINS,
    steps=(_LOWER, _CATEGORY_STEP, _SPACES_STEP, _ANSWER_STEP),
    needs_language=True,
)
_LENIENT = Profile(
    name="lenient",
    commit=None,
    description="the better of variants and of variants on text folded by digits, width, case, marks and spelling",
    metrics=_CONTAINS,
    steps=_VARIANTS.steps,
    needs_language=True,
    folds=FOLDS,
)
PROFILES = {profile.name: profile for profile in (_RELEASE, _UNICODE, _VARIANTS, _LENIENT)}
ALIASES = {"official": "unicode"}
"""``official`` is the newest upstream version not known to be unmerged; a signature names the profile instead."""


def get_profile(name: str) -> Profile:
    """Return the profile called ``name``, or the one an alias stands for.

    Raises:
        UnknownProfileError: there is none. The message suggests the nearest.
    """
    key = name.strip().lower()
    found = PROFILES.get(ALIASES.get(key, key))
    if found is not None:
        return found
    names = [*PROFILES, *ALIASES]
    nearest = difflib.get_close_matches(key, names, n=1)
    meant = f"nearest: {nearest[0]}; all" if nearest else "there are"
    raise UnknownProfileError(f"no profile is called {name!r} ({meant}: {', '.join(names)})")
