"""What a report knows of one run: its summary, and what the answers say beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.languages import Config
from multiloko_metric.signature import signature_text
from multiloko_metric.summary import SCHEMA, Summary, summarize

from ..answer_lengths import AnswerLengths
from ..scored_run import Run

if TYPE_CHECKING:
    from ..output_types import OutputTypes
    from ..subgroups import Subgroup

_HEAD = 200
"""Bytes of a file in which the schema of a result stands."""


class ReportError(MultiLoKoError):
    """Something a report cannot be made of."""


@dataclass(frozen=True)
class ReportedRun:
    """One run as a report shows it."""

    name: str
    summary: Summary
    """With intervals from resampling, where the run was scored here or its result has them."""
    warnings: Sequence[str] = ()
    """What makes its scores doubtful, a sentence each, without any text of an answer."""
    notes: Sequence[str] = ()
    """How answers and gold were matched."""
    subgroups: Sequence[Subgroup] = ()
    """Of every dimension asked for; none where only the result of a run is known."""
    lengths: Mapping[Config, AnswerLengths] = field(default_factory=dict)
    """Of its answers; none where only the result of a run is known."""

    @property
    def signature(self) -> str:
        """The signature on one line; "" where the result has none."""
        signature = self.summary.signature
        return signature_text(signature) if isinstance(signature, Mapping) else str(signature or "")

    @property
    def asked(self) -> Mapping[str, Any]:
        """How the questions were put to the model; empty where its file does not say."""
        signature = self.summary.signature
        asked = signature.get("asked") if isinstance(signature, Mapping) else None
        return asked or {}


def reported(
    run: Run,
    *,
    name: str | None = None,
    dimensions: Sequence[str] = (),
    output_types: OutputTypes | None = None,
    resamples: int = 0,
    seed: int = 0,
) -> ReportedRun:
    """Return a scored run as a report shows it.

    Args:
        run: the run.
        name: what to call it; default: its own name.
        dimensions: subgroups to show: output_type, script, family.
        output_types: English names of the kinds of answers, as `subgroups` takes them.
        resamples: how often questions are drawn for intervals (at least 100), or 0 for none.
        seed: of the draws.
    """
    summary = run.summary
    if resamples:
        signature = run.signature.to_dict()
        summary = summarize(run.results, run.signature.profile, signature=signature, resamples=resamples, seed=seed)
    groups: list[Subgroup] = []
    if dimensions:
        from ..subgroups import subgroups

        groups = [each for dimension in dimensions for each in subgroups(run.results, dimension, output_types)]
    warnings = [f"{each.where}: {each.message}; {each.look_at}" for each in run.warnings]
    return ReportedRun(name or run.name, summary, warnings, run.notes, groups, run.lengths)


def is_result(path: Path) -> bool:
    """Return whether a file begins as the JSON does that ``multiloko score -o`` writes."""
    try:
        with path.open("rb") as file:
            return SCHEMA.partition("/")[0].encode() in file.read(_HEAD) and path.is_file()
    except OSError:
        return False  # whatever reads it next has the better message


def read_result(path: Path, name: str | None = None) -> ReportedRun:
    """Return the run whose result ``multiloko score -o`` wrote.

    Raises:
        ReportError: the file is not such a result.
    """
    advice = "give the file that `multiloko score -o FILE` wrote, or the file of answers itself"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        summary = Summary.from_dict(data)
        warnings = [f"{_where(each)}: {each['message']}; {each['look_at']}" for each in data.get("warnings", ())]
        notes = [str(note) for note in data.get("notes", ())]
    except MultiLoKoError as error:
        raise ReportError(f"{path}: {error}; {advice}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ReportError(f"{path}: not a whole result of a run ({type(error).__name__}: {error}); {advice}") from error
    return ReportedRun(name or path.stem, summary, warnings, notes)


def _where(warning: Mapping[str, Any]) -> str:
    return str(warning["config"] or "several configs together")
