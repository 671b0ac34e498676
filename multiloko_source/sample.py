"""The bundled sample: invented questions in the shape of MultiLoKo, which it is not.

It is kept as one readable file per language. The official folder layout is built from these when it is needed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import yaml

from multiloko_metric.languages import CONFIGS, ENGLISH, LANGUAGES, Config, Language

from .errors import SourceError
from .files import replacing, temporary_folder
from .rows import Row
from .source import Source

SAMPLE_NAME = "multiloko_sample"
"""Name under which the sample is installed, never ``multiloko``."""

_OFFICIAL_FIELDS = ("text", "question", "target", "id", "targets", "output_type")


def sample_predictions() -> Path:
    """File with the answers of an imaginary model to the sample, right and wrong in realistic ways."""
    with as_file(files("multiloko_sample") / "predictions.jsonl") as path:
        return path


def write_sample(folder: Path) -> None:
    """Write the sample to ``folder`` in the official layout: 151 dev files and 31 few-shot files."""
    for config in CONFIGS:
        _write_lines(folder / config.path(), _questions(config))
    for language in LANGUAGES:
        examples = [
            {"question": each["question"], "answer": each["targets"], "output_type": each["output_type"]}
            for each in _read(language)["fewshot"]
        ]
        _write_lines(folder / language.name / "knowledge_fewshot.jsonl", examples)


def open_sample() -> Source:
    """Open the sample, in a temporary folder that goes when the process ends."""
    folder = temporary_folder()
    write_sample(folder)
    return Source(folder, "the bundled sample (invented, not MultiLoKo data)")


def _questions(config: Config) -> list[Row]:
    """The dev questions of a config, with the six official fields."""
    if config.translation is None:
        versions = [(question["id"], question) for question in _read(config.source)["dev"]]
    elif config.source == ENGLISH:
        translations = _read(config.question)["from_english"]
        versions = [(each["id"], translations[each["id"]][config.translation]) for each in _read(ENGLISH)["dev"]]
    else:
        versions = [(each["id"], each["english"][config.translation]) for each in _read(config.source)["dev"]]
    rows = [{**question, "id": identifier} for identifier, question in versions]
    return [{name: row[name] for name in _OFFICIAL_FIELDS} for row in rows]


@cache
def _read(language: Language) -> dict[str, Any]:
    file = files("multiloko_sample") / "languages" / f"{language.name}.yaml"
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or content.get("language") != language.name:
        raise SourceError(f"{file} does not begin with 'language: {language.name}'")
    return content


def _write_lines(path: Path, rows: Iterable[Row]) -> None:
    with replacing(path) as staging, staging.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
