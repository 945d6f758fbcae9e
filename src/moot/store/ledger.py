"""The cap on money, kept in the store: for all processes that spend under one name, and over their deaths.

An attempt is in the books, at the most it can cost, before it is made (`bookkeeping` says how). Where only attempts under
way stand between a call and the cap it waits for them, also for those of other living processes. What a dead process had
under way may be on the bill, and counts as spent. Two accounts may share a cap (`money.account_beside`): each reservation is
weighed against both.
"""

from __future__ import annotations

import asyncio
import math
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from itertools import count

from sqlalchemy import Connection, delete, insert, select, update

from moot.errors import StoreError
from moot.models import receipts
from moot.models.budget import Hold, Overcharges, SpentBeside, budget_reached, budget_words, within
from moot.store import money, schema
from moot.store.bookkeeping import PAY, Reservation, Settlement, day_of, numbered
from moot.store.earlier_bills import EarlierBills, PriceList
from moot.store.holders import living_holders
from moot.store.presence import Presence
from moot.store.statements import at_one_moment, insert_new
from moot.store.store import Store
from moot.types import NOTHING, Reply

AGAIN_S = 1.0
"""The pause before a store that could not be written is tried again."""

POLL_S = 0.3
"""How often others' attempts are looked at when only they stand in the way."""

_payer: ContextVar[str | None] = ContextVar("payer", default=None)


def pays(payer: str) -> None:
    """What this task, and those it starts, ask from now on is on this one's account, beside that of the experiment."""
    _payer.set(payer)


@dataclass(frozen=True, slots=True)
class Paid:
    """A bill that is known. The call that carries it settles it; else it is booked as a loss."""

    ledger: Ledger
    reservation: Reservation
    spent_usd: float

    def with_call(self) -> Settlement:
        return Settlement(self.reservation, self.spent_usd, lost=False)

    def close(self) -> None:
        self.ledger.on_lost(self.spent_usd)
        self.ledger.book(Settlement(self.reservation, self.spent_usd, lost=True))


