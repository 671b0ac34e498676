"""What people have of a model's answers, in every form, read as the same answers."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from harness_logs import unpacked
from hypothesis import given, settings
from hypothesis import strategies as st

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import CONFIGS, parse_config
from multiloko_runs.answers import Answer
from multiloko_runs.matching import match
from multiloko_runs.question_keys import question_key
from multiloko_runs.readers import READERS, Reading, ReadOptions, detect, opened, read_answers, zipped
from multiloko_runs.readers.reading import config_at_end
from multiloko_source.questions import Question

LOGS = unpacked()

Rows = list[tuple[str, str, str | None]]
ROWS: Rows = [
    ("fr", "1.txt", "la Seine"),
    ("fr", "2.txt", 'a "quoted", comma;\tand a\nnew line'),
    ("zh-hans", "0125_豆浆.txt", "豆浆\u2028\u0085"),
    ("fr-en-human", "1.txt", ""),
    ("fr", "3.txt", "1994"),
]


def dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def objects(rows: Rows) -> list[dict[str, Any]]:
    return [{"language": language, "id": identifier, "prediction": text} for language, identifier, text in rows]


def delimited(rows: Rows, delimiter: str) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerows([("language", "id", "prediction"), *rows])
    return text.getvalue()


def by_config(rows: Rows) -> dict[str, dict[str, str | None]]:
    nested: dict[str, dict[str, str | None]] = {}
    for language, identifier, text in rows:
        nested.setdefault(language, {})[identifier] = text
    return nested


def save(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8"))
    return path


def write_csv(folder: Path, rows: Rows) -> Path:
    return save(folder / "a.csv", delimited(rows, ","))


def write_tabs(folder: Path, rows: Rows) -> Path:
    return save(folder / "a.txt", delimited(rows, "\t"))


def write_semicolons(folder: Path, rows: Rows) -> Path:
    return save(folder / "answers", "\ufeff" + delimited(rows, ";"))


def write_lines(folder: Path, rows: Rows) -> Path:
    header = dumps({"multiloko_run": {"model": "m"}})
    return save(folder / "a.jsonl", "\n".join([header, *map(dumps, objects(rows))]))


def write_gzip(folder: Path, rows: Rows) -> Path:
    path = write_lines(folder, rows)
    path.write_bytes(gzip.compress(path.read_bytes()))
    return path


def write_array(folder: Path, rows: Rows) -> Path:
    return save(folder / "a.csv", json.dumps(objects(rows), indent=2))  # by content: the name is wrong


def write_nested(folder: Path, rows: Rows) -> Path:
    return save(folder / "a.json", dumps(by_config(rows)))


def write_parquet(folder: Path, rows: Rows) -> Path:
    schema = pa.schema([(name, pa.string()) for name in ("language", "id", "prediction")])
    pq.write_table(pa.Table.from_pylist(objects(rows), schema), folder / "a.bin")
    return folder / "a.bin"


def write_folder(folder: Path, rows: Rows) -> Path:
    for language, answers in by_config(rows).items():
        lines = [dumps({"id": identifier, "prediction": text}) for identifier, text in answers.items()]
        save(folder / f"{parse_config(language).key}.jsonl", "\n".join(lines))
    return folder


def write_lm_eval(folder: Path, rows: Rows) -> Path:
    for language, answers in by_config(rows).items():
        lines = [
            dumps({"doc_id": number, "doc": {"id": identifier}, "filtered_resps": [text], "filter": "none"})
            for number, (identifier, text) in enumerate(answers.items())
        ]
        save(folder / "model" / f"samples_multiloko_{language}_2026-01-01T00-00-00.000000.jsonl", "\n".join(lines))
    return folder


def write_lighteval(folder: Path, rows: Rows) -> Path:
    table = [
        {
            "doc": {"specific": {"config": language, "id": identifier}, "task_name": "multiloko:x|0", "query": "?"},
            "model_response": {"text": [text], "text_post_processed": None},
        }
        for language, identifier, text in rows
    ]
    schema = pa.schema(
        {
            "doc": pa.struct(
                {
                    "specific": pa.struct({"config": pa.string(), "id": pa.string()}),
                    "task_name": pa.string(),
                    "query": pa.string(),
                }
            ),
            "model_response": pa.struct({"text": pa.list_(pa.string()), "text_post_processed": pa.list_(pa.string())}),
        }
    )
    pq.write_table(pa.Table.from_pylist(table, schema), folder / "details_x.parquet")
    return folder


def inspect_samples(rows: Rows, epoch: int = 1) -> list[dict[str, Any]]:
    return [
        {
            "id": number,
            "epoch": epoch,
            "input": f"question {number}",
            "metadata": {"config": language, "id": identifier},
            "output": {"completion": text, "choices": [{"message": {"content": text}}]},
        }
        for number, (language, identifier, text) in enumerate(rows, start=1)
    ]


LOG = {"version": 2, "status": "success", "eval": {"task": "multiloko"}}


def write_eval(folder: Path, rows: Rows) -> Path:
    with zipfile.ZipFile(folder / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        for number, sample in enumerate(inspect_samples(rows), start=1):
            archive.writestr(f"samples/{number}_epoch_1.json", dumps(sample))
        archive.writestr("header.json", dumps(LOG))
    return folder / "log.eval"


def write_json_log(folder: Path, rows: Rows) -> Path:
    return save(folder / "log.json", json.dumps({**LOG, "samples": inspect_samples(rows)}, indent=2))


def write_batch(folder: Path, rows: Rows) -> Path:
    lines = [
        dumps(
            {
                "id": f"batch_{number}",
                "custom_id": f"{language}:{identifier}",
                "response": {"status_code": 200, "body": {"choices": [{"message": {"content": text}}]}},
                "error": None,
            }
        )
        for number, (language, identifier, text) in enumerate(rows)
    ]
    return save(folder / "output.jsonl", "\n".join(reversed(lines)))


def write_dataset(folder: Path, rows: Rows) -> Path:
    table = pa.table({name: pa.array([row[name] for row in objects(rows)], pa.string()) for name in objects(ROWS)[0]})
    with pa.ipc.new_stream(folder / "data-00000-of-00001.arrow", table.schema) as writer:
        writer.write_table(table)
    save(folder / "state.json", dumps({"_data_files": [{"filename": "data-00000-of-00001.arrow"}]}))
    save(folder / "dataset_info.json", "{}")
    return folder


WRITERS: dict[str, tuple[str, Callable[[Path, Rows], Path]]] = {
    "comma": ("csv", write_csv),
    "tab": ("csv", write_tabs),
    "semicolon": ("csv", write_semicolons),
    "lines": ("jsonl", write_lines),
    "gzip": ("jsonl", write_gzip),
    "array": ("array", write_array),
    "nested": ("nested", write_nested),
    "parquet": ("parquet", write_parquet),
    "folder": ("folder", write_folder),
    "lm-eval": ("folder", write_lm_eval),
    "lighteval": ("folder", write_lighteval),
    "eval": ("inspect-eval", write_eval),
    "json log": ("inspect-json", write_json_log),
    "batch": ("openai-batch", write_batch),
    "dataset": ("datasets", write_dataset),
}


def values(path: Path, **options: Any) -> Rows:
    return [(each.language, each.id, each.prediction) for each in read_answers(path, Reading(ReadOptions(**options)))]


def in_any_order(rows: Rows) -> Rows:
    """The answers, with each config by one of its names, in an order that does not depend on the file."""
    return sorted((parse_config(name).name, identifier, text) for name, identifier, text in rows)  # type: ignore[type-var]


@pytest.mark.parametrize("form", WRITERS)
def test_every_source_gives_the_same_answers(form: str, tmp_path: Path) -> None:
    name, write = WRITERS[form]
    path = write(tmp_path, ROWS)
    assert detect(opened.Opened(path)) == name
    assert in_any_order(values(path)) == in_any_order(ROWS)
    assert in_any_order(values(path, reader=name)) == in_any_order(ROWS)


def test_every_reader_is_tried_above() -> None:
    tested = {name for name, _ in WRITERS.values()} | {"lm-eval", "lighteval"}
    assert tested == set(READERS)


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"), max_size=15)
ids = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=" "), min_size=1, max_size=15)
names = st.sampled_from([config.name for config in CONFIGS])
answers = st.lists(st.tuples(names, ids, texts), min_size=1, max_size=6, unique_by=lambda row: row[:2])


@given(answers)
@settings(deadline=None, max_examples=25)
def test_any_answers_come_back_from_every_source(tmp_path_factory: pytest.TempPathFactory, rows: Rows) -> None:
    rows = [(name, identifier, text) for name, identifier, text in rows if not identifier.isspace()]
    for form, (_, write) in WRITERS.items():
        path = write(tmp_path_factory.mktemp(form.replace(" ", "_")), rows)
        assert in_any_order(values(path)) == in_any_order(rows), form


EM = json.loads((LOGS / "em.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("log", EM)
def test_a_log_of_the_real_harness_scores_as_the_harness_said(log: str, multiloko: Callable[..., Any]) -> None:
    done = multiloko("score", "--sample", "-p", LOGS / log, "--json", "--no-warnings")
    assert done.returncode == 0, done.stderr
    found = {name: each["means"]["em"] for name, each in json.loads(done.stdout)["configs"].items()}
    assert found == EM[log]


def test_the_logs_hold_nothing_of_the_machine_they_were_made_on() -> None:
    for path in LOGS.rglob("*.*"):
        assert path.stat().st_size < 100_000
        content = path.read_bytes()
        if path.suffix == ".eval":
            with path.open("rb") as file:
                archive = zipped.Zipped(path, file)
                content = b"".join(map(archive.read, archive.names()))
        assert not re.search(rb"[\"'(= ](/[a-z]+){2}|\bgit@|\"commit\"|\"host", content), path


def missing(path: Path, **options: Any) -> list[str | None]:
    return [text for _, _, text in values(path, **options)]


def test_a_failed_request_of_a_batch_is_missing(tmp_path: Path) -> None:
    body: dict[str, Any] = {"choices": [{"message": {"content": "x"}}]}
    rows: list[dict[str, Any]] = [
        {"custom_id": "fr:1", "response": {"status_code": 200, "body": body}, "error": None},
        {"custom_id": "fr:2", "response": None, "error": {"code": "batch_expired"}},
        {"custom_id": "fr:3", "response": {"status_code": 429, "body": {"error": {"message": "slow"}}}},
        {"custom_id": "fr:4", "response": {"status_code": 200, "body": {"error": {}, "choices": [{"text": "y"}]}}},
        {"custom_id": "fr:5", "response": {"body": {"choices": [{"message": {"content": None}}]}}},
        {"custom_id": "fr:6", "response": {"body": {"choices": [{"message": {"content": ""}}]}}},
        {"custom_id": "fr:7", "response": {"body": {"choices": [{"text": " z"}]}}},
        {"custom_id": "fr:8", "response": {"body": {"choices": []}}},
        {
            "custom_id": "fr:9",
            "response": {"body": {"choices": [{"message": {"content": [{"type": "text", "text": "p"}]}}]}},
        },
    ]
    path = save(tmp_path / "b.jsonl", "\n".join(map(dumps, rows)))
    assert missing(path) == ["x", None, None, "y", None, "", " z", None, "p"]


def test_a_failed_sample_of_inspect_is_missing(tmp_path: Path) -> None:
    samples = inspect_samples([("fr", "1", "x"), ("fr", "2", ""), ("fr", "3", None), ("fr", "4", "a")])
    samples[0]["error"] = {"message": "timeout"}
    samples[2]["output"] = {"model": "m", "choices": [], "completion": None}
    samples[3]["output"] = {"choices": [{"message": {"content": "from the choice"}}]}
    path = save(tmp_path / "log.json", json.dumps({**LOG, "samples": samples}, indent=1))
    assert missing(path) == [None, "", None, "from the choice"]


def test_a_null_or_an_error_in_lines_is_missing(tmp_path: Path) -> None:
    rows = [
        {"config": "fr", "id": "1", "prediction": None, "error": {"kind": "timeout"}},
        {"config": "fr", "id": "2", "prediction": "", "error": "timeout"},
        {"config": "fr", "id": "3", "prediction": "", "error": None},
        {"config": "fr", "id": "4", "prediction": 3},
    ]
    assert missing(save(tmp_path / "a.jsonl", "\n".join(map(dumps, rows)))) == [None, None, "", "3"]


def test_one_of_several_filters(tmp_path: Path) -> None:
    def rows(*filters: str) -> Path:
        lines = [
            dumps({"doc": {"id": "1", "language": "fr"}, "filtered_resps": [name], "filter": name}) for name in filters
        ]
        return save(tmp_path / "samples_x.jsonl", "\n".join(lines))

    assert missing(rows("strict")) == ["strict"]
    assert missing(rows("strict", "loose"), filter="loose") == ["loose"]
    reading = Reading()
    assert [each.prediction for each in read_answers(rows("strict", "none"), reading)] == ["none"]
    assert reading.notes == [
        "of the filters strict, none the answers of 'none' are taken; --filter NAME chooses another"
    ]
    with pytest.raises(MultiLoKoError, match="--filter NAME chooses: strict, loose"):
        missing(rows("strict", "loose"))
    with pytest.raises(MultiLoKoError, match="no filter 'lose'; there are: strict, loose"):
        missing(rows("strict", "loose"), filter="lose")


def test_one_of_several_epochs(tmp_path: Path) -> None:
    samples = [*inspect_samples([("fr", "1", "a")]), *inspect_samples([("fr", "1", "b")], epoch=2)]
    path = save(tmp_path / "log.json", json.dumps({**LOG, "samples": samples}, indent=1))
    assert missing(path, epoch=2) == ["b"]
    with pytest.raises(MultiLoKoError, match=r"2 answers to each question; --epoch N chooses: 1, 2"):
        missing(path)
    row = {"doc": {"id": "1", "language": "fr"}, "filtered_resps": ["a", "b"], "filter": "none"}
    path = save(tmp_path / "samples_x.jsonl", dumps(row))
    assert missing(path, epoch=1) == ["a"]
    with pytest.raises(MultiLoKoError, match=r":1: 2 answers to one question; --epoch 1 to 2 chooses"):
        missing(path)
    with pytest.raises(MultiLoKoError, match="there is no answer 3, only 2"):
        missing(path, epoch=3)


LANGUAGES = [
    ({"config": "fr-en-human", "language": "french"}, "x", "fr-en-human"),
    ({"config": "default", "language": "French"}, "x", "fr"),
    ({"source_language": "french", "question_language": "french", "language": "english"}, "x", "fr"),
    (
        {"source_language": "English", "question_language": "french", "translation_type": "machine-translated"},
        "x",
        "en-fr-machine",
    ),
    ({"source_language": "simplified mandarin", "question_language": "simplified_mandarin"}, "x", "zh-hans"),
    ({}, "multiloko_fr", "fr"),
    ({}, "multiloko_chat_zh-hant", "zh-hant"),
    ({}, "multiloko_french_translated_human_english", "fr-en-human"),
    ({"language": "fra"}, "multiloko_it", "it"),
]


@pytest.mark.parametrize(("doc", "task", "expected"), LANGUAGES)
def test_the_language_of_a_foreign_task(doc: dict[str, str], task: str, expected: str, tmp_path: Path) -> None:
    row = {"doc": {"question": "q", **doc}, "filtered_resps": ["a"]}
    path = save(tmp_path / f"samples_{task}_2026-01-01T00-00-00.jsonl", dumps(row))
    (answer,) = read_answers(path)
    assert (answer.language, answer.id, answer.question) == (expected, "", "q")
    if task == "x" and not doc:
        assert values(path, language="pl")[0][0] == "pl"


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
def test_the_config_at_the_end_of_a_name(config: Any) -> None:
    for name in (config.name, config.key, f"multiloko_{config.name}", f"multiloko:{config.name}|5"):
        assert config_at_end(name) == config
    assert config_at_end(f"multiloko_to_english_human:{config.name}|5") == config
    assert config_at_end("multiloko") is None


def gold(config: Any) -> dict[str, Question] | None:
    questions = {"1.txt": "Qui ?", "2.txt": "Où ?", "3.txt": "Quand  donc ?", "4.txt": "Qui ?"}
    return {identifier: Question(("x",), None, text) for identifier, text in questions.items()}


def joined(*found: Answer) -> dict[str, str]:
    (matched,) = match(found, gold, missing="skip").configs
    return dict(zip(matched.ids, matched.predictions, strict=True))


def test_answers_are_joined_by_key_and_by_question() -> None:
    key = question_key(parse_config("fr"), "1.txt")
    assert key == "fr:0a23afe0bd19853e6c11f581"
    assert joined(Answer("fr", key, "a", 1), Answer("fr", "", "b", 2, "Où ?")) == {"1.txt": "a", "2.txt": "b"}
    assert joined(Answer("fr", "other", "c", 1, " Quand donc ?\n")) == {"3.txt": "c"}
    notes = match([Answer("fr", "", "b", 2, "Où ?")], gold).notes
    assert notes == ["1 answers joined by the text of their question"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer("fr", "", "a", 7, "Qui ?"), r"in the gold more than once.*fr '1\.txt' and '4\.txt' \(f:7\)"),
        (Answer("fr", "", "a", 7, "Pourquoi ?"), r"answers to a question that the gold does not have: fr 'Pourquoi"),
        (Answer("fr", "fr:" + "0" * 24, "a", 7), "answers with a key of no question of the gold"),
        (Answer("fr", "5.txt", "a", 7, None, "it.csv"), r"an id that the gold does not have: fr '5.txt' \(f/it\.csv:7"),
    ],
)
def test_answers_that_cannot_be_joined(answer: Answer, message: str) -> None:
    with pytest.raises(MultiLoKoError, match=message):
        match([answer], gold, file="f")


def test_the_order_of_rows_never_joins(tmp_path: Path) -> None:
    samples = inspect_samples([("fr", "1", "a"), ("fr", "2", "b")])
    for sample in samples:
        del sample["metadata"]["id"]
    path = save(tmp_path / "log.json", json.dumps({**LOG, "samples": samples}, indent=1))
    assert [(each.id, each.question) for each in read_answers(path)] == [("", "question 1"), ("", "question 2")]


def test_columns_of_other_names(tmp_path: Path) -> None:
    path = save(tmp_path / "a.csv", "ID,Prediction\n1,x\n")
    reading = Reading(ReadOptions(language="it"))
    assert [tuple(each)[:3] for each in read_answers(path, reading)] == [("it", "1", "x")]
    assert reading.notes == [f"{path}: the column {was!r} is taken for {name!r}" for was, name in (
        ("ID", "id"), ("Prediction", "prediction"))]  # fmt: skip
    path = save(tmp_path / "a.tsv", "config\tkey\tanswer\nfr\tfr:1\tx\n")
    assert values(path, column="answer") == [("fr", "fr:1", "x")]
    path = save(tmp_path / "k.jsonl", dumps({"key": question_key(parse_config("yue"), "1"), "prediction": "x"}))
    assert values(path)[0][0] == "yue"


def test_a_saved_dataset_dict(tmp_path: Path) -> None:
    for split in ("fr", "it"):
        (tmp_path / split).mkdir()
        table = pa.table({"id": ["1"], "prediction": [split]})
        with pa.ipc.new_stream(tmp_path / split / "data.arrow", table.schema) as writer:
            writer.write_table(table)
        save(tmp_path / split / "state.json", dumps({"_data_files": [{"filename": "data.arrow"}]}))
    save(tmp_path / "dataset_dict.json", dumps({"splits": ["fr", "it"]}))
    assert values(tmp_path) == [("fr", "1", "fr"), ("it", "1", "it")]


def test_what_datasets_saves(tmp_path: Path) -> None:
    import datasets

    rows = objects([row for row in ROWS if row[2]])
    saved = datasets.Dataset.from_list(rows)
    saved.save_to_disk(str(tmp_path / "one"))
    assert values(tmp_path / "one") == [row for row in ROWS if row[2]]
    datasets.DatasetDict({"test": saved}).save_to_disk(str(tmp_path / "dict"))
    assert values(tmp_path / "dict") == [row for row in ROWS if row[2]]


def zstandard_zip(path: Path, name: str, *frames: bytes, size: int | None = None) -> Path:
    """A zip archive with one entry in Zstandard frames, as inspect_ai writes for long samples."""
    packed = b"".join(pa.compress(frame, codec="zstd", asbytes=True) for frame in frames)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, packed)
    content = path.read_bytes()
    crc, whole = zlib.crc32(b"".join(frames)), sum(map(len, frames)) if size is None else size
    for signature, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        start = content.index(signature) + at
        method = (93).to_bytes(2, "little")
        sizes = b"".join(number.to_bytes(4, "little") for number in (crc, len(packed), whole))
        content = content[:start] + method + content[start + 2 : start + 6] + sizes + content[start + 18 :]
    path.write_bytes(content)
    return path


def test_an_entry_of_several_zstandard_frames(tmp_path: Path) -> None:
    (sample,) = map(dumps, inspect_samples([("fr", "1", "long " * 50_000)]))
    half = len(sample) // 2
    path = zstandard_zip(tmp_path / "a.eval", "samples/1.json", sample[:half].encode(), sample[half:].encode())
    assert values(path) == [("fr", "1", "long " * 50_000)]


def test_a_damaged_entry_in_zstandard_is_named(tmp_path: Path) -> None:
    path = zstandard_zip(tmp_path / "a.eval", "samples/1.json", b'{"id": 1} ' * 100)
    content = path.read_bytes()
    for place in range(len("samples/1.json") + 30, content.index(b"PK\x01\x02"), 3):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        with pytest.raises(MultiLoKoError, match=r"samples/1\.json: "):
            values(path)


@pytest.mark.parametrize("how", ["deflate", "zstandard"])
def test_a_bomb_in_a_zip_is_defused(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipped, "MOST_ENTRY", 1_000_000)
    bomb = b" " * 5_000_000
    path = tmp_path / "a.eval"
    if how == "zstandard":
        zstandard_zip(path, "samples/1.json", bomb, size=10)
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("samples/1.json", bomb)
    with pytest.raises(MultiLoKoError, match=r"samples/1\.json: unpacks to more than 1,000,000 bytes"):
        values(path)


def test_a_bomb_in_gzip_is_defused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "MOST_UNPACKED", 1_000_000)
    path = tmp_path / "a.jsonl"
    path.write_bytes(gzip.compress(b'{"id":' + b" " * 5_000_000))
    with pytest.raises(MultiLoKoError, match="unpacks to more than 1,000,000 bytes"):
        values(path)


@given(st.binary(max_size=80), st.sampled_from(["", "PK\x03\x04", "PAR1", "\x1f\x8b\x08", "[{", '{"doc":', "id,"]))
@settings(deadline=None, max_examples=150)
def test_any_bytes_are_answers_or_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, begin: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(begin.encode("latin-1") + content)
    for reader in (None, *(name for name in READERS if name not in ("folder", "datasets"))):
        message = str(path)
        try:
            assert all(isinstance(each, Answer) for each in read_answers(path, Reading(ReadOptions(reader=reader))))
        except MultiLoKoError as error:
            message = str(error)
        assert str(path) in message
