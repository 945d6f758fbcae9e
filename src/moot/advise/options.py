"""An option: some players, and the rule that decides between their answers; and what it comes to on any questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from moot.advise.known import KnownDrafts
from moot.decide.candidates import Floats
from moot.decide.cascading import StageModels
from moot.decide.learning import PLURALITY, LearntRule
from moot.decide.rules import DraftRule, expected_worth

SINGLE, WEIGHTED, LEADER = "single", "weighted", "leader"
"""Kinds of options beside those that a rule is learnt or stands as (`PLURALITY`, `LEARNT`)."""


@dataclass(frozen=True, slots=True, eq=False)
class PlayedOut:
    """Of each question what the answer is worth, and what it took."""

    worth: Floats
    calls: Floats
    usd: Floats | None
    """None: of somebody it is not known."""
    seconds: Floats | None

    def beside(self, other: PlayedOut) -> PlayedOut:
        """Of these questions, and then of the others."""
        return PlayedOut(
            np.concatenate([self.worth, other.worth]),
            np.concatenate([self.calls, other.calls]),
            None if self.usd is None or other.usd is None else np.concatenate([self.usd, other.usd]),
            None if self.seconds is None or other.seconds is None else np.concatenate([self.seconds, other.seconds]),
        )

    @property
    def usd_per_1000(self) -> float | None:
        return None if self.usd is None else 1000.0 * float(self.usd.mean())

    @property
    def mean_seconds(self) -> float | None:
        return None if self.seconds is None else float(self.seconds.mean())

    @property
    def mean_calls(self) -> float:
        return float(self.calls.mean())


class AdvisedOption(Protocol):
    """Some players, and how their answers come to one."""

    @property
    def kind(self) -> str: ...

    @property
    def seats(self) -> tuple[int, ...]:
        """Places among the players, in the order of these."""

    @property
    def rule(self) -> DraftRule:
        """What decides where everybody was asked."""

    @property
    def searched(self) -> Floats:
        """What it got right of the questions that it was searched on, each by what the others of them taught."""

    @property
    def learnt(self) -> LearntRule | None:
        """What the rule was learnt as, where it is one that a file holds."""

    def searched_out(self, search: KnownDrafts) -> PlayedOut:
        """What the answers of `searched` took: of the same policy, on the same questions."""

    def played(self, drafts: KnownDrafts) -> PlayedOut: ...

    def names(self, players: Sequence[str]) -> tuple[str, ...]: ...

    def words(self, players: Sequence[str]) -> str: ...

    @property
    def stages(self) -> StageModels:
        """What was learnt of some of the players alone, where it needs that."""

    @property
    def stages_by_kind(self) -> Mapping[str, StageModels]:
        """The same by kind of questions, where there are several."""

    def as_strategy(self, players: Sequence[str], rule_file: str) -> str | dict[str, Any]:
        """What plays it, as an experiment file names it. `rule_file`: where what was learnt is written."""


def fixed_beforehand(option: AdvisedOption, players: int) -> bool:
    """Whether nothing had to be searched for it: one player alone, or the vote of all."""
    return option.kind == SINGLE or (option.kind == PLURALITY and len(option.seats) == players)


@dataclass(frozen=True, slots=True, eq=False)
class TeamOption:
    """All of the team are asked at once, and the rule decides."""

    kind: str
    seats: tuple[int, ...]
    """Places among the players, in the order of these."""
    rule: DraftRule
    searched: Floats = field(repr=False)
    """What it got right of the questions that it was searched on, each by what the others of them taught."""
    learnt: LearntRule | None = field(default=None, repr=False)
    """What the rule was learnt as, where it is one that a file holds."""

    def searched_out(self, search: KnownDrafts) -> PlayedOut:
        """Everybody is asked, whatever was learnt."""
        return PlayedOut(self.searched, np.full(search.size, float(len(self.seats))), *_paid(search, self.seats))

    def played(self, drafts: KnownDrafts) -> PlayedOut:
        worth = expected_worth(self.rule, drafts.candidates(self.seats))
        return PlayedOut(worth, np.full(drafts.size, float(len(self.seats))), *_paid(drafts, self.seats))

    def names(self, players: Sequence[str]) -> tuple[str, ...]:
        """By name: they are asked at once, and seats follow their answers."""
        return tuple(sorted(players[seat] for seat in self.seats))

    def words(self, players: Sequence[str]) -> str:
        return self.rule.team_in_words(self.names(players))

    @property
    def stages(self) -> StageModels:
        return {}

    @property
    def stages_by_kind(self) -> Mapping[str, StageModels]:
        return {}

    def as_strategy(self, players: Sequence[str], rule_file: str) -> str | dict[str, Any]:
        return self.rule.as_strategy(self.names(players), rule_file)


def _paid(drafts: KnownDrafts, seats: Sequence[int]) -> tuple[Floats | None, Floats | None]:
    """The money of all, and the time of the slowest: they are asked at once."""
    chosen = list(seats)
    usd = None if drafts.usd is None else drafts.usd[chosen].sum(axis=0)
    seconds = None if drafts.seconds is None else drafts.seconds[chosen].max(axis=0)
    return known_of_all(usd), known_of_all(seconds)


def known_of_all(values: Floats | None) -> Floats | None:
    """None where one of them is not known."""
    return None if values is None or np.isnan(values).any() else values
