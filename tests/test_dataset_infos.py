"""``dataset_infos.json``: what it says, and that it is what the script writes."""

from __future__ import annotations

import json
from pathlib import Path

import datasets
import pytest
from conftest import ROOT
from multiloko_scripts.dataset_infos import text

from multiloko_metric.languages import CONFIGS
from multiloko_source.expected import CONFIG_NAMES, QUESTIONS, dataset_infos, features, fewshot_shortfall, shortfall
from multiloko_source.rows import FIELDS
from multiloko_source.source import LOADER_VERSION, open_source

FILE = ROOT / "dataset_infos.json"


def test_the_file_is_what_the_script_writes() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "run `make dataset_infos.json`"


def test_it_has_every_config_and_its_counts() -> None:
    infos = json.loads(FILE.read_text(encoding="utf-8"))
    assert list(infos) == list(CONFIG_NAMES)
    counts = {name: {split: of["num_examples"] for split, of in info["splits"].items()} for name, info in infos.items()}
    assert counts.pop("all") == {"dev": 7750, "fewshot": 155}
    assert all(of == {"dev": 250, "fewshot": 5} for of in counts.values())
    assert {info["version"]["version_str"] for info in infos.values()} == {LOADER_VERSION}


def test_the_features_are_spelled_as_every_version_reads_them() -> None:
    assert '"List"' not in FILE.read_text(encoding="utf-8")
    assert list(features()) == list(FIELDS)
    assert features()["targets"] == {"feature": {"dtype": "string", "_type": "Value"}, "_type": "Sequence"}


@pytest.mark.matrix
def test_the_library_reads_it() -> None:
    from multiloko import MultiLoKo

    for name in ("all", "fr", "zh-hans-en-machine"):
        info = datasets.DatasetInfo.from_dict(dataset_infos()[name])
        assert list(info.features) == list(FIELDS)
        assert info.features["targets"] == datasets.Sequence(datasets.Value("string"))
        assert info.splits["dev"].num_examples == (7750 if name == "all" else QUESTIONS)
    assert MultiLoKo.VERSION == LOADER_VERSION


def test_what_a_source_lacks(sample: Path) -> None:
    (sample / "french/dev.jsonl").unlink()
    lines = shortfall(open_source(sample))
    assert len(lines) == 151
    assert "french/dev.jsonl: missing" in lines
    assert "german/dev.jsonl: 2 questions instead of 250" in lines
    assert shortfall(open_source(sample), ["fr", "de-en-human"]) == [
        "french/dev.jsonl: missing",
        "german/dev_translated_human_english.jsonl: 2 questions instead of 250",
    ]
    assert len(shortfall(open_source(sample), ["all"])) == 31
    assert len(shortfall(open_source(sample), [config.name for config in CONFIGS])) == 151


def test_what_a_source_lacks_of_the_examples(sample: Path) -> None:
    assert fewshot_shortfall(open_source(sample)) == []
    (sample / "french/knowledge_fewshot.jsonl").unlink()
    examples = sample / "english/knowledge_fewshot.jsonl"
    examples.write_text("".join(examples.read_text(encoding="utf-8").splitlines(keepends=True)[1:]), encoding="utf-8")
    assert fewshot_shortfall(open_source(sample)) == [
        "english: 4 few-shot examples instead of 5",
        "french: 0 few-shot examples instead of 5",
    ]
    assert fewshot_shortfall(open_source(sample), ["fr-en-human"]) == ["english: 4 few-shot examples instead of 5"]
