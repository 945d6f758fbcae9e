"""The books of one commit, accounts and their caps, and who holds what: sums that are worked out by hand."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from small_store import fill, small_store
from sqlalchemy import Connection, select

from moot.store import holders, money, schema
from moot.store.bookkeeping import HOLD, LOSE, PAY, RESERVE, STRIKE, Books, Reservation, Settlement, day_of, numbered
from moot.store.ledger import open_account, paid_on, standing


@pytest.fixture
def small() -> Iterator[Connection]:
    with small_store() as connection:
        yield connection


def held(ident: str, usd: float, experiment: str = "cup", cap_usd: float = 1.0, **more: Any) -> Reservation:
    return Reservation(ident, experiment, usd, cap_usd, "me", created_at=0.0, **more)


def call(key: str, usd: float | None, experiment: str = "cup", recorded: int | None = None) -> Mapping[str, Any]:
    return {"key": key, "experiment": experiment, "cost_usd": usd, "recorded": recorded}


def closed(books: Books, accounts: Mapping[str, float], *kept_by_others: str) -> Any:
    return books.close(accounts, set(kept_by_others))


def written(ended: Any) -> dict[str, list[tuple[Any, ...]]]:
    """By statement, without the time at which a loss is written down."""
    return {sql: [row[:2] if sql == LOSE else row for row in rows] for sql, rows in ended.statements()}


# --- the books of one commit ------------------------------------------------------------------------------------------


def test_reservations_are_granted_one_after_the_other_up_to_the_cap() -> None:
    asked = [held("a", 0.5), held("b", 0.75), held("c", 0.25, payer="ann"), held("d", 0.125)]
    ended = closed(Books(asked, [], {}, []), {"cup": 0.25})
    assert ended.granted == [True, False, True, False]
    assert ended.accounts["cup"].held_usd == 1.0
    assert written(ended) == {
        RESERVE: [("a", "cup", 0.5, "me", None, 0.0), ("c", "cup", 0.25, "me", "ann", 0.0)],
        HOLD: [(1.0, "cup")],
    }


def test_two_accounts_under_one_cap_are_weighed_together_and_others_are_not() -> None:
    together = held("a", 0.5, beside="cup:asked")
    assert closed(Books([together], [], {}, []), {"cup": 0.25, "cup:asked": 0.25}).granted == [True]
    assert closed(Books([together], [], {}, []), {"cup": 0.25, "cup:asked": 0.375}).granted == [False]
    assert closed(Books([held("a", 0.5)], [], {}, []), {"cup": 0.25, "cup:asked": 9.0}).granted == [True]
    assert closed(Books([together], [], {}, []), {}).granted == [True], "nobody has spent anything yet"


def test_what_is_settled_is_given_back_and_only_what_no_call_carries_is_a_loss() -> None:
    kept, lost, free = held("a", 0.5), held("b", 0.25, payer="ann"), held("c", 0.125, payer="ann")
    settled = [Settlement(lost, 0.125, lost=True), Settlement(free, 0.0, lost=True)]
    books = Books([], settled, {"k": Settlement(kept, 0.25, lost=False)}, [call("k", 0.25)])
    ended = closed(books, {"cup": 1.0})
    assert ended.accounts["cup"].held_usd == 1.0 - 0.125 - 0.125 - 0.25
    assert ended.accounts["cup"].settled == ["b", "c", "a"]
    assert written(ended) == {
        STRIKE: [("b",), ("c",), ("a",)],
        LOSE: [("cup", 0.125)],
        PAY: [("ann", "1970-01-01", 0.125)],
        HOLD: [(0.5, "cup")],
    }


def test_a_bill_for_a_call_that_another_had_stored_before_is_a_loss() -> None:
    books = Books([], [], {"k": Settlement(held("a", 0.5), 0.25, lost=False)}, [call("k", 0.25)])
    assert LOSE not in written(closed(books, {"cup": 1.0}))
    assert written(closed(books, {"cup": 1.0}, "k"))[LOSE] == [("cup", 0.25)]


def test_calls_without_a_reservation_are_charged_where_there_is_an_account() -> None:
    """Of two with one key the first stands, and the other's bill is a loss."""
    calls = [call("k", 0.25), call("k", 0.5), call("l", 0.125, "other"), call("m", None), call("n", 0.5, recorded=1)]
    ended = closed(Books([], [], {}, calls), {"cup": 1.0})
    assert ended.accounts["cup"].held_usd == 1.75
    assert written(ended) == {LOSE: [("cup", 0.5)], HOLD: [(1.75, "cup")]}
    assert written(closed(Books([], [], {}, calls[2:3]), {}, "l")) == {LOSE: [("other", 0.125)]}


