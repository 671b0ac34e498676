"""Every command and every line of Python in the README is run here, as a new user would, and gives what it says."""

from __future__ import annotations

import doctest
import functools
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from model_server import ModelServer, Request, Turn

from bench.full_size import write_full_size
from multiloko_source.archive import pack
from multiloko_source.sample import open_sample

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(kind: str) -> list[str]:
    return [text for found, text in BLOCK.findall(README) if found == kind]


ENDPOINT = "http://localhost:8000/v1"
"""Of the model that the README asks; another port is free where the tests run."""


def _imaginary_model() -> ModelServer:
    """A model that knows French, thinks too long in Japanese, and says nothing in Thai the second time."""
    data = open_sample()
    answers = {row["question"]: row["targets"][0] for row in data.rows("fr")}
    thought_about = {row["question"] for row in data.rows("ja")}
    *_, last = (row["question"] for row in data.rows("th"))

    def script(request: Request, before: int) -> Turn:
        for question, answer in answers.items():
            if question in request.prompt:
                return Turn(text=answer)
        if any(question in request.prompt for question in thought_about):
            return Turn(finish_reason="length", message={"content": None, "reasoning_content": "hm, " * 1000})
        return Turn(text="" if last in request.prompt else None)

    return ModelServer(script)


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, object]]:
    """A new user's folder and environment. The official archive comes from a server on loopback, and is made up."""
    folder = tmp_path_factory.mktemp("user")
    served = tmp_path_factory.mktemp("served")
    write_full_size(served / "data", text=0)
    pack(served / "data", served / "benchmark_data.tar.xz.enc")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_QuietHandler, directory=str(served)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = {
        **os.environ,
        "HF_HOME": str(folder / "home"),
        "HF_HUB_OFFLINE": "1",
        "MULTILOKO_URL": f"http://127.0.0.1:{server.server_port}/benchmark_data.tar.xz.enc",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
    }
    environment.pop("MULTILOKO_DATA", None)
    _write_answers(folder, served / "data" / "french" / "dev.jsonl")
    with _imaginary_model() as model:
        yield {"folder": folder, "environment": environment, "endpoint": model.url}
    server.shutdown()
    server.server_close()


def _write_answers(folder: Path, gold: Path) -> None:
    """The answers of two models to the French questions, one right more often than the other."""
    rows = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    _write_log(folder / "logs" / "samples_multiloko_fr_2026-12-01T10-00-00.000000.jsonl", rows)
    wrong = ("8 mai 1985", "Le Drac")
    for name, period in (("answers", 3), ("other", 5)):
        with (folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for number, row in enumerate(rows):
                right = number % period == 0
                prediction = row["targets"][1] if right else wrong[number % 2]
                answer = {"language": "fr", "id": row["id"], "prediction": prediction}
                file.write(json.dumps(answer, ensure_ascii=False) + "\n")


def _write_log(path: Path, rows: list[dict[str, str]]) -> None:
    """What lm-evaluation-harness writes of a base model that goes on after its answers, a third of which are right."""
    path.parent.mkdir()
    with path.open("w", encoding="utf-8") as file:
        for number, row in enumerate(rows):
            answer = row["targets"][0] if number % 3 == 0 else ("8 mai 1985", "Le Drac", "Lyon", "1912")[number % 4]
            text = f" {answer}\n\nQuestion : Quel fleuve traverse Paris ?\nRéponse : la Seine"
            doc = {**row, "config": "fr"}
            sample = {"doc_id": number, "doc": doc, "resps": [[text]], "filtered_resps": [text], "filter": "none"}
            file.write(json.dumps(sample, ensure_ascii=False) + "\n")


def commands() -> list[tuple[str, str]]:
    """Each command of a console block with the output that follows it."""
    found: list[tuple[str, str]] = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


@pytest.fixture(scope="module")
def shown(user: dict[str, object]) -> list[tuple[str, str, subprocess.CompletedProcess[str]]]:
    """Each command with the output it should have, run one after another: later ones use what earlier ones wrote."""
    address = str(user["endpoint"])
    return [
        (
            command,
            expected.replace(ENDPOINT, address),
            subprocess.run(
                command.replace(ENDPOINT, address),
                shell=True,
                cwd=str(user["folder"]),
                env=user["environment"],  # type: ignore[arg-type]
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            ),
        )
        for command, expected in commands()
    ]


def test_every_command_gives_the_output_it_shows(
    shown: list[tuple[str, str, subprocess.CompletedProcess[str]]],
) -> None:
    assert len(shown) > 5
    for command, expected, done in shown:
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        assert matches(expected, done.stdout), f"$ {command}\n{done.stdout}"


def matches(expected: str, shown: str) -> bool:
    """Whether the output is as expected; a line ``...`` stands for any lines, trailing spaces do not count."""
    expected, shown = ("".join(f"{line.rstrip()}\n" for line in text.splitlines()) for text in (expected, shown))
    return doctest.OutputChecker().check_output(expected, shown, doctest.ELLIPSIS)


@pytest.mark.usefixtures("shown")  # the data that they load is installed by then
def test_python_runs(user: dict[str, object]) -> None:
    assert len(blocks("python")) >= 2
    for block in blocks("python"):
        ran = subprocess.run(
            [sys.executable, "-c", block],
            cwd=str(user["folder"]),
            env=user["environment"],  # type: ignore[arg-type]
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, f"{block}\n{ran.stderr}"


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = {word for block in blocks("sh") for word in re.findall(r"^make (\w+)", block, re.MULTILINE)}
    assert {"demo", "test"} <= named
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_files_that_it_names_exist() -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)\)", README)
    assert links
    for link in links:
        assert (ROOT / link).exists(), link


def test_options_that_it_names_exist() -> None:
    """Each ``--option`` in the text is one that some subcommand has."""
    text = BLOCK.sub("", README)
    helps = "".join(
        subprocess.run(
            [sys.executable, "-m", "multiloko_scripts.cli", *shlex.split(name), "--help"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in (
            "install",
            "list",
            "download",
            "prompts",
            "run",
            "score",
            "convert",
            "compare",
            "profiles",
            "export",
            "publish",
        )
    )
    for option in set(re.findall(r"`(--[a-z-]+)", text)):
        assert option in helps, option
