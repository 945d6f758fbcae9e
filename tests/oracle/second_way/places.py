"""Where the draft or option stood that was then chosen, counted again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from second_way.compare import Holds, Near
from second_way.discussion import named_discussions
from second_way.hanging import together as hanging_together
from second_way.intervals import mean
from second_way.meanings import Meanings
from second_way.paired_scores import LEVEL, difference, within_p
from second_way.raw import Cell, Episode, Raw
from second_way.tables import drafts_of

Row = dict[str, Any]
DRAWN = 4000
ADJUSTED = Holds(lambda value: value is None or math.isfinite(value), "a number")
"""Made of p values that are drawn, and adjusted for all of them together."""


@dataclass(frozen=True)
class Look:
    """What one who decided saw, and which places hold what it then chose."""

    question: str
    size: int = 0
    chosen: tuple[int, ...] = ()
    apart: str | None = None
    lot: Any = None

    def share(self, place: int) -> float:
        return (place % self.size in self.chosen) / len(self.chosen)


def places(raw: Raw) -> Row:
    rows = [*_readers(raw, Meanings(raw)), *_voters(raw)]
    family = sum(2 for row in rows if row["decisions"])
    rows = [{**_adjusted(row, family), "family": family} for row in rows]
    return {"position_bias": rows} if family else {}


def _adjusted(row: Row, family: int) -> Row:
    """The p that Holm adjusts are drawn, so an adjusted interval is known to lie within its widest: that of the first step,
    which reaches to zero whatever the p. What else must hold of it is a matter of the figures themselves: see `properties`."""
    kept = dict(row.items())
    for end in ("first", "last"):
        if (excess := kept.pop(f"{end} excess")) is not None:
            _, low, high = within_p(excess, 1.0, LEVEL / family)
            kept[f"{end}_low_holm"], kept[f"{end}_high_holm"] = _from(low), _up_to(high)
    return kept


def _from(widest: float | None) -> Holds:
    if widest is None:
        return NOTHING
    return Holds(lambda low: low is not None and low >= widest - 1e-9, f"{widest} or above")


def _up_to(widest: float | None) -> Holds:
    """Where the widest ends at zero only because a p may be large, a small p ends short of it, on the other side."""
    if widest is None:
        return NOTHING
    return Holds(lambda high: high is not None and high <= widest + 1e-9, f"{widest} or below")


NOTHING = Holds(lambda value: value is None, "nothing")


def _readers(raw: Raw, meanings: Meanings) -> Iterator[Row]:
    tables: dict[Any, list[Cell]] = {}
    for cell in raw.cells:
        if cell.player is None:
            tables.setdefault((cell.label, cell.team, cell.cohort), []).append(cell)
    for cells in tables.values():
        for role in dict.fromkeys(record["role"] for cell in cells for _, record in _shown(raw, cell)):
            looks: dict[str, list[Look]] = {}
            known: dict[Any, list[tuple[set[str], Any]]] = {}
            reading = [cell for cell in cells if any(record["role"] == role for _, record in _shown(raw, cell))]
            for cell in reading:
                told = list(_looks(raw, cell, role, meanings))
                for who, place, calls, order, look in told:
                    if not _told_before(known.get((look.question, who, place), ()), calls, order):
                        looks.setdefault(who, []).append(look)
                for who, place, calls, order, look in told:
                    known.setdefault((look.question, who, place), []).append((calls, order))
            yield from _rows(cells[0], role, looks, raw.seed)


def _rows(cell: Cell, role: str, looks: Mapping[str, Sequence[Look]], seed: int) -> Iterator[Row]:
    named: Row = {"by": role, "strategy": cell.strategy, "label": cell.label, "team": cell.team}
    named |= {"cohort": cell.cohort} if cell.cohort else {}
    every = [look for several in looks.values() for look in several]
    players = {player["name"] for player in cell.spec["players"]}

    def told(who: str) -> Row:
        """A player, or under the name of its role somebody who does not play."""
        if who in players:
            return {"captain": who}
        return {"captain": None, role: cell.options.get(who, who)}

    yield {
        **named,
        **(told(next(iter(looks))) if len(looks) == 1 else {"captain": None}),
        **_bias(every, seed, each=True),
    }
    if len(looks) > 1:
        for who, several in looks.items():
            yield {**named, **told(who), **_bias(several, seed, each=False)}


def _shown(raw: Raw, cell: Cell) -> list[tuple[Episode, Mapping[str, Any]]]:
    return [
        (episode, record) for episode in raw.episodes(cell) for record in episode.traces if record["kind"] == "shown"
    ]


def _told_before(others: Sequence[tuple[set[str], Any]], calls: set[str], order: Any) -> bool:
    """Line-ups that share a call share the look; of calls that are not on record the order must tell."""
    asked = {key for keys, _ in others for key in keys}
    return calls <= asked if calls and asked else any(order == shown for _, shown in others)


def _looks(raw: Raw, cell: Cell, role: str, meanings: Meanings) -> Iterator[tuple[str, Any, set[str], Any, Look]]:
    """Of every episode: who, in which repeat and turn, by which calls, in which order. Of whom it shows nothing, that too."""
    records = [record for _, record in _shown(raw, cell) if record["role"] == role]
    only_captain = {record["to"] for record in records} == {cell.captain}
    fixed = not any(record.get("drawn", True) for record in records)
    for episode in raw.episodes(cell):
        shown = [record for record in episode.traces if record["kind"] == "shown" and record["role"] == role]
        for record in shown:
            turn, who = record.get("turn", 2), record["to"]
            calls = {key for name, in_turn, key in episode.asked if (name, in_turn) == (who, turn)}
            order = str(record["order"]), shown[: shown.index(record)].count(record)
            look = _look(cell, episode, record, _draw(episode, record), meanings)
            yield who, (episode.repeat, turn), calls, order, look
        if not shown:
            players = [answer[0] for answer in episode.verdict.get("answers", ())]
            outside = sorted({record["to"] for record in records} - set(players))
            for who in [str(cell.captain)] if only_captain else outside or players:
                nothing = Look(episode.question, apart="not_drawn" if fixed else "not_shown")
                yield who, (episode.repeat, None), set(), None, nothing


def _draw(episode: Episode, record: Mapping[str, Any]) -> Any:
    """Which draw has put it in order: its own, or that of the last look of this reader in this role at the same things."""
    kind, who = record["kind"], record["voter" if record["kind"] == "ballot" else "to"]
    number = next(number for number, other in enumerate(episode.traces) if other is record)
    found = number
    for earlier in reversed(range(number)):
        if episode.traces[found].get("redrawn", kind == "shown"):
            break
        other = episode.traces[earlier]
        same = other["kind"] == kind and who in (other.get("to"), other.get("voter"))
        same = same and other.get("role", "voter") == record.get("role", "voter")
        if same and sorted(other["order"]) == sorted(record["order"]):
            found = earlier
    # In another line-up the same draw may stand elsewhere among the records, but it is the same look of the same turn.
    first = episode.traces[found]
    turn_before = [
        other
        for other in episode.traces[:found]
        if all(other.get(key) == first.get(key) for key in ("kind", "to", "voter", "role", "turn"))
    ]
    return episode.repeat, who, first.get("turn"), len(turn_before)


def _argued(episode: Episode, turn: int) -> bool:
    return any(record["kind"] in ("round", "resolution") and record["turn"] == turn for record in episode.traces)


def _look(cell: Cell, episode: Episode, record: Mapping[str, Any], lot: Any, meanings: Meanings) -> Look:
    order = [tuple(holders) for holders in record["order"]]
    if not record.get("drawn", True):
        return Look(episode.question, apart="not_drawn")
    if record.get("places") is not None:
        chosen = tuple(record["places"])
        said: list[Any] = list(order)
        if not record.get("distinct", _argued(episode, record.get("turn", 2))):
            drafts = [(answer[0], answer[1]) for answer in drafts_of(cell, episode)]
            key = episode.question, episode.repeat // int(cell.traits.get("repeats", 1))
            alike = meanings.groups(*key, drafts) if drafts else ()
            said = [next((group for group in alike if set(group) & set(holders)), holders) for holders in order]
        chosen = tuple(place for place in range(len(order)) if said[place] in [said[picked] for picked in chosen])
        apart = "alike" if len(set(map(tuple, said))) < 2 else None if chosen else "new"
    elif not order:
        return Look(episode.question, apart="not_shown")
    elif record.get("answer") is None:
        return Look(episode.question, apart="no_answer")
    else:
        drafts = [(answer[0], answer[1]) for answer in drafts_of(cell, episode)]
        key = episode.question, episode.repeat // int(cell.traits.get("repeats", 1))
        groups, names = meanings.groups(*key, drafts), {name for holders in order for name in holders}
        sayers = meanings.sayers(*key, drafts, record["answer"])
        if sum(bool(names & set(group)) for group in groups) < 2:
            return Look(episode.question, apart="alike")
        if sayers is None:
            return Look(episode.question, apart="unknown")
        chosen = tuple(place for place, holders in enumerate(order) if sayers & set(holders))
        apart = None if chosen else "new"
    if apart is None and len(chosen) == len(order):
        apart = "alike"
    return Look(episode.question, len(order), chosen, apart, lot)


def _voters(raw: Raw) -> Iterator[Row]:
    names = named_discussions(raw)
    for cell in raw.cells:
        looks: dict[str, list[Look]] = {}
        for episode in raw.episodes(cell):
            for record in episode.traces:
                if record["kind"] == "ballot" and record.get("order") and not _also_shown(episode, record):
                    looks.setdefault(record.get("role", "voter"), []).append(_ballot(cell, episode, record))
        for role, several in looks.items():
            yield {"by": role, **names[cell.id], **_bias(several, raw.seed, each=True)}


def _also_shown(episode: Episode, ballot: Mapping[str, Any]) -> bool:
    """One look, told by two records."""
    place = ballot["voter"], ballot.get("role", "voter"), ballot.get("turn", 1)
    return any(
        record["kind"] == "shown" and (record["to"], record["role"], record.get("turn", 2)) == place
        for record in episode.traces
    )


def _ballot(cell: Cell, episode: Episode, record: Mapping[str, Any]) -> Look:
    """The favourites: ranked first, given most points, or approved."""
    order, choice = record["order"], record.get("choice")
    if choice is None:
        return Look(episode.question, apart="spoilt")
    if not choice:
        return Look(episode.question, apart="empty")
    best = min(choice.values()) if record.get("form", "choice") == "ranking" else max(choice.values())
    liked = {int(option) for option, points in choice.items() if points == best}
    chosen = tuple(place for place, option in enumerate(order) if option in liked)
    apart = "alike" if len(chosen) == len(order) else None
    return Look(episode.question, len(order), chosen, apart, _draw(episode, record))


def _bias(looks: Sequence[Look], seed: int, *, each: bool) -> Row:
    decisions = [look for look in looks if look.apart is None]
    asked = {look.question for look in decisions}
    row: Row = {
        "chance": mean([1 / look.size for look in decisions]) if decisions else None,
        "decisions": len(decisions),
        "apart": dict(Counter(look.apart for look in looks if look.apart is not None)),
        "n": len(asked),
        "small": len(hanging_together(asked)) < 30,
        "places": [],
    }
    for end, place in (("first", 0), ("last", -1)):
        row |= _end(end, decisions, place, seed)
    if each:
        most = max((look.size for look in decisions), default=0)
        row["places"] = [_place(number, [look for look in decisions if look.size > number]) for number in range(most)]
        for shown in row["places"]:  # one figure, one interval
            ends = [("first", shown["place"] == 1), ("last", all(look.size == shown["place"] for look in decisions))]
            for end in (end for end, is_end in ends if is_end):
                shown |= {"low": row[f"{end}_low"], "high": row[f"{end}_high"]}
    return row


def _excess(looks: Sequence[Look], place: int) -> dict[str, tuple[float, float, float]]:
    """By question: how much oftener than by chance, how much more rarely, and in how many decisions."""
    rows: dict[str, tuple[float, float, float]] = {}
    for look in looks:
        above, below, number = rows.get(look.question, (0.0, 0.0, 0.0))
        excess = look.share(place) - 1 / look.size
        rows[look.question] = (above + max(excess, 0.0), below + max(-excess, 0.0), number + 1)
    return rows


def _end(name: str, looks: Sequence[Look], place: int, seed: int) -> Row:
    value: Any = None
    limits: Any = (None, None)
    p = None
    if looks:
        p = _redrawn(looks, place, seed)
        value, *limits = within_p(_excess(looks, place), p)
    return {
        name: mean([look.share(place) for look in looks]) if looks else None,
        f"{name}_difference": value,
        f"{name}_low": limits[0],
        f"{name}_high": limits[1],
        f"{name}_p": None if p is None else Near(p, 0.04),
        **{f"{name}_{key}_holm": ADJUSTED for key in ("p", "low", "high")},
        f"{name} excess": _excess(looks, place) if looks else None,
    }


def _place(number: int, looks: Sequence[Look]) -> Row:
    value, low, high, _ = difference(_excess(looks, number))
    return {
        "place": number + 1,
        "chosen": mean([look.share(number) for look in looks]),
        "chance": mean([1 / look.size for look in looks]),
        "difference": value,
        "low": low,
        "high": high,
        "decisions": len(looks),
        "n": len({look.question for look in looks}),
    }


def _redrawn(looks: Sequence[Look], place: int, seed: int) -> float:
    """How often other orders, with the same choices, are as far from chance. The looks that one draw may have put in order
    change places together: whatever stood in one place of them comes to stand in another."""
    lots: dict[Any, list[Look]] = {}
    for look in looks:
        lots.setdefault((look.question, look.lot, look.size), []).append(look)
    draw = np.random.default_rng(seed)
    sums = np.zeros(DRAWN)
    for together in lots.values():
        values = np.array([math.fsum(look.share(put) for look in together) for put in range(together[0].size)])
        sums += values[draw.integers(0, len(values), DRAWN)] - values.mean()
    seen = abs(math.fsum(look.share(place) - 1 / look.size for look in looks))
    return float((np.abs(sums) >= seen - 1e-9).mean())
