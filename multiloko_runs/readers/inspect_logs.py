"""Logs of inspect_ai: ``.eval``, a zip archive with an entry for each sample, and ``.json``, one object."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from multiloko_runs.answers import FAILED, Answer, AnswerError, ending

from .openai_batch import message_text
from .opened import Opened
from .reading import Reading, config_of, one_of, text_or_none
from .tables import split_key
from .zipped import ZIP, Zipped

_SAMPLES, _HEADER, _START = "samples/", "header.json", "_journal/start.json"
_ATTACHMENT = "attachment://"


def is_eval(opened: Opened) -> bool:
    """Return whether the file is a zip archive with the entries of a log."""
    if not opened.head.startswith(ZIP) or opened.is_gzip:
        return False
    with opened.content() as file:
        names = Zipped(opened.path, file).names()
    return _HEADER in names or _START in names or any(name.startswith(_SAMPLES) for name in names)


def is_json_log(opened: Opened) -> bool:
    """Return whether the file is one object with the keys of a log."""
    if opened.start != "{" or isinstance(opened.first, dict):
        value = opened.first
    else:
        value = opened.whole if b'"eval"' in opened.head and opened.is_whole_json() else None
    return isinstance(value, dict) and isinstance(value.get("eval"), dict) and "status" in value


def read_eval(opened: Opened, reading: Reading) -> Iterator[Answer]:
    """Yield the answers of a ``.eval`` log; one sample is in memory at a time."""
    with opened.content() as file:
        archive = Zipped(opened.path, file)
        names = archive.names()
        header: Any = next((_parse(archive, name) for name in (_HEADER, _START) if name in names), {})
        entries = [name for name in names if name.startswith(_SAMPLES) and name.endswith(".json")]
        samples = ((f"{opened.path}: {name}", _parse(archive, name)) for name in entries)
        yield from _answers(header, samples, opened, reading)


def read_json_log(opened: Opened, reading: Reading) -> Iterator[Answer]:
    """Yield the answers of a ``.json`` log."""
    log = opened.whole
    if not isinstance(log, dict) or not isinstance(log.get("samples"), list):
        raise AnswerError(f"{opened.path}: the log has no samples; was it written with log_samples off?")
    samples = ((f"{opened.path}: sample {place}", sample) for place, sample in enumerate(log["samples"], start=1))
    yield from _answers(log, samples, opened, reading)


def _parse(archive: Zipped, name: str) -> Any:
    where = f"{archive.path}: {name}"
    try:
        return json.loads(archive.read(name), parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError) as error:
        if isinstance(error, AnswerError):
            raise
        raise AnswerError(f"{where}: not JSON ({error})") from error


def _answers(header: Any, samples: Iterator[tuple[str, Any]], opened: Opened, reading: Reading) -> Iterator[Answer]:
    """The answers of one epoch. Those of others are looked at too, as only then it is known that there are others."""
    header = header if isinstance(header, dict) else {}
    status = header.get("status", "success")
    if status != "success":
        reading.note(f"{opened.path}: the log says that its run ended with {status!r}: answers may be missing")
    described = header.get("eval")
    task = described.get("task") if isinstance(described, dict) else None
    by_epoch: dict[int, list[Answer]] = {}
    for place, (where, sample) in enumerate(samples, start=1):
        if not isinstance(sample, dict) or "id" not in sample:
            raise AnswerError(f"{where}: expected a sample with an id, found {str(sample)[:60]!r}")
        epoch = sample.get("epoch", "1")
        if not str(epoch).isdecimal():
            raise AnswerError(f"{where}: expected a number as epoch, found {epoch!r}")
        answer = _answer(sample, task, reading, where)
        by_epoch.setdefault(int(epoch), []).append(answer._replace(place=place, source=opened.source))
    wanted = reading.options.epoch
    if wanted is None and len(by_epoch) > 1:
        raise AnswerError(
            f"{opened.path}: {len(by_epoch)} answers to each question; --epoch N chooses: "
            f"{', '.join(map(str, sorted(by_epoch)))}"
        )
    if wanted is not None and by_epoch and wanted not in by_epoch:
        raise AnswerError(
            f"{opened.path}: there is no epoch {wanted}; there are: {', '.join(map(str, sorted(by_epoch)))}"
        )
    yield from by_epoch.get(wanted or next(iter(by_epoch), 1), ())


def _answer(sample: Mapping[str, Any], task: object, reading: Reading, where: str) -> Answer:
    metadata = sample.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    attachments = sample.get("attachments")
    attachments = attachments if isinstance(attachments, dict) else {}
    name = str(sample["id"])
    by_key = split_key(name)
    identifier = text_or_none(metadata.get("id"))
    if by_key and not identifier:
        language, identifier = by_key
    else:
        language = config_of(metadata, [by_key[0] if by_key else None, task], reading, where)
    # Samples without an id of their own are numbered by inspect, in their order, which is no id.
    identifier = identifier or ("" if name.isdecimal() else name)
    question = text_or_none(metadata.get("question")) or _question(sample.get("input"), attachments)
    if not identifier and not question:
        raise AnswerError(f"{where}: the sample has no id in its metadata, only a number, and no input")
    return Answer(language, identifier, _text(sample, attachments, where), 0, question, ended=_ended(sample))


def _ended(sample: Mapping[str, Any]) -> str | None:
    output = sample.get("output")
    if sample.get("error") or not isinstance(output, dict) or output.get("error"):
        return FAILED
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return ending(first.get("stop_reason")) if isinstance(first, dict) else None


def _question(given: Any, attachments: Mapping[str, Any]) -> str | None:
    """The input, or the last message of it that is text."""
    texts = [each.get("content") for each in given if isinstance(each, dict)] if isinstance(given, list) else [given]
    last = next((each for each in reversed(texts) if isinstance(each, str)), None)
    return _attached(last, attachments) or None if last else None


def _attached(text: str, attachments: Mapping[str, Any]) -> str:
    if not text.startswith(_ATTACHMENT):
        return text
    found = attachments.get(text.removeprefix(_ATTACHMENT))
    return found if isinstance(found, str) else text


def _text(sample: Mapping[str, Any], attachments: Mapping[str, Any], where: str) -> str | None:
    """What the model answered; None where the sample ended in an error, or has no output."""
    output = sample.get("output")
    if sample.get("error") or not isinstance(output, dict) or output.get("error"):
        return None
    choices = output.get("choices")
    if isinstance(choices, list) and len(choices) > 1:
        raise AnswerError(f"{where}: {len(choices)} choices in one output; ask for one (num_choices=1)")
    text = output.get("completion")
    if not isinstance(text, str):
        choice = one_of(choices, Reading(), where) if isinstance(choices, list) else None
        text = message_text(choice, where) if choice is not None else None
    return text if text is None else _attached(text, attachments)
