"""Lines of official files, read as rows of ten fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import parse_config
from multiloko_source.rows import FIELDS, read_fewshot, read_rows

FRENCH = parse_config("fr")
TRANSLATED = parse_config("fr-en-human")
QUESTION = {"text": "T", "question": "Q", "targets": ["a", "b"], "target": "A.", "id": "1_q.txt", "output_type": "o"}


def written(folder: Path, *lines: str | dict[str, Any], prefix: bytes = b"") -> Path:
    path = folder / "dev.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_bytes(prefix + "".join(f"{text}\n" for text in texts).encode())
    return path


def rows_of(path: Path, name: str = "fr") -> list[dict[str, Any]]:
    complaints: list[str] = []
    rows = list(read_rows(path, parse_config(name), complaints.append))
    assert complaints == []
    return rows


def targets_of(folder: Path, spelled: str) -> list[str]:
    """What is read from a row whose targets are spelled like this in JSON."""
    found: list[str] = rows_of(written(folder, f'{{"question": "Q", "id": "1", "targets": {spelled}}}'))[0]["targets"]
    return found


def test_an_official_row_gets_the_four_fields_of_its_file(tmp_path: Path) -> None:
    assert rows_of(written(tmp_path, QUESTION), "fr-en-human") == [
        {
            **QUESTION,
            "source_language": "french",
            "question_language": "english",
            "translated": True,
            "translation_type": "human",
        }
    ]
    local = rows_of(written(tmp_path, QUESTION))[0]
    assert tuple(local) == FIELDS
    assert list(local.values())[6:] == ["french", "french", False, None]


def test_a_byte_order_mark_and_blank_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "", QUESTION, "  \t", {**QUESTION, "id": "2"}, "", prefix=b"\xef\xbb\xbf")
    assert [row["id"] for row in rows_of(path)] == ["1_q.txt", "2"]
    first = written(tmp_path, QUESTION, prefix=b"\xef\xbb\xbf")
    assert len(rows_of(first)) == 1


def test_windows_line_ends_and_no_last_line_end(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    line = json.dumps(QUESTION)
    path.write_bytes(f"{line}\r\n{line}".encode())
    assert len(rows_of(path)) == 2


def test_a_line_is_not_split_at_what_only_looks_like_a_line_end(tmp_path: Path) -> None:
    text = "one\u2028two\u2029three\x85four\x0bfive\x0csix"
    path = tmp_path / "dev.jsonl"
    path.write_text(json.dumps({**QUESTION, "text": text}, ensure_ascii=False) + "\n", encoding="utf-8", newline="")
    assert rows_of(path)[0]["text"] == text


@pytest.mark.parametrize(
    "spelled", ["[1994]", '["1994"]', '"1994"', "1994", '"[1994]"', "\"['1994']\"", '"[\\"1994\\"]"']
)
def test_a_number_in_targets_is_text(tmp_path: Path, spelled: str) -> None:
    assert targets_of(tmp_path, spelled) == ["1994"]


@pytest.mark.parametrize(
    ("spelled", "expected"),
    [
        ("[3.10]", ["3.10"]),
        ('"[3.10]"', ["3.10"]),
        ("\"['x', 3.10]\"", ["x", "3.10"]),
        ("[1e3, -0, 12345678901234567890123, 0.1000]", ["1e3", "-0", "12345678901234567890123", "0.1000"]),
        ("\"['x', 1_000, -5, 007.50]\"", ["x", "1_000", "-5", "007.50"]),
        ('["1994", 3.10, "x"]', ["1994", "3.10", "x"]),
        ("\"['a', 'it\\\\'s', \\\"l'Isère\\\"]\"", ["a", "it's", "l'Isère"]),
        ('"plain"', ["plain"]),
        ("\" ['a', 'b']\"", ["a", "b"]),
        ('["[not a list]"]', ["[not a list]"]),
        ('[""]', [""]),
        ('["\\u200cx "]', ["\u200cx "]),
    ],
)
def test_targets_are_kept_as_they_are_written(tmp_path: Path, spelled: str, expected: list[str]) -> None:
    assert targets_of(tmp_path, spelled) == expected


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=5))
@settings(deadline=None, max_examples=60)
def test_the_string_of_a_list_is_the_list(tmp_path_factory: pytest.TempPathFactory, targets: list[str]) -> None:
    folder = tmp_path_factory.getbasetemp()
    assert targets_of(folder, json.dumps(targets)) == targets
    assert targets_of(folder, json.dumps(str(targets))) == targets
    assert targets_of(folder, json.dumps(json.dumps(targets))) == targets


def test_absent_and_null_fields_are_null(tmp_path: Path) -> None:
    path = written(tmp_path, {"question": "Q", "targets": ["a"], "id": "1"}, {**QUESTION, "target": None, "text": None})
    first, second = rows_of(path)
    assert (first["text"], first["target"], first["output_type"]) == (None, None, None)
    assert (second["text"], second["target"], second["output_type"]) == (None, None, "o")


MALFORMED = [
    ('{"question": "Q", "targets": ["a"], "id": "1"', "not JSON"),
    ("question", "not JSON"),
    ("[1, 2]", "expected a JSON object"),
    ('"text"', "expected a JSON object"),
    ('{"targets": ["a"], "id": "1"}', "question must be text, found None"),
    ('{"question": ["Q"], "targets": ["a"], "id": "1"}', "question must be text"),
    ('{"question": "Q", "targets": ["a"]}', "id must be text, found None"),
    ('{"question": "Q", "id": "1"}', "targets must be a list of texts, found None"),
    ('{"question": "Q", "id": "1", "targets": null}', "targets must be a list of texts, found None"),
    ('{"question": "Q", "id": "1", "targets": []}', "targets must be a list of texts"),
    ('{"question": "Q", "id": "1", "targets": "[]"}', "targets must be a list of texts"),
    ('{"question": "Q", "id": "1", "targets": ["a", null]}', "targets must be a list of texts"),
    ('{"question": "Q", "id": "1", "targets": [["a"]]}', "targets must be a list of texts"),
    ('{"question": "Q", "id": "1", "targets": {"a": 1}}', "targets must be a list of texts"),
    ('{"question": "Q", "id": "1", "targets": "[\'a\', "}', "targets must be a list of texts"),
    ('{"question": "Q", "id": "1", "targets": "[print(1)]"}', "targets must be a list of texts"),
    ('{"question": "Q", "id": "1", "targets": ["a"], "text": 5.5, "target": [1]}', "target must be text or null"),
    ('{"question": "Q \\ud83d", "id": "1", "targets": ["a"]}', "surrogate"),
    ('{"question": "Q", "id": "1", "targets": ["\\ud83d"]}', "surrogate"),
    ('{"question": "Q", "id": "1", "targets": ' + "[" * 100_000, "too deeply nested"),
    ('{"question": "Q", "id": "1", "targets": "' + "[" * 100_000 + '"}', ":3: "),
]


@pytest.mark.parametrize(("line", "message"), MALFORMED, ids=[f"{i}-{m}" for i, (_, m) in enumerate(MALFORMED)])
def test_a_malformed_line_is_named_with_file_and_line(tmp_path: Path, line: str, message: str) -> None:
    path = written(tmp_path, QUESTION, "", line, QUESTION)
    with pytest.raises(MultiLoKoError) as caught:
        rows_of(path)
    assert str(caught.value).startswith(f"{path}:3: ")
    assert message in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_a_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_bytes(json.dumps(QUESTION).encode() + b"\n" + '{"question": "é"}\n'.encode("latin-1"))
    with pytest.raises(MultiLoKoError, match=r"dev\.jsonl:2: not UTF-8"):
        rows_of(path)
    path.write_bytes(b"\xef\xbb\xbf\n\xe9\n")
    with pytest.raises(MultiLoKoError, match=r"dev\.jsonl:2: not UTF-8"):
        rows_of(path)
    path.write_bytes(json.dumps(QUESTION).encode("utf-16"))
    with pytest.raises(MultiLoKoError, match=r"dev\.jsonl:1: not UTF-8"):
        rows_of(path)


@given(st.text(max_size=40))
@settings(deadline=None, max_examples=150)
def test_any_line_is_a_row_or_a_clear_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        assert rows_of(path) == []
    except MultiLoKoError as error:
        message = str(error)
        assert str(path) in message


@pytest.mark.parametrize(
    ("name", "described"),
    [
        ("fr", {"source_language": "French", "question_language": "fr", "translated": "false", "translation_type": ""}),
        ("fr", {"source_language": "FRENCH ", "translated": 0, "translation_type": "None"}),
        ("fr", {"translated": "No", "translation_type": None}),
        ("fr-en-human", {"source_language": "fr", "question_language": "English", "translated": "True"}),
        ("fr-en-human", {"translated": 1, "translation_type": "human-authored"}),
        ("en-zh-hans-machine", {"question_language": "Simplified Mandarin", "translation_type": "machine-translated"}),
        ("en-zh-hans-machine", {"question_language": "zh-Hans", "translation_type": "MACHINE"}),
    ],
)
def test_the_last_four_fields_are_read_in_their_spellings(tmp_path: Path, name: str, described: dict[str, Any]) -> None:
    row = rows_of(written(tmp_path, {**QUESTION, **described}), name)[0]
    assert row["translation_type"] == parse_config(name).translation


@pytest.mark.parametrize(
    ("described", "message"),
    [
        ({"source_language": "german"}, "source_language is 'german', but the file's name says 'french'"),
        ({"question_language": "en"}, "question_language is 'en', but the file's name says 'french'"),
        ({"translated": "true"}, "translated is 'true', but the file's name says False"),
        ({"translation_type": "machine"}, "translation_type is 'machine', but the file's name says None"),
        ({"source_language": "klingon"}, "source_language is 'klingon'"),
        ({"translated": "perhaps"}, "translated is 'perhaps'"),
    ],
)
def test_where_a_row_contradicts_the_name_the_name_wins(
    tmp_path: Path, described: dict[str, Any], message: str
) -> None:
    complaints: list[str] = []
    path = written(tmp_path, QUESTION, {**QUESTION, **described})
    first, second = read_rows(path, FRENCH, complaints.append)
    assert first == second
    assert len(complaints) == 1
    assert complaints[0].startswith(f"{path}:2: ")
    assert message in complaints[0]


def test_fewshot_rows_with_three_fields(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"question": "Q1", "answer": "a", "output_type": "o"},
        {"question": "Q2", "answer": ["a", 7], "output_type": "o"},
        {"question": "Q3", "answer": "['a', 'b']", "output_type": None},
    )
    rows = list(read_fewshot(path, FRENCH))
    assert [row["targets"] for row in rows] == [["a"], ["a", "7"], ["a", "b"]]
    assert [row["id"] for row in rows] == ["fewshot-1", "fewshot-2", "fewshot-3"]
    assert [(row["text"], row["target"]) for row in rows] == [(None, None)] * 3
    assert tuple(rows[0]) == FIELDS
    assert list(rows[0].values())[6:] == ["french", "french", False, None]


def test_fewshot_rows_that_have_more_keep_it(tmp_path: Path) -> None:
    row = next(read_fewshot(written(tmp_path, {**QUESTION, "answer": "other"}), FRENCH))
    assert (row["id"], row["targets"], row["text"]) == ("1_q.txt", ["a", "b"], "T")
