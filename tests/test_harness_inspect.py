"""The task of inspect_ai, run over the sample with its mock model."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, run_process
from harness_model import mean_em

from multiloko_metric.languages import parse_config

TASKS = ROOT / "harness" / "inspect_tasks.py"

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("inspect_ai"), reason="inspect_ai is not installed")

# The mock model is given its answers in Python; usage is given too, or it would download a tokenizer to count tokens.
_RUN = """
import sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
sys.path.insert(0, {tests!r})
from harness_model import answer_to, answers
known = answers()
def answer(input, tools, tool_choice, config):
    output = ModelOutput.from_content("mockllm", answer_to(input[-1].text, known))
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output
model = get_model("mockllm/model", custom_outputs=answer)
log, = eval({task!r}, model=model, task_args={arguments!r}, log_dir={folder!r}, log_format="json", display="none")
assert log.status == "success", log.error
print(log.location)
"""


def _run(folder: Path, **arguments: Any) -> dict[str, Any]:
    code = _RUN.format(
        tests=str(ROOT / "tests"), task=f"{TASKS}@multiloko", arguments=arguments, folder=str(folder / "logs")
    )
    finished = run_process([sys.executable, "-c", code], folder)
    assert finished.returncode == 0, finished.stderr[-3000:]
    (path,) = (folder / "logs").glob("*.json")
    log: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return log


def _values(log: dict[str, Any], metric: str) -> dict[str, float]:
    (found,) = [each for each in log["results"]["scores"] if each["name"] == metric]
    return {name: each["value"] for name, each in found["metrics"].items()}


@pytest.fixture
def use_sample(installed_sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MULTILOKO_DATASET", "multiloko_sample")


@pytest.mark.usefixtures("use_sample")
@pytest.mark.parametrize(
    ("style", "configs"), [("chat", "fr,ar,zh-hans"), ("base", "local"), ("chat", "fr,fr-en-human")]
)
def test_em_is_that_of_our_scorer_on_the_logged_answers(tmp_path: Path, style: str, configs: str) -> None:
    log = _run(tmp_path, configs=configs, style=style)
    answered: dict[str, list[tuple[str, str]]] = {}
    for sample in log["samples"]:
        answer = sample["output"]["choices"][0]["message"]["content"]
        answered.setdefault(sample["metadata"]["config"], []).append((sample["metadata"]["id"], answer))
    printed = _values(log, "em")
    expected = {name: mean_em(of, name, parse_config(name).question.name) for name, of in answered.items()}
    assert {name: printed[f"grouped_{name}"] for name in answered} == expected
    assert 0 < sum(expected.values()) < len(expected)
    average = printed.get("grouped_average")
    if configs == "fr,fr-en-human":  # local and translated questions are never averaged together
        assert average is None
    else:
        assert average == pytest.approx(sum(expected.values()) / len(expected))
    assert {each["name"] for each in log["results"]["scores"]} == {"em", "f1", "chrf", "contains"}


@pytest.mark.usefixtures("use_sample")
def test_only_a_base_model_is_stopped_and_only_at_a_newline(tmp_path: Path) -> None:
    for style, stop in (("base", ["\n"]), ("chat", None)):
        folder = tmp_path / style
        folder.mkdir()
        log = _run(folder, configs="fr", style=style, shots=1)
        assert log["plan"]["config"].get("stop_seqs") == stop
        assert log["eval"]["metadata"]["shots"] == 1
