"""What a run does with a call that others may be making as well: it asks who holds the claim, and looks before it pays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from sqlalchemy import Table

from moot.errors import GenerationFailed, StoreError
from moot.models.cache import StoredCall
from moot.store import schema
from moot.store.bookkeeping import CallClaim, Settlement
from moot.store.calls import ExperimentCalls
from moot.store.presence import Presence
from moot.store.rows import call_row
from moot.store.statements import Row
from moot.types import Reply, digest


@dataclass
class Present:
    """One who claims: `ours` says, call by call, whether the claim was got."""

    ours: list[bool] = field(default_factory=list)
    claiming: bool = True
    begun: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    async def begin(self, key: str) -> bool:
        self.begun.append(key)
        return self.ours.pop(0)

    def end(self, key: str) -> None:
        self.ended.append(key)

    def kept(self, key: str) -> CallClaim:
        return CallClaim(key, "me")

    def is_sure(self, key: str) -> bool:
        return key == "sure"

    async def is_ours(self, key: str) -> bool:
        return key == "ours"


@dataclass
class Shelf:
    """Rows that are found, one look after the other."""

    present: Present | None = None
    looks: list[Row | None] = field(default_factory=list)
    kept: list[tuple[Row, CallClaim | None]] = field(default_factory=list)
    later: list[tuple[Table, Row]] = field(default_factory=list)
    stands: Row | None = None
    error: StoreError | None = None

    @property
    def presence(self) -> Presence | None:
        return cast(Presence, self.present)

    def want(self, key: str, sample: int | None = None) -> None:
        """It is on the shelf or not."""

    async def find_call(self, key: str) -> Row | None:
        return self.looks.pop(0)

    async def keep_call(self, row: Row, settlement: Settlement | None = None, claim: CallClaim | None = None) -> Row:
        self.kept.append((row, claim))
        if self.error is not None:
            raise self.error
        return self.stands or row

    def put_later(self, rows: Sequence[tuple[Table, Row]]) -> None:
        if self.error is not None:
            raise self.error
        self.later += rows


def stored(text: str, experiment: str = "cup", **held: Any) -> Row:
    return call_row(StoredCall("k", "tom", "{}", Reply(text, **held).keyed("k"), None), experiment)


async def test_who_is_alone_makes_the_call_and_looks_no_more() -> None:
    assert await ExperimentCalls(Shelf(), "cup").begin("k") is None
    present = Present([True], claiming=False)
    assert await ExperimentCalls(Shelf(present), "cup").begin("k") is None
    assert (present.begun, present.ended) == (["k"], [])


async def test_with_company_a_claim_is_followed_by_a_look() -> None:
    """Whoever had the claim before may have stored the call."""
    present = Present([True])
    assert await ExperimentCalls(Shelf(present, [None]), "cup").begin("k") is None
    assert present.ended == [], "it is ours to make"
    found = await ExperimentCalls(Shelf(present := Present([True]), [stored("fine")]), "cup").begin("k")
    assert found is not None
    assert found.text == "fine"
    assert present.ended == ["k"], "nobody has to make it"


async def test_what_another_made_is_taken_and_what_it_gave_up_is_tried_again() -> None:
    found = await ExperimentCalls(Shelf(present := Present([False]), [stored("fine")]), "cup").begin("k")
    assert found is not None
    assert (found.text, present.ended) == ("fine", [])
    shelf = Shelf(present := Present([False, True]), [None, None])
    assert await ExperimentCalls(shelf, "cup").begin("k") is None
    assert present.begun == ["k", "k"]


async def test_a_refusal_of_another_experiment_is_claimed_again_under_a_key_of_its_own() -> None:
    own = digest(["k", "cup"])
    shelf = Shelf(present := Present([True, True]), [stored("no", "other", finish="refusal"), None, None])
    assert await ExperimentCalls(shelf, "cup").begin("k") is None
    assert (present.begun, present.ended) == (["k", own], ["k"])


async def test_whether_a_call_is_ours_is_asked_of_the_presence() -> None:
    alone, among = ExperimentCalls(Shelf(), "cup"), ExperimentCalls(Shelf(Present()), "cup")
    assert [alone.is_sure(key) for key in ("sure", "other")] == [True, True]
    assert [among.is_sure(key) for key in ("sure", "other")] == [True, False]
    assert [await alone.is_ours(key) for key in ("ours", "other")] == [True, True]
    assert [await among.is_ours(key) for key in ("ours", "other")] == [True, False]


async def test_a_claim_ends_with_the_call_its_failure_or_a_store_that_breaks() -> None:
    call = StoredCall("k", "tom", "{}", Reply("fine", cost_usd=0.25).keyed("k"), None)
    shelf = Shelf(present := Present())
    calls = ExperimentCalls(shelf, "cup")
    assert await calls.keep_call(call) is call.reply
    assert [claim for _, claim in shelf.kept] == [CallClaim("k", "me")]
    assert present.ended == [], "it goes in the transaction that keeps the call"
    calls.drop("a")
    await calls.keep_failure("b", "tom", GenerationFailed("no words"))
    assert present.ended == ["a", "b"]
    [(table, row)] = shelf.later
    assert table is schema.failures
    told = {name: row[name] for name in ("key", "experiment", "model", "kind", "message")}
    assert told == {"key": "b", "experiment": "cup", "model": "tom", "kind": "GenerationFailed", "message": "no words"}
    shelf.error = StoreError("full")
    with pytest.raises(StoreError, match="full"):
        await calls.keep_call(call)
    assert present.ended == ["a", "b", "k"]
    ExperimentCalls(Shelf(), "cup").drop("alone")


async def test_the_reply_that_was_stored_first_stands() -> None:
    call = StoredCall("k", "tom", "{}", Reply("ours").keyed("k"), None)
    assert (await ExperimentCalls(Shelf(stands=stored("theirs")), "cup").keep_call(call)).text == "theirs"


async def test_what_is_played_back_costs_nothing_now_and_is_told_with_the_call() -> None:
    heard: list[tuple[float | None, str | None]] = []
    calls = ExperimentCalls(Shelf(), "cup")
    calls.on_cost = lambda usd, call: heard.append((usd, call and call.key))
    await calls.keep_call(StoredCall("a", "tom", "{}", Reply("old", cost_usd=2.0).keyed("a"), None, recorded=True))
    await calls.keep_call(StoredCall("b", "tom", "{}", Reply("new", cost_usd=0.5).keyed("b"), None))
    await calls.keep_call(StoredCall("c", "tom", "{}", Reply("", finish="unrecorded", cost_usd=0.0).keyed("c"), None))
    assert heard == [(0.0, "a"), (0.5, "b"), (0.0, "c")]
    assert (calls.made, calls.cost_usd) == (2, 0.5), "what no recording has was made by nobody"


async def test_a_call_without_a_price_that_brought_no_reply_is_written_down() -> None:
    heard: list[object] = []
    calls = ExperimentCalls(shelf := Shelf(), "cup")
    calls.on_cost = lambda usd, call: heard.append((usd, call))
    calls.lose_unpriced()
    calls.lose_unpriced()
    assert calls.unpriced == 2
    assert heard == [(None, None)] * 2
    assert [(table, row["experiment"], row["calls"]) for table, row in shelf.later] == [
        (schema.unpriced_losses, "cup", 1)
    ] * 2
    shelf.error = StoreError("full")
    calls.lose_unpriced()
    assert calls.unpriced == 3, "a store that cannot write ends the run by itself"
