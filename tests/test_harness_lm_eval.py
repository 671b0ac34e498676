"""The tasks of lm-evaluation-harness, run by its own command over the sample."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, run_process
from harness_model import endpoint, mean_em

from multiloko_metric.languages import CONFIGS, parse_config
from multiloko_runs.prompts import PromptSettings, make_prompts
from multiloko_source.installed import Installed

TASKS = ROOT / "harness" / "lm_eval"
BASE_CONFIGS = ("fr", "zh-hans", "fr-en-human")

needs_lm_eval = pytest.mark.skipif(not importlib.util.find_spec("lm_eval"), reason="lm_eval is not installed")


def _write_tasks() -> Any:
    spec = importlib.util.spec_from_file_location("write_tasks", TASKS / "write_tasks.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_files_are_those_of_the_table_of_languages() -> None:
    expected = _write_tasks().task_files()
    found = {path.relative_to(TASKS).as_posix() for folder in ("base", "chat") for path in TASKS.glob(f"{folder}/*")}
    assert found == set(expected)
    assert len([name for name in expected if "/_" not in name]) == 2 * len(CONFIGS)
    for name, content in expected.items():
        assert (TASKS / name).read_text(encoding="utf-8") == content, f"run {TASKS / 'write_tasks.py'}"


def _run(folder: Path, *arguments: str) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """Run the command; return its results and the logged samples, by task."""
    command = [str(Path(sys.executable).with_name("lm_eval")), "run", "--include_path", str(TASKS), *arguments]
    finished = run_process([*command, "--log_samples", "--output_path", str(folder)], folder, timeout=300)
    assert finished.returncode == 0, finished.stderr[-3000:]
    (results,) = folder.glob("**/results_*.json")
    samples = {}
    for path in folder.glob("**/samples_*.jsonl"):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        samples[path.name.removeprefix("samples_").rsplit("_", 1)[0]] = rows
    return json.loads(results.read_text(encoding="utf-8")), samples


def _check_em(results: dict[str, Any], samples: dict[str, list[dict[str, Any]]]) -> list[float]:
    """The em of each task, each found equal to what our scorer gives for the logged answers."""
    printed = []
    for task, rows in samples.items():
        (name,) = {row["doc"]["config"] for row in rows}
        answered = [(row["doc"]["id"], row["filtered_resps"][0]) for row in rows]
        printed.append(results["results"][task]["em,none"])
        assert printed[-1] == mean_em(answered, name, parse_config(name).question.name)
    return printed


@pytest.fixture
def use_sample(installed_sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MULTILOKO_DATASET", "multiloko_sample")
    monkeypatch.setitem(os.environ, "OPENAI_API_KEY", "none")


@needs_lm_eval
@pytest.mark.usefixtures("use_sample")
def test_the_groups_run_with_the_dummy_model(tmp_path: Path) -> None:
    tasks = "multiloko,multiloko_chat,multiloko_translated"
    results, samples = _run(tmp_path, "--model", "dummy", "--tasks", tasks, "--limit", "1")
    assert len(samples) == 31 + 31 + 120
    assert len(results["group_subtasks"]["multiloko"]) == 31
    assert "em,none" in results["results"]["multiloko_from_english_machine"]
    assert "em,none" not in results["results"]["multiloko_translated"]  # its four groups are never averaged together
    assert results["n-shot"]["multiloko_fr"] == 5
    assert results["n-shot"]["multiloko_chat_fr"] == 0


@needs_lm_eval
@pytest.mark.usefixtures("use_sample")
@pytest.mark.parametrize("shots", [None, 1])
def test_a_base_model_is_asked_with_our_prompts(tmp_path: Path, shots: int | None) -> None:
    names = ",".join(f"multiloko_{name}" for name in BASE_CONFIGS)
    with endpoint() as (url, requests):
        model = f"model=stand-in,base_url={url}/completions,tokenizer_backend=None,tokenized_requests=False"
        more = ["--num_fewshot", str(shots)] if shots is not None else []
        results, samples = _run(
            tmp_path, "--model", "local-completions", "--model_args", model, "--tasks", names, *more
        )
    asked = [
        text for each in requests for text in ([each["prompt"]] if isinstance(each["prompt"], str) else each["prompt"])
    ]
    made = make_prompts(
        Installed("multiloko_sample"), [parse_config(name) for name in BASE_CONFIGS], PromptSettings("base", shots)
    )
    assert sorted(asked) == sorted(str(prompt.prompt) for prompt in made)
    assert set().union(*[each["stop"] for each in requests]) == {"\n"}
    assert set(samples) == {f"multiloko_{name}" for name in BASE_CONFIGS}
    assert set(_check_em(results, samples)) == {0.5}


@needs_lm_eval
@pytest.mark.usefixtures("use_sample")
def test_a_chat_model_is_asked_in_messages_and_not_stopped(tmp_path: Path) -> None:
    with endpoint() as (url, requests):
        model = f"model=stand-in,base_url={url}/chat/completions"
        results, samples = _run(
            tmp_path, "--model", "local-chat-completions", "--model_args", model, "--apply_chat_template",
            "--tasks", "multiloko_chat_fr,multiloko_chat_ar",
        )  # fmt: skip
    made = make_prompts(Installed("multiloko_sample"), [parse_config("fr"), parse_config("ar")], PromptSettings("chat"))
    assert sorted([each["content"] for each in request["messages"]] for request in requests) == sorted(
        [each["content"] for each in prompt.messages or ()] for prompt in made
    )
    assert not [each["stop"] for each in requests if "\n" in (each.get("stop") or [])]
    assert set(_check_em(results, samples)) == {0.5}
