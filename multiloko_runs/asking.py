"""All prompts of a run asked, several at once, each again until it is answered or has failed for good."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from .faults import EndpointError, RequestFailedError
from .prompts import Prompt
from .replies import Reply

_LONGEST_BACKOFF = 60.0
_FAILURES_IN_A_ROW = 8
"""Questions that failed for good, one after another without a single answer, before an endpoint is given up."""


class Failure(NamedTuple):
    """Why a question has no answer."""

    kind: str
    """``rate_limit``, ``server_error``, ``timeout``, ``dropped``, ``no_connection``, ``unreadable``,
    ``too_long_reply``, ``too_long_prompt``, ``content_filter`` or ``bad_request``."""
    message: str


Outcome = Reply | Failure


@dataclass(frozen=True)
class Patience:
    """How often a request is sent again, and after how long."""

    retries: int = 7
    """How often at most, after the first time."""
    wait: float = 0.5
    """Seconds before the first retry. Each further wait is twice as long, up to a minute."""
    seed: int | None = None
    """Of the random part of the waits, a quarter up and down, without which all would come back at once."""


class Answers(Protocol):
    """What can be asked."""

    async def ask(self, prompt: Prompt) -> Reply:
        """Return the answer, or raise RequestFailedError or EndpointError."""


class Backoff:
    """The waits of a run before requests are sent again."""

    def __init__(self, patience: Patience) -> None:
        self.patience = patience
        self._random = random.Random(patience.seed)
        self._resume = 0.0
        """When the server wants to be asked again, on the monotonic clock."""

    def seconds(self, retry: int) -> float:
        """Return how long to wait before a retry, counted from 0."""
        wait = min(self.patience.wait * 2.0 ** min(retry, 30), _LONGEST_BACKOFF)
        return wait * self._random.uniform(0.75, 1.25)

    def heed(self, wait: float) -> None:
        """Keep every request back for as long as the server asked for."""
        self._resume = max(self._resume, time.monotonic() + wait)

    async def until_wanted(self) -> None:
        """Wait until the server wants to be asked."""
        while (wait := self._resume - time.monotonic()) > 0:
            await asyncio.sleep(wait)


async def ask_all(
    prompts: Iterable[Prompt],
    endpoint: Answers,
    take: Callable[[Prompt, Outcome], None],
    concurrency: int = 16,
    patience: Patience | None = None,
    *,
    answers_before: bool = False,
) -> None:
    """Ask all prompts and hand over what came of each, in the order in which it came.

    Args:
        prompts: what is asked; taken one by one, as requests become free.
        endpoint: who is asked.
        take: is given each prompt once, with its answer or with why it has none.
        concurrency: how many requests there are at once.
        patience: how often and when what failed is tried again.
        answers_before: whether the endpoint has given answers earlier: then a prompt that it refuses is at fault, and
            not the way it is asked.

    Raises:
        EndpointError: the endpoint answers nothing, or is gone. What had come by then was handed over.
    """
    run = _Run(endpoint, take, Backoff(patience or Patience()), max(concurrency, _FAILURES_IN_A_ROW), answers_before)
    waiting = iter(prompts)  # shared: each worker takes the next
    workers = [asyncio.create_task(run.work(waiting)) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


class _Run:
    def __init__(
        self,
        endpoint: Answers,
        take: Callable[[Prompt, Outcome], None],
        backoff: Backoff,
        bearable: int,
        answered: bool,
    ) -> None:
        self.endpoint, self.take, self.backoff, self.bearable = endpoint, take, backoff, bearable
        self.answered = answered
        self.failures_in_a_row = 0
        self.replies = 0
        """How many requests the server has said anything to, be it an error."""

    async def work(self, prompts: Iterable[Prompt]) -> None:
        for prompt in prompts:
            outcome = await self._outcome(prompt)
            if isinstance(outcome, Reply):
                self.answered, self.failures_in_a_row = True, 0
            else:
                self.failures_in_a_row += 1
            self.take(prompt, outcome)
            if isinstance(outcome, Failure):
                self._bear(outcome)

    async def _outcome(self, prompt: Prompt) -> Outcome:
        retry, heard = 0, self.replies
        while True:
            await self.backoff.until_wanted()
            try:
                reply = await self.endpoint.ask(prompt)
            except RequestFailedError as fault:
                self.replies += fault.kind != "no_connection"
                if not fault.again or retry == self.backoff.patience.retries:
                    if fault.kind == "no_connection" and self.replies == heard:
                        raise EndpointError(f"the server is gone ({fault.message})") from None
                    return Failure(fault.kind, fault.message)
                if fault.wait:
                    self.backoff.heed(fault.wait)
                else:
                    await asyncio.sleep(self.backoff.seconds(retry))
                retry += 1
            else:
                self.replies += 1
                return reply

    def _bear(self, failure: Failure) -> None:
        """Give up an endpoint that answers no question any more."""
        if self.failures_in_a_row < self.bearable:
            return
        if failure.kind not in ("bad_request", "too_long_prompt", "content_filter"):
            what = f"{self.failures_in_a_row} questions in a row failed, the last with {failure.kind}"
            raise EndpointError(f"the server answers no more: {what} ({failure.message})")
        if not self.answered:
            what = f"all {self.failures_in_a_row} questions so far, the last with {failure.message}"
            raise EndpointError(f"the server refuses {what}")
