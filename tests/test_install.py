"""``multiloko install``: whatever happens, load_dataset("multiloko", "fr") gives whole rows of one source."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import datasets
import pytest
from conftest import COMMAND, Multiloko, Python, edit_rows, fill_up
from multiloko_scripts.cli import main

from multiloko_metric.languages import CONFIGS
from multiloko_source.archive import pack
from multiloko_source.files import datasets_cache
from multiloko_source.installed import Installed, dataset_folder
from multiloko_source.source import LOADER_VERSION, open_source

pytestmark = pytest.mark.matrix


@pytest.fixture(autouse=True)
def _away(home: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test here has its own cache, and runs where no ``multiloko/`` is."""
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr("multiloko_scripts.install._GRACE", 0)
    datasets.disable_progress_bars()


def install(*arguments: str | Path) -> int:
    return main(["install", *map(str, arguments)])


def partly(source: Path, configs: str = "fr,de") -> None:
    assert install("--from", source, "--partial", "--configs", configs) == 0


def load(name: str, split: str = "dev", dataset: str = "multiloko") -> list[dict[str, Any]]:
    """Rows that load_dataset gives from this test's cache."""
    rows = datasets.load_dataset(dataset, name, split=split, cache_dir=str(datasets_cache()))
    return list(rows)


def edited(source: Path, folder: Path, word: str) -> Path:
    """Another source, in which every question is ``word``."""
    copy = Path(shutil.copytree(source, folder))
    for name in ("french", "german"):
        edit_rows(copy / f"{name}/dev.jsonl", lambda row: {**row, "question": word})
    return copy


def folders(name: str = "fr") -> list[str]:
    """Folders of a config in the cache: one, named by the fingerprint, unless something is left over."""
    parent = datasets_cache() / "multiloko" / name / LOADER_VERSION
    return sorted(path.name for path in parent.iterdir() if path.is_dir())


def nothing_is_left_over() -> bool:
    names = [path.name for path in datasets_cache().rglob("*")]
    return not any("staging" in name or "incomplete" in name for name in names)


def rows_of(source: Path, name: str = "fr", split: str = "dev") -> list[dict[str, Any]]:
    return list(open_source(source).rows(name, split))


# What it does.


def test_the_sample_is_installed_whole_under_its_own_name(installed_sample: Path, sample_folder: Path) -> None:
    for config in [config.name for config in CONFIGS[::15]] + ["all"]:
        for split in ("dev", "fewshot"):
            assert load(config, split, "multiloko_sample") == rows_of(sample_folder, config, split)
    assert not (installed_sample / "datasets/multiloko").exists()


def test_from_any_folder_offline_also_streaming(installed_sample: Path, python: Python) -> None:
    finished = python(
        "import json, datasets\n"
        "rows = list(datasets.load_dataset('multiloko_sample', 'fa', split='dev'))\n"
        "streamed = list(datasets.load_dataset('multiloko_sample', 'fa', split='dev', streaming=True))\n"
        "both = datasets.load_dataset('multiloko_sample', 'fr')\n"
        "print(json.dumps([rows == streamed, list(both), both['dev'].column_names, len(rows)]))"
    )
    same, splits, columns, count = json.loads(finished.stdout.splitlines()[-1])
    assert same
    assert splits == ["dev", "fewshot"]
    assert columns == list(rows_of_fields())
    assert count == 2


def rows_of_fields() -> tuple[str, ...]:
    from multiloko_source.rows import FIELDS

    return FIELDS


