"""``multiloko install``: prepare the configs into the Hugging Face cache and register the metric."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from filelock import FileLock, Timeout

from multiloko_metric.languages import ALL, LANGUAGES, Config, parse_config
from multiloko_source.download import download_official
from multiloko_source.expected import CONFIG_NAMES, features, fewshot_shortfall, shortfall
from multiloko_source.files import datasets_cache
from multiloko_source.installed import ORIGIN_FILE, Installed, config_folder, dataset_folder
from multiloko_source.source import LOADER_VERSION, Source, members, open_source

from .errors import CommandError
from .registration import register_metric
from .terminal import tracked

_SHOWN = 5
_TRUE = ("1", "ON", "YES", "TRUE")
"""How huggingface_hub spells yes in the environment."""
_OFFLINE = """\
Set HF_HUB_OFFLINE=1 to be sure of these: without it load_dataset asks the Hub first, which takes 20 seconds and more
where there is no network, and takes a data set that somebody there may have called {dataset}."""
_STAGING = ".multiloko-staging-"
_GRACE = 1.0
"""Seconds for which an older folder stays beside the new one: a reader that has just chosen it can still open it."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("install", help='make load_dataset("multiloko", "fr") work from any folder')
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--from",
        dest="origin",
        metavar="FOLDER|ARCHIVE|HUB_REPO",
        help="official folder, encrypted archive, or Hub repository such as facebook/multiloko "
        "(default: MULTILOKO_DATA, else the official archive is downloaded)",
    )
    where.add_argument("--sample", action="store_true", help="the bundled invented sample, as multiloko_sample")
    parser.add_argument("--configs", metavar="NAMES", help="only these, with commas between: fr,de,fr-en-human")
    parser.add_argument("--partial", action="store_true", help="accept a source that lacks questions")
    parser.add_argument("--strict", action="store_true", help="refuse rows that contradict their file's name")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    dataset, source = _open(arguments)
    names = _names(arguments.configs)
    lacking = [] if arguments.sample else shortfall(source, names)
    if lacking and not arguments.partial:
        raise CommandError(_refusal(source, lacking))
    available = [name for name in names if source.splits(name)]
    if not available:
        raise CommandError(f"{source.location} holds nothing of {', '.join(names[:_SHOWN])}")
    if ALL in available and not arguments.configs and not all(source.splits(each.code) for each in LANGUAGES):
        available.remove(ALL)
        _say("all is left out: the source lacks languages (--configs all installs what there is)")
    with _alone():
        prepared = _install(source, dataset, available)
        register_metric()
    if not arguments.sample:
        _report_fewshot(fewshot_shortfall(source, available))
    _report_contradictions(source)
    _warn_of_shadows(dataset)
    _summary(dataset, available, prepared)
    return 0


def _open(arguments: argparse.Namespace) -> tuple[str, Source]:
    if arguments.sample:
        from multiloko_source.sample import SAMPLE_NAME, open_sample

        return SAMPLE_NAME, open_sample()
    origin = arguments.origin or os.environ.get("MULTILOKO_DATA")
    return "multiloko", open_source(origin or download_official(), keep=True, strict=arguments.strict)


def _names(listed: str | None) -> list[str]:
    """Config names in the fixed order, each once."""
    if listed is None:
        return list(CONFIG_NAMES)
    asked = [name for name in listed.split(",") if name.strip()]
    if not asked:
        raise CommandError(f"--configs names no config: {listed!r}; name some, such as fr,de")
    wanted = {ALL if name.strip().lower() == ALL else parse_config(name).name for name in asked}
    return [name for name in CONFIG_NAMES if name in wanted]


def _refusal(source: Source, lacking: Sequence[str]) -> str:
    shown = [f"  {line}" for line in lacking[:_SHOWN]]
    more = [f"  and {len(lacking) - _SHOWN} more"] if len(lacking) > _SHOWN else []
    advice = "--partial installs what there is; --configs fr,de only some"
    found = f"{source.location} is not complete, {len(lacking)} of its dev files are missing or short:"
    return "\n".join([found, *shown, *more, advice])


def _alone() -> AbstractContextManager[object]:
    """Keep two installations apart: the second waits for the first."""
    datasets_cache().mkdir(parents=True, exist_ok=True)
    lock = FileLock(datasets_cache() / ".multiloko-install.lock")
    try:
        return lock.acquire(timeout=0)
    except Timeout:
        _say("another installation is running; waiting for it")
        return lock.acquire()


def _install(source: Source, dataset: str, names: Iterable[str]) -> list[str]:
    """Prepare what is not there yet and remove what comes from other data. Returns the names prepared now."""
    for leftover in datasets_cache().glob(f"{_STAGING}*"):  # of an installation that was killed: the lock is ours
        shutil.rmtree(leftover, ignore_errors=True)
    wanted = [name for name in names if not _is_prepared(config_folder(dataset, name, source.fingerprint))]
    staging = datasets_cache() / f"{_STAGING}{os.getpid()}"
    _read_through(source, names if source.strict else wanted)
    try:
        for name in tracked(wanted, "Preparing"):
            _prepare(source, dataset, name, staging)
        for name in names:
            if name != ALL:
                _add_official_name(source, dataset, parse_config(name), staging)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    _remove_others(dataset, source.fingerprint)
    return wanted


