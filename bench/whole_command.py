"""The whole command, files in and files out: its time against the official script's, two processes, and its memory."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from workloads import Row, short_rows

CONFIGS = 151
MANY_QUESTIONS = 2_500


@dataclass(frozen=True)
class Usage:
    """What a finished process has used."""

    seconds: float
    megabytes: float
    """The most memory that the process, or one it started, held at once."""


def run_whole_command(folder: Path, official: Path | None, profile: str, rounds: int) -> None:
    """Measure the command on 37,750 rows in ``folder``, and its memory on ten times as many."""
    rows = short_rows(CONFIGS)
    gold, answers = _write(folder / "full", rows)
    ours = _command(gold, answers, folder / "ours.json", profile)
    two = [*_command(gold, answers, folder / "two.json", profile), "--num-proc", "2"]
    commands = {"one process": ours, "two processes": two}
    if official:
        commands["official"] = _official_command(folder, official, gold, answers)
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            seconds[name].append(_run(command).seconds)
    result = (folder / "ours.json").read_bytes()
    for other in ["two.json"] + ["official.json"] * bool(official):
        if (folder / other).read_bytes() != result:
            raise SystemExit(f"whole command: {other} is not ours.json")
    median = {name: statistics.median(times) for name, times in seconds.items()}
    print(f"\nwhole command, {len(rows):,} rows, --format upstream: {median['one process']:.2f} s")
    print(f"  two processes {median['two processes']:.2f} s: {median['one process'] / median['two processes']:.2f} x")
    if official:
        times = median["official"] / median["one process"]
        print(f"  official {median['official']:.2f} s: {times:.1f} times as long, the same bytes")
    rows = short_rows(CONFIGS, MANY_QUESTIONS)
    gold, answers = _write(folder / "many", rows)
    for form in ("summary", "upstream"):
        usage = _run(_command(gold, answers, folder / "many.json", profile, form))
        print(f"  {len(rows):,} rows, --format {form}: {usage.megabytes:.0f} MB, {usage.seconds:.1f} s")


def _command(gold: Path, answers: Path, output: Path, profile: str, form: str = "upstream") -> list[str]:
    where = ["-p", str(answers), "-d", str(gold), "-o", str(output)]
    return [sys.executable, "-m", "multiloko_scripts.cli", "score", *where, "--profile", profile, "--format", form]


def _official_command(folder: Path, official: Path, gold: Path, answers: Path) -> list[str]:
    # The first version forgot an import, and all of them read files in the encoding of the machine.
    script = folder / "official_eval.py"
    script.write_text("import glob\n" + official.read_text(encoding="utf-8"), encoding="utf-8")
    where = ["-d", str(gold), "-s", "dev", "-p", str(answers), "-o", str(folder / "official.json")]
    return [sys.executable, "-X", "utf8", str(script), *where]


def _run(command: list[str]) -> Usage:
    """Run a command to its end, without what it says."""
    started = time.perf_counter()
    nothing = os.open(os.devnull, os.O_WRONLY)
    outputs = [(os.POSIX_SPAWN_DUP2, nothing, stream) for stream in (1, 2)]
    process = os.posix_spawn(command[0], command, os.environ, file_actions=outputs)
    os.close(nothing)
    _, status, usage = os.wait4(process, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"failed: {' '.join(command)}")
    kilobytes = usage.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return Usage(time.perf_counter() - started, kilobytes / 1024)


def _write(folder: Path, rows: Sequence[Row]) -> tuple[Path, Path]:
    """Write gold in the official layout and a file of answers, and return where they are."""
    gold, answers = folder / "gold", folder / "answers.jsonl"
    lines: dict[Path, list[str]] = {}
    with _opened(answers) as file:
        for row in rows:
            question = {"text": "", "question": "?", "targets": row.targets, "target": "", "id": row.id}
            question["output_type"] = ""
            lines.setdefault(gold / row.config.path(), []).append(json.dumps(question, ensure_ascii=False))
            answer = {"language": row.config.key, "id": row.id, "prediction": row.prediction}
            file.write(json.dumps(answer, ensure_ascii=False) + "\n")
    for path, of_config in lines.items():
        with _opened(path) as file:
            file.write("\n".join(of_config) + "\n")
    return gold, answers


def _opened(path: Path) -> TextIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("w", encoding="utf-8")
