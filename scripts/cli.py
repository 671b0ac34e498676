"""The ``multiloko`` command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.signature import VERSION

from .terminal import accept_any_text

_MODULES = {
    "install": "install",
    "list": "list",
    "download": "download",
    "prompts": "prompts",
    "run": "run",
    "score": "score",
    "convert": "convert",
    "compare": "compare",
    "profiles": "profiles",
    "export": "export",
    "publish": "publish",
}
"""Where each subcommand is, in the order of the help."""


def parser(subcommand: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the whole command, or as much of it as the named subcommand needs.

    What a subcommand imports takes longer than most take to run, so the others are left out.
    """
    top = argparse.ArgumentParser(
        prog="multiloko",
        description="MultiLoKo for datasets and evaluate: install the data, score answers, understand the scores.",
    )
    top.add_argument("--version", action="version", version=f"multiloko {VERSION}")
    subparsers = top.add_subparsers(metavar="COMMAND", required=True)
    modules = [_MODULES[subcommand]] if subcommand in _MODULES else _MODULES.values()
    for module in modules:
        import_module(f".{module}", __package__).add_parser(subparsers)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Bad input ends with one message on standard error and exit code 2."""
    accept_any_text()
    arguments = sys.argv[1:] if arguments is None else arguments
    options = parser(arguments[0] if arguments else None).parse_args(arguments)
    try:
        return int(options.run(options))
    except MultiLoKoError as error:
        print(f"multiloko: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:  # the reader of our output, head for one, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("multiloko: interrupted", file=sys.stderr)
        return 130
    except OSError as error:
        print(f"multiloko: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
