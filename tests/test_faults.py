"""What goes wrong with requests: tried again, a question's failure, or the end of the run."""

from __future__ import annotations

from email.utils import formatdate
from typing import Any

import pytest

from multiloko_runs.faults import LONGEST_WAIT, EndpointError, connection_fault, retry_after, status_fault

WHERE = "http://localhost:8000/v1"


def told(message: str, code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "code": code}}


FAULTS = [
    (429, told("slow down"), "rate_limit", True),
    (500, None, "server_error", True),
    (502, "<html>", "server_error", True),
    (503, told("loading"), "server_error", True),
    (529, None, "server_error", True),
    (408, None, "server_error", True),
    (409, None, "server_error", True),
    (400, told("at most 4096 tokens", "context_length_exceeded"), "too_long_prompt", False),
    (400, told("the request exceeds the available context size"), "too_long_prompt", False),
    (413, None, "too_long_prompt", False),
    (400, told("filtered", "content_filter"), "content_filter", False),
    (400, told("no such parameter"), "bad_request", False),
    (422, {"detail": "x"}, "bad_request", False),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "kind", "again"), FAULTS)
def test_a_status_that_is_the_fault_of_one_request(status: int, body: Any, kind: str, again: bool) -> None:
    fault = status_fault(status, {}, body, WHERE)
    assert (fault.kind, fault.again) == (kind, again)
    assert fault.message.startswith(f"HTTP {status}")


FATAL = [
    (401, told("Incorrect API key"), r"refuses access \(HTTP 401: Incorrect API key\).* OPENAI_API_KEY"),
    (403, None, r"refuses access \(HTTP 403\)"),
    (404, told("The model `x` does not exist"), "does not have what is asked for.*`x` does not exist.*--model"),
    (405, None, "does not have"),
    (400, told("unknown", "model_not_found"), "does not have"),
    (402, None, "paid"),
    (429, told("You exceeded your quota", "insufficient_quota"), "paid"),
    (301, None, "redirects to another address; nothing is sent there"),
    (307, None, "redirects"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "message"), FATAL)
def test_a_status_that_ends_the_run(status: int, body: Any, message: str) -> None:
    with pytest.raises(EndpointError, match=message):
        status_fault(status, {}, body, WHERE)


def test_what_a_server_says_is_one_short_line_without_what_a_terminal_obeys() -> None:
    message = status_fault(500, {}, told("a\n\x1b[31mb\u202ec" + "x" * 1000), WHERE).message
    assert message.startswith("HTTP 500: a ?[31mb?c")
    assert len(message) < 400


NOW = 1_700_000_000.0
WAITS = [
    ("7", 7.0),
    ("0.5", 0.5),
    ("0", 0.0),
    ("-3", 0.0),
    ("86400", LONGEST_WAIT),
    ("inf", LONGEST_WAIT),
    ("nan", 0.0),
    ("soon", 0.0),
    ("", 0.0),
    (formatdate(NOW + 30, usegmt=True), 30.0),
    (formatdate(NOW - 30, usegmt=True), 0.0),
    (formatdate(NOW + 1e6, usegmt=True), LONGEST_WAIT),
]


@pytest.mark.parametrize(("text", "seconds"), WAITS)
def test_how_long_a_server_wants_to_be_left_alone(text: str, seconds: float) -> None:
    assert retry_after({"retry-after": text}, NOW) == seconds


def test_it_does_not_say_how_long() -> None:
    assert retry_after({}) == 0.0
    assert status_fault(429, {"retry-after": "3"}, None, WHERE).wait == 3.0
    assert status_fault(503, {"retry-after": "2"}, None, WHERE).wait == 2.0


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError(), "timeout"),
        (ConnectionRefusedError(111, "refused"), "no_connection"),
        (ConnectionResetError(), "dropped"),
        (BrokenPipeError(), "dropped"),
        (RuntimeError("what"), "unreadable"),
    ],
)
def test_a_connection_that_fails(error: Exception, kind: str) -> None:
    fault = connection_fault(error)
    assert (fault.kind, fault.again) == (kind, True)
    outer = RuntimeError("wrapped")
    outer.__cause__ = error
    assert connection_fault(outer).kind == kind
