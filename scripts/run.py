"""``multiloko run``: ask a model every question, and score what it answers."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from multiloko_metric.languages import Config
from multiloko_metric.signature import VERSION
from multiloko_runs.asked_questions import data_order, question_ids
from multiloko_runs.asking import Outcome, Patience, ask_all
from multiloko_runs.endpoint import Endpoint, EndpointSettings
from multiloko_runs.faults import EndpointError
from multiloko_runs.prompts import GENERATION, Prompt, PromptSettings, make_prompts
from multiloko_runs.run_file import RunFile
from multiloko_runs.tally import Tally, notes, tally
from multiloko_source.questions import Data
from multiloko_source.source import FEWSHOT

from .asking_progress import AskingProgress
from .errors import CommandError
from .options import add_gold_options, add_prompt_options, chosen_configs, open_gold, positive, prompt_settings
from .terminal import as_typed, print_notes


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("run", help="ask a model at an OpenAI-compatible endpoint, and score its answers")
    parser.add_argument(
        "--model", type=as_typed, required=True, metavar="NAME", help="the model, as the server calls it"
    )
    parser.add_argument(
        "--base-url",
        required=True,
        metavar="URL",
        help="where the API begins: http://localhost:8000/v1 (a key is read from OPENAI_API_KEY)",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="answers, as JSON lines that `score` reads")
    add_gold_options(parser)
    add_prompt_options(parser)
    _add_request_options(parser)
    parser.add_argument("--dry-run", action="store_true", help="say how much would be asked, and send nothing")
    parser.add_argument("--no-score", action="store_true", help="do not score the answers at the end")
    parser.add_argument(
        "--answer",
        action="append",
        default=[],
        metavar="STEP",
        help="how the score at the end makes an answer of what came, as in `multiloko score`; the file keeps what came",
    )
    parser.set_defaults(run=run)


def _add_request_options(parser: argparse.ArgumentParser) -> None:
    how = parser.add_argument_group("how it is asked")
    how.add_argument("--concurrency", type=positive, default=16, metavar="N", help="requests at once (default: 16)")
    defaults = ", ".join(f"{each.max_tokens} for {style}" for style, each in GENERATION.items())
    how.add_argument("--max-tokens", type=positive, metavar="N", help=f"longest answer (default: {defaults})")
    how.add_argument(
        "--temperature",
        type=_temperature,
        default=0.0,
        metavar="T",
        help="0 (default); `server` leaves it to the server",
    )
    how.add_argument(
        "--timeout", type=_seconds, default=300.0, metavar="S", help="seconds for one reply (default: 300)"
    )
    patience = Patience()
    how.add_argument(
        "--retries",
        type=_count,
        default=patience.retries,
        metavar="N",
        help=f"of a request (default: {patience.retries})",
    )
    how.add_argument(
        "--retry-wait",
        type=_seconds,
        default=patience.wait,
        metavar="S",
        help=f"seconds before the first retry, twice as many before each further one (default: {patience.wait:g})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    if arguments.subset == FEWSHOT:
        raise CommandError("the few-shot examples are not asked; --subset names dev or another subset of questions")
    if not arguments.output and not arguments.dry_run:
        raise CommandError("name the file for the answers with -o FILE")
    scoring = None if arguments.no_score or arguments.dry_run else _scoring(arguments)  # refused now, if at all
    endpoint = EndpointSettings(
        arguments.model,
        arguments.base_url,
        arguments.style,
        arguments.max_tokens,
        arguments.temperature,
        arguments.timeout,
    )
    prompts = prompt_settings(arguments)
    data = open_gold(arguments)
    configs = chosen_configs(arguments, data)
    described = _describe(endpoint, prompts, arguments.subset, data)
    if arguments.dry_run:
        from .dry_run import dry_run

        dry_run(make_prompts(data, configs, prompts, subset=arguments.subset, limit=arguments.limit), endpoint)
        return 0
    with RunFile(arguments.output, described).opened() as file:
        asked = {
            (config.name, identifier)
            for config in configs
            for identifier in question_ids(data, config, arguments.subset)[: arguments.limit]
        }
        try:
            counts = _ask(file, asked, data, configs, endpoint, prompts, arguments)
        except KeyboardInterrupt:
            print(f"multiloko: interrupted; {_kept(file)}", file=sys.stderr)
            return 130
    print_notes(notes(counts, arguments.model))
    if scoring:
        scoring.run(scoring)
    return _conclude(counts, arguments.output)


def _ask(  # noqa: PLR0917 - all that a run consists of
    file: RunFile,
    asked: set[tuple[str, str]],
    data: Data,
    configs: Sequence[Config],
    endpoint: EndpointSettings,
    prompts: PromptSettings,
    arguments: argparse.Namespace,
) -> Tally:
    """Ask what is not answered yet, write the file, and return the counts over all of it."""
    left = {key for key in asked if not file.answered(key)}
    if left:
        print(_beginning(len(left), len(asked), endpoint), file=sys.stderr)
        wanted = [config for config in configs if any(name == config.name for name, _ in left)]
        made = make_prompts(data, wanted, prompts, subset=arguments.subset, limit=arguments.limit)
        todo = (prompt for prompt in made if (prompt.config.name, prompt.id) in left)
        try:
            asyncio.run(_ask_endpoint(file, todo, len(left), endpoint, arguments))
        except EndpointError as error:
            raise CommandError(f"{error}\n{_kept(file)}") from None
    order = data_order(data, arguments.subset, file.records)
    if left or file.journal.exists():
        file.finish(order)
    else:
        print(
            f"{arguments.output} is complete: {len(asked):,} questions, all answered; nothing is asked", file=sys.stderr
        )
    return tally(file.records[key] for key in order)


async def _ask_endpoint(
    file: RunFile, todo: Iterator[Prompt], total: int, settings: EndpointSettings, arguments: argparse.Namespace
) -> None:
    counts = Tally()
    patience = Patience(arguments.retries, arguments.retry_wait)
    with AskingProgress(total, counts).shown() as shown:

        def take(prompt: Prompt, outcome: Outcome) -> None:
            counts.add(file.add(prompt.config, prompt.id, outcome))
            shown.advance()

        concurrency = min(arguments.concurrency, total)
        before = any(file.answered(key) for key in file.records)
        async with Endpoint(settings, concurrency) as endpoint:
            await ask_all(todo, endpoint, take, concurrency, patience, answers_before=before)


def _describe(endpoint: EndpointSettings, prompts: PromptSettings, subset: str, data: Data) -> dict[str, Any]:
    """Return how answers are made: what must be the same for answers to stand in one file."""
    return {
        "version": VERSION,
        **endpoint.describe(),
        "prompts": prompts.describe(),
        "subset": subset,
        "data": data.fingerprint,
    }


def _scoring(arguments: argparse.Namespace) -> argparse.Namespace:
    """Return the arguments of the `multiloko score` that ends the run, with its steps from raw text to answers."""
    from .cli import parser

    where = ["--sample"] if arguments.sample else ["-d", arguments.data] if arguments.data else []
    steps = [word for step in arguments.answer for word in ("--answer", step)]
    words = ["score", "-p", str(arguments.output), "-s", arguments.subset, *where, *steps]
    if arguments.limit:  # what was never asked is no wrong answer
        words += ["--missing", "skip"]
    return parser("score").parse_args(words)


def _beginning(left: int, asked: int, endpoint: EndpointSettings) -> str:
    described = endpoint.describe()
    of = f" of {asked:,}" if left < asked else ""
    return f"asking {left:,}{of} questions of {described['model']} at {described['endpoint']}"


def _kept(file: RunFile) -> str:
    answers = sum(map(file.answered, file.records))
    return f"{answers:,} answers are kept; the same command goes on" if answers else "there are no answers yet"


def _conclude(counts: Tally, output: Path) -> int:
    if not counts.failed:
        return 0
    print(f"multiloko: {counts.failed:,} questions have no answer:", file=sys.stderr)
    for kind, count in counts.failures.most_common():
        print(f"  {count:,} {kind.replace('_', ' ')}: {counts.examples[kind]}", file=sys.stderr)
    print(f"{output} has null for them; the same command asks just for those again", file=sys.stderr)
    return 1


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def _seconds(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise ValueError(text)
    return number


def _temperature(text: str) -> float | None:
    if text == "server":
        return None
    number = float(text)
    if not 0 <= number < float("inf"):
        raise ValueError(text)
    return number
