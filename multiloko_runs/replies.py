"""What an endpoint answered to one prompt, read from the JSON of either API."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

_REASONING = ("reasoning_content", "reasoning")
"""Where servers put what a model thought before it answered: vLLM and SGLang, then Ollama and OpenRouter."""


class UnreadableReplyError(Exception):
    """A reply that is no answer of either API. The message says what is there instead."""


class Reply(NamedTuple):
    """An answer that came."""

    text: str
    """The answer as it came; empty where the model said nothing (servers write that as null, too)."""
    finish_reason: str | None
    """Why it ended, in the server's word: ``stop``, ``length``, ``content_filter``; None where it does not say."""
    reasoning: int | None
    """Characters of reasoning that came apart from the answer; None where none did."""
    prompt_tokens: int | None
    completion_tokens: int | None
    """Tokens as the server counts them, reasoning included; None where it does not say."""
    model: str | None
    """The model's name as the server says it."""


def read_reply(body: bytes, style: str) -> Reply:
    """Return the answer in the body of a reply.

    Args:
        body: what the server sent.
        style: ``chat`` for a chat completion, ``base`` for a completion.

    Raises:
        UnreadableReplyError: it is not JSON, or not what the API promises.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise UnreadableReplyError(f"not JSON but {_shown(body)}") from None
    choice = _first_choice(value, body)
    if style == "chat":
        said = choice.get("message")
        message = said if isinstance(said, dict) else {}
        text = _content(message, choice)
    else:
        message, text = choice, choice.get("text")
    if not isinstance(text, str):
        raise UnreadableReplyError(f"a choice without text: {_shown(body)}")
    reason = choice.get("finish_reason")
    usage = value.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    model = value.get("model")
    return Reply(
        text,
        reason if isinstance(reason, str) else None,
        _reasoning(message),
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        model if isinstance(model, str) else None,
    )


def _first_choice(value: Any, body: bytes) -> dict[str, Any]:
    if isinstance(value, dict) and value.get("error") and not value.get("choices"):
        raise UnreadableReplyError(f"an error under the status of a success: {str(value['error'])[:200]!r}")
    choices = value.get("choices") if isinstance(value, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise UnreadableReplyError(f"JSON without a choice: {_shown(body)}")
    return choices[0]


def _content(message: dict[str, Any], choice: dict[str, Any]) -> Any:
    content = message.get("content")
    if isinstance(content, list):  # parts, of which some servers make a text
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    # Null is how a model's silence is written: all was thought, or a filter took it. A reply cut short in the middle
    # says neither why it ended nor what was thought.
    if content is None and message and (choice.get("finish_reason") or _reasoning(message)):
        return ""
    return content


def _reasoning(message: dict[str, Any]) -> int | None:
    for name in _REASONING:
        if isinstance(message.get(name), str) and message[name]:
            return len(message[name])
    return None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _shown(body: bytes) -> str:
    return repr(body[:60].decode("utf-8", "replace")) if body else "nothing"
