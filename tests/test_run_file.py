"""The file of a run and its journal: whatever was cut off where, nothing is lost, doubled or mixed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from multiloko_metric.languages import parse_config
from multiloko_runs.asking import Failure
from multiloko_runs.replies import Reply
from multiloko_runs.run_file import RunFile, RunFileError

FRENCH = parse_config("fr")
SETTINGS: dict[str, Any] = {"model": "m", "generation": {"max_tokens": 64, "stop": ["\n"]}, "subset": "dev"}
ORDER = [("fr", str(number)) for number in range(5)]


def reply(text: str) -> Reply:
    return Reply(text, "stop", None, 10, 2, "m")


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "answers.jsonl"


def answered(path: Path, settings: dict[str, Any] = SETTINGS) -> dict[str, Any]:
    """What a run that starts now has already."""
    with RunFile(path, settings).opened() as file:
        return {identifier: record["prediction"] for (_, identifier), record in file.records.items()}


def interrupted(path: Path, texts: dict[str, str]) -> Path:
    """A run that ended before its file was written. Returns its journal."""
    with RunFile(path, SETTINGS).opened() as file:
        for identifier, text in texts.items():
            file.add(FRENCH, identifier, reply(text))
        return file.journal


def test_answers_are_in_the_journal_as_they_come_and_in_the_file_in_order(path: Path) -> None:
    with RunFile(path, SETTINGS).opened() as file:
        for identifier in ("3", "1", "2"):
            file.add(FRENCH, identifier, reply(f"a{identifier}"))
            assert lines(file.journal)[-1]["id"] == identifier
        file.add(FRENCH, "0", Failure("timeout", "no reply"))
        assert not path.exists()
        file.finish(ORDER)
        assert not file.journal.exists()
    assert lines(path) == [
        {"multiloko_run": SETTINGS},
        {"config": "fr", "id": "0", "prediction": None, "error": {"kind": "timeout", "message": "no reply"}},
        *(
            {
                "config": "fr",
                "id": identifier,
                "prediction": f"a{identifier}",
                "finish_reason": "stop",
                "reasoning_characters": None,
                "prompt_tokens": 10,
                "completion_tokens": 2,
                "model": "m",
            }
            for identifier in ("1", "2", "3")
        ),
    ]


def test_every_length_to_which_a_journal_can_be_cut(path: Path) -> None:
    journal = interrupted(path, {"0": "la Seine", "1": "豆浆\u2028\n\ud800", "2": ""})
    whole = journal.read_bytes()
    ends = [at for at, byte in enumerate(whole) if byte == 0x0A]
    expected = {"0": "la Seine", "1": "豆浆\u2028\n\ud800", "2": ""}
    for length in range(len(whole) + 1):
        journal.write_bytes(whole[:length])
        kept = dict(list(expected.items())[: max(sum(end < length for end in ends) - 1, 0)])
        assert answered(path) == kept
        with RunFile(path, SETTINGS).opened() as file:
            for identifier, text in expected.items():
                if not file.answered(("fr", identifier)):
                    file.add(FRENCH, identifier, reply(text))
        assert journal.read_bytes() == whole


def test_a_run_that_was_interrupted_ends_with_the_bytes_of_one_that_was_not(path: Path) -> None:
    texts = {identifier: f"a{identifier}" for _, identifier in ORDER}
    alone = path.with_name("alone.jsonl")
    for where, parts in ((alone, [texts]), (path, [{"4": "a4"}, {"1": "a1", "0": "a0"}, {"3": "a3", "2": "a2"}])):
        for part in parts:
            interrupted(where, part)
        with RunFile(where, SETTINGS).opened() as file:
            file.finish(ORDER)
    assert path.read_bytes() == alone.read_bytes()


def test_a_run_cut_between_its_file_and_its_journal(path: Path) -> None:
    journal = interrupted(path, {"0": "a0"})
    kept = journal.read_bytes()
    with RunFile(path, SETTINGS).opened() as file:
        file.finish(ORDER)
    journal.write_bytes(kept)
    assert answered(path) == {"0": "a0"}


def test_a_failure_is_kept_in_the_file_and_asked_again(path: Path) -> None:
    with RunFile(path, SETTINGS).opened() as file:
        file.add(FRENCH, "0", Failure("timeout", "no reply"))
        file.add(FRENCH, "1", reply("a1"))
        assert not file.answered(("fr", "0"))
        file.finish(ORDER)
    with RunFile(path, SETTINGS).opened() as file:
        assert [file.answered(key) for key in ORDER[:2]] == [False, True]
        file.add(FRENCH, "0", reply(""))
        assert file.answered(("fr", "0"))  # an empty answer is one
        file.finish(ORDER)
    assert [line["prediction"] for line in lines(path)[1:]] == ["", "a1"]


def test_a_line_in_the_middle_that_cannot_be_read_is_asked_again(path: Path) -> None:
    journal = interrupted(path, {"0": "a0", "1": "a1", "2": "a2"})
    content = journal.read_bytes().split(b"\n")
    content[2] = b"\0" * len(content[2])
    journal.write_bytes(b"\n".join(content))
    assert answered(path) == {"0": "a0", "2": "a2"}


@pytest.mark.parametrize("finished", [True, False])
def test_other_settings_are_refused_and_each_difference_is_named(path: Path, finished: bool) -> None:
    interrupted(path, {"0": "a0"})
    if finished:
        with RunFile(path, SETTINGS).opened() as file:
            file.finish(ORDER)
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    other = {"model": "other", "generation": {"max_tokens": 64, "stop": []}, "subset": "dev", "version": "9"}
    with pytest.raises(RunFileError) as refused, RunFile(path, other).opened():
        pass
    assert str(refused.value).splitlines()[1:4] == [
        '  model: "m" there, "other" now',
        '  generation.stop: ["\\n"] there, [] now',
        '  version: null there, "9" now',
    ]
    assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == before


def test_other_settings_go_where_there_is_no_answer_yet(path: Path) -> None:
    with RunFile(path, SETTINGS).opened() as file:
        file.add(FRENCH, "0", Failure("timeout", "no reply"))
        file.finish(ORDER)
    with RunFile(path, {"model": "other"}).opened() as file:
        file.finish(ORDER)
    assert lines(path)[0] == {"multiloko_run": {"model": "other"}}


@pytest.mark.parametrize(
    "content",
    [b"", b"not JSON\n", b'{"language": "fr", "id": "1", "prediction": "x"}\n', b'{"multiloko_run": 1, "x": 2}\n'],
)
def test_a_file_of_something_else_is_left_alone(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(RunFileError, match="was not written by `multiloko run`; name another file"):
        answered(path)
    assert path.read_bytes() == content


def test_a_journal_of_something_else_and_a_folder(path: Path) -> None:
    path.parent.mkdir()
    path.with_name("answers.jsonl.part").write_text("mine\n")
    with pytest.raises(RunFileError, match="does not begin as a journal does"):
        answered(path)
    with pytest.raises(RunFileError, match="is no file"):
        answered(path.parent)


def test_rows_of_other_shapes_are_no_answers(path: Path) -> None:
    path.parent.mkdir()
    rows = ['{"config": ["fr"], "id": "1", "prediction": "x"}', '{"id": "1", "prediction": "x"}', "7", "null", "", "["]
    path.write_text("\n".join([json.dumps({"multiloko_run": SETTINGS}), *rows]))
    assert answered(path) == {}


def test_two_at_once(path: Path) -> None:
    with RunFile(path, SETTINGS).opened(), pytest.raises(RunFileError, match="another process is writing"):
        answered(path)
    assert answered(path) == {}
    with FileLock(path.with_name(".answers.jsonl.lock")), pytest.raises(RunFileError, match="another process"):
        answered(path)
