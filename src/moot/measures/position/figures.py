"""Whether it matters where a draft stands: everybody who was shown drafts or options in an order drawn for it.

Captains, reviewers and summarisers read drafts, debaters read positions; voters and judges of a discussion read options.
Whoever else leaves a record of what it was shown stands beside them: all in one table, so that its p values are one
family.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from moot.measures.cells import Stored
from moot.measures.discussion.naming import is_discussion, names_of
from moot.measures.position.bias import Look, Row, position_bias, with_holm
from moot.measures.position.shared_looks import Readers
from moot.measures.position.shown import ShownPlay, add_looks, episodes_of, made_look, roles_read
from moot.measures.source import Source


def position_figures(source: Source, cells: Sequence[Stored]) -> dict[str, list[Row]]:
    """The key `position_bias`: a row for each strategy and role, and for each of several who decided; then the voters."""
    by_table: dict[tuple[str, str], list[Stored]] = {}
    for cell in cells:
        if cell["player"] is None:
            by_table.setdefault((cell["label"], source.draft_table(cell).team), []).append(cell)
    rows: list[Row] = []
    ballots: dict[str, dict[str, list[Look]]] = {}
    for cells_alike in by_table.values():
        sharing = len(cells_alike) > 1
        alike = [(cell, episodes_of(source, cell, sharing=sharing)) for cell in cells_alike]
        rows += _readers(source, alike)
        read = roles_read(episode for _, episodes in alike for episode in episodes)
        ballots |= {cell["id"]: _ballots(source, cell, episodes, read) for cell, episodes in alike}
    rows = with_holm([*rows, *_voters(source, cells, ballots)], beside=source.unlisted_rows["position_bias"])
    return {"position_bias": rows} if any(row["decisions"] for row in rows) else {}


def _readers(source: Source, alike: Sequence[tuple[Stored, list[ShownPlay]]]) -> Iterator[Row]:
    """Of one strategy at one table. Over all who decide there are the most decisions, so places are told apart there."""
    for role in roles_read(episode for _, episodes in alike for episode in episodes):
        readers = Readers()
        cells_with_role = [
            (cell, episodes)
            for cell, episodes in alike
            if any(look.role == role for episode in episodes for look in episode.looks)
        ]
        for cell, episodes in cells_with_role:
            add_looks(source, cell, role, episodes, readers)
        players = {player for _, episodes in cells_with_role for episode in episodes for player in episode.players}
        yield from _rows(source, cells_with_role[0][0], role, readers.looks, players)


def _rows(source: Source, cell: Stored, role: str, looks: Mapping[str, list[Look]], players: set[str]) -> Iterator[Row]:
    named = {"by": role, "strategy": cell["strategy"], "label": cell["label"], "team": cell["team"]}
    named |= {"cohort": cell["cohort"]} if cell.get("cohort") else {}
    every = [look for reader_looks in looks.values() for look in reader_looks]
    only = _reader(cell, role, next(iter(looks)), players) if len(looks) == 1 else {"captain": None}
    yield {**named, **only, **position_bias(every, seed=source.seed)}
    if len(looks) > 1:
        for reader, reader_looks in looks.items():
            yield {
                **named,
                **_reader(cell, role, reader, players),
                **position_bias(reader_looks, places=False, seed=source.seed),
            }


def _reader(cell: Stored, role: str, reader: str, players: set[str]) -> Row:
    """Who decided: a player, or under the name of its role somebody who does not play."""
    if reader == cell["captain"] or reader in players:
        return {"captain": reader}
    return {"captain": None, role: cell["traits"].offices.get(reader, reader)}


def _ballots(
    source: Source, cell: Stored, episodes: Sequence[ShownPlay], read: Collection[str]
) -> dict[str, list[Look]]:
    """By role: ballots on which the options stood in an order of the voter's own. In a role of which a record tells that
    it `read`, they stand among its looks."""
    looks: dict[str, list[Look]] = {}
    table = source.drafts(source.draft_table(cell))
    for episode in episodes:
        for look in episode.looks:
            if look.role not in read:
                looks.setdefault(look.role, []).append(made_look(source, episode.seen, table, look, look.draw))
    return looks


def _voters(
    source: Source, cells: Sequence[Stored], ballots: Mapping[str, Mapping[str, Sequence[Look]]]
) -> Iterator[Row]:
    """Voters and judges. A discussion goes by its protocol, as everywhere."""
    names = names_of([cell for cell in cells if is_discussion(cell) and source.seen(cell)])
    for cell in cells:
        plain = {"strategy": cell["strategy"], "label": cell["label"], "team": cell["team"]}
        plain |= {"cohort": cell.get("cohort"), "captain": None}
        for role, looks in ballots.get(cell["id"], {}).items():
            yield {"by": role, **names.get(cell["id"], plain), **position_bias(looks, seed=source.seed)}
