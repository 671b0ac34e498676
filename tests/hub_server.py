"""A server of the Hub's API on loopback, for the real clients: set HF_ENDPOINT to its address.

It keeps repositories in memory and knows what publishing and loading need: accounts, creating, settings (visibility and
gating), uploads (regular and LFS), commits, pull requests, trees, branches, tags and files by range. ``Hub`` is the
state and answers a request with a response; ``HubServer`` puts it on a port. Connections can be cut and requests
refused on demand.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

KINDS = {"datasets": "dataset", "models": "model", "spaces": "space"}
MAIN = "main"
_LFS_SUFFIXES = (".parquet", ".arrow", ".gz", ".zip")
_DATE = "2026-01-01T00:00:00.000Z"


@dataclass(frozen=True)
class Account:
    """Who a token belongs to."""

    user: str
    role: str = "write"
    paid: bool = False


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: dict[str, list[str]]
    token: str | None
    headers: dict[str, str]
    body: bytes
    host: str

    def json(self) -> Any:
        return json.loads(self.body or b"{}")


@dataclass(frozen=True)
class Response:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class Refusal(Exception):  # noqa: N818 - it is what the Hub does, not a fault of this server
    """A request that the Hub answers with an error; ``code`` is what its clients tell errors apart by."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


@dataclass
class Failure:
    """What is to go wrong with the next requests that match: an error status, or a cut connection without one."""

    pattern: str
    status: int | None = None
    message: str = "injected"
    times: int = 1
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Commit:
    sha: str
    title: str
    files: dict[str, bytes]


@dataclass
class PullRequest:
    number: int
    title: str
    description: str
    author: str
    commit: str
    status: str = "open"


@dataclass
class Repository:
    kind: str
    name: str
    private: bool
    commits: list[Commit]
    gated: str | bool = False
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    pull_requests: list[PullRequest] = field(default_factory=list)
    takes_discussions: bool = True

    @property
    def owner(self) -> str:
        return self.name.split("/")[0]

    @property
    def files(self) -> dict[str, bytes]:
        """Files of the branch main."""
        return self.at(MAIN).files

    def at(self, revision: str) -> Commit:
        revision = unquote(revision).removeprefix("refs/heads/").removeprefix("refs/tags/")
        sha = self.branches.get(revision) or self.tags.get(revision) or revision
        for commit in self.commits:
            if commit.sha == sha:
                return commit
        raise Refusal(404, f"Invalid rev id: {revision}", "RevisionNotFound")

    def commit(self, branch: str, title: str, files: dict[str, bytes]) -> Commit:
        commit = self.detached_commit(title, files)
        self.branches[branch] = commit.sha
        return commit

    def detached_commit(self, title: str, files: dict[str, bytes]) -> Commit:
        """A commit that no branch holds, as that of a pull request."""
        digest = hashlib.sha1(f"{self.kind} {self.name} {len(self.commits)} {title}".encode())
        commit = Commit(digest.hexdigest(), title, files)
        self.commits.append(commit)
        return commit


