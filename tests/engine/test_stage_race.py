"""A race of last stages: what is asked for, what is heard, and that the best is hardly ever put out."""

from __future__ import annotations

import numpy as np
import pytest

from moot.engine.stage_race import IN_A_WAVE, INCUMBENT, StageRace
from moot.engine.wave_runner import WavePlay, WavePlays
from moot.stats.racing import Race

Worth = np.ndarray
"""Of options that are paid for × questions; NaN where nobody can grade it."""


def race_of(
    incumbent: Worth, free: Worth, unsure: np.ndarray, paid: int, *, seed: int = 1, cluster: int = 1
) -> StageRace:
    units = [f"u{place // cluster}" for place in range(len(incumbent))]
    return StageRace(paid, incumbent, free, unsure, units, seed)


def play(race: StageRace, worth: Worth, *, calls: int = 1, stop_after: int | None = None) -> list[tuple[int, int]]:
    """To its end, or until so many plays are made; what was played, cell and question."""
    made: list[tuple[int, int]] = []
    while (wave := race.next_wave()) is not None:
        plays: dict[tuple[int, int], WavePlay] = {}
        for number in range(wave.first, wave.first + wave.questions):
            for cell in wave.cells:
                if stop_after is not None and len(made) >= stop_after:
                    continue
                value = worth[cell, race.questions[number]]
                plays[cell, number] = WavePlay(None if np.isnan(value) else float(value), calls, failed=False)
                made.append((cell, race.questions[number]))
        race.hear(plays)
    return made


def world(seed: int, right: tuple[float, ...], questions: int = 300) -> tuple[StageRace, Worth]:
    """The first is the incumbent's; half of the questions are sure, and all are as right there."""
    draw = np.random.default_rng(seed)
    worth = (draw.random((len(right), questions)) < np.array(right)[:, None]) * 1.0
    unsure = draw.random(questions) < 0.5
    incumbent = np.where(unsure, worth[0], 1.0)
    return race_of(incumbent, np.ones(questions), unsure, len(right) - 1, seed=seed), worth[1:]


def test_it_is_a_race_over_all_questions_in_its_order() -> None:
    race, worth = world(3, (0.5, 0.9, 0.2, 0.5))
    play(race, worth)
    plain, out = Race(4), {}
    heard = 0
    for (place,) in race.order:
        paid = np.where(race.unsure[place], worth[:, place], 1.0)
        heard += 1
        out |= dict.fromkeys(plain.hear(np.array([race.incumbent[place], *paid])), heard)
        if plain.over:
            break
    assert race.race.left == plain.left == (1,)
    assert [option.out_after for option in race.options] == [out.get(option) for option in range(4)]
    assert len(race.heard) == heard


def test_who_is_out_is_not_asked_for_in_the_next_wave() -> None:
    race, worth = world(5, (0.5, 0.55, 0.02))
    made = play(race, worth)
    out = race.options[2].out_after
    assert out is not None
    beyond = sum(1 for place in race.heard[:out] if race.unsure[place])
    asked = sum(cell == 1 for cell, _ in made)
    assert beyond <= asked <= beyond + IN_A_WAVE
    assert race.options[2].plays == asked < race.options[1].plays == sum(cell == 0 for cell, _ in made)
    assert race.calls == len(made) < race.calls_of_all == 2 * race.options[1].plays


def test_ties_take_no_more_than_playing_all() -> None:
    race, _ = world(1, (0.5, 0.5, 0.5, 0.5), 100)
    made = play(race, np.tile(race.incumbent, (3, 1)))
    assert race.race.left == (0, 1, 2, 3)
    assert len(made) == race.calls == race.calls_of_all == 3 * race.unsure.sum()
    assert len(race.heard) == 100


def test_what_was_played_beyond_a_gap_is_not_heard() -> None:
    race, worth = world(2, (0.5, 0.55, 0.5))
    made = play(race, worth, stop_after=2 * IN_A_WAVE + 5)
    assert race.missing
    paid = [place for place in race.heard if race.unsure[place]]
    assert paid == list(race.questions[: IN_A_WAVE + 2])
    again, _ = world(2, (0.5, 0.55, 0.5))
    assert again.questions == race.questions
    assert len(set(made)) == len(made)


def test_a_gap_saves_nothing() -> None:
    """Who was not played for want of money was not put out."""
    race, worth = world(2, (0.5, 0.55, 0.5))
    play(race, worth, stop_after=2 * IN_A_WAVE + 5)
    assert race.options[1].plays != race.options[2].plays
    assert race.calls == race.calls_of_all == 2 * IN_A_WAVE + 5


