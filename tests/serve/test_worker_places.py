"""Places at the table of several workers: whoever comes and goes, and whichever of them dies, none is lost and none is kept empty
while somebody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from virtual_time import virtual_time
from workers_in_process import Server, workers_of

from moot.errors import MootError
from moot.serve.worker_gate import AMPLE_S
from moot.serve.worker_line import NEWS_S, SharedAdmission, WorkerLine

HEARD_S = 0.1
"""Time, which only passes where nothing is left to do, for every word to have come to where it goes."""


@dataclass(eq=False)
class Guest:
    """One question, from when it comes until it is over or its client is gone."""

    worker: int
    came_at: int
    task: asyncio.Task[None] = field(init=False)
    sits: bool = False
    may_go: asyncio.Event = field(default_factory=asyncio.Event)


class Table:
    """Some workers with so many places, and who has come to them."""

    def __init__(self, server: Server, at_once: int, workers: int) -> None:
        self._server, self.at_once = server, at_once
        self._names = iter(range(10_000))
        self._number = workers
        self._workers: list[tuple[WorkerLine, SharedAdmission]] = []
        self.guests: list[Guest] = []
        self.turn = 0
        """Goes up whenever every word has been heard: who came in one waits before who comes in the next."""
        self._seated: list[Guest] = []
        """Since then."""
        self.most_at_once = 0
        self.errors: list[BaseException] = []

    async def open(self) -> None:
        while len(self._workers) < self._number:
            self._workers.append(await self._server.worker(str(next(self._names))))

    @property
    def sitting(self) -> list[Guest]:
        return [guest for guest in self.guests if guest.sits]

    @property
    def waiting(self) -> list[Guest]:
        return [guest for guest in self.guests if not guest.sits]

    def comes(self, which: int) -> None:
        guest = Guest(which % self._number, self.turn)
        guest.task = asyncio.create_task(self._stay(guest))
        self.guests.append(guest)
        guest.task.add_done_callback(lambda _: self._is_gone(guest))  # also of one that hangs up before it is heard

    def _is_gone(self, guest: Guest) -> None:
        if guest in self.guests:
            self.guests.remove(guest)

    async def _stay(self, guest: Guest) -> None:
        _, admission = self._workers[guest.worker]
        try:
            async with admission.admitted(admission.named("ann"), "team", 100):
                guest.sits = True
                self._seated.append(guest)
                self.most_at_once = max(self.most_at_once, len(self.sitting))
                await guest.may_go.wait()
        except MootError as error:  # such as that too many wait
            self.errors.append(error)
        finally:
            self._is_gone(guest)

    def leaves(self, which: int) -> None:
        """One whose question is answered."""
        if sitting := self.sitting:
            sitting[which % len(sitting)].may_go.set()

    def hangs_up(self, which: int) -> None:
        """Whether its question is asked already, or on its way, or waits."""
        if self.guests:
            self.guests[which % len(self.guests)].task.cancel()

    async def dies(self, which: int) -> None:
        """And another takes its place."""
        slot = which % self._number
        line, _ = self._workers[slot]
        self._server.kill(line)
        of_it = [guest for guest in self.guests if guest.worker == slot]
        for guest in of_it:
            guest.task.cancel()
        self.guests = [guest for guest in self.guests if guest not in of_it]
        self._workers[slot] = await self._server.worker(str(next(self._names)))

    async def heard(self, seconds: float = HEARD_S) -> None:
        """Everybody has had the time to hear of everything: what must then hold."""
        await asyncio.sleep(seconds)
        assert not self.errors
        assert self.most_at_once <= self.at_once
        assert len(self.sitting) == min(self.at_once, len(self.guests)), (
            "all places are taken as long as somebody waits"
        )
        assert not [each for each in self.waiting if any(each.came_at < guest.came_at for guest in self._seated)]
        self._seated.clear()
        gate = self._server.gate.admission
        assert gate.waiting == len(self.waiting)
        assert len(self.sitting) <= gate.under_way <= self.at_once
        self.turn += 1


STEPS: dict[str, Callable[[Table, int], Any]] = {
    "comes": Table.comes,
    "leaves": Table.leaves,
    "hangs up": Table.hangs_up,
    "dies": Table.dies,
}
MOMENTS_S = (None, None, 0.0, 0.001, 0.003, HEARD_S, AMPLE_S * 1.5)
"""Between two steps: at once, before any word is heard, after some are, after all are, and after places were ample again."""

steps = st.lists(
    st.tuples(
        st.sampled_from(["comes"] * 4 + ["leaves"] * 3 + ["hangs up", "dies"]),
        st.integers(0, 11),
        st.sampled_from(MOMENTS_S),
    ),
    max_size=40,
)


@example([("comes", 0, None), ("comes", 0, HEARD_S), ("comes", 1, AMPLE_S * 1.5), ("leaves", 0, HEARD_S)], 2, 2)
@given(steps, st.integers(1, 4), st.integers(2, 3))
@settings(deadline=None)
@virtual_time
async def test_no_place_is_empty_while_somebody_waits_and_none_is_lost(
    steps: list[tuple[str, int, float | None]], at_once: int, workers: int
) -> None:
    async with workers_of(at_once=at_once) as server:
        table = Table(server, at_once, workers)
        await table.open()
        for step, which, pause_s in steps:
            if (going := STEPS[step](table, which)) is not None:
                await going
            if pause_s is not None and pause_s >= HEARD_S:
                await table.heard(pause_s)
            elif pause_s is not None:
                await asyncio.sleep(pause_s)
        await table.heard()
        while table.guests:  # each of them is let in some day
            table.leaves(0)
            await table.heard()
        for worker in range(workers):  # and every place is there for each, and not one more
            for _ in range(at_once + 1):
                table.comes(worker)
            await table.heard()
            for _ in range(at_once + 1):
                table.leaves(0)
                await table.heard()


@pytest.mark.parametrize("waits_s", [AMPLE_S / 2, AMPLE_S * 1.5, 3_600.0])
@virtual_time
async def test_who_waits_is_let_in_however_long_it_was(waits_s: float) -> None:
    async with workers_of(at_once=2) as server:
        table = Table(server, 2, 2)
        await table.open()
        for worker in (0, 0, 1):
            table.comes(worker)
        await table.heard(waits_s)
        table.leaves(0)
        await table.heard()
        assert [guest.worker for guest in table.sitting] == [0, 1]


@virtual_time
async def test_a_worker_that_comes_while_places_are_short_keeps_none() -> None:
    async with workers_of(at_once=2) as server:
        table = Table(server, 2, 2)
        await table.open()
        for worker in (0, 0, 0, 0):
            table.comes(worker)
        await table.heard()
        await table.dies(1)
        for _ in range(4):
            table.comes(1)
        await table.heard(AMPLE_S * 1.5)
        for _ in range(8):
            table.leaves(0)
            await table.heard(AMPLE_S * 1.5)
        assert not table.guests


@virtual_time
async def test_places_that_nobody_waits_for_are_kept_again() -> None:
    """Which spares a word to and fro for each question."""
    async with workers_of(at_once=1) as server:
        table = Table(server, 1, 2)
        await table.open()
        table.comes(0)
        table.comes(1)
        await table.heard()
        for _ in range(2):
            table.leaves(0)
            await table.heard()
        assert server.gate.admission.under_way == 0
        await asyncio.sleep(AMPLE_S)
        table.comes(1)
        await table.heard()
        table.leaves(0)
        await table.heard()
        assert server.gate.admission.under_way == 1


TURNS = 40
"""Of the loop, within which a place goes from who leaves it to who is let in."""


@pytest.mark.parametrize("worker", [0, 1])
@virtual_time
async def test_a_place_given_to_one_who_hangs_up_in_that_moment_is_free(worker: int) -> None:
    """In whichever: before the place is free, while it is on its way to who waits, and when that one has it."""
    sat = []
    async with workers_of(at_once=1) as server:
        table = Table(server, 1, 2)
        await table.open()
        for turns in range(TURNS):
            table.comes(0)
            await table.heard()
            table.comes(worker)
            await table.heard()
            (waits,) = table.waiting
            table.leaves(0)
            await asyncio.sleep(NEWS_S)
            for _ in range(turns):
                await asyncio.sleep(0)
            sat.append(waits.sits)
            waits.task.cancel()
            await table.heard()
            assert not table.guests
        assert (sat[0], sat[-1]) == (False, True), "so the moment between was among them"
