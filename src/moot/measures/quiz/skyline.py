"""How far a team could get: the skyline of its players, and how much of the way there a strategy goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from moot.measures.quiz.played import Played, of_all, solos, split, teams, values_by_question
from moot.stats.choice import chosen_interval
from moot.stats.closure import NOBODY, Side, closure, only
from moot.stats.clusters import units_of
from moot.stats.crossfit import equally_best
from moot.stats.estimates import Row, estimate_row
from moot.stats.graded import (
    Value,
    at_worst,
    best_value,
    bounds_row,
    closure_bounds,
    fair,
    graded_estimate,
    known,
    least_of,
    marks_of,
    mean_value,
    total_of,
    why_never_came,
    why_no_interval,
    why_none,
    why_nothing,
    why_unfair_together,
    why_unknown,
    with_settled,
)
from moot.stats.mean import mean
from moot.stats.shared_questions import shared_questions
from moot.types import Estimate


@dataclass(frozen=True, slots=True)
class Skyline:
    """The share of questions that at least one player got right."""

    estimate: Estimate | None
    players: int
    """Who answered at all; everybody where nobody did."""
    guessing: float | None
    """What as many independent guessers would reach on the same questions; None without choices."""
    ungraded: int
    """Questions that nobody is known to have right while some answer is ungraded. With repeats a part of such a question may
    be in the share; what is not, is in the bounds alone."""
    values: Mapping[str, Value] = field(default_factory=dict)
    not_heard: int = 0
    """Answers that were not waited for: unknown, as the ungraded ones are."""
    left_out: int = 0
    """Questions that only some of the players have: nobody knows what the others would have said."""

    def row(self) -> Row:
        rest = {"players": self.players, "guessing": self.guessing}
        row = {**estimate_row(self.estimate), **rest, **bounds_row(self.values.values()), "ungraded": self.ungraded}
        row |= {"questions": len(self.values)} if self.ungraded else {}
        row |= {"not_heard": self.not_heard} if self.not_heard else {}
        row |= {"left_out": self.left_out} if self.left_out else {}
        return row if self.estimate is not None else {**row, "why": _why_no_skyline(self.values, self.left_out)}


@dataclass(frozen=True, slots=True)
class BestSingle:
    """The player who got most right of all questions: never less than what any of them reached."""

    estimate: Estimate | None
    """With an interval whose lower end pays for the choice among the players."""
    player: str | None
    players: int
    """How many it was chosen among: who answered at all, everybody where nobody did."""
    questions: int
    """All that were asked."""
    values: Mapping[str, Value] = field(default_factory=dict)
    """By question, graded or not."""
    ungraded: int = 0
    """Questions that its answer to is ungraded."""
    bounds: Mapping[str, float] | None = None
    """What the best of all players reached at least and at most, whoever it is; None where all is graded."""
    rivals: tuple[str, ...] = ()
    """Players who could be better, were their ungraded answers right."""
    side: Side = NOBODY
    """All among whom it was chosen, as far as they are graded."""
    not_ranked: str | None = None
    """Who has too few questions to be ranked beside the others, in words; any of them could be better."""
    ranked: int = 0
    """How many of the players were ranked."""
    why_none: str | None = None
    """Why nobody is the best, where no two players share enough questions."""
    equals: tuple[str, ...] = ()
    """Who got as many right, as far as is graded: which of them is named says nothing."""

    def row(self) -> Row:
        row = {
            "player": self.player,
            **({"equals": [*self.equals]} if self.equals else {}),
            **estimate_row(self.estimate),
        }
        row |= {"bounds": dict(self.bounds)} if self.bounds is not None else {}
        row |= {"players": self.players, "note": "chosen after the fact"}
        row |= {"ranked": self.ranked} if self.not_ranked else {}
        if self.why_none is not None:
            row["why"] = f"{self.why_none}; {self.not_ranked}"
        elif self.estimate is None:
            row["why"] = why_none(self.values) if self.values else why_nothing(self.questions)
        elif self.rivals:
            known = f"as far as is known ({self.not_ranked})" if self.not_ranked else "as far as is graded"
            row["why"] = f"the best {known}: {', '.join(self.rivals)} could be better"
        return {**row, "ungraded": self.ungraded} if self.ungraded else row


def _why_no_skyline(values: Mapping[str, Value], left_out: int) -> str:
    if not values and left_out:
        return f"there is no question among {left_out:,} that all players have"
    if not known(values):
        questions = len(values)
        graded = f"there is no question among {questions:,} of which every player's answer is graded"
        return graded if questions else why_nothing(0)
    if not_heard := sum(value.not_heard > 0 for value in values.values()):
        return (
            f"all players were heard on {len(values) - not_heard:,} of {len(values):,} questions: on the others nobody waited"
            " for all"
        )
    return why_unknown(values.values(), of="sets of answers have one that waits") or why_none(values)


def guessing(players: int, choices: int) -> float:
    """How often at least one of so many independent guessers hits one of so many choices: nine on four, 92.5 %."""
    return 1.0 - (1.0 - 1.0 / choices) ** players if choices > 0 else 0.0


def skyline(plays: Sequence[Played], *, choices: Mapping[str, int] | None = None) -> Skyline:
    """From solo plays, on the questions that all players have. `choices`: how many each offers.

    In each repeat somebody was right or nobody was; over repeats it is the mean of that.
    """
    alone = solos(plays)
    values = top_by_question(alone)
    top = known(fair(values))
    players = len(_who_answered(alone))
    offered = {question: count for question, count in (choices or {}).items() if question in top}
    chance = sum(guessing(players, count) for count in offered.values()) / len(top) if offered and top else None
    ungraded = sum(value.open for value in values.values())
    share = graded_estimate(values)
    not_heard = sum(not play.heard for play in alone if play.question in values)
    left_out = len({play.question for play in alone}) - len(values)
    return Skyline(share, players, chance, ungraded, values, not_heard, left_out)


def _who_answered(alone: Sequence[Played]) -> set[str | None]:
    """Everybody where nobody did: of whoever never answered nobody knows how good it is, and there is nothing to choose."""
    return {play.player for play in alone if play.never_came is None} or {play.player for play in alone}


def top_by_question(alone: Sequence[Played]) -> dict[str, Value]:
    """The best that anybody did: in each repeat by itself that all of them have, then the mean over these.

    Known of a question is what all its answers are graded for; the bounds know that one right answer is enough.
    """
    grades: dict[str, dict[int, list[Value]]] = {}
    for play in of_all(alone):
        grades.setdefault(play.question, {}).setdefault(play.repeat, []).append(play.value)
    repeats = {
        question: [best_value(by_repeat[repeat]) for repeat in sorted(by_repeat)]
        for question, by_repeat in grades.items()
    }
    return with_settled({question: mean_value(repeats[question]) for question in sorted(repeats)})


def best_single(plays: Sequence[Played], *, seed: int = 0) -> BestSingle:
    """From solo plays: players are ranked on the questions that they share, and the figure is over these too, so that it is
    never above the skyline. What is ungraded is left out; where something is, they are ranked by the least that each can be.
    """
    import numpy as np

    alone = solos(plays)
    every = split(alone, lambda play: play.player)
    played = {player: {play.question for play in of_player} for player, of_player in every.items()}
    together, total = shared_questions(played), len({play.question for play in alone})
    answered = _who_answered(alone)
    if together.none_ranked:
        told = BestSingle(None, None, len(answered), questions=total, rivals=tuple(every), not_ranked=together.told)
        return replace(told, ranked=len(together.names), why_none=together.why_none)
    level = of_all([play for player in together.names for play in every[player] if play.question in together.questions])
    parts = split([play for play in level if play.player in answered] or level, lambda play: play.player)
    ranked = {player: values_by_question(own) for player, own in parts.items()}
    marks = {player: marks_of(values) for player, values in ranked.items()}
    least = {player: least_of(values) for player, values in ranked.items()}
    asked = sorted({play.question for play in level})
    equals = equally_best(marks, asked, least=least)
    if not equals:
        return BestSingle(None, None, len(answered), questions=total)
    name = equals[0]
    values = ranked[name]
    reached = graded_estimate(values)
    if reached is not None:
        table = np.array([[_mark(own[question]) for question in asked] for own in marks.values()])
        place, clusters = list(marks).index(name), units_of(asked)
        reached = chosen_interval(table, place, reached, at_worst=at_worst(values), clusters=clusters, seed=seed)
    ungraded = sum(value.open for value in values.values())
    unranked = {
        player: list(values_by_question(every[player]).values()) for player in together.left_out if player in answered
    }
    bounds, rivals = _whoever_it_is(ranked, unranked, name)
    player = name if reached is not None else None
    side = Side({player: known(values) for player, values in ranked.items()}, name)
    return BestSingle(
        reached,
        player,
        len(answered),
        total,
        values,
        ungraded,
        bounds,
        rivals,
        side,
        together.told,
        len(ranked),
        equals=tuple(sorted(equals[1:])) if player is not None else (),
    )


def _mark(known_value: float | None) -> float:
    return float("nan") if known_value is None else known_value


def _whoever_it_is(
    ranked: Mapping[str, Mapping[str, Value]], unranked: Mapping[str, Sequence[Value]], name: str
) -> tuple[dict[str, float] | None, tuple[str, ...]]:
    """Between what the highest of all lies, and who of the others could be it: on the questions that they share.

    Who shares too few of them could be it too, and its bounds are those of what it has played.
    """
    every = {player: list(values.values()) for player, values in ranked.items()} | dict(unranked)
    if not any(value.open for values in every.values() for value in values):
        return None, tuple(unranked)
    least = {player: mean([value.least for value in values]) for player, values in every.items()}
    most = {player: mean([value.most for value in values]) for player, values in every.items()}
    rivals = tuple(player for player in ranked if player != name and most[player] > least[name] + 1e-12)
    return {"low": max(least.values()), "high": max(most.values())}, (*rivals, *unranked)


@dataclass(frozen=True, slots=True)
class GapClosed:
    """(accuracy - best single) / (skyline - best single); None where there is no gap to close."""

    estimate: Estimate | None
    ungraded: int = 0
    """Questions left out because one of the three is ungraded there."""
    bounds: Mapping[str, float] | None = None
    """Over all questions, where not all is graded and the gap is one whatever the rest turns out to be."""
    why: str | None = None
    """Why there is no figure, where there is none."""

    def row(self) -> Row:
        row = estimate_row(self.estimate)
        more = {"ungraded": self.ungraded or None, "bounds": self.bounds and dict(self.bounds), "why": self.why}
        return {**row, **{key: value for key, value in more.items() if value is not None}}


def gap_closed(team: Sequence[Played], alone: Sequence[Played], *, seed: int = 0) -> GapClosed:
    """Over the questions that the team and its players alone have played; the interval holds whoever is the best of them."""
    return _closed(team, top_by_question(solos(alone)), best_single(alone, seed=seed))


NO_GAP = "there is no gap: the best single player is as good as the skyline"


def _closed(team: Sequence[Played], tops: Mapping[str, Value], single: BestSingle) -> GapClosed:
    """On the questions of which all three are graded, and nothing where the rest could do away with the gap itself."""
    played = values_by_question(team)
    triples = {
        question: (played[question], single.values[question], value)
        for question, value in tops.items()
        if question in single.values and question in played
    }
    if never := why_never_came(reached for reached, _, _ in triples.values()):
        return GapClosed(None, why=never)
    closed = GapClosed(_graded_gap(triples, single))
    if single.rivals:
        ungraded = sum(any(value.known is None for value in triple) for triple in triples.values())
        return GapClosed(None, ungraded, why=f"{', '.join(single.rivals)} could be the best single player")
    if not any(value.open for triple in triples.values() for value in triple):
        if closed.estimate is not None:
            return closed
        return replace(closed, why=NO_GAP if triples else why_nothing(len(tops) if single.estimate is None else 0))
    left_out = sum(any(value.known is None for value in triple) for triple in triples.values())
    bounds = closure_bounds(*map(total_of, zip(*triples.values(), strict=True)))
    if left_out < len(triples) and (unfair := why_unfair_together(list(triples.values()))):
        return GapClosed(None, left_out, bounds, unfair)
    if bounds is None:
        why = "the ungraded answers could leave no gap between the best single player and the skyline"
        return GapClosed(None, left_out, why=why_nothing(len(triples)) if left_out == len(triples) else why)
    no_figure = None if closed.estimate is not None else "no gap to the skyline on the questions that are graded"
    if closed.estimate is not None and (waits := why_no_interval(triples.values())):
        closed, no_figure = GapClosed(replace(closed.estimate, low=None, high=None)), waits
    return replace(closed, ungraded=left_out, bounds=bounds, why=no_figure)


def _graded_gap(triples: Mapping[str, tuple[Value, Value, Value]], single: BestSingle) -> Estimate | None:
    """From the team, the best single and the skyline of each question, as far as all three are known."""
    graded = {
        question: (reached.known - start.known, top.known - start.known)
        for question, (reached, start, top) in triples.items()
        if reached.known is not None and start.known is not None and top.known is not None
    }
    if not graded:
        return None
    reached = known({question: triple[0] for question, triple in triples.items()})
    top = known({question: triple[2] for question, triple in triples.items()})
    figure = closure(graded, only(reached), single.side, only(top))
    return None if figure is None else figure.estimate()


def gap_rows(plays: Sequence[Played], *, seed: int = 0) -> list[Row]:
    """A row for each strategy × captain, and for each strategy over its captains (captain None)."""
    alone = solos(plays)
    top, single = top_by_question(alone), best_single(alone, seed=seed)
    rows: list[Row] = []
    for strategy, of_strategy in split(teams(plays), lambda play: play.strategy).items():
        parts = split(of_strategy, lambda play: play.captain)
        if len(parts) > 1:
            parts[None] = of_all(of_strategy)
        for captain, captain_plays in parts.items():
            rows.append({"label": strategy, "captain": captain, **_closed(captain_plays, top, single).row()})
    return rows
