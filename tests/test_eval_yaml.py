"""``eval.yaml`` of an export: what is in it, and that inspect_ai takes it from a Hub and runs it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import run_process
from harness_model import answer_to, answers, mean_em
from hub_server import HubServer
from multiloko_scripts.cli import main
from multiloko_scripts.export import export_data

from multiloko_metric.languages import ALL, LANGUAGES, parse_config
from multiloko_runs.prompts import PromptSettings, make_prompts
from multiloko_source.sample import open_sample
from multiloko_source.source import Source, open_source

DATASET = "owner/multiloko_sample"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, exported."""
    folder = tmp_path_factory.mktemp("export")
    export_data(open_sample(), folder / "multiloko", sample=True)
    return folder / "multiloko"


def read(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((folder / "eval.yaml").read_text(encoding="utf-8"))
    return content


def source_of(folder: Path, files: dict[str, list[dict[str, Any]]]) -> Source:
    """A source with these rows; each has an id, a target and a kind of answer unless it says otherwise."""
    for name, rows in files.items():
        path = folder / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [{"id": str(at), "targets": ["x"], "output_type": "un mot", **row} for at, row in enumerate(rows)]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return open_source(folder)


class TestFile:
    def test_says_what_the_benchmark_is(self, folder: Path) -> None:
        content = read(folder)
        assert list(content) == ["name", "description", "evaluation_framework", "metrics", "tasks"]
        assert content["evaluation_framework"] == "inspect-ai"
        assert "not MultiLoKo data" in content["description"]
        assert content["metrics"] == [
            {"id": "em", "higher_is_better": True, "primary": True},
            {"id": "f1", "higher_is_better": True},
            {"id": "chrf", "higher_is_better": True},
            {"id": "contains", "higher_is_better": True},
        ]

    def test_a_task_for_all_and_one_for_each_language(self, folder: Path) -> None:
        tasks = read(folder)["tasks"]
        names = [ALL, *(language.code for language in LANGUAGES)]
        assert [task["id"] for task in tasks] == [task["config"] for task in tasks] == names
        assert {task["split"] for task in tasks} == {"dev"}

    def test_a_task_in_full(self, folder: Path) -> None:
        (task,) = (task for task in read(folder)["tasks"] if task["id"] == "en")
        template = (
            "Answer the question in English, as briefly as you can. Write only the answer: no full sentence, no "
            "explanation.\n\nQuestion: {prompt}\nKind of answer: {output_type}"
        )
        assert task == {
            "id": "en",
            "config": "en",
            "split": "dev",
            "field_spec": {
                "input": "question",
                "target": "targets",
                "metadata": ["id", "output_type", "source_language", "question_language"],
            },
            "solvers": [{"name": "prompt_template", "args": {"template": template}}, {"name": "generate"}],
            "scorers": [{"name": "exact"}, {"name": "f1"}],
        }

    def test_the_prompt_is_that_of_a_run(self, folder: Path) -> None:
        data = open_sample()
        tasks = {task["id"]: task for task in read(folder)["tasks"]}
        for language in LANGUAGES:
            template = tasks[language.code]["solvers"][0]["args"]["template"]
            rows = {row["id"]: row for row in data.rows(language.code)}
            made = list(make_prompts(data, [parse_config(language.code)], PromptSettings("chat")))
            assert made
            for prompt in made:
                row = rows[prompt.id]
                asked = template.format(prompt=row["question"], output_type=row["output_type"])
                assert prompt.messages == ({"role": "user", "content": asked},)

    def test_every_column_that_is_named_is_there(self, folder: Path) -> None:
        import pyarrow.parquet as pq

        for task in read(folder)["tasks"]:
            fields = task["field_spec"]
            columns = pq.read_schema(folder / f"data/{task['config']}/{task['split']}-00000-of-00001.parquet").names
            assert {fields["input"], fields["target"], *fields["metadata"]} <= set(columns)

    def test_is_readable(self, folder: Path) -> None:
        text = (folder / "eval.yaml").read_text(encoding="utf-8")
        assert "template: |-\n" in text
        assert "&id" not in text
        assert "السؤال: {prompt}" in text


class TestPartial:
    def exported(self, tmp_path: Path, files: dict[str, list[dict[str, Any]]]) -> Path:
        (tmp_path / "out").mkdir()
        export_data(source_of(tmp_path / "data", files), tmp_path / "out")
        return tmp_path / "out"

    def test_only_what_is_there(self, tmp_path: Path) -> None:
        question = [{"question": "Q ?"}]
        files = {"french/dev": question, "thai/dev": question, "french/dev_translated_human_english": question}
        content = read(self.exported(tmp_path, files))
        assert [task["id"] for task in content["tasks"]] == ["fr", "th"]
        assert "speakers of 2 languages" in content["description"]
        assert content["name"] == "MultiLoKo"

    def test_one_language(self, tmp_path: Path) -> None:
        content = read(self.exported(tmp_path, {"french/dev": [{"question": "Q ?"}]}))
        assert "speakers of one language" in content["description"]

    def test_another_subset_where_there_is_no_dev(self, tmp_path: Path) -> None:
        files = {"french/test": [{"question": "Q ?"}], "french/knowledge_fewshot": [{"question": "Q ?"}]}
        (task,) = read(self.exported(tmp_path, files))["tasks"]
        assert (task["config"], task["split"]) == ("fr", "test")

    def test_no_line_for_the_kind_of_answer_where_a_question_has_none(self, tmp_path: Path) -> None:
        rows = [{"question": "Q ?"}, {"question": "R ?", "output_type": None}]
        (task,) = read(self.exported(tmp_path, {"french/dev": rows}))["tasks"]
        template = task["solvers"][0]["args"]["template"]
        assert template.endswith("\n\nQuestion : {prompt}")

    def test_translations_alone_are_no_benchmark(self, tmp_path: Path) -> None:
        folder = self.exported(tmp_path, {"french/dev_translated_human_english": [{"question": "Q?"}]})
        assert not (folder / "eval.yaml").exists()
        assert "## As a benchmark" not in (folder / "README.md").read_text(encoding="utf-8")


class TestCard:
    def test_says_whose_number_inspects_is_and_where_the_official_one_comes_from(self, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        data = source_of(tmp_path / "data", {"thai/dev": [{"question": "Q ?"}]})
        export_data(data, tmp_path / "out", repository="owner/data")
        card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
        section = card[card.index("## As a benchmark") : card.index("## Contamination")]
        assert "inspect eval hf/owner/data/th --model MODEL" in section
        assert "is inspect's own, and not the official one" in section
        assert "multiloko score -p logs/" in section
        assert "harness/inspect_tasks.py@multiloko --model MODEL -T configs=th" in section


# What follows needs inspect_ai: `make harness`.

_RUN = """
import json, sys
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
log, = eval({task!r}, model=model, log_dir="logs", log_format="json", display="none")
assert log.status == "success", log.error
"""


@pytest.fixture
def published(hub: HubServer, home: Path, capsys: pytest.CaptureFixture[str]) -> HubServer:
    """A Hub with the sample on it."""
    pytest.importorskip("inspect_ai")
    assert main(["publish", "--dataset", DATASET, "--sample", "--no-verify"]) == 0
    capsys.readouterr()
    return hub


def values(log: dict[str, Any]) -> dict[str, float]:
    return {score["name"]: next(iter(score["metrics"].values()))["value"] for score in log["results"]["scores"]}


@pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
class TestInspect:
    def test_its_loader_takes_every_task(self, folder: Path) -> None:
        hf = pytest.importorskip("inspect_ai._eval.task.hf")
        content = hf._load_eval_yaml(folder / "eval.yaml")
        for task in content["tasks"]:
            loaded = hf.HFTask.model_validate(task)
            assert (loaded.id, loaded.config, loaded.split) == (task["id"], task["config"], "dev")
            assert loaded.field_spec.target == "targets"

    def test_the_command_starts_with_the_mock_model(self, published: HubServer, tmp_path: Path) -> None:
        inspect = str(Path(sys.executable).with_name("inspect"))
        command = [inspect, "eval", f"hf/{DATASET}/fr", "--model", "mockllm/model", "--log-format", "json"]
        finished = run_process([*command, "--log-dir", "logs", "--display", "plain"], tmp_path)
        assert finished.returncode == 0, finished.stdout[-3000:] + finished.stderr[-3000:]
        (path,) = (tmp_path / "logs").glob("*.json")
        log = json.loads(path.read_text(encoding="utf-8"))
        assert log["status"] == "success"
        rows = list(open_sample().rows("fr"))
        assert [sample["metadata"]["id"] for sample in log["samples"]] == [row["id"] for row in rows]
        assert [sample["target"] for sample in log["samples"]] == [str(row["targets"]) for row in rows]
        assert values(log)["exact"] == 0

    @pytest.mark.parametrize("task", ["fr", "all"])
    def test_its_log_gives_the_official_number(
        self,
        published: HubServer,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        task: str,
    ) -> None:
        code = _RUN.format(tests=str(Path(__file__).parent), task=f"hf/{DATASET}/{task}")
        finished = run_process([sys.executable, "-c", code], tmp_path)
        assert finished.returncode == 0, finished.stderr[-3000:]
        (path,) = (tmp_path / "logs").glob("*.json")
        assert main(["score", "--sample", "-p", str(path), "--json", "--no-warnings"]) == 0
        configs = json.loads(capsys.readouterr().out)["configs"]
        known, data = answers(), open_sample()
        assert list(configs) == (["fr"] if task == "fr" else [language.code for language in LANGUAGES])
        for name, config in configs.items():
            answered = [(row["id"], answer_to(row["question"], known)) for row in data.rows(name)]
            assert config["answered"] == len(answered)
            assert config["means"]["em"] == mean_em(answered, name, parse_config(name).question.name)
        official = sum(config["means"]["em"] for config in configs.values()) / len(configs)
        assert values(json.loads(path.read_text(encoding="utf-8")))["exact"] <= official


@pytest.mark.slow
def test_datasets_loads_the_same_with_and_without_it(folder: Path, python: Callable[..., Any], tmp_path: Path) -> None:
    import shutil

    bare = Path(shutil.copytree(folder, tmp_path / "bare"))
    (bare / "eval.yaml").unlink()
    code = (
        "import datasets, json\n"
        "found = {}\n"
        "for name in datasets.get_dataset_config_names(FOLDER):\n"
        "    if name in ('all', 'fr', 'fr-en-human'):\n"
        "        loaded = datasets.load_dataset(FOLDER, name)\n"
        "        found[name] = {split: rows.to_list() for split, rows in loaded.items()}\n"
        "print(json.dumps(found, sort_keys=True))\n"
    )
    outputs = [python(f"FOLDER = {str(each)!r}\n{code}").stdout for each in (folder, bare)]
    assert outputs[0] == outputs[1]
    assert set(json.loads(outputs[0])) == {"all", "fr", "fr-en-human"}
