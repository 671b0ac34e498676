"""The ``multiloko`` command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from multiloko_metric.errors import MultiLoKoError
from multiloko_metric.signature import VERSION

from . import compare, download, export, install, listing, profiles, publish, score

_SUBCOMMANDS = (install, listing, download, score, compare, profiles, export, publish)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command."""
    top = argparse.ArgumentParser(
        prog="multiloko",
        description="MultiLoKo for datasets and evaluate: install the data, score answers, understand the scores.",
    )
    top.add_argument("--version", action="version", version=f"multiloko {VERSION}")
    subparsers = top.add_subparsers(metavar="COMMAND", required=True)
    for subcommand in _SUBCOMMANDS:
        subcommand.add_parser(subparsers)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Bad input ends with one message on standard error and exit code 2."""
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except MultiLoKoError as error:
        print(f"multiloko: {error}", file=sys.stderr)
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
