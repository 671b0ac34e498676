"""One prompt asked of a real server, through the client and either HTTP library, however the server behaves."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import ssl
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from model_server import MODEL, ModelServer, Request, Turn, error, said

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import parse_config
from multiloko_runs.endpoint import LONGEST_REPLY, Endpoint, EndpointSettings, NoClientError, public_url
from multiloko_runs.faults import EndpointError, RequestFailedError
from multiloko_runs.prompts import Prompt
from multiloko_runs.replies import Reply

openai = pytest.importorskip("openai")  # not everywhere the loader and the metric are tried
FRENCH = parse_config("fr")
CHAT = Prompt("fr:1", FRENCH, "1", None, ({"role": "user", "content": "Quel fleuve ?"},), ())
BASE = Prompt("fr:1", FRENCH, "1", "Question : quel fleuve ?\nRéponse :", None, ())


@pytest.fixture(params=["aiohttp", "httpx"], autouse=True)
def http(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Which HTTP library carries the requests; aiohttp needs an extra of the client, which may be lacking."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if request.param == "httpx":
        monkeypatch.delattr(openai, "DefaultAioHttpClient", raising=False)  # older ones have none
    return str(request.param)


def ask(
    server: ModelServer | str, prompt: Prompt = CHAT, *, timeout: float = 20, times: int = 1, **settings: object
) -> Reply:
    url = server if isinstance(server, str) else server.url
    style = "chat" if prompt.prompt is None else "base"

    async def once() -> Reply:
        made = EndpointSettings(MODEL, url, style, timeout=timeout, **settings)  # type: ignore[arg-type]
        async with Endpoint(made) as endpoint:
            for _ in range(times - 1):
                await endpoint.ask(prompt)
            return await endpoint.ask(prompt)

    return asyncio.run(once())


def always(turn: Turn) -> Callable[[Request, int], Turn]:
    return lambda request, before: turn


def test_a_chat_model() -> None:
    with ModelServer() as server:
        reply = ask(server)
        assert reply == Reply(said("Quel fleuve ?"), "stop", None, 3, 4, MODEL)
        (request,) = server.requests
        assert request.path == "/v1/chat/completions"
        assert request.body == {
            "model": MODEL,
            "messages": [{"role": "user", "content": "Quel fleuve ?"}],
            "max_tokens": 2048,
            "temperature": 0.0,
        }


def test_a_base_model_stops_at_a_newline_and_nothing_else() -> None:
    with ModelServer() as server:
        assert ask(server, BASE).text == said(str(BASE.prompt))
        (request,) = server.requests
        assert request.path == "/v1/completions"
        expected = {"model": MODEL, "prompt": BASE.prompt, "max_tokens": 128, "temperature": 0.0, "stop": ["\n"]}
        assert request.body == expected


def test_settings_are_sent() -> None:
    with ModelServer() as server:
        ask(server, max_tokens=7, temperature=None)
        assert server.requests[0].body.keys() == {"model", "messages", "max_tokens"}
        assert server.requests[0].body["max_tokens"] == 7


def test_one_connection_serves_many_requests_and_no_body_is_compressed() -> None:
    with ModelServer() as server:
        ask(server, times=5)
        assert {request.headers["accept-encoding"] for request in map(_lowered, server.requests)} == {"identity"}


def test_the_key_comes_from_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as server:
        ask(server)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        ask(server)
        assert [_lowered(each).headers["authorization"] for each in server.requests] == [
            "Bearer none",
            "Bearer sk-secret",
        ]


def _lowered(request: Request) -> Request:
    return Request(request.path, {name.lower(): value for name, value in request.headers.items()}, request.body)


def test_the_newer_name_of_the_token_limit_is_used_where_a_server_insists() -> None:
    def script(request: Request, before: int) -> Turn | None:
        if "max_tokens" in request.body:
            return error(400, "Unsupported parameter: use 'max_completion_tokens' instead", "unsupported_parameter")
        return None

    with ModelServer(script) as server:
        assert ask(server, times=2).text == said("Quel fleuve ?")
        assert [("max_tokens" in each.body) for each in server.requests] == [True, False, False]


FAILURES = [
    (error(429, "slow down", headers={"Retry-After": "3"}), "rate_limit", True),
    (error(500, "out of memory"), "server_error", True),
    (Turn(502, {"Content-Type": "text/html"}, b"<html>Bad gateway</html>"), "server_error", True),
    (error(400, "maximum context length"), "too_long_prompt", False),
    (error(400, "what?"), "bad_request", False),
    (Turn(body=b"<!doctype html><p>Welcome to the hotel's network"), "unreadable", True),
    (Turn(body=b'{"choices": [{"message": {"content": "la S'), "unreadable", True),
    (Turn(body=b""), "unreadable", True),
    (Turn(body=b"data: {}\n\ndata: [DONE]\n\n", headers={"Content-Type": "text/event-stream"}), "unreadable", True),
    (Turn(body=b"\x00\xff" * 5000, headers={"Content-Type": "application/json"}), "unreadable", True),
    (Turn(cut=0), "dropped", True),
    (Turn(cut=10), "dropped", True),
    (Turn(delay=1.5), "timeout", True),
    (Turn(drip=0.1), "timeout", True),
    (Turn(headers={"Content-Encoding": "gzip"}, body=gzip.compress(b" " * 10_000_000)), "too_long_reply", False),
]


@pytest.mark.parametrize(("turn", "kind", "again"), FAILURES, ids=range(len(FAILURES)))
def test_a_request_that_fails_is_no_empty_answer(turn: Turn, kind: str, again: bool) -> None:
    with ModelServer(always(turn)) as server:
        with pytest.raises(RequestFailedError) as failed:
            ask(server, timeout=0.7)
        assert (failed.value.kind, failed.value.again) == (kind, again)
        assert failed.value.wait == (3.0 if kind == "rate_limit" else 0.0)
        assert len(server.requests) == 1  # the client tries nothing again by itself


def test_a_reply_without_end_takes_neither_memory_nor_time() -> None:
    with ModelServer(always(Turn(endless=True))) as server:
        tracemalloc.start()
        started = time.monotonic()
        with pytest.raises(RequestFailedError, match="more than 4 MB") as failed:
            ask(server)
        assert time.monotonic() - started < 15
        assert tracemalloc.get_traced_memory()[1] < 4 * LONGEST_REPLY
        tracemalloc.stop()
        assert failed.value.kind == "too_long_reply"


def test_nobody_listens() -> None:
    with ModelServer() as server:
        url = server.url
    with pytest.raises(RequestFailedError) as failed:
        ask(url)
    assert failed.value.kind == "no_connection"
    with pytest.raises(RequestFailedError) as failed:
        ask("http://no-such-host.invalid/v1")
    assert failed.value.kind == "no_connection"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    with ModelServer() as other:
        target = f"http://localhost:{other.port}/v1/chat/completions"
        redirect = always(Turn(status, {"Location": target}, b""))
        message = "redirects to another address; nothing is sent there"
        with ModelServer(redirect) as server, pytest.raises(EndpointError, match=message):
            ask(server)
        assert other.requests == []


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        (error(401, "Incorrect API key provided"), "refuses access .*Incorrect API key.*OPENAI_API_KEY"),
        (error(403, "not in your country"), "refuses access .*not in your country"),
        (error(404, "The model `x` does not exist", "model_not_found"), "does not have .*`x` does not exist.*--model"),
        (Turn(404, {"Content-Type": "text/html"}, b"<html>Not found</html>"), "does not have .*--base-url"),
    ],
)
def test_what_ends_a_run(turn: Turn, message: str) -> None:
    with ModelServer(always(turn)) as server, pytest.raises(EndpointError, match=message):
        ask(server)


def test_secrets_are_in_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    turns = iter([error(401, "wrong key sk-secret"), error(500, "sk-secret"), Turn(body=b"sk-secret")])
    with ModelServer(lambda request, before: next(turns)) as server:
        url = server.url.replace("http://", "http://user:pass-word@") + "?token=to-ken"
        for _ in range(3):
            with pytest.raises((EndpointError, RequestFailedError)) as raised:
                ask(url)
            assert "***" in str(raised.value) or "***" in getattr(raised.value, "message", "")
            for secret in ("sk-secret", "pass-word", "to-ken"):
                assert secret not in str(raised.value) + getattr(raised.value, "message", "")


@pytest.mark.skipif(not hasattr(openai, "Omit"), reason="an older client tells it")
def test_the_server_is_not_told_of_this_system() -> None:
    with ModelServer() as server:
        ask(server)
        (request,) = map(_lowered, server.requests)
        assert not [name for name in request.headers if name.startswith("x-stainless")]


def test_user_password_and_query_of_an_address_are_sent() -> None:
    with ModelServer() as server:
        url = server.url.replace("http://", "http://user:pass%20word@") + "?version=1"
        assert ask(url).text == said("Quel fleuve ?")
        (request,) = map(_lowered, server.requests)
        assert request.headers["authorization"] == f"Basic {base64.b64encode(b'user:pass word').decode()}"
        assert request.path == "/v1/chat/completions?version=1"


def test_a_certificate_that_is_not_valid(tmp_path: Path) -> None:
    certificate = _self_signed(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = ModelServer()
    server._server.socket = context.wrap_socket(server._server.socket, server_side=True)
    with server:
        with pytest.raises(EndpointError, match="certificate is not valid"):
            ask(server.url.replace("http:", "https:"))
        assert server.requests == []


def _self_signed(folder: Path) -> Path:
    from datetime import datetime, timedelta, timezone

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(timezone.utc)
    built = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + timedelta(days=1))
    path = folder / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + built.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    return path


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
        ("http://localhost:8000/v1/", "http://localhost:8000/v1"),
        ("https://user:password@api.example.org/v1?key=secret#x", "https://api.example.org/v1"),
        (" http://[::1]:8000/v1 ", "http://[::1]:8000/v1"),
        ("https://EXAMPLE.org", "https://example.org"),
    ],
)
def test_an_address_without_secrets(url: str, public: str) -> None:
    assert public_url(url) == public


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://x/v1", "http://", "http://x:port/v1", "sk-secret"])
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(EndpointError, match="must be an address such as http://localhost:8000/v1") as raised:
        public_url(url)
    assert "secret" not in str(raised.value)


def test_what_is_recorded_of_the_settings() -> None:
    described = EndpointSettings("m", "http://u:p@h/v1?k=s", "base", temperature=None).describe()
    assert json.loads(json.dumps(described)) == {
        "model": "m",
        "endpoint": "http://h/v1",
        "generation": {"max_tokens": 128, "temperature": None, "stop": ["\n"]},
    }


def test_without_the_client_one_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(NoClientError, match=r"pip install 'multiloko\[run\]'") as raised:
        Endpoint(EndpointSettings("m", "http://localhost:1/v1"))
    assert isinstance(raised.value, MultiLoKoError)