def test_nobody_owes_us_anything_and_an_account_that_did_not_change_is_not_written() -> None:
    settled = [Settlement(held("a", 0.3), 0.0, lost=False)]
    assert written(closed(Books([], settled, {}, []), {"cup": 0.2}))[HOLD] == [(0.0, "cup")]
    assert written(closed(Books([held("a", 2.0)], [], {}, []), {"cup": 0.5, "far": 1.0})) == {}


def test_whose_accounts_a_commit_touches_in_one_order() -> None:
    books = Books(
        [held("a", 0.5, "d", beside="b"), held("b", 0.5, "e")],
        [Settlement(held("c", 0.5, "c"), 0.0, lost=False)],
        {"k": Settlement(held("d", 0.5, "f"), 0.25, lost=False)},
        [call("k", 0.25, "a"), call("l", 0.0, "free"), call("m", 0.5, "played back", recorded=2)],
    )
    assert books.experiments == ["a", "b", "c", "d", "e", "f"]


def test_places_are_counted_as_postgresql_counts_them() -> None:
    assert numbered("a = ? AND b = ?") == "a = $1 AND b = $2"
    assert numbered("none") == "none"
    assert [day_of(0.0), day_of(86_399.0), day_of(86_400.0)] == ["1970-01-01", "1970-01-01", "1970-01-02"]


# --- accounts ---------------------------------------------------------------------------------------------------------


def test_who_shares_a_cap_with_whom() -> None:
    assert money.account_beside("cup") == "cup:asked"
    assert money.account_beside("cup:asked") == "cup"
    assert [money.account_beside(name("cup")) for name in (money.served_account, money.bought_account)] == [None, None]
    assert money.who_spends_beside("cup") == "moot ask or moot play"
    assert money.who_spends_beside("cup:asked") == "runs or moot play"


@pytest.fixture
def spent(small: Connection) -> Connection:
    """Two processes: `me` is alive, `gone` was silent for a minute."""
    now = time.time()
    fill(small, schema.holders, {"id": "me", "beat_at": now}, {"id": "other", "beat_at": now})
    fill(small, schema.holders, {"id": "gone", "beat_at": now - 60})
    fill(small, schema.calls, {"key": "a", "cost_usd": 0.5}, {"key": "b", "cost_usd": None})
    fill(small, schema.calls, {"key": "c", "cost_usd": 8.0, "recorded": 1})
    fill(small, schema.calls, {"key": "d", "cost_usd": 4.0, "experiment": "far"})
    fill(small, schema.losses, {"experiment": "cup", "usd": 0.25}, {"experiment": "far", "usd": 2.0})
    reserved = {"experiment": "cup", "payer": "ann"}
    fill(small, schema.reservations, {"id": "r", "usd": 0.125, "holder": "me", **reserved})
    fill(small, schema.reservations, {"id": "s", "usd": 0.0625, "holder": "gone", **reserved})
    fill(small, schema.reservations, {"id": "t", "usd": 1.0, "holder": "other", "experiment": "far"})
    return small


def test_what_was_spent_what_is_settled_and_what_was_lost(spent: Connection) -> None:
    """What is played back was paid by whoever made it."""
    assert money.spent_usd(spent, "cup") == 0.5 + 0.25 + 0.125 + 0.0625
    assert money.settled_usd(spent, "cup") == 0.75
    assert money.lost_usd(spent, "cup") == 0.25
    assert money.spent_usd(spent, "nobody") == 0.0


