"""The cap on money: no call starts that could cross it.

A call reserves the most it can cost (every byte of the prompt a token, the reply as long as allowed), and gives back
the rest when the bill is known. When only reservations stand in the way a call waits for them; when there is nothing
left to wait for, `BudgetReached` ends the run. An attempt that may be on the provider's bill although no reply came (a
timeout, a reply cut in the middle) is counted at its most, or, where the failure says what it cost, as it says; so is a
reply whose words were not counted. An endpoint that bills more than a call could cost is believed, and trusted less from
then on, by other processes too (the store's `earlier_bills`); `first_bill` sees to it that the first such bill comes before
many calls are under way. A model that the file calls free, and that states a cost all the same, is held by what it has stated:
a list of prices is supposed for it, as many times as its dearest bill asks for. Where nothing cuts a reply, which is no way to
keep to a cap and is allowed only without one, its most is a guess: as long as the longest that this model has given.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from moot.errors import BudgetReached, CallError
from moot.models.attempt import attempting
from moot.models.filtered import FILTERED
from moot.models.limit import COMPLETION_GUESS
from moot.models.model import Model, Wrapper
from moot.stats.written_numbers import dollars, dollars_alike
from moot.types import BillInPart, Price, Reply, Request, Usage

SUPPOSED = Price(1.0, 10.0)
"""How the parts of a bill relate where the file says that there is none: words are dearer than what is read, and by no more."""

ROUNDING = 1e-9
"""Of a dollar, and no more, sums may differ by the order in which they were made."""

TOKENS_AROUND_A_MESSAGE = 16
"""Chat templates put a few tokens around each message."""


def most_tokens(request: Request) -> int:
    """An upper bound on the prompt: no tokeniser makes more tokens than there are bytes."""
    schema = len(str(request.schema).encode("utf-8", "replace")) if request.schema else 0
    return schema + sum(
        len(message.content.encode("utf-8", "replace")) + TOKENS_AROUND_A_MESSAGE for message in request.messages
    )


def most_usd(price: Price, request: Request, reply_tokens: int) -> float:
    """The most that one attempt can cost whose reply is no longer than this."""
    return most_usd_of_tokens(price, most_tokens(request), reply_tokens)


def most_usd_of_tokens(price: Price, prompt_tokens: int, reply_tokens: int) -> float:
    dearest = max(price.prompt, price.cached or 0.0)
    return (prompt_tokens * dearest + reply_tokens * price.completion) / 1e6


def within(cap_usd: float, usd: float) -> bool:
    """Whether so much may be spent. Twenty times five cents are a dollar, also where their sum is a last digit more."""
    return usd <= cap_usd + ROUNDING * min(1.0, cap_usd)


def told_usd(reply: Reply, price: Price | None) -> float | None:
    """What a reply is known to have cost; None: nobody says.

    Words that took no token were not counted: gateways and libraries write 0 where they do not know. A filter's words are its
    own.
    """
    usage = reply.usage
    if usage.completion != 0 or not reply.text or reply.finish == FILTERED or price is None or reply.cost_usd is None:
        return reply.cost_usd
    counts = price.completion > 0 or (not usage.prompt and price.prompt > 0)
    return None if counts and reply.cost_usd <= (price.cost_usd(usage) or 0.0) else reply.cost_usd


def told_in_part(reply: Reply) -> BillInPart:
    """What a reply says of its cost where that is not known."""
    return reply.in_part or BillInPart(0.0, reply.usage.prompt, reply.usage.completion or None)


NOTHING_STATED = BillInPart()


@dataclass(frozen=True, slots=True)
class Hold:
    """Money that is held for one attempt."""

    usd: float
    entry: str = ""
    """Its place in the books, where there are any."""


class Till(Protocol):
    """Whatever keeps to the cap: in this process alone, or in the store for all of them."""

    @property
    def cap_usd(self) -> float:
        """Of what is spent here."""

    billed_before: Mapping[str, float]
    """By model, how many times its most (or supposed price) it is known to have billed, here or in other processes."""

    async def look_around(self) -> None:
        """See what others were billed since."""

    async def reserve(self, amount_usd: float) -> Hold: ...

    def settle(self, hold: Hold, spent_usd: float, *, lost: bool, reply: Reply | None = None) -> None:
        """`lost`: no reply carries what was spent."""

    async def written(self) -> None:
        """Wait until what was settled would be known after a crash."""

    def overcharged(self, model: str, allowed_usd: float, billed_usd: float, times: float) -> None:
        """`times`: how many times its most, or, of a model that the file calls free, its supposed price."""


@dataclass(frozen=True, slots=True)
class Overcharge:
    """What a model billed above the most that its calls could cost."""

    calls: int = 0
    over_usd: float = 0.0
    allowed_usd: float = 0.0
    billed_usd: float = 0.0
    """Of the call that was worst, by how many times."""

    def __add__(self, other: Overcharge) -> Overcharge:
        worse = max(self, other, key=lambda overcharge: (overcharge.times, overcharge.billed_usd))
        together = (self.calls + other.calls, self.over_usd + other.over_usd)
        return Overcharge(*together, worse.allowed_usd, worse.billed_usd)

    @property
    def times(self) -> float:
        if not self.allowed_usd:
            return math.inf if self.billed_usd else 0.0
        return self.billed_usd / self.allowed_usd


class Overcharges:
    """Whoever bills more than it was allowed: believed, and told of."""

    def __init__(self) -> None:
        self.overbilled: dict[str, Overcharge] = {}
        self.billed_before: Mapping[str, float] = {}

    async def look_around(self) -> None:
        """There is nobody beside."""

    def overcharged(self, model: str, allowed_usd: float, billed_usd: float, times: float) -> None:
        overcharge = Overcharge(1, billed_usd - allowed_usd, allowed_usd, billed_usd)
        self.overbilled[model] = self.overbilled.get(model, Overcharge()) + overcharge

    def overcharge_words(self) -> str:
        return "; ".join(_overcharge_words(*each) for each in self.overbilled.items())


def _overcharge_words(model: str, overcharge: Overcharge) -> str:
    if not overcharge.allowed_usd:
        often = f"{dollars(overcharge.over_usd)} in {overcharge.calls} of its calls"
        return (
            f"{model} billed {dollars(overcharge.billed_usd)} for a call that is free by its price in the file, {often}"
        )
    billed, allowed = dollars_alike(overcharge.billed_usd, overcharge.allowed_usd, apart=True)
    often = f"more than allowed in {overcharge.calls} of its calls ({dollars(overcharge.over_usd)} over)"
    return f"{model} billed {billed} for a call that could cost {allowed}, and {often}"


@dataclass(frozen=True, slots=True)
class SpentBeside:
    """What others have spent of the same budget, on an account of their own."""

    budget_usd: float
    """As it stands in the file."""
    usd: float
    by: str


def budget_words(cap_usd: float, spent_usd: float, beside: SpentBeside | None = None) -> str:
    """How a budget stands that has no room left. `cap_usd`: what those had left who are on another account."""
    crossed = "is reached" if within(cap_usd, spent_usd) else "is crossed"
    if beside is None or not beside.usd:
        budget, spent = dollars_alike(cap_usd, spent_usd, apart=True)
        return f"the budget of {budget} {crossed}: {spent} spent"
    budget, spent, others = dollars_alike(beside.budget_usd, spent_usd + beside.usd, beside.usd)
    return f"the budget of {budget} {crossed}: {spent} spent, {others} of it by {beside.by}"


def budget_reached(standing: str, amount_usd: float, overcharges: str = "") -> BudgetReached:
    """`standing`: in words, how the budget stands."""
    return BudgetReached(
        f"{standing}, and the next call could cost {dollars(amount_usd)};"
        " everything so far is kept, raise budget_usd and run again to go on"
        + (f". {overcharges}" if overcharges else "")
    )


class Purse(Overcharges):
    """What may be spent, shared by every model of one process."""

    def __init__(
        self, cap_usd: float, spent_usd: float = 0.0, *, on_loss: Callable[[float], None] | None = None
    ) -> None:
        """`on_loss` hears of every loss as it happens, so that it can be kept whatever becomes of the run."""
        super().__init__()
        self.cap_usd = cap_usd
        self._on_loss = on_loss
        self.on_lost: Callable[[float], None] = lambda usd: None
        """Told of the same where no reply came, for figures of a process that begin with it."""
        self.on_supposed: Callable[[float], None] = lambda usd: None
        """Told of the same where one came, and does not say what it cost."""
        self.spent_usd = spent_usd
        self.reserved_usd = 0.0
        self.lost_usd = 0.0
        """Part of what was spent: attempts that may be on the bill without having given a reply."""
        self._waiting: deque[asyncio.Future[None]] = deque()

    def standing_words(self) -> str:
        return budget_words(self.cap_usd, self.spent_usd)

    async def reserve(self, amount_usd: float) -> Hold:
        while not within(self.cap_usd, self.spent_usd + self.reserved_usd + amount_usd):
            if self.reserved_usd <= 1e-12:
                raise budget_reached(self.standing_words(), amount_usd, self.overcharge_words())
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            await place
        self.reserved_usd += amount_usd
        return Hold(amount_usd)

    async def written(self) -> None:
        """Here nothing outlives the process."""

    def settle(self, hold: Hold, spent_usd: float, *, lost: bool, reply: Reply | None = None) -> None:
        self.reserved_usd = max(0.0, self.reserved_usd - hold.usd)
        self.spent_usd += spent_usd
        if lost and spent_usd:
            self.lost_usd += spent_usd
            (self.on_lost if reply is None else self.on_supposed)(spent_usd)
            if self._on_loss is not None:
                self._on_loss(spent_usd)
        waiting, self._waiting = self._waiting, deque()
        for place in waiting:
            if not place.done():
                place.set_result(None)


class Trust:
    """How far an endpoint keeps to what it was allowed; shared by all models that are asked there.

    Once it has billed more than a call could cost, every later call there is held at as many times its most, so that fewer
    go at once and none goes that could cross the cap in the same way.
    """

    def __init__(self, times: float = 1.0) -> None:
        self.times = times

    def believe(self, times: float) -> None:
        self.times = max(self.times, times)


def trust_in(price: Price) -> Trust:
    """As long as nothing was billed: of one that the file calls free, not even its supposed price is held."""
    return Trust(0.0 if price.free else 1.0)


class Budget(Wrapper):
    """A model whose every call is paid from the purse."""

    def __init__(
        self, inner: Model, purse: Till, price: Price, max_tokens: int | None, trust: Trust | None = None
    ) -> None:
        """`max_tokens` None: nothing cuts a reply."""
        super().__init__(inner)
        self._purse = purse
        self._price = price
        self._max_tokens = max_tokens
        self._longest = COMPLETION_GUESS
        self._trust = trust or trust_in(price)

    async def generate(self, request: Request) -> Reply:
        hold = await self._held(request)
        reply: Reply | None = None
        spent_usd: float | None = None  # until we know better: a cancelled call may be on the bill too
        used, in_part = Usage(), NOTHING_STATED
        with attempting() as attempt:
            try:
                reply = await self.inner.generate(request)
                used = reply.usage
                self._longest = max(self._longest, used.completion or 0)
                spent_usd = told_usd(reply, self._price)
                in_part = told_in_part(reply)
            except BaseException as error:  # one that is given up may have stated its bill, as one that fails
                if (failure := attempt.bill_of(error)) is not None:
                    spent_usd = self._billed_usd(request, failure)
                    in_part = failure.bill_in_part or in_part
                    used = Usage(*failure.billed_tokens) if failure.billed_tokens else used
                elif attempt.held_back:
                    spent_usd = 0.0
                raise
            finally:
                least_usd = in_part.usd if self._price.free else in_part.least_usd(self._price)
                self._check(request, least_usd if spent_usd is None else spent_usd, used)
                billed_usd = self._most_usd(request, in_part) if spent_usd is None else spent_usd
                lost = spent_usd is None or (reply is None and spent_usd > 0)
                self._purse.settle(hold, billed_usd, lost=lost, reply=reply)
                if (
                    reply is None and billed_usd > hold.usd
                ):  # a reply is kept with its bill; till then the books have the hold
                    await self._purse.written()
        return reply

    async def _held(self, request: Request) -> Hold:
        """At the most that is known when it leaves: while it waits for room a bill may come that is above what was known."""
        await self._look_around()
        while True:
            amount_usd = self._most_usd(request)
            try:
                hold = await self._purse.reserve(amount_usd)
            except BudgetReached:
                if self._most_usd(request) > amount_usd:
                    continue  # there is no room for that either; it is told as it is known
                raise
            try:
                await self._look_around()
            except BaseException:
                self._purse.settle(hold, 0.0, lost=False)
                raise
            if hold.usd >= self._most_usd(request) * (1 - 1e-9):
                return hold
            self._purse.settle(hold, 0.0, lost=False)

    async def _look_around(self) -> None:
        await self._purse.look_around()
        self._trust.believe(self._purse.billed_before.get(self.name, 0.0))

    def _billed_usd(self, request: Request, error: CallError) -> float | None:
        """What a failure is known to have cost; None: perhaps something, nobody says what."""
        if error.billed_usd is None:
            return None if error.maybe_billed else 0.0
        if self._max_tokens is None:
            self._longest = max(self._longest, (error.billed_tokens or (0, 0))[1])
        unfinished = error.bill_unfinished and error.billed_usd <= self._most_usd(request)
        return None if unfinished else error.billed_usd

    def _check(self, request: Request, billed_usd: float, used: Usage) -> None:
        """What an endpoint says it has billed is believed, however much it is; also where it says a part of it alone."""
        if not billed_usd:
            return
        if self._price.free:
            times = billed_usd / (SUPPOSED.cost_usd(used) or self._plain_most_usd(request))
            allowed_usd = 0.0
        elif self._max_tokens is None or billed_usd <= (allowed_usd := self._plain_most_usd(request)) * (1 + 1e-6):
            return
        else:
            times = billed_usd / max(allowed_usd, 1e-9)
        self._trust.believe(times)
        self._purse.overcharged(self.name, allowed_usd, billed_usd, times)

    def _most_usd(self, request: Request, in_part: BillInPart = NOTHING_STATED) -> float:
        """`in_part`: what is stated of what it was, so that it may be more than was allowed."""
        most_usd = self._plain_most_usd(request) * self._trust.times
        if in_part.says_nothing or self._price.free:
            return max(most_usd, in_part.usd)
        return max(most_usd, in_part.most_usd(self._listed, most_tokens(request), self._reply_tokens))

    def _plain_most_usd(self, request: Request) -> float:
        return most_usd(self._listed, request, self._reply_tokens)

    @property
    def _listed(self) -> Price:
        return SUPPOSED if self._price.free else self._price

    @property
    def _reply_tokens(self) -> int:
        return self._longest if self._max_tokens is None else self._max_tokens
