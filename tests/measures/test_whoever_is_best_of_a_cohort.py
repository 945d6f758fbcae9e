"""Cohorts of which somebody waits for its grades, beside the same with all grades in: what is told early holds later."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from worlds import World, row

import moot
from moot import Case, Question, Request
from moot.measures.safety.gap import NO_GAP, gap_closure
from moot.stats.graded import Value, ValuesByName, value_of

SIZE = 30
COHORTS = {"open": ["ann", "bob"], "closed": ["dan", "eve"]}
HEARD_RIGHT = {"ann": 6, "bob": 3, "dan": 18, "eve": 15, "ann after": 12, "bob after": 10}
"""The first so many, word for word; the next few in other words, where somebody is said to; the rest are wrong."""
CLAIM = "gap_closure(peer-review, open) > 0.2"


def judge(meant_is_right: bool | None) -> Any:
    """What it says of other words: right, or nothing that could be read."""

    def reply(request: Request) -> Any:
        meant = any(re.search(r"meant \d+ by", message.content) for message in request.messages)
        if meant and meant_is_right is None:
            return "Hard to say."
        return {"grades": [{"id": 1, "is_correct": meant}]}

    return reply


def figures(in_other_words: Mapping[str, int], meant_is_right: bool | None) -> dict[str, Any]:
    def says(name: str, number: int) -> str:
        right = HEARD_RIGHT.get(name, 0)
        if number < right:
            return f"Truth{number}"
        return f"{'meant' if number < right + in_other_words.get(name, 0) else 'bogus'} {number} by {name}"

    def alone(name: str, number: int, _: int) -> str:
        return says(name, number)

    def after(name: str, number: int, _: Sequence[str]) -> str:
        return says(f"{name} after", number)

    players = [name for members in COHORTS.values() for name in members]
    asked = [Case(Question(f"q{n}", f"Which is number {n}?"), f"Truth{n}") for n in range(SIZE)]
    world = World(alone, after, players=players, asked=asked, offices={"joe": judge(meant_is_right)})
    team = {"players": players, "captain": "each", "cohorts": COHORTS}
    played: moot.Results = world.play(
        ["peer-review"], judge={"models": ["joe"]}, teams={"four": team}, hypotheses=[CLAIM]
    )
    return dict(played.figures)


@pytest.mark.parametrize(
    ("in_other_words", "truth", "bounds"),
    [
        ({"eve": 12}, 6 / 21, (6 / 21, 6 / 12)),
        ({"bob after": 8}, 12 / 12, (6 / 12, 12 / 12)),
        ({"bob": 9}, 0 / 6, (0 / 12, 6 / 6)),
        ({"bob after": 8, "eve": 12, "ann after": 1}, 12 / 21, (6 / 21, 12 / 12)),
    ],
    ids=["theirs", "after", "alone", "several"],
)
def test_the_bounds_of_a_gap_hold_once_all_is_graded(
    in_other_words: dict[str, int], truth: float, bounds: tuple[float, float]
) -> None:
    """Ann and dan are the best as far as is graded, and somebody else in the end."""
    early, late = (figures(in_other_words, word) for word in (None, True))
    now, later = (row(found["gap_closure"], cohort="open", stage="peer-review") for found in (early, late))
    assert now["best"] == {"after": "ann", "alone": "ann", "stronger": "dan"} != later["best"]
    assert later["value"] == pytest.approx(truth)
    assert now["bounds"] == {"low": pytest.approx(bounds[0]), "high": pytest.approx(bounds[1])}
    assert (now["low"], now["high"]) == (None, None), "whoever it is has not been graded"
    assert "wait" in now["why"] or "ungraded" in now["why"]
    (declared,) = early["hypotheses"]
    assert (declared["verdict"], declared["bounds"]) == ("open", now["bounds"])
    assert (declared["value"], declared["low"], declared["p"]) == (now["value"], None, None)
    assert [found["cohort"] for found in early["gap_closure"]] == ["open"], (
        "dan is above ann whatever is said of others"
    )
    of_ann = row(early["gap_closure_models"], model="ann", stage="peer-review")
    assert ("eve" in in_other_words) == (of_ann.get("bounds", {}).get("low") == pytest.approx(6 / 21)), "of a model too"


def test_however_the_rest_is_graded_the_share_lies_within_the_bounds() -> None:
    draw = random.Random(7)
    moved = 0
    for _ in range(150):
        shares = {"alone": 0.2, "after": 0.5, "stronger": 0.8}
        true = {
            side: {name: [float(draw.random() < share) for _ in range(25)] for name in "abc"}
            for side, share in shares.items()
        }
        heard = {side: {name: [draw.random() < 0.9 for _ in own] for name, own in true[side].items()} for side in true}
        early, late = (gap_closure(**_sides(true, heard, whole)) for whole in (False, True))
        if early.bounds is not None:
            assert late.estimate is not None, "there is a gap whatever waits"
            assert early.bounds["low"] - 1e-9 <= late.estimate.value <= early.bounds["high"] + 1e-9
            moved += early.best != late.best
    assert moved > 20, "somebody else is the best in the end"


def test_that_there_is_no_gap_is_said_only_where_none_can_come() -> None:
    """The others' best is no better as far as is graded: of one of them so much waits that it may be, of one too little."""
    ours, theirs = ({"a": _graded(*[1.0] * 12, *[0.0] * 8)}, {"d": _graded(*[1.0] * 12, *[0.0] * 8)})
    after = {"a": _graded(*[1.0] * 14, *[0.0] * 6)}
    for waiting, note, why in ((4, NO_GAP, None), (5, None, "the ungraded answers could leave no gap")):
        rival = _graded(*[None] * waiting, *[1.0] * 8, *[0.0] * (12 - waiting))
        found = gap_closure(ours, after, {**theirs, "e": rival})
        assert (found.estimate, found.bounds, found.note) == (None, None, note)
        assert (found.why or "").startswith(why or "")
        assert (found.why is None) == (why is None)


def test_no_gap_on_what_is_graded_is_no_figure_of_the_rest() -> None:
    """Where what was reached is not graded the others are better, so there is a gap; elsewhere there is none."""
    ours, theirs = {"a": _graded(*[0.0] * 4, *[1.0] * 6)}, {"d": _graded(*[1.0] * 4, *[1.0] * 6)}
    found = gap_closure(ours, {"a": _graded(*[None] * 4, *[1.0] * 6)}, theirs)
    assert (found.estimate, found.note, found.bounds) == (None, None, {"low": 0.0, "high": 1.0})
    assert found.why == "there is no gap between the two cohorts on the questions that are graded"


def _graded(*marks: float | None) -> dict[str, Value]:
    return {f"q{n}": value_of([mark]) for n, mark in enumerate(marks)}


def _sides(
    true: Mapping[str, Mapping[str, Sequence[float]]], heard: Mapping[str, Mapping[str, Sequence[bool]]], whole: bool
) -> dict[str, ValuesByName]:
    return {
        side: {
            name: {f"q{n}": value_of([right if whole or heard[side][name][n] else None]) for n, right in enumerate(own)}
            for name, own in models.items()
        }
        for side, models in true.items()
    }
