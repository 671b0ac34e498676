"""``multiloko convert``, end to end, and the advice on answer steps that ``score`` gives."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from conftest import Multiloko
from harness_logs import unpacked
from multiloko_scripts.cli import main

from multiloko_metric.languages import parse_config
from multiloko_runs.question_keys import question_key

LOGS = unpacked()


def questions(sample_folder: Path, language: str = "french") -> list[dict[str, Any]]:
    text = (sample_folder / language / "dev.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def score(*arguments: str | Path, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], str]:
    assert main(["score", "--json", *map(str, arguments)]) == 0
    shown = capsys.readouterr()
    return json.loads(shown.out), shown.err


@pytest.mark.parametrize("log", ["lm_eval", "lighteval", "inspect/base.eval", "inspect/base.json"])
def test_what_is_converted_scores_the_same(
    log: str, tmp_path: Path, sample_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, _ = score("--sample", "-p", LOGS / log, capsys=capsys)
    for form in ("jsonl", "csv", "parquet"):
        path = tmp_path / f"out.{form}"
        assert main(["convert", str(LOGS / log), "-o", str(path)]) == 0  # without gold
        assert "8 answers of 4 configs" in capsys.readouterr().err
        after, _ = score("--sample", "-p", path, capsys=capsys)
        assert after["configs"] == before["configs"]
        content = path.read_bytes() if form != "parquet" else str(pq.read_table(path).to_pylist()).encode()
        for row in questions(sample_folder):
            assert row["question"].encode() not in content


def test_keys_and_questions_become_ids(tmp_path: Path, sample_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = questions(sample_folder)
    config = parse_config("fr")
    lines: list[dict[str, Any]] = [
        {"custom_id": question_key(config, second["id"]), "response": {"body": {"choices": [{"text": "b"}]}}},
        {"custom_id": question_key(config, first["id"]), "error": {"code": "x"}, "response": None},
    ]
    batch = write(tmp_path / "batch.jsonl", lines)
    asked = write(tmp_path / "asked.jsonl", [{"config": "fr", "question": first["question"], "prediction": "a"}])
    for path in (batch, asked):
        assert main(["convert", str(path), "-o", str(tmp_path / "x.csv"), "-d", str(tmp_path)]) == 2
        capsys.readouterr()
    assert main(["convert", str(batch), "-o", str(tmp_path / "b.jsonl"), "--sample"]) == 0
    rows = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows == [
        {"language": "french", "id": second["id"], "prediction": "b"},
        {"language": "french", "id": first["id"], "prediction": None},
    ]
    assert main(["convert", str(batch), "-o", str(tmp_path / "b.csv"), "--sample"]) == 0
    assert "1 missing answers are not in the file" in capsys.readouterr().err
    assert first["id"] not in (tmp_path / "b.csv").read_text(encoding="utf-8")
    assert main(["convert", str(asked), "-o", str(tmp_path / "a.csv"), "--sample"]) == 0
    assert f"french,{first['id']},a" in (tmp_path / "a.csv").read_text(encoding="utf-8")


def test_without_gold_a_key_cannot_be_converted(multiloko: Multiloko, home: Path, tmp_path: Path) -> None:
    batch = write(tmp_path / "b.jsonl", [{"custom_id": "fr:" + "0" * 24, "response": None}])
    done = multiloko("convert", batch, "-o", tmp_path / "b.csv")
    assert done.returncode == 2
    assert "only the key 'fr:000000000000000000000000' says which question it is" in done.stderr
    assert "no data is installed" in done.stderr


def test_an_answer_that_repeats_its_question_is_not_written(
    tmp_path: Path, sample_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = questions(sample_folder)[0]
    answer = {"language": "fr", "id": row["id"], "prediction": f"Paris\nQ: {row['question']}\nA: Paris"}
    path, out = write(tmp_path / "a.jsonl", [answer]), tmp_path / "o.jsonl"
    assert main(["convert", str(path), "-o", str(out), "--sample"]) == 2
    assert "1 answers of fr repeat the whole question" in capsys.readouterr().err
    assert not out.exists()
    assert main(["convert", str(path), "-o", str(out), "--sample", "--answer", "first-line"]) == 0
    assert json.loads(out.read_text(encoding="utf-8"))["prediction"] == "Paris"
    assert main(["convert", str(path), "-o", str(out), "--sample", "--with-echoes"]) == 0
    assert row["question"] in out.read_text(encoding="utf-8")


BAD = [
    (["-o", "o.txt"], r"o.txt: the name says no format; end it in .jsonl, .csv, .parquet"),
    (["-o", "a.jsonl"], "is the log itself"),
    (["-o", "o.csv", "--sample"], "a.jsonl:1: fr 'nothing': answers with an id that the gold does not have"),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_what_convert_refuses(
    options: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    before = write(tmp_path / "a.jsonl", [{"language": "fr", "id": "nothing", "prediction": "x"}]).read_bytes()
    assert main(["convert", "a.jsonl", *options]) == 2
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl"]
    assert (tmp_path / "a.jsonl").read_bytes() == before


def raw(path: Path, data: Path, shape: str) -> Path:
    """Answers to 30 questions, all right but for what is around them."""
    rows = questions(data)
    return write(
        path, [{"language": "fr", "id": row["id"], "prediction": shape.format(row["targets"][0])} for row in rows]
    )


@pytest.fixture
def data(sample: Path) -> Path:
    """Thirty French questions: with fewer, nothing is warned of."""
    from conftest import fill_up

    fill_up(sample / "french" / "dev.jsonl", 30)
    return sample


SHAPES = [
    ("{}\nQuestion: what else?\nAnswer: nothing that I can think of", ["first-line"]),
    ("Let me think about this question for some time.\nIt is not easy at all.\n{}", ["last-line"]),
    ("<think>It may be something else, who knows, but I do not think so.</think>\n{}", ["after-think"]),
    ("<think>It may be\nthis.</think>\n{}\nI am quite sure of that, and you can be too", ["after-think", "first-line"]),
    ('Sure, here is the answer as JSON:\n```json\n{{"reply": "{}"}}\n```', ["json:reply"]),
    ("I believe that the answer you want: {}", ["regex:(?s)^\\s*(?:I believe that the answer you want:)?(.*?)"]),
]


@pytest.mark.parametrize(("shape", "steps"), SHAPES)
def test_the_step_that_helps_is_named_with_what_it_does(
    shape: str, steps: list[str], data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = raw(tmp_path / "raw.jsonl", data, shape)
    result, messages = score("-d", data, "-p", path, capsys=capsys)
    line = next(line for line in messages.splitlines() if line.startswith("advice: "))
    assert line.startswith("advice: --answer ")
    named = result["step_advice"][0]
    assert [name.startswith(step) for name, step in zip(named["steps"], steps, strict=True)] == [True] * len(steps)
    typed = shlex.split(line.removeprefix("advice: ").partition(" would make ")[0])
    after, messages = score("-d", data, "-p", path, *typed, capsys=capsys)
    right = round(after["configs"]["fr"]["means"]["em"] * 30)
    assert named["configs"]["fr"] == {"questions": 30, "right_before": 0, "right_after": right}
    assert f"would make {right} of 30 answers right instead of 0 (fr em 0.0 to {100 * right / 30:.1f})" in line
    assert right == 30
    assert after["answer_steps"][named["steps"][0]]["fr"] == {"answers": 30, "changed": 30, "emptied": 0}
    assert f"note: --answer {named['steps'][0]} changed 30 of 30 answers and emptied 0" in messages
    assert len(after["signature"]["answer"]) == len(steps)


def test_nothing_is_removed_unless_asked(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = raw(tmp_path / "right.jsonl", data, "{}")
    result, messages = score("-d", data, "-p", path, capsys=capsys)
    assert result["configs"]["fr"]["means"]["em"] == 1
    assert "answer" not in result["signature"]
    assert "answer_steps" not in result
    assert "step_advice" not in result
    assert "advice" not in messages


def test_compare_and_profiles_take_them_too(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = raw(tmp_path / "one.jsonl", data, "{}\nmore"), raw(tmp_path / "two.jsonl", data, "{}\nless")
    assert main(["compare", "-d", str(data), str(one), str(two), "--answer", "first-line", "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["signature"]["answer"] == ["first-line"]
    assert "note: one: --answer first-line changed 30 of 30" in shown.err
    options = ["--diff", "release", "unicode", "-d", str(data), "-p", str(one), "--answer", "first-line"]
    assert main(["profiles", *options]) == 0
    assert "changed 30 of 30" in capsys.readouterr().err


def test_the_official_output_is_of_the_answers_after_the_steps(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = raw(tmp_path / "raw.jsonl", data, "{}\nmore")
    assert main(["score", "-d", str(data), "-p", str(path), "--format", "upstream", "--answer", "first-line"]) == 0
    assert json.loads(capsys.readouterr().out)["french"]["em"] == 1
