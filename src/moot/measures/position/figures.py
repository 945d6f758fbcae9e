"""Whether it matters where a draft stands: everybody who was shown drafts or options in an order drawn for it.

Captains, reviewers and summarisers read drafts, debaters read positions; voters and judges of a discussion read options.
All of them stand in one table, so that its p values are one family.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.measures.position.bias import ALIKE, Look, Row, position_bias, with_holm
from moot.measures.source import Key, Seen, Source, Stored, Table, chosen_by, groups_of, table_of
from moot.measures.summaries.figures import option_of, summariser_of
from moot.store.rows import verdict_of

DEBATE = "debate"
_BY = {"peer-review": "reviewer", "mixture": "summariser", DEBATE: "debater"}
"""Who decides, by strategy; any other that shows drafts has a captain."""


def position_figures(source: Source, cells: Sequence[Stored], voters: Sequence[Row] = ()) -> dict[str, list[Row]]:
    """The key `position_bias`: a row for each strategy, and for each of several who decided in it; then the `voters`."""
    by_table: dict[tuple[str, str], list[Stored]] = {}
    for cell in cells:
        if cell["strategy"] == DEBATE or (cell["player"] is None and any(each.order for each in source.seen(cell))):
            by_table.setdefault((cell["label"], table_of(cell)), []).append(cell)
    rows = [row for alike in by_table.values() for row in _rows(source, alike)]
    rows = with_holm([*rows, *voters])
    return {"position_bias": rows} if any(row["decisions"] for row in rows) else {}


def _rows(source: Source, alike: Sequence[Stored]) -> Iterator[Row]:
    """Of one strategy at one table. Over all who decide there are the most decisions, so places are told apart there."""
    first = alike[0]
    looks: Mapping[str | None, list[Look]]
    if first["strategy"] == DEBATE:
        looks = _debaters(source, alike)
        if not any(look.order for own in looks.values() for look in own):
            return  # nobody debated, or long ago, when orders were not written down
    else:
        looks = {cell["captain"]: list(_looks(source, cell)) for cell in alike}
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
    return Look(question, seen.order, places, None if places else "new", (seen.repeat, seen.cell["captain"]))


def _debaters(source: Source, alike: Sequence[Stored]) -> dict[str | None, list[Look]]:
    """By reader. A debate is one for all its line-ups: whichever of them has played it tells of it, once."""
    looks: dict[str | None, list[Look]] = defaultdict(list)
    told: set[Key] = set()
    for cell in alike:
        if told >= {each.key for each in source.seen(cell)}:
            continue
        for row in source.results(cell):
            key = (row["question"], row["repeat"])
            if key not in told:
                told.add(key)
                verdict = verdict_of(row["verdict"])
                readers = [answer.player for answer in verdict.answers]
                for reader, look in _debated(*key, readers, verdict.notes):
                    looks[reader].append(look)
    return looks


def _debated(
    question: str, repeat: int, readers: Sequence[str], notes: Mapping[str, Any]
) -> Iterator[tuple[str, Look]]:
    """A look for each reader and round, the resolution being the last; where nobody debated, one that was shown nothing."""
    rounds = [(each.get("orders"), each.get("sides")) for each in notes.get("rounds", ())]
    if "resolution" in notes:
        rounds.append((notes.get("resolution_orders"), notes.get("resolution_sides")))
    for reader in readers:
        if not rounds:
            yield reader, Look(question, apart="not_shown")
        for number, (orders, sides) in enumerate(rounds):
            if orders is None or sides is None:
                yield reader, Look(question, apart="unknown")
                continue
            order = [tuple(holders) for holders in orders[reader]]
            yield reader, _side(question, order, sides.get(reader), (repeat, reader, number))


def _side(question: str, order: Sequence[tuple[str, ...]], places: Sequence[int] | None, lot: tuple[Any, ...]) -> Look:
    """A position is who holds it: no two that are shown together are alike."""
    if places is None:
        return Look(question, apart="no_answer")
    if len(order) < 2:
        return Look(question, apart=ALIKE)
    return Look(question, order, [order[place] for place in places], None if places else "new", lot)
