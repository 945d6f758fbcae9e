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
from moot.stats.counted_words import few_names
from moot.stats.written_numbers import of_hundred

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
    row = taken(rows)
    if row is None:
        return
    if row.get("cut_short"):  # whoever is slow when wrong was chosen
        yield "No team to take yet: the run was cut short. Finish it, then choose again."
        return
    if away := row.get("unreached"):  # they count as not right where they were not asked
        yield (
            f"No team to take yet: on too many questions there is no reply of {few_names(away)}."
            " Run it again, or complete the recording, then choose again."
        )
        return
    several = len([each for each in rows if each["kind"] == "selector"]) > 1
    by = f" ({row['method']}, {_why(row)})" if several else ""
    yield f"The team to take{by}:"
    yield f"  {', '.join(row['team'])}"
    if row.get("beaten_by"):
        yield f"On the test {row['beaten_by']} is better, allowing for all comparisons."
    elif cheaper := _cheaper(row, rows, summarised=summarised is not None):
        yield cheaper
    again = [*command, "--k", str(row["k"]), "--method", row["method"]]
    for name, value in options.get(row["method"], {}).items():
        again += ["--option", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    yield "Save it, with the questions it was chosen on:"
    yield f"  moot select {shlex.join([*again, '--json'])} > {FILE}"
    yield "In the experiment file (figures leave those questions out):"
    if summarised is not None:
        yield f"  strategies: {flow([dict(summarised)])}"
    else:
        yield "  teams:"
        yield f"    chosen: {flow({'players': list(row['team']), 'selection': FILE})}"
        yield "  strategies: [solo, vote]"


def _cheaper(to_take: Row, rows: Sequence[Row], *, summarised: bool) -> str | None:
    """Whether one proposer, or a smaller team, is as good: only by the comparison of methods on the test, which pays for all
    of them. With a summariser a team of one is not that one alone, which nothing has compared with the team."""
    if to_take["size"] <= 1:
        return None
    compared = [row for row in rows if row["kind"] == "selector" and row["k"] == to_take["k"] and "beaten_by" in row]
    smaller = sorted((row for row in compared if row["size"] < to_take["size"]), key=lambda row: row["size"])
    settled = False
    for row in smaller:
        if None in (row["test_accuracy"], to_take["test_accuracy"]) or len({*map(tuple, row.get("teams") or ())}) > 1:
            continue
        if row["beaten_by"] is None:
            alone = row["size"] == 1 and not summarised
            who = f"{row['team'][0]} alone" if alone else ", ".join(row["team"])
            less = _share_of_calls(row["size"] + summarised, to_take["size"] + summarised)
            return f"On the test {who} ({row['method']}) cannot be told apart from it, at {less}."
        settled |= row["size"] == 1 and row["beaten_by"] in (to_take["method"], to_take.get("same_as"))
    if settled and not summarised:
        return None
    shown = any(row["kind"] == "single" for row in rows)
    return "How each does alone is under 'Each proposer alone' in --all." if shown else None


def _share_of_calls(fewer: float, more: float) -> str:
    """A proposer is a call, and so is a summariser."""
    words = {2.0: "half", 3.0: "a third", 4.0: "a quarter", 5.0: "a fifth"}
    share = words.get(more / fewer) or f"{of_hundred(fewer / more, 0)} %"
    return f"{share} of the calls ({fewer:g} a question instead of {more:g})"


def _why(row: Row) -> str:
    if row["selection_accuracy"] is None:
        return "the cheapest; which is best on the selection questions is unknown while so much is ungraded"
    return "best on the selection questions"


def taken(rows: Sequence[Row]) -> Row | None:
    """Of those that keep to the size asked for, the most accurate where it was chosen; of equals the cheapest, the smallest."""
    fitting = [row for row in rows if row["kind"] == "selector" and row["team"] and row["size"] <= row["k"]]
    known = [row for row in fitting if row["selection_accuracy"] is not None] or fitting
    return min(known, key=lambda row: (-(row["selection_accuracy"] or 0.0), row["calls"], row["size"]), default=None)
