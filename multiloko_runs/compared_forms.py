"""The forms in which an audit compares the texts of a config: as they are scored, folded, and without articles."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from multiloko_metric.folding import FOLDS
from multiloko_metric.normalization import TextRule, apply_in_turn, apply_to_all
from multiloko_metric.profiles import Profile
from multiloko_metric.variants import NON_JOINER_RULE, answer_forms, language_rules


class ComparedForms:
    """Forms of texts in one language under one profile, made together and kept by text."""

    def __init__(self, profile: Profile, language: str, texts: Iterable[str]) -> None:
        """Normalise and fold the texts.

        Args:
            profile: under which answers were scored.
            language: official name of the language of the questions.
            texts: answers and targets, all that will be asked for; others are handled when they are.
        """
        self.profile = profile
        self.language = language
        self.folds = tuple(rule for rule in FOLDS if rule.languages is None or language in rule.languages)
        self._rules = language_rules(language)
        self._profile_rules = language_rules(language, profile.variants)
        raw = list(dict.fromkeys(texts))
        folded = apply_to_all(self.folds, raw) if raw else []
        self._folded = dict(zip(raw, folded, strict=True))
        every = list(dict.fromkeys([*raw, *folded]))
        self._normalized = dict(zip(every, apply_to_all(profile.steps, every) if every else [], strict=True))
        self._loose: dict[str, frozenset[str]] = {}

    def normalized(self, text: str) -> str:
        """Return a text after the steps of the profile."""
        found = self._normalized.get(text)
        return self.profile.normalize(text) if found is None else found

    def folded(self, text: str) -> str:
        """Return a text after all folds of the language, and then the steps of the profile."""
        folded = self._folded.get(text)
        return self.normalized(apply_in_turn(self.folds, text) if folded is None else folded)

    def scored(self, text: str) -> Collection[str]:
        """Return the forms in which the profile compares a text as it is written."""
        return self._forms(self.normalized(text))

    def loose(self, text: str) -> frozenset[str]:
        """Return a text as it is and folded, each also without articles, frame and non-joiner; none of them blank."""
        found = self._loose.get(text)
        if found is None:
            plain, folded = self.normalized(text), self.folded(text)
            forms = set(answer_forms(plain, self._rules))
            if folded != plain:
                forms.update(answer_forms(folded, self._rules))
            found = self._loose[text] = frozenset(forms)
        return found

    def matching_fold(self, answer: str, targets: Sequence[str]) -> str | None:
        """Return the name of the first fold that alone makes an answer right, or names joined by " + " of those that
        do it together; None where folding does not."""
        for rule in self.folds:
            if self._match(answer, targets, (rule,)):
                return rule.name
        if self._match(answer, targets, self.folds):
            needed = [
                rule.name
                for rule in self.folds
                if not self._match(answer, targets, tuple(each for each in self.folds if each is not rule))
            ]
            return " + ".join(needed) or "several folds"
        rules = language_rules(self.language, (NON_JOINER_RULE,))
        own, others = (
            {form for text in texts for form in answer_forms(self.folded(text), rules) if form}
            for texts in ([answer], targets)
        )
        return NON_JOINER_RULE.name if own & others else None

    def equal_without_articles(self, answer: str, targets: Sequence[str]) -> bool:
        """Return whether an answer, not folded, is right without the articles of the language."""
        own = {self._rules.without_articles(self.normalized(answer))}
        return not own.isdisjoint({self._rules.without_articles(self.normalized(each)) for each in targets} - {""})

    def equal_without_frame(self, answer: str, targets: Sequence[str]) -> bool:
        """Return whether an answer is right without the sentence that the official prompt asks for around it."""
        unframed = self._rules.without_frame(self.folded(answer))
        return unframed != self.folded(answer) and any(unframed in self.loose(each) for each in targets)

    def _match(self, answer: str, targets: Sequence[str], folds: Sequence[TextRule]) -> bool:
        own = self._forms(self.profile.normalize(apply_in_turn(folds, answer)))
        others = {
            form for each in targets for form in self._forms(self.profile.normalize(apply_in_turn(folds, each)))
        }
        return not others.isdisjoint(own)

    def _forms(self, normalized: str) -> Collection[str]:
        return answer_forms(normalized, self._profile_rules) if self.profile.variants else (normalized,)
