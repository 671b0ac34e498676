"""One answer against its targets: every metric of a profile. The only scorer; whoever needs a score calls it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import chain, repeat

from .answer_scores import LOWER_IS_BETTER, METRICS, AnswerScores, Comparison, best_scores, score_form
from .errors import MultiLoKoError
from .explanation import Reading, StepTrace, TextTrace, Trace, find_winners
from .normalization import apply_to_all
from .profiles import CHARACTERS_RULE, Profile, get_profile
from .variants import AS_IT_STANDS, LanguageRules, answer_forms, language_rules

__all__ = ["LOWER_IS_BETTER", "METRICS", "AnswerScores", "Scorer"]

BATCH = 5_000
"""Answers whose texts are normalised together."""


class _Memory(dict[str, str]):
    """Texts by what they were made of; what is not there is made, but not kept."""

    def __init__(self, make: Callable[[str], str]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, raw: str) -> str:
        return self._make(raw)


class Scorer:
    """Scores answers under one profile.

    ``language`` is the official name or the code of the language the question is asked in; ``variants`` and ``lenient``
    need it, ``release`` and ``unicode`` ignore it.

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
        self._has_contains = "contains" in self.profile.metrics
        self._one_form = not self.profile.needs_language
        self._normalized = _Memory(self.profile.normalize)
        self._folded: dict[str, str] = {}
        self._rules_by_language: dict[str, LanguageRules] = {}

    def score(self, prediction: str, targets: Sequence[str], language: str | None = None) -> AnswerScores:
        """Return every metric of an answer against its targets, all of them raw text.

        Raises:
            MultiLoKoError: the profile needs the language of the question and there is none, or it is unknown.
        """
        if self._one_form:  # the same comparison, without a word about forms
            forms = list(dict.fromkeys(map(self._normalized.__getitem__, targets)))
            scores = score_form(self._normalized[prediction], forms, 1 if forms else 0)
        else:
            scores = best_scores([it.scores() for it in self._comparisons(prediction, targets, language)])
        return scores if self._has_contains else scores._replace(contains=None)

    def score_all(
        self, predictions: Sequence[str], targets: Sequence[Sequence[str]], language: str | None = None
    ) -> list[AnswerScores]:
        """Return what `score` gives for each of many answers to questions in one language, in less time.

        Raises:
            MultiLoKoError: as `score`.
        """
        scores: list[AnswerScores] = []
        for start in range(0, len(predictions), BATCH):
            some, their_targets = predictions[start : start + BATCH], targets[start : start + BATCH]
            self._remember(chain(some, *their_targets), language)
            scores += map(self.score, some, their_targets, repeat(language))
        return scores

    def _remember(self, texts: Iterable[str], language: str | None) -> None:
        """Normalise texts together, and fold them where the profile does; forget earlier ones."""
        steps, raw = self.profile.steps, list(dict.fromkeys(texts))
        self._normalized.clear()
        self._normalized.update(zip(raw, apply_to_all(steps, raw), strict=True))
        if self.profile.folds:
            folds = self.profile.folds_for(self._language_rules(language).name)
            folded = apply_to_all(folds, raw)
            self._folded = dict(zip(raw, folded, strict=True))
            self._normalized.update(zip(folded, apply_to_all(steps, folded), strict=True))

    def trace(self, prediction: str, targets: Sequence[str], language: str | None = None) -> Trace:
        """Return how the scores of an answer come about.

        Raises:
            MultiLoKoError: as `score`.
        """
        scores = self.score(prediction, targets, language)
        return Trace(
            profile=self.profile.name,
            language=self._language_rules(language).name if self.profile.needs_language else None,
            scores=scores,
            readings=tuple(
                Reading(
                    folded,
                    self._trace_text(prediction, language, folded=folded),
                    tuple(self._trace_text(target, language, folded=folded) for target in targets),
                )
                for folded in ([False, True] if self.profile.folds else [False])
            ),
            winners=find_winners(scores, self._comparisons(prediction, targets, language)),
        )

    def _trace_text(self, raw: str, language: str | None, *, folded: bool) -> TextTrace:
        rules = [*(self.profile.folds_for(self._language_rules(language).name) if folded else ()), *self.profile.steps]
        steps = []
        text = raw
        for rule in rules:
            text = rule.apply(text)
            steps.append(StepTrace(rule.name, text))
        forms = answer_forms(text, self._language_rules(language)) if self.profile.variants else {text: AS_IT_STANDS}
        return TextTrace(raw, tuple(steps), forms)

    def prediction_form(self, prediction: str, language: str | None = None) -> str | list[str]:
        """Return what the official JSON prints as ``prediction``: a text, or in `variants` the list of its forms."""
        if self._one_form:
            return self._normalized[prediction]
        return list(self._forms(prediction, language)) or [""]

    def target_forms(self, targets: Sequence[str], language: str | None = None) -> list[str]:
        """Return what the official JSON prints as ``targets``: all forms of all targets, in file order."""
        if self._one_form:
            return list(map(self._normalized.__getitem__, targets))
        return list(dict.fromkeys(form for target in targets for form in self._forms(target, language)))

    def _comparisons(self, prediction: str, targets: Sequence[str], language: str | None) -> list[Comparison]:
        """Return what is compared: the texts as written and, where the profile folds, the folded texts."""
        comparisons = [self._comparison(prediction, targets, language)]
        if self.profile.folds:
            name = self._language_rules(language).name
            raw = (prediction, *targets)
            answer, *others = [self._folded.get(text) or self.profile.fold(text, name) for text in raw]
            folded = self._comparison(answer, others, language)
            comparisons.append(folded._replace(characters=CHARACTERS_RULE in self.profile.comparison))
        return comparisons

    def _comparison(self, prediction: str, targets: Sequence[str], language: str | None) -> Comparison:
        of_targets = [self._forms(target, language) for target in targets]
        return Comparison(
            predictions=tuple(self._forms(prediction, language)) or ("",),
            targets=tuple(dict.fromkeys(chain.from_iterable(of_targets))),
            first=len(of_targets[0]) if of_targets else 0,
        )

    def _forms(self, text: str, language: str | None) -> Collection[str]:
        normalized = self._normalized[text]
        return answer_forms(normalized, self._language_rules(language)) if self.profile.variants else (normalized,)

    def _language_rules(self, language: str | None) -> LanguageRules:
        if language is None:
            raise MultiLoKoError(
                f"the profile {self.profile.name!r} needs the language the question is asked in; give language="
            )
        rules = self._rules_by_language.get(language)
        if rules is None:
            rules = self._rules_by_language[language] = language_rules(language, self.profile.variants)
        return rules
