"""How a run stands while it goes on: what a page that watches it shows.

Every figure is the report's. Nothing is claimed before all is played: what is under way is what takes longest, and that is more
often wrong, so that accuracies and intervals are those of what was fast. No option is put before another.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select

from moot.data.clusters import dealing_names
from moot.experiment.side_names import ClaimError
from moot.measures.accuracy.figures import accuracy_figures
from moot.measures.cells import Stored
from moot.measures.claims.headline_alone import headline_alone
from moot.measures.claims.without_members import WithoutMembers
from moot.measures.columns import names_teams, titled
from moot.measures.facts.figures import LOST_OR_UNDER_WAY, losses_words, unknown_cost_words
from moot.measures.numbers import money, money_alike, right
from moot.measures.played_back import PAID_HERE, played_back_words
from moot.measures.sides import cells_named
from moot.measures.source import Source
from moot.report.nothing_played import all_failed, nothing_words
from moot.report.stored_runs import state_words
from moot.report.uncollected import uncollected
from moot.stats.clusters import clustered
from moot.store import queries, schema
from moot.store.rows import facts_of, known_latency_s
from moot.store.statements import Row
from moot.types import UNRECORDED

RECENT_S = 600.0
"""How long ago a reply may have come to say something about how quick an endpoint is now."""
SLOWER = 2.0
"""So many times as slow as the next is said to be slow."""
OF_WHAT_WAS_FAST = (
    "So far, from the fast answers only: slow ones are missing, and are more often wrong. The intervals do not allow"
    " for that. Nothing is claimed until everything is played."
)
STOPPED = "So far: the run was stopped, with nothing left half-played. moot report shows its interim results."


def so_far(connection: Connection, experiment: Row, now: float) -> dict[str, Any]:
    """`now`: in seconds since 1970, as the store dates what it holds."""
    with uncollected():
        source = Source(connection, experiment)
        with clustered(source.clusters, dealing_names(source.cases.items())):
            taken = WithoutMembers.of(source).figures(accuracy_figures(source))
            missing = sum(row["missing"] for row in taken["accuracy"])
            runs = queries.runs_of(connection, source.ident)
            state = runs[-1]["state"] if runs else "not run"
            over = not missing and state != "running"
            headline = headline_alone(source) if over and not source.nothing_played else None
            declared = {cell["id"] for cell in _declared(source)}
    played = sum(sum(row["outcomes"].values()) for row in taken["accuracy"])
    failed = sum(row["outcomes"].get("failed", 0) for row in taken["accuracy"])
    standing = {"state": state, "missing": missing, "failed": failed, "episodes": played}
    return {
        "experiment": source.name,
        "questions": source.size,
        **standing,
        "over": over,
        "words": state_words(standing),
        "notes": _notes(taken, over, headline, stopped=state != "running" and not source.cut_short),
        "simulated": taken["simulated"],
        "accuracy": [
            {**_shown(row, team=names_teams(taken)), "declared": cell["id"] in declared}
            for row, cell in zip(taken["accuracy"], source.cells, strict=True)
        ],
        "bill_usd": taken["bill_usd"],
        **({"costs_known": taken["costs_known"]} if "costs_known" in taken else {}),
        **{key: taken[key] for key in (PAID_HERE,) if key in taken},
        **{key: taken[key] for key in ("losses_usd", "losses_unknown", "losses_known_usd") if key in taken},
        "spent": _spent(taken, source.config.get("budget_usd"), LOST_OR_UNDER_WAY if state == "running" else None),
        "models": _models(connection, source, taken["failures"], now),
        "started_at": runs[-1]["started_at"] if runs else None,
        "cause": facts_of(runs[-1]).get("cause") if runs else None,
        "at": now,
    }


def _declared(source: Source) -> list[Stored]:
    """What the file declares its primary. It is marked, and not put before the others."""
    primary = source.config.get("primary")
    try:
        return cells_named(primary, source.cells) if primary else []
    except ClaimError:  # of another plan under this name
        return []


def _notes(taken: Mapping[str, Any], over: bool, headline: Mapping[str, Any] | None, *, stopped: bool) -> list[str]:
    """The verdict where there is one to be told; else why there is none."""
    if plays := all_failed(taken):
        return [nothing_words(plays)]
    if headline is not None:
        return list(headline["words"])
    return [] if over else [STOPPED if stopped else OF_WHAT_WAS_FAST]


def _shown(row: Mapping[str, Any], *, team: bool) -> dict[str, Any]:
    kept = (
        *("value", "low", "high", "n", "outcomes", "missing", "ungraded", "why", "bounds"),
        *("calls", "cost_usd", "costs_known", "calls_per_question", "usd_per_question"),
    )
    return {"of": titled(row, team=team), **{key: row[key] for key in kept if key in row}, "words": right(row).lstrip()}


def _spent(taken: Mapping[str, Any], budget_usd: float | None, whose: str | None) -> str:
    """`whose`: of which calls the losses are."""
    bill_usd: float | None = taken["bill_usd"]
    more = losses_words(bill_usd, taken, whose)
    here_usd: float | None = taken.get(PAID_HERE, bill_usd)
    known = unknown_cost_words(taken.get("costs_known")) if bill_usd is None else f"{money(bill_usd)} spent"
    if here_usd is None or budget_usd is None:
        return f"{known}{played_back_words(taken)}{more}"
    spent, cap = money_alike([here_usd, budget_usd])
    whole = f", {known.removesuffix(' spent')} with recorded replies" if here_usd != bill_usd else ""
    return f"{spent} of {cap} spent{more}{whole}"


def _models(
    connection: Connection, source: Source, failures: Sequence[Mapping[str, Any]], now: float
) -> list[dict[str, Any]]:
    """Every model that was asked: how often, how long its replies took of late, when the last one came, what failed."""
    calls = schema.calls
    columns = (calls.c.model, calls.c.latency_s, calls.c.created_at, calls.c.recorded)
    query = select(*columns).where(calls.c.experiment == source.name, calls.c.finish != UNRECORDED)
    replies: dict[str, list[tuple[float, float | None]]] = {name: [] for name in source.config["models"]}
    for model, latency_s, created_at, recorded in connection.execute(query):
        replies.setdefault(model, []).append((created_at, known_latency_s(latency_s, recorded)))
    rows = [_model(name, timed, failures, now) for name, timed in replies.items()]
    shown = [row for row in rows if row["replies"] or row["failed"]]
    _mark_slow(shown)
    return shown


def _model(
    name: str, timed: Sequence[tuple[float, float | None]], failures: Sequence[Mapping[str, Any]], now: float
) -> dict[str, Any]:
    recent = sorted(latency for at, latency in timed if at > now - RECENT_S and latency is not None)
    last = max((at for at, _ in timed), default=None)
    causes = [{key: row[key] for key in ("kind", "times", "message")} for row in failures if row["model"] == name]
    return {
        "model": name,
        "replies": len(timed),
        "median_s": _quantile(recent, 0.5),
        "slow_s": _quantile(recent, 0.9),
        "recent": len(recent),
        "last_s": None if last is None else max(0.0, now - last),
        "failed": sum(cause["times"] for cause in causes),
        "failures": causes,
        "slow": False,
    }


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    """The least that so large a share of them does not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


def _mark_slow(rows: Sequence[dict[str, Any]]) -> None:
    timed = sorted((row for row in rows if row["median_s"] is not None), key=lambda row: float(row["median_s"]))
    if len(timed) > 1 and timed[-1]["median_s"] >= SLOWER * max(timed[-2]["median_s"], 0.05):
        timed[-1]["slow"] = True
