"""A stand-in for a model: answers the sample's questions as the bundled imaginary model does, over HTTP on loopback.

usage: python bench/stand_in_model.py COMMAND [ARGUMENT ...]

Runs the command with ``--base-url`` and the server's address behind it, and ends with it. For the demo of the whole
road, which so needs neither a key nor a GPU.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from multiloko_metric.languages import parse_config
from multiloko_source.sample import open_sample, sample_predictions


def answers() -> dict[str, str]:
    """Return the imaginary model's answer to each question of the sample, by its text."""
    source = open_sample()
    found = {}
    for line in sample_predictions().read_text(encoding="utf-8").splitlines():
        answer = json.loads(line)
        rows = source.rows(parse_config(answer["language"]).name)
        question = next(row["question"] for row in rows if row["id"] == answer["id"])
        found[question.strip()] = answer["prediction"]
    return found


class Handler(BaseHTTPRequestHandler):
    """Answers chats and completions."""

    protocol_version = "HTTP/1.1"
    said: Mapping[str, str] = {}

    def do_POST(self) -> None:
        """Answer the question that stands in the prompt: the last one, where examples stand in front."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        chat = "messages" in body
        prompt = body["messages"][-1]["content"] if chat else body["prompt"]
        asked = max(self.said, key=prompt.rfind)
        text = self.said[asked] if asked in prompt else ""
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
        choice |= {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
        usage = {"prompt_tokens": len(prompt), "completion_tokens": len(text), "total_tokens": len(prompt) + len(text)}
        reply = {"id": "0", "object": "completion", "created": 0, "model": body["model"], "choices": [choice]}
        content = json.dumps({**reply, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main() -> int:
    """Serve while the command runs."""
    Handler.said = answers()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/v1"
    return subprocess.run([*sys.argv[1:], "--base-url", address], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
