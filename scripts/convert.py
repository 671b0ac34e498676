"""``multiloko convert``: the answers of any log as a plain file of three columns, without questions and gold."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import Config
from multiloko_runs.answers import Answer
from multiloko_runs.answers_by_config import read_by_config
from multiloko_runs.joining import BY_QUESTION, Joiner
from multiloko_runs.matching import Policy
from multiloko_runs.question_keys import is_question_key
from multiloko_source.files import replacing
from multiloko_source.questions import Data, Question, questions_of
from multiloko_source.source import DEV

from .errors import CommandError
from .options import add_gold_options, open_gold
from .read_options import KINDS, add_read_options, read_options, steps_asked_for
from .terminal import print_notes

FORMATS = {".jsonl": "jsonl", ".csv": "csv", ".parquet": "parquet"}
_COLUMNS = ("language", "id", "prediction")
_ECHO = 20
"""Characters from which on a question that an answer repeats is one: shorter texts are in answers by chance."""
_SHOWN = 3


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "convert",
        help="a log as a plain file of answers, without questions and gold",
        description="Write the answers of a log as a plain file with language, id and prediction. Raw logs hold the "
        "questions and the gold; who publishes them publishes the benchmark. This file holds neither.",
    )
    parser.add_argument("log", type=Path, metavar="LOG", help=KINDS)
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="to write: .jsonl, .csv or .parquet"
    )
    parser.add_argument("--format", choices=tuple(FORMATS.values()), help="instead of what the name of FILE says")
    parser.add_argument("-s", "--subset", default=DEV, help="questions that ids are looked up in (default: dev)")
    parser.add_argument("--unknown", choices=("error", "skip"), default="error", help="answers without a known id")
    parser.add_argument(
        "--with-echoes", action="store_true", help="write answers that repeat their question; the file then holds it"
    )
    add_gold_options(parser)
    add_read_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    form = arguments.format or FORMATS.get(arguments.output.suffix.lower())
    if form is None:
        raise CommandError(
            f"{arguments.output}: the name says no format; end it in {', '.join(FORMATS)} or use --format"
        )
    if arguments.output.exists() and arguments.log.exists() and arguments.output.samefile(arguments.log):
        raise CommandError(f"{arguments.output} is the log itself; write to another file")
    read = read_by_config(arguments.log, read_options(arguments), steps_asked_for(arguments), Policy(unknown="error"))
    if read.problems:
        first = read.problems[0]
        raise CommandError(f"{arguments.log}:{first.place}: {first.what}")
    if not read.by_config:
        raise CommandError(f"{arguments.log} holds no answer")
    data = _gold(arguments, read.by_config.values())
    answers: list[Answer] = []
    notes = list(read.notes)
    for config, some in read.by_config.items():
        gold = questions_of(data, arguments.subset, config) if data else None
        answers += _resolved(config, some, gold, arguments, notes)
    if form == "csv" and (missing := sum(answer.prediction is None for answer in answers)):
        notes.append(f"{missing:,} missing answers are not in the file: in CSV they would be empty ones")
    with replacing(arguments.output) as staging, staging.open("wb") as file:
        _write(answers, form, file)
    configs = len(read.by_config)
    notes.append(f"{len(answers):,} answers of {configs} config{'s' * (configs > 1)} in {arguments.output}")
    print_notes(notes)
    return 0


def _gold(arguments: argparse.Namespace, every: Iterable[Sequence[Answer]]) -> Data | None:
    """The gold, where it is named or installed; else None if all answers say the id of their question.

    Raises:
        CommandError: it is needed and not there.
    """
    try:
        return open_gold(arguments)
    except MultiLoKoError as error:
        if arguments.data or arguments.sample:
            raise
        answer = next((each for some in every for each in some if not each.id or is_question_key(each.id)), None)
        if answer is None:
            return None
        what = f"the key {answer.id!r}" if answer.id else "the text of the question"
        raise CommandError(f"{arguments.log}:{answer.place}: only {what} says which question it is; {error}") from error


def _resolved(
    config: Config,
    answers: Sequence[Answer],
    gold: dict[str, Question] | None,
    arguments: argparse.Namespace,
    notes: list[str],
) -> Iterator[Answer]:
    """Yield the answers with the official name of their config and the id of the gold, where there is gold.

    Raises:
        CommandError: an answer is to no question of the gold, or repeats its question.
    """
    if gold is None:
        nameless = next((answer for answer in answers if not answer.id or is_question_key(answer.id)), None)
        if nameless:
            raise CommandError(f"{arguments.log}:{nameless.place}: there is no gold of {config.name} to find its id in")
        yield from (answer._replace(language=config.key) for answer in answers)
        return
    joiner = Joiner(config, gold)
    by_question, left_out = 0, 0
    echoes = []
    for answer in answers:
        identifier, kind, what = joiner.find(answer)
        by_question += kind == BY_QUESTION
        if not identifier:
            if arguments.unknown == "error":
                where = f"{arguments.log}{'/' if answer.source else ''}{answer.source}:{answer.place}"
                raise CommandError(f"{where}: {what}: {kind}; --unknown skip leaves them out")
            left_out += 1
            continue
        question = gold[identifier].question
        if len(question) >= _ECHO and question in (answer.prediction or ""):
            echoes.append(identifier)
        yield answer._replace(language=config.key, id=identifier)
    if by_question:
        notes.append(f"{by_question:,} answers of {config.name} joined by the text of their question")
    if left_out:
        notes.append(f"{left_out:,} answers of {config.name} left out: the gold does not have their question")
    if echoes and not arguments.with_echoes:
        first = ", ".join(map(repr, echoes[:_SHOWN])) + (", ..." if len(echoes) > _SHOWN else "")
        raise CommandError(
            f"{len(echoes):,} answers of {config.name} repeat the whole question ({first}), so the file would hold "
            "questions of the benchmark; take the answer out with --answer, or keep them with --with-echoes"
        )


def _write(answers: Sequence[Answer], form: str, file: BinaryIO) -> None:
    rows = [(answer.language, answer.id, answer.prediction) for answer in answers]
    if form == "jsonl":
        for row in rows:
            line = json.dumps(dict(zip(_COLUMNS, row, strict=True)), ensure_ascii=False) + "\n"
            file.write(line.encode("utf-8", "backslashreplace"))
    elif form == "csv":
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(_COLUMNS)
        writer.writerows(row for row in rows if row[2] is not None)
        file.write(text.getvalue().encode("utf-8", "replace"))
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = pa.schema([(name, pa.string()) for name in _COLUMNS])
        columns = {name: [_whole(row[place]) for row in rows] for place, name in enumerate(_COLUMNS)}
        pq.write_table(pa.table(columns, schema), file)


def _whole(text: str | None) -> str | None:
    """A text without half of a surrogate pair, which Parquet cannot hold."""
    return text if text is None else text.encode("utf-8", "replace").decode()
