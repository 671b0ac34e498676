"""An OpenAI-compatible server on loopback with a made-up model, which fails in the ways such servers do."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "imaginary-1b"


@dataclass(frozen=True)
class Turn:
    """What the server does with one request, other than answer it as it should."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """None: a proper answer, of ``text`` and ``message``."""
    text: str | None = None
    """None: what the model says to the prompt."""
    message: Mapping[str, Any] | None = None
    """More of the chat message, in place of what is there: ``{"content": None}``."""
    finish_reason: str = "stop"
    model: str = MODEL
    delay: float = 0.0
    """Seconds before anything is sent."""
    cut: int | None = None
    """Bytes of the body after which the connection is closed; 0: before the status line."""
    endless: bool = False
    """The body goes on for ever, in chunks of 64 KiB."""
    drip: float | None = None
    """Seconds between two bytes of a body that never ends."""


def error(status: int, message: str, code: str | None = None, headers: Mapping[str, str] | None = None) -> Turn:
    """An error as the API writes it."""
    body = {"error": {"message": message, "type": "invalid_request_error", "code": code}}
    return Turn(status, headers or {}, json.dumps(body).encode())


def said(prompt: str) -> str:
    """What the model answers: another text to each prompt, always the same."""
    return f"antwoord {hashlib.sha256(prompt.encode()).hexdigest()[:8]}"


@dataclass
class Request:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """All text of it."""
        if "messages" in self.body:
            return "\n".join(message["content"] for message in self.body["messages"])
        return str(self.body.get("prompt"))


class ModelServer:
    """Answers while the ``with`` block lasts.

    Args:
        script: says what to do with a request, given it and how often its prompt was asked before; None is a proper
            answer.
        delay: seconds before each answer.
    """

    def __init__(self, script: Callable[[Request, int], Turn | None] | None = None, *, delay: float = 0.0) -> None:
        self.script, self.delay = script, delay
        self.requests: list[Request] = []
        self.answered: Counter[str] = Counter()
        """How often each prompt was answered properly, whole."""
        self.most_at_once = 0
        self._at_once = 0
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._server = _QuietServer(("127.0.0.1", 0), _handler(self))
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Answer nobody any more."""
        self._server.shutdown()
        self._server.server_close()

    def begin(self, request: Request) -> Turn:
        """Note a request and say what to do with it."""
        with self._lock:
            self.requests.append(request)
            before = self._asked[request.prompt]
            self._asked[request.prompt] += 1
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        return (self.script(request, before) if self.script else None) or Turn(delay=self.delay)

    def end(self, request: Request, turn: Turn) -> None:
        """Note that a request was dealt with."""
        with self._lock:
            self._at_once -= 1
            if turn.status == 200 and turn.body is None and turn.cut is None:
                self.answered[request.prompt] += 1


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # who was to read the answer is gone, which is what some tests are about


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, format: str, *arguments: object) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            request = Request(self.path, dict(self.headers.items()), body)
            turn = server.begin(request)
            try:
                time.sleep(turn.delay)
                self._play(turn, request)
            finally:
                server.end(request, turn)

        def _play(self, turn: Turn, request: Request) -> None:
            content = _reply(turn, request) if turn.body is None else turn.body
            if turn.cut == 0:
                self.close_connection = True
                return
            self.send_response(turn.status)
            for name, value in {"Content-Type": "application/json", **turn.headers}.items():
                self.send_header(name, value)
            if turn.endless or turn.drip:
                self.send_header("Connection", "close")
                self.end_headers()
                while True:
                    time.sleep(turn.drip or 0)
                    self.wfile.write(b" " if turn.drip else b" " * 65536)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: turn.cut])
            if turn.cut is not None:
                self.close_connection = True

    return Handler


def _reply(turn: Turn, request: Request) -> bytes:
    text = said(request.prompt) if turn.text is None else turn.text
    choice: dict[str, Any] = {"index": 0, "finish_reason": turn.finish_reason}
    path = request.path.partition("?")[0]
    if path == "/v1/chat/completions":
        choice["message"] = {"role": "assistant", "content": text, **(turn.message or {})}
    elif path == "/v1/completions":
        choice["text"] = text
    usage = {"prompt_tokens": len(request.prompt) // 4, "completion_tokens": len(text) // 4}
    value = {"id": "made-up", "object": "x", "created": 1, "model": turn.model, "choices": [choice], "usage": usage}
    return json.dumps(value).encode()
