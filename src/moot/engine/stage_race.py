"""A race of last stages over the questions kept apart, wave after wave: whoever cannot be the best is asked no further.

In it are one option whose answers are all there, and some that must be paid for on the questions that are not sure; to the
others all of those have the same answer, from drafts. So a question that is sure costs nothing, and still counts.

Questions come in an order drawn by lot, which hangs on the seed alone: whoever begins anew meets them in the same order, finds
what was played, and goes on. Questions that belong together are heard as one, with all that they are worth. What was
played beyond the first question that is missing is not heard: what is heard is a beginning of the order, wherever it stopped.
What it took is all that is there, heard or not, whoever began it and in waves of whatever size: it tells the same each time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from moot.engine.wave_runner import Wave, WavePlay, WavePlays
from moot.stats.racing import RACE_ALPHA, Race
from moot.types import digest

IN_A_WAVE = 8
"""Questions that are paid for before anybody is looked at again: many enough to be asked at once, and few beside those that it
takes to put anybody out, which are ten where every bet is won."""
INCUMBENT = 0
"""The option of which all answers are there; those that are paid for follow it."""


def _is_settled(play: WavePlay | None) -> bool:
    """What failed, or went on without somebody, is played again, and what nobody could grade is graded again."""
    return play is not None and play.worth is not None and play.whole and not play.failed


@dataclass(slots=True)
class RacedOption:
    """How one of them fared."""

    out_after: int | None = None
    """Questions that had been heard when it was put out; None: it is in the race."""
    plays: int = 0
    """Questions that it was paid for."""
    spared: int = 0
    """Questions that others were paid for and it was not, since it had been put out."""
    calls: int = 0
    """Beside the drafts."""
    own_calls: int = 0
    """Those of them that no other option has."""
    right: float = 0.0
    """Added up over the questions heard while it was in the race, the least it can be."""
    heard: int = 0
    ungraded: int = 0
    failed: int = 0

    @property
    def accuracy(self) -> float | None:
        return self.right / self.heard if self.heard else None


@dataclass(slots=True, eq=False)
class StageRace:
    """`paid`: how many must be paid for."""

    paid: int
    incumbent: NDArray[np.float64]
    """Of each question what its answer is worth."""
    free: NDArray[np.float64]
    """Of each question that is sure what the answer of all others is worth."""
    unsure: NDArray[np.bool_]
    units: Sequence[str]
    """What each question is a part of."""
    seed: int
    alpha: float = RACE_ALPHA
    affordable: Callable[[], int] = lambda: IN_A_WAVE
    """How many questions all who are in it can surely be paid for. Where that is fewer than a wave has they are taken one after
    another: else those who are cheap would use up the money, and no question would be heard of all."""
    without: NDArray[np.bool_] | None = None
    """Questions of which a draft is missing, since somebody could not be reached: what is there already may be anything. None: of
    none."""
    race: Race = field(init=False)
    options: list[RacedOption] = field(init=False)
    order: list[list[int]] = field(init=False)
    """Questions that belong together, in the order in which they are heard."""
    questions: tuple[int, ...] = field(init=False)
    """Those that must be paid for, in that order."""
    heard: list[int] = field(init=False)
    gained: dict[int, float] = field(init=False)
    """By option that is paid for: how much more than the incumbent it got right while it was in the race, added up."""
    missing: bool = field(default=False, init=False)
    """Whether something of a wave was not played to its end."""
    _position: dict[int, int] = field(init=False)
    """Of a question that must be paid for, among all of these."""
    _plays: dict[tuple[int, int], WavePlay] = field(default_factory=dict, init=False)
    """All that is there, be it from before."""
    _in_common: int = field(default=0, init=False)
    """How often a call stands with more than one option."""
    _next: int = field(default=0, init=False)
    """Of the order."""
    _wave_ends: int = field(default=0, init=False)
    _wave: Wave = field(default=Wave(0, 0, ()), init=False)
    _played: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.race = Race(self.paid + 1, self.alpha)
        self.options = [RacedOption() for _ in range(self.paid + 1)]
        members: dict[str, list[int]] = {}
        for place, unit in enumerate(self.units):
            members.setdefault(unit, []).append(place)
        drawn = sorted(members, key=lambda unit: (digest(["advise race", self.seed, unit]), unit))
        self.order = [members[unit] for unit in drawn]
        self.questions = tuple(place for unit in self.order for place in unit if self.unsure[place])
        self._position = {place: number for number, place in enumerate(self.questions)}
        self.heard, self.gained = [], dict.fromkeys(range(1, self.paid + 1), 0.0)

    @property
    def over(self) -> bool:
        return self.race.over or self._next == len(self.order)

    @property
    def calls(self) -> int:
        """Those that several options have in common are made once."""
        return sum(option.calls for option in self.options) - self._in_common

    @property
    def calls_of_all(self) -> float:
        """Had nobody been put out: with as many calls a question as each took that no other had."""
        paid = [option for option in self.options if option.plays]
        return self.calls + sum(option.own_calls * option.spared / option.plays for option in paid)

    def begin(self, plays: WavePlays) -> None:
        """With what is there from before: it is heard first, question by question as far as it is whole, whatever waves it was
        paid for in."""
        self._plays |= plays
        while not self.over and all(map(_is_settled, self._plays_of(self.order[self._next]))):
            self._hear_next()
        self._count()

    def next_wave(self) -> Wave | None:
        if self.over or self.missing:
            return None
        end, asked = self._next, 0
        # What is there, and is only looked at again, pays for no other question before it is known who is still in it.
        following = next((unit for unit in self.order[end:] if self._asked_of(unit)), None)
        there = following is not None and None not in self._plays_of(following)
        most = 1 if there else max(1, min(IN_A_WAVE, self.affordable()))
        while end < len(self.order) and asked < most:
            asked += int(self.unsure[self.order[end]].sum())
            end += 1
        self._wave_ends = end
        self._wave = Wave(self._played, asked, tuple(self._cells))
        return self._wave

    def hear(self, plays: WavePlays) -> None:
        """Of the wave that was asked for, question by question."""
        self._plays |= plays
        while not self.race.over and self._next < self._wave_ends and not self.missing:
            asked = self._asked_of(self.order[self._next])
            if all((cell, number) in plays for cell in self._cells for number in asked):
                self._hear_next()
            else:
                self.missing = True
        self._count()

    def _hear_next(self) -> None:
        unit = self.order[self._next]
        self._hear_unit(unit)
        self._next += 1
        self._played += len(self._asked_of(unit))

    def _asked_of(self, unit: Sequence[int]) -> list[int]:
        """Its questions that must be paid for, by their places among all of these."""
        return [self._position[place] for place in unit if self.unsure[place]]

    def _plays_of(self, unit: Sequence[int]) -> list[WavePlay | None]:
        """By all who are in the race."""
        return [self._plays.get((cell, number)) for cell in self._cells for number in self._asked_of(unit)]

    @property
    def _cells(self) -> list[int]:
        return [option - 1 for option in self.race.left if option != INCUMBENT]

    def _count(self) -> None:
        """All that is there. Whoever is out was spared what others were paid for."""
        own = [{number for cell, number in self._plays if cell == option} for option in range(self.paid)]
        every = set[int]().union(*own)
        made = [
            frozenset[str]().union(*(self._plays[option, number].made for number in numbers))
            for option, numbers in enumerate(own)
        ]
        times = Counter(chain.from_iterable(made))
        self._in_common = times.total() - len(times)
        for cell, option in enumerate(self.options[1:]):
            mine = [self._plays[cell, number] for number in own[cell]]
            option.plays, option.calls = len(mine), sum(play.calls for play in mine)
            option.own_calls = option.calls - sum(times[key] > 1 for key in made[cell])
            option.ungraded = sum(play.worth is None for play in mine)
            option.failed = sum(play.failed for play in mine)
            option.spared = 0 if self.race.running[cell + 1] else len(every - own[cell])

    def _hear_unit(self, unit: Sequence[int]) -> None:
        least, most = np.zeros((2, len(unit), self.paid + 1))
        for row, place in enumerate(unit):
            missing = self.without is not None and bool(self.without[place])
            least[row, INCUMBENT] = 0.0 if missing else self.incumbent[place]
            most[row, INCUMBENT] = 1.0 if missing else self.incumbent[place]
            for cell in self._cells:
                worth = None if missing else float(self.free[place])
                if self.unsure[place]:
                    worth = self._plays[cell, self._position[place]].worth
                least[row, cell + 1], most[row, cell + 1] = (0.0, 1.0) if worth is None else (worth, worth)
        for number in self.race.left:
            option = self.options[number]
            option.right += float(least[:, number].sum())
            option.heard += len(unit)
            if number != INCUMBENT:
                self.gained[number] += float((least[:, number] - least[:, INCUMBENT]).sum())
        self.heard += unit
        # Added up, and not their mean: all figures here are over questions, and in those large units weigh more.
        largest = max(map(len, self.order))
        for number in self.race.hear(least.sum(axis=0) / largest, most.sum(axis=0) / largest):
            self.options[number].out_after = len(self.heard)
