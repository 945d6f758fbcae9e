"""How `moot select` ends: the team to take, as lines to paste into an experiment file.

Which of several methods' teams that is, is said by the questions they were chosen on alone. To take the one that did best on
the test would be a choice on the test questions too, and its figure there that of a winner.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.config.flow import flow

Row = Mapping[str, Any]
FILE = "team.json"


def team_to_take(
    rows: Sequence[Row],
    *,
    command: Sequence[str],
    options: Mapping[str, Mapping[str, Any]],
    summarised: Mapping[str, Mapping[str, Any]] | None,
) -> Iterator[str]:
    """Lines for a terminal. `command`: how the same choice is made again, without its size and method; `options`: by
    method, what was asked of it; `summarised`: the strategy that reads the team, with its options, where one does."""
    row = _taken(rows)
    if row is None:
        return
    if row.get("cut_short"):  # whoever is slow when wrong was chosen
        yield "No team to take yet: the run was cut short. Run it to its end, and choose again."
        return
    several = len([each for each in rows if each["kind"] == "selector"]) > 1
    by = f" ({row['method']}, {_why(row)})" if several else ""
    yield f"The team to take{by}:"
    yield f"  {', '.join(row['team'])}"
    if row.get("beaten_by"):
        yield f"On the test {row['beaten_by']} is better, all comparisons paid for: see above."
    elif alone := _alone(row, rows, summarised=summarised is not None):
        yield alone
    again = [*command, "--k", str(row["k"]), "--method", row["method"]]
    for name, value in options.get(row["method"], {}).items():
        again += ["--option", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    yield "Keep it, with what it was chosen on:"
    yield f"  moot select {shlex.join([*again, '--json'])} > {FILE}"
    yield "In the experiment file, whose figures leave those questions out:"
    if summarised is not None:
        yield f"  strategies: {flow([dict(summarised)])}"
    else:
        yield f"  teams: {flow({'chosen': {'players': list(row['team']), 'selection': FILE}})}"
        yield "  strategies: [solo, vote]"


def _alone(taken: Row, rows: Sequence[Row], *, summarised: bool) -> str | None:
    """Whether one proposer, to be had for less, is as good: only by the comparison of methods on the test, which pays for all
    of them. With a summariser a team of one is not that one alone, and nothing has compared the two."""
    if taken["size"] <= 1:
        return None
    compared = [row for row in rows if row["kind"] == "selector" and row["k"] == taken["k"] and "beaten_by" in row]
    singles = [row for row in compared if row["size"] == 1]
    for row in () if summarised else singles:
        if None in (row["test_accuracy"], taken["test_accuracy"]) or len({*map(tuple, row.get("teams") or ())}) > 1:
            continue
        if row["beaten_by"] is None:
            instead = f"with one proposer to ask instead of {taken['size']:g}"
            return f"On the test {row['team'][0]} alone ({row['method']}) cannot be told from it, {instead}."
        if row["beaten_by"] in (taken["method"], taken.get("same_as")):
            return None
    shown = any(row["kind"] == "single" for row in rows)
    return "What one of them does alone: see 'Each proposer alone' above." if shown else None


def _why(row: Row) -> str:
    if row["selection_accuracy"] is None:
        return "the cheapest; which is best on the questions to choose on is not known while so much is ungraded"
    return "best on the questions to choose on"


def _taken(rows: Sequence[Row]) -> Row | None:
    """Of those that keep to the size asked for, the most accurate where it was chosen; of equals the cheapest, the smallest."""
    fitting = [row for row in rows if row["kind"] == "selector" and row["team"] and row["size"] <= row["k"]]
    known = [row for row in fitting if row["selection_accuracy"] is not None] or fitting
    return min(known, key=lambda row: (-(row["selection_accuracy"] or 0.0), row["calls"], row["size"]), default=None)
