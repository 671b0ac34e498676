"""The stand-in model for ``lighteval custom``, which loads this file by its path."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from lighteval.models.abstract_model import LightevalModel
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.prompt_manager import PromptManager
from lighteval.tasks.requests import Doc
from lighteval.utils.cache_management import SampleCache

sys.path.insert(0, str(Path(__file__).parent))
from harness_model import answer_to, answers


class StandIn(LightevalModel):
    """Answers what stands in the prompt as lighteval puts it together."""

    def __init__(self, config: Any) -> None:
        self.config = config
        self.known = answers()
        self.prompts = PromptManager()
        self._cache = SampleCache(config)  # lighteval asks for one; without its decorator nothing is kept in it

    tokenizer = None
    add_special_tokens = False
    max_length = 4096

    def greedy_until(self, docs: list[Doc]) -> list[ModelResponse]:
        """Answer each question."""
        prompts = [self.prompts.prepare_prompt(doc) for doc in docs]
        return [ModelResponse(input=prompt, text=[answer_to(prompt, self.known)]) for prompt in prompts]

    def loglikelihood(self, docs: list[Doc]) -> list[ModelResponse]:
        """Not asked for."""
        raise NotImplementedError

    def loglikelihood_rolling(self, docs: list[Doc]) -> list[ModelResponse]:
        """Not asked for."""
        raise NotImplementedError