def test_from_a_folder_and_from_an_archive(
    sample_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    partly(sample_folder)
    assert "2 configs prepared; 2 of this source are installed" in capsys.readouterr().err
    assert load("fr") == rows_of(sample_folder)
    assert load("fr", "fewshot") == rows_of(sample_folder, "fr", "fewshot")
    pack(sample_folder, tmp_path / "sample.tar.xz.enc")
    partly(tmp_path / "sample.tar.xz.enc")
    assert "nothing new; 2 of this source are installed" in capsys.readouterr().err
    assert nothing_is_left_over()


def test_from_the_environment(sample_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MULTILOKO_DATA", str(sample_folder))
    assert install("--configs", "fr", "--partial") == 0
    assert load("fr") == rows_of(sample_folder)


def test_a_second_run_with_nothing_new_touches_nothing(sample_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    partly(sample_folder)
    before = {path: path.stat().st_mtime_ns for path in datasets_cache().rglob("*.arrow")}
    capsys.readouterr()
    partly(sample_folder)
    assert "nothing new" in capsys.readouterr().err
    assert {path: path.stat().st_mtime_ns for path in datasets_cache().rglob("*.arrow")} == before != {}


def test_more_configs_of_the_same_source_are_added(sample_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    partly(sample_folder, "fr")
    partly(sample_folder, "de,FR,french_translated_human_english,all")
    assert "3 configs prepared; 4 of this source are installed" in capsys.readouterr().err
    for name in ("fr", "de", "fr-en-human", "all"):
        assert load(name) == rows_of(sample_folder, name)


def test_what_is_installed_holds_neither_list_nor_hugging_face_metadata(sample_folder: Path) -> None:
    import pyarrow as pa

    partly(sample_folder, "fr")
    folder = Installed().configs["fr"].folder
    info = json.loads((folder / "dataset_info.json").read_text())
    assert info["features"]["targets"] == {"feature": {"dtype": "string", "_type": "Value"}, "_type": "Sequence"}
    arrows = sorted(folder.glob("*.arrow"))
    assert len(arrows) == 2
    for path in arrows:
        with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as stream:
            assert stream.schema.metadata is None


# Other data.


def test_source_a_then_b_then_a_again(sample: Path, tmp_path: Path) -> None:
    other = edited(sample, tmp_path / "other", "edited")
    a, b = rows_of(sample), rows_of(other)
    assert a != b
    for source, expected in ((sample, a), (other, b), (sample, a), (other, b)):
        partly(source)
        assert load("fr") == expected
        assert folders() == [open_source(source).fingerprint]


def test_an_edited_file_gives_new_rows(sample: Path) -> None:
    partly(sample)
    edit_rows(sample / "french/dev.jsonl", lambda row: {**row, "question": "edited"})
    partly(sample)
    assert [row["question"] for row in load("fr")] == ["edited", "edited"]
    assert load("de") == rows_of(sample, "de")


def test_configs_that_the_new_source_lacks_go(sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    partly(sample)
    other = edited(sample, tmp_path / "other", "edited")
    partly(other, "fr")
    assert "removed 1 configs of an earlier source that this one lacks: de" in capsys.readouterr().err
    assert list(Installed().configs) == ["fr"]
    with pytest.raises(ValueError, match="'de'"):
        load("de")


@pytest.mark.parametrize("leftover", ["{hash}.incomplete", "0123456789abcdef0123456789abcdef", "older"])
def test_leftovers_of_another_kind_do_no_harm(sample: Path, leftover: str) -> None:
    partly(sample)
    (name,) = folders()
    stale = datasets_cache() / "multiloko/fr" / LOADER_VERSION / leftover.format(hash=name)
    shutil.copytree(stale.with_name(name), stale)
    os.utime(stale, (time.time() + 100, time.time() + 100))
    (stale / "multiloko-dev.arrow").write_bytes(b"damaged")
    partly(sample)
    assert folders() == [name]
    assert load("fr") == rows_of(sample)


def test_another_loader_version_goes(sample: Path) -> None:
    partly(sample)
    old = datasets_cache() / "multiloko/fr/0.0.1/abc"
    shutil.copytree(Installed().configs["fr"].folder, old)
    partly(sample)
    assert not old.exists()


def test_a_half_written_folder_of_the_same_hash_is_made_again(sample: Path) -> None:
    partly(sample)
    folder = Installed().configs["fr"].folder
    (folder / "multiloko_origin.json").unlink()
    (folder / "multiloko-dev.arrow").write_bytes(b"damaged")
    partly(sample)
    assert load("fr") == rows_of(sample)


def test_a_malformed_line_is_an_error_and_what_was_there_stays(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    partly(sample)
    other = edited(sample, tmp_path / "other", "edited")
    with (other / "french/dev.jsonl").open("a") as file:
        file.write('{"question": "Q"\n')
    assert install("--from", other, "--partial", "--configs", "fr,de") == 2
    messages = capsys.readouterr().err
    assert "dev.jsonl:3: not JSON" in messages
    assert "Traceback" not in messages
    assert load("fr") == rows_of(sample)
    # What is scored against is what is loaded, also where one config came from the new source.
    for name in ("fr", "de"):
        assert list(Installed().rows(name)) == load(name)
    assert nothing_is_left_over()


# What it refuses.


def test_a_source_that_is_short_is_refused_with_a_list(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill_up(sample / "french/dev.jsonl", 250)
    fill_up(sample / "german/dev.jsonl", 249)
    (sample / "dutch/dev.jsonl").unlink()
    assert install("--from", sample, "--configs", "fr,de,nl") == 2
    message = capsys.readouterr().err
    assert "is not complete, 2 of its dev files are missing or short:" in message
    assert "  german/dev.jsonl: 249 questions instead of 250\n" in message
    assert "  dutch/dev.jsonl: missing\n" in message
    assert "french" not in message
    assert "--partial" in message
    assert "Traceback" not in message
    assert not Installed().configs


def test_a_long_list_is_cut(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert install("--from", sample) == 2
    message = capsys.readouterr().err
    assert "151 of its dev files are missing or short" in message
    assert "and 146 more" in message


def test_whole_configs_need_no_partial_and_few_examples_only_warn(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("french", "german"):
        fill_up(sample / name / "dev.jsonl", 250)
    fill_up(sample / "french/knowledge_fewshot.jsonl", 2)
    assert install("--from", sample, "--configs", "fr,de") == 0
    messages = capsys.readouterr().err
    assert "note: french: 2 few-shot examples instead of 5" in messages
    assert "german" not in messages
    assert len(load("fr")) == 250


def test_notes_are_only_about_what_was_asked_for(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("french", "german"):
        fill_up(sample / name / "knowledge_fewshot.jsonl", 2)
    partly(sample, "fr")
    messages = capsys.readouterr().err
    assert "french: 2 few-shot examples" in messages
    assert "german: " not in messages


def test_all_is_left_out_where_languages_are_missing(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in sample.iterdir():
        if folder.name not in ("french", "german"):
            shutil.rmtree(folder)
    assert install("--from", sample, "--partial") == 0
    assert "all is left out" in capsys.readouterr().err
    assert list(Installed().configs) == ["fr", "de", "fr-en-human", "de-en-human", "fr-en-machine", "de-en-machine"]
    assert install("--from", sample, "--partial", "--configs", "all") == 0
    assert load("all") == rows_of(sample, "fr") + rows_of(sample, "de")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--configs", "frensh"], "no config is called 'frensh' (nearest: french"),
        (["--configs", "fr,de-fr"], "no config is called 'de-fr'"),
        (["--configs", ","], "--configs"),
    ],
)
def test_a_config_that_there_is_not(
    sample: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert install("--from", sample, "--partial", *arguments) == 2
    assert message in capsys.readouterr().err


def test_a_place_that_is_none_and_a_source_without_the_config(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert install("--from", tmp_path / "nowhere") == 2
    assert "is neither a folder, an archive nor a Hub repository" in capsys.readouterr().err
    shutil.rmtree(sample / "french")
    assert install("--from", sample, "--configs", "fr", "--partial") == 2
    assert "holds nothing of fr" in capsys.readouterr().err


def test_contradictions_are_counted_or_refused(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit_rows(sample / "french/dev.jsonl", lambda row: {**row, "source_language": "german"})
    partly(sample)
    assert "note: 2 values contradict their file's name, which wins" in capsys.readouterr().err
    assert [row["source_language"] for row in load("fr")] == ["french", "french"]
    shutil.rmtree(datasets_cache())
    assert install("--from", sample, "--partial", "--configs", "fr", "--strict") == 2
    assert "dev.jsonl:1: source_language is 'german'" in capsys.readouterr().err


def test_strict_also_where_the_data_were_installed_before(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit_rows(sample / "french/dev.jsonl", lambda row: {**row, "source_language": "german"})
    partly(sample)
    assert install("--from", sample, "--partial", "--configs", "fr", "--strict") == 2
    assert "source_language is 'german'" in capsys.readouterr().err


@pytest.mark.parametrize("where", ["here", "above"])
def test_it_says_what_stands_in_the_way(
    sample: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], where: str
) -> None:
    (elsewhere / "multiloko").mkdir()
    if where == "above":
        monkeypatch.chdir(elsewhere / "multiloko")
    partly(sample, "fr")
    assert f"the folder {elsewhere / 'multiloko'} instead" in capsys.readouterr().err


def test_nothing_stands_in_the_way(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    partly(sample, "fr")
    assert "instead\n" not in capsys.readouterr().err.replace("instead of", "")


def test_messages_go_to_standard_error(sample: Path, multiloko: Multiloko) -> None:
    finished = multiloko("install", "--from", sample, "--partial", "--configs", "fr")
    assert (finished.returncode, finished.stdout) == (0, "")
    assert 'load_dataset("multiloko", "fr")' in finished.stderr
    assert 'evaluate.load("multiloko")' in finished.stderr


# At the same time, and in the middle.


def start(source: Path, configs: str = "fr,de,nl,it,es,sv,pl,pt,ro,ru") -> subprocess.Popen[str]:
    command = [COMMAND, "install", "--from", source, "--partial", "--configs", configs]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8")


def wait_for(count: int, fingerprint: str) -> bool:
    """Wait until so many configs are in the cache."""
    for _ in range(3000):
        if len(list(datasets_cache().glob(f"multiloko/*/{LOADER_VERSION}/{fingerprint}"))) >= count:
            return True
        time.sleep(0.01)
    return False


def test_killed_in_the_middle_and_started_again(sample: Path) -> None:
    fingerprint = open_source(sample).fingerprint
    for count in (1, 6):
        process = start(sample)
        assert wait_for(count, fingerprint)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        for name in Installed().configs:  # what is there is whole
            assert load(name) == rows_of(sample, name)
    process = start(sample)
    _, messages = process.communicate()
    assert process.returncode == 0
    assert "10 of this source are installed" in messages
    for name in ("fr", "de", "nl", "it", "es", "sv", "pl", "pt", "ro", "ru"):
        assert load(name) == rows_of(sample, name)
    assert nothing_is_left_over()


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.05, 0.3, 0.8, 1.2, 1.5, 1.8, 2.1, 2.5, 3.0])
def test_killed_at_any_time(sample: Path, tmp_path: Path, delay: float) -> None:
    other = edited(sample, tmp_path / "other", "edited")
    partly(sample, "fr,de")
    process = start(other)
    time.sleep(delay)
    process.kill()
    process.communicate()
    assert load("fr") in (rows_of(sample), rows_of(other))
    assert list(Installed().rows("fr")) == load("fr")
    partly(other, "fr,de,nl,it,es,sv,pl,pt,ro,ru")
    assert load("fr") == rows_of(other)
    assert nothing_is_left_over()


def test_two_at_once_do_no_harm(sample: Path) -> None:
    both = [start(sample), start(sample)]
    messages = [process.communicate()[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], messages
    assert all("10 of this source are installed" in each for each in messages)
    assert sorted(each.count("nothing new") for each in messages) == [0, 1]
    assert load("ru") == rows_of(sample, "ru")
    assert nothing_is_left_over()


@pytest.mark.slow
def test_two_sources_at_once_end_as_one_of_them(sample: Path, tmp_path: Path) -> None:
    other = edited(sample, tmp_path / "other", "edited")
    both = [start(sample), start(other)]
    messages = [process.communicate()[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], messages
    assert len({config.fingerprint for config in Installed().configs.values()}) == 1
    assert len(Installed().configs) == 10
    assert load("fr") in (rows_of(sample), rows_of(other))
    assert nothing_is_left_over()


def test_a_reader_during_installs_of_new_sources(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multiloko_scripts.install._GRACE", 1)
    other = edited(sample, tmp_path / "other", "edited")
    questions = {json.dumps([row["question"] for row in rows_of(source)]) for source in (sample, other)}
    partly(sample)
    code = (
        "import json, sys, datasets\n"
        "datasets.disable_progress_bars()\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    try:\n"
        "        rows = datasets.load_dataset('multiloko', 'fr', split='dev')\n"
        # datasets lists folders and then looks at each: one may go in between, and the next look finds the new one.
        "    except (FileNotFoundError, ValueError):\n"
        "        rows = datasets.load_dataset('multiloko', 'fr', split='dev')\n"
        "    print(json.dumps(rows['question'][:]), flush=True)\n"
    )
    reader = subprocess.Popen(
        [COMMAND.with_name("python"), "-W", "ignore", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert reader.stdout is not None
    assert reader.stdout.readline() == "ready\n"
    for source in itertools.islice(itertools.cycle((other, sample)), 4):
        partly(source)
    time.sleep(0.3)
    assert reader.poll() is None, reader.communicate()[1][-600:]
    reader.terminate()
    output, _ = reader.communicate()
    seen = output.splitlines()[:-1]
    assert len(seen) > 3
    assert set(seen) <= questions


def test_official_names_load_too_and_cost_no_second_copy(sample_folder: Path) -> None:
    partly(sample_folder, "fr,fr-en-human,all")
    assert load("french") == rows_of(sample_folder, "fr")
    assert load("french_translated_human_english") == rows_of(sample_folder, "fr-en-human")
    assert load("french", "fewshot") == rows_of(sample_folder, "fr", "fewshot")
    by_code = {path.name: path.stat().st_ino for path in (dataset_folder("multiloko") / "fr").rglob("*.arrow")}
    by_name = {path.name: path.stat().st_ino for path in (dataset_folder("multiloko") / "french").rglob("*.arrow")}
    assert by_code == by_name != {}
    assert list(Installed().configs) == ["all", "fr", "fr-en-human"]


def test_official_names_are_of_the_same_data(sample: Path) -> None:
    partly(sample, "fr")
    fill_up(sample / "french" / "dev.jsonl", 3)
    partly(sample, "fr")
    assert load("french") == load("fr") == rows_of(sample, "fr")
    assert len(load("french")) == 3
    assert nothing_is_left_over()


def test_without_links_the_code_still_loads(sample_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    monkeypatch.setattr(Path, "symlink_to", refuse)
    partly(sample_folder, "fr")
    assert load("fr") == rows_of(sample_folder, "fr")
    assert not (dataset_folder("multiloko") / "french").exists()


def test_it_says_how_to_be_sure(
    sample_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    partly(sample_folder, "fr")
    assert "Set HF_HUB_OFFLINE=1 to be sure of these" in capsys.readouterr().err
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    partly(sample_folder, "fr")
    assert "HF_HUB_OFFLINE" not in capsys.readouterr().err