def test_an_account_is_opened_with_all_that_was_spent_and_what_the_dead_held_is_a_loss(spent: Connection) -> None:
    assert open_account(spent, "cup") == 0.9375
    assert money.lost_usd(spent, "cup") == 0.3125
    assert [*spent.execute(select(schema.reservations.c.id).order_by("id")).scalars()] == ["r", "t"]
    assert [*map(tuple, spent.execute(select(schema.payments)))] == [("ann", "1970-01-01", 0.0625)]
    assert open_account(spent, "cup") == 0.9375, "once"
    assert standing(spent, "cup", "me") == (0.9375, 0.0), "the rest is its own"
    assert standing(spent, "cup", "other") == (0.9375, 0.125)
    assert standing(spent, "far", "me") == (0.0, 1.0), "nobody has opened that account"


def test_what_a_person_paid_on_a_day_settled_or_under_way(spent: Connection) -> None:
    fill(spent, schema.payments, {"payer": "ann", "day": "1970-01-01", "usd": 2.0})
    fill(spent, schema.payments, {"payer": "ann", "day": "1970-01-02", "usd": 4.0})
    assert paid_on(spent, "ann", "1970-01-01") == 2.1875
    assert paid_on(spent, "ann", "1970-01-02") == 4.0
    assert paid_on(spent, "bob", "1970-01-01") == 0.0


# --- who is at work, and whose calls are whose ------------------------------------------------------------------------


def test_others_at_work_are_told_apart(spent: Connection) -> None:
    fill(spent, schema.holders, {"id": "stranger", "party": "theirs", "claiming": 0, "beat_at": time.time()})
    others = holders.others_of(spent, "me", "mine")
    assert (others.living, others.unaware, set(others.gone)) == ({"other", "stranger"}, {"stranger"}, {"gone"})
    own = spent.execute(select(schema.holders.c.beat_at).where(schema.holders.c.id == "me")).scalar()
    assert others.own_beat_at == own
    of_ours = holders.others_of(spent, "new", "ours")
    assert (of_ours.living, of_ours.own_beat_at) == ({"stranger"}, None), "one party never asks the same"
    assert holders.others_of(spent, "me", "mine", now=time.time() - 50).gone == {}, "a silence counts from then on"
    assert holders.living_holders(spent) == {"me", "other", "stranger"}


def test_a_lease_ends_after_fifteen_seconds() -> None:
    row = {"process": '{"host": "elsewhere"}', "beat_at": 100.0}
    assert [holders.is_living(row, now) for now in (100.0, 115.0, 115.1)] == [True, True, False]


def test_what_is_claimed_is_whose(spent: Connection) -> None:
    holders.claim(spent, ["k", "l"], "other")
    holders.claim(spent, ["l", "m"], "me")
    holders.claim(spent, ["n"], "gone")
    assert holders.claimed(spent, ["k", "l", "m", "o"]) == {"k": "other", "l": "other", "m": "me"}
    assert holders.taken(spent, ["a", "k", "m", "o"], "me") == {"a", "k"}, "a is stored"
    silent = {"gone": holders.others_of(spent, "me", "mine").gone["gone"]}
    holders.forget(spent, {"gone": silent["gone"] + 1, "other": 0.0})
    assert holders.claimed(spent, ["n"]) == {"n": "gone"}, "it has given a sign of life since"
    holders.forget(spent, silent)
    assert holders.claimed(spent, ["n", "k"]) == {"k": "other"}
    holders.leave(spent, "other")
    assert holders.claimed(spent, ["k", "l", "m"]) == {"m": "me"}
    assert [*spent.execute(select(schema.holders.c.id)).scalars()] == ["me"]


def test_claims_on_very_many_calls_are_looked_for_in_parts(small: Connection) -> None:
    keys = [str(number) for number in range(1001)]
    holders.claim(small, keys[::100], "other")
    assert set(holders.claimed(small, keys)) == set(keys[::100])
    assert holders.taken(small, keys, "me") == set(keys[::100])
    holders.claim(small, [], "me")
