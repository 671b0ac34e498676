"""The tasks of lighteval, run by its own command over the sample. It needs torch: by hand, see harness/README.md."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest
from conftest import ROOT, run_process
from harness_model import mean_em

from multiloko_metric.languages import parse_config
from multiloko_runs.prompts import PromptSettings, make_prompts
from multiloko_source.installed import Installed

TASKS = ROOT / "harness" / "lighteval_tasks.py"
MODEL = ROOT / "tests" / "lighteval_model.py"

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("lighteval"), reason="lighteval is not installed")


@pytest.mark.parametrize("shots", [5, 1])
def test_em_is_that_of_our_scorer_on_the_logged_answers(
    installed_sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shots: int
) -> None:
    import pyarrow.parquet as pq

    monkeypatch.setenv("MULTILOKO_DATASET", "multiloko_sample")
    names = [f"multiloko:fr|{shots}", f"multiloko:ar|{shots}", f"multiloko_to_english_human:fr-en-human|{shots}"]
    command = [str(Path(sys.executable).with_name("lighteval")), "custom", "stand-in", str(MODEL), ",".join(names)]
    finished = run_process(
        [*command, "--custom-tasks", str(TASKS), "--save-details", "--output-dir", str(tmp_path)], tmp_path, timeout=300
    )
    assert finished.returncode == 0, finished.stdout[-2000:] + finished.stderr[-2000:]
    (results,) = tmp_path.glob("**/results_*.json")
    printed = json.loads(results.read_text(encoding="utf-8"))["results"]
    asked, checked = set(), 0
    for path in tmp_path.glob("**/details_*.parquet"):
        rows = pq.read_table(path).to_pylist()
        (name,) = {row["doc"]["specific"]["config"] for row in rows}
        answered = [(row["doc"]["specific"]["id"], row["model_response"]["text"][0]) for row in rows]
        (task,) = {row["doc"]["task_name"] for row in rows}
        em = printed[task]["em"]
        assert em == mean_em(answered, name, parse_config(name).question.name) == 0.5
        asked |= {row["model_response"]["input"] for row in rows}
        checked += 1
    assert checked == len(names)
    configs = [parse_config(name) for name in ("fr", "ar", "fr-en-human")]
    made = make_prompts(Installed("multiloko_sample"), configs, PromptSettings("base", shots))
    assert asked == {prompt.prompt for prompt in made}
