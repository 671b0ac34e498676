"""The card of an exported data set: what the Hub and a reader see first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from multiloko_metric.citation import CITATION
from multiloko_metric.languages import ALL, CONFIGS, ENGLISH, LANGUAGES, TRANSLATION_TYPES, Config, Language

PLACEHOLDER = "USER/multiloko"
"""Stands for the repository in a card that has not been published under a name yet."""

REQUEST = (
    "The authors of MultiLoKo publish the data in an encrypted archive and ask that it not be mirrored in plain form, "
    "so that its questions stay out of training data."
)
"""What a person must have read before a copy becomes public."""

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_HUB_CODES = {"zh-hans": "zh", "zh-hant": "zh"}
"""The Hub's language tags are ISO 639 codes, which do not tell the two scripts apart."""

_ABOUT = """\
# {title}

{opening}

```python
from datasets import load_dataset

load_dataset("{repository}", "fr")           # French questions, asked in French
load_dataset("{repository}", "fr-en-human")  # the same questions, translated into English by people
load_dataset("{repository}")                 # all local questions, one language after another
```

No code is run: the files are Parquet, which polars, pandas and duckdb read, too. Made with `multiloko export`; the
loader that reads the official files is in `builder/`, for reference.
"""

_REAL = """\
MultiLoKo (Hupkes and Bogoychev 2025) asks language models what is locally relevant to the speakers of 31 languages: 250
questions a language, written by its speakers, each with the paragraph that holds the answer. Every non-English set is
translated into English, and the English set into every other language, by people and by machine, so that the effect of
the language and of the place can be told apart.

**Read this first.** {request} Keep a copy private or gated, and do not train on it.
"""

_SAMPLE = """\
**This is not MultiLoKo data.** It is a small invented sample in the shape of that benchmark: not a question, an answer
or a paragraph comes from it. It shows what files, fields and viewer look like, and no score on it means anything.
"""

_FIELDS = """\
## Fields

| field | type | what it is |
| --- | --- | --- |
| `question` | string | the question |
| `targets` | list of strings | acceptable short answers |
| `target` | string or null | an answer in a full sentence |
| `output_type` | string or null | the kind of answer expected, in the question's language |
| `text` | string or null | the paragraph that holds the answer; no part of the question |
| `id` | string | unique inside its source language only |
| `source_language` | string | language whose speakers wrote the question (official name: `french`) |
| `question_language` | string | language it is asked in |
| `translated` | bool | whether these differ |
| `translation_type` | string or null | `human`, `machine`, or null where nothing was translated |

The split `dev` holds the questions, `fewshot` the examples of the question's language, which have no `text`.
"""

_CONFIGS = """\
## Configs

A config is a set of questions: `{all}` is all local sets one after another. Number of questions in `dev`:
"""

_SCORES = """\
## How scores are computed

```python
import evaluate

metric = evaluate.load("{metric}", module_type="metric")
metric.compute(predictions=["Paris"], references=[["Paris", "the city of Paris"]], languages="fr")
```

An answer is normalised as a named profile says and compared with every target: exact match, F1, BLEU, chrF, edit
distance and similarity, and whether it contains a target; the best target counts. The official profiles give the
official numbers to the last bit. Scores of local and of translated configs are never averaged together.
"""

_BENCHMARK = """\
## As a benchmark

`eval.yaml` makes each local set a task for [inspect_ai](https://inspect.aisi.org.uk), named like its config:

```sh
inspect eval hf/{repository}/{example} --model MODEL --temperature 0
```

**The number that inspect prints is inspect's own, and not the official one.** Such a file can name only scorers that
are built into inspect, and one column as the target: all acceptable answers of a question become one text. `exact` can
be met only where a question has a single acceptable answer, and `f1` falls with every further one, so both are far
below the official scores. The questions are put as `multiloko run` puts them to a chat model, but for `{all}`, where
the instruction is in English whatever the language. The official numbers come

- from the log of that same run: `multiloko score {sample}-p logs/`, which finds config and question in it;
- from this project's own task for inspect, which scores while it runs:
  `inspect eval harness/inspect_tasks.py@multiloko --model MODEL -T configs={example}`.
"""

_CONTAMINATION = """\
## Contamination

The questions can be answered from memory, so a model that has seen them scores higher than it knows. {request} Say with
a score whether the model's training data were looked through for the benchmark, and prefer a subset whose answers are
not published where there is one.
"""

_LICENSE = """\
## License and citation

The data were released by Meta under the MIT license. Cite the authors, not this copy:

```bibtex
{citation}```
"""


@dataclass(frozen=True)
class Content:
    """What a card describes."""

    rows: Mapping[str, Mapping[str, int]]
    """Number of rows of each split of each config, in the order the configs are to be shown."""
    sample: bool = False
    """Whether it is the invented sample."""
    repository: str = PLACEHOLDER
    """Name of the data set on the Hub."""
    metric: str = PLACEHOLDER
    """Name of the Space of the metric."""
    benchmark: bool = False
    """Whether there is an ``eval.yaml``."""


