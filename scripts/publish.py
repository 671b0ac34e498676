"""``multiloko publish``: the data as a data set repository and the metric as a Space, on the Hub."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from multiloko_metric.signature import VERSION

from .card import REQUEST
from .errors import CommandError
from .options import add_gold_options

if TYPE_CHECKING:
    from .hub import Person, Remote
    from .publication import Target

MAIN = "main"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("publish", help="push the data and the metric to the Hub, private by default")
    parser.add_argument("--dataset", metavar="OWNER/NAME", help="push the data as this data set")
    parser.add_argument("--metric", metavar="OWNER/NAME", help="push the metric as this Space")
    add_gold_options(parser)
    parser.add_argument("--partial", action="store_true", help="accept data that lack questions")
    parser.add_argument("--public", action="store_true", help="for everyone to see (the sample's data set always is)")
    parser.add_argument(
        "--request-read",
        action="store_true",
        help="with --public: you have read the authors' request not to mirror the plain data",
    )
    parser.add_argument(
        "--gated", choices=("auto", "manual", "off"), help="who may read the data set's files (default: auto)"
    )
    parser.add_argument("--revision", default=MAIN, metavar="BRANCH", help="push to this branch (default: main)")
    parser.add_argument("--message", default=f"multiloko {VERSION}", help="message of the commit")
    parser.add_argument("--tag", help=f"tag of the commit (default: {default_tag()} on main, none on a branch)")
    parser.add_argument("--dry-run", action="store_true", help="list every file and what would change, push nothing")
    parser.add_argument("--no-verify", action="store_true", help="do not load back what was pushed")
    parser.set_defaults(run=run)


def default_tag() -> str:
    """Tag of this version. Not ``v0.1.0``: ``evaluate`` takes a tag of that form for a release of its own."""
    return f"multiloko-{VERSION}"


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    _require_names(arguments)
    from .hub import connect  # here, because the client takes longer to import than most commands run
    from .publication import prepare, require_pushable

    api, person = connect(required=not arguments.dry_run)
    with tempfile.TemporaryDirectory(prefix="multiloko-") as temporary:
        targets = prepare(arguments, api, Path(temporary))
        pairs = [(target, target.repository.read(arguments.revision)) for target in targets]
        for target, state in pairs:
            require_pushable(target, state)
        if arguments.dry_run:
            for target, state in pairs:
                _show(target, state)
            return 0
        if arguments.dataset and arguments.public and not arguments.sample:
            _confirm(arguments)
        for target, state in pairs:
            _push(target, state, arguments)
    _conclude([target for target, _ in pairs], person, verify=not arguments.no_verify)
    return 0


def _require_names(arguments: argparse.Namespace) -> None:
    names = [name for name in (arguments.dataset, arguments.metric) if name]
    if not names:
        raise CommandError("name what to push: --dataset OWNER/NAME, --metric OWNER/NAME or both")
    for name in names:
        if name.count("/") != 1 or not all(name.split("/")) or not name.isascii():
            raise CommandError(f"{name!r} is no name of a repository: expected OWNER/NAME")


def _show(target: Target, state: Remote | None) -> None:
    """List what a push would do."""
    changes = target.changes(state)
    settings = [] if state else [f"would be created {'public' if target.public else 'private'}"]
    if state and state.private and target.public:
        settings.append("would become public")
    if target.gating(state) is not None:
        settings.append(f"would be gated: {target.gating(state) or 'off'}")
    print("; ".join([f"{target.repository.kind} {target.repository.name}", *settings]))
    for line in changes.lines():
        print(f"  {line}")
    total = sum(path.stat().st_size for path in changes.local.values())
    counts = f"{len(changes.added)} new, {len(changes.changed)} changed, {len(changes.removed)} removed"
    _say(f"{target.repository.name}: {len(changes.local)} files, {total:,} bytes: {counts}; --dry-run: nothing pushed")


def _confirm(arguments: argparse.Namespace) -> None:
    """Have the person say that they read the authors' request."""
    _say(REQUEST)
    if arguments.request_read:
        return
    if not sys.stdin.isatty():
        raise CommandError(
            "nothing was pushed: --public needs --request-read, which says that you have read this request"
        )
    print(f"To publish the plain data all the same, type {arguments.dataset}: ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip() != arguments.dataset:
        raise CommandError("nothing was pushed")


def _push(target: Target, state: Remote | None, arguments: argparse.Namespace) -> None:
    """Create, gate, commit, tag, and only then open: in this order nothing is ever seen by more than was asked for."""
    repository, branch = target.repository, arguments.revision
    changes, gating = target.changes(state), target.gating(state)
    if state is None:
        repository.create()
    if gating is not None:
        repository.gate(gating)
    if branch != MAIN and (state is None or branch not in state.branches):
        repository.branch(branch)
    commit = state.branches.get(branch, state.branches[MAIN]) if state else None
    if changes:
        commit = repository.commit(changes, arguments.message, branch, commit)
        _say(
            f"{repository.name}: {len(changes.added) + len(changes.changed)} files pushed to {branch}, {repository.url}"
        )
    else:
        _say(f"{repository.name}: nothing new, no commit made")
    tag = arguments.tag or (default_tag() if branch == MAIN else None)
    marked = state.tags.get(tag) if state and tag else None
    if tag and commit and marked is None:
        repository.tag(tag, commit)
    elif tag and marked != commit:
        _say(f"note: the tag {tag} of {repository.name} stays where it was; --tag NAME marks this version")
    if target.public and (state is None or state.private):
        repository.open()


def _conclude(targets: list[Target], person: Person | None, *, verify: bool) -> None:
    """Load back what was pushed, and print how a person loads it."""
    from .publication import viewer_note

    for target in targets:
        if verify:
            target.loading.check(target.repository)
            _say(f"{target.repository.name}: loaded back, as it should be")
        if target.repository.kind == "dataset":
            _say(viewer_note(target.repository, person))
        print(target.loading.line)


def _say(message: str) -> None:
    print(message, file=sys.stderr)
