"""What a person sees of a file of answers that cannot be read: one message, exit code 2, nothing half done."""

from __future__ import annotations

import gzip
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from multiloko_scripts.cli import main

HEADER = "language,id,prediction\n"
ROW = '{"language": "fr", "id": "1", "prediction": "x"}'
LOG: dict[str, Any] = {"version": 2, "status": "success", "eval": {"task": "t"}}
SAMPLE: dict[str, Any] = {"id": 1, "epoch": 1, "metadata": {"id": "1", "config": "fr"}, "output": {"completion": "x"}}
DOC: dict[str, Any] = {"doc": {"id": "1", "config": "fr"}, "filtered_resps": ["x"], "filter": "none"}


def log(*samples: Any) -> str:
    return json.dumps({**LOG, "samples": list(samples)}, indent=1)


# name of the file, its content, options, what the message says (a regular expression)
TEXTS: list[tuple[str, str | bytes, str, str]] = [
    ("a.csv", "", "", "holds no answer"),
    ("a.csv", HEADER, "", "holds no answer"),
    ("a.jsonl", "\n \n", "", "holds no answer"),
    ("a.json", "[]", "", "holds no answer"),
    ("a.csv", "id,prediction\n1,x\n", "", r"a\.csv:2: no 'language'; found id, prediction; .*--language fr"),
    ("a.csv", "language,prediction\nfr,x\n", "", r"a\.csv:2: no 'id'; .* never by their order"),
    ("a.csv", "language,id,answer\nfr,1,x\n", "", r"no 'prediction'; .*--column NAME"),
    ("a.csv", "\x1b[31mid,prediction\n1,x\n", "", r"no 'language'; found '\\x1b\[31mid', prediction"),
    ("a.csv", HEADER + "fr,1,x\n", "--column answer", "no 'answer'; found language, id, prediction"),
    ("a.csv", HEADER + "fr,1,x\n", "--language it", "has a column 'language'; leave out --language it"),
    ("a.csv", "id,prediction\n1,x\n", "--language itt", "no config is called 'itt'"),
    ("a.csv", HEADER + "fr,1,a, b\n", "", r"a\.csv:2: 1 more fields than columns; .*',' in quotation marks"),
    ("a.csv", HEADER + "fr,1\n", "", r"a\.csv:2: no 'prediction'"),
    ("a.csv", "language,id,id,prediction\nfr,1,2,x\n", "", "the column 'id' is there twice"),
    ("a.csv", "language,ID,Id,prediction\nfr,1,2,x\n", "", "two columns for id: 'ID' and 'Id'"),
    ("a.csv", HEADER + ",1,x\n", "", r"a\.csv:2: language and id must be text, found '' and '1'"),
    ("a.csv", HEADER + "xx,1,x\n", "", "no config is called 'xx'"),
    ("a.csv", HEADER.encode("utf-16"), "", "not UTF-8 but UTF-16"),
    ("a.jsonl", ROW.encode("utf-16"), "", "not UTF-8 but UTF-16"),
    ("a.jsonl", b"\xff\xfe\x00\x00" + ROW.encode("utf-32-le"), "", "not UTF-8 but UTF-32"),
    ("a.csv", (HEADER + "fr,1,é\n").encode("latin-1"), "", "not UTF-8"),
    ("a.jsonl", f"{ROW}\n".encode() + b'{"language": "\xe9"}', "", r"a\.jsonl:2: not UTF-8"),
    ("a.json", b'{"fr": {\n"1": "\xe9"}}', "", r"a\.json.*not UTF-8"),
    ("a.jsonl", f"{ROW}\n" + '{"language": "fr", ', "", r"a\.jsonl:2: not JSON"),
    ("a.jsonl", f"{ROW}\n[1]", "", r"a\.jsonl:2: expected an object with language, id, prediction"),
    ("a.jsonl", '{"a": ' * 100_000, "", "nested"),
    ("a.json", "[" * 100_000, "", "nested"),
    ("a.json", f"[{ROW}", "", r"a\.json:1: not JSON"),
    ("a.json", f"[{ROW}, 3]", "", r"a\.json:2: expected an object"),
    ("a.jsonl", '{"language": "fr", "id": "1", "prediction": ["x"]}', "", "prediction must be text or null"),
    ("a.jsonl", '{"language": "fr", "id": "1", "prediction": true}', "", "prediction must be text or null"),
    ("a.jsonl", '{"language": "fr", "id": null, "prediction": "x"}', "", "language and id must be text"),
    ("a.json", '{"fr": {"1": "x", "1": "y"}}', "--reader nested", "has the key '1' twice"),
    ("a.json", '{"fr": {"1": ["x"]}}', "", r"fr '1': prediction must be text or null"),
    ("a.json", '{"fr": {"1": "x"}, "frr": {"1": "x"}}', "", r"no config is called 'frr' \(nearest: "),
    ("a.json", '{"fr": {"1": "x"}, "group_metrics": {"em": 0.5}}', "", "no config is called 'group_metrics'"),
    ("a.json", '{"1": "x"}', "--reader nested", "under '1', found 'x'"),
    ("a.bin", b"\x00\x01\x02\x03", "", r"is none of these; --reader NAME says which it is:\n  datasets: a saved"),
    ("a.gz", gzip.compress(ROW.encode(), mtime=0)[:-12], "", "gzip file is damaged or cut short"),
    ("a.gz", b"\x1f\x8b\x08\x00rubbish rubbish", "", "gzip file is damaged or cut short"),
    ("a.gz", gzip.compress(b"PAR1" + bytes(20), mtime=0), "", "is none of these"),
    ("a.parquet", b"PAR1 not really PAR1", "", "not a Parquet file"),
    ("a.eval", b"PK\x03\x04 not a zip", "", "not a whole zip archive"),
    ("a.csv", HEADER, "--reader exel", r"no reader is called 'exel'.*there are: datasets, folder"),
    ("a.csv", HEADER, "--reader folder", "is no folder: folder is a folder of logs"),
    ("a.csv", HEADER + "fr,1,x\n", "--reader jsonl", r"a\.csv:1: not JSON"),
    ("a.csv", HEADER + "fr,1,x\n", "--reader lighteval", "not a Parquet file"),
    ("a.csv", HEADER + "fr,1,x\n", "--reader inspect-eval", "not a whole zip archive"),
    ("a.csv", HEADER + "fr,1,x\n", "--epoch 0", "epochs are counted from 1"),
    ("a.jsonl", json.dumps({**DOC, "filtered_resps": [[-1.5, False]]}), "", "no generated text"),
    ("a.jsonl", json.dumps({**DOC, "doc": {"id": "1"}}), "", r"a\.jsonl:1: the log does not say the language"),
    ("a.jsonl", json.dumps({**DOC, "doc": {"query": "1"}}), "", "the doc has no id and no question; found query"),
    ("a.jsonl", json.dumps(DOC) + "\n{}", "", r"a\.jsonl:2: expected a sample with doc and filtered_resps"),
    ("a.jsonl", json.dumps({**DOC, "filtered_resps": ["x", "y"]}), "", "--epoch 1 to 2 chooses"),
    ("a.jsonl", json.dumps(DOC), "--filter strict", "there is no filter 'strict'; there are: none"),
    ("a.jsonl", '{"custom_id": "7", "response": {}}', "", "the custom_id '7' names no config; .*--language fr"),
    ("a.jsonl", '{"custom_id": "fr:1", "response": {"body": {"a": 1}}}', "", r"expected response\.body\.choices"),
    ("a.jsonl", '{"custom_id": "fr:1", "response": {"body": {"choices": [{}]}}}', "", "without message.content"),
    ("a.jsonl", '{"custom_id": 3, "response": null}\n{"custom_id": null}', "", r":1: the custom_id '3'"),
    ("a.json", json.dumps(LOG, indent=1), "", "the log has no samples"),
    ("a.json", log({"x": 1}), "", "sample 1: expected a sample with an id"),
    ("a.json", log({**SAMPLE, "metadata": {}}), "--language fr", "no id in its metadata, only a number, and no input"),
    ("a.json", log({**SAMPLE, "metadata": {"id": "1"}}), "", "the log does not say the language"),
    ("a.json", log(SAMPLE, {**SAMPLE, "epoch": 2}), "", r"--epoch N chooses: 1, 2"),
    ("a.json", log(SAMPLE), "--epoch 3", "there is no epoch 3; there are: 1"),
    ("a.json", log({**SAMPLE, "epoch": "x"}), "", "expected a number as epoch"),
    ("a.csv", HEADER + "fr,1,x\n", "--answer fist-line", r"no step is called 'fist-line' \(nearest: first-line"),
    ("a.csv", HEADER + "fr,1,x\n", "--answer regex:(", "is no regular expression"),
    ("a.csv", HEADER + "fr,1," + "a" * 6000 + "!\n", "--answer regex:^(a|aa)+$", "took longer than 1 s"),
    ("a.csv", HEADER + "fr,1,x\nfr,1,y\n", "", "repeated answers|an id that the gold does not have"),
]


