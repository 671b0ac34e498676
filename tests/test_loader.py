"""The builder class, on every supported version of datasets."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import datasets
import pytest
from conftest import Python, edit_rows, fill_up

from multiloko import MultiLoKo
from multiloko_metric.languages import LANGUAGES
from multiloko_source.archive import pack
from multiloko_source.errors import SourceError
from multiloko_source.expected import CONFIG_NAMES
from multiloko_source.rows import FIELDS
from multiloko_source.source import open_source

pytestmark = pytest.mark.matrix


@pytest.fixture(autouse=True)
def _quiet() -> None:
    datasets.disable_progress_bars()


def built(name: str, source: Any, cache: Path, **options: Any) -> Any:
    builder = MultiLoKo(config_name=name, data_dir=source, cache_dir=str(cache), **options)
    builder.download_and_prepare(verification_mode="no_checks")
    return builder.as_dataset()


def test_it_has_152_configs_and_ten_fields() -> None:
    assert [config.name for config in MultiLoKo.BUILDER_CONFIGS] == list(CONFIG_NAMES)
    assert len(CONFIG_NAMES) == 152
    assert MultiLoKo.DEFAULT_CONFIG_NAME == "all"


@pytest.mark.parametrize("name", ["fr", "fr-en-human", "en-fr-machine", "en-zh-hant-human", "fa"])
def test_a_config_holds_the_rows_of_the_source(sample_folder: Path, tmp_path: Path, name: str) -> None:
    prepared = built(name, sample_folder, tmp_path)
    source = open_source(sample_folder)
    assert list(prepared) == ["dev", "fewshot"]
    for split, rows in prepared.items():
        assert list(rows) == list(source.rows(name, split))
        assert rows.column_names == list(FIELDS)
        features = rows.features
        assert features["targets"] == datasets.Sequence(datasets.Value("string"))
        assert features["translated"] == datasets.Value("bool")
        assert all(features[field] == datasets.Value("string") for field in set(FIELDS) - {"targets", "translated"})


def test_the_default_is_all_of_them(sample_folder: Path, tmp_path: Path) -> None:
    prepared = built("all", sample_folder, tmp_path)
    assert prepared["dev"].num_rows == 62
    assert list(dict.fromkeys(prepared["dev"]["source_language"])) == [language.name for language in LANGUAGES]
    builder = MultiLoKo(data_dir=sample_folder, cache_dir=str(tmp_path))
    assert builder.config.name == "all"


def test_any_other_subset_is_a_split(sample: Path, tmp_path: Path) -> None:
    shutil.copy(sample / "french/dev.jsonl", sample / "french/extra.jsonl")
    prepared = built("fr", sample, tmp_path / "cache")
    assert list(prepared) == ["dev", "fewshot", "extra"]
    assert list(prepared["extra"]) == list(prepared["dev"])


def test_the_source_may_be_an_archive_or_come_from_the_environment(
    sample_folder: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = list(open_source(sample_folder).rows("fr"))
    pack(sample_folder, tmp_path / "sample.tar.xz.enc")
    assert list(built("fr", tmp_path / "sample.tar.xz.enc", tmp_path / "one")["dev"]) == expected
    monkeypatch.setenv("MULTILOKO_DATA", str(sample_folder))
    assert list(built("fr", None, tmp_path / "two")["dev"]) == expected


def test_edited_data_are_new_data_and_the_same_data_are_not(sample: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    before = MultiLoKo(config_name="fr", data_dir=sample, cache_dir=str(cache))
    assert Path(before.cache_dir).name == open_source(sample).fingerprint
    assert built("fr", sample, cache)["dev"][0]["question"] != "edited"
    edit_rows(sample / "french/dev.jsonl", lambda row: {**row, "question": "edited"})
    assert built("fr", sample, cache)["dev"]["question"][:] == ["edited", "edited"]
    copy = shutil.copytree(sample, tmp_path / "copy")
    after = MultiLoKo(config_name="fr", data_dir=copy, cache_dir=str(cache), hash="ignored")
    assert Path(after.cache_dir).name == open_source(sample).fingerprint != Path(before.cache_dir).name


def test_a_number_in_targets_and_an_absent_target(sample: Path, tmp_path: Path) -> None:
    path = sample / "french/dev.jsonl"
    path.write_text(
        '\ufeff{"question": "Q", "targets": [1994, 3.10], "id": "1"}\n\n'
        '{"question": "Q", "targets": "[\'a\']", "id": "2", "target": null}\n',
        encoding="utf-8",
    )
    rows = built("fr", sample, tmp_path / "cache")["dev"]
    assert rows["targets"][:] == [["1994", "3.10"], ["a"]]
    assert rows["target"][:] == [None, None]


def test_a_config_that_the_source_lacks(sample: Path, tmp_path: Path) -> None:
    shutil.rmtree(sample / "french")
    with pytest.raises(SourceError, match="holds nothing of config 'fr'"):
        built("fr", sample, tmp_path / "cache")
    with pytest.raises(SourceError, match="neither a folder"):
        MultiLoKo(config_name="fr", data_dir=str(tmp_path / "nowhere"))


def test_no_config_is_called_like_that(sample: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="frensh"):
        built("frensh", sample, tmp_path / "cache")


def test_a_malformed_line_is_named_in_the_error(sample: Path, tmp_path: Path) -> None:
    with (sample / "french/dev.jsonl").open("a") as file:
        file.write('{"question": "Q"\n')
    with pytest.raises(Exception, match=r"generating the dataset|not JSON") as caught:
        built("fr", sample, tmp_path / "cache")
    chain = [caught.value, caught.value.__cause__, caught.value.__context__]
    assert any("dev.jsonl:3: not JSON" in str(error) for error in chain)


def test_a_whole_config_passes_the_checks_of_dataset_infos(sample: Path, tmp_path: Path) -> None:
    fill_up(sample / "french/dev.jsonl", 250)
    fill_up(sample / "french/knowledge_fewshot.jsonl", 5)
    builder = MultiLoKo(config_name="fr", data_dir=sample, cache_dir=str(tmp_path / "cache"))
    builder.download_and_prepare()
    assert {split: info.num_examples for split, info in builder.info.splits.items()} == {"dev": 250, "fewshot": 5}


def test_without_a_source_the_official_archive_is_downloaded(
    sample_folder: Path, tmp_path: Path, home: Path, python: Python, monkeypatch: pytest.MonkeyPatch
) -> None:
    from file_server import FileServer

    pack(sample_folder, tmp_path / "served" / "benchmark_data.tar.xz.enc")
    with FileServer(tmp_path / "served") as server:
        monkeypatch.setenv("MULTILOKO_URL", f"{server.url}/benchmark_data.tar.xz.enc")
        monkeypatch.setenv("HF_HUB_OFFLINE", "0")
        finished = python(
            "from multiloko import MultiLoKo\n"
            "for _ in range(2):\n"
            "    builder = MultiLoKo(config_name='fr')\n"
            "    builder.download_and_prepare(verification_mode='no_checks')\n"
            "    print(builder.as_dataset()['dev'].num_rows)\n"
            "print(builder.source.folder)"
        )
    rows, again, folder = finished.stdout.split()
    assert (rows, again) == ("2", "2")
    assert home in Path(folder).parents
    assert len([request for request in server.requests if request.startswith("GET")]) == 1


@pytest.mark.slow
def test_an_official_archive_that_is_not_whole_is_refused(
    sample: Path, tmp_path: Path, home: Path, python: Python, monkeypatch: pytest.MonkeyPatch
) -> None:
    from file_server import FileServer

    (sample / "french/dev.jsonl").unlink()
    pack(sample, tmp_path / "served" / "benchmark_data.tar.xz.enc")
    with FileServer(tmp_path / "served") as server:
        monkeypatch.setenv("MULTILOKO_URL", f"{server.url}/benchmark_data.tar.xz.enc")
        monkeypatch.setenv("HF_HUB_OFFLINE", "0")
        finished = python("from multiloko import MultiLoKo\nMultiLoKo(config_name='de')", check=False)
    assert "lacks 1 of 151 dev files (french/dev.jsonl" in finished.stderr
