"""Every answer scored a second time, by the written rules: `multiloko score --verify`."""

from __future__ import annotations

from importlib.metadata import version

from multiloko_metric.averages import ConfigScores
from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.scoring import Scorer

from .matching import MatchedConfig
from .scored_run import score_matched
from .specification import forms, specified_scores, target_forms


class VerificationError(MultiLoKoError):
    """The scorer and the written rules give different values for an answer."""

    exit_code = 1


def score_verified(matched: MatchedConfig, scorer: Scorer) -> ConfigScores:
    """Return what `score_matched` gives, once every answer was scored again and all was found equal.

    Compared are the metrics and the texts that the official output prints, by what JSON prints of them: every bit of a
    float counts, and the integer 0 is not 0.0.

    Raises:
        VerificationError: something differs; the message names the first.
    """
    result = score_matched(matched, scorer)
    language, profile = matched.config.question.name, scorer.profile.name
    printed = "variants" if profile == "lenient" else profile  # it prints the forms compared as written
    answers = zip(matched.ids, matched.predictions, matched.questions, result.scores, strict=True)
    for identifier, prediction, question, score in answers:
        form = scorer.prediction_form(prediction, language)
        scored = {
            **score.to_dict(),
            "prediction": [form] if isinstance(form, str) else form,
            "targets": scorer.target_forms(question.targets, language),
        }
        specified = {
            **specified_scores(profile, prediction, question.targets, language),
            "prediction": forms(printed, prediction, language) or [""],
            "targets": target_forms(printed, question.targets, language),
        }
        for what in dict.fromkeys([*scored, *specified]):
            ours, theirs = repr(scored.get(what)), repr(specified.get(what))
            if ours != theirs:
                where = f"{matched.config.name} {identifier!r}: {what}"
                raise VerificationError(f"{where} is {ours} by the scorer, {theirs} by the written rules")
    return result


def verified(answers: int) -> str:
    """Return the sentence for a person that says so."""
    library = ".".join(version("sacrebleu").split(".")[:2])
    return f"verified: {answers:,} answers, every value equal to sacrebleu {library} and the written rules"
