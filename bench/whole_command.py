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
    contenders = {
        "one process": [ours],
        "two processes": [[*_command(gold, answers, folder / "two.json", profile), "--num-proc", "2"]],
        # What two cores bring where nothing is shared: less than twice as much on most machines.
        "two commands": [ours, _command(gold, answers, folder / "other.json", profile)],
    }
    if official:
        contenders["official"] = [_official_command(folder, official, gold, answers)]
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, commands in contenders.items():
            for result in folder.glob("*.json"):
                result.unlink()
            seconds[name].append(_run(commands).seconds)
            _check_same(folder)
    median = {name: statistics.median(times) for name, times in seconds.items()}
    one, two = median["one process"], median["two processes"]
    print(f"\nwhole command, {len(rows):,} rows, --format upstream: {one:.2f} s")
    print(f"  two processes {two:.2f} s: {one / two:.2f} x; two such commands at once {median['two commands']:.2f} s")
    if official:
        times = median["official"] / one
        print(f"  official {median['official']:.2f} s: {times:.1f} times as long, the same bytes")
    _measure_many(folder, profile)


def _check_same(folder: Path) -> None:
    """Compare all results with the first ones of all."""
    first = folder / "first"
    for result in folder.glob("*.json"):
        if not first.exists():
            result.rename(first)
        elif result.read_bytes() != first.read_bytes():
            raise SystemExit(f"whole command: {result.name} is not what came first")


def _measure_many(folder: Path, profile: str) -> None:
    rows = short_rows(CONFIGS, MANY_QUESTIONS)
    gold, answers = _write(folder / "many", rows)
    for form in ("summary", "upstream"):
        command = _command(gold, answers, folder / "many.json", profile, form)
        one, two = _run([command]), _run([[*command, "--num-proc", "2"]])
        how = f"{one.megabytes:.0f} MB, {one.seconds:.1f} s; two processes {one.seconds / two.seconds:.2f} x"
        print(f"  {len(rows):,} rows, --format {form}: {how}")


def _command(gold: Path, answers: Path, output: Path, profile: str, form: str = "upstream") -> list[str]:
    where = ["-p", str(answers), "-d", str(gold), "-o", str(output)]
    return [sys.executable, "-m", "multiloko_scripts.cli", "score", *where, "--profile", profile, "--format", form]


def _official_command(folder: Path, official: Path, gold: Path, answers: Path) -> list[str]:
    # The first version forgot an import, and all of them read files in the encoding of the machine.
    script = folder / "official_eval.py"
    script.write_text("import glob\n" + official.read_text(encoding="utf-8"), encoding="utf-8")
    where = ["-d", str(gold), "-s", "dev", "-p", str(answers), "-o", str(folder / "official.json")]
    return [sys.executable, "-X", "utf8", str(script), *where]


def _run(commands: Sequence[list[str]]) -> Usage:
    """Run commands at the same time to their end, without what they say."""
    started = time.perf_counter()
    nothing = os.open(os.devnull, os.O_WRONLY)
    outputs = [(os.POSIX_SPAWN_DUP2, nothing, stream) for stream in (1, 2)]
    processes = [os.posix_spawn(command[0], command, os.environ, file_actions=outputs) for command in commands]
    os.close(nothing)
    kilobytes = 0.0
    for process, command in zip(processes, commands, strict=True):
        _, status, usage = os.wait4(process, 0)
        if os.waitstatus_to_exitcode(status):
            raise SystemExit(f"failed: {' '.join(command)}")
        kilobytes += usage.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
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
