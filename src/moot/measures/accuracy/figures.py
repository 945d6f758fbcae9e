"""Accuracy and cost of every cell, how its episodes ended, and what is not graded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from moot.measures.source import Source, Stored
from moot.stats.proportion import accuracy
from moot.store import queries, schema
from moot.types import Estimate


def accuracy_figures(source: Source) -> dict[str, Any]:
    """A row for each cell, and what there is to know about the run as a whole."""
    rows = [accuracy_row(source, cell, source.size) for cell in source.cells]
    models = source.config["models"]
    shown: dict[str, Any] = {
        "experiment": source.name,
        "kind": source.config.get("kind", "production"),
        "questions": source.size,
        "accuracy": rows,
        "failures": [dict(row) for row in queries.failures_of(source.connection, source.name)],
        "bill_usd": bill_usd(source.connection, source.name),
        "simulated": sorted(name for name, spec in models.items() if spec["provider"] == "simulated"),
    }
    for name in ("ungraded", "disputed"):
        if count := sum(row[name] for row in rows):
            shown[name] = count
    return shown


def accuracy_row(source: Source, cell: Stored, size: int) -> dict[str, Any]:
    scores: dict[int, list[float]] = {}
    answered_scores: dict[int, list[float]] = {}
    outcomes: Counter[str] = Counter()
    keys: set[str] = set()
    open_grades: dict[int, int] = {}
    disputed, seconds = 0, 0.0
    for each in source.seen(cell):
        position, right = each.position, each.right
        outcomes[each.outcome] += 1
        seconds += each.seconds
        if right is None:
            open_grades[position] = open_grades.get(position, 0) + 1
            disputed += each.stage == "disputed"
        scores.setdefault(position, []).append(right or 0.0)
        if each.outcome in ("answered", "undecided"):
            answered_scores.setdefault(position, []).append(right or 0.0)
        keys.update(each.calls)
    seed = source.seed
    named = {"strategy": cell["strategy"], "label": cell["label"]}
    named |= {"player": cell["player"]} if cell["player"] else {"team": cell["team"], "captain": cell["captain"]}
    named |= {"cohort": cell["cohort"]} if cell["cohort"] else {}
    return {
        **named,
        **_estimate(accuracy(list(scores.values()), seed=seed)),
        "outcomes": dict(outcomes),
        "missing": size * _plays(source.config, cell) - sum(outcomes.values()),
        "ungraded": sum(open_grades.values()),
        "disputed": disputed,
        **_bounds(scores, open_grades),
        "answered": _estimate(accuracy(list(answered_scores.values()), seed=seed)),
        "seconds": round(seconds, 3),
        **_usage(source, keys),
    }


def _plays(config: Mapping[str, Any], cell: Stored) -> int:
    """How often a question is played: the file's repeats, and those that the strategy has of its own."""
    return int(config.get("repeats", 1)) * cell["traits"].repeats


def _bounds(scores: Mapping[int, Sequence[float]], open_grades: Mapping[int, int]) -> dict[str, Any]:
    """What the accuracy would be with all ungraded answers wrong, and with all of them right.

    An ungraded answer is not known to be right, so the accuracy itself is the lower of the two.
    """
    if not open_grades:
        return {}
    low = sum(sum(values) / len(values) for values in scores.values()) / len(scores)
    gain = sum(count / len(scores[position]) for position, count in open_grades.items()) / len(scores)
    return {"bounds": {"low": low, "high": low + gain}}


def _estimate(estimate: Estimate) -> dict[str, Any]:
    """A value that does not exist is null, never NaN: JSON has none."""
    value = estimate.value if estimate.n else None
    return {"value": value, "low": estimate.low, "high": estimate.high, "n": estimate.n}


def _usage(source: Source, keys: Collection[str]) -> dict[str, Any]:
    """What these calls took: what the strategy would cost alone. One unknown cost makes the sum unknown."""
    spent = source.spending(keys)
    costs = [each[3] for each in spent if each[3] is not None]
    return {
        "calls": len(spent),
        "prompt_tokens": sum(each[0] for each in spent),
        "completion_tokens": sum(each[1] for each in spent),
        "reasoning_tokens": sum(each[2] for each in spent),
        "cost_usd": math.fsum(costs) if len(costs) == len(spent) else None,
    }


def bill_usd(connection: Connection, name: str) -> float | None:
    from sqlalchemy import func, select

    table = schema.calls
    query = select(func.count(), func.count(table.c.cost_usd), func.sum(table.c.cost_usd))
    calls, costed, cost_usd = connection.execute(query.where(table.c.experiment == name)).one()
    return None if costed < calls else float(cost_usd or 0.0)
