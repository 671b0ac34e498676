"""Output of the OpenAI batch API, and of the servers that copy it: JSON lines in any order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from multiloko_runs.answers import FAILED, FILTERED, Answer, AnswerError, ending
from multiloko_source.json_lines import parse_json

from .opened import Opened
from .reading import Reading, listed, one_of
from .tables import split_key

_OK = "200"


def is_batch(opened: Opened) -> bool:
    """Return whether the first line is a result of a batch."""
    row = opened.first
    return isinstance(row, dict) and "custom_id" in row and ("response" in row or "error" in row)


def read_batch(opened: Opened, reading: Reading) -> Iterator[Answer]:
    """Yield the answers of a batch. A request that failed is missing.

    ``custom_id`` leads to the question: a key as ``multiloko prompts`` writes it, ``fr:`` and an id, or with
    ``--language`` an id.

    Raises:
        AnswerError: a line is no result, or its ``custom_id`` does not say which question it is.
    """
    for number, line in opened.lines():
        where = opened.at(number)
        row = parse_json(line, where)
        if not isinstance(row, dict) or not isinstance(row.get("custom_id"), str):
            raise AnswerError(f"{where}: expected a result with custom_id, found {line[:60]!r}")
        custom_id = row["custom_id"]
        if not (found := split_key(custom_id)):
            if not reading.options.language or not custom_id:
                hint = "expected a key such as fr:1f0c..., fr: and an id, or with --language fr an id"
                raise AnswerError(f"{where}: the custom_id {custom_id!r} names no config; {hint}")
            found = reading.options.language, custom_id
        text, ended = _reply(row, reading, where)
        yield Answer(*found, text, number, None, opened.source, ended)


def _reply(row: dict[str, Any], reading: Reading, where: str) -> tuple[str | None, str | None]:
    """Return the text of an answer and how it ended."""
    response = row.get("response")
    if row.get("error") or not isinstance(response, dict) or str(response.get("status_code", _OK)) != _OK:
        return None, FAILED
    body = response.get("body")
    if not isinstance(body, dict) or body.get("error"):
        return None, FAILED
    choices = body.get("choices")
    if not isinstance(choices, list):
        raise AnswerError(f"{where}: expected response.body.choices, found {listed(body) or 'nothing'}")
    choice = one_of(choices, reading, where)
    if choice is None:
        return None, None
    text, ended = message_text(choice, where), ending(choice.get("finish_reason"))
    return text, FILTERED if text is None and _refused(choice) else ended


def _refused(choice: dict[str, Any]) -> bool:
    message = choice.get("message")
    return isinstance(message, dict) and bool(message.get("refusal"))


def message_text(choice: Any, where: str) -> str | None:
    """Return the text of a choice, of a chat or of a completion; of a content in parts, the parts that are text.

    Raises:
        AnswerError: there is none where it should be.
    """
    message = choice.get("message") if isinstance(choice, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(part for part in parts if isinstance(part, str))
    if isinstance(content, str):
        return content
    if isinstance(message, dict):
        return None  # a refusal, or a model that only called tools
    text = choice.get("text") if isinstance(choice, dict) else None
    if isinstance(text, str):
        return text
    raise AnswerError(f"{where}: a choice without message.content and without text: {str(choice)[:60]!r}")
