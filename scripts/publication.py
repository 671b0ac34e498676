"""What is to be pushed: the files of the two repositories, and whether they may go where they are meant to go."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import HfApi

import multiloko_metric
import multiloko_runs
import multiloko_source

from .card import PLACEHOLDER
from .errors import CommandError
from .eval_yaml import EVAL_YAML
from .export import SAMPLE_MARK, example_config, export_data, is_export, require_complete
from .hub import Changes, Person, Remote, Repository, find_changes
from .loading_back import Loading, loading_of_dataset, loading_of_metric
from .options import open_gold

ADAPTER = "multiloko_metric.py"
"""Module of the metric that takes the name of its Space."""

_PAGE = "space"
"""Folder of the Space's page."""
_TAKEN_ALONG = (multiloko_source, multiloko_runs)
"""Packages with which the page reads files."""
_FOLDERS = frozenset({_PAGE, *(package.__name__ for package in _TAKEN_ALONG)})
_BARE = frozenset({".gitattributes", "README.md"})
"""All that a repository may hold that nothing was pushed to yet."""


@dataclass(frozen=True)
class Target:
    """One repository to be pushed."""

    repository: Repository
    folder: Path
    """What is to be in it."""
    public: bool
    gated: str | bool | None
    """How it is to be gated, by the person's wish or by default; None leaves it as it is."""
    loading: Loading
    gating_asked: bool = False
    """Whether the person said how."""

    def changes(self, state: Remote | None) -> Changes:
        """What a push would change. What is there and not ours stays."""
        is_ours = _is_data if self.repository.kind == "dataset" else _is_module
        return find_changes(self.folder, state.files if state else {}, is_ours)

    def gating(self, state: Remote | None) -> str | bool | None:
        """The gating to set, None where nothing is to be done: a stricter one that was set by hand is kept."""
        now = state.gated if state else False
        if self.gated is None or self.gated == now or (now and not self.gating_asked):
            return None
        return self.gated

    @property
    def is_sample(self) -> bool:
        """Whether it is the data set of the invented sample."""
        return (self.folder / SAMPLE_MARK).exists()


def prepare(arguments: argparse.Namespace, api: HfApi, folder: Path) -> list[Target]:
    """Write what the options of the command ask for into ``folder``.

    Raises:
        CommandError: the data lack questions, or a Space cannot have that name.
    """
    targets = []
    if arguments.dataset:
        targets.append(_dataset(arguments, Repository(api, "dataset", arguments.dataset), folder / "dataset"))
    if arguments.metric:
        write_space(arguments.metric, folder / "space", arguments.dataset or PLACEHOLDER)
        loading = loading_of_metric(arguments.metric, arguments.revision)
        repository = Repository(api, "space", arguments.metric)
        targets.append(Target(repository, folder / "space", arguments.public, None, loading))
    return targets


def _dataset(arguments: argparse.Namespace, repository: Repository, folder: Path) -> Target:
    data = open_gold(arguments)
    metric = arguments.metric or PLACEHOLDER
    export = export_data(data, folder, sample=arguments.sample, repository=repository.name, metric=metric)
    require_complete(export, data.location, allowed=arguments.sample or arguments.partial)
    for note in export.notes:
        print(f"note: {note}", file=sys.stderr)
    config = example_config(export.rows)
    loading = loading_of_dataset(repository.name, arguments.revision, config, dict(export.rows[config]))
    default = None if arguments.sample else "auto"
    gated = {"off": False, None: default}.get(arguments.gated, arguments.gated)
    public = arguments.public or arguments.sample
    return Target(repository, folder, public, gated, loading, gating_asked=arguments.gated is not None)


def write_space(name: str, folder: Path, dataset: str = PLACEHOLDER) -> None:
    """Write the files of the metric's Space: the package, with the adapter and the card under the Space's name.

    Raises:
        CommandError: the adapter cannot have that name.
    """
    package = Path(multiloko_metric.__file__).parent
    files = sorted(path for path in package.iterdir() if path.suffix in (".py", ".md", ".txt"))
    module = f"{name.split('/')[1]}.py"
    taken = {path.stem for path in files if path.name != ADAPTER} | _FOLDERS
    if module.removesuffix(".py") in taken or module.count(".") > 1:
        raise CommandError(f"a Space cannot be called {name}: its module would be {module}; choose another name")
    folder.mkdir(parents=True)
    for path in files:
        content = path.read_bytes().decode()
        if path.suffix == ".md":
            content = content.replace(f'load_dataset("{PLACEHOLDER}"', f'load_dataset("{dataset}"')
            content = content.replace(f'evaluate.load("{PLACEHOLDER}"', f'evaluate.load("{name}"')
        (folder / (module if path.name == ADAPTER else path.name)).write_bytes(content.encode())
    # The page, and what it reads files with.
    for place, source in (
        (_PAGE, package / _PAGE),
        *((each.__name__, Path(each.__path__[0])) for each in _TAKEN_ALONG),
    ):
        (folder / place).mkdir()
        for path in sorted(source.rglob("*.py")):
            target = folder / place / path.relative_to(source)
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(path.read_bytes())


def _is_data(name: str) -> bool:
    return name == EVAL_YAML or name.startswith(("data/", "builder/"))


def _is_module(name: str) -> bool:
    top, _, inner = name.partition("/")
    return name.endswith(".py") and (not inner or top in _FOLDERS)


def require_pushable(target: Target, state: Remote | None) -> None:
    """Refuse what would overwrite somebody's work, or show data to more people than was asked for.

    Raises:
        CommandError: one of these.
    """
    if state is None:
        return
    repository = target.repository
    top = {name.partition("/")[0] for name in state.main_files}
    if not top <= _BARE:
        module = f"{repository.name.partition('/')[2]}.py"
        ours = is_export(top) if repository.kind == "dataset" else {module, "languages.py", "scoring.py"} <= top
        if not ours:
            raise CommandError(
                f"the name {repository.name} is taken by something else ({repository.url}): choose another"
            )
        if (SAMPLE_MARK in top) != target.is_sample:
            here, new = ("the sample", "real data") if SAMPLE_MARK in top else ("real data", "the sample")
            raise CommandError(f"{repository.name} holds {here}, also in its history: choose another name for {new}")
    if not state.private and not target.public:
        advice = "say --public if that is meant, or make it private in its settings first"
        raise CommandError(f"{repository.name} is public, so nothing was pushed: {advice}")


def viewer_note(repository: Repository, person: Person | None) -> str:
    """Whether the Hub's viewer shows the data set, and what to do where it does not."""
    state = repository.read()
    page = f"{repository.url}/viewer"
    if state is None or not state.private:
        who = "those who were given access" if state and state.gated else "everyone"
        return f"the viewer shows {repository.name} to {who}, some minutes from now: {page}"
    if person and repository.owner in person.paid:
        return f"the viewer shows {repository.name} to those who may see it, some minutes from now: {page}"
    return (
        f"the viewer does not show {repository.name}: it is private, and {repository.owner} has no paid plan. "
        "A plan (PRO, Team, Enterprise) changes that, and so does making it public and gated; "
        "`multiloko publish --sample` shows what the viewer makes of data of this shape"
    )
