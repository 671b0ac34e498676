"""MultiLoKo for lighteval: ``lighteval accelerate MODEL_ARGS "multiloko|5" --custom-tasks harness/lighteval_tasks.py``.

``multiloko|5`` are the 31 local configs for base models, ``multiloko:fr|5`` is one of them, ``multiloko_chat|0`` are
those for chat models; translated ones are under their partition: ``multiloko_to_english_human:fr-en-human|5``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.utils.metric_utils import SampleLevelMetricGrouping
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc, SamplingMethod

from multiloko_metric.languages import CONFIGS, Config, parse_config
from multiloko_runs import tasks
from multiloko_runs.prompts import GENERATION, PromptSettings


class MultiLoKoScores(SampleLevelComputation):  # type: ignore[misc]  # lighteval is untyped
    """The metrics of one answer, as this project's scorer gives them."""

    def compute(self, model_response: ModelResponse, doc: Doc, **_: Any) -> dict[str, float]:
        """Score the answer, without its reasoning where lighteval was told to remove that."""
        return tasks.score_answer(parse_config(doc.specific["config"]), model_response.final_text[0], doc.choices)


class MakeDoc:
    """Prompt function of one task. It looks at the task for the number of shots, which ``|5`` sets after loading."""

    def __init__(self, config: Config, style: str) -> None:
        self.config = config
        self.style = style
        self.task: LightevalTaskConfig | None = None

    def __call__(self, line: dict[str, Any], task_name: str = "") -> Doc | None:
        """Return the question with its prompt; of a chat prompt the examples are turns of their own."""
        shots = self.task.num_fewshots if self.task else 0
        prompts = tasks.prompts(tasks.dataset_name(), self.config, self.style, shots)
        if line.get("__few_shots"):
            return self._example(line["__index"], next(iter(prompts.values())).messages)
        prompt = prompts[line["id"]]
        system = [each["content"] for each in prompt.messages or () if each["role"] == "system"]
        query = prompt.prompt if prompt.messages is None else "\n\n".join([*system, prompt.messages[-1]["content"]])
        return Doc(
            query=str(query),
            choices=list(line["targets"]),
            gold_index=list(range(len(line["targets"]))),
            specific={"config": self.config.name, "id": line["id"]},
            task_name=task_name,
        )

    def _example(self, index: int, messages: tuple[Mapping[str, str], ...] | None) -> Doc | None:
        """Return an example as a pair of turns; None for a base model, whose prompt holds the examples."""
        turns = [message["content"] for message in messages or () if message["role"] != "system"][:-1]
        pairs = list(zip(turns[::2], turns[1::2], strict=True))
        return Doc(query=pairs[index][0], choices=[pairs[index][1]], gold_index=0) if index < len(pairs) else None


def _task(config: Config, style: str) -> LightevalTaskConfig:
    prefix = "multiloko" if style == "base" else "multiloko_chat"
    superset = prefix if config.partition == "local" else f"{prefix}_{config.partition}"
    make_doc = MakeDoc(config, style)
    task = LightevalTaskConfig(
        name=f"{superset}:{config.name}",
        prompt_function=make_doc,
        hf_repo=tasks.dataset_name(),
        hf_subset=config.name,
        hf_avail_splits=["dev", "fewshot"],
        evaluation_splits=["dev"],
        few_shots_split="fewshot",
        few_shots_select="sequential",
        num_fewshots=PromptSettings(style).examples,
        generation_size=GENERATION[style].max_tokens,
        stop_sequence=list(GENERATION[style].stop),
        metrics=[_METRIC],
        version=1,
    )
    make_doc.task = task  # lighteval copies a task deeply, and this reference with it, before it sets the shots
    return task


_REPORTED = list(tasks.reported_metrics())
_METRIC = SampleLevelMetricGrouping(
    metric_name=_REPORTED,
    higher_is_better=dict.fromkeys(_REPORTED, True),
    category=SamplingMethod.GENERATIVE,
    sample_level_fn=MultiLoKoScores(),
    corpus_level_fn=dict.fromkeys(_REPORTED, np.mean),
)
TASKS_TABLE = [_task(config, style) for style in ("base", "chat") for config in CONFIGS]
