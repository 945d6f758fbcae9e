"""Whether a captain favours its own draft, and whether that costs anything.

A captain may end on its own draft because it is the majority's: so beside how often it does stand the accuracy when
it does and when it does not, and how often, when it does, its draft was in a largest group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from moot.engine.match_record import Groups
from moot.measures.quiz.answer_counts import groups_of
from moot.measures.quiz.played import DraftsKey, Played, split, teams
from moot.stats.estimates import Row
from moot.stats.graded import completed, mean_value, why_unknown
from moot.stats.guarded_share import rate, rate_between
from moot.stats.proportion import share, share_between, summed

Observed = Iterable[tuple[str, float]]
"""(question, value): several of one question are one cluster."""
PlaysByQuestion = Mapping[str, float]
"""How many plays each question has. A question brings as many to a share of some choices as chose so, of all of them at most."""
_OF_SOME = ("accuracy_self", "accuracy_not_self", "self_and_majority")
"""Shares of the plays in which a captain chose so: how many of a question's plays these are is an outcome."""


def self_preference(plays: Sequence[Played]) -> list[Row]:
    """A row for each strategy × captain and, with more than one captain, for the strategy pooled (captain None).

    Only strategies in which a captain chooses have rows. `unknown` counts the plays in which it was asked and nobody knows
    whose draft its answer is; `not_asked` those in which it was not, since a vote stood or nobody had answered.
    Beside each measure stand `_low`, `_high`, `_count` and `_n`: `self_choice_count` of `self_choice_n` plays. How often it
    was right is over the plays that are graded.
    """
    chosen = [play for play in teams(plays) if play.captain is not None]
    rows: list[Row] = []
    for strategy, of_strategy in split(chosen, lambda play: play.strategy).items():
        if all(play.own_choice is None for play in of_strategy):
            continue
        groups = groups_of(of_strategy)  # its own: others may not have waited for all drafts
        parts = split(of_strategy, lambda play: play.captain)
        if len(parts) > 1:
            parts[None] = of_strategy
        rows += [
            {"label": strategy, "captain": captain, **_measures(captain_plays, groups)}
            for captain, captain_plays in parts.items()
        ]
    return rows


def _measures(plays: Sequence[Played], groups: Mapping[DraftsKey, Groups]) -> Row:
    attributed = [play for play in plays if play.own_choice is not None]
    chose_own = [play for play in attributed if play.own_choice]
    other = [play for play in attributed if not play.own_choice]
    grouped = [play for play in chose_own if play.drafts in groups]
    asked = sum(play.asked or play.own_choice is not None for play in plays)
    row: Row = {"n": len(attributed), "unknown": asked - len(attributed), "not_asked": len(plays) - asked}
    if ungraded := sum(play.right is None for play in attributed):
        row["ungraded"] = ungraded
    rights = {"accuracy_self": _rights(chose_own), "accuracy_not_self": _rights(other)}
    observed: dict[str, Observed] = {
        "self_choice": [(play.question, float(bool(play.own_choice))) for play in attributed],
        **{name: side.graded for name, side in rights.items()},
        "self_and_majority": [
            (play.question, float(in_largest(play.captain, groups[play.drafts]))) for play in grouped
        ],
        # Of the same plays as the choice: who is known to have said it is known wherever it is known that nobody has.
        "novel": [(play.question, float(play.novel)) for play in plays if play.novel is not None],
    }
    played = Counter(play.question for play in plays)
    for name, pairs in observed.items():
        row |= _share(name, list(pairs), played if name in _OF_SOME else {})
    for name, side in rights.items():
        row |= side.interval(name, played)
    row |= {f"{name}_bounds": side.bounds for name, side in rights.items() if side.bounds}
    if whys := list(dict.fromkeys(side.why for side in rights.values() if side.why)):
        row["why"] = "; ".join(whys)
    return row


@dataclass(frozen=True, slots=True)
class _Rights:
    """How right some plays are: those that are graded, and what the share is over all of them."""

    graded: list[tuple[str, float]]
    bounds: dict[str, float] | None
    why: str | None
    """Why there is no share although there are plays."""
    plays: Sequence[Played] = ()
    """Where some of them wait for a grade: all of them."""

    def interval(self, name: str, asked: PlaysByQuestion) -> Row:
        """One that holds whatever waits turns out to be; nothing where none does."""
        if not self.graded or not self.plays:
            return {}
        parts = split(self.plays, lambda play: play.question)
        values = {question: mean_value([play.value for play in several]) for question, several in parts.items()}
        counted = {q: float(sum(play.value.worst is not None for play in several)) for q, several in parts.items()}
        seen = summed(self.graded)
        ends = completed(values, best=False), completed(values, best=True)
        between = share_between(share(seen), *ends, counted)
        if between is None:
            return {f"{name}_low": None, f"{name}_high": None}
        worst, best = ({q: (value * counted[q], counted[q]) for q, value in end.items()} for end in ends)
        low, high = rate_between(between, seen, worst, best, asked).limits()
        return {f"{name}_low": low, f"{name}_high": high}


def _rights(plays: Sequence[Played]) -> _Rights:
    values = [play.value for play in plays]
    if not any(value.open for value in values):
        return _Rights([(play.question, play.right) for play in plays if play.right is not None], None, None)
    low, high = (sum(ends) / len(plays) for ends in zip(*((value.least, value.most) for value in values), strict=True))
    graded = [(play.question, play.right) for play in plays if play.right is not None]
    why = why_unknown(values) if graded else f"none of {len(plays)} plays is graded"
    waiting = plays if any(value.waiting for value in values) else ()
    return _Rights([] if why else graded, {"low": low, "high": high}, why, waiting)


def in_largest(player: str | None, groups: Groups) -> bool:
    """Whether the player's answer had at least as many voices as any other."""
    largest = max((len(group) for group in groups), default=0)
    return any(player in group and len(group) == largest for group in groups)


def _share(name: str, observed: Sequence[tuple[str, float]], asked: PlaysByQuestion) -> Row:
    figure = rate(summed(observed), asked)
    found = figure and figure.estimate()
    return {
        name: found and found.value,
        f"{name}_low": found and found.low,
        f"{name}_high": found and found.high,
        f"{name}_count": _whole(sum(value for _, value in observed)),
        f"{name}_n": len(observed),
    }


def _whole(count: float) -> float | int:
    return int(count) if count == int(count) else count
