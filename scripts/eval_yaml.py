"""``eval.yaml`` of an exported data set: what makes it a benchmark for the Hub, and tasks for inspect_ai.

Sources: https://github.com/huggingface/hub-docs/blob/main/docs/hub/eval-results.md for the file (``metrics`` are in the
draft of it, branch feature/update_eval_results, and not in the text as it was merged), and ``HFTask`` in
inspect_ai/_eval/task/hf.py (0.3.285) for a task, which refuses every key that it does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from multiloko_metric.languages import ALL, LANGUAGES, Language
from multiloko_runs.prompts import chat_question
from multiloko_source.questions import Data
from multiloko_source.source import DEV, FEWSHOT

EVAL_YAML = "eval.yaml"
"""Where the Hub and inspect_ai look for it: at the top of the repository."""
FRAMEWORK = "inspect-ai"
"""The general one in the Hub's list of evaluation frameworks (huggingface.js, packages/tasks/src/eval.ts)."""
PRIMARY_METRIC = "em"
_METRICS = (PRIMARY_METRIC, "f1", "chrf", "contains")
"""All better the higher they are, and what our tasks for the harnesses report."""

_TARGET = "targets"
"""Column of the acceptable short answers. inspect_ai makes one text of the list, ``str(["a", "b"])``. Its scorers
``exact`` and ``f1`` drop punctuation, so where a question has a single target they see just that; where it has several
they see all of them one after another. The other column, ``target``, is a sentence that no short answer ever equals."""
_SCORERS = ("exact", "f1")
_METADATA = ("id", "output_type", "source_language", "question_language")
"""Columns kept in inspect's log: ``multiloko score`` finds config and question by them, and one is in the prompt."""
_ANY_LANGUAGE = (
    "Answer the question in the language it is asked in, as briefly as you can. "
    "Write only the answer: no full sentence, no explanation."
)
_PROMPT, _KIND = "{prompt}", "{output_type}"
"""What inspect_ai's ``prompt_template`` puts the input and a column of the metadata in place of."""

_ABOUT = (
    "MultiLoKo asks language models what is locally relevant to the speakers of {languages}: questions written by "
    "them, answered in a few words. The score is exact match in 0..100, averaged over the languages, as "
    "`multiloko score` computes it. What inspect_ai's own scorers print is another, lower number."
)
_ABOUT_SAMPLE = (
    "An invented sample in the shape of MultiLoKo. It is not MultiLoKo data, and no score on it means anything."
)


def eval_yaml(data: Data, rows: Mapping[str, Mapping[str, int]], *, sample: bool = False) -> str | None:
    """Return the text of ``eval.yaml``: a task for all local sets together and one for each; None where there is none.

    Args:
        data: what is exported.
        rows: the configs that are exported, with the number of rows of each split.
        sample: whether it is the invented sample, which the description then says.
    """
    tasks = [
        _task(data, name, split, language)
        for name, language in [(ALL, None), *((each.code, each) for each in LANGUAGES)]
        if (split := _split(rows.get(name, {})))
    ]
    if not tasks:
        return None
    there = sum(each.code in rows for each in LANGUAGES)
    languages = f"{there} languages" if there > 1 else "one language"
    content = {
        "name": "A sample in the shape of MultiLoKo" if sample else "MultiLoKo",
        "description": _ABOUT_SAMPLE if sample else _ABOUT.format(languages=languages),
        "evaluation_framework": FRAMEWORK,
        "metrics": [
            {"id": metric, "higher_is_better": True, **({"primary": True} if metric == PRIMARY_METRIC else {})}
            for metric in _METRICS
        ],
        "tasks": tasks,
    }
    return yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


class _Dumper(yaml.SafeDumper):
    """Writes every list and every text of several lines out, so that a person can read and correct them."""

    def represent_str(self, data: str) -> yaml.ScalarNode:
        """Represent a text as a block where it has several lines."""
        return self.represent_scalar("tag:yaml.org,2002:str", data, style="|" if "\n" in data else None)

    def ignore_aliases(self, data: Any) -> bool:
        """Return that nothing is written as a reference to an equal value elsewhere in the file."""
        return True


_Dumper.add_representer(str, _Dumper.represent_str)


def _split(splits: Mapping[str, int]) -> str | None:
    """The questions: dev, or where that is not there another subset. Examples are not asked."""
    return next((split for split in (DEV, *splits) if split in splits and split != FEWSHOT), None)


def _task(data: Data, name: str, split: str, language: Language | None) -> dict[str, Any]:
    has_kinds = all((row["output_type"] or "").strip() for row in data.rows(name, split))
    template = _template(language, _KIND if has_kinds else "")
    return {
        "id": name,
        "config": name,
        "split": split,
        "field_spec": {"input": "question", "target": _TARGET, "metadata": list(_METADATA)},
        "solvers": [{"name": "prompt_template", "args": {"template": template}}, {"name": "generate"}],
        "scorers": [{"name": scorer} for scorer in _SCORERS],
    }


def _template(language: Language | None, kind: str) -> str:
    """The prompt of ``multiloko run`` for a chat model; for all languages together one instruction, in English."""
    if language is not None:
        return chat_question(_PROMPT, kind, language.name)
    return f"{_ANY_LANGUAGE}\n\n{_PROMPT}" + (f"\n({kind})" if kind else "")
