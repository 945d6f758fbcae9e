"""Words whose habits nobody knows yet stand outside a share; they must not be able to turn it once they are known."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from moot.stats.clusters import clustered
from moot.stats.left_out_words import LeftOut, left_out_of
from moot.stats.preference import Preferences, PreferenceWord

PAIR = ("team", "bob")


def voted(questions: int, won: int) -> Preferences:
    """A judge who prefers the team in three of four of 60 questions, and one person who has voted on some of them."""
    draw = random.Random(4)
    said = []
    for number in range(60):
        longer, liked = draw.uniform(-0.5, 0.5), float(number % 4 > 0)
        said += [PreferenceWord(f"q{number}", PAIR, 0, "jim", liked, place, longer) for place in (1, -1)]
        if number < questions:
            place = 1 if number % 2 else -1
            said.append(
                PreferenceWord(f"q{number}", PAIR, 0, "person:eve", float(number < won), place, longer, "person:")
            )
    return Preferences(said)


@pytest.mark.parametrize(
    ("questions", "won", "how"),
    [(1, 0, None), (2, 0, None), (3, 0, "together"), (20, 3, "together"), (20, 14, None), (20, 9, None)],
    ids=["one vote", "two votes", "all three", "most are against", "most are for", "half and half"],
)
def test_a_share_that_more_such_votes_would_turn_is_overturned(questions: int, won: int, how: str | None) -> None:
    fitted = voted(questions, won)
    share, out = fitted.rate(PAIR), left_out_of(fitted, PAIR)
    assert share is not None
    assert share.value > 0.7
    assert out is not None
    assert (len(out.words), out.questions, out.part) == (questions, questions, 0.5)
    assert out.overturn(share.value) == how
    other_way = LeftOut([replace(word, liked=1 - word.liked) for word in out.words], out.part)
    assert other_way.overturn(1 - share.value) == how, "what is not preferred is told by the same rule"


def test_few_who_are_surely_on_the_other_side_withhold_what_they_would_not_turn() -> None:
    out = left_out_of(voted(20, 0), PAIR)
    assert out is not None
    few = LeftOut(out.words, part=0.2)
    assert few.overturn(0.75) == "by themselves"
    assert few.overturn(0.55) == "together"
    assert few.overturn(0.25) is None, "they say the same"


@pytest.mark.parametrize(("questions", "turns"), [(1, False), (2, True)])
def test_votes_on_a_single_question_turn_nothing_however_near_a_half_it_is(questions: int, turns: bool) -> None:
    out = left_out_of(voted(questions, 0), PAIR)
    assert out is not None
    assert bool(out.overturn(0.55)) is turns
    against = LeftOut([replace(word, liked=1.0) for word in out.words], out.part)
    assert bool(against.overturn(0.45)) is turns


def test_where_all_words_count_none_are_left_out() -> None:
    assert left_out_of(voted(0, 0), PAIR) is None


@pytest.mark.parametrize("liked", [0.0, 1.0])
def test_of_questions_that_hang_together_nothing_is_sure_by_itself(liked: float) -> None:
    said = [PreferenceWord(f"q{n}", PAIR, 0, "person:eve", liked, place) for n in range(6) for place in (1, -1)]
    out = LeftOut(said, part=0.1)
    with clustered({f"q{n}": "one" for n in range(6)}):
        assert out.rate.limits(0.05) is None
        assert out.overturn(abs(0.75 - liked)) is None
    assert out.overturn(abs(0.75 - liked)) == "by themselves"
