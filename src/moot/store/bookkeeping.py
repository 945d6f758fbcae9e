"""What one commit does to the money and to the claims: decided here, written by whichever database keeps the store.

Money is reserved in the books before a call is made and stands there as spent until the bill is known. The reservation
is struck out in the very transaction that keeps the call, which carries its cost from then on; an attempt that may be on
the bill without a reply becomes a loss. So calls, losses and reservations together are never less than what was spent,
at whatever moment a process ends. Their sum is kept beside them (`accounts`), because nobody can add up a million calls
before each new one; all processes of a store check the cap against that one number.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from moot.models.budget import within
from moot.store.statements import Row

FIND_ACCOUNTS = "SELECT experiment, held_usd FROM accounts WHERE experiment IN ({})"
STRIKE = "DELETE FROM reservations WHERE id = ?"
RESERVED = ("id", "experiment", "usd", "holder", "payer", "created_at")
RESERVE = f"INSERT INTO reservations ({', '.join(RESERVED)}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
LOSE = "INSERT INTO losses (experiment, usd, created_at) VALUES (?, ?, ?)"
HOLD = "UPDATE accounts SET held_usd = ? WHERE experiment = ?"
PAY = (
    "INSERT INTO payments (payer, day, usd) VALUES (?, ?, ?) "
    "ON CONFLICT (payer, day) DO UPDATE SET usd = payments.usd + excluded.usd"
)
CLAIM = "INSERT INTO claims (key, holder) VALUES (?, ?) ON CONFLICT DO NOTHING"
FIND_CLAIMS = "SELECT key, holder FROM claims WHERE key IN ({})"
RELEASE = "DELETE FROM claims WHERE key = ? AND holder = ?"


def day_of(moment: float) -> str:
    """The day, of UTC, on which something is paid."""
    return time.strftime("%Y-%m-%d", time.gmtime(moment))


def paid_here(row: Row) -> bool:
    """Whether a call has cost what is paid now: one that is played back was paid when it was made, by whoever did."""
    return bool(row["cost_usd"]) and row["recorded"] is None


def numbered(sql: str) -> str:
    """The statement with its places as PostgreSQL counts them."""
    first, *others = sql.split("?")
    return first + "".join(f"${number}{part}" for number, part in enumerate(others, start=1))


@dataclass(frozen=True, slots=True)
class Reservation:
    """The most that one attempt can cost, held for it before it is made."""

    id: str
    experiment: str
    usd: float
    cap_usd: float
    holder: str
    payer: str | None = None
    beside: str | None = None
    """Whose account is under the same cap."""
    created_at: float = field(default_factory=time.time)


@dataclass(frozen=True, slots=True)
class Settlement:
    """What became of a reservation. `lost`: no call is kept that carries the cost."""

    reservation: Reservation
    spent_usd: float
    lost: bool


@dataclass(frozen=True, slots=True)
class CallClaim:
    """A call that somebody wants to make, and who."""

    key: str
    holder: str


@dataclass(slots=True)
class Booked:
    """What a commit did to one experiment's account."""

    held_usd: float
    settled: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Books:
    """The money of one commit."""

    reservations: Sequence[Reservation]
    settlements: Sequence[Settlement]
    paid: Mapping[str, Settlement]
    """By the key of the call that carries the cost."""
    calls: Sequence[Row]

    @property
    def experiments(self) -> list[str]:
        """Whose accounts are touched, in one order everywhere: two processes never wait for each other in a circle."""
        settled = (*self.settlements, *self.paid.values())
        return sorted(
            {reservation.experiment for reservation in self.reservations}
            | {reservation.beside for reservation in self.reservations if reservation.beside is not None}
            | {settlement.reservation.experiment for settlement in settled}
            | {row["experiment"] for row in self.calls if paid_here(row)}
        )

    def close(self, held_usd: Mapping[str, float], kept_by_others: AbstractSet[str]) -> ClosedBooks:
        """`held_usd` by experiment, where there is an account; `kept_by_others`: calls that were stored before ours."""
        closed = ClosedBooks({name: Booked(held) for name, held in held_usd.items()})
        for settlement in self._all_settlements(kept_by_others):
            closed.settle(settlement)
        kept = set(kept_by_others)
        for row in self.calls:
            if paid_here(row) and row["key"] not in self.paid:
                closed.charge(row, lost=row["key"] in kept)
            kept.add(row["key"])  # of two with one key the first stands
        for reservation in self.reservations:
            closed.reserve(reservation)
        return closed

    def _all_settlements(self, kept_by_others: AbstractSet[str]) -> Iterable[Settlement]:
        yield from self.settlements
        for key, settlement in self.paid.items():
            lost = settlement.lost or key in kept_by_others
            yield Settlement(settlement.reservation, settlement.spent_usd, lost)


class ClosedBooks:
    """What came of it: accounts as they are now, who was granted what, and the statements that write it down."""

    def __init__(self, accounts: dict[str, Booked]) -> None:
        self.accounts = accounts
        self._before = {name: account.held_usd for name, account in accounts.items()}
        self.granted: list[bool] = []
        self._rows: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        self._payments: dict[tuple[str, str], float] = defaultdict(float)

    def settle(self, settlement: Settlement) -> None:
        reservation, spent_usd = settlement.reservation, settlement.spent_usd
        self._rows[STRIKE].append((reservation.id,))
        if settlement.lost and spent_usd:
            self._rows[LOSE].append((reservation.experiment, spent_usd, time.time()))
        if reservation.payer is not None and spent_usd:
            self._payments[reservation.payer, day_of(reservation.created_at)] += spent_usd
        account = self.accounts.setdefault(reservation.experiment, Booked(0.0))
        # What was held is given back; sums of other orders may differ by a last digit, and nobody owes us anything.
        account.held_usd = max(0.0, account.held_usd + spent_usd - reservation.usd)
        account.settled.append(reservation.id)

    def charge(self, row: Row, *, lost: bool) -> None:
        """A call that was paid for without a reservation: there was no cap where it was made."""
        if lost:
            self._rows[LOSE].append((row["experiment"], row["cost_usd"], time.time()))
        if (account := self.accounts.get(row["experiment"])) is not None:
            account.held_usd += row["cost_usd"]

    def reserve(self, reservation: Reservation) -> None:
        account = self.accounts.setdefault(reservation.experiment, Booked(0.0))
        beside = self.accounts.get(reservation.beside or "")
        held_usd = account.held_usd + (0.0 if beside is None else beside.held_usd)
        granted = within(reservation.cap_usd, held_usd + reservation.usd)
        self.granted.append(granted)
        if granted:
            account.held_usd += reservation.usd
            row = (reservation.id, reservation.experiment, reservation.usd, reservation.holder, reservation.payer)
            self._rows[RESERVE].append((*row, reservation.created_at))

    def statements(self) -> Iterable[tuple[str, list[tuple[Any, ...]]]]:
        yield from self._rows.items()
        if self._payments:
            yield PAY, [(payer, day, usd) for (payer, day), usd in sorted(self._payments.items())]
        held = {name: account.held_usd for name, account in sorted(self.accounts.items())}
        if changed := [(usd, name) for name, usd in held.items() if usd != self._before.get(name)]:
            yield HOLD, changed
