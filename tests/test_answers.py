"""Files of answers, in the formats people have them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiloko_metric.errors import MultiLoKoError
from multiloko_runs.answers import Answer
from multiloko_runs.readers import read_answers

ROWS = [
    {"language": "fr", "id": "1.txt", "prediction": "la Seine"},
    {"language": "french", "id": "2.txt", "prediction": 'a "quoted", comma\nand a new line'},
    {"language": "zh-hans", "id": "0125_豆浆.txt", "prediction": "豆浆\u2028\u0085"},
    {"language": "fr", "id": "3.txt", "prediction": ""},
]
FORMATS = ("csv", "jsonl", "json", "pretty.json", "parquet")

# Text that CSV can hold, too: no lone surrogates, no NUL, no bare carriage return.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"), max_size=20)
names = texts.filter(lambda text: text != "")


def write(path: Path, rows: list[dict[str, Any]], form: str) -> Path:
    path = path / f"answers.{form}"
    if form == "csv":
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
        path.write_bytes(text.getvalue().encode())
    elif form == "parquet":
        pq.write_table(pa.Table.from_pylist(rows, pa.schema([(name, pa.string()) for name in rows[0]])), path)
    elif form == "jsonl":
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    else:
        indent = 2 if form.startswith("pretty") else None
        path.write_text(json.dumps(rows, ensure_ascii=False, indent=indent), encoding="utf-8")
    return path


def read(path: Path) -> list[tuple[str, str, str | None]]:
    return [(answer.language, answer.id, answer.prediction) for answer in read_answers(path)]


def values(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(row["language"], row["id"], row["prediction"]) for row in rows]


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_gives_the_same_answers(tmp_path: Path, form: str) -> None:
    assert read(write(tmp_path, ROWS, form)) == values(ROWS)


@given(st.lists(st.fixed_dictionaries({"language": names, "id": names, "prediction": texts}), min_size=1, max_size=5))
@settings(deadline=None, max_examples=30)
def test_any_text_comes_through_every_format(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    for form in FORMATS:
        assert read(write(tmp_path_factory.getbasetemp(), rows, form)) == values(rows)


@pytest.mark.parametrize("form", ["csv", "jsonl", "json"])
def test_a_byte_order_mark(tmp_path: Path, form: str) -> None:
    path = write(tmp_path, ROWS, form)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read(path) == values(ROWS)


def test_columns_in_another_order_and_more_of_them(tmp_path: Path) -> None:
    rows = [{"model": "m", "prediction": "p", "id": "1", "language": "fr", "score": 0.5}]
    expected = [("fr", "1", "p")]
    assert read(write(tmp_path, rows, "jsonl")) == expected
    assert read(write(tmp_path, rows, "json")) == expected
    (tmp_path / "a.csv").write_text("model,prediction,id,language\nm,p,1,fr\n")
    assert read(tmp_path / "a.csv") == expected
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == expected


@pytest.mark.parametrize("form", FORMATS)
def test_config_in_the_place_of_language(tmp_path: Path, form: str) -> None:
    renamed = [{"config" if name == "language" else name: value for name, value in row.items()} for row in ROWS]
    assert read(write(tmp_path, renamed, form)) == values(ROWS)
    same = [{**row, "config": row["language"]} for row in ROWS]
    assert read(write(tmp_path, same, form)) == values(ROWS)


@pytest.mark.parametrize("form", FORMATS)
def test_language_and_config_that_differ(tmp_path: Path, form: str) -> None:
    rows = [
        {"language": "fr", "config": "french", "id": "1", "prediction": "two names of one config"},
        {"language": "en", "config": "fr-en-human", "id": "1", "prediction": "x"},
    ]
    path = write(tmp_path, rows, form)
    line = 3 if form == "csv" else 2
    with pytest.raises(MultiLoKoError, match=rf"{path.name}:{line}: language is 'en' and config is 'fr-en-human'"):
        read(path)
    rows[1]["language"] = "nonsense"
    with pytest.raises(MultiLoKoError, match="language is 'nonsense' and config"):
        read(write(tmp_path, rows, form))


def test_a_config_that_is_null_or_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"language": "fr", "config": null, "id": "1", "prediction": "x"}\n'
        '{"language": null, "config": "de", "id": "1", "prediction": "y"}\n'
    )
    assert read(path) == [("fr", "1", "x"), ("de", "1", "y")]
    (tmp_path / "a.csv").write_text("language,config,id,prediction\nfr,,1,x\n,de,1,y\n")
    assert read(tmp_path / "a.csv") == [("fr", "1", "x"), ("de", "1", "y")]
    path.write_text('{"config": null, "id": "1", "prediction": "x"}')
    with pytest.raises(MultiLoKoError, match="language and id must be text"):
        read(path)
    path.write_text('{"config": ["fr"], "id": "1", "prediction": "x"}')
    with pytest.raises(MultiLoKoError, match="language and id must be text"):
        read(path)


def test_places_are_lines_of_the_file(tmp_path: Path) -> None:
    row = json.dumps(ROWS[0])
    (tmp_path / "a.jsonl").write_text(f"\n{row}\n\n{row}\n")
    assert [answer.place for answer in read_answers(tmp_path / "a.jsonl")] == [2, 4]
    (tmp_path / "a.csv").write_text("language,id,prediction\nfr,1,x\n\nfr,2,y\n")
    assert [answer.place for answer in read_answers(tmp_path / "a.csv")] == [2, 4]
    assert [answer.place for answer in read_answers(write(tmp_path, ROWS, "json"))] == [1, 2, 3, 4]
    assert [answer.place for answer in read_answers(write(tmp_path, ROWS, "parquet"))] == [1, 2, 3, 4]


def test_a_number_is_its_text_and_null_is_missing(tmp_path: Path) -> None:
    lines = [f'{{"language": "fr", "id": 7, "prediction": {value}}}' for value in ("1994", "3.10", "-1e5", "null")]
    expected = [("fr", "7", "1994"), ("fr", "7", "3.10"), ("fr", "7", "-1e5"), ("fr", "7", None)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    assert read(tmp_path / "a.jsonl") == expected
    (tmp_path / "a.json").write_text(f"[{', '.join(lines)}]")
    assert read(tmp_path / "a.json") == expected


def test_numbers_and_nulls_of_parquet(tmp_path: Path) -> None:
    columns = {"language": ["fr", "fr"], "id": [7, 8], "prediction": [1994, None]}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == [("fr", "7", "1994"), ("fr", "8", None)]
    encoded = pa.table({**columns, "prediction": pa.array(["x", None]).dictionary_encode()})
    pq.write_table(encoded, tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == [("fr", "7", "x"), ("fr", "8", None)]


def test_a_very_long_answer(tmp_path: Path) -> None:
    rows = [{"language": "fr", "id": "1", "prediction": "x y " * 100_000}]
    for form in FORMATS:
        assert read(write(tmp_path, rows, form)) == values(rows)


def test_an_empty_file_has_no_answers(tmp_path: Path) -> None:
    for name, content in (
        ("a.jsonl", ""),
        ("a.json", "[]"),
        ("a.csv", ""),
        ("a.parquet", ""),
        ("b.csv", "language,id,prediction\n"),
    ):
        (tmp_path / name).write_text(content)
        assert read(tmp_path / name) == []


BROKEN = [
    ("a.jsonl", '{"language": "fr", "id": "1"}', r"a\.jsonl:1: no 'prediction'; found language, id"),
    ("a.jsonl", '{"id": "1", "prediction": "x"}', r"a\.jsonl:1: no 'language'"),
    ("a.jsonl", "{}", r"a\.jsonl:1: no 'language'; found nothing"),
    ("a.jsonl", '\n{"language": "fr", "id": "1", ', r"a\.jsonl:2: not JSON"),
    ("a.json", '["text"]', r"a\.json:1: expected an object"),
    ("a.json", '[{"language": "fr", "id": "1", "prediction": "x"}, ', r"a\.json:1: not JSON"),
    ("a.json", '[{"language": "fr", "id": "1", "prediction": "x"}] []', r"a\.json:1: not JSON"),
    ("a.jsonl", '{"language": null, "id": "1", "prediction": "x"}', r"a\.jsonl:1: language and id must be text"),
    ("a.jsonl", '{"language": "fr", "id": null, "prediction": "x"}', r"a\.jsonl:1: language and id must be text"),
    ("a.jsonl", '{"language": "fr", "id": "", "prediction": "x"}', r"a\.jsonl:1: language and id must be text"),
    ("a.jsonl", '{"language": "fr", "id": "1", "prediction": ["x"]}', r"a\.jsonl:1: prediction must be text or null"),
    ("a.jsonl", '{"language": "fr", "id": "1", "prediction": true}', r"a\.jsonl:1: prediction must be text or null"),
    ("a.csv", "language,id,prediction\nfr,1\n", r"a\.csv:2: no 'prediction'"),
    ("a.csv", "fr,1,x\nfr,2,y\n", r"a\.csv:2: no 'language'"),
    ("a.parquet", "PAR1 not really PAR1", r"a\.parquet: not a Parquet file"),
]


@pytest.mark.parametrize(("name", "content", "message"), BROKEN)
def test_a_file_that_is_wrong_is_named_with_the_line(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(MultiLoKoError, match=message):
        read(tmp_path / name)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json"])
def test_a_file_in_another_encoding(tmp_path: Path, name: str) -> None:
    for encoding in ("latin-1", "utf-16"):
        (tmp_path / name).write_bytes("language,id,prediction\nfr,1,é\n".encode(encoding))
        with pytest.raises(MultiLoKoError, match="not UTF-8"):
            read(tmp_path / name)


def test_a_parquet_file_without_a_column(tmp_path: Path) -> None:
    pq.write_table(pa.table({"language": ["fr"], "id": ["1"]}), tmp_path / "a.parquet")
    with pytest.raises(MultiLoKoError, match=r"a\.parquet:1: no 'prediction'; found language, id"):
        read(tmp_path / "a.parquet")


def test_a_parquet_file_of_bytes(tmp_path: Path) -> None:
    pq.write_table(pa.table({"language": ["fr"], "id": ["1"], "prediction": [b"x"]}), tmp_path / "a.parquet")
    with pytest.raises(MultiLoKoError, match="prediction must be text or null"):
        read(tmp_path / "a.parquet")


@pytest.mark.parametrize("cut", [4, 50, 200, -9, -1])
def test_a_parquet_file_cut_short(tmp_path: Path, cut: int) -> None:
    path = write(tmp_path, ROWS, "parquet")
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(MultiLoKoError, match="not a Parquet file"):
        read(path)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(MultiLoKoError, match="there is no file"):
        read(tmp_path / "nothing.csv")
    with pytest.raises(MultiLoKoError, match="the folder holds no file of answers"):
        read(tmp_path)


@given(st.binary(max_size=60))
@settings(deadline=None, max_examples=100)
def test_any_bytes_are_answers_or_a_clear_error(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    for name in ("any.jsonl", "any.csv", "any.parquet"):
        path = tmp_path_factory.getbasetemp() / name
        path.write_bytes(content)
        message = str(path)
        try:
            assert all(isinstance(answer, Answer) for answer in read_answers(path))
        except MultiLoKoError as error:
            message = str(error)
        assert str(path) in message
