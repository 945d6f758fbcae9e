"""Retries: only what may pass next time, never for ever, never earlier than asked, and the real error in the end."""

from __future__ import annotations

import asyncio
import email.utils
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from virtual_time import virtual_time

from moot.errors import (
    ConnectionFailed,
    GenerationFailed,
    RateLimited,
    RequestRejected,
    ServerFailed,
    TimedOut,
    TransportError,
)
from moot.models.retry import Retry, RetryPatience
from moot.models.retry_after import retry_after_s
from moot.models.scripted import Script, ScriptedModel
from moot.types import Message, Request

ASKED = Request((Message("user", "Who?"),))
QUICK = RetryPatience(attempts=4, first_pause_s=0.001, longest_pause_s=0.002)
PASSING: list[TransportError] = [
    ConnectionFailed("reset"),
    TimedOut("late"),
    RateLimited("429"),
    ServerFailed("500", status=500),
]


def retrying(script: list[Script] | Callable[[Request], Script], patience: RetryPatience = QUICK) -> Retry:
    return Retry(ScriptedModel("tom", script), patience)


def asked(model: Retry) -> int:
    assert isinstance(model.inner, ScriptedModel)
    return len(model.inner.requests)


@pytest.mark.parametrize("error", PASSING, ids=lambda error: type(error).__name__)
@virtual_time
async def test_what_may_pass_is_tried_again(error: TransportError) -> None:
    told: list[str] = []
    model = Retry(
        ScriptedModel("tom", [error, error, "fine"]),
        QUICK,
        on_retry=lambda name, request, error: told.append(f"{name} {type(error).__name__}"),
    )
    assert (await model.generate(ASKED)).text == "fine"
    assert told == [f"tom {type(error).__name__}"] * 2


@pytest.mark.parametrize("error", PASSING, ids=lambda error: type(error).__name__)
@virtual_time
async def test_never_for_ever_and_the_last_error_is_the_real_one(error: TransportError) -> None:
    model = retrying(lambda request: error)
    with pytest.raises(type(error)) as caught:
        await model.generate(ASKED)
    assert caught.value is error
    assert caught.value.__notes__[-1] == "(attempt 4 of 4)"
    assert asked(model) == 4


@pytest.mark.parametrize(
    "error", [RequestRejected("no", status=400), GenerationFailed("garbage"), ValueError("a bug")], ids=str
)
@virtual_time
async def test_anything_else_fails_at_once(error: Exception) -> None:
    model = retrying([error, "fine"])
    with pytest.raises(type(error)):
        await model.generate(ASKED)
    assert asked(model) == 1


@virtual_time
async def test_retry_after_is_waited_for() -> None:
    for error in (RateLimited("429", retry_after_s=0.15), ServerFailed("503", status=503, retry_after_s=0.15)):
        started = time.monotonic()
        await retrying([error, "fine"]).generate(ASKED)
        assert time.monotonic() - started >= 0.15


@given(st.integers(1, 60), st.one_of(st.none(), st.floats(0.001, 1e6)))
def test_pauses_grow_are_bounded_and_never_shorter_than_asked(failures: int, asked_s: float | None) -> None:
    patience = RetryPatience()
    pause_s = patience.pause_s(failures, RateLimited("429", retry_after_s=asked_s))
    if asked_s is None:
        assert 0 < pause_s <= min(patience.longest_pause_s, 0.5 * 2 ** (failures - 1))
    else:
        assert asked_s <= pause_s <= asked_s + 1


def test_pauses_are_jittered_so_that_callers_do_not_come_back_in_step() -> None:
    errors = (TimedOut("late"), RateLimited("429", retry_after_s=1.0), RateLimited("429", retry_after_s=0.0))
    for error in errors:
        assert len({RetryPatience().pause_s(3, error) for _ in range(20)}) == 20


def test_a_pause_of_nothing_is_no_reason_to_hammer() -> None:
    """Retry-After: 0, or a date that has just passed, leaves us with our own guess."""
    pauses = [RetryPatience().pause_s(5, RateLimited("429", retry_after_s=0.0)) for _ in range(50)]
    assert min(pauses) >= 0.1 * 0.5 * 2**4


