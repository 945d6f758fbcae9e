"""What `moot report --served --json` says, from the tables of the store: docs/served.md, read again."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from second_way.intervals import mean, share_interval
from second_way.preferences import SAYS_NOTHING, Curve, Said, ends, near, of_values, says_nothing

Row = dict[str, Any]
NAMED = ("strategy", "label", "team", "captain", "player", "cohort")
NOT_ASKED = {"why": "nothing was asked"}


def rows_of(store: Path, query: str, *values: object) -> list[Row]:
    with closing(sqlite3.connect(store)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(query, values)]


def plays_of(store: Path, name: str, since: float = 0.0, *, visitors: bool = False) -> Iterator[Row]:
    """Each with its score, its cell and what hangs on it; of all plans of a name that are of a file, or of visitors."""
    found = rows_of(
        store,
        "select distinct e.*, c.strategy, c.label, c.team, c.captain, c.player, c.cohort, c.spec, s.value,"
        ' q."case" from episodes e'
        " join cells c on c.id = e.cell join experiment_cells m on m.cell = e.cell join experiments x on x.id = m.experiment"
        " join experiment_questions q on q.experiment = x.id and q.question = e.question"
        ' left join scores s on s.cell = e.cell and s.repeat = e.repeat and s."case" = q."case"'
        " where x.name = ? and e.created_at >= ? and coalesce(json_extract(x.config, '$.edited'), 0) = ? order by e.created_at",
        name,
        since,
        visitors,
    )
    both = {
        (row["case"], row["answer"]) for row in rows_of(store, "select * from settlements where turned = 1")
    }  # what was said first is gone
    said: dict[tuple[str, str], set[float]] = {}
    for row in rows_of(
        store,
        "select e.question, e.answer, s.value from scores s join episodes e on e.cell = s.cell and e.repeat = s.repeat"
        " where e.answer is not null and s.value is not null",
    ):  # also by what was told to be right before
        said.setdefault((row["question"], row["answer"].casefold()), set()).add(row["value"])
    costs = {row["key"]: row["cost_usd"] for row in rows_of(store, "select key, cost_usd from calls")}
    for play in found:
        verdict, steps = json.loads(play["verdict"]), json.loads(play["transcript"])
        traces = verdict.get("traces", [])
        keys = {step[3] for step in steps if step[3]}
        yield {
            **play,
            "right": play["value"] if play["answer"] is not None else None,
            "contradicted": play["value"] is not None
            and play["answer"] is not None
            and (
                (play["case"], play["answer"].casefold()) in both
                or said[play["question"], play["answer"].casefold()] != {play["value"]}
            ),
            "agreed": None if play["player"] else _agreed(play["answer"], verdict, traces),
            "usd": math.fsum(costs[key] for key in keys),
            "steps": steps,
            "traces": traces,
            "players": [player["name"] for player in json.loads(play["spec"])["players"]],
        }


def _agreed(
    answer: str | None, verdict: Mapping[str, Any], traces: Sequence[Mapping[str, Any]]
) -> tuple[float, float] | None:
    """(at least, at most) of those who were asked for a draft and did not keep silent."""
    spared = {name for trace in traces if trace["kind"] == "not-needed" for name in trace["players"]}
    said = {draft[0]: draft[1] for draft in verdict["answers"] if draft[1] is not None and draft[0] not in spared}
    if answer is None or not said:
        return None
    same = {name for name, text in said.items() if text.casefold() == answer.casefold()}
    for trace in traces:
        if trace["kind"] == "grouped" and sum(map(len, trace["groups"])) == len(said):
            same |= {name for group in trace["groups"] if same & set(group) for name in group}
            break
    asked = len(said) + len(spared)
    return len(same) / asked, (len(same) + len(spared)) / asked


def estimate(pairs: Sequence[tuple[str, float]]) -> Row:
    """The mean over answers; all to one question are one piece of evidence."""
    if not pairs:
        return {"value": None, "low": None, "high": None, "n": 0}
    together: dict[str, list[float]] = {}
    for question, value in pairs:
        together.setdefault(question, []).append(value)
    low, high = share_interval([(math.fsum(own), float(len(own))) for own in together.values()])
    row = {"value": mean([value for _, value in pairs]), "low": low, "high": high, "n": len(pairs)}
    return {**row, "clusters": len(together)} if len(together) < len(pairs) else row


def between(pairs: Sequence[tuple[str, tuple[float, float]]]) -> Row:
    low, high = (estimate([(question, ends[place]) for question, ends in pairs]) for place in (0, 1))
    if low["value"] == high["value"]:
        return low
    bounds = {"low": low["value"], "high": high["value"]}
    return {**low, "value": None, "high": high["high"], "bounds": bounds}


def figures(plays: Sequence[Row]) -> Row:
    told = [(play["question"], play["right"]) for play in plays if play["right"] is not None]
    open_answers = sum(play["right"] is None and play["answer"] is not None for play in plays)
    accuracy = estimate(told)
    right = math.fsum(value for _, value in told)
    accuracy["bounds"] = {"low": right / len(plays), "high": (right + open_answers) / len(plays)}
    agreed = [(play["question"], play["agreed"]) for play in plays if play["agreed"] is not None]
    seconds = sorted(play["seconds"] for play in plays)
    return {
        "asked": len(plays),
        "questions": len({play["question"] for play in plays}),
        "graded": {"n": len(told), "share": len(told) / len(plays)},
        "contradicted": sum(play["contradicted"] for play in plays),
        "waiting": 0,
        "accuracy": accuracy if told else {**accuracy, "why": "nobody has said what was right"},
        "agreement": between(agreed) if agreed else {**estimate([]), "why": "a player alone has nobody to agree with"},
        "probability": {**estimate([]), "why": "no answer was given with a probability"},
        "latency": {
            "median_s": seconds[math.ceil(0.5 * len(seconds)) - 1],
            "p95_s": seconds[math.ceil(round(0.95 * len(seconds), 9)) - 1],
        },
        "cost": {"usd_per_1000": 1000 * math.fsum(play["usd"] for play in plays) / len(plays)},
        "outcomes": dict(sorted(Counter(play["outcome"] for play in plays).items())),
    }


def day_of(at: float, days: int) -> str:
    day = datetime.fromtimestamp(at, UTC).date()
    return str(day if days == 1 else day - timedelta(days=day.weekday()))


def absences(plays: Sequence[Row]) -> list[Row]:
    endings: dict[tuple[str, str], Counter[str]] = {}
    for play in plays:
        roles = {
            (trace["to"], trace.get("turn", 2)): trace["role"] for trace in play["traces"] if trace["kind"] == "shown"
        }
        last = {(step[0], roles.get((step[0], step[2]), "player")): step for step in play["steps"]}
        spared = {name for trace in play["traces"] if trace["kind"] == "not-needed" for name in trace["players"]}
        for place, step in last.items():
            if not (place[1] == "player" and place[0] in spared):
                endings.setdefault(place, Counter())["failed" if step[4] else "answered"] += 1
        for name in spared:
            endings.setdefault((name, "player"), Counter())["not_needed"] += 1
    return [
        {
            "player": name,
            "office": office,
            "asked": ends.total(),
            "late": 0,
            "failed": ends["failed"],
            "refused": 0,
            "unanswered": 0,
            "not_needed": ends["not_needed"],
        }
        for (name, office), ends in sorted(endings.items())
    ]


def named(play: Row) -> tuple[str | None, ...]:
    return tuple(play[key] for key in NAMED)


def served(store: Path, name: str, since: float = 0.0) -> Row:
    """All but the drift, the clock and what is told in words."""
    plays = list(plays_of(store, f"{name}:served", since))
    every = list(plays_of(store, f"{name}:served"))
    first, last = (datetime.fromtimestamp(play["created_at"], UTC).date() for play in (plays[0], plays[-1]))
    days = 7 if (last - first).days >= 14 else 1
    periods = {day_of(play["created_at"], days): None for play in plays}
    visited = list(plays_of(store, f"{name}:served", since, visitors=True))
    cells, own_cells = _by_times(plays), _by_times(visited)
    titles = {cell: _title(cell) for cell in own_cells} | {cell: _served_as(store, name, cell) for cell in cells}
    unpriced = rows_of(
        store,
        "select calls from unpriced_losses where experiment = ? and created_at >= ?",
        f"{name}:served",
        since,
    )
    return {
        "left_out": len(every) - len(plays),
        "plans": 1,
        "taught": 0,
        **figures(plays),
        "days_each": days,
        "by_day": [
            {
                "from": start,
                "name": start if days == 1 else f"week of {start}",
                **figures([play for play in plays if day_of(play["created_at"], days) == start]),
            }
            for start in periods
        ],
        "by_team": [{**_team(plays, cell), "name": titles[cell]} for cell in cells],
        "visitors_teams": [{**_team(visited, cell), "name": titles[cell]} for cell in own_cells],
        "preferences": preferred(store, [*plays, *visited], [*cells, *own_cells], titles),
        "absences": absences(plays),
        "failures": [],
        "losses_unknown": sum(row["calls"] for row in unpriced),
        "losses_usd": math.fsum(
            row["usd"]
            for table in ("losses", "reservations")
            for row in rows_of(
                store, f"select usd from {table} where experiment = ? and created_at >= ?", f"{name}:served", since
            )
        ),
    }


def _by_times(plays: Sequence[Row]) -> list[tuple[str | None, ...]]:
    return sorted({named(play) for play in plays}, key=lambda cell: (-_times(plays, cell), str(cell)))


def _team(plays: Sequence[Row], cell: tuple[str | None, ...]) -> Row:
    told = {key: value for key, value in zip(NAMED, cell, strict=True) if value is not None or key != "cohort"}
    return {**told, **figures([play for play in plays if named(play) == cell])}


ONE_ORDER = "a judge saw these texts in one order nearly alone, so that place cannot be told from quality"


def preferred(
    store: Path,
    plays: Sequence[Row],
    cells: Sequence[tuple[str | None, ...]],
    titles: dict[tuple[str | None, ...], str],
) -> Row:
    """Short answers, each vote on a question of its own: no length, and every vote is a unit."""
    by_episode = {f"ep_{play['repeat']:08x}{play['question']}": play for play in plays}
    rows = rows_of(store, "select * from votes order by said_at")
    votes = [vote for vote in rows if {vote["first"], vote["second"]} <= by_episode.keys()]
    beside = [vote for vote in votes if by_episode[vote["first"]]["answer"] == by_episode[vote["second"]]["answer"]]
    votes = [vote for vote in votes if vote not in beside]
    worth = {"first": 1.0, "tie": 0.5, "second": 0.0}
    firsts = {vote["question"]: [worth[vote["preferred"]]] for vote in votes}
    place, place_ends = of_values(firsts) if votes else (None, (None, None))
    said = []
    for vote in votes:
        left, right = (named(by_episode[vote[which]]) for which in ("first", "second"))
        ahead = cells.index(left) < cells.index(right)
        liked = worth[vote["preferred"]]
        pair = tuple(titles[cell] for cell in ((left, right) if ahead else (right, left)))
        which = (vote["first"] + vote["second"], 0)
        said.append(Said(vote["question"], pair, which, "people", liked if ahead else 1 - liked, 1 if ahead else -1))
    curve = Curve(said) if said else None
    pairs = []
    for pair in dict.fromkeys(word.pair for word in said):
        own = [word for word in said if word.pair == pair]
        value, limits = of_values({word.question: [word.liked] for word in own})
        fitted, mean_of = curve.mean(pair)
        low, high = ends(fitted, mean_of)
        rarer = min(sum(word.place == place for word in said) for place in (1, -1))
        one_order = rarer < max(1, len(said) / 4)
        nothing = one_order or says_nothing(low, high)
        pairs.append(
            {
                "of": pair[0],
                "against": pair[1],
                "value": near(value),
                "low": near(limits[0]),
                "high": near(limits[1]),
                "n": len(own),
                "corrected": None if nothing else near(fitted),
                "corrected_low": None if nothing else near(low),
                "corrected_high": None if nothing else near(high),
                "votes": len(own),
                "wins": sum(word.liked == 1 for word in own),
                "ties": sum(word.liked == 0.5 for word in own),
                "losses": sum(word.liked == 0 for word in own),
                "stood_first": sum(word.place == 1 for word in own),
                "persons": len({vote["person"] for vote in votes}),
                "doublings": 0.0,
                **({"why": ONE_ORDER if one_order else SAYS_NOTHING} if nothing else {}),
            }
        )
    return {
        "votes": len(votes),
        "equal": len(beside),
        "persons": len({vote["person"] for vote in votes}),
        "questions": len(firsts),
        "ties": sum(vote["preferred"] == "tie" for vote in votes),
        "first": place,
        "first_low": place_ends[0] if place is None else near(place_ends[0]),
        "first_high": place_ends[1] if place is None else near(place_ends[1]),
        "pairs": pairs,
    }


def _title(cell: tuple[str | None, ...]) -> str:
    _, label, team, captain, player, _ = cell
    who = player or captain
    of = "" if player else f"{team}/"
    return f"{of}{label}@{who}" if who else f"{of}{label}"


def _served_as(store: Path, name: str, cell: tuple[str | None, ...]) -> str:
    """As it is asked: with its captain only where the file has had several for it."""
    _, label, team, _, player, _ = cell
    captains = rows_of(
        store,
        "select distinct c.captain from cells c join experiment_cells m on m.cell = c.id join experiments x on"
        " x.id = m.experiment where x.name = ? and c.label = ? and c.team is ? and c.player is null"
        " and coalesce(json_extract(x.config, '$.edited'), 0) = 0",
        f"{name}:served",
        label,
        team,
    )
    return _title(cell) if player or len(captains) > 1 else f"{team}/{label}"


def _times(plays: Sequence[Row], cell: tuple[str | None, ...]) -> int:
    return sum(named(play) == cell for play in plays)


def drifted(store: Path, name: str, row: Row, days: int, since: float = 0.0) -> Row:
    """One row of the drift in agreement, without what is drawn at random."""
    here = [play for play in plays_of(store, f"{name}:served", since) if play["agreed"] and _is(play, row)]
    before = [play for play in plays_of(store, name) if play["agreed"] and _is(play, row)]
    live, measured = (between([(play["question"], play["agreed"]) for play in plays]) for plays in (here, before))
    periods = list(dict.fromkeys(day_of(play["created_at"], days) for play in here))
    parts = [
        between([(play["question"], play["agreed"]) for play in here if day_of(play["created_at"], days) == start])
        for start in periods
    ]
    return {"live": live, "measured": measured, "by_day": parts}


def _is(play: Row, row: Row) -> bool:
    return all(play[key] == row[key] for key in ("label", "team", "captain", "player"))


def shuffled_p(store: Path, name: str, row: Row, start: str | None, deals: int = 4_000) -> float:
    """Two-sided: how often a shuffle of live and measured questions lies as far out. `start`: of this day alone."""
    own = [play for play in plays_of(store, f"{name}:served") if play["agreed"] and _is(play, row)]
    here = [play["agreed"] for play in own if start in (None, day_of(play["created_at"], 1))]
    before = [play["agreed"] for play in plays_of(store, name) if play["agreed"] and _is(play, row)]
    generator = np.random.default_rng(11)
    tails = []
    for live, old, sign in ((1, 0, 1.0), (0, 1, -1.0)):
        every = sign * np.array([*(ends[live] for ends in here), *(ends[old] for ends in before)])
        reached = every[: len(here)].sum()
        sums = [generator.permutation(every)[: len(here)].sum() for _ in range(deals)]
        tails.append((1 + sum(total <= reached + 1e-9 for total in sums)) / (deals + 1))
    return min(1.0, 2 * min(tails))
