"""`moot advise --buy` through its functions, in worlds where the truth is known: is the best kept, and how many calls are saved?

    python bench/bought.py 40

Four players, 45 to 65 % right apart from each other, 400 questions. A last stage with skill s answers right with probability s
where one of the drafts is right, and else never. What an option is really worth is told by 40,000 fresh questions.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from time import process_time

import numpy as np

import moot.advise.find
from moot.advise.advice import advise
from moot.advise.frontier import AdviceWanted
from moot.advise.known import KnownDrafts, parted_in_two
from moot.advise.staged import staged_options
from moot.engine.stage_race import INCUMBENT, StageRace
from moot.engine.wave_runner import WavePlay
from moot.stats.racing import RACE_ALPHA

QUESTIONS, MANY = 400, 40_000
SKILLS = {
    "one captain much better (skill 0.9, 0.5, 0.5, 0.5)": (0.9, 0.5, 0.5, 0.5),
    "from good to bad (0.8, 0.65, 0.45, 0.2)": (0.8, 0.65, 0.45, 0.2),
    "none better than the vote (0.45 each)": (0.45, 0.45, 0.45, 0.45),
    "all alike and better (0.75 each)": (0.75, 0.75, 0.75, 0.75),
}
RIGHT = np.array([0.65, 0.6, 0.5, 0.45])


def drafts_of(draw: np.random.Generator, questions: int) -> KnownDrafts:
    shape = len(RIGHT), questions
    codes = np.where(draw.random(shape) < RIGHT[:, None], 0, draw.integers(1, 5, size=shape)).astype(np.int16)
    return KnownDrafts(("ann", "bob", "cat", "dan"), codes, (codes == 0) * 1.0, tuple(map(str, range(questions))), 5)


@dataclass(slots=True)
class Counted:
    worlds: int = 0
    points: int = 0
    """Options weighed, for all of which a race pays."""
    kept: int = 0
    """The truly best is left, or one that is as good but for a thousandth."""
    one_left: int = 0
    calls: int = 0
    calls_of_all: float = 0.0
    calls_of_every_question: int = 0
    heard: int = 0
    regret: float = 0.0
    """What the one to take is worth less than the best."""
    cpu_s: float = 0.0


def world(number: int, skills: tuple[float, ...], counted: Counted) -> None:
    draw, begun = np.random.default_rng([number, 18]), process_time()
    drafts = drafts_of(draw, QUESTIONS)
    parts = parted_in_two(drafts.units)
    search, claim = drafts.at(parts.search), drafts.at(parts.claim)
    advice = advise(drafts, AdviceWanted())
    assert advice.recommended is not None
    staged = staged_options(advice, search)
    seats = list(staged.cascade.seats)

    def worth(of: KnownDrafts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        unsure, free = staged.unsure(of)
        there = (of.codes[seats] == 0).any(axis=0)
        played = (draw.random((len(skills), of.size)) < np.array(skills)[:, None]) & there
        return unsure, free, played * 1.0

    unsure, free, played = worth(claim)
    alpha = RACE_ALPHA / len(advice.points)  # as the command pays for every option that might have been the incumbent
    race = StageRace(len(skills), advice.recommended.played.worth, free, unsure, claim.units, number, alpha)
    while (wave := race.next_wave()) is not None:
        asked = range(wave.first, wave.first + wave.questions)
        race.hear(
            {
                (cell, place): WavePlay(float(played[cell, race.questions[place]]), 1, failed=False)
                for cell in wave.cells
                for place in asked
            }
        )
    counted.cpu_s += process_time() - begun
    fresh = drafts_of(draw, MANY)
    unsure, free, played = worth(fresh)
    true = [float(advice.recommended.option.played(fresh).worth.mean())]
    true += [float(np.where(unsure, each, free).mean()) for each in played]
    left = race.race.left
    taken = INCUMBENT if INCUMBENT in left else max(left, key=lambda option: race.gained[option])
    counted.worlds += 1
    counted.points += len(advice.points)
    counted.kept += max(true[option] for option in left) >= max(true) - 0.001
    counted.one_left += len(left) == 1
    counted.calls += race.calls
    counted.calls_of_all += race.calls_of_all
    counted.calls_of_every_question += len(skills) * len(race.questions)
    counted.heard += len(race.heard)
    counted.regret += max(true) - true[taken]


def main(worlds: int) -> None:
    moot.advise.find.FEWEST = QUESTIONS  # type: ignore[attr-defined]  # which incumbent it is matters little here
    for name, skills in SKILLS.items():
        counted = Counted()
        for number in range(worlds):
            world(number, skills, counted)
        to_there, whole = counted.calls / counted.calls_of_all, counted.calls / counted.calls_of_every_question
        print(
            f"{name}: {counted.worlds} worlds, {counted.cpu_s / worlds:.1f} s of CPU each,"
            f" {counted.points / worlds:.1f} options weighed; best kept {counted.kept}, one left {counted.one_left};"
            f" {counted.heard / worlds:.0f} of {QUESTIONS // 2} questions heard, {counted.calls / worlds:.0f} calls,"
            f" {to_there:.1%} of playing all to there and {whole:.1%} of playing all to the end; the one to take is"
            f" {100 * counted.regret / worlds:.1f} points below the best"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