def dataset_card(content: Content, paths: Mapping[str, Mapping[str, str]]) -> str:
    """Return the text of ``README.md``: metadata for the Hub, then what a person wants to know.

    Args:
        content: what there is.
        paths: for each config and split, the name of its file in the repository.
    """
    metadata = yaml.safe_dump(_metadata(content, paths), sort_keys=False, allow_unicode=True, width=120)
    opening = (_SAMPLE if content.sample else _REAL.format(request=REQUEST)).strip()
    parts = [
        _ABOUT.format(title=_title(content), opening=opening, repository=content.repository),
        _FIELDS,
        _CONFIGS.format(all=ALL) + "\n" + _config_table(content.rows),
        _SCORES.format(metric=content.metric),
        *([_benchmark(content)] if content.benchmark else []),
        *([] if content.sample else [_CONTAMINATION.format(request=REQUEST), _LICENSE.format(citation=CITATION)]),
    ]
    return f"---\n{metadata}---\n\n" + "\n".join(parts)


def _title(content: Content) -> str:
    return "A sample in the shape of MultiLoKo" if content.sample else "MultiLoKo"


def _benchmark(content: Content) -> str:
    names = ["fr", *(language.code for language in LANGUAGES)]
    example = next((name for name in names if name in content.rows), ALL)
    sample = "--sample " if content.sample else ""
    return _BENCHMARK.format(repository=content.repository, example=example, all=ALL, sample=sample)


def _metadata(content: Content, paths: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """What the Hub reads. The features are in dataset_infos.json: here they would triple the time of a load."""
    languages = _languages(content.rows)
    rows = sum(sum(splits.values()) for name, splits in content.rows.items() if name != ALL or len(content.rows) == 1)
    metadata: dict[str, Any] = {
        "pretty_name": _title(content),
        "language": list(dict.fromkeys(_HUB_CODES.get(language.code, language.code) for language in languages)),
        "license": "mit",
        "task_categories": ["question-answering"],
        "task_ids": ["open-domain-qa"],
        "multilinguality": ["multilingual" if len(languages) > 1 else "monolingual"],
        "size_categories": [next((name for bound, name in _SIZES if rows < bound), "1M<n<10M")],
        "annotations_creators": ["expert-generated"],
        "language_creators": ["expert-generated", "machine-generated"],
        "source_datasets": ["original"],
        "tags": ["multilingual", "local-knowledge", "benchmark", *(["sample"] if content.sample else [])],
    }
    if not content.sample:
        metadata["extra_gated_prompt"] = f"{REQUEST} By asking for access you agree to keep to that."
    metadata["configs"] = [_config_entry(name, splits, next(iter(paths))) for name, splits in paths.items()]
    return metadata


def _config_entry(name: str, splits: Mapping[str, str], default: str) -> dict[str, Any]:
    files = [{"split": split, "path": path} for split, path in splits.items()]
    return {"config_name": name, **({"default": True} if name == default else {}), "data_files": files}


def _languages(rows: Mapping[str, Mapping[str, int]]) -> list[Language]:
    """Languages that questions are asked in, in the fixed order."""
    asked = {config.question for config in CONFIGS if config.name in rows}
    return [language for language in LANGUAGES if language in asked]


def _config_table(rows: Mapping[str, Mapping[str, int]]) -> str:
    """A line for each language, a column for each way its questions are asked."""
    heads = ["language", "local", *(f"into English, by {each}" for each in _TRANSLATORS)]
    heads += [f"English questions, by {each}" for each in _TRANSLATORS]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for language in LANGUAGES:
        cells = [_cell(config, rows) for config in _configs_of(language)]
        if any(cells):
            lines.append(_line([language.title, *cells]))
    total = sum(rows[ALL].values()) - rows[ALL].get("fewshot", 0) if ALL in rows else None
    return "\n".join([*lines, *([f"\n`{ALL}`: {total:,} questions."] if total is not None else []), ""])


_TRANSLATORS = tuple({"human": "people"}.get(how, how) for how in TRANSLATION_TYPES)


def _configs_of(language: Language) -> Sequence[Config | None]:
    local = Config(language, language)
    if language is ENGLISH:
        return (local, None, None, None, None)
    into = [Config(language, ENGLISH, how) for how in TRANSLATION_TYPES]
    return (local, *into, *(Config(ENGLISH, language, how) for how in TRANSLATION_TYPES))


def _cell(config: Config | None, rows: Mapping[str, Mapping[str, int]]) -> str:
    if config is None or config.name not in rows:
        return ""
    return f"`{config.name}` {rows[config.name].get('dev', 0):,}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
