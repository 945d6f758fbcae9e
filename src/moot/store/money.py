"""What an experiment has paid, as its store says; and that no row of a stranger lifts a cap."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Float, FromClause, and_, func, or_, select, true

from moot.store import schema
from moot.store.columns import CostColumn, refusal


def asked_account(experiment: str) -> str:
    """What is asked of a file's team by hand is kept, and can be forgotten, apart from its runs; they share one cap."""
    return f"{experiment}:asked"


def bought_account(experiment: str) -> str:
    """What is bought to be advised is paid by itself: no part of it is a part of the file's budget, nor of its runs."""
    return f"{experiment}:bought"


def served_account(experiment: str) -> str:
    """What a served team is asked has the file's cap once more, for itself."""
    return f"{experiment}:served"


def account_beside(experiment: str) -> str | None:
    """Who spends from the same cap under another name: of runs what is asked, and the other way round."""
    if experiment.endswith((served_account(""), bought_account(""))):
        return None
    runs = experiment.removesuffix(asked_account(""))
    return asked_account(runs) if runs == experiment else runs


def who_spends_beside(experiment: str) -> str:
    """In words, whose the other name is. Play is asked where the file names no store, and stands with its runs where it does."""
    return "runs or moot play" if experiment.endswith(asked_account("")) else "moot ask or moot play"


def spent_usd(connection: Connection, experiment: str) -> float:
    """What this experiment has paid so far, or may have, by name: all its files and runs together.

    A database adds up what is no amount too: a text as nothing, and what is below nothing lifts a cap.
    """
    return _sum_usd(connection, experiment, (*_SETTLED, schema.reservations.c.usd))


def settled_usd(connection: Connection, experiment: str) -> float:
    """The same without what is held for calls under way: of those nobody knows yet what they cost."""
    return _sum_usd(connection, experiment, _SETTLED)


def lost_usd(connection: Connection, experiment: str) -> float:
    """What of that is booked, at the most it can be, for attempts that no stored reply carries."""
    return _sum_usd(connection, experiment, (schema.losses.c.usd,))


_SETTLED = (schema.calls.c.cost_usd, schema.losses.c.usd)


def _sum_usd(connection: Connection, experiment: str, columns: Iterable[Column[Any]]) -> float:
    spent = 0.0
    for column in columns:
        ours = column.table.c.experiment == experiment
        refuse_odd_money(connection, column, ours)
        ours = and_(ours, paid_here(column.table))
        spent += float(connection.execute(select(func.sum(column, type_=Float)).where(ours)).scalar() or 0.0)
    return spent


def paid_here(table: FromClause) -> ColumnElement[bool]:
    """Which of its rows are paid under their name: a reply that is played back was paid when it was made, by whoever did."""
    return table.c.recorded.is_(None) if table is schema.calls else true()


def refuse_odd_money(connection: Connection, column: Column[Any], *which: ColumnElement[bool]) -> None:
    """StoreUnreadable where a row of these holds what moot cannot have written."""
    kind = column.type
    assert isinstance(kind, CostColumn), "a column of money"
    odd: ColumnElement[bool] = or_(column < 0, column > kind.most)  # of PostgreSQL's numbers NaN is the largest
    if connection.dialect.name == "sqlite":
        odd = or_(odd, func.typeof(column).not_in(("real", "integer", "null")))
    for value in connection.execute(select(column).where(odd, *which).limit(1)).scalars():
        raise refusal(kind.place, kind.expected, value)  # where the column itself has not