def test_where_money_is_short_questions_come_one_after_another() -> None:
    race, worth = world(2, (0.5, 0.55, 0.5))
    race.affordable = lambda: 0
    wave = race.next_wave()
    assert wave is not None
    assert wave.questions == 1
    race.affordable = lambda: 3
    wave = race.next_wave()
    assert wave is not None
    assert wave.questions == 3
    race.affordable = lambda: 1_000
    wave = race.next_wave()
    assert wave is not None
    assert wave.questions == IN_A_WAVE
    whole, _ = world(2, (0.5, 0.55, 0.5))
    race.affordable = lambda: 1
    play(race, worth)
    play(whole, worth)
    assert race.race.left == whole.race.left
    assert race.heard == whole.heard


def test_questions_that_belong_together_are_heard_as_one() -> None:
    """Ten copies of one answer are one."""
    questions = 40
    incumbent, worth = np.zeros(questions), np.ones((1, questions))
    race = race_of(incumbent, incumbent, np.ones(questions, dtype=np.bool_), 1, cluster=10)
    play(race, worth)
    assert race.race.asked == 4
    assert race.race.left == (0, 1)
    assert len(race.heard) == 40
    alone = race_of(incumbent, incumbent, np.ones(questions, dtype=np.bool_), 1)
    play(alone, worth)
    assert alone.race.left == (1,)
    assert alone.options[INCUMBENT].out_after == 10, "all bets won: nobody leaves earlier"


def test_answers_that_nobody_graded_put_nobody_out() -> None:
    questions = 60
    right = np.ones(questions)
    race = race_of(right, right, np.ones(questions, dtype=np.bool_), 1)
    play(race, np.full((1, questions), np.nan))
    assert race.race.left == (0, 1)
    assert race.options[1].ungraded == questions
    wrong = race_of(right, right, np.ones(questions, dtype=np.bool_), 1)
    play(wrong, np.zeros((1, questions)))
    assert wrong.race.left == (INCUMBENT,)


@pytest.mark.parametrize("best", [0, 1])
def test_the_best_is_hardly_ever_put_out(best: int) -> None:
    """60 worlds in which the best is one point ahead, or nothing; 5 % are allowed."""
    put_out = 0
    for seed in range(60):
        right = [0.5, 0.5, 0.5, 0.5]
        right[best] = 0.51
        race, worth = world(seed, tuple(right), 200)
        play(race, worth)
        put_out += best not in race.race.left
    assert put_out <= 6


def test_the_order_hangs_on_the_seed() -> None:
    one, other = (race_of(np.zeros(50), np.zeros(50), np.ones(50, dtype=np.bool_), 1, seed=seed) for seed in (1, 2))
    assert one.questions != other.questions
    assert sorted(one.questions) == sorted(other.questions)


def test_hearing_nothing_is_a_gap() -> None:
    race, _ = world(1, (0.5, 0.5))
    nothing: WavePlays = {}
    assert race.next_wave() is not None
    race.hear(nothing)
    assert race.missing
    assert race.next_wave() is None


def test_large_clusters_weigh_as_many_questions_as_they_have() -> None:
    """Of many small clusters and a few large ones: whoever is better over all questions is not put out for the small ones."""
    units = [f"small {n}" for n in range(120)] + [f"large {n // 20}" for n in range(200)]
    small = np.array([unit.startswith("small") for unit in units])
    incumbent = np.where(small, 0.0, 1.0)
    race = StageRace(1, incumbent, 1.0 - incumbent, np.zeros(len(units), dtype=np.bool_), units, seed=1)
    while (wave := race.next_wave()) is not None:
        assert wave.questions == 0
        race.hear({})
    assert race.options[0].out_after is None, "it has 200 of 320, the other 120"


def test_drafts_of_those_who_could_not_be_reached_put_nobody_out() -> None:
    """The incumbent is behind on these alone: they may be right once they are asked again."""
    lost = np.arange(200) % 4 == 0
    for without, out in ((None, True), (lost, False)):
        race = race_of(np.where(lost, 0.0, 1.0), np.ones(200), np.zeros(200, dtype=np.bool_), 1)
        race.without = without
        play(race, np.ones((1, 200)))
        assert (race.options[INCUMBENT].out_after is not None) is out
