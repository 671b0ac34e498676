"""Details of lighteval: Parquet files, which ``--save-details`` writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from multiloko_runs.answers import Answer, AnswerError

from .columnar import is_parquet, parquet_columns, parquet_rows
from .opened import Opened
from .reading import Reading, answer_text, config_of, one_of, text_or_none

_COLUMNS = frozenset({"doc", "model_response"})


def is_lighteval(opened: Opened) -> bool:
    """Return whether the file is Parquet with the columns of lighteval's details."""
    return is_parquet(opened) and set(parquet_columns(opened)) >= _COLUMNS


def read_lighteval(opened: Opened, reading: Reading) -> Iterator[Answer]:
    """Yield the answers of one file, as lighteval scored them: without reasoning where it was told to remove that.

    The number that lighteval gives each question is its place in the task, so it is no id.

    Raises:
        AnswerError: a row has no answer or several, or no id and no question.
    """
    for place, row in parquet_rows(opened, _COLUMNS):
        where = opened.at(place)
        doc, response = row.get("doc"), row.get("model_response")
        if not isinstance(doc, dict) or not isinstance(response, dict):
            raise AnswerError(f"{where}: expected a row with doc and model_response")
        specific = doc.get("specific")
        specific = specific if isinstance(specific, dict) else {}
        language = config_of(specific, [doc.get("task_name"), opened.path.name], reading, where)
        identifier = text_or_none(specific.get("id")) or ""
        question = text_or_none(specific.get("question")) or text_or_none(doc.get("query"))
        if not identifier and not question:
            raise AnswerError(f"{where}: the doc has no id in specific, and no query")
        yield Answer(language, identifier, _text(response, reading, where), place, question, opened.source)


def _text(response: dict[str, Any], reading: Reading, where: str) -> str | None:
    texts = response.get("text_post_processed") or response.get("text")
    if texts is not None and not isinstance(texts, list):
        raise AnswerError(f"{where}: expected a list of texts, found {str(texts)[:60]!r}")
    return answer_text(one_of(texts or (), reading, where), where)
