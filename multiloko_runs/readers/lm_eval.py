"""Logs of lm-evaluation-harness: ``samples_TASK_TIME.jsonl``, which ``--log_samples`` writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from multiloko_runs.answers import Answer, AnswerError
from multiloko_source.json_lines import parse_json

from .opened import Opened
from .reading import Reading, answer_text, config_of, listed, one_of, text_or_none

_UNFILTERED = "none"
"""What the harness calls the answers of a task that names no filter."""
_NAME = re.compile(r"samples_(.+?)(_\d{4}-\d\d-\d\dT[\d.:-]+)?$")


def is_lm_eval(opened: Opened) -> bool:
    """Return whether the first line is a sample of the harness."""
    row = opened.first
    return isinstance(row, dict) and "doc" in row and ("filtered_resps" in row or "resps" in row)


def read_lm_eval(opened: Opened, reading: Reading) -> Iterator[Answer]:
    """Yield the answers of one file. A question has a row for each filter; ``--filter`` chooses, or it is ``none``.

    Raises:
        AnswerError: there are several filters and none is chosen, or a row is no sample.
    """
    task = _NAME.search(opened.path.name.partition(".jsonl")[0])
    by_filter: dict[str, list[Answer]] = {}
    for number, line in opened.lines():
        where = opened.at(number)
        row = parse_json(line, where)
        if not isinstance(row, dict) or not isinstance(row.get("doc"), dict) or "filtered_resps" not in row:
            raise AnswerError(f"{where}: expected a sample with doc and filtered_resps, found {line[:60]!r}")
        doc = row["doc"]
        identifier = text_or_none(doc.get("id")) or ""
        question = text_or_none(doc.get("question"))
        if not identifier and not question:
            raise AnswerError(f"{where}: the doc has no id and no question; found {listed(doc)}")
        language = config_of(doc, [task[1] if task else None], reading, where)
        name = str(row.get("filter", _UNFILTERED))
        prediction = _text(row["filtered_resps"], reading, where)
        by_filter.setdefault(name, []).append(Answer(language, identifier, prediction, number, question, opened.source))
    yield from by_filter.get(_chosen(by_filter, opened, reading), ())


def _chosen(by_filter: dict[str, list[Answer]], opened: Opened, reading: Reading) -> str:
    names = listed(by_filter)
    wanted = reading.options.filter
    if wanted is not None:
        if by_filter and wanted not in by_filter:
            raise AnswerError(f"{opened.path}: there is no filter {wanted!r}; there are: {names}")
        return wanted
    if len(by_filter) <= 1:
        return next(iter(by_filter), "")
    if _UNFILTERED not in by_filter:
        raise AnswerError(f"{opened.path}: every question has a row for each filter; --filter NAME chooses: {names}")
    reading.note(f"of the filters {names} the answers of {_UNFILTERED!r} are taken; --filter NAME chooses another")
    return _UNFILTERED


def _text(responses: Any, reading: Reading, where: str) -> str | None:
    """The answer among the filtered responses: one text, or a list of as many as the task repeats a request."""
    value = one_of(responses, reading, where) if isinstance(responses, list) else responses
    if isinstance(value, list) and all(isinstance(each, str | None) for each in value):
        value = one_of(value, reading, where)
    if isinstance(value, list | dict):
        raise AnswerError(f"{where}: the response is no generated text, but {str(value)[:60]!r}")
    return answer_text(value, where)
