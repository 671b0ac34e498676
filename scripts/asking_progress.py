"""How far a run is: a bar on a terminal, else a line every so often; on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from multiloko_runs.tally import Tally

from .terminal import progress

_SECONDS = 30.0
"""Between two lines where there is no terminal."""
_REFRESH = 0.1


class AskingProgress:
    """Shows a tally as it grows."""

    def __init__(self, total: int, counts: Tally) -> None:
        self.total, self.counts = total, counts
        self._before = counts.answers + counts.failed
        self._started = self._shown = time.monotonic()
        self._terminal = sys.stderr.isatty()

    @contextmanager
    def shown(self) -> Iterator[AskingProgress]:
        """Show it while the block lasts."""
        if not self._terminal:
            yield self
            return
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

        bar = progress(
            "Asking", BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn()
        )
        with bar:
            self._bar, self._task = bar, bar.add_task("", total=self.total)
            yield self

    def advance(self) -> None:
        """Say that one more question is done."""
        now = time.monotonic()
        if now - self._shown < (_REFRESH if self._terminal else _SECONDS):
            return
        self._shown = now
        if self._terminal:
            self._bar.update(self._task, completed=self._done, description=self._figures())
        else:
            print(
                f"{self._done:,} of {self.total:,} asked; {self._figures()}{self._left()}", file=sys.stderr, flush=True
            )

    @property
    def _done(self) -> int:
        return self.counts.answers + self.counts.failed - self._before

    @property
    def _rate(self) -> float:
        return self._done / max(time.monotonic() - self._started, 1e-9)

    def _figures(self) -> str:
        tokens = self.counts.prompt_tokens + self.counts.completion_tokens
        return f"{self._rate:.1f} a second; {tokens:,} tokens; {self.counts.failed:,} failed"

    def _left(self) -> str:
        seconds = round((self.total - self._done) / self._rate) if self._rate else 0
        return f"; {seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02} left"
