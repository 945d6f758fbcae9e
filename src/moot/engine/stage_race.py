"""A race of last stages over the questions kept apart, wave after wave: whoever cannot be the best is asked no further.

In it are one option whose answers are all there, and some that must be paid for on the questions that are not sure; to the
others all of those have the same answer, from drafts. So a question that is sure costs nothing, and still counts.

Questions come in an order drawn by lot, which hangs on the seed alone: whoever begins anew meets them in the same order, finds
what was played, and goes on. Questions that belong together are heard as one, with all that they are worth. What was
played beyond the first question that is missing is not heard: what is heard is a beginning of the order, wherever it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

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


@dataclass(slots=True)
class RacedOption:
    """How one of them fared."""

    out_after: int | None = None
    """Questions that had been heard when it was put out; None: it is in the race."""
    plays: int = 0
    """Questions that it was paid for."""
    spared: int = 0
    """Questions that the others were paid for after it was put out."""
    calls: int = 0
    """Beside the drafts."""
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
        self.heard, self.gained = [], dict.fromkeys(range(1, self.paid + 1), 0.0)

    @property
    def over(self) -> bool:
        return self.race.over or self._next == len(self.order)

    @property
    def calls(self) -> int:
        return sum(option.calls for option in self.options)

    @property
    def calls_of_all(self) -> float:
        """Had nobody been put out: with as many calls a question as each took."""
        paid = [option for option in self.options if option.plays]
        return sum(option.calls * (1 + option.spared / option.plays) for option in paid)

    def next_wave(self) -> Wave | None:
        if self.over or self.missing:
            return None
        end, asked = self._next, 0
        most = max(1, min(IN_A_WAVE, self.affordable()))
        while end < len(self.order) and asked < most:
            asked += int(self.unsure[self.order[end]].sum())
            end += 1
        self._wave_ends = end
        self._wave = Wave(self._played, asked, tuple(self._cells))
        return self._wave

    def hear(self, plays: WavePlays) -> None:
        """Of the wave that was asked for, question by question."""
        self._count(plays)
        position = {place: number for number, place in enumerate(self.questions)}
        while not self.race.over and self._next < self._wave_ends:
            unit = self.order[self._next]
            asked = [position[place] for place in unit if self.unsure[place]]
            if any((cell, number) not in plays for cell in self._cells for number in asked):
                self.missing = True
                return
            self._hear_unit(unit, position, plays)
            self._next += 1
            self._played += len(asked)

    @property
    def _cells(self) -> list[int]:
        return [option - 1 for option in self.race.left if option != INCUMBENT]

    def _count(self, plays: Mapping[tuple[int, int], WavePlay]) -> None:
        for (cell, _), play in plays.items():
            option = self.options[cell + 1]
            option.plays += 1
            option.calls += play.calls
            option.ungraded += play.worth is None
            option.failed += play.failed
        wave = self._wave
        asked = range(wave.first, wave.first + wave.questions)
        whole = sum(all((cell, number) in plays for cell in wave.cells) for number in asked)
        for cell in set(range(self.paid)).difference(wave.cells):
            self.options[cell + 1].spared += whole

    def _hear_unit(self, unit: Sequence[int], position: Mapping[int, int], plays: WavePlays) -> None:
        least, most = np.zeros((2, len(unit), self.paid + 1))
        for row, place in enumerate(unit):
            missing = self.without is not None and bool(self.without[place])
            least[row, INCUMBENT] = 0.0 if missing else self.incumbent[place]
            most[row, INCUMBENT] = 1.0 if missing else self.incumbent[place]
            for cell in self._cells:
                worth = None if missing else float(self.free[place])
                if self.unsure[place]:
                    worth = plays[cell, position[place]].worth
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
