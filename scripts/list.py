"""``multiloko list``: every config, where it comes from, whether it is installed."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import JustifyMethod
from rich.table import Table

from multiloko_metric.languages import ALL, CONFIGS
from multiloko_source.installed import Installed
from multiloko_source.source import DEV

from .terminal import as_json, console, print_data


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("list", help="every config: what it is, whether it is installed, its size")
    parser.add_argument("--sample", action="store_true", help="the installed sample instead of the benchmark")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    rows = configs("multiloko_sample" if arguments.sample else "multiloko")
    if arguments.json:
        print_data(as_json(rows))
    else:
        where = console()
        where.print(_table(rows))
        for origin in sorted({row["origin"] for row in rows if row["installed"]}):
            where.print(f"From {origin}", markup=False)
        where.print(f"{sum(row['installed'] for row in rows)} of {len(rows)} configs installed")
    return 0


def configs(dataset: str) -> list[dict[str, Any]]:
    """A row for each of the 152 configs, with what is known of it; the default first."""
    installed = Installed(dataset).configs
    described: list[dict[str, Any]] = [{"config": ALL, "official_key": None, "file": None, "partition": "local"}]
    described += [
        {"config": each.name, "official_key": each.key, "file": each.path(), "partition": each.partition}
        for each in CONFIGS
    ]
    for row in described:
        found = installed.get(row["config"])
        row["installed"] = found is not None
        row["origin"] = found.origin if found else None
        row["examples"] = found.examples if found else None
        row["bytes"] = found.size if found else None
    return described


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, header_style="bold")
    for name in ("config", "file", "dev", "size"):
        justify: JustifyMethod = "right" if name in ("dev", "size") else "left"
        table.add_column(name, justify=justify, overflow="fold", no_wrap=name != "file")
    for row in rows:
        dev = (row["examples"] or {}).get(DEV)
        size = f"{row['bytes'] / 1e6:.1f} MB" if row["installed"] else "not installed"
        table.add_row(row["config"], row["file"] or "all 31 local sets", f"{dev:,}" if dev else "", size)
    return table
