"""Options that ask one player after another, replayed from the drafts that are there: they stop when more would not pay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from moot.advise.known import KnownDrafts
from moot.advise.options import PlayedOut, known_of_all
from moot.advise.search import SeatedTeam
from moot.decide.candidates import Bools, Candidates, Floats, Places
from moot.decide.cascading import (
    Replayed,
    StageModels,
    StopRule,
    UntilDecided,
    Waves,
    best_order,
    in_waves,
    replayed,
)
from moot.decide.kinds_apart import TaughtStages, UntilSureByKind
from moot.decide.learning import LearntRule, folds_of
from moot.decide.rules import DraftRule

CASCADE = "cascade"
THRESHOLDS = (0.51, 0.6, 0.7, 0.8, 0.9, 0.95)
"""What `until` of a cascade takes is above one half."""


@dataclass(frozen=True, slots=True, eq=False)
class CascadeOption:
    """One after another, until the rest cannot change the vote, or the answer is likely enough."""

    seats: SeatedTeam
    order: tuple[int, ...]
    """Places among the seats, from the first to be asked on."""
    until: StopRule
    tried: PlayedOut = field(repr=False)
    """On the questions searched on, each by what others of them taught: what it got right there, and what that took."""
    kind: str = CASCADE
    learnt: LearntRule | None = None

    @property
    def searched(self) -> Floats:
        return self.tried.worth

    def searched_out(self, search: KnownDrafts) -> PlayedOut:
        """Not the price of the models of all questions, which may ask fewer than those that were tried."""
        return self.tried

    @property
    def rule(self) -> DraftRule:
        """What decides where everybody was asked."""
        return self.until.rule

    @property
    def threshold(self) -> float | None:
        """None: until it is decided."""
        return self.until.threshold

    @property
    def stages(self) -> StageModels:
        return self.until.models

    @property
    def stages_by_kind(self) -> Mapping[str, StageModels]:
        if not isinstance(self.until, UntilSureByKind):
            return {}
        return {kind: until.models for kind, until in self.until.by_kind.items()}

    def replay(self, candidates: Candidates) -> Replayed:
        return replayed(candidates, in_waves(self.order), self.until)

    def played(self, drafts: KnownDrafts) -> PlayedOut:
        candidates = drafts.candidates(self.seats)
        found = self.replay(candidates)
        return taken_of(found.worth(candidates), found.asked, drafts, self.seats)

    def names(self, players: Sequence[str]) -> tuple[str, ...]:
        return tuple(players[self.seats[place]] for place in self.order)

    def words(self, players: Sequence[str]) -> str:
        until = "decided" if self.threshold is None else f"p ≥ {self.threshold:g}"
        return f"in turn until {until}: {', '.join(self.names(players))}"

    def as_strategy(self, players: Sequence[str], rule_file: str) -> dict[str, Any]:
        order = list(self.names(players))
        if self.threshold is None:
            return {"cascade": {"order": order, "until": "decided"}}
        return {"cascade": {"order": order, "until": self.threshold, "from": rule_file}}


def taken_of(worth: Floats, asked: Bools, drafts: KnownDrafts, team: SeatedTeam) -> PlayedOut:
    """The money and the time of those who were asked, one after another."""
    chosen = list(team)
    usd = None if drafts.usd is None else np.where(asked, drafts.usd[chosen].T, 0.0).sum(axis=1)
    seconds = None if drafts.seconds is None else np.where(asked, drafts.seconds[chosen].T, 0.0).sum(axis=1)
    return PlayedOut(worth, asked.sum(axis=1).astype(float), known_of_all(usd), known_of_all(seconds))


def cascades(drafts: KnownDrafts, learnt_of: Mapping[SeatedTeam, LearntRule]) -> Iterator[CascadeOption]:
    """For teams of which a rule was learnt, as `moot fit` does it. `drafts`: of the questions searched on, half of which are
    replayed by what the other half taught: accuracy, calls, money and time are of that one replay. Who never asks a second
    player is that player alone, and is left out."""
    for team, learnt in learnt_of.items():
        candidates = drafts.candidates(team)
        for order in _orders(candidates, drafts, team):
            waves = in_waves(order)
            if len(team) > 2:
                decided = UntilDecided()
                found = replayed(candidates, waves, decided)
                yield CascadeOption(team, order, decided, taken_of(found.worth(candidates), found.asked, drafts, team))
            taught = TaughtStages.of(candidates, drafts.units, waves, learnt)
            across = HalvesTaught.of(drafts, candidates, waves, learnt, taught)
            for threshold in THRESHOLDS:
                once = across.replayed(threshold)
                tried = taken_of(once.worth, once.asked, drafts, team)
                option = CascadeOption(team, order, taught.until(threshold, learnt), tried, learnt=learnt)
                if tried.calls.max() > 1 and option.replay(candidates).calls.max() > 1:
                    yield option


@dataclass(frozen=True, slots=True, eq=False)
class ReplayedAcross:
    """Of each question, by what other questions taught."""

    worth: Floats
    asked: Bools
    reached: Bools


@dataclass(frozen=True, slots=True, eq=False)
class HalvesTaught:
    """One order of one team: half of the questions are replayed by what the other half taught."""

    candidates: Candidates
    waves: Waves
    learnt: LearntRule
    sides: tuple[Places, Places]
    taught: tuple[TaughtStages, TaughtStages]
    """For each side, learnt on the other one."""

    @classmethod
    def of(
        cls, drafts: KnownDrafts, candidates: Candidates, waves: Waves, learnt: LearntRule, taught: TaughtStages
    ) -> HalvesTaught:
        """`taught`: by all of these questions."""
        half = folds_of(drafts.units, 2, role="advise cascade")
        one, other = np.flatnonzero(half == 0), np.flatnonzero(half == 1)

        def by(side: Places) -> TaughtStages:
            return taught.by_others(candidates.at(side), [drafts.units[place] for place in side], waves)

        return cls(candidates, waves, learnt, (one, other), (by(other), by(one)))

    def replayed(self, threshold: float, *, or_decided: bool = True) -> ReplayedAcross:
        questions = len(self.candidates)
        worth, reached = np.zeros(questions), np.zeros(questions, dtype=np.bool_)
        asked = np.zeros((questions, len(self.candidates.players)), dtype=np.bool_)
        for inside, taught in zip(self.sides, self.taught, strict=True):
            table = self.candidates.at(inside)
            found = replayed(table, self.waves, taught.until(threshold, self.learnt, or_decided=or_decided))
            worth[inside], asked[inside], reached[inside] = found.worth(table), found.asked, found.reached
        return ReplayedAcross(worth, asked, reached)


def _orders(candidates: Candidates, drafts: KnownDrafts, team: SeatedTeam) -> list[tuple[int, ...]]:
    """The best first, and the cheapest first where that is another order."""
    best = tuple(best_order(candidates))
    usd = None if drafts.usd is None else drafts.usd[list(team)].mean(axis=1)
    if usd is None or np.isnan(usd).any() or not usd.any():
        return [best]
    cheapest = tuple(int(place) for place in np.argsort(usd, kind="stable"))
    return list(dict.fromkeys([best, cheapest]))
