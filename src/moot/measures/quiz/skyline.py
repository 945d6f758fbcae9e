"""How far a team could get: the skyline of its players, and how much of the way there a strategy goes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from moot.measures.quiz.played import UNPLAYED, Played, solos, split, teams, values_by_question
from moot.stats.crossfit import FOLDS, best, crossfit
from moot.stats.estimates import Row, estimate, estimate_row
from moot.stats.graded import (
    NOT_PLAYED,
    Value,
    best_value,
    bounds_row,
    closure_bounds,
    known,
    least_of,
    mean_value,
    why_nothing,
    with_settled,
)
from moot.stats.ratio import share_closed
from moot.types import Estimate


@dataclass(frozen=True, slots=True)
class Skyline:
    """The share of questions that at least one player got right."""

    estimate: Estimate | None
    players: int
    guessing: float | None
    """What as many independent guessers would reach on the same questions; None without choices."""
    ungraded: int
    """Questions that nobody is known to have right while some answer is ungraded: they are in the bounds alone."""
    values: Mapping[str, Value] = field(default_factory=dict)
    not_heard: int = 0
    """Answers that were not waited for: unknown, as the ungraded ones are."""

    def row(self) -> Row:
        rest = {"players": self.players, "guessing": self.guessing}
        row = {**estimate_row(self.estimate), **rest, **bounds_row(self.values.values()), "ungraded": self.ungraded}
        row |= {"not_heard": self.not_heard} if self.not_heard else {}
        return row if self.estimate is not None else {**row, "why": _why_no_skyline(len(self.values))}


@dataclass(frozen=True, slots=True)
class BestSingle:
    """The best single player: chosen on other questions than those it is scored on, and after the fact."""

    estimate: Estimate | None
    """Cross-fitted; None below two questions."""
    chosen: tuple[str, ...]
    """Who was chosen, fold by fold."""
    values: Mapping[str, float]
    """The cross-fitted value of each question."""
    raw: Estimate | None
    raw_player: str | None
    """The highest on all questions: chosen after the fact."""
    raw_values: Mapping[str, float] = field(default_factory=dict)
    ungraded: int = 0
    """Questions that the chosen player's answer to is ungraded."""
    questions: int = 0
    """All that were asked."""
    chosen_values: Mapping[str, Value] = field(default_factory=dict)
    """By question, graded or not: what the player gives that was chosen there."""

    def row(self) -> Row:
        after = {"player": self.raw_player, **estimate_row(self.raw), "note": "chosen after the fact"}
        if self.raw is None:
            after["why"] = why_nothing(self.questions)
        row = {**estimate_row(self.estimate), "chosen": list(self.chosen), "after_the_fact": after}
        if self.estimate is None and (self.chosen or self.raw is None):
            row["why"] = why_nothing(self.questions)
        return {**row, "ungraded": self.ungraded} if self.ungraded else row


def _why_no_skyline(questions: int) -> str:
    if not questions:
        return why_nothing(0)
    return f"there is no question among {questions:,} of which every player's answer is graded"


def guessing(players: int, choices: int) -> float:
    """How often at least one of so many independent guessers hits one of so many choices: nine on four, 92.5 %."""
    return 1.0 - (1.0 - 1.0 / choices) ** players if choices > 0 else 0.0


def skyline(
    plays: Sequence[Played],
    *,
    questions: Collection[str] | None = None,
    choices: Mapping[str, int] | None = None,
) -> Skyline:
    """From solo plays. `questions` names all that were asked, if some have no play; `choices` how many each offers.

    In each repeat somebody was right or nobody was; over repeats it is the mean of that.
    """
    alone = solos(plays)
    values = top_by_question(alone, questions)
    top = known(values)
    players = len({play.player for play in alone})
    offered = {question: count for question, count in (choices or {}).items() if question in top}
    chance = sum(guessing(players, count) for count in offered.values()) / len(top) if offered and top else None
    ungraded = sum(value.open for value in values.values())
    share = estimate(top)
    return Skyline(share, players, chance, ungraded, values, sum(not play.heard for play in alone))


def top_by_question(alone: Iterable[Played], questions: Collection[str] | None = None) -> dict[str, Value]:
    """The best that anybody did: in each repeat by itself, then the mean over repeats.

    Known of a question is what all its answers are graded for; the bounds know that one right answer is enough.
    """
    grades: dict[str, dict[int, list[float | None]]] = {}
    for play in alone:
        grades.setdefault(play.question, {}).setdefault(play.repeat, []).append(play.right)
    repeats = {
        question: [best_value(by_repeat[repeat]) for repeat in sorted(by_repeat)]
        for question, by_repeat in grades.items()
    }
    asked = sorted(questions if questions is not None else repeats)
    return with_settled(
        {question: mean_value(repeats[question]) if question in repeats else NOT_PLAYED for question in asked}
    )


