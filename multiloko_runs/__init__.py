"""What a model said: its answers read, matched to gold, scored, looked at, and compared.

In a notebook:

    from multiloko_runs import compare_runs, load_run

    run = load_run("answers.jsonl")             # shown as a table; run.summary, run.warnings, run.to_pandas()
    compare_runs([run, load_run("other.jsonl")])

The road: `answers` reads a file, `matching` finds the question of each answer, `scored_run` has them scored config by
config (`processes`: one or several), `diagnosis` says what the scores do not, `paired` compares runs.
`specification` is the scorer once more, as rules to read; `verification` compares the two.
"""

from .paired import RunComparison
from .scored_run import Run, compare_runs, load_run

__all__ = ["Run", "RunComparison", "compare_runs", "load_run"]
