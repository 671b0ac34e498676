"""The exported repository: what is in it, that every reader reads it, and that the viewer shows it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from multiloko_scripts.cli import main
from multiloko_scripts.export import COLUMNS, Export, export_data

from multiloko_metric.languages import ALL, CONFIGS, LANGUAGES
from multiloko_source.expected import CONFIG_NAMES
from multiloko_source.rows import FIELDS
from multiloko_source.sample import open_sample, write_sample
from multiloko_source.source import Source, open_source

VIEWER_ROWS = 100
VIEWER_BYTES = 1_000_000
"""The viewer's first rows: more than this in JSON, and it cuts cells short."""


@pytest.fixture(scope="session")
def source() -> Source:
    return open_sample()


@pytest.fixture(scope="session")
def export(source: Source, tmp_path_factory: pytest.TempPathFactory) -> Export:
    return export_data(source, tmp_path_factory.mktemp("export") / "multiloko", sample=True)


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """A source with one language of three questions."""
    folder = tmp_path / "few" / "french"
    folder.mkdir(parents=True)
    rows = [{"id": f"{n}.txt", "question": f"Q{n} ?", "targets": ["vrai", str(n)], "text": None} for n in range(3)]
    (folder / "dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder.parent


def metadata(folder: Path) -> dict[str, Any]:
    _, text, _ = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def in_fresh_process(code: str, home: Path, *arguments: str) -> Any:
    """Run Python in a new process with an empty Hugging Face cache; return what it prints as JSON."""
    environment = {**os.environ, "HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, cwd=home, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class TestRepository:
    def test_holds_a_parquet_file_for_each_split_of_each_config_and_what_goes_with_them(self, export: Export) -> None:
        data = {f"data/{name}/{split}-00000-of-00001.parquet" for name in CONFIG_NAMES for split in ("dev", "fewshot")}
        others = {name for name in contents(export.folder) if name not in data}
        assert data <= set(contents(export.folder))
        assert {name for name in others if not name.startswith("builder/")} == {
            "README.md",
            "dataset_infos.json",
            ".gitattributes",
            "SAMPLE.md",
        }

    def test_no_script_at_the_top_that_datasets_would_refuse(self, export: Export) -> None:
        assert not list(export.folder.glob("*.py"))

    def test_same_source_gives_the_same_bytes(self, source: Source, export: Export, tmp_path: Path) -> None:
        again = export_data(source, tmp_path / "again", sample=True)
        assert contents(again.folder) == contents(export.folder)

    def test_rows_are_those_of_the_source(self, source: Source, export: Export) -> None:
        for name, split in (("fr", "dev"), ("en-ja-machine", "dev"), ("fa", "fewshot"), (ALL, "dev")):
            table = pq.read_table(export.folder / f"data/{name}/{split}-00000-of-00001.parquet")
            assert table.column_names == list(COLUMNS)
            assert table.to_pylist() == list(source.rows(name, split))

    def test_infos_say_what_was_written(self, export: Export) -> None:
        infos = json.loads((export.folder / "dataset_infos.json").read_text(encoding="utf-8"))
        assert list(infos) == list(CONFIG_NAMES)
        for name, info in infos.items():
            files = sorted((export.folder / "data" / name).iterdir())
            counts = {path.name.split("-")[0]: pq.read_metadata(path).num_rows for path in files}
            assert {split: each["num_examples"] for split, each in info["splits"].items()} == counts
            assert info["download_size"] == sum(path.stat().st_size for path in files)
            assert list(info["features"]) == list(COLUMNS)
        assert infos[ALL]["splits"]["dev"]["num_examples"] == 2 * len(LANGUAGES)

    def test_all_ten_fields_with_the_question_and_its_answers_first(self) -> None:
        assert sorted(COLUMNS) == sorted(FIELDS)
        assert COLUMNS[:2] == ("question", "targets")

    def test_loader_in_builder_imports_nothing_from_elsewhere_of_ours(self, export: Export, tmp_path: Path) -> None:
        code = (
            "import json, sys; sys.path.insert(0, sys.argv[1]); import multiloko\n"
            "ours = [module for name, module in sys.modules.items() if name.startswith('multiloko')]\n"
            "print(json.dumps([module.__file__ for module in ours if module.__file__]))"
        )
        builder = export.folder / "builder"
        for file in in_fresh_process(code, tmp_path, str(builder)):
            assert Path(file).is_relative_to(builder)


class TestCard:
    def test_configs_of_the_card(self, export: Export) -> None:
        configs = metadata(export.folder)["configs"]
        assert [config["config_name"] for config in configs] == list(CONFIG_NAMES)
        assert [config["config_name"] for config in configs if config.get("default")] == [ALL]
        for config in configs:
            for file in config["data_files"]:
                assert (export.folder / file["path"]).is_file()

    def test_metadata_for_the_hub(self, export: Export) -> None:
        found = metadata(export.folder)
        assert found["license"] == "mit"
        assert found["size_categories"] == ["1K<n<10K"]
        assert len(found["language"]) == len(LANGUAGES) - 1  # both Mandarins are zh there
        assert all(code.isalpha() for code in found["language"])

    def test_sample_says_that_it_is_not_the_benchmark(self, export: Export) -> None:
        card = (export.folder / "README.md").read_text(encoding="utf-8")
        assert "This is not MultiLoKo data" in card
        assert "extra_gated_prompt" not in card

    def test_real_data_name_the_authors_request(self, few: Path, tmp_path: Path) -> None:
        export_data(open_source(few), tmp_path / "out")
        card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
        assert "ask that it not be mirrored" in card
        assert metadata(tmp_path / "out")["extra_gated_prompt"]
        assert "Q1 ?" not in card

    def test_table_has_every_config_once(self, export: Export) -> None:
        card = (export.folder / "README.md").read_text(encoding="utf-8")
        table = card[card.index("## Configs") : card.index("## How")]
        for config in CONFIGS:
            assert table.count(f"`{config.name}` 2") == 1


class TestReaders:
    """Each runs on the version of datasets of this environment."""

    @pytest.mark.matrix
    def test_load_dataset_streaming_and_inspection(self, source: Source, export: Export, tmp_path: Path) -> None:
        code = """
import json, sys
import datasets
folder = sys.argv[1]
loaded = datasets.load_dataset(folder, "fr")
streamed = datasets.load_dataset(folder, "fr", split="dev", streaming=True)
print(json.dumps({
    "configs": datasets.get_dataset_config_names(folder),
    "splits": datasets.get_dataset_split_names(folder, "fr"),
    "default": len(datasets.load_dataset(folder, split="dev")),
    "columns": loaded["dev"].column_names,
    "rows": loaded["dev"].to_list(),
    "streamed": list(streamed),
    "fewshot": loaded["fewshot"].to_list(),
}))
"""
        found = in_fresh_process(code, tmp_path, str(export.folder))
        assert found["configs"] == list(CONFIG_NAMES)
        assert found["splits"] == ["dev", "fewshot"]
        assert found["default"] == 2 * len(LANGUAGES)
        assert found["columns"] == list(COLUMNS)
        assert found["rows"] == found["streamed"] == list(source.rows("fr"))
        assert found["fewshot"] == list(source.rows("fr", "fewshot"))

    @pytest.mark.slow
    def test_viewer_browses_every_config(self, export: Export, tmp_path: Path) -> None:
        code = """
import json, sys
import datasets
folder, rows, sizes = sys.argv[1], int(sys.argv[2]), {}
for name in datasets.get_dataset_config_names(folder):
    for split, streamed in datasets.load_dataset(folder, name, streaming=True).items():
        first = list(streamed.take(rows))
        sizes[f"{name}/{split}"] = len(json.dumps(first, ensure_ascii=False).encode())
print(json.dumps(sizes))
"""
        sizes = in_fresh_process(code, tmp_path, str(export.folder), str(VIEWER_ROWS))
        assert len(sizes) == 2 * len(CONFIG_NAMES)
        assert max(sizes.values()) < VIEWER_BYTES

    def test_polars(self, source: Source, export: Export) -> None:
        polars = pytest.importorskip("polars")
        frame = polars.read_parquet(export.folder / "data/fr/*.parquet")
        rows = [*source.rows("fr"), *source.rows("fr", "fewshot")]
        assert frame["targets"].to_list() == [row["targets"] for row in rows]

    def test_pandas(self, source: Source, export: Export) -> None:
        pandas = pytest.importorskip("pandas")
        frame = pandas.read_parquet(export.folder / "data/fa/dev-00000-of-00001.parquet")
        assert [list(targets) for targets in frame["targets"]] == [row["targets"] for row in source.rows("fa")]

    def test_duckdb(self, source: Source, export: Export) -> None:
        duckdb = pytest.importorskip("duckdb")
        files = str(export.folder / "data/*/dev-*.parquet")
        with duckdb.connect() as connection:
            query = f"select count(*), any_value(targets) from '{files}' where id = '0341_parkrun.txt'"
            ((count, targets),) = connection.execute(query).fetchall()
        assert count == 62  # en, its 60 translations, and all
        assert isinstance(targets, list)


class TestViewer:
    """What the Hub's viewer needs of the files themselves."""

    @pytest.fixture
    def files(self, export: Export) -> list[pq.ParquetFile]:
        return [pq.ParquetFile(path) for path in sorted(export.folder.rglob("*.parquet"))]

    def test_limits_on_configs_and_splits(self, export: Export) -> None:
        configs = metadata(export.folder)["configs"]
        assert configs[0]["config_name"] == ALL
        assert len(configs) <= 4_000
        assert max(len(config["data_files"]) for config in configs) <= 30

    def test_targets_are_a_list_and_no_metadata_says_otherwise(self, files: list[pq.ParquetFile]) -> None:
        for file in files:
            schema = file.schema_arrow
            assert schema.metadata is None
            assert schema.names == list(COLUMNS)
            assert pa.types.is_list(schema.field("targets").type)
            assert file.metadata.metadata is None

    def test_first_rows_fit_and_row_groups_are_small(self, files: list[pq.ParquetFile]) -> None:
        for file in files:
            first = next(file.iter_batches(VIEWER_ROWS)).to_pylist()
            assert len(json.dumps(first, ensure_ascii=False).encode()) < VIEWER_BYTES
            groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
            assert all(group.num_rows <= 250 and group.total_byte_size < 10_000_000 for group in groups)

    def test_statistics_are_stored(self, files: list[pq.ParquetFile]) -> None:
        for file in files:
            assert file.metadata.row_group(0).column(0).is_stats_set


class TestCommand:
    def run(self, *arguments: str | Path) -> tuple[int, str]:
        said = io.StringIO()
        with redirect_stderr(said):
            code = main(["export", *map(str, arguments)])
        return code, said.getvalue()

    @pytest.fixture
    def earlier(self, few: Path, tmp_path: Path) -> Iterator[Path]:
        folder = tmp_path / "out"
        assert self.run(folder, "-d", few, "--partial")[0] == 0
        return folder

    def test_data_that_lack_questions_are_refused_and_nothing_is_written(self, few: Path, tmp_path: Path) -> None:
        code, said = self.run(tmp_path / "out", "-d", few)
        assert code == 2
        assert "fr: 3 questions instead of 250" in said
        assert "--partial" in said
        assert sorted(path.name for path in tmp_path.iterdir()) == ["few"]

    def test_partial_takes_what_there_is_without_all(self, few: Path, tmp_path: Path) -> None:
        code, said = self.run(tmp_path / "out", "-d", few, "--partial")
        assert code == 0
        assert "all is left out" in said
        assert [config["config_name"] for config in metadata(tmp_path / "out")["configs"]] == ["fr"]

    def test_an_earlier_export_is_replaced(self, earlier: Path, few: Path) -> None:
        (earlier / "data" / "stale.parquet").touch()
        assert self.run(earlier, "-d", few, "--partial")[0] == 0
        assert not (earlier / "data" / "stale.parquet").exists()

    def test_a_folder_with_something_else_is_refused_unless_forced(self, earlier: Path, few: Path) -> None:
        (earlier / "thesis.tex").touch()
        code, said = self.run(earlier, "-d", few, "--partial")
        assert code == 2
        assert "thesis.tex" in said
        assert (earlier / "thesis.tex").exists()
        assert self.run(earlier, "-d", few, "--partial", "--force")[0] == 0
        assert not (earlier / "thesis.tex").exists()

    def test_a_git_checkout_is_refused_even_when_forced(self, earlier: Path, few: Path) -> None:
        (earlier / ".git").mkdir()
        code, said = self.run(earlier, "-d", few, "--partial", "--force")
        assert code == 2
        assert "git" in said

    def test_a_malformed_line_leaves_the_earlier_export(self, earlier: Path, few: Path) -> None:
        before = contents(earlier)
        with (few / "french" / "dev.jsonl").open("a", encoding="utf-8") as file:
            file.write("{broken\n")
        code, said = self.run(earlier, "-d", few, "--partial")
        assert code == 2
        assert "dev.jsonl:4" in said
        assert contents(earlier) == before
        assert sorted(path.name for path in earlier.parent.iterdir()) == ["few", "out"]

    def test_other_subsets_become_splits(self, few: Path, tmp_path: Path) -> None:
        folder = few / "french"
        (folder / "test.jsonl").write_bytes((folder / "dev.jsonl").read_bytes())
        assert self.run(tmp_path / "out", "-d", few, "--partial")[0] == 0
        assert sorted(path.name.split("-")[0] for path in (tmp_path / "out/data/fr").iterdir()) == ["dev", "test"]

    def test_installed_data_is_the_default(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "empty"))
        code, said = self.run(tmp_path / "out")
        assert code == 2
        assert "multiloko install" in said

    def test_a_whole_source_needs_no_partial(self, tmp_path: Path) -> None:
        write_sample(tmp_path / "whole")
        for path in (tmp_path / "whole").glob("*/*.jsonl"):
            lines = path.read_text(encoding="utf-8").splitlines()
            wanted = 5 if "fewshot" in path.name else 250
            rows = [{**json.loads(lines[number % len(lines)]), "id": f"{number}"} for number in range(wanted)]
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        code, said = self.run(tmp_path / "out", "-d", tmp_path / "whole")
        assert code == 0
        assert "note" not in said
        assert metadata(tmp_path / "out")["size_categories"] == ["10K<n<100K"]
