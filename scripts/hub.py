"""Repositories on the Hub: what they hold, what a push would change, and the push."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    RepositoryNotFoundError,
)
from huggingface_hub.hf_api import RepoFile

from multiloko_source.files import sha256_of

from .errors import CommandError

MAIN = "main"
LOGIN = "log in with `hf auth login`, or set HF_TOKEN, with a token that may write"

_TRANSPORT_ERRORS: tuple[type[Exception], ...] = (OSError, HfHubHTTPError.__mro__[1])
"""What a lost connection raises. The HTTP library is another one in each major version of huggingface_hub, but the
Hub's own error always derives from that library's."""
_EXPLAINED: tuple[type[Exception], ...] = (HFValidationError, RuntimeError, *_TRANSPORT_ERRORS)


@dataclass(frozen=True)
class Person:
    """Whose token is used."""

    name: str
    paid: frozenset[str]
    """Namespaces (the person, organisations) with a paid plan."""


@dataclass(frozen=True)
class Remote:
    """A repository as it is on the Hub."""

    private: bool
    gated: str | bool
    """``auto``, ``manual`` or False."""
    branches: Mapping[str, str]
    """Commit of each branch."""
    tags: Mapping[str, str]
    """Commit of each tag."""
    main_files: Mapping[str, str]
    """Identity of each file of the branch main."""
    files: Mapping[str, str]
    """Identity of each file of the branch that was asked for, or that it would start from."""


@dataclass(frozen=True)
class Changes:
    """What a push would do to the files of a repository."""

    local: Mapping[str, Path]
    """Every file to be there afterwards."""
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    def lines(self) -> Iterator[str]:
        """A line for every file: what would become of it, its size in bytes, its name."""
        marks = {**dict.fromkeys(self.added, "new"), **dict.fromkeys(self.changed, "changed")}
        for name, path in self.local.items():
            yield f"{marks.get(name, 'same'):8}{path.stat().st_size:>12,}  {name}"
        for name in self.removed:
            yield f"{'removed':8}{'':>12}  {name}"


@dataclass(frozen=True)
class Repository:
    """A data set or a Space on the Hub. Every method may raise CommandError, with a message for a person."""

    api: HfApi
    kind: str
    """``dataset`` or ``space``."""
    name: str
    """``owner/name``."""

    @property
    def owner(self) -> str:
        """The person or organisation it belongs to."""
        return self.name.split("/")[0]

    @property
    def url(self) -> str:
        """Address of its page."""
        return f"{self.api.endpoint}/{self.kind}s/{self.name}"

    def read(self, branch: str = MAIN) -> Remote | None:
        """What is there now; None where there is no such repository, or none that the token may see."""
        with self._explained():
            try:
                info = self.api.repo_info(self.name, repo_type=self.kind)
            except GatedRepoError:
                raise
            except RepositoryNotFoundError:
                return None
            refs = self.api.list_repo_refs(self.name, repo_type=self.kind)
            branches = {ref.name: ref.target_commit for ref in refs.branches}
            main_files = self._files(MAIN)
            files = self._files(branch) if branch != MAIN and branch in branches else main_files
        tags = {ref.name: ref.target_commit for ref in refs.tags}
        gated = getattr(info, "gated", False) or False  # a Space has none
        return Remote(bool(info.private), gated, branches, tags, main_files, files)

    def create(self) -> None:
        """Create it, private."""
        sdk = "gradio" if self.kind == "space" else None
        with self._explained():
            self.api.create_repo(self.name, repo_type=self.kind, private=True, space_sdk=sdk)

    def gate(self, how: str | bool) -> None:
        """Set who may read the files, and make sure that the Hub took it."""
        with self._explained(f"{self.name} could not be gated, so nothing was pushed"):
            self.api.update_repo_settings(self.name, repo_type=self.kind, gated=cast("Any", how))
            found = self.api.repo_info(self.name, repo_type=self.kind).gated or False
        if found != how:
            raise CommandError(f"{self.name}: the Hub says gated={found!r} instead of {how!r}, so nothing was pushed")

    def open(self) -> None:
        """Make it public."""
        with self._explained(f"{self.name} was pushed but is still private"):
            self.api.update_repo_settings(self.name, repo_type=self.kind, private=False)

    def branch(self, name: str) -> None:
        """Create a branch, from main."""
        with self._explained():
            self.api.create_branch(self.name, branch=name, repo_type=self.kind, exist_ok=True)

    def commit(self, changes: Changes, message: str, branch: str, parent: str | None) -> str:
        """Push the changes as one commit and return it. ``parent``: the commit they were found against."""
        sent = [*changes.added, *changes.changed]
        operations: list[CommitOperationAdd | CommitOperationDelete] = []
        operations += [CommitOperationAdd(name, str(changes.local[name])) for name in sent]
        operations += [CommitOperationDelete(name, is_folder=False) for name in changes.removed]
        with self._explained(f"{self.name} was not changed"):
            done = self.api.create_commit(
                self.name,
                operations,
                commit_message=message,
                repo_type=self.kind,
                revision=branch,
                parent_commit=parent,
            )
        return str(done.oid)

    def tag(self, name: str, commit: str) -> None:
        """Tag a commit."""
        with self._explained(f"{self.name} was pushed but not tagged"):
            self.api.create_tag(self.name, tag=name, revision=commit, repo_type=self.kind)

    def _files(self, branch: str) -> dict[str, str]:
        entries = self.api.list_repo_tree(self.name, recursive=True, revision=branch, repo_type=self.kind)
        return {
            entry.path: entry.lfs.sha256 if entry.lfs else entry.blob_id
            for entry in entries
            if isinstance(entry, RepoFile)
        }

    def _explained(self, outcome: str = "") -> Any:
        return explained(self.name, outcome, self.api.endpoint)


def find_changes(folder: Path, remote: Mapping[str, str], is_ours: Callable[[str], bool]) -> Changes:
    """Compare ``folder`` with the files of a repository.

    Args:
        folder: what is to be there.
        remote: identity of each file that is there: SHA-256 for large files, git's SHA-1 for others.
        is_ours: whether a file that is there but not in ``folder`` is an old one of ours, to be removed.
    """
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    local = {path.relative_to(folder).as_posix(): path for path in paths}
    return Changes(
        local,
        added=tuple(name for name in local if name not in remote),
        changed=tuple(name for name, path in local.items() if name in remote and not _is_same(path, remote[name])),
        removed=tuple(name for name in sorted(remote) if name not in local and is_ours(name)),
    )


def _is_same(path: Path, identity: str) -> bool:
    if len(identity) == hashlib.sha256().digest_size * 2:
        return sha256_of(path) == identity
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest() == identity


def connect(*, required: bool) -> tuple[HfApi, Person | None]:
    """Return the client and whose token it uses; None without a token where that is not ``required``.

    Raises:
        CommandError: there is no token, it is not valid, or it may only read.
    """
    token = get_token()
    api = HfApi(token=token or False)
    if token is None:
        if required:
            raise CommandError(f"there is no Hugging Face token: {LOGIN}")
        return api, None
    with explained("the Hub", "", api.endpoint):
        found = api.whoami()
    if found.get("auth", {}).get("accessToken", {}).get("role") == "read" and required:
        raise CommandError(f"the token of {found['name']} may only read: {LOGIN}")
    organisations = found.get("orgs") or []
    paid = {each["name"] for each in organisations if each.get("isEnterprise") or each.get("plan")}
    return api, Person(found["name"], frozenset({*paid, *([found["name"]] if found.get("isPro") else [])}))


@contextmanager
def explained(name: str, outcome: str, endpoint: str) -> Iterator[None]:
    """Turn an error of the Hub or of the network into one for a person, which begins with the ``outcome``."""
    try:
        yield
    except CommandError:
        raise
    except _EXPLAINED as error:
        # The client wraps what goes wrong with the upload of a large file in a RuntimeError.
        cause = (error.__cause__ or error) if isinstance(error, RuntimeError) else error
        if isinstance(cause, HFValidationError):
            reason = f"this is no name of a repository, branch or tag: {cause}"
        elif (response := getattr(cause, "response", None)) is not None:  # before 1.0 some are not HfHubHTTPError
            reason = _reason(name, cause, response)
        elif isinstance(cause, _TRANSPORT_ERRORS):
            reason = f"the connection to {endpoint} was lost or refused ({cause or type(cause).__name__})"
            reason += "; run it again: what was uploaded is not sent twice"
        else:
            reason = f"the upload failed ({cause}); run it again"
        raise CommandError(f"{outcome}: {reason}" if outcome else reason) from error


def _reason(name: str, error: BaseException, response: Any) -> str:
    """What the Hub's refusal means and what to do."""
    status = response.status_code
    said = getattr(error, "server_message", None) or f"status {status}"
    if isinstance(error, GatedRepoError):
        return f"{name} is gated and the token has no access: ask for it on its page ({said})"
    if isinstance(error, RepositoryNotFoundError):
        return f"there is no {name}, or the token may not see it: check the name, or {LOGIN}"
    wait = response.headers.get("Retry-After")
    when = f"{wait} seconds" if wait else "some minutes"
    advice = {
        400: f"the Hub refuses the request ({said})",
        401: f"the Hub does not accept the token ({said}): {LOGIN}",
        403: f"the token has no right to do this to {name} ({said}): {LOGIN} there",
        409: f"the name {name} is taken ({said}): choose another",
        412: f"somebody else changed {name} meanwhile ({said}): look at it, then run it again",
        429: f"the Hub takes no more requests for now (rate limit): run it again in {when}",
    }
    return advice.get(status, f"the Hub has trouble ({said}): run it again later")
