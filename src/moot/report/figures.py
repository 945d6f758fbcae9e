"""The figures of an experiment, computed from its store: what `moot report --json` prints and every view shows."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from moot.errors import UsageError
from moot.measure.proportion import accuracy
from moot.report.evidence import evidence_figures
from moot.report.facts import prompt_rows
from moot.report.mixture import mixture_figures
from moot.report.plays import Source
from moot.report.positions import position_figures
from moot.report.quiz import judges_figures, quiz_figures
from moot.report.safety import safety_figures
from moot.report.squad import squad_figures
from moot.report.uncollected import uncollected
from moot.store import queries, schema
from moot.store.statements import Row
from moot.types import Estimate

Figures = dict[str, Any]

OF_NO_MATTER = ("hypotheses", "primary", "judge", "budget_usd", "store")
"""Keys of a file that may change without making its run another one."""


def figures(connection: Connection, experiment: Row, *, hypotheses: Iterable[str] = ()) -> Figures:
    """All that is known about an experiment, in the form of the contract. `hypotheses`: those of the file as it is now."""
    with uncollected():
        return _figures(connection, experiment, hypotheses)


def _figures(connection: Connection, experiment: Row, hypotheses: Iterable[str]) -> Figures:
    ident, size = experiment["id"], experiment["size"]
    config = json.loads(experiment["config"])
    grader = grader_of(config)
    cells = queries.cells_of(connection, ident)
    source = Source(connection, experiment, grader)
    rows = [_accuracy_row(source, cell, size) for cell in cells]
    simulated = sorted(name for name, spec in config["models"].items() if spec["provider"] == "simulated")
    runs = queries.runs_of(connection, ident)
    shown = {
        "experiment": experiment["name"],
        "kind": config.get("kind", "production"),
        "questions": size,
        "accuracy": rows,
        "failures": [dict(row) for row in queries.failures_of(connection, experiment["name"])],
        "bill_usd": _bill(connection, experiment["name"]),
        "simulated": simulated,
        "runs": [{"state": run["state"], **json.loads(run["facts"])} for run in runs],
        "prompts": prompt_rows(cells),
    }
    if others := _others(connection, experiment):
        shown["other_plans"] = others
    for name in ("ungraded", "disputed"):
        if count := sum(row[name] for row in rows):
            shown[name] = count
    if len(config.get("judge", {}).get("models", ())) == 2 and (judges := judges_figures(source)):
        shown["judges"] = judges
    if any(cell["player"] is None for cell in cells):
        shown |= quiz_figures(source, cells)
    shown |= squad_figures(source, cells)
    shown |= safety_figures(source, cells)
    if any(cell["strategy"] == "discuss" for cell in cells):
        from moot.report.discussion import discussion_figures  # it knows the whole protocol, which is long to load

        shown |= discussion_figures(source, cells)
    shown |= mixture_figures(source, cells)
    shown |= position_figures(source, cells, shown.pop("position_bias", ()))
    shown |= evidence_figures(source, cells, experiment["name"], shown, hypotheses)
    return shown


def grader_of(config: dict[str, Any]) -> str:
    """The name under which the scores of an experiment are stored: see `run.grading`."""
    return "+".join(("match", *config.get("judge", {}).get("models", ())))


def find_experiment(connection: Connection, name: str | None = None, *, ident: str | None = None) -> Row:
    """The plan that a report is about: the one with this id, or else the last that ran (under this name).

    A trial with `--limit` after the whole run does not hide it: of plans that differ in nothing but the number of
    questions, the one with the most is meant.
    """
    if ident is not None:
        return queries.experiment_of(connection, ident)
    found = queries.latest_experiment(connection, name)
    if found is None:
        raise UsageError(f"this store holds no run of {name!r}; run it first: moot run FILE" if name else "empty store")
    alike = [each for each in queries.experiments_named(connection, found["name"]) if _plan(each) == _plan(found)]
    return max([found, *alike], key=lambda each: each["size"])  # of equals the first, which ran last


def _plan(experiment: Row) -> dict[str, Any]:
    """The file but for what changes nothing in play. `--limit` is no part of a file."""
    config = json.loads(experiment["config"])
    return {key: value for key, value in config.items() if key not in OF_NO_MATTER}


def _others(connection: Connection, experiment: Row) -> list[dict[str, Any]]:
    """Other plans under the same name, which this report is not about."""
    named = queries.experiments_named(connection, experiment["name"])
    return [{"questions": each["size"], "id": each["id"]} for each in named if each["id"] != experiment["id"]]


def _accuracy_row(source: Source, cell: Row, size: int) -> dict[str, Any]:
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


def _plays(config: Mapping[str, Any], cell: Row) -> int:
    """How often a question is played: the file's repeats, and those that the strategy has of its own."""
    return int(config.get("repeats", 1)) * int(json.loads(cell["spec"]).get("repeats", 1))


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


def _bill(connection: Connection, name: str) -> float | None:
    from sqlalchemy import func, select

    table = schema.calls
    query = select(func.count(), func.count(table.c.cost_usd), func.sum(table.c.cost_usd))
    calls, costed, cost_usd = connection.execute(query.where(table.c.experiment == name)).one()
    return None if costed < calls else float(cost_usd or 0.0)