def best_single(
    plays: Sequence[Played], *, questions: Collection[str] | None = None, folds: int = FOLDS, seed: int = 0
) -> BestSingle:
    """From solo plays; a question that a player has no play of, or that is ungraded, is left out."""
    alone = solos(plays)
    asked = sorted(questions if questions is not None else {play.question for play in alone})
    values_by_player = {
        player: values_by_question(of_player) for player, of_player in split(alone, lambda play: play.player).items()
    }
    options = {
        player: {question: values.get(question, UNPLAYED).known for question in asked}
        for player, values in values_by_player.items()
    }
    least = {player: least_of(values) for player, values in values_by_player.items()}
    fitted = crossfit(options, asked, least=least, count=folds, seed=seed)
    name = best(options, asked, least=least)
    reached = {question: mark for question, mark in options[name].items() if mark is not None} if name else {}
    raw = estimate(reached)
    if fitted is None:
        return BestSingle(None, (), {}, raw, name, reached, questions=len(asked))
    scored = estimate(fitted.values)
    chosen_values = {
        question: values_by_player[player].get(question, UNPLAYED) for question, player in fitted.choice.items()
    }
    return BestSingle(
        scored,
        fitted.chosen,
        fitted.values,
        raw,
        name,
        reached,
        ungraded=len(asked) - len(fitted.values),
        questions=len(asked),
        chosen_values=chosen_values,
    )


@dataclass(frozen=True, slots=True)
class GapClosed:
    """(accuracy - best single) / (skyline - best single); None where there is no gap to close."""

    estimate: Estimate | None
    after_the_fact: float | None
    """The same against the raw maximum of the single players."""
    ungraded: int = 0
    """Questions left out because one of the three is ungraded there."""
    bounds: Mapping[str, float] | None = None
    """Over all questions, where not all is graded and the gap is one whatever the rest turns out to be."""
    why: str | None = None
    """Why there is no figure, where there is none."""

    def row(self) -> Row:
        row = {**estimate_row(self.estimate), "after_the_fact": self.after_the_fact}
        more = {"ungraded": self.ungraded or None, "bounds": self.bounds and dict(self.bounds), "why": self.why}
        return {**row, **{key: value for key, value in more.items() if value is not None}}


def gap_closed(team: Sequence[Played], alone: Sequence[Played], *, folds: int = FOLDS, seed: int = 0) -> GapClosed:
    """Over the questions that the team and its players alone have played; the choice of player is taken as given."""
    return _closed(team, top_by_question(solos(alone)), best_single(alone, folds=folds, seed=seed))


def _closed(team: Sequence[Played], tops: Mapping[str, Value], single: BestSingle) -> GapClosed:
    """On the questions of which all three are graded, and nothing where the rest could do away with the gap itself."""
    played = values_by_question(team)
    closed = _graded_gap(played, known(tops), single)
    triples = {
        question: (played[question], single.chosen_values[question], value)
        for question, value in tops.items()
        if question in single.chosen_values and question in played
    }
    if not any(value.open for triple in triples.values() for value in triple):
        return closed if triples or single.raw is not None else replace(closed, why=why_nothing(len(tops)))
    left_out = sum(any(value.known is None for value in triple) for triple in triples.values())
    bounds = closure_bounds(triples.values())
    if bounds is None:
        why = "the ungraded answers could leave no gap between the best single player and the skyline"
        return GapClosed(None, None, left_out, why=why_nothing(len(triples)) if left_out == len(triples) else why)
    no_figure = None if closed.estimate is not None else "no gap to the skyline on the questions that are graded"
    return replace(closed, ungraded=left_out, bounds=bounds, why=no_figure)


def _graded_gap(played: Mapping[str, Value], top: Mapping[str, float], single: BestSingle) -> GapClosed:
    reached = {question: played[question].known for question in top if question in played}
    graded = {question: value for question, value in reached.items() if value is not None}
    closed = None
    if fitted := {question: value for question, value in single.values.items() if question in graded}:
        closed = share_closed(
            {question: (graded[question] - value, top[question] - value) for question, value in fitted.items()}
        )
    common = [question for question in graded if question in single.raw_values]
    if not common:
        return GapClosed(closed, None)
    raw = sum(single.raw_values[question] for question in common) / len(common)
    gap = sum(top[question] for question in common) / len(common) - raw
    mean = sum(graded[question] for question in common) / len(common)
    return GapClosed(closed, (mean - raw) / gap if gap > 1e-12 else None)


def gap_rows(plays: Sequence[Played], *, folds: int = FOLDS, seed: int = 0) -> list[Row]:
    """A row for each strategy × captain, and for each strategy over its captains (captain None)."""
    alone = solos(plays)
    top, single = top_by_question(alone), best_single(alone, folds=folds, seed=seed)
    rows: list[Row] = []
    for strategy, of_strategy in split(teams(plays), lambda play: play.strategy).items():
        parts = split(of_strategy, lambda play: play.captain)
        if len(parts) > 1:
            parts[None] = of_strategy
        for captain, captain_plays in parts.items():
            rows.append({"strategy": strategy, "captain": captain, **_closed(captain_plays, top, single).row()})
    return rows
