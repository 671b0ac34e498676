"""``multiloko download``: the official archive, verified and decrypted to a folder."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from rich.progress import BarColumn, DownloadColumn, TransferSpeedColumn

from multiloko_source.archive import extract
from multiloko_source.download import download_official, official_url
from multiloko_source.files import sha256_of

from .errors import CommandError
from .terminal import progress


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("download", help="download the official archive, verify it and decrypt it")
    parser.add_argument("--to", type=Path, default=Path(), metavar="DIR", help="folder for both (default: this one)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    target = arguments.to / "benchmark_data"
    if target.exists():
        raise CommandError(f"{target} exists; remove it, or choose another folder with --to")
    with progress("{task.description}", BarColumn(), DownloadColumn(), TransferSpeedColumn()) as bar:
        task = bar.add_task(official_url().rpartition("/")[2], total=None)
        archive = download_official(arguments.to, lambda done, total: bar.update(task, completed=done, total=total))
    staging = arguments.to / ".benchmark_data.incomplete"
    for leftover in arguments.to.glob(f"{staging.name}*"):  # of a download that was killed
        shutil.rmtree(leftover)
    extract(archive, staging)
    inner = staging / "benchmark_data"
    (inner if inner.is_dir() else staging).rename(target)
    shutil.rmtree(staging, ignore_errors=True)
    print(f"{archive}: whole, SHA-256 {sha256_of(archive)}", file=sys.stderr)
    print(target)
    return 0
