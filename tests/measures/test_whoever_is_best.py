"""A team whose players wait for their grades beside the same team with all grades in: what is told early holds later."""

from __future__ import annotations

import re
from typing import Any

import pytest
from worlds import World

from moot import Case, Question, Request

SIZE = 60
HEARD_RIGHT = {"ann": 38, "bob": 30}
"""The first so many, word for word; of the others some are right in other words, and the rest are wrong."""
IN_OTHER_WORDS = {"ann": range(40, 43), "bob": range(30, 50), "team": range(50, 53)}


def answer(name: str, number: int, right: int) -> str:
    if number < right:
        return f"Truth{number}"
    return f"meant {number} by {name}" if number in IN_OTHER_WORDS.get(name, ()) else f"bogus {number}"


def alone(name: str, number: int, _: int) -> str:
    if name == "cat":
        return f"Truth{number}" if number >= 50 else f"bogus {number}"
    return answer(name, number, HEARD_RIGHT[name])


def judge(word_on_others: bool | None) -> Any:
    """What it says of other words: right, wrong, or nothing that could be read."""

    def reply(request: Request) -> Any:
        meant = any(re.search(r"meant \d+ by", message.content) for message in request.messages)
        if meant and word_on_others is None:
            return "Hard to say."
        return {"grades": [{"id": 1, "is_correct": meant and word_on_others}]}

    return reply


def headline(**judges: bool | None) -> Any:
    asked = [Case(Question(f"q{n}", f"Which is number {n}?"), f"Truth{n}") for n in range(SIZE)]
    offices = {name: judge(word) for name, word in judges.items()}
    world = World(alone, lambda _, number, __: answer("team", number, 40), asked=asked, offices=offices)
    teams = {"team": {"players": ["ann", "bob", "cat"], "captain": "cat"}}
    return world.play(["solo", "silent"], judge={"models": list(judges)}, teams=teams).figures["headline"]


@pytest.mark.parametrize(
    "judges", [{"jim": True, "joe": False}, {"joe": None}], ids=["two who differ", "one who fails"]
)
def test_the_bounds_against_the_best_player_hold_once_all_is_graded(judges: dict[str, bool | None]) -> None:
    """Ann is the best as far as is graded, and bob in the end."""
    early, late = headline(**judges), headline(joe=True)
    over, bounds = early["over_best_single"], early["over_best_single"]["bounds"]
    assert (over["difference"], over["single"], over["rivals"]) == (None, "ann", ["bob"])
    assert late["over_best_single"]["single"] == "bob"
    assert bounds["low"] <= late["over_best_single"]["difference"] <= bounds["high"]
    assert bounds == {"low": pytest.approx((40 - 50) / SIZE), "high": pytest.approx((43 - 38) / SIZE)}
    assert (
        "between -16.7 and +8.3 points against the best single model (bounds; nothing closer is known)"
        in early["sentence"]
    )
