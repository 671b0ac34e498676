"""What a run would ask, said without asking it."""

from __future__ import annotations

from collections.abc import Iterable

from multiloko_runs.asked_questions import estimated_tokens, text_of
from multiloko_runs.endpoint import EndpointSettings
from multiloko_runs.prompts import Prompt

from .terminal import print_text

_SHOWN = 3
"""Prompts that are printed: the first of each of so many configs."""
_ESTIMATE = (
    "a token for 4 ASCII characters, for 2 letters of two bytes, for 1 of three; a tokenizer may take twice as many"
)


def dry_run(prompts: Iterable[Prompt], endpoint: EndpointSettings) -> None:
    """Print a few prompts, how many requests there would be, and an estimate of their tokens. Nothing is sent."""
    count = tokens = 0
    shown: list[str] = []
    last = None
    for prompt in prompts:
        count, tokens = count + 1, tokens + estimated_tokens(text_of(prompt))
        if prompt.config != last and len(shown) < _SHOWN:
            shown.append(f"--- {prompt.config.name} {prompt.id}\n{_as_sent(prompt)}")
        last = prompt.config
    described = endpoint.describe()
    each = described["generation"]["max_tokens"]
    lines = [
        *shown,
        "---",
        f"{count:,} requests to {described['endpoint']} for {described['model']}; nothing was sent",
        f"prompts: about {tokens:,} tokens ({_ESTIMATE})",
        f"answers: at most {count * each:,} tokens ({each:,} each)",
    ]
    print_text("\n".join(lines))


def _as_sent(prompt: Prompt) -> str:
    if prompt.messages is None:
        return prompt.prompt or ""
    return "\n".join(f"[{message['role']}] {message['content']}" for message in prompt.messages)
