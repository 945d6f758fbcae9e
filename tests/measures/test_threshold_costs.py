"""When talking pays, where a server was down: what a play took that lacks calls is no price of voting or of talking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from worlds import World

from moot.errors import RequestRejected
from moot.report.remarks import remarks as remarks_of
from moot.report.sections import all_sections

COUNT = 40
ARMS = ("by_threshold", "always_vote", "always_talk")
Figures = Mapping[str, Any]


def _figures(down: int) -> Figures:
    """cat cannot be reached on the first questions. Talking rescues each third one on which the table is divided."""

    def says(name: str, number: int, _: int) -> str:
        if name == "cat" and number < down:
            raise RequestRejected("away", status=400)
        return "no" if number % 3 == 0 and name != "bob" else "Paris"

    teams = {"team": {"players": ["ann", "bob", "cat"], "captain": "ann"}}
    world = World(says, lambda name, number, texts: "Paris", count=COUNT)
    return dict(world.play(["solo", "vote", "talkative"], teams=teams).figures)


def _section(figures: Figures) -> str:
    (section,) = [section for section in all_sections(figures) if section.id == "talk-threshold"]
    return " ".join(section.words)


@pytest.mark.parametrize("down", [0, 24])
def test_what_lacks_calls_is_no_price(down: int) -> None:
    learnt = _figures(down)["talk_threshold"]
    assert (learnt["always_vote"]["calls"], learnt["always_talk"]["calls"]) == (3.0, 4.0)
    assert [learnt[arm].get("cost_n") for arm in ARMS] == [COUNT - down if down else None] * 3
    assert 3.0 <= learnt["by_threshold"]["calls"] <= 4.0


def test_of_how_many_questions_it_is_told() -> None:
    figures = _figures(24)
    words = "over the 16 of 40 questions on which no call is missing"
    assert words in _section(figures)
    assert any(words in line and "On unseen questions" in line for line in remarks_of(figures))
    assert not any("no call is missing" in line for line in [_section(_figures(0)), *remarks_of(_figures(0))])


def test_with_no_whole_play_nobody_knows_what_it_takes() -> None:
    figures = _figures(COUNT)
    learnt = figures["talk_threshold"]
    for arm in ARMS:
        assert (learnt[arm]["calls"], learnt[arm]["cost_usd"], learnt[arm]["cost_n"]) == (None, None, 0)
    assert any("at unknown cost" in line for line in remarks_of(figures))
    assert _section(figures)