@virtual_time
async def test_the_time_for_all_attempts_together_is_kept() -> None:
    model = retrying([RateLimited("429", retry_after_s=3600.0), "never asked"], RetryPatience(attempts=9, total_s=10))
    started = time.monotonic()
    with pytest.raises(RateLimited):
        await model.generate(ASKED)
    assert asked(model) == 1
    assert time.monotonic() - started < 5, "a pause that would end too late is not begun"


@virtual_time
async def test_the_time_runs_from_the_first_failure_over_all_that_follow() -> None:
    """Pauses of a little over four seconds: the third failure, after more than eight, leaves no room for another."""
    model = retrying(lambda request: RateLimited("429", retry_after_s=4.0), RetryPatience(attempts=9, total_s=10))
    with pytest.raises(RateLimited) as caught:
        await model.generate(ASKED)
    assert asked(model) == 3
    assert caught.value.__notes__[-1] == "(attempt 3 of 9)"


@virtual_time
async def test_a_long_wait_for_ones_turn_takes_no_patience() -> None:
    now = 0.0

    def answer(request: Request) -> Script:
        nonlocal now
        now += 2000.0
        return ServerFailed("500", status=500) if now < 3000 else "fine"

    model = Retry(ScriptedModel("tom", answer), QUICK, clock=lambda: now)
    assert (await model.generate(ASKED)).text == "fine"


@virtual_time
async def test_a_dead_endpoint_is_tried_once_a_call_until_it_lives() -> None:
    alive = False
    model = retrying(lambda request: "fine" if alive else ConnectionFailed("nobody there"))
    for _ in range(Retry.TAKEN_FOR_DEAD):
        with pytest.raises(ConnectionFailed):
            await model.generate(ASKED)
    before = asked(model)
    assert before == Retry.TAKEN_FOR_DEAD * QUICK.attempts
    for _ in range(10):
        with pytest.raises(ConnectionFailed):
            await model.generate(ASKED)
    assert asked(model) - before == 10
    alive = True
    await model.generate(ASKED)
    alive = False
    before = asked(model)
    with pytest.raises(ConnectionFailed):
        await model.generate(ASKED)
    assert asked(model) - before == QUICK.attempts, "one success brings the patience back"


@virtual_time
async def test_a_pause_can_be_interrupted() -> None:
    model = retrying(lambda request: RateLimited("429", retry_after_s=60.0), RetryPatience())
    task = asyncio.create_task(model.generate(ASKED))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


NOW = 1_800_000_000.0


def http_dates() -> Iterator[tuple[str | None, float | None]]:
    yield email.utils.formatdate(NOW + 90, usegmt=True), 90.0
    yield email.utils.formatdate(NOW - 90, usegmt=True), 0.0


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("0", 0.0),
        ("7", 7.0),
        (" 7 ", 7.0),
        ("0.25", 0.25),
        ("-3", 0.0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("Mon, 99 Foo 2026 99:99:99 GMT", None),
        *http_dates(),
    ],
)
def test_retry_after_in_both_forms(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, now=NOW) == seconds


@given(st.text())
def test_any_header_at_all_is_read_without_harm(header: str) -> None:
    seconds = retry_after_s(header)
    assert seconds is None or seconds >= 0


@virtual_time
async def test_no_attempt_is_told_that_is_beyond_the_last() -> None:
    """Calls that go on while the endpoint is taken for dead have had more attempts than one by then."""
    model = retrying(lambda request: ServerFailed("500", status=500))
    ended = await asyncio.gather(
        *(model.generate(ASKED) for _ in range(3 * Retry.TAKEN_FOR_DEAD)), return_exceptions=True
    )
    notes = {note for error in ended for note in error.__notes__}  # type: ignore[union-attr]
    assert notes
    for note in notes:
        tried, _, most = note.strip("()").removeprefix("attempt ").partition(" of ")
        assert int(tried) <= int(most), notes
