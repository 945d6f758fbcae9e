"""A round goes on without those who are late: at two thirds, after a period of grace, and as it was once decided."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping

import pytest
from virtual_time import virtual_time

from moot.errors import BudgetReached
from moot.team import attendance
from moot.team.attendance import Quorum, Remembered, until_quorum


@pytest.mark.parametrize(
    ("players", "needed"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 4), (6, 4), (7, 5), (8, 6), (9, 6), (10, 7), (100, 67)]
)
def test_two_thirds_are_rounded_up(players: int, needed: int) -> None:
    assert Quorum.needed(players) == needed
    assert 3 * needed >= 2 * players > 3 * (needed - 1)


Said = tuple[float, bool]
"""After so many seconds, and whether it is usable."""


async def _says(name: str, after_s: float, usable: bool) -> str:
    await asyncio.sleep(after_s)
    return name if usable else ""


def asked(said: Mapping[str, Said]) -> dict[str, Awaitable[str]]:
    return {name: _says(name, *each) for name, each in said.items()}


async def heard(said: Mapping[str, Said], grace_s: float = 60.0) -> tuple[set[str], float]:
    """Who was heard, and how long the round took."""
    clock = asyncio.get_running_loop().time
    began = clock()
    found = await until_quorum(asked(said), Quorum(grace_s), bool)
    return set(found), clock() - began


@pytest.mark.parametrize(
    ("said", "names", "took_s"),
    [
        ({"a": (1, True), "b": (2, True), "c": (3, True)}, "abc", 3),
        ({"a": (1, True), "b": (2, True), "c": (61, True)}, "abc", 61),
        ({"a": (1, True), "b": (2, True), "c": (99, True)}, "ab", 62),
        ({"a": (1, True), "b": (99, True), "c": (99, True)}, "abc", 99),
        ({"a": (1, True), "b": (2, True), "c": (3, True), "d": (99, True)}, "abc", 63),
        ({"a": (1, True), "b": (2, True), "c": (80, True), "d": (99, True)}, "abcd", 99),
        ({"a": (1, True), "b": (2, False), "c": (99, True)}, "abc", 99),
        ({"a": (1, False), "b": (2, False), "c": (3, False)}, "abc", 3),
        ({"a": (7, True)}, "a", 7),
        ({"a": (1, True), "b": (90, True)}, "ab", 90),
        ({}, "", 0),
    ],
)
@virtual_time
async def test_who_is_heard(said: Mapping[str, Said], names: str, took_s: float) -> None:
    found, seconds = await heard(said)
    assert found == set(names)
    assert seconds == pytest.approx(took_s, abs=0.01)


@virtual_time
async def test_the_grace_begins_when_enough_are_heard_and_once() -> None:
    """Who comes within it makes it no longer."""
    said = {**dict.fromkeys("abcd", (1.0, True)), "e": (9.0, True), "f": (12.0, True)}
    assert await heard(said, 10) == (set("abcde"), pytest.approx(11, abs=0.01))


@virtual_time
async def test_without_grace_enough_are_enough() -> None:
    found, seconds = await heard({"a": (1, True), "b": (2, True), "c": (3, True)}, 0)
    assert found == {"a", "b"}
    assert seconds == pytest.approx(2, abs=0.01)


@virtual_time
async def test_who_is_late_is_dropped() -> None:
    dropped: list[str] = []

    async def late() -> str:
        try:
            await asyncio.sleep(1_000)
        except asyncio.CancelledError:
            dropped.append("c")
            raise
        return "c"

    found = await until_quorum({**asked({"a": (1, True), "b": (1, True)}), "c": late()}, Quorum(5), bool)
    assert set(found) == {"a", "b"}
    assert dropped == ["c"]


@virtual_time
async def test_where_the_money_is_at_its_end_the_others_are_heard_first() -> None:
    over: list[str] = []

    async def poor() -> str:
        raise BudgetReached("no more")

    async def paid() -> str:
        await asyncio.sleep(500)
        over.append("paid")
        return "b"

    with pytest.raises(BudgetReached):
        await until_quorum({"a": poor(), "b": paid()}, Quorum(5), bool)
    assert over == ["paid"]


@virtual_time
async def test_it_is_decided_once() -> None:
    remembered, decided = Remembered(), list[str]()

    async def decide() -> tuple[str, ...]:
        decided.append("once")
        await asyncio.sleep(1)
        return ("c",)

    both = await asyncio.gather(remembered.settle("round", decide), remembered.settle("round", decide))
    assert both == [("c",), ("c",)]
    assert await remembered.settle("round", decide) == ("c",)
    assert decided == ["once"]
    await remembered.settle("another round", decide)
    assert decided == ["once", "once"]


async def test_of_very_many_rounds_the_last_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attendance, "MOST_REMEMBERED", 3)
    remembered, decided = Remembered(), list[str]()

    async def settle(key: str) -> None:
        async def decide() -> tuple[str, ...]:
            decided.append(key)
            return ()

        await remembered.settle(key, decide)

    for key in ("1", "2", "3", "4", "2", "4", "1"):
        await settle(key)
    assert decided == ["1", "2", "3", "4", "1"]
