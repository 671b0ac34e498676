"""Imports go one way, and every module of the metric is one that the metric module needs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ARROWS = {
    "multiloko_metric": set(),
    "multiloko_source": {"multiloko_metric", "multiloko_sample"},
    "multiloko_runs": {"multiloko_metric", "multiloko_source"},
    "scripts": {"multiloko", "multiloko_metric", "multiloko_source", "multiloko_runs", "multiloko_sample"},
    "multiloko.py": {"multiloko_metric", "multiloko_source"},
    "multiloko_metric/space": {"multiloko_metric", "multiloko_source", "multiloko_runs"},
    "harness": {"multiloko_metric", "multiloko_source", "multiloko_runs"},
    "bench": {"multiloko_metric", "multiloko_source", "multiloko_runs"},
}
"""What each may import of ours, beside itself."""


def modules(place: str) -> list[Path]:
    path = ROOT / place
    return [path] if path.suffix == ".py" else sorted(path.glob("*.py"))


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Level and module of each import of a file, also of those inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.level, node.module or ""
        elif isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)


@pytest.mark.parametrize("place", ARROWS)
def test_arrows_point_one_way(place: str) -> None:
    assert modules(place)
    for path in modules(place):
        for level, name in imported(path):
            top = name.partition(".")[0]
            if level == 0 and top.startswith("multiloko"):
                assert top in ARROWS[place], f"{path.name} imports {name}"
            assert level <= (2 if place == "multiloko_metric/space" else 1), path


def test_every_module_of_the_metric_is_one_that_it_needs() -> None:
    needed, waiting = set(), {"multiloko_metric"}
    while waiting:
        name = waiting.pop()
        needed.add(name)
        found = imported(ROOT / "multiloko_metric" / f"{name}.py")
        waiting |= {module for level, module in found if level == 1} - needed
    assert {path.stem for path in modules("multiloko_metric")} == needed | {"__init__"}


def test_the_page_on_architecture_names_every_module() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for place in ("multiloko_metric", "multiloko_runs"):
        for path in modules(place):
            assert path.stem == "__init__" or f"`{path.stem}`" in page or f"{path.stem}." in page, path
