"""Position bias: by hand, by brute force, and by simulated deciders whose bias is known."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.measures.position.bias import Look, position_bias, redrawn, with_holm

NAMES = ("ann", "bob", "cat", "dan", "eve", "fay")


def test_by_hand() -> None:
    looks = [
        Look("q0", ("ann", "bob"), ["ann"]),
        Look("q0", ("bob", "ann"), ["ann"]),
        Look("q1", ("ann", "bob", "cat"), ["ann", "cat"]),  # two who say the same share it
        Look("q1", ("ann", "bob"), ["ann", "bob"]),  # all alike: no place can be told
        Look("q2", apart="no_answer"),
        Look("q2", apart="new"),
    ]
    found = position_bias(looks)
    assert found["first"] == pytest.approx((1 + 0 + 0.5) / 3)
    assert found["last"] == pytest.approx((0 + 1 + 0.5) / 3)
    assert found["chance"] == pytest.approx((1 / 2 + 1 / 2 + 1 / 3) / 3)
    for end in ("first", "last"):
        assert found[f"{end}_difference"] == pytest.approx(found[end] - found["chance"])
    assert (found["decisions"], found["n"], found["small"]) == (3, 2, True)
    assert found["apart"] == {"alike": 1, "new": 1, "no_answer": 1}
    assert [(each["place"], each["chosen"], each["decisions"]) for each in found["places"]] == [
        (1, pytest.approx(0.5), 3),
        (2, pytest.approx((0 + 1 + 0) / 3), 3),
        (3, pytest.approx(0.5), 1),
    ]
    assert found["places"][0]["difference"] == pytest.approx(found["first_difference"])


def test_what_is_told_twice_has_one_interval() -> None:
    """The first place, and where all are shown as many the last, by the p of orders drawn anew; what is between has none."""
    looks = [Look(f"q{n}", ("ann", "bob", "cat"), [NAMES[(0, 0, 0, 1, 0, 2)[n % 6]]]) for n in range(24)]
    found = position_bias(looks)
    assert found["first_p"] < 0.05
    assert found["first_low"] > 0
    for end, place in (("first", 0), ("last", -1)):
        ends = [found["places"][place][key] for key in ("difference", "low", "high")]
        assert ends == [found[f"{end}_{key}"] for key in ("difference", "low", "high")]
    uneven = position_bias([*looks, Look("q24", ("ann", "bob"), ["bob"])])
    first, *_, last = uneven["places"]
    assert (first["low"], first["high"]) == (uneven["first_low"], uneven["first_high"])
    assert last["difference"] != uneven["last_difference"], "the third place is not the last of two"


def test_without_a_decision_there_is_no_figure() -> None:
    found = position_bias([Look("q0", apart="unknown"), Look("q1", ("ann",), ["ann"])])
    assert found["apart"] == {"alike": 1, "unknown": 1}
    assert (found["decisions"], found["n"], found["places"]) == (0, 0, [])
    names = ("first", "first_low", "first_difference", "first_p", "last", "last_high", "last_p", "chance")
    assert [found[name] for name in names] == [None] * len(names)
    (row,) = with_holm([found])
    assert (row["first_p_holm"], row["last_p_holm"], row["family"]) == (None, None, 0)


def test_one_question_has_no_interval() -> None:
    found = position_bias([Look("q0", ("ann", "bob"), ["ann"]), Look("q0", ("bob", "ann"), ["bob"])])
    assert (found["first"], found["first_difference"]) == (1.0, 0.5)
    assert found["first_low"] is None
    assert found["first_high"] is None


def test_always_the_first_has_an_interval_that_is_no_point() -> None:
    looks = [Look(f"q{n}", ("ann", "bob", "cat"), [("ann", "bob", "cat")[0]]) for n in range(40)]
    found = position_bias(looks)
    assert (found["first"], found["last"]) == (1.0, 0.0)
    assert found["first_low"] < 2 / 3 < found["first_high"] <= 1
    assert found["first_p"] < 0.001


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.permutations(NAMES[:4]), st.sets(st.sampled_from(NAMES[:4]))), max_size=12)
)
def test_shares_add_up_and_nothing_is_lost(drawn: list[tuple[int, list[str], set[str]]]) -> None:
    looks = [
        Look(f"q{question}", order, sorted(chosen), None if chosen else "new") for question, order, chosen in drawn
    ]
    found = position_bias(looks)
    assert found["decisions"] + sum(found["apart"].values()) == len(looks)
    if found["decisions"]:
        assert sum(each["chosen"] for each in found["places"]) == pytest.approx(1)
        assert sum(each["difference"] for each in found["places"]) == pytest.approx(0)
        assert (found["first"], found["last"]) == pytest.approx(
            (found["places"][0]["chosen"], found["places"][-1]["chosen"])
        )
    again = position_bias(looks[::-1])
    flat = [[row[key] for key in sorted(row) if key not in ("apart", "places", "tested")] for row in (found, again)]
    assert flat[1] == pytest.approx(flat[0])
    assert again["apart"] == found["apart"]


def test_p_is_that_of_all_orders() -> None:
    looks = [
        Look("q0", ("ann", "bob", "cat"), ["ann"]),
        Look("q1", ("ann", "bob", "cat"), ["ann", "bob"]),
        Look("q2", ("ann", "bob"), ["ann"]),
    ]
    # Two papers of one voter: one draw put both into order.
    pair = [Look("q3", ("cat", "ann", "bob"), [name], lot="voter") for name in ("ann", "cat")]
    every = [*looks, *pair]
    observed = abs(sum(look.share(0) - 1 / len(look.order) for look in every))
    draws = [list(permutations(look.order)) for look in (*looks, pair[0])]
    beyond = []
    for orders in product(*draws):
        again = [Look(look.question, order, look.chosen) for look, order in zip(looks, orders[:3], strict=True)]
        again += [Look(look.question, orders[3], look.chosen) for look in pair]
        total = sum(look.share(0) - 1 / len(look.order) for look in again)
        beyond.append(abs(total) >= observed - 1e-9)
    assert redrawn(every)["first_p"] == pytest.approx(np.mean(beyond), abs=0.012)
    apart = [*looks, *(Look(look.question, look.order, look.chosen) for look in pair)]
    assert redrawn(apart)["first_p"] != redrawn(every)["first_p"], "what was drawn together moves together"


def decisions(
    draw: np.random.Generator, questions: int, *, bias: float, own: float = 0.0, captains: int = 3
) -> list[Look]:
    """Captains of six: what stands first with `bias`, else their own draft with `own`, else mostly what all lean to."""
    looks = []
    for number in range(questions):
        said = draw.integers(0, 4, len(NAMES))
        favourite = draw.choice(said)
        for captain in NAMES[:captains]:
            order = [NAMES[place] for place in draw.permutation(len(NAMES))]
            if draw.random() < bias:
                word = said[NAMES.index(order[0])]
            elif draw.random() < own:
                word = said[NAMES.index(captain)]
            else:
                word = favourite if draw.random() < 0.7 else draw.choice(said)
            chosen = [name for name, text in zip(NAMES, said, strict=True) if text == word]
            looks.append(Look(f"q{number}", order, chosen, lot=captain))
    return looks


def covered(found: dict[str, Any], end: str) -> bool:
    return bool(found[f"{end}_low"] <= 0 <= found[f"{end}_high"])


@pytest.mark.parametrize("own", [0.0, 0.8])
def test_no_bias_is_covered(own: float) -> None:
    """However much a captain favours its own draft, and however alike the captains of one question are."""
    draw = np.random.default_rng(11)
    found = [position_bias(decisions(draw, 50, bias=0.0, own=own), places=False, seed=number) for number in range(50)]
    for end in ("first", "last"):
        assert np.mean([covered(each, end) for each in found]) > 0.86
        assert np.mean([each[f"{end}_p"] <= 0.05 for each in found]) < 0.14
        assert abs(np.mean([each[f"{end}_difference"] for each in found])) < 0.015


def test_a_planted_bias_is_found() -> None:
    draw = np.random.default_rng(12)
    found = [position_bias(decisions(draw, 100, bias=0.3, own=0.5), seed=number) for number in range(6)]
    for each in found:
        assert each["first_low"] > 0
        assert each["first_p"] < 0.01
        assert each["last_difference"] < 0, "what the first place takes, the others lose"
        assert each["places"][0]["low"] > 0
