"""All prompts asked: each handed over once, tried again with patience, ended where nothing will come."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from multiloko_metric.languages import parse_config
from multiloko_runs.asking import Backoff, Failure, Outcome, Patience, ask_all
from multiloko_runs.faults import EndpointError, RequestFailedError
from multiloko_runs.prompts import Prompt
from multiloko_runs.replies import Reply

FRENCH = parse_config("fr")
PROMPTS = [Prompt(f"fr:{number}", FRENCH, str(number), "?", None, ()) for number in range(40)]
QUICK = Patience(retries=2, wait=1e-4, seed=1)


def reply(text: str) -> Reply:
    return Reply(text, "stop", None, None, None, None)


class Scripted:
    """Does what a function says for a prompt and the number of times it was asked before."""

    def __init__(self, script: Callable[[str, int], Exception | None]) -> None:
        self.script = script
        self.asked: Counter[str] = Counter()
        self.at_once = self.most = 0

    async def ask(self, prompt: Prompt) -> Reply:
        before = self.asked[prompt.id]
        self.asked[prompt.id] += 1
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0.0005)
        self.at_once -= 1
        error = self.script(prompt.id, before)
        if error:
            raise error
        return reply(prompt.id)


def failed(kind: str, *, again: bool = True, wait: float = 0.0) -> RequestFailedError:
    return RequestFailedError(kind, f"because of {kind}", again=again, wait=wait)


def outcomes(
    endpoint: Scripted, concurrency: int = 8, patience: Patience = QUICK, *, before: bool = False
) -> dict[str, Outcome]:
    taken: dict[str, Outcome] = {}

    def take(prompt: Prompt, outcome: Outcome) -> None:
        assert prompt.id not in taken
        taken[prompt.id] = outcome

    asyncio.run(ask_all(PROMPTS, endpoint, take, concurrency, patience, answers_before=before))
    return taken


@pytest.mark.parametrize("concurrency", [1, 3, 40, 100])
def test_each_prompt_is_asked_once(concurrency: int) -> None:
    endpoint = Scripted(lambda identifier, before: None)
    assert outcomes(endpoint, concurrency) == {prompt.id: reply(prompt.id) for prompt in PROMPTS}
    assert set(endpoint.asked.values()) == {1}
    assert endpoint.most == min(concurrency, 40)


def test_what_may_succeed_is_asked_again() -> None:
    endpoint = Scripted(lambda identifier, before: failed("server_error") if before < int(identifier) % 3 else None)
    assert all(isinstance(outcome, Reply) for outcome in outcomes(endpoint).values())
    assert all(endpoint.asked[prompt.id] == 1 + int(prompt.id) % 3 for prompt in PROMPTS)


def test_a_question_that_keeps_failing_has_no_answer() -> None:
    endpoint = Scripted(lambda identifier, before: failed("timeout") if identifier == "3" else None)
    taken = outcomes(endpoint)
    assert taken["3"] == Failure("timeout", "because of timeout")
    assert endpoint.asked["3"] == 1 + QUICK.retries
    assert sum(isinstance(outcome, Reply) for outcome in taken.values()) == 39


def test_what_will_not_succeed_is_not_asked_again() -> None:
    endpoint = Scripted(lambda identifier, before: failed("too_long_prompt", again=False) if identifier < "2" else None)
    taken = outcomes(endpoint)
    assert taken["0"] == Failure("too_long_prompt", "because of too_long_prompt")
    assert set(endpoint.asked.values()) == {1}


def test_the_end_of_a_run_is_told_once_and_what_had_come_is_kept() -> None:
    endpoint = Scripted(lambda identifier, before: EndpointError("no such key") if identifier == "20" else None)
    taken: list[str] = []
    with pytest.raises(EndpointError, match="no such key"):
        asyncio.run(ask_all(PROMPTS, endpoint, lambda prompt, outcome: taken.append(prompt.id), 4, QUICK))
    assert set(taken) >= {str(number) for number in range(17)}
    assert "20" not in taken


def test_a_server_that_is_gone_ends_the_run_after_some_tries() -> None:
    endpoint = Scripted(lambda identifier, before: failed("no_connection"))
    with pytest.raises(EndpointError, match=r"the server is gone \(because of no_connection\)"):
        outcomes(endpoint, 4)
    assert set(endpoint.asked) == {"0", "1", "2", "3"}
    assert max(endpoint.asked.values()) == 3


def test_a_server_that_comes_back_goes_on() -> None:
    endpoint = Scripted(lambda identifier, before: failed("no_connection") if before < 2 and identifier < "2" else None)
    assert all(isinstance(outcome, Reply) for outcome in outcomes(endpoint).values())


def test_a_server_that_only_fails_is_given_up() -> None:
    endpoint = Scripted(lambda identifier, before: failed("server_error") if int(identifier) > 4 else None)
    with pytest.raises(EndpointError, match="answers no more: 8 questions in a row failed, the last with server_error"):
        outcomes(endpoint, 2)
    assert len(endpoint.asked) < 16


def test_a_server_that_refuses_everything_is_given_up_unless_it_has_answered() -> None:
    refuse = failed("bad_request", again=False)
    with pytest.raises(EndpointError, match="refuses all 8 questions so far, the last with because of bad_request"):
        outcomes(Scripted(lambda identifier, before: refuse), 2)
    taken = outcomes(Scripted(lambda identifier, before: refuse), 2, before=True)
    assert len(taken) == 40
    taken = outcomes(Scripted(lambda identifier, before: refuse if identifier != "0" else None), 2)
    assert sum(isinstance(outcome, Failure) for outcome in taken.values()) == 39


def test_waits_double_to_a_minute_and_differ() -> None:
    backoff = Backoff(Patience(retries=9, wait=0.5, seed=7))
    waits = [backoff.seconds(retry) for retry in range(12)]
    for retry, wait in enumerate(waits):
        whole = min(0.5 * 2**retry, 60)
        assert 0.75 * whole <= wait <= 1.25 * whole
    again = Backoff(Patience(retries=9, wait=0.5, seed=7))
    assert waits == [again.seconds(retry) for retry in range(12)]
    assert backoff.seconds(10_000) <= 75


def test_all_requests_wait_when_the_server_asks_for_it() -> None:
    times: list[float] = []

    def script(identifier: str, before: int) -> Exception | None:
        times.append(asyncio.get_running_loop().time())
        return failed("rate_limit", wait=0.2) if len(times) == 1 else None

    outcomes(Scripted(script), 2)
    pause = max(later - earlier for earlier, later in pairwise(times))
    assert pause >= 0.15
