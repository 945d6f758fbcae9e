"""When talking pays, where somebody could not be reached on a question: who returns may give one answer more, and a team that
talks from two on then talks there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from worlds import World, row

from moot.errors import RequestRejected

LOST, DIVIDED, RESCUED = 0, range(10, 32), range(10, 18)

Figures = Mapping[str, Any]


def _figures(*, away: bool) -> Figures:
    """Talking rescues some of the questions that divide the table, and loses the one on which bob alone errs."""

    def says(name: str, number: int, _: int) -> str:
        if number == LOST and name == "bob":
            if away:
                raise RequestRejected("away", status=400)
            return "no"
        if number in DIVIDED:
            return "never" if name == "cat" else "no"
        return "Paris"

    def after(name: str, number: int, texts: Any) -> str:
        wrong = "no" in texts if number == LOST else number in DIVIDED and number not in RESCUED
        return "no" if wrong else "Paris"

    teams = {"team": {"players": ["ann", "bob", "cat"], "captain": "ann"}}
    world = World(says, after, count=60)
    return dict(world.play(["solo", "vote", "talkative"], teams=teams).figures)


@pytest.fixture(scope="module")
def during() -> Figures:
    return _figures(away=True)


def _claims(figures: Figures) -> list[Mapping[str, Any]]:
    return [figures["talk_threshold"]["over_vote"], row(figures["talk_by_diversity"], d=2)]


def test_what_one_answer_more_could_turn_round_is_not_claimed(during: Figures) -> None:
    assert during["talk_threshold"]["talk_from"] == 2
    for told in _claims(during):
        assert (told["difference"] > 0, told["low"], told["low_holm"], told["p_holm"]) == (True, None, None, None)
        assert told["why"] == "plays that went on without a model could reverse it"


def test_once_all_are_reached_it_may_be_gone() -> None:
    assert all(told["p_holm"] > 0.05 for told in _claims(_figures(away=False))), "8 rescued and 1 lost"


@pytest.mark.parametrize("arm", ["always_vote", "always_talk", "by_threshold"])
def test_shares_keep_their_intervals(arm: str, during: Figures) -> None:
    assert during["talk_threshold"][arm]["low"] is not None
