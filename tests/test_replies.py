"""What an endpoint sends, read as an answer or refused."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from multiloko_runs.replies import Reply, UnreadableReplyError, read_reply


def chat(message: Any, finish_reason: str | None = "stop", **more: Any) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": finish_reason}], **more}).encode()


def base(text: Any, finish_reason: str | None = "stop") -> bytes:
    return json.dumps({"choices": [{"text": text, "finish_reason": finish_reason}]}).encode()


ANSWERS = [
    ("chat", chat({"content": "la Seine"}), Reply("la Seine", "stop", None, None, None, None)),
    ("chat", chat({"content": "  la\nSeine \n"}), Reply("  la\nSeine \n", "stop", None, None, None, None)),
    ("chat", chat({"content": ""}), Reply("", "stop", None, None, None, None)),
    ("chat", chat({"content": None}, "content_filter"), Reply("", "content_filter", None, None, None, None)),
    ("chat", chat({"content": None, "reasoning_content": "hm"}, None), Reply("", None, 2, None, None, None)),
    ("chat", chat({"content": "x", "reasoning": "hmm"}), Reply("x", "stop", 3, None, None, None)),
    ("chat", chat({"content": "x", "reasoning_content": None}), Reply("x", "stop", None, None, None, None)),
    ("chat", chat({"content": "x", "reasoning_content": ""}), Reply("x", "stop", None, None, None, None)),
    ("chat", chat({"content": [{"type": "text", "text": "la "}, {"type": "text", "text": "Seine"}]}),
     Reply("la Seine", "stop", None, None, None, None)),
    ("chat", chat({"content": "x"}, "length", model="m", usage={"prompt_tokens": 7, "completion_tokens": 0}),
     Reply("x", "length", None, 7, 0, "m")),
    ("chat", chat({"content": "x"}, model=7, usage={"prompt_tokens": "7", "completion_tokens": -1}),
     Reply("x", "stop", None, None, None, None)),
    ("chat", chat({"content": "x"}, usage=None), Reply("x", "stop", None, None, None, None)),
    ("chat", chat({"content": "\ud800"}), Reply("\ud800", "stop", None, None, None, None)),
    ("base", base(" la Seine"), Reply(" la Seine", "stop", None, None, None, None)),
    ("base", base("", "length"), Reply("", "length", None, None, None, None)),
]  # fmt: skip


@pytest.mark.parametrize(("style", "body", "reply"), ANSWERS)
def test_an_answer_is_kept_as_it_came(style: str, body: bytes, reply: Reply) -> None:
    assert read_reply(body, style) == reply


UNREADABLE = [
    ("chat", b"", "not JSON but nothing"),
    ("chat", b"<html>Bad gateway</html>", "not JSON but '<html>Bad gateway</html>'"),
    ("chat", b'{"choices": [{"message": {"content": "la', "not JSON"),
    ("chat", b"\xff\xfe\x00", "not JSON"),
    ("chat", b"[" * 100_000, "not JSON"),
    ("chat", b"null", "without a choice"),
    ("chat", b"[]", "without a choice"),
    ("chat", b'{"choices": []}', "without a choice"),
    ("chat", b'{"choices": ["x"]}', "without a choice"),
    ("chat", b'{"choices": [{}]}', "without text"),
    ("chat", b'{"choices": [{"message": "x"}]}', "without text"),
    ("chat", b'{"choices": [{"message": {}, "finish_reason": "stop"}]}', "without text"),
    ("chat", chat({"content": None}, None), "without text"),
    ("chat", chat({"content": 7}), "without text"),
    ("chat", base("x"), "without text"),
    ("chat", b'{"error": {"message": "out of memory"}}', "an error under the status of a success.*out of memory"),
    ("base", chat({"content": "x"}), "without text"),
    ("base", base(None), "without text"),
]


@pytest.mark.parametrize(("style", "body", "message"), UNREADABLE)
def test_what_is_no_answer_is_refused(style: str, body: bytes, message: str) -> None:
    with pytest.raises(UnreadableReplyError, match=message):
        read_reply(body, style)


@given(st.binary(max_size=200) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2)
    | st.dictionaries(st.sampled_from(["choices", "message", "content", "text", "usage", "error"]), inner, max_size=3),
).map(lambda value: json.dumps(value).encode()), st.sampled_from(["chat", "base"]))  # fmt: skip
def test_any_bytes_are_an_answer_or_refused(body: bytes, style: str) -> None:
    with suppress(UnreadableReplyError):
        assert isinstance(read_reply(body, style).text, str)
