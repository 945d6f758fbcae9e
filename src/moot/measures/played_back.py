"""What was paid here, where some replies were played back from a recording: these cost what they did when they were made.

A bill tells what all calls came to, whoever paid. A cap is on what is paid now, and a bill that stands beside one must say how
much of it that is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from moot.measures.numbers import money
from moot.measures.spending import sum_usd, unpriced_losses
from moot.store.schema import calls

PAID_HERE = "paid_here_usd"


def paid_here_row(connection: Connection, name: str) -> dict[str, float | None]:
    """Null where it is not known of every call; no row where nothing was played back, and the bill is all there is."""
    ours = calls.c.experiment == name
    if connection.execute(select(calls.c.key).where(ours, calls.c.recorded.is_not(None)).limit(1)).first() is None:
        return {}
    paid = connection.execute(select(calls.c.cost_usd).where(ours, calls.c.recorded.is_(None))).scalars().all()
    usd = sum_usd(paid)
    return {PAID_HERE: None if not usd and unpriced_losses(connection, name) else usd}


def played_back_words(figures: Mapping[str, Any]) -> str:
    """What stands behind a bill where that is told; nothing where all of it was paid here, or recorded replies cost nothing."""
    here = figures.get(PAID_HERE)
    if here is None:  # then of a bill that is not known something is, and it may be all theirs
        known = (figures.get("costs_known") or {}).get("at_least_usd")
        return ", with recorded replies, paid when they were made" if PAID_HERE in figures and known else ""
    if figures.get("bill_usd") is None:
        then = ((figures.get("costs_known") or {}).get("at_least_usd") or 0.0) - here
        if then > 0:
            return f"; {money(then)} of what is known was paid when recorded replies were made"
        return "" if here else "; whatever it was, it was paid when recorded replies were made"
    if here == figures.get("bill_usd"):
        return ""
    return f", all {f'but {money(here)} ' if here else ''}of it when recorded replies were made"