class Ledger(Overcharges):
    """What may be spent under one name, by all who spend there."""

    def __init__(
        self,
        store: Store,
        presence: Presence,
        experiment: str,
        budget_usd: float,
        held_usd: float,
        beside_usd: float,
        bills: EarlierBills | None = None,
        *,
        with_calls: bool = True,
    ) -> None:
        """`with_calls`: the store keeps them, and each carries what it cost. Else all that is paid is booked by itself."""
        super().__init__()
        self._with_calls = with_calls
        self._bills = bills or EarlierBills(store, {})
        self.billed_before = self._bills.times
        self._budget_usd = budget_usd
        self._beside = money.account_beside(experiment)
        self._beside_usd = beside_usd
        self._held_usd = held_usd
        self._tried_again = -math.inf
        self.lost_usd = 0.0
        self.paid_usd = 0.0
        """What was settled here, and by no other process."""
        """Of this process alone."""
        self._store = store
        self._presence = presence
        self._experiment = experiment
        self._ident, self._numbers = uuid.uuid4().hex, count()
        self._open: dict[str, Reservation] = {}
        self._asked_usd, self._asking = 0.0, 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._looking: asyncio.Task[bool] | None = None
        self.on_paid: Callable[[str, str, float], None] = lambda payer, day, usd: None
        """Hears of all that is paid on somebody's account: who, on which day, how much."""
        self.on_lost: Callable[[float], None] = lambda usd: None
        """Hears of what was paid, or may have been, for what is no kept call."""
        self.on_supposed: Callable[[float], None] = lambda usd: None
        """Hears of the most that a reply can have cost that does not tell it."""
        store.listen(experiment, self._hear)
        if self._beside is not None:
            store.listen(self._beside, self._hear_beside)

    @classmethod
    async def opened(
        cls,
        store: Store,
        experiment: str,
        budget_usd: float,
        lists: Mapping[str, PriceList] = NOTHING,
        *,
        with_calls: bool = True,
    ) -> Ledger:
        """`lists`: by model, what its calls cost by the file."""
        presence = await store.join()
        held_usd = await store.run(partial(open_account, experiment=experiment))
        beside = money.account_beside(experiment)
        beside_usd = 0.0 if beside is None else await store.run(partial(open_account, experiment=beside))
        bills = EarlierBills(store, lists)
        await bills.look()
        return cls(store, presence, experiment, budget_usd, held_usd, beside_usd, bills, with_calls=with_calls)

    def overcharged(self, model: str, allowed_usd: float, billed_usd: float, times: float) -> None:
        super().overcharged(model, allowed_usd, billed_usd, times)
        self._bills.remember(model, times, self._presence.id)

    async def look_around(self) -> None:
        if self._presence.has_company:
            await self._bills.look()

    @property
    def cap_usd(self) -> float:
        """What the budget leaves to this account."""
        return max(0.0, self._budget_usd - self._beside_usd)

    @property
    def reserved_usd(self) -> float:
        return sum(reservation.usd for reservation in self._open.values())

    @property
    def spent_usd(self) -> float:
        """With what others have under way, which may be spent."""
        return self._held_usd - self.reserved_usd

    def standing_words(self) -> str:
        beside = SpentBeside(self._budget_usd, self._beside_usd, money.who_spends_beside(self._experiment))
        return budget_words(self.cap_usd, self.spent_usd, beside)

    def _fits(self, amount_usd: float) -> bool:
        return within(self._budget_usd, self._held_usd + self._beside_usd + self._asked_usd + amount_usd)

    async def reserve(self, amount_usd: float) -> Hold:
        if not self._with_calls:
            await self._try_again()
        while True:
            if self._fits(amount_usd):
                if (reservation := await self._ask(amount_usd)) is not None:
                    return Hold(amount_usd, reservation.id)
            elif self._open or self._asking:
                place = asyncio.get_running_loop().create_future()
                self._waiting.append(place)
                await place
            elif not await self._others_may_give_back(amount_usd) and not (self._open or self._asking):
                # Else calls of ours that cost less have left while the store was looked at, and may give something back.
                raise budget_reached(self.standing_words(), amount_usd, self.overcharge_words())

    async def _ask(self, amount_usd: float) -> Reservation | None:
        ident = f"{self._ident}-{next(self._numbers)}"
        whose = (self._presence.id, _payer.get(), self._beside)
        reservation = Reservation(ident, self._experiment, amount_usd, self._budget_usd, *whose)
        asked = self._store.reserve(reservation)
        self._asked_usd += amount_usd
        self._asking += 1
        try:
            granted = await asyncio.shield(asked)
        except asyncio.CancelledError:
            asked.add_done_callback(partial(self._give_back, reservation))
            raise
        finally:
            self._asking -= 1
            self._asked_usd = self._asked_usd - amount_usd if self._asking else 0.0
            self._wake()
        if granted:
            self._open[ident] = reservation
        return reservation if granted else None

    def _give_back(self, reservation: Reservation, asked: asyncio.Future[bool]) -> None:
        """Whoever asked did not wait for the answer."""
        if not asked.cancelled() and asked.exception() is None and asked.result():
            self._open[reservation.id] = reservation
            self.book(Settlement(reservation, 0.0, lost=False))

    def settle(self, hold: Hold, spent_usd: float, *, lost: bool, reply: Reply | None = None) -> None:
        reservation = self._open[hold.entry]
        self.paid_usd += spent_usd
        if reservation.payer is not None and spent_usd:
            self.on_paid(reservation.payer, day_of(reservation.created_at), spent_usd)
        collected = receipts.current()
        if self._with_calls and reply is not None and not lost and collected is not None:
            collected.add(reply, Paid(self, reservation, spent_usd))
            return
        if lost:
            self.lost_usd += spent_usd
            (self.on_lost if reply is None else self.on_supposed)(spent_usd)
        # Without anybody around who keeps the call, the bill stands by itself.
        self.book(Settlement(reservation, spent_usd, lost=lost or spent_usd > 0))

    def book(self, settlement: Settlement) -> None:
        self._store.settle(settlement)

    async def written(self) -> None:
        with suppress(StoreError):  # it is told to whoever asks next, and tried again
            await self._store.flush()

    def _hear(self, held_usd: float | None, settled: Sequence[str]) -> None:
        if held_usd is not None:
            self._held_usd = held_usd
        for ident in settled:
            self._open.pop(ident, None)
        self._wake()

    def _hear_beside(self, held_usd: float | None, settled: Sequence[str]) -> None:
        if held_usd is not None:
            self._beside_usd = held_usd
            self._wake()

    async def _try_again(self) -> None:
        """A store that could not be written, such as on a full disk: where it keeps the sums alone nobody else tries it again."""
        try:
            self._store.check()
        except StoreError:
            if time.monotonic() < self._tried_again + AGAIN_S:
                raise
            self._tried_again = time.monotonic()
            await self._store.again()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, deque()
        for place in waiting:
            if not place.done():
                place.set_result(None)

    async def _others_may_give_back(self, amount_usd: float) -> bool:
        """Look, once for all who wait; True: it is worth another try, after a pause if need be."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        others_at_work = await asyncio.shield(self._looking)
        fits = self._fits(amount_usd)
        if others_at_work and not fits:
            await asyncio.sleep(POLL_S)
        return others_at_work or fits

    async def refresh(self) -> None:
        """See what others have spent."""
        await self._look()

    async def _look(self) -> bool:
        look = partial(standing, holder=self._presence.id)
        self._held_usd, others_usd = await self._store.run(partial(look, experiment=self._experiment))
        if self._beside is not None:
            self._beside_usd, others_beside_usd = await self._store.run(partial(look, experiment=self._beside))
            others_usd += others_beside_usd
        return others_usd > 0


def open_account(connection: Connection, experiment: str) -> float:
    """All that was spent or may have been, added up once. What the dead had under way becomes a loss.

    Money in a store that is a stranger's, or was changed by hand, is refused here, before the first call.
    """
    table = schema.accounts
    first = {"experiment": experiment, "held_usd": 0.0}
    insert_new(table, tuple(first), connection.dialect.name).execute(connection, [first])
    ours = table.c.experiment == experiment
    connection.execute(select(table.c.held_usd).where(ours).with_for_update()).one()  # others who pay wait from here on
    money.refuse_odd_money(connection, schema.payments.c.usd)
    _bury(connection, experiment)
    held_usd = money.spent_usd(connection, experiment)
    connection.execute(update(table).where(ours).values(held_usd=held_usd))
    return held_usd


def _bury(connection: Connection, experiment: str) -> None:
    table = schema.reservations
    living = living_holders(connection)
    rows = connection.execute(select(table).where(table.c.experiment == experiment)).mappings().all()
    for row in rows:
        if row["holder"] in living:
            continue
        loss = {name: row[name] for name in ("experiment", "usd", "created_at")}
        connection.execute(insert(schema.losses).values(**loss))
        if row["payer"] is not None:
            pay = PAY if connection.dialect.name == "sqlite" else numbered(PAY)
            connection.exec_driver_sql(pay, (row["payer"], day_of(row["created_at"]), row["usd"]))
        connection.execute(delete(table).where(table.c.id == row["id"]))


def standing(connection: Connection, experiment: str, holder: str) -> tuple[float, float]:
    """What is held under this name, and how much of it others who are alive have under way.

    At one moment: what is given back between two queries would be held, and by nobody who could still give it back.
    """
    at_one_moment(connection)
    accounts, table = schema.accounts, schema.reservations
    held_usd = connection.execute(select(accounts.c.held_usd).where(accounts.c.experiment == experiment)).scalar()
    of_others = select(table.c.holder, table.c.usd).where(table.c.experiment == experiment, table.c.holder != holder)
    living = living_holders(connection)
    others = connection.execute(of_others).all()  # one by one: of a sum nobody sees what it is made of
    return float(held_usd or 0.0), sum(usd for name, usd in others if name in living)


def paid_on(connection: Connection, payer: str, day: str) -> float:
    """What was paid on this one's account on a day, settled or under way: at one moment, else it may seem neither."""
    at_one_moment(connection)
    table, under_way = schema.payments, schema.reservations
    settled = connection.execute(select(table.c.usd).where(table.c.payer == payer, table.c.day == day)).scalar()
    rows = connection.execute(select(under_way.c.usd, under_way.c.created_at).where(under_way.c.payer == payer)).all()
    under_way_usd = sum(float(usd) for usd, created_at in rows if day_of(created_at) == day)
    return float(settled or 0.0) + under_way_usd
