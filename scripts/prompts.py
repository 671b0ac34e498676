"""``multiloko prompts``: what a model is asked, a line for each question."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from multiloko_runs.prompts import GENERATION, Prompt, PromptSettings, make_prompts

from .options import add_gold_options, add_prompt_options, chosen_configs, open_gold, prompt_settings
from .terminal import output_file

_ADDRESSES = {"chat": "/v1/chat/completions", "base": "/v1/completions"}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("prompts", help="what a model is asked, a line for each question")
    add_gold_options(parser)
    add_prompt_options(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write there (default: standard output)")
    parser.add_argument(
        "--format",
        choices=("lines", "openai-batch"),
        default="lines",
        help="a JSON line with key, config, id and prompt (default), or a request for OpenAI's batch interface",
    )
    batch = parser.add_argument_group("with --format openai-batch")
    batch.add_argument("--model", default="MODEL", help="name of the model in each request")
    batch.add_argument(
        "--max-tokens",
        type=int,
        default=None,
        metavar="N",
        help="limit of each answer (default: 128 for base, 2048 for chat)",
    )
    batch.add_argument("--temperature", type=float, default=0.0, help="default: 0")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    data, settings = open_gold(arguments), prompt_settings(arguments)
    about = settings.describe()
    with output_file(arguments.output) as file:
        for prompt in make_prompts(
            data, chosen_configs(arguments, data), settings, subset=arguments.subset, limit=arguments.limit
        ):
            batch = arguments.format == "openai-batch"
            line = _request(prompt, settings, arguments) if batch else {**prompt.to_dict(), **about}
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
    return 0


def _request(prompt: Prompt, settings: PromptSettings, arguments: argparse.Namespace) -> dict[str, Any]:
    """A request of OpenAI's batch interface. Source: https://platform.openai.com/docs/guides/batch."""
    generation = GENERATION[settings.style]
    # Never left out: servers end a completion after 16 tokens unless told otherwise.
    limit = generation.max_tokens if arguments.max_tokens is None else arguments.max_tokens
    body = {"model": arguments.model, **prompt.asked(), "temperature": arguments.temperature, "max_tokens": limit}
    if generation.stop:
        body["stop"] = list(generation.stop)
    return {"custom_id": prompt.key, "method": "POST", "url": _ADDRESSES[settings.style], "body": body}
