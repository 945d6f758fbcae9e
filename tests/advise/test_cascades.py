"""A cascade is weighed by what one and the same policy gets right and takes."""

from __future__ import annotations

import numpy as np
import pytest

from moot.advise.cascades import CascadeOption, cascades
from moot.advise.frontier import AdviceWanted, weighed_options
from moot.advise.known import KnownDrafts
from moot.advise.options import TeamOption
from moot.advise.search import SeatedTeam
from moot.decide.cascading import UntilSure, in_waves, replayed, stage_models
from moot.decide.learning import PLURALITY, LearntRule, folds_of, learn_rule
from moot.decide.rules import Plurality


@pytest.fixture(scope="module")
def drafts() -> KnownDrafts:
    """Few questions: what one half of them teaches is not what all of them teach."""
    draw = np.random.default_rng(3)
    shape = 3, 40
    able = np.array([0.8, 0.65, 0.6])[:, None]
    codes = np.where(draw.random(shape) < able, 0, draw.integers(1, 4, size=shape)).astype(np.int16)
    usd = np.repeat(np.array([0.004, 0.001, 0.001])[:, None], 40, axis=1)
    units = tuple(map(str, range(40)))
    return KnownDrafts(("a", "b", "c"), codes, (codes == 0) * 1.0, units, 4, usd, 1000 * usd)


@pytest.fixture(scope="module")
def found(drafts: KnownDrafts) -> list[CascadeOption]:
    teams = [(0, 1), (0, 1, 2)]
    return list(cascades(drafts, {team: learn_rule(drafts.candidates(team), drafts.units) for team in teams}))


def test_accuracy_and_price_are_of_one_replay(drafts: KnownDrafts, found: list[CascadeOption]) -> None:
    half = folds_of(drafts.units, 2, role="advise cascade")
    by_probability = [option for option in found if option.threshold is not None]
    assert by_probability
    other = 0
    for each in weighed_options(found, drafts, AdviceWanted())[0]:
        option = each.option
        assert isinstance(option, CascadeOption)
        if option.threshold is None:
            continue
        candidates, waves = drafts.candidates(option.seats), in_waves(option.order)
        right, usd, calls = np.zeros(40), np.zeros(40), np.zeros(40)
        for side in (0, 1):
            here, there = np.flatnonzero(half == side), np.flatnonzero(half != side)
            assert option.learnt is not None
            models = stage_models(candidates.at(there), waves, option.learnt.model.penalty)
            everybody = models[frozenset(candidates.players)]
            until = UntilSure(option.threshold, models, option.learnt.rule.by_model(everybody))
            table = candidates.at(here)
            again = replayed(table, waves, until)
            right[here], calls[here] = again.worth(table), again.calls
            assert drafts.usd is not None
            usd[here] = (again.asked * drafts.usd[list(option.seats), 0]).sum(axis=1)
        assert each.accuracy == pytest.approx(right.mean())
        assert each.cost == pytest.approx(1000 * usd.mean())
        assert each.played.mean_calls == pytest.approx(calls.mean())
        assert each.seconds == pytest.approx(1000 * usd.mean())
        other += each.played.mean_calls != option.played(drafts).mean_calls
    assert other, "the questions must be few enough for the two to differ"


def test_who_never_asks_a_second_player_is_no_cascade(drafts: KnownDrafts, found: list[CascadeOption]) -> None:
    for option in found:
        assert option.tried.calls.max() > 1
        assert option.replay(drafts.candidates(option.seats)).calls.max() > 1
    sure = KnownDrafts(drafts.players, drafts.codes * 0, drafts.worth * 0 + 1, drafts.units, 4)
    rules: dict[SeatedTeam, LearntRule] = {(0, 1): learn_rule(sure.candidates((0, 1)), sure.units)}
    assert not list(cascades(sure, rules))


def test_a_team_takes_as_long_as_its_slowest_and_a_cascade_as_long_as_all_that_it_asked(
    drafts: KnownDrafts, found: list[CascadeOption]
) -> None:
    """Money adds up either way."""
    each_takes = np.array([4.0, 1.0, 1.0])
    team = TeamOption(PLURALITY, (0, 1, 2), Plurality(), np.zeros(40))
    for played in (team.played(drafts), team.searched_out(drafts)):
        assert played.mean_seconds == pytest.approx(4.0)
        assert played.usd_per_1000 == pytest.approx(6.0)
    for option in found:
        asked = option.replay(drafts.candidates(option.seats)).asked
        took = (asked * each_takes[list(option.seats)]).sum(axis=1).mean()
        assert option.played(drafts).mean_seconds == pytest.approx(took)
        assert option.played(drafts).usd_per_1000 == pytest.approx(took)
    assert any(option.played(drafts).mean_seconds != team.played(drafts).mean_seconds for option in found)
