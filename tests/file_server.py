"""A web server on loopback that gives out files, with ranges, and fails in the ways web servers do."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class FileServer:
    """Serves a folder while the ``with`` block lasts.

    Args:
        folder: what is served.
        ranges: whether ranges are supported; without, a request for one gets the whole file.
        cuts: after how many bytes the answers are cut, one for each answer; None, and all after the last: whole.
        status: an HTTP status to answer everything with.
        length: whether answers say how long they are.
    """

    def __init__(
        self,
        folder: Path,
        *,
        ranges: bool = True,
        cuts: list[int | None] | None = None,
        status: int | None = None,
        length: bool = True,
    ) -> None:
        self.folder, self.ranges, self.status, self.length = folder, ranges, status, length
        self.cuts = list(cuts or [])
        self.requests: list[str] = []
        """Method, path and range of each request: ``GET /file bytes=5-``."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> FileServer:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(server: FileServer) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, body: bool) -> None:
            asked = self.headers.get("Range", "")
            server.requests.append(f"{self.command} {self.path} {asked}".strip())
            path = server.folder / self.path.lstrip("/")
            if server.status is not None or not path.is_file():
                self.send_error(server.status or 404)
                return
            content = path.read_bytes()
            match = re.fullmatch(r"bytes=(\d+)-", asked) if server.ranges else None
            start = int(match[1]) if match else 0
            if match and start >= len(content):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(content)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.send_response(206 if match else 200)
            if match:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            if server.length:
                self.send_header("Content-Length", str(len(content) - start))
            self.send_header("Content-Type", "application/octet-stream")
            self.end_headers()
            if not body:
                return
            cut = server.cuts.pop(0) if server.cuts else None
            self.wfile.write(content[start:] if cut is None else content[start : start + cut])

    return Handler
