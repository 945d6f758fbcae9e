"""Discussions counted again: what each protocol reached, in how many turns it decided, and what it took."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from statistics import stdev
from typing import Any

from second_way.alone import Found, everybody, in_words, stepping_alone, told_alone
from second_way.bounded import BoundedMean
from second_way.compare import ANY_TEXT
from second_way.hanging import together
from second_way.intervals import mean
from second_way.options import unpriceable
from second_way.raw import Cell, Episode, Raw
from second_way.shares import Grade, graded, share_row

Row = dict[str, Any]


def discussion(raw: Raw) -> Row:
    talks = [cell for cell in raw.cells if cell.traits.get("hears") == "talk" and raw.episodes(cell)]
    if not talks:
        return {}
    alone = [cell for cell in raw.cells if cell.traits.get("alone") and cell.traits.get("drafts") == "single-call"]
    named = [*((_player(cell), cell) for cell in alone), *((_protocol(talks, cell), cell) for cell in talks)]
    return {
        "protocols": [row for name, cell in named for row in _scores(raw, name, cell)],
        "protocol_turns": [_turns(raw, _protocol(talks, cell), cell) for cell in talks],
        "protocol_cost": list(_costs(raw, talks, alone)),
    }


def named_discussions(raw: Raw) -> dict[str, Row]:
    """By the id of its cell: what a discussion is called."""
    talks = [cell for cell in raw.cells if cell.traits.get("hears") == "talk" and raw.episodes(cell)]
    return {cell.id: _protocol(talks, cell) for cell in talks}


def _player(cell: Cell) -> Row:
    return {
        "protocol": f"{cell.strategy}@{cell.player}",
        "with": in_words(cell),
        "label": cell.label,
        "team": None,
        "cohort": None,
    }


def _protocol(talks: Sequence[Cell], cell: Cell) -> Row:
    """By its decision. Beside it the options that are not the same in all discussions, in words, where there are such."""
    varied = {
        name
        for name in cell.options
        if name != "decision" and len({json.dumps(other.options.get(name)) for other in talks}) > 1
    }
    return {
        "protocol": cell.options["decision"],
        "with": ANY_TEXT if varied & cell.given.keys() else None,
        "label": cell.label,
        "team": cell.team,
        "cohort": cell.cohort,
    }


def _scores(raw: Raw, named: Row, cell: Cell) -> list[Row]:
    """All questions, and each set of them where there are several."""
    episodes = raw.episodes(cell)
    sets = list(dict.fromkeys(raw.questions[episode.question]["set"] for episode in episodes))
    if not sets:
        return []
    rows = [{**named, "dataset": sets[0] if len(sets) == 1 else None, "whole": True, **_score(episodes)}]
    if len(sets) > 1:
        for name in sets:
            part = [episode for episode in episodes if raw.questions[episode.question]["set"] == name]
            rows.append({**named, "dataset": name, "whole": False, **_score(part)})
    return rows


def _score(episodes: Sequence[Episode]) -> Row:
    grades: dict[str, list[Grade]] = {}
    for episode in episodes:
        grades.setdefault(episode.question, []).append(episode.right)
    row = share_row(grades)
    return {
        **row,
        "deviation": _deviation(episodes) if row["value"] is not None else None,
        "repeats": len({episode.repeat for episode in episodes}),
        "ungraded": sum(not graded(episode.right) for episode in episodes),
        "small": row.get("clusters", row["n"]) < 30,
    }


def _deviation(episodes: Sequence[Episode]) -> float | None:
    """From repeat to repeat, on the questions that all repeats have graded."""
    known = {(e.question, e.repeat): right for e in episodes if graded(right := e.right)}
    repeats = sorted({repeat for _, repeat in known})
    shared = [
        question
        for question in dict.fromkeys(question for question, _ in known)
        if all((question, repeat) in known for repeat in repeats)
    ]
    if len(repeats) < 2 or not shared:
        return None
    return stdev(mean([known[question, repeat] for question in shared]) for repeat in repeats)


def _held(cell: Cell, episode: Episode) -> int:
    """The turn of the decision, and without one the last: by the consensus, by the last count, by the last message."""
    turns = {kind: [record.get("turn", 1) for record in episode.traces if record["kind"] == kind] for kind in _KINDS}
    if cell.traits["decides_by"] == "consensus" and turns["agreement"]:
        return int(turns["agreement"][-1])
    return int(max(turns["counted"] or turns["remark"], default=episode.verdict.get("turns", 1)))


_KINDS = ("agreement", "counted", "remark")


def _turns(raw: Raw, named: Row, cell: Cell) -> Row:
    """Over all discussions, those that were never decided among them."""
    episodes = raw.episodes(cell)
    decided = Counter(_held(cell, episode) for episode in episodes if episode.outcome == "answered")
    undecided = sum(episode.outcome == "undecided" for episode in episodes)
    total = len(episodes)
    return {
        **named,
        "family": cell.traits["decides_by"],
        "turns": [{"turn": turn, "share": decided[turn] / total, "times": decided[turn]} for turn in sorted(decided)],
        "undecided": undecided / total,
        "no_answer": (total - undecided - sum(decided.values())) / total,
        "episodes": total,
        **_mean_turns(raw, [cell]),
    }


def _mean_turns(raw: Raw, cells: Sequence[Cell]) -> Row:
    """Over all discussions that did not break off; the interval over questions."""
    held: dict[str, list[int]] = {}
    for cell in cells:
        for episode in raw.episodes(cell):
            if episode.outcome != "failed":
                held.setdefault(episode.question, []).append(_held(cell, episode))
    every = [turns for several in held.values() for turns in several]
    low, high = _turn_limits([*held.values()], max(cell.options["max_turns"] for cell in cells))
    return {
        "rounds": mean(every) if every else None,
        "low": low,
        "high": high,
        "n": len(held),
        "small": len(together(held)) < 30,
    }


def _turn_limits(questions: Sequence[Sequence[int]], most: int) -> tuple[Any, Any]:
    """Of turns from one to the most: as a share of the way between them, from -1 to 1, by these bounds alone."""
    if len(questions) < 2 or most == 1:
        return None, None
    on_the_way = BoundedMean(
        [sum(2 * (turn - 1) / (most - 1) - 1 for turn in turns) for turns in questions],
        [float(len(turns)) for turns in questions],
    )
    low, high = on_the_way.limits(0.05)
    return 1 + (low + 1) / 2 * (most - 1), 1 + (high + 1) / 2 * (most - 1)


def _costs(raw: Raw, talks: Sequence[Cell], alone: Sequence[Cell]) -> list[Row]:
    """For one question played once; beside all seats of the table alone: as told, else all of them by steps."""
    seated = {model for cell in talks for model in _models(cell)}
    single = [cell for cell in alone if _models(cell) <= seated]
    nobody: Row = {"calls_ratio": None, "tokens_ratio": None, "alone": []}
    rows = [{**_player(cell), **_spent(raw, cell), **nobody} for cell in single]
    played = [cell for cell in single if raw.episodes(cell)]
    for cell in talks:
        row = {**_protocol(talks, cell), **_spent(raw, cell), **nobody}
        for found in (told_alone(cell, played), stepping_alone(cell, played)):
            if all(found.values()):
                there = [cell, *everybody(found)]
                common = set.intersection(*({e.question for e in raw.episodes(one)} for one in there))
                whole = common.difference(*(unpriceable([raw.episodes(one)]) for one in there))
                row |= _times_alone(raw, cell, found, whole)
                row["alone"] = [one.player for one in everybody(found)]
                break
        rows.append(row)
    return rows


def _times_alone(raw: Raw, cell: Cell, found: Found, whole: Collection[str]) -> Row:
    """Over the questions that all of them have played, and of which it is known what each of them takes."""
    if not whole:
        return {"why": ANY_TEXT}
    spent = _spent(raw, cell, whole)
    seats = [[_spent(raw, one, whole) for one in own] for own in found.values()]
    return {
        "calls_ratio": _times(spent["calls"], [mean([one["calls"] for one in own]) for own in seats]),
        "tokens_ratio": _times(_tokens(spent), [_mean_told([_tokens(one) for one in own]) for own in seats]),
        **({"ratio_n": len(whole)} if len(whole) < len({e.question for e in raw.episodes(cell)}) else {}),
    }


def _models(cell: Cell) -> set[str]:
    return {json.dumps(player["model"], sort_keys=True) for player in cell.spec["players"]}


def _spent(raw: Raw, cell: Cell, asked: Collection[str] | None = None) -> Row:
    every = [episode for episode in raw.episodes(cell) if asked is None or episode.question in asked]
    lacking = unpriceable([every])
    episodes = [episode for episode in every if episode.question not in lacking]
    plays: dict[str, list[list[Row]]] = {}
    for episode in episodes:
        plays.setdefault(episode.question, []).append([raw.calls[key] for key in episode.calls if key in raw.calls])

    keys = {key for episode in episodes for key in episode.calls if key in raw.calls}
    there = [raw.calls[key] for key in sorted(keys)]
    counted = sum(not any(_silent([call], key) for key in TOKENS) for call in there)

    def usual(taken: Callable[[Sequence[Row]], float]) -> float | None:
        """A question by the mean of its plays, then the mean of all of which no play lacks a call."""
        if not plays:
            return None if lacking else 0.0
        return mean([mean([taken(calls) for calls in several]) for several in plays.values()])

    return {
        "calls": usual(len),
        **{key: None if _silent(there, key) else usual(partial(_sum_of, key)) for key in TOKENS},
        **({"tokens_known": {"calls": len(there), "known": counted}} if counted < len(there) else {}),
        **({"cost_n": len(plays)} if lacking else {}),
        "episodes": len(every),
    }


TOKENS = ("prompt_tokens", "completion_tokens")


def _silent(calls: Sequence[Row], key: str) -> bool:
    return any(call[key] is None for call in calls)


def _sum_of(key: str, calls: Sequence[Row]) -> float:
    return float(sum(call[key] for call in calls))


def _tokens(spent: Row) -> float | None:
    return None if _silent([spent], TOKENS[0]) or _silent([spent], TOKENS[1]) else sum(spent[key] for key in TOKENS)


def _mean_told(values: Sequence[float | None]) -> float | None:
    told = [each for each in values if each is not None]
    return mean(told) if len(told) == len(values) else None


def _times(value: float | None, alone: Sequence[float | None]) -> float | None:
    if value is None or None in alone:
        return None
    told = [each for each in alone if each is not None]
    return value / mean(told) if sum(told) else None
