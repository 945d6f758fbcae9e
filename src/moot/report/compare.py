"""Two ways of answering, paired question by question: what `moot compare` says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from moot.errors import UsageError
from moot.experiment.claims import ClaimError, cells_meant, parse_side
from moot.measures.sides import side_of
from moot.measures.source import Source, Stored
from moot.report.figures import grader_of
from moot.stats.estimates import Row, estimate, estimate_row
from moot.stats.paired import compare
from moot.stats.power import detectable
from moot.store import queries


def compared(connection: Connection, experiment: Stored, a: str, b: str) -> Row:
    """`a` against `b` (each ``talkative@ann``, or ``talkative`` over all its captains) on the questions both played."""
    source = Source(connection, experiment, grader_of(json.loads(experiment["config"])))
    cells = queries.cells_of(connection, source.ident)
    first, second = _meant("--a", a, cells), _meant("--b", b, cells)
    if {cell["id"] for cell in first} == {cell["id"] for cell in second}:
        raise UsageError(f"--a and --b: {a!r} and {b!r} are the same; expected two that differ")
    first, second = _shared(first, second)
    sides = [side_of(source, each, title) for each, title in ((first, a), (second, b))]
    for side in sides:
        if not side.right:
            raise UsageError(f"{side.title!r} has not been played yet: run the file first")
    common = sorted(sides[0].right.keys() & sides[1].right.keys())
    pairs = [(sides[0].right[question], sides[1].right[question]) for question in common]
    found = compare(pairs, pooled=not all(side.once for side in sides), seed=source.seed)
    row: Row = {"experiment": experiment["name"], "a": a, "b": b, **found.row()}
    for name, place in (("accuracy_a", 0), ("accuracy_b", 1)):
        values = [pair[place] for pair in pairs]
        row[name] = estimate_row(estimate(values, pooled=not sides[place].once, seed=source.seed))
    row["left_out"] = len(sides[0].right.keys() ^ sides[1].right.keys())
    row["captains"] = len(first) if len(first) > 1 else None
    if found.test == "mcnemar" and common:
        row["detectable"] = detectable(len(common), (found.rescues + found.regressions) / len(common))
    row["ungraded"] = {"a": sides[0].ungraded, "b": sides[1].ungraded}
    return row


def _meant(option: str, text: str, cells: Sequence[Stored]) -> list[Stored]:
    try:
        return list(cells_meant(parse_side(text), cells))
    except ClaimError as error:
        raise UsageError(f"{option}: {error}") from None


def _shared(first: list[Stored], second: list[Stored]) -> tuple[list[Stored], list[Stored]]:
    """Like with like: where both sides have several captains, only those whom both have played under."""
    if len(first) < 2 or len(second) < 2:
        return first, second
    both = _whose(first) & _whose(second)
    if not both:
        return first, second
    return _led(first, both), _led(second, both)


def _whose(cells: Sequence[Stored]) -> set[str]:
    return {cell["player"] or cell["captain"] for cell in cells}


def _led(cells: Sequence[Stored], whose: set[str]) -> list[Stored]:
    return [cell for cell in cells if (cell["player"] or cell["captain"]) in whose]


def words(row: Mapping[str, Any]) -> list[str]:
    """What the comparison says, in sentences."""
    if not row["n"]:
        return [f"{row['a']} and {row['b']} have no question in common."]
    said = [
        f"{row['a']} answered {_share(row['accuracy_a'])} and {row['b']} {_share(row['accuracy_b'])}"
        f" of the {row['n']:,} question{'s' if row['n'] != 1 else ''} that both played.",
        f"Difference: {100 * row['difference']:+.1f} points{_limits(row)}; {_tested(row)}.",
        f"{row['a']} was better on {row['rescues']:,} and worse on {row['regressions']:,}.",
    ]
    if row["captains"]:
        said.append(f"Each question counts once, by its mean over {row['captains']} captains.")
    if row["small"]:
        said.append("Small: fewer than 30 questions or 10 that differ. This shows next to nothing.")
    if (least := row.get("detectable")) is not None:
        said.append(f"So many questions and pairs would show a difference from {100 * least:.1f} points on.")
    if row["left_out"]:
        said.append(f"{row['left_out']:,} questions that only one of them has played are left out.")
    if ungraded := sum(row["ungraded"].values()):
        said.append(f"{ungraded:g} answers are not graded, and count as not right.")
    return said


def _share(row: Mapping[str, Any]) -> str:
    bounds = "" if row["low"] is None else f" ({100 * row['low']:.1f}–{100 * row['high']:.1f})"
    return f"{100 * row['value']:.1f} %{bounds}"


def _limits(row: Mapping[str, Any]) -> str:
    return "" if row["low"] is None else f" (95 % interval {100 * row['low']:.1f} to {100 * row['high']:.1f})"


def _tested(row: Mapping[str, Any]) -> str:
    if row["p"] is None:
        return "nothing to test"
    p = "p < 0.001" if row["p"] < 0.001 else f"p = {row['p']:.3f}"
    return f"{p} ({'exact McNemar' if row['test'] == 'mcnemar' else 'sign flips over questions'})"
