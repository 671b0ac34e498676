"""The task of lm-evaluation-harness that every file under ``base/`` and ``chat/`` makes one config of."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import datasets
from lm_eval.api.task import ConfigurableTask

from multiloko_metric.languages import Config, parse_config
from multiloko_runs import tasks

_logger = logging.getLogger("lm-eval.multiloko")


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, float]:
    """Score the answer as the harness hands it over; nothing is stripped from it."""
    return tasks.score_answer(parse_config(doc["config"]), results[0], doc["targets"])


class MultiLoKoTask(ConfigurableTask):  # type: ignore[misc]  # lm_eval is untyped
    """One config in one style: installed questions, prompts and scores of this project, the rest is the harness's."""

    def __init__(self, config: dict[str, Any]) -> None:
        settings = dict(config)
        del settings["class"]
        self.style: str = settings["metadata"]["style"]
        self.questions_config: Config = parse_config(settings["dataset_name"])
        present = tasks.reported_metrics()
        settings["metric_list"] = [each for each in settings["metric_list"] if each["metric"] in present]
        settings["metadata"] = {
            **settings["metadata"],
            "profile": tasks.profile_name(),
            "dataset": tasks.dataset_name(),
        }
        super().__init__(config=settings)

    def download(self, dataset_kwargs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Take the installed questions; each knows its config, so that a log can be scored again."""
        config = self.questions_config
        rows = [{"config": config.name, **row} for row in tasks.questions(tasks.dataset_name(), config).values()]
        self.dataset = datasets.DatasetDict({"dev": datasets.Dataset.from_list(rows)})

    def fewshot_docs(self) -> None:
        """Give the harness no examples: the prompt comes with its own."""

    def fewshot_context(  # noqa: D102, PLR0917  # as the base class has it
        self,
        doc: dict[str, Any],
        num_fewshot: int,
        system_instruction: str | None = None,
        apply_chat_template: bool = False,
        fewshot_as_multiturn: bool = False,
        chat_template: Callable[..., Any] | None = None,
        gen_prefix: str | None = None,
    ) -> Any:
        prompt = tasks.prompts(tasks.dataset_name(), self.questions_config, self.style, num_fewshot)[doc["id"]]
        messages = [{"role": "user", "content": prompt.prompt}] if prompt.messages is None else [*prompt.messages]
        if system_instruction:
            messages.insert(0, {"role": "system", "content": system_instruction})
        if apply_chat_template != (self.style == "chat"):
            advice = "give --apply_chat_template" if self.style == "chat" else "use multiloko_chat instead"
            _logger.warning("%s is for the style %r: %s", self.config.task, self.style, advice)
        if apply_chat_template and chat_template:
            return chat_template(messages, add_generation_prompt=True)
        return "\n\n".join(str(message["content"]) for message in messages)
