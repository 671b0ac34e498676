"""How much a complete source holds, and the features of a row. ``dataset_infos.json`` is generated from this."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from multiloko_metric.languages import ALL, CONFIGS, LANGUAGES

from .errors import SourceError
from .json_lines import numbered_lines
from .rows import FIELDS
from .source import DEV, FEWSHOT, LOADER_VERSION, Source, members

QUESTIONS = 250
"""Questions in each dev file (Hupkes and Bogoychev 2025, section 2)."""
FEWSHOT_EXAMPLES = 5
"""Few-shot examples of each language (same place)."""
CONFIG_NAMES = (ALL, *(config.name for config in CONFIGS))
"""The 152 config names, the default first."""


def features() -> dict[str, Any]:
    """The ten features, spelled so that datasets 2.21 to 5.x read them: ``List`` would not be known before 4.0."""
    kinds = {
        "targets": {"feature": {"dtype": "string", "_type": "Value"}, "_type": "Sequence"},
        "translated": {"dtype": "bool", "_type": "Value"},
    }
    return {name: kinds.get(name, {"dtype": "string", "_type": "Value"}) for name in FIELDS}


def dataset_infos() -> dict[str, Any]:
    """Content of ``dataset_infos.json``: features and expected number of examples per config and split."""
    return {name: _info(name, len(LANGUAGES) if name == ALL else 1) for name in CONFIG_NAMES}


def _info(name: str, languages: int) -> dict[str, Any]:
    counts = {DEV: QUESTIONS * languages, FEWSHOT: FEWSHOT_EXAMPLES * languages}
    splits = {
        split: {"name": split, "num_bytes": 0, "num_examples": count, "dataset_name": "multiloko"}
        for split, count in counts.items()
    }
    version = dict(zip(("major", "minor", "patch"), map(int, LOADER_VERSION.split(".")), strict=True))
    return {
        "description": "",
        "citation": "",
        "homepage": "https://github.com/facebookresearch/multiloko",
        "license": "mit",
        "features": features(),
        "builder_name": "multiloko",
        "dataset_name": "multiloko",
        "config_name": name,
        "version": {"version_str": LOADER_VERSION, **version},
        "splits": splits,
    }


def shortfall(source: Source, names: Iterable[str] = CONFIG_NAMES) -> list[str]:
    """What ``source`` lacks of the dev questions of ``names``, a line for each file that is missing or short."""
    configs = {config.name: config for name in names for config in members(name)}
    lines = []
    for config in configs.values():
        count = _count(source, config.path(DEV))
        if count != QUESTIONS:
            found = "missing" if count is None else f"{count} questions instead of {QUESTIONS}"
            lines.append(f"{config.path(DEV)}: {found}")
    return lines


def require_every_file(source: Source) -> Source:
    """Return ``source`` if it holds all 151 dev files, as the official archive must.

    Raises:
        SourceError: some are missing; the message names the first few.
    """
    missing = [config.path(DEV) for config in CONFIGS if config.path(DEV) not in source.files]
    if missing:
        few = ", ".join(missing[:3])
        raise SourceError(f"{source.location} lacks {len(missing)} of {len(CONFIGS)} dev files ({few}, ...)")
    return source


def fewshot_shortfall(source: Source, names: Iterable[str] = CONFIG_NAMES) -> list[str]:
    """Languages that ``names`` ask in, with another number of few-shot examples than expected, a line each."""
    asked = {config.question for name in names for config in members(name)}
    lines = []
    for language in [each for each in LANGUAGES if each in asked]:
        present = source.splits(language.code)
        count = sum(1 for _ in source.rows(language.code, FEWSHOT)) if FEWSHOT in present else 0
        if present and count != FEWSHOT_EXAMPLES:
            lines.append(f"{language.name}: {count} few-shot examples instead of {FEWSHOT_EXAMPLES}")
    return lines


def _count(source: Source, name: str) -> int | None:
    path = source.files.get(name)
    return None if path is None else sum(1 for _ in numbered_lines(path))
