"""MultiLoKo for inspect_ai: ``inspect eval harness/inspect_tasks.py@multiloko -T configs=fr,en -T style=chat``."""

from __future__ import annotations

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import Metric, Score, Scorer, Target, grouped, mean, scorer
from inspect_ai.solver import TaskState, generate

from multiloko_metric.languages import Config, parse_config
from multiloko_runs import tasks
from multiloko_runs.prompts import GENERATION, Prompt, PromptSettings

_MESSAGES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


@task  # type: ignore[untyped-decorator, unused-ignore]  # inspect_ai is not there where types are checked
def multiloko(configs: str | list[str] = "local", style: str = "chat", shots: int | None = None) -> Task:
    """Questions of one or more configs.

    Args:
        configs: names, or partitions, which stand for all their configs: ``local``, ``to_english_human``, ...
        style: ``chat``, or ``base``: a text to go on with, for providers that complete texts.
        shots: examples in the prompt; by default 0 for chat and 5 for base.
    """
    wanted = tasks.configs_named(configs.split(",") if isinstance(configs, str) else configs)
    shown = PromptSettings(style, shots).examples
    generation = GENERATION[style]
    # Local and translated questions are never averaged together.
    average = len({config.partition for config in wanted}) == 1
    return Task(
        dataset=MemoryDataset([sample for config in wanted for sample in _samples(config, style, shown)], "multiloko"),
        solver=generate(),
        scorer=multiloko_scorer(average=average),
        config=GenerateConfig(
            max_tokens=generation.max_tokens, stop_seqs=list(generation.stop) or None, temperature=0.0
        ),
        metadata={"profile": tasks.profile_name(), "dataset": tasks.dataset_name(), "style": style, "shots": shown},
        version=1,
    )


def _samples(config: Config, style: str, shots: int) -> list[Sample]:
    rows = tasks.questions(tasks.dataset_name(), config)
    prompts = tasks.prompts(tasks.dataset_name(), config, style, shots)
    return [
        Sample(
            id=prompts[identifier].key,
            input=_input(prompts[identifier]),
            target=list(row["targets"]),
            metadata={"config": config.name, "id": identifier, "output_type": row["output_type"]},
        )
        for identifier, row in rows.items()
    ]


def _input(prompt: Prompt) -> str | list[ChatMessage]:
    if prompt.messages is None:
        return str(prompt.prompt)
    return [_MESSAGES[message["role"]](content=message["content"]) for message in prompt.messages]


def multiloko_scorer(*, average: bool) -> Scorer:
    """Return a scorer that gives each metric by config and, with ``average``, the unweighted mean over the configs."""
    by_config: list[Metric] = [grouped(mean(), "config", all="groups" if average else False, all_label="average")]

    metrics = dict.fromkeys(tasks.reported_metrics(), by_config)

    @scorer(name="multiloko", metrics=metrics)  # type: ignore[untyped-decorator, unused-ignore]
    def score_multiloko() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            metadata: dict[str, Any] = state.metadata
            answer = state.output.completion
            values = tasks.score_answer(parse_config(metadata["config"]), answer, list(target))
            return Score(value=dict(values), answer=answer)

        return score

    return score_multiloko()
