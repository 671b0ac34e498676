"""Measure speed: the scorer against its specification and the official script, where there is one, and that they agree.

usage: python bench/bench.py [--official path/to/eval.py] [--rounds 5] [--only NAME ...]

Workloads of one process are measured by its CPU time, in rounds in which the contenders take turns; what is printed is
the median. The specification scores one row in twenty, and the time is scaled; it would take too long. The official
script is imported, given ``import glob`` where it lacks it, and called as it calls itself; which profile it is shows in
its code.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

from whole_command import run_whole_command
from workloads import Row, long_rows, short_rows

from multiloko_metric import measures, ratcliff_obershelp
from multiloko_metric.scoring import AnswerScores, Scorer
from multiloko_runs.specification import specified_scores

TWIN_SHARE = 20
Scores = dict[str, float]
WORKLOADS: dict[str, Callable[[], list[Row]]] = {
    "7,750 short answers": lambda: short_rows(configs=31),
    "37,750 short answers": lambda: short_rows(configs=151),
    "7,750 long answers": lambda: long_rows(configs=31),
}


@dataclass(frozen=True)
class Contender:
    """A way to score rows."""

    name: str
    score: Callable[[Sequence[Row]], list[AnswerScores] | list[Scores]]
    share: int = 1
    """It scores one row in so many."""


def main() -> int:
    """Run what is asked for and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--official", type=Path, metavar="EVAL.PY", help="the official script to compare with")
    parser.add_argument("--rounds", type=int, default=5)
    names = [*WORKLOADS, "whole command", "worst case"]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    arguments = parser.parse_args()
    official = _load(arguments.official) if arguments.official else None
    profile = _profile_of(official) if official else "unicode"
    extra = "with" if ratcliff_obershelp.cydifflib else "without"
    print(f"profile {profile}; Python {sys.version.split()[0]}; {extra} the extra")
    for name, rows in WORKLOADS.items():
        if name in arguments.only:
            _measure(name, rows(), _contenders(profile, official), arguments.rounds)
    if "worst case" in arguments.only:
        _measure_worst_case()
    if "whole command" in arguments.only:
        with tempfile.TemporaryDirectory() as folder:
            run_whole_command(Path(folder), arguments.official, profile, arguments.rounds)
    return 0


def _contenders(profile: str, official: ModuleType | None) -> list[Contender]:
    def ours(rows: Sequence[Row]) -> list[AnswerScores]:
        scorer = Scorer(profile)
        scores = []
        for language, of in groupby(rows, key=attrgetter("language")):
            same = list(of)
            scores += scorer.score_all([row.prediction for row in same], [row.targets for row in same], language)
        return scores

    def without_extra(rows: Sequence[Row]) -> list[AnswerScores]:
        kept = ratcliff_obershelp.cydifflib, measures.fastchrf
        ratcliff_obershelp.cydifflib = measures.fastchrf = None
        try:
            return ours(rows)
        finally:
            ratcliff_obershelp.cydifflib, measures.fastchrf = kept

    def specified(rows: Sequence[Row]) -> list[Scores]:
        return [specified_scores(profile, row.prediction, row.targets, row.language) for row in rows]

    contenders = [Contender("ours", ours), Contender("without the extra", without_extra)]
    if official:
        contenders.append(Contender("official", lambda rows: _official_scores(official, rows)))
    return [*contenders, Contender("specification", specified, TWIN_SHARE)]


def _measure(name: str, rows: list[Row], contenders: Sequence[Contender], rounds: int) -> None:
    seconds: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    for number in range(rounds):
        expected: list[Scores] = []  # what the first contender gives
        turn = number % len(contenders)
        for contender in (*contenders[turn:], *contenders[:turn]):
            some = rows[:: contender.share]
            # What is alive before is not looked through again for every contender's garbage.
            gc.collect()
            gc.freeze()
            started = time.process_time()
            scores = contender.score(some)
            seconds[contender.name].append((time.process_time() - started) * len(rows) / len(some))
            if number == 0:
                found = [score.to_dict() if isinstance(score, AnswerScores) else score for score in scores]
                expected = expected or found
                _check_equal(contender.name, found, expected[:: contender.share])
    ours = statistics.median(seconds["ours"])
    print(f"\n{name}: {ours:.2f} s, {ours / len(rows) * 1e6:.0f} us a row")
    for contender in contenders[1:]:
        theirs = statistics.median(seconds[contender.name])
        ratio = theirs / ours
        if contender.name == "without the extra" and "official" in seconds:
            ratio = statistics.median(seconds["official"]) / theirs
            print(f"  without the extra {theirs:.2f} s; the official script takes {ratio:.1f} times as long")
        else:
            print(f"  {contender.name} {theirs:.2f} s: {ratio:.1f} times as long")


def _check_equal(name: str, scores: Sequence[Scores], expected: Sequence[Scores]) -> None:
    for number, (found, other) in enumerate(zip(scores, expected, strict=True)):
        if json.dumps(found, sort_keys=True) != json.dumps({key: other[key] for key in found}, sort_keys=True):
            raise SystemExit(f"row {number}: {name} gives {found}, ours {other}")


def _measure_worst_case() -> None:
    text, target = "x a " * 20_000, "a " * 99
    started = time.process_time()
    ours = ratcliff_obershelp.ratio(text, target)
    after_ours = time.process_time()
    theirs = SequenceMatcher(None, text, target).ratio()
    seconds, official = after_ours - started, time.process_time() - after_ours
    if ours != theirs:
        raise SystemExit(f"worst case: ours {ours}, difflib {theirs}")
    print(f"\nworst case of difflib: {seconds:.3f} s; difflib {official:.1f} s: {official / seconds:.0f} times as long")


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("official_eval", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _profile_of(official: ModuleType) -> str:
    if hasattr(official, "answer_variants"):
        return "variants"
    return "unicode" if hasattr(official, "contains") else "release"


def _official_scores(official: ModuleType, rows: Sequence[Row]) -> list[Scores]:
    by_language: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        by_language.setdefault(row.language, []).append(number)
    answers: dict[str, dict[int, Any]] = {}
    gold: dict[str, dict[int, Any]] = {}
    for language, numbers in by_language.items():
        more = (language,) if hasattr(official, "answer_variants") else ()
        answers[language] = {at: official.postprocess_answers(rows[at].prediction, *more) for at in numbers}
        gold[language] = {at: official.postprocess_answers(rows[at].targets, *more) for at in numbers}
    results = official.evaluate_all(gold, answers)
    texts = ("targets", "prediction")
    scores: list[Scores] = [{} for _ in rows]
    for language, numbers in by_language.items():
        for at in numbers:
            scores[at] = {name: value for name, value in results[language][at].items() if name not in texts}
    return scores


if __name__ == "__main__":
    sys.exit(main())
