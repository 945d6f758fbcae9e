"""Who says the same as before has changed nothing, whatever the judge will say of it: in every paired figure."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest
from half_judged import SIZE, run, said

from moot.measures.safety.lift import lift
from moot.measures.safety.pairs import Pair

REVIEW = {"peer-review": {"drafts": "single-call"}}


def seven_wrong(player: str, number: int) -> str:
    """Ann is wrong on seven, and all on one. On two others all say the same, and the judge has no word on it yet."""
    if number < 2:
        return said("right", number)
    if number == 9:
        return said("wrong", number)
    return said("wrong" if player == "ann" and number <= 8 else "match", number, player)


def settled(number: int) -> bool:
    return number >= 2


def zero_width(bounds: Any) -> bool:
    return bounds["high"] - bounds["low"] == pytest.approx(0.0)


def test_the_claim_of_the_headline_pays_nothing_for_what_both_say() -> None:
    """The team is right where its captain is not, seven times. It is the same whether the judge is done or not."""
    waiting, done = (
        run(["solo", "vote"], seven_wrong, judge, players=("ann", "bob", "cat"), primary="vote").figures["headline"]
        for judge in (settled, lambda _: True)
    )
    for name in ("bob", "ann"):
        rows = [{each["single"]: each for each in head["over_best_single"]["each"]}[name] for head in (waiting, done)]
        assert rows[0]["n"] == rows[1]["n"] - 2
    over, whole = waiting["over_best_single"], done["over_best_single"]
    assert over["bounds"] == {"low": pytest.approx(0.0), "high": pytest.approx(0.0)}
    assert (over["low"], over["high"]) == (pytest.approx(whole["low"]), pytest.approx(whole["high"]))


def test_rescues_are_counted_while_those_wait_who_say_the_same_as_before() -> None:
    def says(player: str, number: int) -> str:
        return seven_wrong(player, number)

    twice = {"solo": {"drafts": "double-call"}}
    hypotheses = ["net(peer-review(drafts=single-call)) > -1"]
    figures = run(["solo", twice, REVIEW], says, settled, captain="each", hypotheses=hypotheses).figures
    (counted,) = figures["safety"]
    assert (counted["rescues"], counted["regressions"], counted["net"]) == (0, 0, 0)
    assert counted["ungraded"] == 6
    assert counted["net_bounds"] == {"low": 0, "high": 0}
    for row in figures["safety_models"]:
        assert (row["rescues"], row["regressions"]) == (0, 0)
        assert zero_width(row["bounds"])
    tax = figures["formatting_tax"]
    assert zero_width(tax["bounds"])
    assert tax["ungraded"] == 12
    (net,) = figures["hypotheses"]
    assert net["value"] == 0


def test_a_protocol_that_says_what_its_models_say_alone_is_no_better_and_no_worse() -> None:
    talk = {"discuss": {"agents": 3, "max_turns": 1, "vote_from": 1}}
    figures = run(["solo", talk], lambda player, number: seven_wrong("all", number), settled).figures
    rows = figures["protocol_baselines"]
    assert rows
    for row in rows:
        assert row["n"] == 38
        assert zero_width(row["bounds"])
        assert (row["low"], row["high"]) != (None, None)


def test_what_a_debate_adds_is_between_what_every_grading_of_the_words_leaves() -> None:
    draw = random.Random(5)
    answers = ["x", "y", 0.0, 1.0]
    for _ in range(60):
        native, reviewed, debated = ([draw.choice(answers) for _ in range(6)] for _ in range(3))
        if all(not isinstance(answer, str) for answer in (*native, *reviewed, *debated)):
            continue
        sides = [
            [_pair(number, before, after) for number, (before, after) in enumerate(zip(native, afters, strict=True))]
            for afters in (reviewed, debated)
        ]
        found = lift(*sides)
        assert found is not None
        nets = []
        for number in range(6):
            mine = []
            for x, y in product((0.0, 1.0), repeat=2):
                right = {"x": x, "y": y, 0.0: 0.0, 1.0: 1.0}
                before, first, second = (right[each[number]] for each in (native, reviewed, debated))
                mine.append((second - before) - (first - before))
            nets.append((min(mine), max(mine)))
        assert found.bounds == {"low": sum(low for low, _ in nets), "high": sum(high for _, high in nets)}


def _pair(number: int, before: str | float, after: str | float) -> Pair:
    grades = [None if isinstance(answer, str) else answer for answer in (before, after)]
    said_words = [answer if isinstance(answer, str) else None for answer in (before, after)]
    ways: Any = ["waiting" if answer is None else "at once" for answer in grades]
    return Pair(
        f"q{number}",
        "ann",
        *grades,
        native_way=ways[0],
        after_way=ways[1],
        native_words=said_words[0],
        after_words=said_words[1],
    )


def test_a_member_who_does_not_answer_again_is_beside_an_average_of_its_own_words() -> None:
    """One answer of cat's waits. In the average of three it is a third: wrong in both, or right in both, and never half so."""
    figures = run(["peer-review"], lambda player, n: said("right" if (player, n) == ("cat", 2) else "match", n)).figures
    (row,) = [row for row in figures["cohort_models"] if (row["model"], row["when"]) == ("cat", "alone")]
    assert (row["bounds"]["low"], row["bounds"]["high"]) == pytest.approx((-2 / 3 / SIZE, 0.0))
