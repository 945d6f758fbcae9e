"""Every way of answering in an experiment as one option: its cells, and what they got right and paid, by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.measures.quiz.played import by_question, solos, split
from moot.measures.source import Seen, Source, Stored, plays_of
from moot.stats.crossfit import CrossFit, crossfit


@dataclass(frozen=True, slots=True)
class Side:
    """One cell, or several as one: then each question counts by its mean over them."""

    title: str
    cells: tuple[Stored, ...]
    right: Mapping[str, float]
    calls: Mapping[str, float]
    cost_usd: Mapping[str, float] | None
    """None where the price of a single call is unknown."""
    ungraded: float
    """How many questions' worth of answers no grader has settled."""
    once: bool = False
    """One cell that played every question once: its values are no means."""

    @property
    def alone(self) -> bool:
        return all(cell["player"] for cell in self.cells)

    @property
    def first(self) -> Stored:
        return self.cells[0]


def title_of(cell: Stored) -> str:
    """``talkative@ann``; a table of one cohort has its name behind it."""
    who = cell["player"] or cell["captain"]
    named = f"{cell['label']}@{who}" if who else str(cell["label"])
    return f"{named}, {cell['cohort']}" if cell.get("cohort") else named


def sides(source: Source, cells: Sequence[Stored]) -> dict[str, Side]:
    """An option for each cell, by its title; where several teams play, the team's name stands behind it."""
    several = len({cell["team"] for cell in cells if cell["player"] is None}) > 1
    found: dict[str, Side] = {}
    for cell in cells:
        title = f"{title_of(cell)} ({cell['team']})" if several and not cell["player"] else title_of(cell)
        found[title] = side_of(source, [cell], title)
    return found


def side_of(source: Source, cells: Sequence[Stored], title: str) -> Side:
    """Several cells as one option: the mean over those that have played a question."""
    seen = [each for cell in cells for each in source.seen(cell)]
    costs = source.paid_usd(seen)
    if len(cells) == 1 and len(seen) == len({each.key[0] for each in seen}):
        return _once(seen, costs, cells[0], title)
    right = _means([each.right or 0.0 for each in seen], seen)
    calls = _means([float(len(each.calls)) for each in seen], seen)
    known = [cost for cost in costs if cost is not None]
    paid = _means(known, seen) if len(known) == len(seen) else None
    ungraded = sum(_means([float(each.right is None) for each in seen], seen).values())
    return Side(title, tuple(cells), right, calls, paid, ungraded)


def _once(seen: Sequence[Seen], costs: Sequence[float | None], cell: Stored, title: str) -> Side:
    """One cell that played every question once: there are no means to take."""
    asked = [each.key[0] for each in seen]
    right = dict(zip(asked, (each.right or 0.0 for each in seen), strict=True))
    calls = dict(zip(asked, (float(len(each.calls)) for each in seen), strict=True))
    paid = {question: cost for question, cost in zip(asked, costs, strict=True) if cost is not None}
    ungraded = float(sum(each.right is None for each in seen))
    return Side(title, (cell,), right, calls, paid if len(paid) == len(seen) else None, ungraded, once=True)


def _means(values: Sequence[float], seen: Sequence[Seen]) -> dict[str, float]:
    """Repeats of a cell first, then cells: a cell that was played oftener has no louder voice."""
    by_cell: dict[tuple[str, str], list[float]] = {}
    for each, value in zip(seen, values, strict=True):
        by_cell.setdefault((each.key[0], each.cell["id"]), []).append(value)
    parts: dict[str, list[float]] = {}
    for (question, _), found in by_cell.items():
        parts.setdefault(question, []).append(sum(found) / len(found))
    return {question: sum(found) / len(found) for question, found in parts.items()}


def alone_by_player(source: Source, team: str, cells: Sequence[Stored]) -> dict[str, dict[str, float]]:
    """What each member of a team got right by itself, from its solo cell or else from its drafts."""
    plays, _ = plays_of(source, team, cells)
    return {player: by_question(each) for player, each in split(solos(plays), lambda play: play.player).items()}


def skyline_of(alone: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The best that any of them did on each question."""
    top: dict[str, float] = {}
    for right in alone.values():
        for question, value in right.items():
            top[question] = max(top.get(question, 0.0), value)
    return top


def best_alone(alone: Mapping[str, Mapping[str, float]], *, seed: int = 0) -> CrossFit | None:
    """The best single player, chosen on other questions than those it is scored on."""
    return crossfit(alone, list(skyline_of(alone)), seed=seed)
