"""What the buttons of the page do, without the page."""

from __future__ import annotations

from pathlib import Path

from multiloko_runs.answers import Answer
from multiloko_runs.diagnosis import diagnose, run_result
from multiloko_runs.matching import Matched, match
from multiloko_runs.readers import read_answers
from multiloko_runs.scored_run import score_matched
from multiloko_source.questions import read_gold_file

from ..errors import MultiLoKoError
from ..scoring import Scorer
from ..signature import sign
from ..summary import summarize
from .result_html import error_view, summary_view, trace_view

MAX_CHARACTERS = 10_000
"""Of an answer, or of all targets of a question: the time to compare grows with their product."""
MAX_TARGETS = 50
MAX_ANSWERS = 50_000


def explain_answer(language: str, prediction: str, targets: str, profile: str) -> str:
    """Score one answer and explain it, as HTML. ``targets``: one a line; blank lines are left out."""
    listed = [line.strip() for line in targets.splitlines() if line.strip()]
    if not listed:
        return error_view("Write at least one acceptable answer under Targets, one a line.")
    if len(listed) > MAX_TARGETS or len(targets) > MAX_CHARACTERS or len(prediction) > MAX_CHARACTERS:
        return error_view(
            f"At most {MAX_TARGETS} targets, and {MAX_CHARACTERS:,} characters for them and for the answer."
        )
    try:
        return trace_view(Scorer(profile).trace(prediction, listed, language))
    except MultiLoKoError as error:
        return error_view(str(error))


def score_file(  # noqa: PLR0917 - the page passes its inputs by place
    predictions: str | None, gold: str | None, config: str | None, profile: str, missing: str, skip_unknown: bool
) -> str:
    """Score a file of answers against a file of questions and show the result, as HTML.

    Args:
        predictions: path of the file of answers.
        gold: path of the file of questions.
        config: config of all rows of ``gold``; None where each says its own.
        profile: name of the profile.
        missing: what becomes of a question without an answer, ``zero`` or ``skip``.
        skip_unknown: leave out answers to what ``gold`` does not have, instead of refusing the file.
    """
    if not predictions or not gold:
        return error_view("Choose both files: the model's answers, and the questions with their targets.")
    answers, questions = Path(predictions), Path(gold)
    unknown = "skip" if skip_unknown else "error"
    try:
        found = match(
            _checked(answers), read_gold_file(questions, config), file=answers.name, missing=missing, unknown=unknown
        )
        return _scored(found, profile, missing)
    except MultiLoKoError as error:
        # Where a file lies on this server is of no interest.
        return error_view(str(error).replace(str(answers), answers.name).replace(str(questions), questions.name))
    except FileNotFoundError:
        return error_view("The files were removed in the meantime: choose them again.")


def _scored(matched: Matched, profile: str, missing: str) -> str:
    scorer = Scorer(profile)
    results = [score_matched(each, scorer) for each in matched.configs]
    summary = summarize(results, profile, signature=sign(scorer.profile, missing).to_dict())
    warnings = diagnose(matched.configs, results, profile)
    result = run_result(summary, matched.notes, warnings)
    return summary_view(summary, matched.notes, [str(warning) for warning in warnings], result)


def _checked(path: Path) -> list[Answer]:
    """The answers of a file, if they are few and short enough for a page that many people share."""
    answers = []
    for answer in read_answers(path):
        answers.append(answer)
        if len(answers) > MAX_ANSWERS:
            raise MultiLoKoError(f"{path} holds more than {MAX_ANSWERS:,} answers; the command line takes any number")
        if len(answer.prediction or "") > MAX_CHARACTERS:
            limit = f"more than {MAX_CHARACTERS:,} characters; the command line takes any length"
            raise MultiLoKoError(f"{path}:{answer.place}: the answer has {limit}")
    return answers
