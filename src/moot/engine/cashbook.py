"""Where money is counted: in the store that keeps the calls or, where nobody keeps them, in that of the file's runs.

A cap holds over processes, so what was spent under it must outlast each of them. Of calls that are thrown away it stays as a sum,
without a word of what was asked.
"""

from __future__ import annotations

from moot.engine.chain import may_cost, purse_of
from moot.experiment.plan import Plan
from moot.models.budget import Purse
from moot.store import money
from moot.store.ledger import Ledger
from moot.store.store import Store


class Cashbook:
    """That of a play whose calls stand in `calls`."""

    def __init__(self, plan: Plan, calls: Store) -> None:
        self._plan, self._calls = plan, calls
        self._apart: Store | None = None

    async def purse(self, name: str, cap_usd: float | None) -> Ledger | Purse | None:
        """What is left under this name."""
        models = self._plan.models
        if cap_usd is None or self._calls.lasts or not any(may_cost(built) for built in models.values()):
            return await purse_of(self._calls, name, cap_usd, models)
        self._apart = await self._plan.store().open()
        # Under the name of its runs a report would tell these sums as calls of theirs that were cut off.
        account = money.asked_account(name) if name == self._plan.name else name
        return await purse_of(self._apart, account, cap_usd, models, with_calls=False)

    async def close(self) -> None:
        """Whatever was spent is written."""
        if self._apart is not None:
            await self._apart.close()
            self._apart = None
