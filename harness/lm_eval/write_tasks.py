"""Write the YAML of every task and group from the table of languages: ``python harness/lm_eval/write_tasks.py``.

lm-evaluation-harness knows a task by a file of its own; each of these has three lines. The files are kept in the
repository, so that ``--include_path harness/lm_eval`` is all it takes, and a test compares them with this.
"""

from __future__ import annotations

from pathlib import Path

from multiloko_metric.languages import CONFIGS, PARTITIONS
from multiloko_runs.tasks import METRICS

HERE = Path(__file__).parent
PREFIXES = {"base": "multiloko", "chat": "multiloko_chat"}
_HEADER = "# Written by write_tasks.py\n"


def task_files() -> dict[str, str]:
    """Return the content of every generated file by its path below this folder."""
    files = {}
    for style, prefix in PREFIXES.items():
        for config in CONFIGS:
            task = f"include: ../_{style}.yaml\ntask: {prefix}_{config.name}\ndataset_name: {config.name}\n"
            files[f"{style}/{config.name}.yaml"] = _HEADER + task
        for partition in PARTITIONS:
            name = prefix if partition == "local" else f"{prefix}_{partition}"
            members = [f"{prefix}_{config.name}" for config in CONFIGS if config.partition == partition]
            files[f"{style}/_{partition}.yaml"] = _HEADER + _group(name, members) + _averages()
        translated = [f"{prefix}_{partition}" for partition in PARTITIONS[1:]]
        files[f"{style}/_translated.yaml"] = _HEADER + _group(f"{prefix}_translated", translated)
    return files


def _group(name: str, members: list[str]) -> str:
    return f"group: {name}\ntask:\n" + "".join(f"  - {member}\n" for member in members) + "metadata:\n  version: 1\n"


def _averages() -> str:
    one = "  - metric: {}\n    aggregation: mean\n    weight_by_size: false\n"
    return "aggregate_metric_list:\n" + "".join(one.format(metric) for metric in METRICS)


def main() -> None:
    """Write the files, and remove those that are none of them any more."""
    files = task_files()
    for old in [*HERE.glob("base/*.yaml"), *HERE.glob("chat/*.yaml")]:
        if old.relative_to(HERE).as_posix() not in files:
            old.unlink()
    for name, content in files.items():
        path = HERE / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
