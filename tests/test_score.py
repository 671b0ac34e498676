"""``multiloko score``, end to end."""

from __future__ import annotations

import csv
import gc
import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Multiloko, Python, edit_rows
from multiloko_scripts.cli import main

from multiloko_metric.languages import CONFIGS, parse_config
from multiloko_metric.profiles import PROFILES, get_profile
from multiloko_metric.scoring import Scorer
from multiloko_source.archive import pack
from multiloko_source.sample import sample_predictions
from multiloko_source.source import open_source

Answers = list[dict[str, Any]]


@pytest.fixture(scope="session")
def answers() -> Answers:
    """The sample's predictions."""
    return [json.loads(line) for line in sample_predictions().read_text(encoding="utf-8").splitlines()]


def write(path: Path, answers: Answers) -> Path:
    """Write answers in the format that the path's ending names."""
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ["language", "id", "prediction"])
            writer.writeheader()
            writer.writerows(answers)
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(answers), path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(answers, ensure_ascii=False, indent=2), encoding="utf-8")
    else:
        path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in answers), encoding="utf-8")
    return path


def score(folder: Path | str, predictions: Path, *options: str | Path) -> int:
    return main(["score", "-d", str(folder), "-p", str(predictions), *map(str, options)])


def refused(capsys: pytest.CaptureFixture[str], *arguments: Any) -> str:
    """The message of a command that must end with exit code 2, and write nothing to standard output."""
    assert score(*arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    return captured.err


def result_of(tmp_path: Path, folder: Path | str, predictions: Path, *options: str | Path) -> dict[str, Any]:
    assert score(folder, predictions, "-o", tmp_path / "result.json", *options) == 0
    result: dict[str, Any] = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    return result


def official(folder: Path, answers: Answers, profile: str) -> str:
    """What the official script would write, built from its description and dumped by the json module."""
    scorer = Scorer(profile)
    metrics = scorer.profile.metrics
    source = open_source(folder)
    output: dict[str, Any] = {}
    for answer in answers:
        config = parse_config(answer["language"])
        row = next(row for row in source.rows(config.name) if row["id"] == answer["id"])
        language = config.question.name
        scores = scorer.score(answer["prediction"], row["targets"], language)
        output.setdefault(config.key, {})[row["id"]] = {
            **{metric: getattr(scores, metric) for metric in metrics},
            "targets": scorer.target_forms(row["targets"], language),
            "prediction": scorer.prediction_form(answer["prediction"], language),
        }
    group: dict[str, float] = {}
    for metric in metrics:
        means = []
        for rows in output.values():
            total = 0
            questions = [row for row in rows.values() if isinstance(row, dict)]
            for row in questions:
                total += row[metric]
            rows[metric] = total / len(questions)
            means.append(rows[metric])
        group |= {f"average_{metric}": sum(means) / len(means), f"max_{metric}": max(means)}
        group |= {f"min_{metric}": min(means), f"gap_{metric}": max(means) - min(means)}
    return json.dumps({**output, "group_metrics": group}, indent=4, ensure_ascii=False)


# What comes out.


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json", "parquet"])
def test_every_format_gives_the_same_result(sample_folder: Path, tmp_path: Path, answers: Answers, ending: str) -> None:
    path = write(tmp_path / f"answers.{ending}", answers)
    assert result_of(tmp_path, sample_folder, path) == result_of(tmp_path, sample_folder, sample_predictions())


@pytest.mark.parametrize("profile", [name for name, profile in PROFILES.items() if profile.commit])
def test_the_official_output_to_the_byte(
    sample_folder: Path, tmp_path: Path, answers: Answers, profile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "answers.jsonl", answers[::-1])
    options = ("--format", "upstream", "--profile", profile)
    assert score(sample_folder, path, "-o", tmp_path / "o.json", *options) == 0
    expected = official(sample_folder, answers[::-1], profile)
    assert (tmp_path / "o.json").read_bytes() == expected.encode()
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "--missing skip" in captured.err
    assert score(sample_folder, path, *options) == 0
    assert capsys.readouterr().out == expected


def test_the_official_command_line_works(sample_folder: Path, tmp_path: Path, answers: Answers) -> None:
    path = write(tmp_path / "answers.csv", answers)
    arguments = [
        "--dataset_location",
        sample_folder,
        "--subset",
        "dev",
        "--predictions",
        path,
        "--output",
        tmp_path / "o",
    ]
    assert main(["score", *map(str, arguments), "--format", "upstream"]) == 0
    assert (tmp_path / "o").read_text(encoding="utf-8") == official(sample_folder, answers, "unicode")


def test_only_answered_questions_are_in_the_official_output(
    sample_folder: Path, tmp_path: Path, answers: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    few = [answers[0], answers[3]]
    path = write(tmp_path / "few.jsonl", [*few, {**answers[4], "prediction": None}])
    assert score(sample_folder, path, "--format", "upstream") == 0
    assert capsys.readouterr().out == official(sample_folder, few, "unicode")


def test_the_result_as_json(sample_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = result_of(tmp_path, sample_folder, sample_predictions())
    capsys.readouterr()
    assert len(result["configs"]) == 151
    assert result["not_run"] == result["incomplete"] == []
    assert result["signature"]["profile"] == get_profile("official").name
    assert score(sample_folder, sample_predictions(), "--json") == 0
    assert json.loads(capsys.readouterr().out) == result
    average = result["groups"]["local"]["scores"]["em"]["average"]
    means = [result["configs"][name]["means"]["em"] for name in result["groups"]["local"]["configs"]]
    assert average == sum(means) / 31


def test_the_result_holds_no_gold_text(sample_folder: Path, tmp_path: Path) -> None:
    result_of(tmp_path, sample_folder, sample_predictions(), "--per-answer", "--by-output-type")
    text = (tmp_path / "result.json").read_text(encoding="utf-8")
    for name in ("fr", "pl", "vi", "en-de-human"):
        for row in open_source(sample_folder).rows(name):
            assert row["question"] not in text
            assert row["text"] not in text
            assert row["target"] not in text
            assert not any(target in text for target in row["targets"] if len(target) > 12)


def test_the_table_for_people(sample_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert score(sample_folder, sample_predictions()) == 0
    table = capsys.readouterr().out
    assert "French" in table
    assert "Average" in table
    assert "over 31 of 31 languages" in table
    assert "profile:unicode" in table
    assert "\x1b" not in table


@pytest.mark.parametrize("columns", ["80", "120"])
def test_the_table_fits_the_window(
    sample_folder: Path, multiloko: Multiloko, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    finished = multiloko("score", "-d", sample_folder, "-p", sample_predictions())
    assert finished.returncode == 0
    assert max(map(len, finished.stdout.splitlines())) <= int(columns)


def test_the_sample_by_itself(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "--sample"]) == 0
    assert "over 31 of 31 languages" in capsys.readouterr().out
    assert not home.exists()


def test_several_processes_give_the_same_bytes(sample_folder: Path, tmp_path: Path) -> None:
    for count in ("1", "3"):
        for form in ("summary", "upstream"):
            output = tmp_path / f"{form}-{count}.json"
            assert score(sample_folder, sample_predictions(), "--num-proc", count, "--format", form, "-o", output) == 0
    for form in ("summary", "upstream"):
        assert (tmp_path / f"{form}-1.json").read_bytes() == (tmp_path / f"{form}-3.json").read_bytes()


def test_a_fault_of_many_configs_is_not_told_of_each(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    gold, answers = tmp_path / "gold", []
    for config in CONFIGS[:9]:
        targets = [f"{config.source.code}{number}" for number in range(20)]
        rows = [{"id": each, "question": "?", "targets": [each]} for each in targets]
        path = gold / config.path()
        path.parent.mkdir(parents=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        right = 20 if config.name == "ar" else 10
        texts = [each if place < right else "" for place, each in enumerate(targets)]
        answers += [
            {"language": config.name, "id": each, "prediction": text} for each, text in zip(targets, texts, strict=True)
        ]
    assert score(gold, write(tmp_path / "answers.jsonl", answers), "-o", tmp_path / "o.json") == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "empty" in line]
    assert [line.split(":")[1].strip() for line in lines[:3]] == ["bn", "yue", "cs"]
    assert lines[3:] == ["warning: empty_answers in 5 more configs (the JSON says it of each): nl, en, fa, fr, de"]
    kinds = [each["kind"] for each in json.loads((tmp_path / "o.json").read_text())["warnings"]]
    assert kinds.count("empty_answers") == 8


@pytest.mark.parametrize("form", ["summary", "upstream"])
def test_several_processes_refuse_with_the_same_message(
    sample_folder: Path, tmp_path: Path, answers: Answers, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    strange = {"language": "fr", "id": "x", "prediction": ""}
    some = [each for each in answers if each["language"] in ("fr", "de", "ja")]
    path = write(tmp_path / "bad.jsonl", [strange, *some, some[-1], {**strange, "language": "klingon"}, some[0]])
    messages = set()
    for count in (1, 3):
        output = tmp_path / "o.json"
        messages.add(refused(capsys, sample_folder, path, "--num-proc", count, "--format", form, "-o", output))
        assert not output.exists()
        refused(capsys, sample_folder, path, "--num-proc", count, "--format", form)
    (message,) = messages
    for problem in ("fr 'x'", "'klingon'", "2 repeated answers", "--unknown skip", "--duplicates first"):
        assert problem in message


def test_several_processes_and_gold_that_is_malformed(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (sample / "hindi/dev.jsonl").open("a") as file:
        file.write("{\n")
    messages = {refused(capsys, sample, sample_predictions(), "--num-proc", count) for count in (1, 3)}
    (message,) = messages
    assert "hindi/dev.jsonl:3" in message


def test_garbage_is_collected_again_after_the_command(
    sample_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gc.isenabled()
    assert score(sample_folder, sample_predictions(), "-o", tmp_path / "o.json") == 0
    capsys.readouterr()
    assert gc.isenabled()
    refused(capsys, sample_folder, tmp_path / "nothing.csv")
    assert gc.isenabled()


# Where the gold comes from.


def test_gold_from_folder_archive_and_installed_data(
    sample_folder: Path, tmp_path: Path, home: Path, answers: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "answers.jsonl", [each for each in answers if each["language"] in ("fr", "de-en-human")])
    assert main(["score", "-p", str(path)]) == 2
    assert "no data is installed: run `multiloko install`" in capsys.readouterr().err
    pack(sample_folder, tmp_path / "sample.tar.xz.enc")
    by_folder = result_of(tmp_path, sample_folder, path)
    assert result_of(tmp_path, tmp_path / "sample.tar.xz.enc", path) == by_folder
    assert main(["install", "--from", str(sample_folder), "--partial", "--configs", "fr,de-en-human"]) == 0
    assert main(["score", "-p", str(path), "-o", str(tmp_path / "installed.json")]) == 0
    assert json.loads((tmp_path / "installed.json").read_text()) == by_folder


def test_another_subset(sample: Path, tmp_path: Path, answers: Answers, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "answers.jsonl", [each for each in answers if each["language"] == "fr"])
    dev = result_of(tmp_path, sample, path)
    (sample / "french/dev.jsonl").rename(sample / "french/test.jsonl")
    assert result_of(tmp_path, sample, path, "-s", "test")["configs"] == dev["configs"]
    capsys.readouterr()
    assert "1 configs without gold: fr" in refused(capsys, sample, path)
    assert "few-shot examples are not scored" in refused(capsys, sample, path, "--subset", "fewshot")


def test_two_questions_with_one_id(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit_rows(sample / "french/dev.jsonl", lambda row: {**row, "id": "same"})
    assert "french/dev.jsonl holds the id 'same' twice" in refused(capsys, sample, sample_predictions())


def test_a_malformed_line_of_the_gold(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (sample / "french/dev.jsonl").open("a") as file:
        file.write("{")
    assert "french/dev.jsonl:3: not JSON" in refused(capsys, sample, sample_predictions())
    assert "french/dev.jsonl:3: not JSON" in refused(capsys, sample, sample_predictions(), "--num-proc", "2")


def test_a_place_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert "neither a folder, an archive" in refused(capsys, "nowhere", sample_predictions())


# Matching.


def test_missing_answers(
    sample_folder: Path, tmp_path: Path, answers: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    french = next(each for each in answers if each["language"] == "fr")
    targets = next(open_source(sample_folder).rows("fr"))["targets"]
    path = write(tmp_path / "one.jsonl", [{**french, "prediction": targets[0]}])
    zero = result_of(tmp_path, sample_folder, path)
    assert zero["configs"]["fr"]["means"]["em"] == 0.5
    assert (zero["configs"]["fr"]["answered"], zero["configs"]["fr"]["missing"]) == (1, 1)
    assert zero["incomplete"] == ["fr"]
    assert len(zero["not_run"]) == 30
    skip = result_of(tmp_path, sample_folder, path, "--missing", "skip")
    assert skip["configs"]["fr"]["means"]["em"] == 1.0
    assert skip["configs"]["fr"]["questions"] == 1
    assert (zero["signature"]["missing"], skip["signature"]["missing"]) == ("zero", "skip")
    capsys.readouterr()
    assert "fr lacks 1 of 2" in refused(capsys, sample_folder, path, "--missing", "error")


def test_what_the_gold_does_not_have(
    sample: Path, tmp_path: Path, answers: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(sample / "german")
    strange = [{"language": "frensh", "id": "1", "prediction": "x"}, {"language": "fr", "id": "x", "prediction": "x"}]
    local = [each for each in answers if "-" not in each["language"] or each["language"].startswith("zh-han")]
    path = write(tmp_path / "answers.jsonl", [*strange, *[each for each in local if each["language"] in ("fr", "de")]])
    message = refused(capsys, sample, path)
    for part in (
        "'frensh' (nearest: french",
        "answers.jsonl:1",
        "fr 'x'",
        "answers.jsonl:2",
        "1 configs without gold: de",
    ):
        assert part in message
    assert "--unknown skip leaves these out and scores what has gold: fr" in message
    assert list(result_of(tmp_path, sample, path, "--unknown", "skip")["configs"]) == ["fr"]
    assert "note: 1 configs without gold: de" in capsys.readouterr().err


def test_duplicates(sample_folder: Path, tmp_path: Path, answers: Answers, capsys: pytest.CaptureFixture[str]) -> None:
    french = [each for each in answers if each["language"] == "fr"]
    targets = next(open_source(sample_folder).rows("fr"))["targets"]
    twice = [{**french[0], "prediction": "wrong"}, french[1], {**french[0], "prediction": targets[0]}]
    path = write(tmp_path / "twice.csv", twice)
    message = refused(capsys, sample_folder, path)
    assert "1 repeated answers" in message
    assert "twice.csv:4" in message
    first = result_of(tmp_path, sample_folder, path, "--duplicates", "first")["configs"]["fr"]["means"]["em"]
    last = result_of(tmp_path, sample_folder, path, "--duplicates", "last")["configs"]["fr"]["means"]["em"]
    assert last == first + 0.5


def test_an_id_in_another_normal_form(
    sample_folder: Path, tmp_path: Path, answers: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    import unicodedata

    path = write(
        tmp_path / "vi.jsonl",
        [{**each, "id": unicodedata.normalize("NFC", each["id"])} for each in answers if each["language"] == "vi"],
    )
    result = result_of(tmp_path, sample_folder, path)
    assert result["configs"]["vi"]["answered"] == 2
    assert "note: 1 ids that match the gold only in Unicode normal form C" in capsys.readouterr().err


# What is refused.


def test_what_the_official_format_cannot_hold(
    sample: Path, tmp_path: Path, answers: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    upstream = ("--format", "upstream")
    assert "'lenient' is not an official one" in refused(
        capsys, sample, sample_predictions(), *upstream, "--profile", "lenient"
    )
    for policy in ("zero", "error"):
        message = refused(capsys, sample, sample_predictions(), *upstream, "--missing", policy)
        assert "--format upstream implies --missing skip" in message
    names = iter(["1.txt", "em"])
    edit_rows(sample / "french/dev.jsonl", lambda row: {**row, "id": next(names)})
    ids = ["1.txt", "em"]
    path = write(tmp_path / "em.jsonl", [{"language": "fr", "id": each, "prediction": "x"} for each in ids])
    assert "the id 'em' of french: it is the name of a metric" in refused(capsys, sample, path, *upstream)
    assert result_of(tmp_path, sample, path)["configs"]["fr"]["questions"] == 2


def test_half_a_surrogate_pair_in_an_answer(
    sample_folder: Path, tmp_path: Path, answers: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_text(json.dumps({**answers[0], "prediction": "x\ud83d"}) + "\n")
    assert result_of(tmp_path, sample_folder, path)["configs"]
    capsys.readouterr()
    message = refused(capsys, sample_folder, path, "--format", "upstream", "-o", tmp_path / "o.json")
    assert "surrogate" in message
    assert str(path) in message
    assert not (tmp_path / "o.json").exists()


def test_only_null_answers(
    sample_folder: Path, tmp_path: Path, answers: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "null.jsonl", [{**answers[0], "prediction": None}])
    assert "holds no answer" in refused(capsys, sample_folder, path, "--format", "upstream")


def test_no_predictions_no_file_and_no_such_profile(
    sample_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", "-d", str(sample_folder)]) == 2
    assert "-p FILE" in capsys.readouterr().err
    assert "there is no file" in refused(capsys, sample_folder, tmp_path / "nothing.csv")
    message = refused(capsys, sample_folder, sample_predictions(), "--profile", "unicod")
    assert "unicod" in message
    assert "unicode" in message


@pytest.mark.parametrize("options", [["--missing", "perhaps"], ["--num-proc", "0"], ["--format", "xml"]])
def test_an_option_that_there_is_not(
    sample_folder: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        score(sample_folder, sample_predictions(), *options)
    assert caught.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_the_output_is_whole_or_what_was_there_before(
    sample_folder: Path, tmp_path: Path, answers: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out/result.json"
    output.parent.mkdir()
    output.write_text("before")
    path = write(tmp_path / "bad.jsonl", [*answers, answers[0]])
    for form in ("summary", "upstream"):
        refused(capsys, sample_folder, path, "-o", output, "--format", form)
    assert output.read_text() == "before"
    assert [each.name for each in output.parent.iterdir()] == ["result.json"]
    assert score(sample_folder, sample_predictions(), "-o", tmp_path / "new/folder/result.json") == 0
    assert json.loads((tmp_path / "new/folder/result.json").read_text())


def test_an_output_that_cannot_be_written(
    sample_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert str(tmp_path) in refused(capsys, sample_folder, sample_predictions(), "-o", tmp_path)
    (tmp_path / "file").write_text("")
    assert "file" in refused(capsys, sample_folder, sample_predictions(), "-o", tmp_path / "file/o.json")


# The command itself.


@pytest.mark.parametrize("form", ["summary", "upstream"])
@pytest.mark.parametrize("gold", ["folder", "installed"])
def test_it_imports_neither_datasets_nor_evaluate(
    sample_folder: Path,
    tmp_path: Path,
    *,
    home: Path,
    python: Python,
    answers: Answers,
    form: str,
    gold: str,
) -> None:
    path = write(tmp_path / "fr.jsonl", [each for each in answers if each["language"] == "fr"])
    if gold == "installed":
        assert main(["install", "--from", str(sample_folder), "--partial", "--configs", "fr"]) == 0
    where = ["-d", str(sample_folder)] if gold == "folder" else []
    finished = python(
        "import sys\nfrom multiloko_scripts.cli import main\n"
        f"assert main({['score', '-p', str(path), *where, '--format', form, '-o', 'o.json']!r}) == 0\n"
        "heavy = {'datasets', 'evaluate', 'huggingface_hub', 'pandas', 'torch', 'gradio'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert finished.stdout.splitlines()[-1] == "[]"


def test_the_official_output_needs_few_modules(
    sample_folder: Path, tmp_path: Path, python: Python, answers: Answers
) -> None:
    """Each of these takes longer to import than a config takes to score."""
    path = write(tmp_path / "fr.jsonl", [each for each in answers if each["language"] == "fr"])
    command = ["score", "-p", str(path), "-d", str(sample_folder), "--format", "upstream", "-o", "o.json"]
    finished = python(
        f"import sys\nfrom multiloko_scripts.cli import main\nassert main({command!r}) == 0\n"
        "slow = {'rich', 'cryptography', 'yaml', 'numpy', 'importlib.metadata', 'concurrent.futures.process'}\n"
        "print(sorted(slow & set(sys.modules)))"
    )
    assert finished.stdout.splitlines()[-1] == "[]"


def test_the_installed_command(sample_folder: Path, tmp_path: Path, multiloko: Multiloko, answers: Answers) -> None:
    finished = multiloko("score", "-d", sample_folder, "-p", sample_predictions(), "--json")
    assert finished.returncode == 0
    assert len(json.loads(finished.stdout)["configs"]) == 151
    finished = multiloko("score", "-d", sample_folder, "-p", tmp_path / "nothing.csv")
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr == f"multiloko: there is no file {tmp_path / 'nothing.csv'}\n"
    assert multiloko("--version").stdout.startswith("multiloko ")


def test_a_reader_that_has_seen_enough(sample_folder: Path, elsewhere: Path) -> None:
    import subprocess

    from conftest import COMMAND

    command = f"'{COMMAND}' score -d '{sample_folder}' -p '{sample_predictions()}' --json --per-answer | head -c 10"
    finished = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=elsewhere, check=False)
    assert len(finished.stdout) == 10
    assert "Traceback" not in finished.stderr
    assert "BrokenPipe" not in finished.stderr


@pytest.mark.parametrize("processes", ["1", "2"])
def test_a_small_model_that_goes_on_with_the_next_question(
    answers: Answers, multiloko: Multiloko, tmp_path: Path, processes: str
) -> None:
    """What a base model gave on the sample: in each language two answers, of which most do not end."""
    local = [row for row in answers if parse_config(row["language"]).translation is None]
    said = ["?\ufffd" if number % 6 == 5 else f"?\n\nQ: {row['id']}\nA:" for number, row in enumerate(local)]
    path = write(
        tmp_path / "small.jsonl",
        [
            {"config": row["language"], "id": row["id"], "prediction": text}
            for row, text in zip(local, said, strict=True)
        ],
    )
    output = tmp_path / "o.json"
    finished = multiloko("score", "--sample", "-p", path, "-o", output, "--num-proc", processes)
    assert finished.returncode == 0, finished.stderr
    assert "0.00 over 31 of 31 languages; 62 answers, none right: 95 % 0.0 to 5.8" in finished.stdout
    assert "0.00: all 31 languages are equal" in finished.stdout
    warnings = finished.stderr.splitlines()
    assert all(line.startswith("warning: whole run (31 configs together): ") for line in warnings)
    assert [line for line in warnings if "52 of 62 go on after a line break" in line]
    assert [line for line in warnings if "10 of 62 answers hold U+FFFD, 10 at their end" in line]
    written = json.loads(output.read_text(encoding="utf-8"))["warnings"]
    assert {each["config"] for each in written} == {None}
