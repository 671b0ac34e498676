"""The figures that others have published."""

from __future__ import annotations

import json
from collections import Counter
from urllib.parse import urlsplit

import pytest

from multiloko_runs.published_results import PublishedResult, published_results

RESULTS = published_results()
LEADERBOARD = [each for each in RESULTS if each.source.startswith("Leaderboard")]
# Model, average, gap, MTE, min, max of the official README, typed in once more.
OFFICIAL = """\
Llama 3.1 405B       31.03 33.60  5.57 16.40 50.00
GPT4-o               30.97 43.20  2.76 12.00 55.20
Gemini 2.0 Flash     30.61 36.00  5.74 12.80 48.80
Llama 3.1 405B Chat  25.07 34.80  4.25  8.80 43.60
Llama 3.1 70B        24.28 35.20  3.30 12.40 47.60
Claude 3.5 Sonnet    23.19 40.40 20.75  0.00 40.40
Llama 3.1 70B Chat   19.73 34.40  0.88  7.20 41.60
Mixtral 8x22B        19.32 42.80 -1.64  3.60 46.40
Qwen2.5 72B          16.37 32.80  1.15  7.60 40.40
Mixtral 8x22B-it      7.99 30.80 -5.74  0.00 30.80
Qwen2.5 72B instruct  2.14  6.80 -0.65  0.40  7.20"""


def test_the_eleven_rows_of_the_official_leaderboard() -> None:
    rows = [line.rsplit(maxsplit=5) for line in OFFICIAL.splitlines()]
    expected = [(model, *map(float, values)) for model, *values in rows]
    assert [(each.model, each.average, each.gap, each.mte, each.min, each.max) for each in LEADERBOARD] == expected
    assert {each.split for each in LEADERBOARD} == {"test"}
    assert Counter(each.model_type for each in LEADERBOARD) == {"base": 4, "chat": 7}
    assert all(each.two_standard_errors and each.mte_two_standard_errors for each in LEADERBOARD)
    assert {(each.model_type, each.shots) for each in LEADERBOARD} == {("base", 5), ("chat", 0)}


@pytest.mark.parametrize("result", RESULTS, ids=lambda each: f"{each.model}, {each.source}")
def test_each_figure_is_possible_and_has_a_source(result: PublishedResult) -> None:
    assert 0 <= result.average <= 100
    assert result.model
    assert result.source
    assert result.note
    assert urlsplit(result.url).scheme == "https"
    assert urlsplit(result.url).netloc
    assert result.date is not None
    assert result.split in {"dev", "test", None}
    assert result.metric in {"em", "llm_judge"}
    assert result.model_type in {"base", "chat"}
    if result.min is not None and result.max is not None:
        assert 0 <= result.min <= result.average <= result.max <= 100
        assert result.gap == pytest.approx(result.max - result.min, abs=0.011)


def test_no_figure_is_there_twice() -> None:
    keys = [(each.model, each.url, each.metric) for each in RESULTS]
    assert len(set(keys)) == len(keys)
    assert len(RESULTS) > len(LEADERBOARD)


def test_what_it_was_measured_with_in_short() -> None:
    assert LEADERBOARD[0].settings == "test split, 5 examples, base model"
    assert LEADERBOARD[1].settings == "test split, no examples, chat model"
    judged = next(each for each in RESULTS if each.metric == "llm_judge")
    assert judged.settings == "split not said, 5 examples, base model, judged by a language model"


def test_as_json() -> None:
    data = json.loads(json.dumps([each.to_dict() for each in RESULTS]))
    assert data[0]["date"] == "2025-04-15"
    assert data[0]["two_standard_errors"] == 2.8
    assert data[-1]["split"] is None
