"""Whether it matters where a draft stands: everybody who was shown drafts or options in an order drawn for it.

Captains, reviewers and summarisers read drafts; voters and judges of a discussion read options. All of them stand in one
table, so that its p values are one family.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from moot.measure.position import ALIKE, Look, Row, position_bias, with_holm
from moot.report.mixture import option_of, summariser_of
from moot.report.plays import Seen, Source, Stored, Table, chosen_by, groups_of, table_of

_BY = {"peer-review": "reviewer", "mixture": "summariser"}
"""Who decides, by strategy; any other that shows drafts has a captain."""


def position_figures(source: Source, cells: Sequence[Stored], voters: Sequence[Row] = ()) -> dict[str, list[Row]]:
    """The key `position_bias`: a row for each strategy, and for each of several who decided in it; then the `voters`."""
    by_table: dict[tuple[str, str], list[Stored]] = {}
    for cell in cells:
        if cell["player"] is None and any(each.order for each in source.seen(cell)):
            by_table.setdefault((cell["label"], table_of(cell)), []).append(cell)
    rows = [row for alike in by_table.values() for row in _rows(source, alike)]
    rows = with_holm([*rows, *voters])
    return {"position_bias": rows} if any(row["decisions"] for row in rows) else {}


def _rows(source: Source, alike: Sequence[Stored]) -> Iterator[Row]:
    """Of one strategy at one table. Over all who decide there are the most decisions, so places are told apart there."""
    looks = {cell["captain"]: list(_looks(source, cell)) for cell in alike}
    first = alike[0]
    named = {"by": _BY.get(first["strategy"], "captain"), "strategy": first["label"], "team": first["team"]}
    named |= {"cohort": first["cohort"]} if first.get("cohort") else {}
    if first["strategy"] == "mixture" and first["captain"] is None:
        named["summariser"] = summariser_of(first)
    every = [look for own in looks.values() for look in own]
    only = next(iter(looks)) if len(looks) == 1 else None
    yield {**named, "captain": only, **position_bias(every, seed=source.seed)}
    if len(looks) > 1:
        for captain, own in looks.items():
            yield {**named, "captain": captain, **position_bias(own, places=False, seed=source.seed)}


def drawn_order(cell: Stored) -> bool:
    """Drafts may be sorted by accuracy: then a place says who stands there."""
    return cell["strategy"] != "mixture" or option_of(cell["label"], "order") is None


def _looks(source: Source, cell: Stored) -> Iterator[Look]:
    """Every episode is a look: what cannot be told by its place is told apart, and nothing is left out."""
    drawn = drawn_order(cell)
    table = source.tables[table_of(cell)]
    for seen in source.seen(cell):
        yield _look(source, seen, table) if drawn else Look(seen.key[0], apart="not_drawn")


def _look(source: Source, seen: Seen, table: Table) -> Look:
    question = seen.key[0]
    if not seen.order:
        return Look(question, apart="not_shown")
    if seen.word is None:
        return Look(question, apart="no_answer")
    groups = groups_of(source, seen, table)
    if sum(bool(set(group) & set(seen.order)) for group in groups) < 2:
        return Look(question, apart=ALIKE)
    chosen = chosen_by(source, seen, groups)
    if chosen is None:
        return Look(question, apart="unknown")
    places = [name for name in seen.order if name in chosen]
    return Look(question, seen.order, places, None if places else "new", (seen.key[1], seen.cell["captain"]))
