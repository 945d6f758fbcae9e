"""What one commit takes, and what comes of it, whichever database writes it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Table

from moot.store.bookkeeping import Booked, Books, CallClaim, Reservation, Settlement
from moot.store.statements import Row


@dataclass(slots=True)
class Group:
    """What one commit takes: calls, rows, money, claims and other work, each with those who wait for it."""

    calls: list[tuple[Row, asyncio.Future[Row]]] = field(default_factory=list)
    puts: dict[Table, list[Row]] = field(default_factory=dict)
    work: list[tuple[Callable[[Connection], Any], asyncio.Future[Any]]] = field(default_factory=list)
    reservations: list[tuple[Reservation, asyncio.Future[bool]]] = field(default_factory=list)
    settlements: list[Settlement] = field(default_factory=list)
    paid: dict[str, Settlement] = field(default_factory=dict)
    """What was reserved for the calls of this group, by their keys."""
    claims: list[tuple[CallClaim, asyncio.Future[bool]]] = field(default_factory=list)
    released: list[CallClaim] = field(default_factory=list)

    @property
    def waiting(self) -> list[asyncio.Future[Any]]:
        asked: tuple[Sequence[tuple[Any, asyncio.Future[Any]]], ...]
        asked = (self.calls, self.work, self.reservations, self.claims)
        return [future for entries in asked for _, future in entries]

    @property
    def size(self) -> int:
        return len(self.work) + self.writes

    @property
    def writes(self) -> int:
        """What goes into the one transaction."""
        money = len(self.reservations) + len(self.settlements)
        claims = len(self.claims) + len(self.released)
        return len(self.calls) + money + claims + sum(map(len, self.puts.values()))

    @property
    def books(self) -> Books:
        reservations = [reservation for reservation, _ in self.reservations]
        return Books(reservations, self.settlements, self.paid, [row for row, _ in self.calls])

    @property
    def all_settlements(self) -> list[Settlement]:
        return [*self.settlements, *self.paid.values()]


@dataclass(frozen=True, slots=True)
class Failed:
    """Work that raised."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a group."""

    written: Written
    worked: list[Any]


@dataclass(frozen=True, slots=True)
class Written:
    """What came of its one transaction."""

    earlier: dict[str, Row] = field(default_factory=dict)
    """Calls that another process had stored before us: theirs stand."""
    granted: Sequence[bool] = ()
    """Of the reservations."""
    claimed: Sequence[bool] = ()
    accounts: Mapping[str, Booked] = field(default_factory=dict)
