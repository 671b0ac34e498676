"""An OpenAI-compatible endpoint, asked one prompt at a time through the ``openai`` client."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import ModuleType, TracebackType
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from multiloko_metric.errors import MultiLoKoError

from .faults import EndpointError, ReplyTooLongError, RequestFailedError, connection_fault, status_fault
from .prompts import GENERATION, Prompt
from .replies import Reply, UnreadableReplyError, read_reply

KEY = "OPENAI_API_KEY"
"""Environment variable with the key. There is no option for it: command lines are seen by others and kept."""
LONGEST_REPLY = 4 * 1024 * 1024
"""Bytes. The longest answers with all their reasoning stay below a tenth of it."""
_SHORTEST_SECRET = 5
"""Characters. What is shorter, such as a version in the URL, is no secret, and would be found in any message."""
_TOLD = (
    "Lang",
    "Package-Version",
    "OS",
    "Arch",
    "Runtime",
    "Runtime-Version",
    "Async",
    "Retry-Count",
    "Read-Timeout",
)
"""Headers in which the client describes the system it runs on."""
_PATHS = {"chat": "/chat/completions", "base": "/completions"}


class NoClientError(MultiLoKoError):
    """The ``openai`` client is not installed."""


@dataclass(frozen=True)
class EndpointSettings:
    """Which model is asked where, and how it answers."""

    model: str
    base_url: str
    style: str = "chat"
    max_tokens: int | None = None
    """None: what `GENERATION` has for the style."""
    temperature: float | None = 0.0
    """None: the server's own."""
    timeout: float = 300.0
    """Seconds for one reply, from the request to its last byte."""

    def describe(self) -> dict[str, Any]:
        """Plain values for records, without anything secret: what another person needs to ask the same."""
        return {
            "model": self.model,
            "endpoint": public_url(self.base_url),
            "generation": {
                "max_tokens": self.max_tokens or GENERATION[self.style].max_tokens,
                "temperature": self.temperature,
                "stop": list(GENERATION[self.style].stop),
            },
        }


