"""Work on configs in several processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from multiloko_scripts.cli import main
from multiloko_scripts.errors import CommandError

from multiloko_runs.processes import ProcessError, in_processes
from multiloko_source.sample import sample_predictions


def doubled(number: int) -> int:
    return 2 * number


def failing(number: int) -> int:
    raise CommandError(f"no {number}")


def signal_of_keyboard(_: int) -> Any:
    return signal.getsignal(signal.SIGINT)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_results_come_in_order(count: int) -> None:
    with in_processes(count, doubled, range(20)) as results:
        assert list(results) == [2 * number for number in range(20)]


@pytest.mark.parametrize("count", [1, 2])
def test_an_error_comes_as_it_is(count: int) -> None:
    with pytest.raises(CommandError, match="no 0"), in_processes(count, failing, range(5)) as results:
        list(results)


def test_a_process_that_was_killed() -> None:
    message = r"one of the 2 processes was ended from outside; .*--num-proc"
    with pytest.raises(ProcessError, match=message), in_processes(2, os._exit, [1, 1]) as results:
        list(results)


def test_processes_start_before_their_results_are_asked_for() -> None:
    """A progress bar starts a thread then, and a copy of a process with threads may hang."""
    with in_processes(2, doubled, range(20)) as results:
        assert len(multiprocessing.active_children()) == 2
        assert len(list(results)) == 20
    assert not multiprocessing.active_children()


def test_what_is_not_begun_is_left_undone(tmp_path: Path) -> None:
    with pytest.raises(KeyError), in_processes(2, Path.touch, [tmp_path / str(number) for number in range(2_000)]):
        raise KeyError
    assert len(list(tmp_path.iterdir())) < 2_000


def test_other_processes_leave_control_c_to_this_one() -> None:
    with in_processes(2, signal_of_keyboard, [1]) as results:
        assert list(results) == [signal.SIG_IGN]
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def test_processes_that_are_no_copies_of_this_one(sample_folder: Path, tmp_path: Path) -> None:
    """As on macOS and Windows, and from Python 3.14 on everywhere: all that a worker needs must be sent to it."""
    options = ["score", "-d", str(sample_folder), "-p", str(sample_predictions()), "-o"]
    for form in ("summary", "upstream"):
        assert main([*options, str(tmp_path / f"{form}-1"), "--format", form]) == 0
    usual = multiprocessing.get_start_method()
    multiprocessing.set_start_method("spawn", force=True)
    try:
        for form in ("summary", "upstream"):
            assert main([*options, str(tmp_path / f"{form}-2"), "--format", form, "--num-proc", "2"]) == 0
            assert (tmp_path / f"{form}-1").read_bytes() == (tmp_path / f"{form}-2").read_bytes()
    finally:
        multiprocessing.set_start_method(usual, force=True)
