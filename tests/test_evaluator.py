"""evaluate's own evaluator with this metric and a pipeline that is no more than something to call."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

if importlib.util.find_spec("transformers"):
    import transformers

    usable = hasattr(transformers, "TFPreTrainedModel")  # version 5 has it no more, and evaluate 0.4.6 asks for it
else:
    usable = False

pytestmark = [
    pytest.mark.skipif(not usable, reason="evaluate's evaluator needs transformers 4"),
    pytest.mark.filterwarnings("ignore"),  # of other people's libraries
]


class Pipeline:
    """Answers every question with the same text."""

    task = "text2text-generation"

    def __init__(self, answer: str) -> None:
        self.answer = answer

    def __call__(self, questions: Iterable[str], **options: Any) -> list[dict[str, str]]:
        return [{"generated_text": self.answer} for _ in questions]


@pytest.mark.usefixtures("installed_sample")
@pytest.mark.parametrize("languages", [False, True])
def test_the_evaluator_scores_the_sample(installed_sample: Path, languages: bool) -> None:
    import datasets
    import evaluate

    from multiloko_metric.multiloko_metric import Multiloko
    from multiloko_metric.scoring import Scorer
    from multiloko_source.sample import open_sample

    rows = list(open_sample().rows("fr"))
    data = datasets.Dataset.from_list(rows)
    evaluator = evaluate.evaluator("text2text-generation")
    if languages:
        evaluator.METRIC_KWARGS = {"languages": "fr"}
    result = evaluator.compute(
        Pipeline(rows[1]["targets"][0]),
        data,
        metric=Multiloko(),
        input_column="question",
        label_column="targets",
    )
    expected = [Scorer("official").score(rows[1]["targets"][0], row["targets"], "french") for row in rows]
    assert result["em"] == sum(score.em for score in expected) / len(rows) == 0.5
    assert result["chrf"] == pytest.approx(sum(score.chrf for score in expected) / len(rows))
    assert ("average_em" in result) == languages
    assert result["total_time_in_seconds"] > 0
