"""What went wrong with a request: whether it is worth another try, ends the question, or ends the run."""

from __future__ import annotations

import email.utils
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from multiloko_metric.errors import MultiLoKoError

LONGEST_WAIT = 120.0
"""Seconds: a server that asks for more patience than this is asked again all the same."""
_SHOWN = 300
_TOO_LONG = ("context length", "context_length", "context size", "too long")

_NOT_CONNECTED = frozenset({"ConnectError", "ConnectTimeout", "ClientConnectorError", "ClientConnectorDNSError"})
_DROPPED = frozenset(
    {"ReadError", "WriteError", "RemoteProtocolError", "ServerDisconnectedError", "ClientPayloadError", "ClientOSError"}
)
"""Names of exceptions of httpx and aiohttp, of which only one takes part."""


_MESSAGES = {"timeout": "no whole reply in time", "dropped": "the connection was dropped"}


class EndpointError(MultiLoKoError):
    """An endpoint that will answer nothing as it is asked. The message says what to change."""


class RequestFailedError(Exception):
    """One request that brought no answer."""

    def __init__(self, kind: str, message: str, *, again: bool, wait: float = 0.0) -> None:
        super().__init__(message)
        self.kind, self.message = kind, message
        self.again = again
        """Whether the same request may succeed another time."""
        self.wait = wait
        """Seconds after which the server wants to be asked again; 0 where it does not say."""

    def __str__(self) -> str:
        return self.message


class ReplyTooLongError(Exception):
    """A reply of more bytes than any answer has."""


def connection_fault(error: BaseException) -> RequestFailedError:
    """Return what an exception means that was raised before a whole reply was there.

    Raises:
        EndpointError: the server's certificate is not valid.
    """
    chain = list(_chain(error))
    for each in chain:
        if isinstance(each, ReplyTooLongError):
            return RequestFailedError("too_long_reply", str(each), again=False)
        if isinstance(each, ssl.SSLCertVerificationError):
            reason = getattr(each, "verify_message", "") or _one_line(each)
            raise EndpointError(f"the server's certificate is not valid ({reason}); nothing was sent") from None
    kind = _connection_kind(chain)
    if any(isinstance(each, ConnectionRefusedError) for each in chain):
        return RequestFailedError(kind, "connection refused", again=True)
    return RequestFailedError(kind, _MESSAGES.get(kind) or _innermost_message(chain), again=True)


def _connection_kind(chain: Sequence[BaseException]) -> str:
    """Return the kind of a failure from an exception and what it came of, outermost first."""
    if isinstance(chain[0], TimeoutError):  # our own deadline, whatever it interrupted
        return "timeout"
    # aiohttp's ServerDisconnectedError comes wrapped as if it had been a timeout, so the innermost decides.
    for each in reversed(chain):
        name = type(each).__name__
        if isinstance(each, ConnectionRefusedError) or name in _NOT_CONNECTED:
            return "no_connection"
        if isinstance(each, ConnectionResetError | BrokenPipeError) or name in _DROPPED:
            return "dropped"
        if isinstance(each, TimeoutError) or "Timeout" in name:
            return "timeout"
    return "no_connection" if type(chain[0]).__name__ == "APIConnectionError" else "unreadable"


def status_fault(status: int, headers: Mapping[str, str], body: Any, where: str) -> RequestFailedError:
    """Return what a reply with an HTTP status that is no success means for one question.

    Args:
        status: the HTTP status.
        headers: of the reply.
        body: the JSON of the error where there is one, else its text or None.
        where: the endpoint, for messages.

    Raises:
        EndpointError: every other question would fare the same.
    """
    message, code = _said(body)
    told = f"HTTP {status}" + (f": {message}" if message else "")
    if 300 <= status < 400:
        raise EndpointError(f"{where} redirects to another address; nothing is sent there: correct --base-url")
    if status in (401, 403):
        raise EndpointError(f"{where} refuses access ({told}); the key is read from OPENAI_API_KEY")
    if status == 402 or code == "insufficient_quota":
        raise EndpointError(f"{where} wants to be paid first ({told})")
    if status in (404, 405) or "model_not_found" in code:
        advice = "is --model one that the server has, and does --base-url end where its API begins, mostly in /v1"
        raise EndpointError(f"{where} does not have what is asked for ({told}); {advice}?")
    if status == 429:
        return RequestFailedError("rate_limit", told, again=True, wait=retry_after(headers))
    if status >= 500 or status in (408, 409, 425):
        return RequestFailedError("server_error", told, again=True, wait=retry_after(headers))
    text = f"{code} {message}".lower()
    if "content_filter" in text or "content management policy" in text:
        return RequestFailedError("content_filter", told, again=False)
    if status == 413 or any(
        words in text for words in ("context length", "context_length", "too long", "context size")
    ):
        return RequestFailedError("too_long_prompt", told, again=False)
    return RequestFailedError("bad_request", told, again=False)


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float:
    """Return for how many seconds a server asks to be left alone, 0 to LONGEST_WAIT; 0 where it does not say."""
    text = headers.get("retry-after") or ""
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - (time.time() if now is None else now)
        except (ValueError, OverflowError):
            return 0.0
    return min(max(seconds, 0.0), LONGEST_WAIT) if seconds == seconds else 0.0  # noqa: PLR0124 - not a number


def _said(body: Any) -> tuple[str, str]:
    """Return what a server says went wrong, and its code for that; what is not said is empty."""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict):
        message, code = error.get("message") or error.get("detail") or "", error.get("code") or error.get("type") or ""
        return _one_line(message), _one_line(code)
    return _one_line(error or ""), ""


def _one_line(value: object) -> str:
    """Return the beginning of a text on one line, without what a terminal would obey."""
    line = " ".join(str(value).split())[:_SHOWN]
    return "".join(letter if letter.isprintable() else "?" for letter in line)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and what it came of, outermost first."""
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        yield each
        each = each.__cause__ or each.__context__


def _innermost_message(chain: Sequence[BaseException]) -> str:
    return next((text for each in reversed(chain) if (text := _one_line(each))), "no connection")
