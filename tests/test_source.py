"""One source of data: which configs, splits and rows a folder, an archive or a Hub repository has, and its hash."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from multiloko_metric.languages import CONFIGS
from multiloko_source import source as source_module
from multiloko_source.archive import pack
from multiloko_source.errors import SourceError
from multiloko_source.rows import FIELDS
from multiloko_source.source import open_source


def line(identifier: str, question: str = "Q") -> str:
    return json.dumps({"question": question, "targets": ["a"], "id": identifier}) + "\n"


def write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def test_every_config_of_the_sample_has_its_splits_and_rows(sample_folder: Path) -> None:
    source = open_source(sample_folder)
    assert len(source.files) == 151 + 31
    for config in CONFIGS:
        assert source.splits(config.name) == ("dev", "fewshot")
        rows = list(source.rows(config.name))
        assert len(rows) == 2
        for row in rows:
            assert tuple(row) == FIELDS
            assert row["source_language"] == config.source.name
            assert row["question_language"] == config.question.name
            assert row["translated"] is (config.translation is not None)
            assert row["translation_type"] == config.translation


def test_all_is_the_local_sets_one_after_another(sample_folder: Path) -> None:
    source = open_source(sample_folder)
    one_by_one = [row for config in CONFIGS[:31] for row in source.rows(config.name)]
    assert list(source.rows("all")) == one_by_one
    assert source.splits("ALL") == ("dev", "fewshot")
    assert len(list(source.rows("all", "fewshot"))) == 155


def test_the_fewshot_examples_are_those_of_the_question_language(sample_folder: Path) -> None:
    source = open_source(sample_folder)
    examples = list(source.rows("fr-en-human", "fewshot"))
    assert examples == list(source.rows("en", "fewshot"))
    assert list(source.rows("en-fr-machine", "fewshot")) == list(source.rows("fr", "fewshot"))
    described = [list(row.values())[6:] for row in examples]
    assert described == [["english", "english", False, None]] * 5
    assert [row["id"] for row in examples] == [f"fewshot-{number}" for number in range(1, 6)]


def test_other_subsets_are_splits_of_their_own(tmp_path: Path) -> None:
    for name in ("dev", "test", "extra", "dev_translated_human_english", "test_translated_human_english", "fewshot"):
        write(tmp_path / f"french/{name}.jsonl", line("1"))
    write(tmp_path / "english/knowledge_fewshot.jsonl", line("1"))
    source = open_source(tmp_path)
    assert source.splits("fr") == ("dev", "fewshot", "extra", "test")
    assert source.splits("fr-en-human") == ("dev", "fewshot", "test")
    assert source.splits("fr-en-machine") == ()
    assert source.splits("all") == ("dev", "fewshot", "extra", "test")
    assert source.splits("de") == ()


def test_a_language_with_examples_but_no_questions_is_no_config(tmp_path: Path) -> None:
    write(tmp_path / "french/knowledge_fewshot.jsonl", line("1"))
    source = open_source(tmp_path)
    assert source.splits("fr") == ()
    with pytest.raises(SourceError, match=r"holds nothing of config 'fr': expected french/dev\.jsonl"):
        source.rows("fr")


def test_both_names_of_a_fewshot_file(tmp_path: Path) -> None:
    write(tmp_path / "french/dev.jsonl", line("1"))
    write(tmp_path / "french/fewshot.jsonl", line("1", "other"))
    assert next(open_source(tmp_path).rows("fr", "fewshot"))["question"] == "other"
    write(tmp_path / "french/knowledge_fewshot.jsonl", line("1", "official"))
    assert next(open_source(tmp_path).rows("fr", "fewshot"))["question"] == "official"
    assert open_source(tmp_path).splits("fr") == ("dev", "fewshot")


def test_a_split_that_is_not_there(sample_folder: Path) -> None:
    with pytest.raises(SourceError, match="config 'fr' has no split 'test', only dev, fewshot"):
        open_source(sample_folder).rows("fr", "test")


def test_files_of_no_language_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path / "french/dev.jsonl", line("1"))
    write(tmp_path / "klingon/dev.jsonl", "not JSON")
    write(tmp_path / "french/notes.txt", "not JSON")
    write(tmp_path / "README.md", "hello")
    assert list(open_source(tmp_path).files) == ["french/dev.jsonl"]


def test_contradicting_rows_are_counted_or_refused(sample: Path) -> None:
    path = sample / "french/dev.jsonl"
    rows = [json.loads(row) for row in path.read_text().splitlines()]
    rows[1]["source_language"] = "german"
    write(path, "".join(json.dumps(row) + "\n" for row in rows))
    source = open_source(sample)
    assert [row["source_language"] for row in source.rows("fr")] == ["french", "french"]
    assert len(source.contradictions) == 1
    assert "dev.jsonl:2: source_language is 'german'" in source.contradictions[0]
    with pytest.raises(SourceError, match=r"dev\.jsonl:2: source_language is 'german'"):
        list(open_source(sample, strict=True).rows("fr"))


def test_the_fingerprint_is_of_the_content(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = open_source(sample).fingerprint
    assert len(before) == 32
    copy = shutil.copytree(sample, tmp_path / "copy")
    write(copy / "README.md", "no data")
    assert open_source(copy).fingerprint == before

    edited = copy / "french/dev.jsonl"
    edited.write_bytes(edited.read_bytes() + b"\n")
    assert open_source(copy).fingerprint != before
    shutil.copy(sample / "french/dev.jsonl", edited)
    assert open_source(copy).fingerprint == before

    edited.rename(copy / "french/test.jsonl")
    renamed = open_source(copy).fingerprint
    assert renamed != before

    monkeypatch.setattr(source_module, "LOADER_VERSION", "9.9.9")
    assert open_source(sample).fingerprint != before


def test_folder_archive_and_inner_folder_are_one_source(sample_folder: Path, tmp_path: Path) -> None:
    pack(sample_folder, tmp_path / "sample.tar.xz.enc")
    shutil.copytree(sample_folder, tmp_path / "outer/benchmark_data")
    fingerprints = {
        open_source(place).fingerprint
        for place in (sample_folder, str(sample_folder), tmp_path / "sample.tar.xz.enc", tmp_path / "outer")
    }
    assert len(fingerprints) == 1


@pytest.mark.parametrize("place", ["nowhere", "no/such/folder", "facebook/multiloko/french", ""])
def test_a_place_that_is_none(place: str, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(elsewhere)
    with pytest.raises(SourceError):
        open_source(place)


def test_a_folder_without_data(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="holds no data in the official layout"):
        open_source(tmp_path)


def test_a_hub_repository_that_cannot_be_reached(home: Path) -> None:
    with pytest.raises(SourceError, match="facebook/multiloko could not be fetched"):
        open_source("facebook/multiloko")


def test_unpacked_archives_are_gone_when_the_process_ends(sample_folder: Path, tmp_path: Path, home: Path) -> None:
    pack(sample_folder, tmp_path / "sample.tar.xz.enc")
    code = (
        "import sys\nfrom multiloko_source.source import open_source\n"
        "source = open_source(sys.argv[1])\nprint(source.folder, len(source.files))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "sample.tar.xz.enc"], capture_output=True, text=True, check=True
    )
    folder, count = finished.stdout.split()
    assert count == "182"
    assert not Path(folder).exists()
    assert not home.exists()