def git_oid(content: bytes) -> str:
    """Name under which git keeps a file."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def is_lfs(path: str) -> bool:
    return path.endswith(_LFS_SUFFIXES)


class Hub:
    """The state of the Hub. ``handle`` answers one request."""

    def __init__(self) -> None:
        self.accounts = {
            "hf_owner": Account("owner"),
            "hf_paid": Account("owner", paid=True),
            "hf_reader": Account("owner", role="read"),
            "hf_stranger": Account("stranger"),
        }
        self.repositories: dict[tuple[str, str], Repository] = {}
        self.uploads: dict[str, bytes] = {}
        self.failures: list[Failure] = []
        self.ignored_settings: set[str] = set()
        self.log: list[str] = []
        self.unknown: list[str] = []
        self._lock = threading.Lock()

    def fail(self, pattern: str, status: int | None = None, **options: Any) -> None:
        """Refuse the next request whose "METHOD path" matches ``pattern``, or cut its connection without a status."""
        self.failures.append(Failure(pattern, status, **options))

    def dataset(self, name: str) -> Repository:
        return self.repositories["dataset", name]

    def space(self, name: str) -> Repository:
        return self.repositories["space", name]

    def add_model(self, name: str, files: dict[str, bytes] | None = None, *, private: bool = False) -> Repository:
        """A model that is there already."""
        repository = self.repositories["model", name] = Repository("model", name, private, [])
        repository.commit(MAIN, "initial commit", {"config.json": b"{}", **(files or {})})
        return repository

    def handle(self, request: Request) -> Response | None:
        """The answer to a request; None where the connection is to be cut."""
        with self._lock:
            line = f"{request.method} {request.path}"
            self.log.append(line)
            failure = self._next_failure(line)
            if failure:
                return _refused(failure.status, failure.message, failure.headers) if failure.status else None
            try:
                return self._route(request)
            except Refusal as refusal:
                return _refused(refusal.status, refusal.message, {"X-Error-Code": refusal.code} if refusal.code else {})

    def _next_failure(self, line: str) -> Failure | None:
        for failure in self.failures:
            if failure.times and re.search(failure.pattern, line):
                failure.times -= 1
                return failure
        return None

    def _route(self, request: Request) -> Response:
        for method, pattern, handler in _ROUTES:
            match = re.fullmatch(pattern, request.path)
            if match and request.method in method.split():
                return handler(self, request, **{name: part for name, part in match.groupdict().items() if part})
        self.unknown.append(f"{request.method} {request.path}")
        raise Refusal(404, f"no such route: {request.method} {request.path}")

    # Accounts and rights

    def account(self, request: Request) -> Account | None:
        if request.token is None:
            return None
        if request.token not in self.accounts:
            raise Refusal(401, "Invalid credentials in Authorization header")
        return self.accounts[request.token]

    def readable(self, request: Request, kinds: str | None, name: str) -> Repository:
        """The repository; one that the person may not see is answered as if it did not exist."""
        account = self.account(request)
        found = self.repositories.get((KINDS[kinds or "models"], name))
        if found and (not found.private or (account and account.user == found.owner)):
            return found
        raise Refusal(404 if account else 401, "Repository Not Found", "RepoNotFound")

    def writable(self, request: Request, kinds: str | None, name: str) -> Repository:
        """The repository, for who may write to it, or read it where a pull request is to be opened."""
        repository = self.readable(request, kinds, name)
        account = self.account(request)
        if "create_pr" not in request.query:
            self.require_owner(request, repository.owner)
        elif account is None or account.role != "write":
            raise Refusal(403 if account else 401, "You need a token with write access to open a pull request")
        elif not repository.takes_discussions:
            raise Refusal(403, "Discussions are disabled for this repo")
        elif repository.gated and account.user != repository.owner:
            raise Refusal(403, f"Access to model {name} is restricted.", "GatedRepo")
        return repository

    def require_owner(self, request: Request, owner: str) -> None:
        account = self.account(request)
        if account is None:
            raise Refusal(401, "Invalid username or password.")
        if account.user != owner or account.role != "write":
            raise Refusal(403, f"You don't have the rights to write under the namespace {owner!r}")

    def whoami(self, request: Request) -> Response:
        account = self.account(request)
        if account is None:
            raise Refusal(401, "Invalid username or password.")
        token = {"displayName": "test", "role": account.role}
        person = {"type": "user", "name": account.user, "fullname": account.user, "isPro": account.paid, "orgs": []}
        return _json({**person, "auth": {"type": "access_token", "accessToken": token}})

    # Repositories and their settings

    def create(self, request: Request) -> Response:
        wanted = request.json()
        kind = wanted.get("type") or "model"
        account = self.account(request)
        owner = wanted.get("organization") or (account.user if account else "")
        self.require_owner(request, owner)
        name = f"{owner}/{wanted['name']}"
        prefix = "" if kind == "model" else f"{kind}s/"
        if (kind, name) in self.repositories:
            return _json({"error": "You already created this repo", "url": f"{request.host}/{prefix}{name}"}, 409)
        private = bool(wanted.get("private")) or wanted.get("visibility") == "private"
        repository = Repository(kind, name, private, [])
        repository.commit(MAIN, "initial commit", {".gitattributes": b""})
        self.repositories[kind, name] = repository
        return _json({"url": f"{request.host}/{prefix}{name}", "name": name, "id": name})

    def settings(self, request: Request, kinds: str, name: str) -> Response:
        repository = self.writable(request, kinds, name)
        wanted = {name: value for name, value in request.json().items() if name not in self.ignored_settings}
        if "visibility" in wanted:
            wanted["private"] = wanted["visibility"] == "private"
        repository.private = wanted.get("private", repository.private)
        repository.gated = wanted.get("gated", repository.gated)
        return _json({"private": repository.private, "gated": repository.gated})

    def info(self, request: Request, kinds: str, name: str, revision: str | None = None) -> Response:
        repository = self.readable(request, kinds, name)
        commit = repository.at(revision or MAIN)
        files = [{"rfilename": path, "size": len(content)} for path, content in sorted(commit.files.items())]
        description = {"private": repository.private, "gated": repository.gated, "disabled": False}
        counts = {"downloads": 0, "likes": 0, "tags": [], "siblings": files}
        dates = {"lastModified": _DATE, "createdAt": _DATE}
        names = {"_id": name, "id": name, "modelId": name, "author": repository.owner, "sha": commit.sha}
        return _json({**names, **description, **counts, **dates})

    def refs(self, request: Request, kinds: str, name: str) -> Response:
        repository = self.readable(request, kinds, name)

        def listed(kind: str, refs: dict[str, str]) -> list[dict[str, str]]:
            return [{"name": ref, "ref": f"refs/{kind}/{ref}", "targetCommit": sha} for ref, sha in refs.items()]

        branches, tags = listed("heads", repository.branches), listed("tags", repository.tags)
        return _json({"branches": branches, "tags": tags, "converts": []})

    def tag(self, request: Request, kinds: str, name: str, ref: str) -> Response:
        repository = self.writable(request, kinds, name)
        return self._new_ref(repository.tags, request.json()["tag"], repository.at(ref).sha)

    def branch(self, request: Request, kinds: str, name: str, ref: str) -> Response:
        repository = self.writable(request, kinds, name)
        start = request.json().get("startingPoint") or MAIN
        return self._new_ref(repository.branches, unquote(ref), repository.at(start).sha)

    def _new_ref(self, refs: dict[str, str], ref: str, sha: str) -> Response:
        if ref in refs:
            raise Refusal(409, f"Reference {ref} already exists")
        refs[ref] = sha
        return _json({})

    # Uploads and commits

    def preupload(self, request: Request, kinds: str, name: str, revision: str) -> Response:
        commit = self.writable(request, kinds, name).at(revision)

        def plan(path: str) -> dict[str, Any]:
            content = commit.files.get(path)
            oid = None if content is None else _entry(path, content)["oid"]
            return {"path": path, "uploadMode": "lfs" if is_lfs(path) else "regular", "shouldIgnore": False, "oid": oid}

        files = [plan(file["path"]) for file in request.json()["files"]]
        return _json({"files": files, "commitOid": commit.sha})

    def lfs_batch(self, request: Request, name: str, kinds: str | None = None) -> Response:
        self.writable(request, kinds, name)

        def action(wanted: dict[str, Any]) -> dict[str, Any]:
            if wanted["oid"] in self.uploads:
                return {"oid": wanted["oid"], "size": wanted["size"]}
            actions = {"upload": {"href": f"{request.host}/lfs/{wanted['oid']}"}}
            return {"oid": wanted["oid"], "size": wanted["size"], "actions": actions}

        return _json({"transfer": "basic", "objects": [action(wanted) for wanted in request.json()["objects"]]})

    def lfs_upload(self, request: Request, oid: str) -> Response:
        if hashlib.sha256(request.body).hexdigest() != oid:
            raise Refusal(400, f"the content is not that of {oid}")
        self.uploads[oid] = request.body
        return Response()

    def commit(self, request: Request, kinds: str, name: str, revision: str) -> Response:
        repository = self.writable(request, kinds, name)
        branch = unquote(revision)
        parent = repository.at(branch)
        files, title, description = dict(parent.files), "", ""
        for line in filter(None, request.body.splitlines()):
            operation = json.loads(line)
            value = operation["value"]
            if operation["key"] == "header":
                title, description = value["summary"], value.get("description", "")
                if value.get("parentCommit") not in (None, parent.sha):
                    raise Refusal(412, "A commit has happened since. Please refresh and try again.")
            elif operation["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif operation["key"] == "lfsFile":
                files[value["path"]] = self.uploads[value["oid"]]
            elif operation["key"] == "deletedFile":
                del files[value["path"]]
            else:
                raise Refusal(400, f"no such operation: {operation['key']}")
        page = f"{request.host}/{'' if kinds == 'models' else f'{kinds}/'}{name}"
        done: dict[str, Any] = {"success": True, "hookOutput": ""}
        if "create_pr" in request.query:
            account = self.account(request)
            assert account is not None
            commit = repository.detached_commit(title, files)
            number = len(repository.pull_requests) + 1
            repository.pull_requests.append(PullRequest(number, title, description, account.user, commit.sha))
            done["pullRequestUrl"] = f"{page}/discussions/{number}"
        else:
            commit = repository.commit(branch, title, files)
        return _json({**done, "commitOid": commit.sha, "commitUrl": f"{page}/commit/{commit.sha}"})

    def discussions(self, request: Request, kinds: str, name: str) -> Response:
        """The pull requests that the query asks for, all on one page; of discussions there are none."""
        repository = self.readable(request, kinds, name)
        if not repository.takes_discussions:
            raise Refusal(403, "Discussions are disabled for this repo")
        wanted = {key: values[0] for key, values in request.query.items()}
        found = [
            {
                "num": each.number,
                "title": each.title,
                "author": {"name": each.author},
                "createdAt": _DATE,
                "status": each.status,
                "isPullRequest": True,
                "repo": {"name": name, "type": KINDS[kinds]},
            }
            for each in repository.pull_requests
            if wanted.get("status", each.status) == each.status and wanted.get("author", each.author) == each.author
        ]
        return _json({"count": len(found), "start": 0, "discussions": found})

    # Reading

    def tree(self, request: Request, kinds: str, name: str, revision: str, folder: str = "") -> Response:
        files = self.readable(request, kinds, name).at(revision).files
        recursive = request.query.get("recursive", ["false"])[0].lower() in ("true", "1")
        prefix = f"{unquote(folder).strip('/')}/".lstrip("/")
        entries: dict[str, dict[str, Any]] = {}
        for path, content in sorted(files.items()):
            if not path.startswith(prefix):
                continue
            parts = path[len(prefix) :].split("/")
            for depth in range(1, len(parts) if recursive else min(len(parts), 2)):
                parent = prefix + "/".join(parts[:depth])
                entries.setdefault(parent, _folder_entry(parent))
            if recursive or len(parts) == 1:
                entries[path] = _entry(path, content)
        if prefix and not entries:
            raise Refusal(404, f"{folder} does not exist", "EntryNotFound")
        return _json(list(entries.values()))

    def paths_info(self, request: Request, kinds: str, name: str, revision: str) -> Response:
        files = self.readable(request, kinds, name).at(revision).files
        is_json = "json" in request.headers.get("content-type", "")
        paths = request.json()["paths"] if is_json else parse_qs(request.body.decode()).get("paths", [])
        found = [_entry(path, files[path]) for path in paths if path in files]
        folders = [path for path in paths if any(file.startswith(f"{path}/") for file in files)]
        return _json(found + [_folder_entry(path) for path in folders])

    def resolve(self, request: Request, name: str, revision: str, path: str, kinds: str | None = None) -> Response:
        repository = self.readable(request, kinds, name)
        account = self.account(request)
        if repository.gated and (account is None or account.user != repository.owner):
            raise Refusal(403 if account else 401, f"Access to {kinds} {name} is restricted.", "GatedRepo")
        commit = repository.at(revision)
        content = commit.files.get(unquote(path))
        if content is None:
            raise Refusal(404, "Entry not found", "EntryNotFound")
        headers = {"ETag": f'"{_entry(path, content)["oid"]}"', "X-Repo-Commit": commit.sha, "Accept-Ranges": "bytes"}
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("range", ""))
        if not wanted:
            return Response(200, content, headers)
        first, last = int(wanted[1]), min(int(wanted[2] or len(content)), len(content) - 1)
        headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
        return Response(206, content[first : last + 1], headers)

    def nothing(self, request: Request) -> Response:
        return _json({"errors": [], "warnings": []})

    def no_export(self, request: Request) -> Response:
        raise Refusal(404, "the viewer has not converted this data set")


_API = r"/api/(?P<kinds>datasets|models|spaces)/(?P<name>[^/]+/[^/]+)"
_PAGE = r"/(?:(?P<kinds>datasets|spaces)/)?(?P<name>[^/]+/[^/]+)"
_ROUTES: tuple[tuple[str, str, Callable[..., Response]], ...] = (
    ("GET", r"/api/whoami-v2", Hub.whoami),
    ("POST", r"/api/validate-yaml", Hub.nothing),
    ("POST", r"/api/repos/create", Hub.create),
    ("PUT", rf"{_API}/settings", Hub.settings),
    ("GET", rf"{_API}/refs", Hub.refs),
    ("GET", rf"{_API}/discussions", Hub.discussions),
    ("POST", rf"{_API}/tag/(?P<ref>.+)", Hub.tag),
    ("POST", rf"{_API}/branch/(?P<ref>.+)", Hub.branch),
    ("POST", rf"{_API}/preupload/(?P<revision>[^/]+)", Hub.preupload),
    ("POST", rf"{_API}/commit/(?P<revision>[^/]+)", Hub.commit),
    ("POST", rf"{_PAGE}\.git/info/lfs/objects/batch", Hub.lfs_batch),
    ("PUT", r"/lfs/(?P<oid>[0-9a-f]+)", Hub.lfs_upload),
    ("GET", rf"{_API}/tree/(?P<revision>[^/]+)(?:/(?P<folder>.*))?", Hub.tree),
    ("POST", rf"{_API}/paths-info/(?P<revision>[^/]+)", Hub.paths_info),
    ("GET", rf"{_API}(?:/revision/(?P<revision>[^/]+))?", Hub.info),
    ("GET HEAD", rf"{_PAGE}/resolve/(?P<revision>[^/]+)/(?P<path>.+)", Hub.resolve),
    # datasets asks the viewer's server, too, which here has the same address
    ("GET", r"/(parquet|info)", Hub.no_export),
)


def _json(value: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(status, json.dumps(value).encode(), {"Content-Type": "application/json", **(headers or {})})


def _refused(status: int, message: str, headers: dict[str, str]) -> Response:
    return _json({"error": message}, status, {"X-Error-Message": message, **headers})


def _entry(path: str, content: bytes) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "file", "path": path, "size": len(content), "oid": git_oid(content)}
    if is_lfs(path):
        sha256 = hashlib.sha256(content).hexdigest()
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {len(content)}\n".encode()
        entry["oid"] = git_oid(pointer)
        entry["lfs"] = {"oid": sha256, "size": len(content), "pointerSize": len(pointer)}
    return entry


def _folder_entry(path: str) -> dict[str, Any]:
    return {"type": "directory", "path": path, "oid": "0" * 40, "size": 0}


class HubServer(Hub):
    """The Hub on a port of 127.0.0.1."""

    url: str


@contextmanager
def serving() -> Iterator[HubServer]:
    """Run an empty Hub on a free port for as long as the block lasts."""
    hub = HubServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(hub))
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler_of(hub: HubServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """Silent: the Hub keeps its own log."""

        def answer(self) -> None:
            url = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            token = headers.get("authorization", "").removeprefix("Bearer ").strip() or None
            query = parse_qs(url.query)
            response = hub.handle(Request(self.command, url.path, query, token, headers, self.content(), hub.url))
            if response is None:
                self.close_connection = True
                self.connection.close()
                return
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(response.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(response.body)

        def content(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            content = b""
            while size := int(self.rfile.readline(), 16):
                content += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return content

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = answer  # noqa: N815

    return Handler
