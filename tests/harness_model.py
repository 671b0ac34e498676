"""A stand-in for a model: right, wrong and wordy by turns, in Python and behind the two APIs of an endpoint."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from multiloko_metric.languages import CONFIGS
from multiloko_metric.scoring import Scorer
from multiloko_source.sample import open_sample


def answers() -> dict[str, str]:
    """The answer to each question of the sample, by its text."""
    data = open_sample()
    found: dict[str, str] = {}
    for config in CONFIGS:
        for number, row in enumerate(data.rows(config.name)):
            gold = row["targets"][0]
            found[row["question"]] = gold if (number + len(config.name)) % 2 else f"{gold}, and more"
    return found


def answer_to(prompt: str, known: dict[str, str]) -> str:
    """The answer to the question that stands in the prompt; of two, one of which holds the other, the longer."""
    return known[max((question for question in known if question in prompt), key=len)]


def mean_em(answered: list[tuple[str, str]], config: str, language: str) -> float:
    """What our scorer gives for pairs of id and answer of a config of the sample."""
    rows = {row["id"]: row for row in open_sample().rows(config)}
    scores = Scorer("official").score_all(
        [answer for _, answer in answered], [rows[identifier]["targets"] for identifier, _ in answered], language
    )
    return sum(score.em for score in scores) / len(scores)


@contextmanager
def endpoint() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server with /v1/completions and /v1/chat/completions: its address, and the requests as they come in."""
    known, requests = answers(), []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append({"path": self.path, **body})
            if self.path.endswith("/chat/completions"):
                text = answer_to(body["messages"][-1]["content"], known)
                choices: list[dict[str, Any]] = [{"index": 0, "message": {"role": "assistant", "content": text}}]
            else:
                texts = [body["prompt"]] if isinstance(body["prompt"], str) else body["prompt"]
                choices = [{"index": at, "text": " " + answer_to(each, known)} for at, each in enumerate(texts)]
            content = json.dumps({"choices": choices}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
