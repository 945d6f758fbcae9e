"""The search against every team, each decided by the rules themselves."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import moot.advise.search as searching
from moot.advise.find import find_options
from moot.advise.known import KnownDrafts
from moot.advise.led import NOT_OVERRULED, led_teams
from moot.advise.search import Costs, grown
from moot.advise.tallies import Tallies
from moot.decide.rules import Leader, Plurality, WeightedSum, expected_worth


def drafts_of(
    seed: int, players: int = 6, questions: int = 90, answers: int = 4, *, priced: bool = False
) -> KnownDrafts:
    """With silence, ties, and answers that are right in part."""
    draw = np.random.default_rng(seed)
    right = draw.uniform(0.3, 0.8, size=(players, 1))
    codes = np.where(draw.random((players, questions)) < right, 0, draw.integers(1, answers, size=(players, questions)))
    codes[draw.random(codes.shape) < 0.1] = -1
    marks = draw.choice([0.0, 0.5], size=(answers, questions), p=[0.9, 0.1])
    marks[0] = 1.0
    worth = np.where(codes < 0, 0.0, np.take_along_axis(marks, np.maximum(codes, 0), axis=0))
    usd = draw.uniform(0.001, 0.01, size=(players, 1)) * np.ones(codes.shape) if priced else None
    names = tuple(f"p{place}" for place in range(players))
    return KnownDrafts(names, codes.astype(np.int16), worth, tuple(map(str, range(questions))), answers, usd)


@pytest.mark.parametrize("seed", range(6))
def test_a_vote_is_counted_as_the_rule_decides(seed: int) -> None:
    drafts = drafts_of(seed)
    draw = np.random.default_rng(seed)
    weights = draw.uniform(0.2, 3.0, size=len(drafts.players))
    everybody = drafts.candidates(range(len(drafts.players)))
    alike = Tallies.of(everybody)
    weighted = Tallies.of(everybody, np.repeat(weights[:, None], drafts.size, axis=1))
    by_name = WeightedSum(dict(zip(drafts.players, weights.tolist(), strict=True)))
    for size in (1, 2, 4):
        base = tuple(sorted(draw.choice(6, size=size, replace=False).tolist()))
        for tallies, rule in ((alike, Plurality()), (weighted, by_name)):
            values = tallies.values(base)
            for newcomer in set(range(6)) - set(base):
                table = drafts.candidates(sorted((*base, newcomer)))
                assert values[newcomer] == pytest.approx(float(expected_worth(rule, table).mean()), abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_every_small_team_is_looked_at(seed: int) -> None:
    drafts = drafts_of(seed)
    everybody = drafts.candidates(range(6))
    found = grown(Tallies.of(everybody), Costs.of(drafts), 4)
    for size in (2, 3, 4):
        best = max(
            float(expected_worth(Plurality(), drafts.candidates(team)).mean()) for team in combinations(range(6), size)
        )
        assert found[size].every_team
        assert max(found[size].value.values()) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_a_leader_is_found_with_its_number(seed: int) -> None:
    drafts = drafts_of(seed, players=5)
    tallies = Tallies.of(drafts.candidates(range(5)))
    led, every = led_teams(tallies, Costs.of(drafts), 4)
    assert every
    for each, value in led.items():
        rule = Leader(drafts.players[each.leader], None if each.unless == NOT_OVERRULED else each.unless)
        assert value == pytest.approx(float(expected_worth(rule, drafts.candidates(each.seats)).mean()), abs=1e-6)
    leaders = {each.leader for each in led}
    best = max(
        float(expected_worth(Leader(drafts.players[leader], number), drafts.candidates((leader, *others))).mean())
        for leader in leaders
        for size in (1, 2, 3)
        for others in combinations([seat for seat in range(5) if seat != leader], size)
        for number in (None, *range(1, size + 1))
    )
    assert max(led.values()) == pytest.approx(best, abs=1e-6)


def test_grown_and_exchanged_comes_near_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    drafts = drafts_of(3, players=14, questions=200)
    tallies, costs = Tallies.of(drafts.candidates(range(14))), Costs.of(drafts)
    exact = grown(tallies, costs, 4)
    monkeypatch.setattr(searching, "AT_MOST_LOOKED", 0.0)
    well = grown(tallies, costs, 4)
    for size in (3, 4):
        assert exact[size].every_team
        assert not well[size].every_team
        assert max(well[size].value.values()) >= max(exact[size].value.values()) - 0.002


def test_cheap_teams_are_kept_beside_the_accurate(monkeypatch: pytest.MonkeyPatch) -> None:
    drafts = drafts_of(5, players=7, questions=60, priced=True)
    assert drafts.usd is not None
    monkeypatch.setattr("moot.advise.find.FEWEST", 1_000)  # learning takes most of the time
    found = find_options(drafts, 4)
    kept = {option.seats for option in found.options}
    assert {(seat,) for seat in range(7)} <= kept
    cheapest = tuple(sorted(np.argsort(drafts.usd[:, 0])[:3].tolist()))
    costs = Costs.of(drafts)
    assert min(costs.of_team(team)[0] for team in kept if len(team) == 3) <= 1.6 * costs.of_team(cheapest)[0]
