"""How far a team could get: the skyline of its players, and how much of the way there a strategy goes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from moot.measures.quiz.played import Played, by_question, repeated, solos, split, teams
from moot.stats.crossfit import FOLDS, best, crossfit
from moot.stats.estimates import Row, estimate, estimate_row
from moot.stats.paired import cluster_bootstrap
from moot.types import Estimate


@dataclass(frozen=True, slots=True)
class Skyline:
    """The share of questions that at least one player got right."""

    estimate: Estimate | None
    players: int
    guessing: float | None
    """What as many independent guessers would reach on the same questions; None without choices."""
    ungraded: int
    """Questions that nobody is known to have right while some answer is ungraded: they could raise it."""

    def row(self) -> Row:
        rest = {"players": self.players, "guessing": self.guessing, "ungraded": self.ungraded}
        return {**estimate_row(self.estimate), **rest}


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

    def row(self) -> Row:
        after = {"player": self.raw_player, **estimate_row(self.raw), "note": "chosen after the fact"}
        return {**estimate_row(self.estimate), "chosen": list(self.chosen), "after_the_fact": after}


def guessing(players: int, choices: int) -> float:
    """How often at least one of so many independent guessers hits one of so many choices: nine on four, 92.5 %."""
    return 1.0 - (1.0 - 1.0 / choices) ** players if choices > 0 else 0.0


def skyline(
    plays: Sequence[Played],
    *,
    questions: Collection[str] | None = None,
    choices: Mapping[str, int] | None = None,
    seed: int = 0,
) -> Skyline:
    """From solo plays. `questions` names all that were asked, if some have no play; `choices` how many each offers.

    Over repeats a player's value is its mean, and the best of these stands: with one repeat, simply anyone right.
    """
    alone = solos(plays)
    top = _top(alone, questions)
    players = len({play.player for play in alone})
    offered = {question: count for question, count in (choices or {}).items() if question in top}
    chance = sum(guessing(players, count) for count in offered.values()) / len(top) if offered and top else None
    unsettled = {play.question for play in alone if play.right is None and play.outcome in ("answered", "undecided")}
    ungraded = sum(1 for question in unsettled if top.get(question) == 0)
    return Skyline(estimate(list(top.values()), pooled=_repeated(alone), seed=seed), players, chance, ungraded)


def _repeated(alone: Sequence[Played]) -> bool:
    return any(repeated(each) for each in split(alone, lambda play: play.player).values())


def _top(alone: Sequence[Played], questions: Collection[str] | None = None) -> dict[str, float]:
    top = dict.fromkeys(sorted(questions if questions is not None else {play.question for play in alone}), 0.0)
    for of_player in split(alone, lambda play: play.player).values():
        for question, value in by_question(of_player).items():
            if question in top:
                top[question] = max(top[question], value)
    return top


def best_single(
    plays: Sequence[Played], *, questions: Collection[str] | None = None, folds: int = FOLDS, seed: int = 0
) -> BestSingle:
    """From solo plays; a question that a player has no play of is not right."""
    alone = solos(plays)
    asked = sorted(questions if questions is not None else {play.question for play in alone})
    options = {player: by_question(each) for player, each in split(alone, lambda play: play.player).items()}
    fitted = crossfit(options, asked, count=folds, seed=seed)
    name = best(options, asked)
    pooled = _repeated(alone)
    chosen = [options[name].get(question, 0.0) for question in asked] if name else []
    raw = estimate(chosen, pooled=pooled, seed=seed)
    if fitted is None:
        return BestSingle(None, (), {}, raw, name)
    values = estimate(list(fitted.values.values()), pooled=pooled, seed=seed)
    return BestSingle(values, fitted.chosen, fitted.values, raw, name)


@dataclass(frozen=True, slots=True)
class GapClosed:
    """(accuracy - best single) / (skyline - best single); None where there is no gap to close."""

    estimate: Estimate | None
    after_the_fact: float | None
    """The same against the raw maximum of the single players."""

    def row(self) -> Row:
        return {**estimate_row(self.estimate), "after_the_fact": self.after_the_fact}


def gap_closed(team: Sequence[Played], alone: Sequence[Played], *, folds: int = FOLDS, seed: int = 0) -> GapClosed:
    """Over the questions that the players played alone; the interval resamples them, the choice of player kept."""
    return _closed(team, _top(solos(alone)), best_single(alone, folds=folds, seed=seed), seed)


def _closed(team: Sequence[Played], top: Mapping[str, float], single: BestSingle, seed: int) -> GapClosed:
    reached = by_question(team)
    found = None
    if single.values:
        rises = [reached.get(question, 0.0) - value for question, value in single.values.items()]
        gaps = [top[question] - value for question, value in single.values.items()]
        found = cluster_bootstrap(list(zip(rises, gaps, strict=True)), seed=seed)
    if single.raw is None:
        return GapClosed(found, None)
    gap = sum(top.values()) / len(top) - single.raw.value
    mean = sum(reached.get(question, 0.0) for question in top) / len(top)
    return GapClosed(found, (mean - single.raw.value) / gap if gap > 1e-12 else None)


def gap_rows(plays: Sequence[Played], *, folds: int = FOLDS, seed: int = 0) -> list[Row]:
    """A row for each strategy × captain, and for each strategy over its captains (captain None)."""
    alone = solos(plays)
    top, single = _top(alone), best_single(alone, folds=folds, seed=seed)
    rows: list[Row] = []
    for strategy, of_strategy in split(teams(plays), lambda play: play.strategy).items():
        parts = split(of_strategy, lambda play: play.captain)
        if len(parts) > 1:
            parts[None] = of_strategy
        for captain, each in parts.items():
            rows.append({"strategy": strategy, "captain": captain, **_closed(each, top, single, seed).row()})
    return rows
