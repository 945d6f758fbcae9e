"""What a quiz team's plays amount to: accuracy, gains over the captain alone, people beside it, by category.

Pure functions from `Played` to figures: no store, no model. Questions are the unit: captains and repeats of one
question are one cluster. What does not exist is None, never NaN. A play that is not graded is in no figure: it is
counted beside it, and in the bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot.engine.match_record import Groups
from moot.stats.estimates import TESTED, Row, estimate
from moot.stats.graded import (
    Value,
    WayOfGrading,
    accuracy_row,
    completed,
    ended_value,
    fair,
    graded_estimate,
    known,
    mean_value,
    said_value,
    why_never_came,
)
from moot.stats.graded_pairs import compare_between, errors_apart, family_row
from moot.types import Estimate

UNPLAYED = Value(None, 0.0, 1.0)
"""Of a question that somebody was not asked, while others were: it is neither right nor wrong."""
DraftsKey = tuple[str, int]
"""One set of drafts: the question, and which time it was asked."""


@dataclass(frozen=True, slots=True)
class Played:
    """One episode and its grade, without the words."""

    question: str
    strategy: str
    """With its options: its label."""
    captain: str | None = None
    player: str | None = None
    """Who played alone; None for a team."""
    right: float | None = None
    """None: ungraded, which is neither right nor wrong."""
    outcome: str = "answered"
    groups: Groups = ()
    """Players by answer group, of those whom it heard; empty when unknown."""
    known_groups: Groups | None = None
    """The same of all whose drafts are known, be it from other plays: only where not everybody was waited for."""
    own_choice: bool | None = None
    """Whether the captain ended on its own draft; None when not known or not applicable."""
    asked: bool = True
    """Whether anybody was shown the drafts to decide: a vote that stands is nobody's choice."""
    novel: bool | None = None
    """Whether the captain's answer is one that nobody had proposed."""
    human: float | None = None
    category: str | None = None
    calls: int = 0
    cost_usd: float | None = None
    repeat: int = 0
    """Of the drafts it rests on."""
    heard: bool = True
    """Whether the player's answer was waited for; what it would have been is unknown else, and ungraded."""
    way: WayOfGrading = "at once"
    """How it came by its grade, or why it has none."""
    open_words: str | None = None
    """What it said, where nobody has graded that, as far as equal words have equal grades."""
    never_came: str | None = None
    """Whose it is, where every play of it failed."""
    unrecorded: bool = False
    """Whether it says nothing since a recording has no reply: completed, it may be right."""
    cut: frozenset[str] = frozenset()
    """Whose drafts have lost a part: they may equal any other, or none."""
    asked_again: frozenset[str] = frozenset()
    """Who could not be reached on its question, and may say anything yet: only where plays may come to anything
    (`measures.played_again`)."""

    @property
    def value(self) -> Value:
        said = said_value(self.right, self.way if self.heard else "not heard", self.open_words)
        return ended_value(said, self.outcome, self.never_came)

    @property
    def drafts(self) -> DraftsKey:
        """The drafts it rests on."""
        return self.question, self.repeat

    @property
    def whose(self) -> str | None:
        """The captain of a team, the player of a solo."""
        return self.player if self.player is not None else self.captain


SplitKey = Callable[[Played], Any]


def split(plays: Iterable[Played], key: SplitKey) -> dict[Any, list[Played]]:
    """Plays by a key, in the order of the key's text, so that the order of plays changes nothing."""
    parts: dict[Any, list[Played]] = {}
    for play in plays:
        parts.setdefault(key(play), []).append(play)
    return dict(sorted(parts.items(), key=lambda part: str(part[0])))


def solos(plays: Iterable[Played]) -> list[Played]:
    return [play for play in plays if play.player is not None]


def teams(plays: Iterable[Played]) -> list[Played]:
    return [play for play in plays if play.player is None]


def of_all(plays: Sequence[Played]) -> list[Played]:
    """Only of those drafts of which all have a play who have any: captains of a team, or players by themselves.

    Over whoever is there, a figure of several would be one of others from question to question.
    """
    everybody = {play.whose for play in plays}
    if len(everybody) < 2:
        return list(plays)
    there: dict[DraftsKey, set[str | None]] = {}
    for play in plays:
        there.setdefault(play.drafts, set()).add(play.whose)
    return [play for play in plays if len(there[play.drafts]) == len(everybody)]


def level_strategies(plays: Sequence[Played]) -> list[Played]:
    """The same of each strategy by itself: its captains, or those who play it alone, on the drafts that all of them have."""
    return [play for several in split(plays, lambda play: play.strategy).values() for play in of_all(several)]


def values_by_question(plays: Iterable[Played]) -> dict[str, Value]:
    """The share right of each question, over its captains and repeats."""
    parts = split(plays, lambda play: play.question)
    return {question: mean_value([play.value for play in several]) for question, several in parts.items()}


def by_question(plays: Iterable[Played]) -> dict[str, float]:
    """The same of the questions that have something graded, over what is."""
    return known(fair(values_by_question(plays)))


def repeated(plays: Sequence[Played]) -> bool:
    """Whether a question has several plays, so that its value is a mean."""
    return len(plays) > len({play.question for play in plays})


def accuracy_of(plays: Sequence[Played]) -> Estimate | None:
    """Accuracy with every question of equal weight, over those that are graded."""
    return graded_estimate(values_by_question(plays))


