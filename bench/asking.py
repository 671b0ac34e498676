"""Measure how busy `multiloko run` keeps a server that answers after 50 ms.

usage: python bench/asking.py [--questions 250] [--concurrency 64] [--seconds 0.05] [--rounds 3]

The server is a process of its own on loopback, and does nothing but wait. The ideal is what a client without any work
of its own would take: questions / concurrency * seconds. Measured are the asking, from the first request to the last
answer as the server sees them, and the whole command, with its start, the prompts and the file. It takes two cores that
nobody else uses: on a busy machine only the processor time says anything.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

from full_size import write_full_size

from multiloko_metric.languages import LANGUAGES

_REPLY = {
    "id": "made-up",
    "object": "chat.completion",
    "created": 1,
    "model": "made-up",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "le 16 décembre 2004"}, "finish_reason": "stop"}
    ],
    "usage": {"prompt_tokens": 60, "completion_tokens": 9, "total_tokens": 69},
}


def main() -> int:
    """Run what is asked for and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=250, help="of each of the 31 languages")
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=0.05, help="before the server answers")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    ours, mirror = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(mirror, arguments.seconds), daemon=True)
    server.start()
    port = ours.recv()
    asking, whole, busy = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        write_full_size(Path(folder) / "data", text=0)
        for number in range(arguments.rounds):
            output = Path(folder) / f"{number}.jsonl"
            seconds, cpu = _run(port, Path(folder) / "data", output, arguments)
            whole.append(seconds)
            busy.append(cpu)
            ours.send("how long")
            first, last, count = ours.recv()
            asking.append(last - first)
            with output.open(encoding="utf-8") as file:
                written = sum(1 for _ in file) - 1
            if not count == written == arguments.questions * len(LANGUAGES):
                raise SystemExit(f"{count} requests came, {written} answers were written")
    server.terminate()
    ideal = count / arguments.concurrency * arguments.seconds
    took, command = statistics.median(asking), statistics.median(whole)
    print(f"{count:,} questions, {arguments.concurrency} at once, answered in {arguments.seconds * 1000:.0f} ms")
    every = ", ".join(f"{each / ideal:.2f}" for each in asking)
    print(f"  ideal {ideal:.2f} s; asking {took:.2f} s: {took / ideal:.2f} times ({every})")
    each_question = statistics.median(busy) / count * 1e6
    print(f"  whole command {command:.2f} s; {each_question:.0f} us of processor time a question, start included")
    print(f"  {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end")
    return 0


def _run(port: int, data: Path, output: Path, arguments: argparse.Namespace) -> tuple[float, float]:
    """Run the command and return how long it took and how much processor time."""
    where = ["--base-url", f"http://127.0.0.1:{port}/v1", "-d", str(data), "-o", str(output)]
    how = ["--concurrency", str(arguments.concurrency), "--limit", str(arguments.questions), "--no-score"]
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "multiloko_scripts.cli", "run", "--model", "made-up", *where, *how],
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit("the run failed")
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime


class _Protocol(asyncio.Protocol):
    """As little of HTTP as it takes: the whole request, a pause, the reply."""

    def __init__(self, server: _Server) -> None:
        self.server = server
        self.received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data
        while True:
            head, end, rest = self.received.partition(b"\r\n\r\n")
            if not end:
                return
            length = int(head.lower().partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0])
            if len(rest) < length:
                return
            self.received = rest[length:]
            self.server.answer(self.transport)


class _Server:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        body = json.dumps(_REPLY).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        self.reply = head.encode() + body
        self.first = self.last = 0.0
        self.count = 0

    def answer(self, transport: asyncio.BaseTransport) -> None:
        self.first = self.first or time.perf_counter()
        asyncio.get_running_loop().call_later(self.seconds, self._write, transport)

    def _write(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.WriteTransport):
            transport.write(self.reply)
        self.count += 1
        self.last = time.perf_counter()


def _serve(mirror: Connection, seconds: float) -> None:
    async def serve() -> None:
        server = _Server(seconds)

        def report() -> None:
            mirror.recv()
            mirror.send((server.first, server.last, server.count))
            server.first, server.count = 0.0, 0

        loop = asyncio.get_running_loop()
        listening = await loop.create_server(lambda: _Protocol(server), "127.0.0.1", 0, backlog=512)
        loop.add_reader(mirror.fileno(), report)
        mirror.send(listening.sockets[0].getsockname()[1])
        await listening.serve_forever()

    asyncio.run(serve())


if __name__ == "__main__":
    sys.exit(main())
