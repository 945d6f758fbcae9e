"""What workers have in common, over the line that they have to it: who is let in, what is refused, and what is free again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.parser import text_string_to_metric_families
from workers_in_process import workers_of

from moot.engine.shared_limits import Note
from moot.errors import MootError
from moot.openai_form.refusal import Refused
from moot.serve.admission import KeyLimits
from moot.serve.figures_of_workers import added_up, figures_of
from moot.serve.gate_wire import KEEPS
from moot.serve.worker_line import SharedAdmission


async def _enters(admission: SharedAdmission, key: str = "ann") -> Any:
    place = admission.admitted(admission.named(key), "team", 100)
    await place.__aenter__()
    return place


async def _is_let_in(admission: SharedAdmission) -> bool:
    try:
        async with asyncio.timeout(0.2):
            await (await _enters(admission)).__aexit__(None, None, None)
    except TimeoutError:
        return False
    return True


async def test_places_are_those_of_all_workers() -> None:
    async with workers_of(at_once=2) as server:
        (_, one), (_, other) = await server.worker("1"), await server.worker("2")
        first, second = await _enters(one), await _enters(other)
        assert not await _is_let_in(one)
        assert not await _is_let_in(other)
        await first.__aexit__(None, None, None)
        assert await _is_let_in(other)
        await second.__aexit__(None, None, None)
        assert server.gate.admission.under_way == 0 or await _is_let_in(one)


async def test_a_refusal_is_told_whole() -> None:
    async with workers_of(limits=KeyLimits(per_minute=1)) as server:
        (_, one), (_, other) = await server.worker("1"), await server.worker("2")
        held = await _enters(one)
        with pytest.raises(Refused) as refused:
            await _enters(other)
        assert (refused.value.status, refused.value.code) == (429, "rate_limit_exceeded")
        assert refused.value.retry_after_s == 60
        with pytest.raises(Refused):
            await other.check(other.named("ann"))
        await other.check(other.named("bob"))
        await _enters(other, "bob")
        del held


async def test_what_is_refused_without_a_place_is_counted_for_all_workers() -> None:
    async with workers_of(limits=KeyLimits(per_minute=2), at_once=1) as server:
        (_, one), (_, other) = await server.worker("1"), await server.worker("2")
        held = await _enters(one)
        async with asyncio.timeout(60):
            await other.count(other.named("ann"))
        for admission in (one, other):
            with pytest.raises(Refused) as refused:
                await admission.count(admission.named("ann"))
            assert refused.value.code == "rate_limit_exceeded"
        await held.__aexit__(None, None, None)


async def test_whoever_goes_away_while_waiting_takes_nobodys_place() -> None:
    async with workers_of(at_once=1, waiting=1) as server:
        (_, one), (_, other) = await server.worker("1"), await server.worker("2")
        held = await _enters(one)
        for _ in range(5):
            assert not await _is_let_in(other)
        await held.__aexit__(None, None, None)
        for admission in (one, other, one, other):
            assert await _is_let_in(admission)
        assert server.gate.admission.waiting == 0


async def test_the_places_of_a_worker_that_dies_are_free_again() -> None:
    async with workers_of(at_once=1) as server:
        (dying, one), (_, other) = await server.worker("1"), await server.worker("2")
        held = await _enters(one)
        waits = asyncio.create_task(_enters(other))
        await asyncio.sleep(0.05)
        assert not waits.done()
        server.kill(dying)
        await asyncio.wait_for(waits, 5)
        del held


async def test_without_who_keeps_the_limits_nobody_is_let_in() -> None:
    async with workers_of(at_once=1) as server:
        line, one = await server.worker("1")
        held = await _enters(one)
        waits = asyncio.create_task(_enters(one))
        await asyncio.sleep(0.05)
        server.end(line)
        with pytest.raises(MootError):
            await asyncio.wait_for(waits, 5)
        with pytest.raises(MootError):
            await asyncio.wait_for(_enters(one), 5)
        assert server.lost == ["1"]
        del held


async def test_a_place_that_one_keeps_is_given_to_whoever_is_short_of_places() -> None:
    async with workers_of(at_once=2) as server:
        (_, one), (_, other) = await server.worker("1"), await server.worker("2")
        for place in [await _enters(one), await _enters(one)]:
            await place.__aexit__(None, None, None)
        assert server.gate.admission.under_way == 2  # both are kept for who comes next
        first, second = await _enters(other), await _enters(other)
        assert not await _is_let_in(one)
        await first.__aexit__(None, None, None)
        assert await _is_let_in(one)
        await second.__aexit__(None, None, None)


async def test_a_worker_that_ends_meanwhile_keeps_nobody_waiting() -> None:
    async with workers_of() as server:
        one, _ = await server.worker("1")
        dying, _ = await server.worker("2", {"name": asyncio.Event().wait})
        asks = asyncio.create_task(one.of_others("name"))
        await asyncio.sleep(0.05)
        server.kill(dying)
        assert await asyncio.wait_for(asks, 5) == []


async def test_what_others_know_is_heard_and_so_is_what_they_cannot_do() -> None:
    async def name() -> str:
        return "bob"

    async def breaks() -> None:
        raise ValueError("no such thing")

    async with workers_of() as server:
        one, _ = await server.worker("1")
        await server.worker("2", {"name": name, "breaks": breaks})
        assert await one.of_others("name") == ["bob"]
        with pytest.raises(MootError, match="no such thing"):
            await one.of_others("breaks")
        with pytest.raises(MootError, match="unheard of"):
            await one.of_others("unheard of")
        assert await one.of_others("name") == ["bob"]


async def test_a_worker_that_does_not_hear_is_told_from_one_that_has_trouble_and_from_one_that_has_ended() -> None:
    async def broken() -> bool:
        raise ValueError("no store")

    async with workers_of() as server:
        await server.worker("deaf", {KEEPS: asyncio.Event().wait})
        await server.worker("broken", {KEEPS: broken})
        heard = [await server.gate.answers(name, 0.05) for name in ("deaf", "broken", "gone")]
    assert heard == [False, True, True]


async def test_a_note_that_nobody_takes_ends_no_other_worker() -> None:
    async with workers_of() as server:
        (bad, _), (good, _) = await server.worker("1"), await server.worker("2")
        bad.tell("leave", "an endpoint that is not there")
        await asyncio.sleep(0.05)
        assert await good.of_others("name") == []
        await good.ask("check", "ann", undo=Note("nothing", ()))


@given(st.lists(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 9)), max_size=5), min_size=1, max_size=4))
def test_figures_of_all_are_the_sums(counted: list[list[tuple[str, int]]]) -> None:
    registries = []
    for worker in counted:
        registry = CollectorRegistry()
        asked = Counter("asked", "Asked.", ["team"], registry=registry)
        for team, times in worker:
            asked.labels(team).inc(times)
        registries.append(figures_of(registry))
    read = text_string_to_metric_families(added_up(registries).decode())
    sums = {
        sample.labels["team"]: sample.value for family in read for sample in family.samples if "total" in sample.name
    }
    assert sums == {
        team: sum(times for worker in counted for each, times in worker if each == team)
        for team in {each for worker in counted for each, _ in worker}
    }
