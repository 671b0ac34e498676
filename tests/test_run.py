"""``multiloko run``, the installed command against a server on loopback, left alone, failing and killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import COMMAND, Finished, Multiloko
from model_server import MODEL, ModelServer, Request, Turn, error, said

from multiloko_source.sample import open_sample

QUICK = ("--retries", "2", "--retry-wait", "0.01")
Run = Callable[..., Finished]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in os.environ if each.startswith("OPENAI_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as started:
        yield started


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "answers.jsonl"


@pytest.fixture
def run(multiloko: Multiloko, output: Path) -> Run:
    """Run the command on the sample without scoring, unless told otherwise."""

    def started(server: ModelServer, *more: str, score: bool = False) -> Finished:
        return multiloko(*arguments(server, output, *more, score=score))

    return started


def arguments(server: ModelServer, output: Path, *more: str, score: bool = False) -> list[str]:
    where = ["run", "--model", MODEL, "--base-url", server.url, "--sample", "-o", str(output)]
    return [*where, *QUICK, *more, *([] if score else ["--no-score"])]


def header(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8").split("\n")[0])["multiloko_run"])


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[1:] if line]


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir() if each.is_file() and not each.name.endswith(".lock"))


def test_every_question_is_asked_once_and_scored(run: Run, server: ModelServer, output: Path) -> None:
    finished = run(server, score=True)
    assert finished.returncode == 0, finished.stderr
    assert len(server.requests) == 62
    assert set(server.answered.values()) == {1}
    data = open_sample()
    configs = [row["config"] for row in rows(output)]
    assert list(dict.fromkeys(configs))[:3] == ["ar", "bn", "yue"]
    assert [row["id"] for row in rows(output) if row["config"] == "fr"] == [row["id"] for row in data.rows("fr")]
    assert all(row["prediction"].startswith("antwoord ") for row in rows(output))
    assert "over 31 of 31 languages" in finished.stdout
    assert "asking 62 questions of imaginary-1b at http://127.0.0.1:" in finished.stderr
    assert names(output.parent) == ["answers.jsonl"]


def test_the_score_at_the_end_is_what_score_prints(
    run: Run, multiloko: Multiloko, server: ModelServer, output: Path
) -> None:
    shown = run(server, "--configs", "fr,fr-en-human", score=True).stdout
    assert shown == multiloko("score", "-p", output, "--sample").stdout
    assert "French" in shown


def test_the_gold_stays_here(run: Run, server: ModelServer) -> None:
    run(server)
    sent = json.dumps([request.body for request in server.requests], ensure_ascii=False)
    data = open_sample()
    for name in ("fr", "ja", "ar"):
        for row in data.rows(name):
            assert row["question"] in sent
            assert row["text"] not in sent
            assert row["target"] not in sent


def test_what_is_recorded(run: Run, server: ModelServer, output: Path) -> None:
    run(server, "--configs", "fr", "--max-tokens", "99", "--style", "base", "--shots", "2")
    recorded = header(output)
    assert recorded["model"] == MODEL
    assert recorded["endpoint"] == server.url
    assert recorded["generation"] == {"max_tokens": 99, "temperature": 0.0, "stop": ["\n"]}
    assert (recorded["prompts"]["style"], recorded["prompts"]["shots"]) == ("base", 2)
    assert recorded["subset"] == "dev"
    assert recorded["data"] == open_sample().fingerprint
    assert {request.path for request in server.requests} == {"/v1/completions"}
    counted = {"finish_reason", "reasoning_characters", "prompt_tokens", "completion_tokens", "model"}
    assert rows(output)[0].keys() == {"config", "id", "prediction", *counted}


def test_again_nothing_is_asked(run: Run, server: ModelServer, output: Path) -> None:
    run(server, "--configs", "fr,de")
    before = output.read_bytes()
    finished = run(server, "--configs", "de,fr")
    assert finished.returncode == 0
    assert "is complete: 4 questions, all answered; nothing is asked" in finished.stderr
    assert len(server.requests) == 4
    assert output.read_bytes() == before


def test_more_questions_are_going_on_and_fewer_lose_none(run: Run, server: ModelServer, output: Path) -> None:
    whole = output.with_name("whole.jsonl")
    run(server, "--configs", "de", "--limit", "1")
    run(server, "--configs", "fr,de")
    assert len(server.requests) == 4
    run(server, "--configs", "fr", "--limit", "1")
    run(server, "--configs", "ar", "--limit", "1")
    assert len(server.requests) == 5
    assert [row["config"] for row in rows(output)] == ["ar", "fr", "fr", "de", "de"]
    run(server, "--configs", "ar,fr,de", "-o", str(whole))
    run(server, "--configs", "ar,fr,de")
    assert output.read_bytes() == whole.read_bytes()


def test_two_runs_give_equal_bytes_whatever_order_answers_come_in(run: Run, output: Path) -> None:
    def script(request: Request, before: int) -> Turn:
        return Turn(delay=int(said(request.prompt)[-1], 16) / 200 * (1 + before))

    other = output.with_name("other.jsonl")
    with ModelServer(script) as server:
        run(server)
        run(server, "-o", str(other), "--concurrency", "3")
        assert server.most_at_once == 16
    assert output.read_bytes() == other.read_bytes()


def test_killed_twice_and_resumed_it_ends_with_the_bytes_of_a_run_left_alone(run: Run, output: Path) -> None:
    alone = output.with_name("alone.jsonl")
    with ModelServer(delay=0.05) as server:
        run(server, "-o", str(alone))
        for _ in range(2):
            already = _journaled(output)
            begun = len(server.requests)
            process = subprocess.Popen(
                [COMMAND, *arguments(server, output, "--concurrency", "4")], stderr=subprocess.DEVNULL
            )
            while len(server.requests) < begun + 18:
                time.sleep(0.005)
                assert process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert not output.exists()
            assert len(_journaled(output)) > len(already)
            assert already.isdisjoint(_answers_of(server.requests[begun:]))
        already, begun = _journaled(output), len(server.requests)
        finished = run(server)
        assert finished.returncode == 0
        assert f"asking {62 - len(already)} of 62 questions" in finished.stderr
        assert len(server.requests) - begun == 62 - len(already)
        assert already.isdisjoint(_answers_of(server.requests[begun:]))
    assert output.read_bytes() == alone.read_bytes()
    assert names(output.parent) == ["alone.jsonl", "answers.jsonl"]


def _journaled(output: Path) -> set[str]:
    """Answers that are in the journal, each of which the model gives to one prompt only."""
    journal = output.with_name("answers.jsonl.part")
    whole = journal.read_bytes().split(b"\n")[1:-1] if journal.exists() else []
    return {json.loads(line)["prediction"] for line in whole}


def _answers_of(requests: list[Request]) -> set[str]:
    return {said(request.prompt) for request in requests}


def test_ctrl_c_says_one_line_and_can_be_resumed(run: Run, output: Path) -> None:
    with ModelServer(delay=0.05) as server:
        command = [COMMAND, *arguments(server, output, "--concurrency", "4")]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while len(server.requests) < 20:
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 130
        kept = len(_journaled(output))
        assert errors.splitlines()[1:] == [f"multiloko: interrupted; {kept} answers are kept; the same command goes on"]
        assert kept >= 12
        assert f"asking {62 - kept} of 62 questions" in run(server).stderr
    assert len(rows(output)) == 62


def test_two_processes_on_one_file(run: Run, output: Path) -> None:
    second_has_ended = threading.Event()

    def script(request: Request, before: int) -> None:
        second_has_ended.wait(30)

    with ModelServer(script) as server:
        command = [COMMAND, *arguments(server, output, "--configs", "fr,de")]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while not server.requests:
            time.sleep(0.005)
        finished = run(server)
        second_has_ended.set()
        assert finished.returncode == 2
        assert finished.stderr.startswith(f"multiloko: another process is writing {output}")
        assert process.wait() == 0
        assert len(server.requests) == 4


def test_other_settings_are_refused_by_name(run: Run, server: ModelServer, output: Path) -> None:
    run(server, "--configs", "fr", "--temperature", "0.5")
    before = output.read_bytes()
    finished = run(server, "--configs", "fr", "--max-tokens", "7", "--shots", "1")
    assert finished.returncode == 2
    assert "generation.max_tokens: 2048 there, 7 now\n" in finished.stderr
    assert "generation.temperature: 0.5 there, 0.0 now\n" in finished.stderr
    assert "prompts.shots: 0 there, 1 now\n" in finished.stderr
    assert "Traceback" not in finished.stderr
    assert output.read_bytes() == before


def test_trouble_that_passes_leaves_no_trace(run: Run, output: Path) -> None:
    troubles = [
        error(429, "slow down", headers={"Retry-After": "0.05"}),
        error(503, "loading"),
        Turn(cut=0),
        Turn(cut=20),
        Turn(body=b"<html>"),
    ]

    def script(request: Request, before: int) -> Turn | None:
        return None if before else troubles[int(said(request.prompt)[-1], 16) % len(troubles)]

    alone = output.with_name("alone.jsonl")
    with ModelServer(script) as server:
        finished = run(server)
        assert finished.returncode == 0, finished.stderr
        assert len(server.requests) == 124
        run(server, "-o", str(alone))
        assert len(server.requests) == 186
    assert output.read_bytes() == alone.read_bytes()


def test_what_failed_is_missing_is_listed_and_is_asked_again(run: Run, output: Path) -> None:
    broken = True
    french = {row["question"] for row in open_sample().rows("fr")}

    def script(request: Request, before: int) -> Turn | None:
        if broken and any(question in request.prompt for question in french):
            return error(500, "out of memory")
        return None

    with ModelServer(script) as server:
        finished = run(server, "--configs", "de,fr,it", score=True)
        assert finished.returncode == 1
        assert finished.stderr.endswith(
            "multiloko: 2 questions have no answer:\n  2 server error: HTTP 500: out of memory\n"
            f"{output} has null for them; the same command asks just for those again\n"
        )
        failed = [row for row in rows(output) if row["config"] == "fr"]
        expected = {"kind": "server_error", "message": "HTTP 500: out of memory"}
        assert [(row["prediction"], row["error"]) for row in failed] == [(None, expected)] * 2
        broken, begun = False, len(server.requests)
        finished = run(server, "--configs", "de,fr,it")
        assert finished.returncode == 0
        assert "asking 2 of 6 questions" in finished.stderr
        assert len(server.requests) == begun + 2
        assert [row["config"] for row in rows(output)] == ["fr", "fr", "de", "de", "it", "it"]
        assert all(row["prediction"] for row in rows(output))


def test_what_explains_a_bad_score_is_counted_per_language(run: Run, output: Path) -> None:
    turns = {
        "fr": Turn(finish_reason="length", text=""),
        "de": Turn(finish_reason="content_filter", message={"content": None}),
        "th": Turn(text=" \n"),
        "it": Turn(text="Roma", message={"reasoning_content": "hm" * 50}),
        "es": error(400, "the response was filtered", "content_filter"),
    }
    data = open_sample()
    by_question = {row["question"]: name for name in [*turns, "ja"] for row in data.rows(name)}

    def script(request: Request, before: int) -> Turn | None:
        return turns.get(next(name for question, name in by_question.items() if question in request.prompt))

    with ModelServer(script) as server:
        finished = run(server, "--configs", ",".join([*turns, "ja"]))
    assert finished.returncode == 1
    assert [line for line in finished.stderr.splitlines() if line.startswith("note")] == [
        "note: 2 of 12 cut off at the token limit: fr 2",
        "note: 4 of 12 refused by a content filter: de 2, es 2",
        "note: 6 of 12 empty: fr 2, de 2, th 2",
        "note: reasoning came apart in 2 answers, 100 characters each; it is not scored",
    ]
    by_config = {row["config"]: row for row in rows(output)}
    assert by_config["fr"]["prediction"] == ""
    assert by_config["de"]["prediction"] == ""
    assert by_config["th"]["prediction"] == " \n"
    assert by_config["it"]["reasoning_characters"] == 100
    assert by_config["es"]["prediction"] is None
    assert "  2 content filter: HTTP 400: the response was filtered" in finished.stderr


def test_another_models_name_is_told(run: Run, output: Path) -> None:
    with ModelServer(lambda request, before: Turn(model="other")) as server:
        finished = run(server, "--configs", "fr")
    assert f"note: the server calls the model 'other'; '{MODEL}' was asked for" in finished.stderr
    assert rows(output)[0]["model"] == "other"


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        (error(401, "bad key"), "refuses access (HTTP 401: bad key); the key is read from OPENAI_API_KEY"),
        (error(403, "no"), "refuses access (HTTP 403: no)"),
        (error(404, "no model x"), "does not have what is asked for (HTTP 404: no model x)"),
        (Turn(307, {"Location": "http://localhost:9/"}, b""), "redirects to another address"),
    ],
)
def test_what_every_question_would_meet_ends_the_run_at_once(run: Run, output: Path, turn: Turn, message: str) -> None:
    with ModelServer(lambda request, before: turn) as server:
        finished = run(server, "--concurrency", "4")
        assert finished.returncode == 2
        assert finished.stderr.count(message) == 1
        assert finished.stderr.endswith("\nthere are no answers yet\n")
        assert "Traceback" not in finished.stderr
        assert len(server.requests) <= 8
    assert names(output.parent) == []


def test_a_key_that_is_withdrawn_loses_no_answer(run: Run, output: Path) -> None:
    open_till = 30

    def script(request: Request, before: int) -> Turn | None:
        return error(401, "expired") if len(server.requests) > open_till else Turn(delay=0.01)

    with ModelServer(script) as server:
        finished = run(server, "--concurrency", "4")
        assert finished.returncode == 2
        kept = len(_journaled(output))
        assert 26 <= kept <= 30
        assert finished.stderr.endswith(f"{kept} answers are kept; the same command goes on\n")
        open_till = 1000
        assert run(server).returncode == 0
    assert len(rows(output)) == 62


def test_a_server_that_goes_away(run: Run, output: Path) -> None:
    with ModelServer(delay=0.02) as server:
        command = [COMMAND, *arguments(server, output, "--concurrency", "4")]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while len(server.requests) < 20:
            time.sleep(0.005)
        server.script = lambda request, before: Turn(cut=0)
        server.stop()
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 2
    assert "Traceback" not in errors
    assert errors.endswith("answers are kept; the same command goes on\n")
    assert len(_journaled(output)) >= 12


def test_nobody_listens(run: Run, output: Path) -> None:
    with ModelServer() as server:
        pass
    finished = run(server)
    assert finished.returncode == 2
    assert "the server is gone (connection refused)\nthere are no answers yet\n" in finished.stderr


def test_a_dry_run_sends_nothing(run: Run, server: ModelServer, output: Path) -> None:
    finished = run(server, "--dry-run", "--translated", "--limit", "1")
    assert finished.returncode == 0, finished.stderr
    assert server.requests == []
    assert names(output.parent) == []
    assert f"151 requests to {server.url} for {MODEL}; nothing was sent" in finished.stdout
    assert "answers: at most 309,248 tokens (2,048 each)" in finished.stdout
    assert next(iter(open_sample().rows("ar")))["question"] in finished.stdout


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--configs", "xx"), "no config is called 'xx'"),
        (("--subset", "test"), "has no test questions of"),
        (("--subset", "fewshot"), "few-shot examples are not asked"),
        (("--base-url", "localhost"), "--base-url must be an address"),
    ],
)
def test_what_cannot_be_asked(run: Run, server: ModelServer, output: Path, more: tuple[str, ...], message: str) -> None:
    finished = run(server, *more)
    assert finished.returncode == 2
    assert message in finished.stderr
    assert "Traceback" not in finished.stderr
    assert server.requests == []
    assert names(output.parent) == []


def test_no_file_to_write(multiloko: Multiloko) -> None:
    finished = multiloko("run", "--model", "m", "--base-url", "http://localhost:1/v1", "--sample")
    assert (finished.returncode, finished.stderr) == (2, "multiloko: name the file for the answers with -o FILE\n")


def test_a_secret_in_the_address_is_in_no_file_and_no_message(run: Run, server: ModelServer, output: Path) -> None:
    url = server.url.replace("http://", "http://user:pass-word@") + "?token=to-ken"
    finished = run(server, "--base-url", url, "--configs", "fr")
    assert finished.returncode == 0, finished.stderr
    everything = output.read_text(encoding="utf-8") + finished.stderr + finished.stdout
    assert "pass-word" not in everything
    assert "to-ken" not in everything
    assert header(output)["endpoint"] == server.url
    assert run(server, "--configs", "fr").returncode == 0  # the same endpoint


def test_the_client_is_imported_only_to_ask() -> None:
    code = "import sys; from multiloko_scripts.cli import parser; parser('run'); sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