def _read_through(source: Source, names: Iterable[str]) -> None:
    """Read every row once: a line that is wrong is an error before anything installed is touched."""
    for config in dict.fromkeys(config for name in names for config in members(name)):  # all is made of others
        for split in source.splits(config.name):
            for _ in source.rows(config.name, split):
                pass


def _is_prepared(folder: Path) -> bool:
    return (folder / ORIGIN_FILE).is_file()


def _prepare(source: Source, dataset: str, name: str, staging: Path) -> None:
    """Build one config in ``staging``, make it readable for every version of datasets, and move it into the cache."""
    import datasets

    from multiloko import MultiLoKo

    datasets.disable_progress_bars()  # one bar over all configs says more than two for each
    builder = MultiLoKo(cache_dir=str(staging), config_name=name, dataset_name=dataset, data_dir=source)
    builder.download_and_prepare(verification_mode="no_checks")
    built = Path(builder.cache_dir)
    _make_portable(built)
    origin = {"location": source.location, "fingerprint": source.fingerprint}
    (built / ORIGIN_FILE).write_text(json.dumps(origin, ensure_ascii=False) + "\n", encoding="utf-8")
    target = config_folder(dataset, name, source.fingerprint)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)  # left by something else than this command
    built.rename(target)


def _add_official_name(source: Source, dataset: str, config: Config, staging: Path) -> None:
    """Make a prepared config load by its official name too, which costs no second copy of its rows.

    Where the file system has neither hard nor symbolic links, it loads by its code alone.
    """
    prepared = config_folder(dataset, config.name, source.fingerprint)
    target = config_folder(dataset, config.key, source.fingerprint)
    if target.is_dir():
        return
    built = staging / config.key
    built.mkdir(parents=True)
    try:
        for path in prepared.glob("*.arrow"):
            _link(path, built / path.name)
    except OSError:
        return
    info = json.loads((prepared / "dataset_info.json").read_text(encoding="utf-8"))
    text = json.dumps({**info, "config_name": config.key})  # must be the folder's name, or the folder is not found
    (built / "dataset_info.json").write_text(text, encoding="utf-8")
    target.parent.mkdir(parents=True, exist_ok=True)
    built.rename(target)


def _link(path: Path, link: Path) -> None:
    try:
        link.hardlink_to(path)
    except OSError:
        link.symlink_to(path)


def _make_portable(folder: Path) -> None:
    """Spell the features as every version reads them: in the description, and not at all in the Arrow streams."""
    import pyarrow as pa

    description = folder / "dataset_info.json"
    info = json.loads(description.read_text(encoding="utf-8"))
    description.write_text(json.dumps({**info, "features": features()}), encoding="utf-8")
    for path in folder.glob("*.arrow"):
        with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as stream:
            table = stream.read_all().replace_schema_metadata(None)
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)


def _remove_others(dataset: str, fingerprint: str) -> None:
    """Remove what was prepared from other data: a name stands for one source, and the newest folder would win."""
    others = [
        folder
        for folder in dataset_folder(dataset).glob("*/*/*")
        if folder.is_dir() and (folder.parent.name, folder.name) != (LOADER_VERSION, fingerprint)
    ]
    if others:
        time.sleep(_GRACE)
    for folder in others:
        doomed = datasets_cache() / f"{_STAGING}{os.getpid()}-{folder.name}"
        folder.rename(doomed)  # gone at once for readers
        shutil.rmtree(doomed, ignore_errors=True)
    removed = sorted({folder.parent.parent.name for folder in others}.intersection(CONFIG_NAMES))
    left = [name for name in removed if name not in Installed(dataset).configs]
    if left:
        _say(f"removed {len(left)} configs of an earlier source that this one lacks: {', '.join(left[:_SHOWN])}")


def _report_fewshot(lines: Sequence[str]) -> None:
    for line in lines[:_SHOWN]:
        _say(f"note: {line}")
    if len(lines) > _SHOWN:
        _say(f"note: and {len(lines) - _SHOWN} more languages like that")


def _report_contradictions(source: Source) -> None:
    found = list(dict.fromkeys(source.contradictions))  # rows are read more than once
    if found:
        _say(f"note: {len(found)} values contradict their file's name, which wins: {found[0]}")


def _warn_of_shadows(dataset: str) -> None:
    """Say where a folder of the same name would be taken instead of the installed data."""
    for folder in (Path.cwd() / dataset, Path.cwd().parent / dataset):
        if folder.is_dir():
            _say(f"note: in {folder.parent}, load_dataset({dataset!r}, ...) takes the folder {folder} instead")


def _summary(dataset: str, names: Sequence[str], prepared: Sequence[str]) -> None:
    example = "fr" if "fr" in names else names[0]
    state = f"{len(prepared)} configs prepared" if prepared else "nothing new"
    _say(f"{state}; {len(names)} of this source are installed in {dataset_folder(dataset)}")
    _say(f'  load_dataset("{dataset}", "{example}")')
    _say('  evaluate.load("multiloko")')
    if os.environ.get("HF_HUB_OFFLINE", "0").upper() not in _TRUE:
        _say(_OFFLINE.format(dataset=dataset))


def _say(message: str) -> None:
    print(message, file=sys.stderr)
