"""Each player alone, the skyline of all of them, the best single one, and how much of the gap between is closed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from second_way.compare import ANY_TEXT, Holds
from second_way.intervals import fieller, mean
from second_way.raw import Raw
from second_way.shares import NOBODY_KNOWS, Value, accuracy_row, mean_row, mean_value, value_of
from second_way.tables import Play, Table, grades, parts

FOLDS = 5

Values = Mapping[str, Value]
"""By question."""


def heard_row(plays: Sequence[Play], name: str = "value") -> dict[str, Any]:
    """Accuracy, and how often nobody waited for the answer."""
    row = accuracy_row(grades(plays), name)
    missed = sum(not play.heard for play in plays)
    return {**row, "not_heard": missed} if missed else row


def values(plays: Sequence[Play]) -> dict[str, Value]:
    return {question: value_of(several) for question, several in grades(plays).items()}


def players(table: Table) -> list[dict[str, Any]]:
    return [
        {"player": player, **heard_row(plays), "from": table.sources[player]}
        for player, plays in parts(table.alone, lambda play: play.player).items()
    ]


def tops(alone: Sequence[Play]) -> dict[str, Value]:
    """Whether anybody was right, in each repeat by itself, then the mean. Known only where every answer is graded, or
    where no ungraded answer can change any of it."""
    found: dict[str, Value] = {}
    for question, plays in parts(alone, lambda play: play.question).items():
        repeats = [_best([play.right for play in several]) for several in parts(plays, lambda p: p.repeat).values()]
        found[question] = mean_value(repeats)
    if all(value.most - value.least < 1e-12 for value in found.values()):
        return {question: Value(value.least, value.least, value.most) for question, value in found.items()}
    return found


def _best(rights: Sequence[float | None]) -> Value:
    highest = max([right for right in rights if right is not None], default=0.0)
    return Value(None, highest, 1.0) if None in rights else Value(highest, highest, highest)


def skyline(raw: Raw, table: Table) -> dict[str, Any]:
    every = tops(table.alone)
    known = {question: value.known for question, value in every.items() if value.known is not None}
    several = len({play.player for play in table.alone})
    choices = {question: len(raw.questions[question]["question"].get("choices", ())) for question in known}
    guesses = [1 - (1 - 1 / offered) ** several for offered in choices.values() if offered]
    row = mean_row(list(known.values())) | {
        "players": several,
        "guessing": sum(guesses) / len(known) if guesses else None,
        "ungraded": sum(value.open for value in every.values()),
    }
    if row["ungraded"]:
        low, high = mean([value.least for value in every.values()]), mean([value.most for value in every.values()])
        row["bounds"] = {"low": low, "high": high}
    if missed := sum(not play.heard for play in table.alone):
        row["not_heard"] = missed
    return row if known else {**row, "why": ANY_TEXT}


@dataclass(frozen=True)
class Single:
    """The best player: who was chosen on the other folds for each question, and who is best of all after the fact."""

    asked: list[str]
    choice: dict[str, Value]
    """By question: what the player chosen there gives."""
    chosen: list[str]
    """By fold; empty below two questions."""
    best: str | None
    best_values: dict[str, Value]

    @property
    def scored(self) -> dict[str, float]:
        return {question: value.known for question, value in self.choice.items() if value.known is not None}

    @property
    def after(self) -> dict[str, float]:
        return {question: value.known for question, value in self.best_values.items() if value.known is not None}


def single(raw: Raw, alone: Sequence[Play]) -> Single:
    by_player = {player: values(plays) for player, plays in parts(alone, lambda play: play.player).items()}
    asked = sorted({play.question for play in alone})
    best = _chosen(by_player, asked)
    best_values = by_player[best] if best is not None else {}
    if len(asked) < 2 or best is None:
        return Single(asked, {}, [], best, best_values)
    fold = folds(raw, asked)
    chosen: list[str] = []
    for number in range(max(fold.values()) + 1):
        choice = _chosen(by_player, [question for question in asked if fold[question] != number])
        assert choice is not None
        chosen.append(choice)
    choices = {question: by_player[chosen[fold[question]]].get(question, NOBODY_KNOWS) for question in asked}
    return Single(asked, choices, chosen, best, best_values)


def folds(raw: Raw, asked: Sequence[str]) -> dict[str, int]:
    """Dealt one by one, in the order of a hash of seed and question."""
    digests = {row["question_id"]: row["question"] for row in raw.tables["questions"]}

    def dealt(question: str) -> tuple[str, str]:
        text = json.dumps([raw.seed, "fold", digests[question]], separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:32], digests[question]

    return {question: place % min(FOLDS, len(asked)) for place, question in enumerate(sorted(asked, key=dealt))}


def _chosen(by_player: Mapping[str, Values], questions: Collection[str]) -> str | None:
    """Most right on these, everything ungraded taken for wrong; of equals the first by name. Who has no grade is last."""

    def merit(player: str) -> tuple[bool, float]:
        mine = [by_player[player].get(question, NOBODY_KNOWS) for question in questions]
        graded = any(value.known is not None for value in mine)
        return graded, round(sum(value.least for value in mine), 9) if graded else 0.0

    return max(sorted(by_player), key=merit) if by_player and questions else None


def best_single(one: Single) -> dict[str, Any]:
    after = {"player": one.best, **mean_row(list(one.after.values())), "note": "chosen after the fact"}
    after |= {} if one.after else {"why": ANY_TEXT}
    row: dict[str, Any] = {**mean_row(list(one.scored.values())), "chosen": one.chosen, "after_the_fact": after}
    if row["value"] is not None and row["value"] < after["value"] - 1e-9:
        row["value"] = _at_least(after["value"])
    if not one.scored and (one.chosen or not one.after):
        row["why"] = ANY_TEXT
    open_questions = len(one.choice) - len(one.scored)
    return {**row, "ungraded": open_questions} if open_questions else row


def _at_least(reached: float) -> Holds:
    """The best single player is never reported below what some player reached on all questions (5-evidence)."""
    return Holds(lambda value: value >= reached - 1e-9, f"at least {reached}, which a player reached on all questions")


def gap(raw: Raw, table: Table) -> list[dict[str, Any]]:
    top, one = tops(table.alone), single(raw, table.alone)
    rows = []
    for strategy, plays in parts(table.together, lambda play: play.strategy).items():
        by_captain: dict[Any, list[Play]] = parts(plays, lambda play: play.captain)
        by_captain |= {None: plays} if len(by_captain) > 1 else {}
        for captain, led in by_captain.items():
            rows.append({"strategy": strategy, "captain": captain, **_closed(values(led), top, one)})
    return rows


def _closed(reached: Values, top: Values, one: Single) -> dict[str, Any]:
    """On the questions of which all three are graded; nothing where the others could do away with the gap."""
    row = _graded(reached, top, one)
    triples = {
        question: (reached[question], one.choice[question], top[question])
        for question in top
        if question in one.choice and question in reached
    }
    if not any(value.open for triple in triples.values() for value in triple):
        return row if triples or one.after else {**row, "why": ANY_TEXT}
    left_out = sum(any(value.known is None for value in triple) for triple in triples.values())
    beside = {"ungraded": left_out} if left_out else {}
    ends = closure_bounds(list(triples.values()))
    if ends is None:
        nothing = {"value": None, "low": None, "high": None, "n": 0, "after_the_fact": None}
        return (
            {**nothing, **beside, "ungraded": left_out, "why": ANY_TEXT} if left_out else {**nothing, "why": ANY_TEXT}
        )
    row |= {**beside, "bounds": ends}
    return row if row["value"] is not None else {**row, "why": ANY_TEXT}


def closure_bounds(triples: Sequence[tuple[Value, Value, Value]]) -> dict[str, float] | None:
    """Rise by gap, each end of either taken with each end of the other."""
    rises = (sum(r.least - s.most for r, s, _ in triples), sum(r.most - s.least for r, s, _ in triples))
    gaps = (sum(t.least - s.most for _, s, t in triples), sum(t.most - s.least for _, s, t in triples))
    if gaps[0] <= 1e-12:
        return None
    ends = [rise / way for rise in rises for way in gaps]
    return {"low": min(ends), "high": max(ends)}


def _graded(reached: Values, top: Values, one: Single) -> dict[str, Any]:
    both = {
        question: (value.known, ceiling)
        for question, value in reached.items()
        if value.known is not None and question in top and (ceiling := top[question].known) is not None
    }
    pairs = [(both[q][0] - start, both[q][1] - start) for q, start in one.scored.items() if q in both]
    row: dict[str, Any] = {"value": None, "low": None, "high": None, "n": 0, "after_the_fact": None}
    if sum(way for _, way in pairs) > 1e-12:
        low, high = fieller(pairs)
        row |= {"value": sum(up for up, _ in pairs) / sum(way for _, way in pairs)}
        row |= {"low": low, "high": high, "n": len(pairs)}
    after = [(both[q][0] - start, both[q][1] - start) for q, start in one.after.items() if q in both]
    if after and sum(way for _, way in after) / len(after) > 1e-12:
        row["after_the_fact"] = sum(up for up, _ in after) / sum(way for _, way in after)
    return row