@pytest.mark.parametrize(("name", "content", "options", "message"), TEXTS)
def test_a_bad_file(
    name: str, content: str | bytes, options: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    refused(["score", "--sample", "-p", str(path), "-o", str(tmp_path / "out.json"), *options.split()], message, capsys)
    assert not (tmp_path / "out.json").exists()


def refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    import re

    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("multiloko: ")
    assert re.search(message, shown.err, re.DOTALL), shown.err


def empty(folder: Path) -> Path:
    return folder


def only_a_readme(folder: Path) -> Path:
    (folder / "README.md").write_text("x")
    return folder


def files_that_name_no_language(folder: Path) -> Path:
    (folder / "answers.csv").write_text("id,prediction\n1,x\n")
    return folder


def a_split_that_is_not_there(folder: Path) -> Path:
    (folder / "dataset_dict.json").write_text('{"splits": ["fr"]}')
    return folder


def a_state_that_leads_elsewhere(folder: Path) -> Path:
    (folder / "state.json").write_text('{"_data_files": [{"filename": "../../secret.arrow"}]}')
    return folder


def a_file_of_a_data_set_that_is_not_there(folder: Path) -> Path:
    (folder / "state.json").write_text('{"_data_files": [{"filename": "data.arrow"}]}')
    return folder


def a_file_of_a_data_set_that_is_none(folder: Path) -> Path:
    (folder / "data.arrow").write_bytes(b"rubbish")
    return a_file_of_a_data_set_that_is_not_there(folder)


def splits_that_are_no_configs(folder: Path) -> Path:
    (folder / "dataset_dict.json").write_text('{"splits": ["train", "dev"]}')
    return folder


def nothing(folder: Path) -> Path:
    return folder / "nothing.csv"


def a_broken_link(folder: Path) -> Path:
    (folder / "a.csv").symlink_to(folder / "gone.csv")
    return folder / "a.csv"


def a_device(_: Path) -> Path:
    return Path(os.devnull)


def a_zip_of_something_else(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("a.csv", HEADER)
    return folder / "a.zip"


def a_log_with_an_entry_that_is_no_json(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "a.eval", "w") as archive:
        archive.writestr("samples/1.json", "{")
    return folder / "a.eval"


def a_log_with_an_entry_that_is_damaged(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "a.eval", "w") as archive:
        archive.writestr("samples/1.json", json.dumps(SAMPLE))
    content = (folder / "a.eval").read_bytes()
    (folder / "a.eval").write_bytes(content.replace(b'"completion"', b'"complexion"', 1))
    return folder / "a.eval"


def a_log_that_is_cut_short(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "a.eval", "w") as archive:
        archive.writestr("samples/1.json", json.dumps(SAMPLE))
    content = (folder / "a.eval").read_bytes()
    (folder / "a.eval").write_bytes(content[: len(content) // 2])
    return folder / "a.eval"


def parquet_of_other_types(folder: Path) -> Path:
    pq.write_table(pa.table({"language": ["fr"], "id": ["1"], "prediction": [b"x"]}), folder / "a.parquet")
    return folder / "a.parquet"


def parquet_without_a_column(folder: Path) -> Path:
    pq.write_table(pa.table({"language": ["fr"], "id": ["1"]}), folder / "a.parquet")
    return folder / "a.parquet"


def details_of_another_shape(folder: Path) -> Path:
    pq.write_table(pa.table({"doc": ["x"], "model_response": ["y"]}), folder / "a.parquet")
    return folder / "a.parquet"


def details_without_an_id(folder: Path) -> Path:
    rows = [{"doc": {"task_name": "multiloko:fr|0", "id": "1"}, "model_response": {"text": ["x"]}}]
    pq.write_table(pa.Table.from_pylist(rows), folder / "a.parquet")
    return folder / "a.parquet"


PLACES = [
    (empty, "the folder holds no file of answers; it is empty"),
    (only_a_readme, r"holds no file of answers; found README\.md"),
    (files_that_name_no_language, r"answers\.csv:2: no 'language'"),
    (a_split_that_is_not_there, r"there is no file .*fr"),
    (a_state_that_leads_elsewhere, "expected names of files or folders under '_data_files'"),
    (a_file_of_a_data_set_that_is_not_there, r"state\.json names 'data\.arrow', which is not there"),
    (a_file_of_a_data_set_that_is_none, r"data\.arrow: not a stream of Arrow tables"),
    (splits_that_are_no_configs, "holds the splits train, dev; name the folder of one of them"),
    (nothing, "there is no file"),
    (a_broken_link, "there is no file"),
    (a_device, "is no file and no folder"),
    (a_zip_of_something_else, "is none of these"),
    (a_log_with_an_entry_that_is_no_json, r"samples/1\.json: not JSON"),
    (a_log_with_an_entry_that_is_damaged, r"samples/1\.json: the entry is damaged"),
    (a_log_that_is_cut_short, "not a whole zip archive"),
    (parquet_of_other_types, "prediction must be text or null"),
    (parquet_without_a_column, "no 'prediction'; found language, id"),
    (details_of_another_shape, "expected a row with doc and model_response"),
    (details_without_an_id, "the doc has no id in specific, and no query"),
]


@pytest.mark.parametrize(("make", "message"), PLACES, ids=lambda each: getattr(each, "__name__", ""))
def test_a_bad_place(make: Any, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    refused(["score", "--sample", "-p", str(make(folder))], message, capsys)
    refused(["convert", str(make_again(make, tmp_path)), "-o", str(tmp_path / "o.csv"), "--sample"], message, capsys)
    assert not (tmp_path / "o.csv").exists()


def make_again(make: Any, folder: Path) -> Path:
    (folder / "again").mkdir()
    return Path(make(folder / "again"))
