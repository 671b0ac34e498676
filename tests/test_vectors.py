"""The official numbers: what `eval.py` gives at each commit for 3,100 answers in 31 languages, to the last bit."""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

from multiloko_metric.scoring import Scorer

VECTORS = Path(__file__).parent / "data" / "vectors.jsonl.xz"


@pytest.fixture(scope="module")
def vectors() -> list[dict[str, Any]]:
    with lzma.open(VECTORS, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def ours(scorer: Scorer, vector: dict[str, Any]) -> dict[str, Any]:
    prediction, targets, language = vector["prediction"], vector["targets"], vector["language"]
    scores = scorer.score(prediction, targets, language).to_dict()
    return {name: scores[name] for name in scorer.profile.metrics} | {
        "targets": scorer.target_forms(targets, language),
        "prediction": scorer.prediction_form(prediction, language),
    }


def official(expected: dict[str, Any]) -> dict[str, Any]:
    """The stored values, with bleu as sacrebleu gives it here: it adds with sum(), more exact from Python 3.12 on."""
    if sys.version_info < (3, 12):
        return expected
    forms = expected["prediction"] if isinstance(expected["prediction"], list) else [expected["prediction"]]
    bleu = max(sacrebleu.sentence_bleu(form, expected["targets"]).score for form in forms)
    assert bleu == pytest.approx(expected["bleu"], rel=1e-12)
    return {**expected, "bleu": bleu}


@pytest.mark.parametrize("profile", ["release", "unicode", "variants"])
def test_every_vector_is_met_to_the_last_bit(profile: str, vectors: list[dict[str, Any]]) -> None:
    scorer = Scorer(profile)
    comparable = [vector for vector in vectors if "error" not in vector[profile]]
    assert len(comparable) == (3052 if profile == "variants" else 3100)
    for vector in comparable:
        # As JSON, so that 0 and 0.0 differ and every bit of a float counts.
        assert json.dumps(ours(scorer, vector)) == json.dumps(official(vector[profile])), vector


def test_where_the_official_variants_raise_nothing_is_right(vectors: list[dict[str, Any]]) -> None:
    scorer = Scorer("variants")
    raising = [vector for vector in vectors if "error" in vector["variants"]]
    assert len(raising) == 48
    for vector in raising:
        scores = scorer.score(vector["prediction"], vector["targets"], vector["language"])
        forms = scorer.prediction_form(vector["prediction"], vector["language"])
        shortest = float(min(map(len, forms)))
        assert scorer.target_forms(vector["targets"], vector["language"]) == []
        assert (scores.edit_distance, scores.edit_distance_first) == (shortest, shortest)
        others = (scores.em, scores.f1, scores.bleu, scores.chrf, scores.edit_similarity, scores.contains)
        assert json.dumps(others) == "[0.0, 0, 0.0, 0.0, 0.0, 0.0]"