def public_url(url: str) -> str:
    """Return a URL without user, password, query and fragment: ``https://host:8000/v1``.

    Raises:
        EndpointError: it is no http or https URL. The message does not repeat it.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    else:
        if parts.scheme in ("http", "https") and host:
            host = f"[{host}]" if ":" in host else host
            return f"{parts.scheme}://{host}{f':{port}' if port else ''}{parts.path.rstrip('/')}"
    raise EndpointError("--base-url must be an address such as http://localhost:8000/v1")


class Endpoint:
    """A connection to an endpoint, open while the ``async with`` block lasts.

    Args:
        settings: what is asked where.
        concurrency: how many requests there are at once.

    Raises:
        NoClientError: the ``openai`` client is not installed.
        EndpointError: the URL is none.
    """

    def __init__(self, settings: EndpointSettings, concurrency: int = 1) -> None:
        self.settings, self.where = settings, public_url(settings.base_url)
        try:
            import openai  # takes a second to import, and only this needs it
        except ImportError as error:
            raise NoClientError("asking an endpoint needs one more package: pip install 'multiloko[run]'") from error
        import anyio  # comes with it

        self._deadline = anyio.fail_after
        self._status_error = openai.APIStatusError
        self._key = os.environ.get(KEY, "")
        url = urlsplit(settings.base_url.strip())
        named = (unquote(url.username), unquote(url.password or "")) if url.username else None
        secrets = [
            self._key,
            url.password or "",
            unquote(url.password or ""),
            *(value for _, value in parse_qsl(url.query)),
        ]
        self._secrets = [secret for secret in secrets if len(secret) >= _SHORTEST_SECRET]
        self._http = _http_client(openai, settings.timeout, concurrency, named)
        self._response = _http_module(type(self._http)).Response
        # A local server needs no key, but the client insists on one. Retries are ours: the client's are neither
        # counted nor bounded in time.
        self._client = openai.AsyncOpenAI(
            api_key=self._key or "none",
            base_url=self.where,
            default_query=dict(parse_qsl(url.query)),
            max_retries=0,
            http_client=self._http,
        )
        # Given whole, it is not put together anew for each request. What the client tells of this system is nobody's
        # business, and takes time as well.
        self._url = self.where + _PATHS[settings.style]
        omit = getattr(openai, "Omit", None)  # older clients have no public name for it
        self._options: Any = {"headers": {f"X-Stainless-{name}": omit() for name in _TOLD}} if omit else {}
        self._tokens = "max_tokens"

    async def __aenter__(self) -> Endpoint:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._client.close()

    async def ask(self, prompt: Prompt) -> Reply:
        """Send one request and return the answer.

        Raises:
            RequestFailedError: it brought none.
            EndpointError: no request will bring one.
        """
        try:
            body = await self._post(prompt)
        except _OtherNameError:
            body = await self._post(prompt)
        try:
            return read_reply(body, self.settings.style)
        except UnreadableReplyError as error:
            raise RequestFailedError("unreadable", self._without_secrets(str(error)), again=True) from None

    async def _post(self, prompt: Prompt) -> bytes:
        # The typed methods of the client build the same request and a model of the reply, in twice the time; and
        # what a hostile server sends, they take for an answer.
        asked = self._tokens
        try:
            with self._deadline(self.settings.timeout):
                response = await self._client.post(
                    self._url, cast_to=self._response, body=self._body(prompt), options=self._options
                )
            return bytes(response.content)
        except self._status_error as error:
            if "max_completion_tokens" in str(error.body) and asked == "max_tokens":
                self._tokens = "max_completion_tokens"  # the newer name, which some models insist on
                raise _OtherNameError from None
            try:
                fault = status_fault(error.status_code, error.response.headers, error.body, self.where)
            except EndpointError as fatal:
                raise EndpointError(self._without_secrets(str(fatal))) from None
        except Exception as error:  # of two HTTP libraries and of the client, each with their own
            try:
                fault = connection_fault(error)
            except EndpointError as fatal:
                raise EndpointError(f"{self.where}: {fatal}") from None
        fault.message = self._without_secrets(fault.message)
        raise fault

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        settings = self.settings
        body: dict[str, Any] = {"model": settings.model}
        body |= {"prompt": prompt.prompt} if settings.style == "base" else {"messages": prompt.messages}
        body[self._tokens] = settings.max_tokens or GENERATION[settings.style].max_tokens
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if GENERATION[settings.style].stop:
            body["stop"] = list(GENERATION[settings.style].stop)
        return body

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


class _OtherNameError(Exception):
    """The server wants the number of tokens under its other name."""


def _http_module(client: type) -> ModuleType:
    """Return the HTTP library that a client is of: ``httpx2`` with openai 3, ``httpx`` before."""
    base = next(each for each in client.__mro__ if each.__name__ == "AsyncClient")
    return sys.modules[base.__module__.partition(".")[0]]


def _http_client(openai: ModuleType, timeout: float, concurrency: int, named: tuple[str, str] | None) -> Any:
    """Return an HTTP client that follows no redirect, which would take the questions elsewhere, and bounds replies."""
    module = _http_module(openai.DefaultAsyncHttpxClient)

    class Bounded(module.AsyncByteStream):  # type: ignore[name-defined, misc]
        def __init__(self, stream: Any) -> None:
            self.stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = LONGEST_REPLY
            async for chunk in self.stream:
                left -= len(chunk)
                if left < 0:
                    raise ReplyTooLongError(f"a reply of more than {LONGEST_REPLY >> 20} MB, which was not read")
                yield chunk

        async def aclose(self) -> None:
            await self.stream.aclose()

    async def bound(response: Any) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":  # could unfold to any size
            await response.aclose()
            raise ReplyTooLongError("a compressed reply, which was not asked for and was not read")
        response.stream = Bounded(response.stream)

    options = {
        "follow_redirects": False,
        "timeout": timeout,
        "auth": named,  # user and password of the URL, which aiohttp does not take there beside a key
        "limits": module.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
        "headers": {"Accept-Encoding": "identity"},
        "event_hooks": {"response": [bound]},
    }
    try:
        return openai.DefaultAioHttpClient(**options)  # a third less time for a request
    except (AttributeError, RuntimeError):  # an older openai, or one without its extra
        return openai.DefaultAsyncHttpxClient(**options)
