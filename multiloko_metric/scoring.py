"""One answer against its targets: every metric of a profile. The only scorer; whoever needs a score calls it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from .measures import AUTOJUNK_LENGTH, BLEU_ORDER, bleu, chrf, contains, edit_distance, edit_similarity, token_f1
from .profiles import Profile, answer_forms, get_profile, language_rules

METRICS = ("em", "f1", "bleu", "chrf", "edit_distance", "edit_similarity", "contains", "edit_distance_first")
LOWER_IS_BETTER = frozenset({"edit_distance", "edit_distance_first"})


@dataclass(frozen=True, slots=True)
class AnswerScores:
    """The metrics of one answer. Higher is better, but for the two distances."""

    em: float
    """1.0 where the normalised answer is a normalised target, else 0.0."""
    f1: float
    """F1 of tokens, 0..1; the integer 0 where the official code gives that."""
    bleu: float
    """Sentence BLEU, 0..100; of an exact match 100.00000000000004 as sacrebleu rounds it."""
    chrf: float
    """chrF, 0..100."""
    edit_distance: float
    """Levenshtein distance to the closest target, in characters; lower is better."""
    edit_similarity: float
    """Ratio of difflib to the most similar target, 0..1."""
    contains: float | None
    """1.0 where a normalised target stands in the normalised answer, else 0.0; None where the profile has no such."""
    edit_distance_first: float
    """Levenshtein distance to the first target in file order, in characters; lower is better."""

    def to_dict(self) -> dict[str, float]:
        """Return the metrics by name, in the order of METRICS, without those the profile does not have."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Forms:
    """What is compared: the forms of an answer, of all its targets, and of the first target alone."""

    predictions: Sequence[str]
    """At least one; an answer without any form is the empty text."""
    targets: Sequence[str]
    first: Sequence[str]


class Scorer:
    """Scores answers under one profile.

    A scorer holds no state between answers, so one may be shared. ``language`` is the official name or the code of the
    language the question is asked in; ``variants`` and ``lenient`` need it, ``release`` and ``unicode`` ignore it.

    Undefined cases, in every profile: against an empty list of targets, and in ``variants`` and ``lenient`` against
    blank targets only (where the official code raises), each score is 0 and each distance the answer's length. In
    ``release`` and ``unicode`` a blank target is a target: a blank answer matches it exactly (em, edit_similarity and
    contains 1; f1, bleu and chrf 0) and every answer contains it.
    """

    def __init__(self, profile: str | Profile) -> None:
        """Take a profile or its name.

        Raises:
            UnknownProfileError: no profile has that name.
        """
        self.profile = profile if isinstance(profile, Profile) else get_profile(profile)

    def score(self, prediction: str, targets: Sequence[str], language: str | None = None) -> AnswerScores:
        """Return every metric of an answer against its targets, all of them raw text.

        Raises:
            ValueError: the profile needs the language of the question and there is none, or it is unknown.
        """
        forms = self._forms(prediction, targets, language)
        scores = [_score(form, forms) for form in forms.predictions]
        best = scores[0] if len(scores) == 1 else _best(scores)
        return best if "contains" in self.profile.metrics else replace(best, contains=None)

    def prediction_form(self, prediction: str, language: str | None = None) -> str | list[str]:
        """Return what the official JSON prints as ``prediction``: a text, or in `variants` the list of its forms."""
        if not self.profile.needs_language:
            return self.profile.normalize(prediction)
        return self._answer_forms(prediction, language) or [""]

    def target_forms(self, targets: Sequence[str], language: str | None = None) -> list[str]:
        """Return what the official JSON prints as ``targets``: all forms of all targets, in file order."""
        if not self.profile.needs_language:
            return [self.profile.normalize(target) for target in targets]
        return list(dict.fromkeys(form for target in targets for form in self._answer_forms(target, language)))

    def _answer_forms(self, text: str, language: str | None) -> list[str]:
        if language is None:
            raise ValueError(
                f"the profile {self.profile.name!r} needs the language the question is asked in; give language="
            )
        return list(answer_forms(self.profile.normalize(text), language_rules(language)))

    def _forms(self, prediction: str, targets: Sequence[str], language: str | None) -> Forms:
        form = self.prediction_form(prediction, language)
        forms = self.target_forms(targets, language)
        if not self.profile.needs_language:
            return Forms([form] if isinstance(form, str) else form, forms, forms[:1])
        first = self._answer_forms(targets[0], language) if targets else []
        return Forms([form] if isinstance(form, str) else form, forms, first)


# sacrebleu's score of a text against itself, by the number of its tokens (of which 4 count): rounding makes it no 100.
_BLEU_OF_EQUAL = [0.0] + [math.exp(sum([math.log(100.0)] * order) / order) for order in range(1, BLEU_ORDER + 1)]


def _score(prediction: str, forms: Forms) -> AnswerScores:
    targets = forms.targets
    if prediction in targets:
        return _score_equal(prediction, forms)
    tokens = prediction.split()
    token_targets = [target.split() for target in targets]
    f1 = token_f1(tokens, token_targets)
    return AnswerScores(
        em=0.0,
        f1=f1,
        bleu=bleu(tokens, token_targets) if f1 else 0.0,
        chrf=chrf("".join(tokens), ["".join(target) for target in token_targets]),
        edit_distance=edit_distance(prediction, targets),
        edit_similarity=edit_similarity(prediction, targets),
        contains=contains(prediction, targets),
        edit_distance_first=edit_distance(prediction, forms.first),
    )


def _score_equal(prediction: str, forms: Forms) -> AnswerScores:
    """Return the scores of a text that is one of its targets: most follow from that alone."""
    length = len(prediction.split())
    short = len(prediction) < AUTOJUNK_LENGTH
    return AnswerScores(
        em=1.0,
        f1=1.0 if length else 0,
        bleu=_BLEU_OF_EQUAL[min(length, BLEU_ORDER)],
        chrf=100.0 if length else 0.0,
        edit_distance=0.0,
        edit_similarity=1.0 if short else edit_similarity(prediction, forms.targets),
        contains=1.0,
        edit_distance_first=edit_distance(prediction, forms.first),
    )


def _best(scores: Sequence[AnswerScores]) -> AnswerScores:
    """Return the best of each metric: the least distance, the greatest of the others."""
    values = {name: [getattr(score, name) for score in scores] for name in METRICS}
    return AnswerScores(**{name: (min if name in LOWER_IS_BETTER else max)(values[name]) for name in METRICS})