def accuracy_figures(plays: Sequence[Played], name: str = "value") -> Row:
    """The same as a row, with its bounds where not all is graded, and how often a player was not waited for."""
    row = accuracy_row(values_by_question(plays), name)
    if not_heard := sum(not play.heard for play in plays):
        row["not_heard"] = not_heard
    return row


def gains(plays: Sequence[Played]) -> list[Row]:
    """Each strategy@captain against that captain alone, on the questions both played; then pooled over captains.

    Holm's family is all rows that stand together in the end (`estimates.with_holm`). `captain` is None in the pooled rows.
    """
    alone = split(solos(plays), lambda play: play.player)
    rows: list[Row] = []
    for strategy, of_strategy in split(teams(plays), lambda play: play.strategy).items():
        led = [play for play in of_strategy if play.captain in alone]
        by_captain = split(led, lambda play: play.captain)
        for captain, of_captain in by_captain.items():
            pairs = pairs_on(of_captain, alone[captain])
            pooled = repeated(of_captain) or repeated(alone[captain])
            rows.append(
                {"label": strategy, "captain": captain, **errors_apart(family_row(pairs, pooled=pooled), pairs)}
            )
        if len(by_captain) > 1:
            baseline = of_all([play for captain in by_captain for play in alone[captain]])
            pairs = pairs_by_captain(of_all(led), baseline)
            rows.append({"label": strategy, "captain": None, **errors_apart(family_row(pairs, pooled=True), pairs)})
    return rows


def pairs_on(first: Sequence[Played], second: Sequence[Played]) -> dict[str, list[tuple[Value, Value]]]:
    """One pair for each question that both have played."""
    one, other = values_by_question(first), values_by_question(second)
    return {question: [(value, other[question])] for question, value in one.items() if question in other}


def pairs_of_all(
    first: Sequence[Sequence[Played]], second: Sequence[Sequence[Played]]
) -> dict[str, list[tuple[Value, Value]]]:
    """A pair for each of the first with each of the second, on the questions that all of them have played."""
    one, other = ([values_by_question(plays) for plays in side] for side in (first, second))
    asked = set.intersection(*(set(values) for values in (*one, *other)))
    return {
        question: [(mine[question], theirs[question]) for mine in one for theirs in other] for question in sorted(asked)
    }


def pairs_by_captain(first: Sequence[Played], second: Sequence[Played]) -> dict[str, list[tuple[Value, Value]]]:
    """One pair for each question and captain that both have: a player alone stands for itself as captain."""
    sides = [
        {key: mean_value([play.value for play in several]) for key, several in split(plays, _place).items()}
        for plays in (first, second)
    ]
    pairs: dict[str, list[tuple[Value, Value]]] = {}
    for key, value in sides[0].items():
        if key in sides[1]:
            pairs.setdefault(key[0], []).append((value, sides[1][key]))
    return pairs


def _place(play: Played) -> tuple[str, str | None]:
    return play.question, play.whose


def human_comparison(plays: Sequence[Played]) -> list[Row]:
    """On the questions that people played too: their mean rate, ours, and the difference question by question.

    A row for each strategy × captain (solo: player), and one for each strategy over all of them (captain None); all of
    them are one family (`estimates.with_holm`).
    """
    rated = [play for play in plays if play.human is not None]
    rates = {play.question: play.human or 0.0 for play in rated}
    people: dict[tuple[str, ...], Estimate | None] = {}  # mostly the same questions in every row
    rows: list[Row] = []
    for strategy, of_strategy in split(rated, lambda play: play.strategy).items():
        parts = split(of_strategy, lambda play: play.whose)
        if len(parts) > 1 and (level := of_all(of_strategy)):
            parts[None] = level
        for whose, plays_of_one in parts.items():
            values = values_by_question(plays_of_one)
            asked = tuple(known(fair(values)))
            if asked not in people:
                people[asked] = estimate({question: rates[question] for question in asked})
            named = {"label": strategy, **_named(plays_of_one, whose)}
            rows.append({**named, **_beside_people(values, rates, people[asked])})
    return rows


def _named(plays: Sequence[Played], whose: str | None) -> Row:
    solo = any(play.player is not None for play in plays)
    return {"captain": None if solo else whose, "player": whose if solo else None}


def _beside_people(values: Mapping[str, Value], rates: Mapping[str, float], human: Estimate | None) -> Row:
    never = why_never_came(values.values())
    seen, worst, best = (
        {} if never else {question: (right, rates[question]) for question, right in part.items()}
        for part in (known(fair(values)), completed(values, best=False), completed(values, best=True))
    )
    compared = compare_between(seen, worst, best, pooled=True)
    tested, found = compared.figure, compared.difference
    return {
        **accuracy_row(values, "accuracy"),
        **({"why": never} if never else {}),
        "human": human and human.value,
        "human_low": human and human.low,
        "human_high": human and human.high,
        "difference": found and found.value,
        "difference_low": found and found.low,
        "difference_high": found and found.high,
        "p": compared.p,
        TESTED: tested,
    }


def by_category(plays: Sequence[Played]) -> list[Row]:
    """Accuracy of each strategy within each category, over its captains. Questions without a category are left out."""
    named = [play for play in level_strategies(plays) if play.category is not None]
    return [
        {"category": category, "label": strategy, **accuracy_figures(strategy_plays, "accuracy")}
        for category, part in split(named, lambda play: play.category).items()
        for strategy, strategy_plays in split(part, lambda play: play.strategy).items()
    ]
