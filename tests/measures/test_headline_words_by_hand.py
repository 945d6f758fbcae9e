"""The headline in words, one sentence at a time: what each key of its row makes of it."""

from __future__ import annotations

from typing import Any

import pytest

from moot.measures.claims.cut_short import (
    WHY,
    all_open,
    none_beaten,
    none_beaten_again,
    unclaimed,
    without_claims,
)
from moot.measures.claims.nobody_right import nobody_right_in_short, nobody_right_words
from moot.measures.claims.taken_out import taken_out_words
from moot.measures.claims.words import (
    CUT_SHORT,
    claims_nothing_words,
    declared_late_words,
    doubts,
    few_questions,
    gain_withheld_for,
    sentences,
    since_words,
    spare_sentences,
    unreached_sentence,
    withheld_for,
)
from moot.measures.missing_words import COMPLETE, UNREACHED, missing_words, way_out

OVER = {
    "single": "ann",
    "difference": 0.125,
    "low": 0.025,
    "high": 0.225,
    "n": 1_200,
    "test": "mcnemar",
    "rescues": 200,
    "regressions": 50,
}
PICKED = "picked afterwards, and the intervals allow for it."
ROW: dict[str, Any] = {
    "of": "vote",
    "label": "vote",
    "team": "three",
    "captain": None,
    "captains": 1,
    "player": None,
    "alone": False,
    "value": 0.625,
    "low": 0.6,
    "high": 0.65,
    "n": 1_200,
    "ungraded": 0,
    "chosen": "declared",
    "options": 12,
    "over_best_single": OVER,
    "cost_ratio": None,
    "cost_unit": "calls",
    "cost_usd": 1.0,
    "after_the_fact": None,
}
SUBJECT = 'the team "three", deciding by vote (declared in advance),'
GOT = f"On these 1,200 questions {SUBJECT} got 62.5 % (60.0–65.0) right"
MORE = "12.5 points (2.5–22.5) more than the best single model, ann; it fixed 200 of ann's errors and made 50 new ones"


def told(**other: Any) -> list[str]:
    return sentences({**ROW, **other})


def over(**other: Any) -> dict[str, Any]:
    return {"over_best_single": {**OVER, **other}}


def test_the_verdict() -> None:
    assert told() == [f"{GOT}, {MORE}."]
    assert told(low=None, high=None)[0].startswith(f"On these 1,200 questions {SUBJECT} got 62.5 % right, 12.5 points")
    less = told(**over(difference=-0.125, low=-0.225, high=-0.025, rescues=0, regressions=1))
    ends = (
        "12.5 points (2.5–22.5) less than the best single model, ann; it fixed none of ann's errors and made 1 new one."
    )
    assert less == [f"{GOT}, {ends}"]
    open_ = told(**over(low=-0.025, regressions=0))
    apart = "which cannot be told apart from the best single model, ann (+12.5 points, -2.5 to +22.5)"
    assert open_ == [f"{GOT}, {apart}; it fixed 200 of ann's errors and made no new ones."]
    assert told(**over(low=0.0))[0].startswith(f"{GOT}, which cannot be told apart"), "to end at nothing is to hold it"
    assert told(**over(high=0.0, low=-0.3))[0].startswith(f"{GOT}, which cannot be told apart")
    bare = told(**over(low=None, high=None, n=0))
    assert bare == [f"{GOT}, +12.5 points against the best single model, ann."]
    assert "the best single model that answered, ann" in told(never_answered=["eve"])[0]


@pytest.mark.parametrize(
    ("other", "subject"),
    [
        ({"team": None}, "the team deciding by vote (declared in advance)"),
        ({"captain": "ann"}, "the team deciding by vote with ann as captain (declared in advance)"),
        (
            {"captain": "ann", "teams": 2},
            'the team "three", deciding by vote with ann as captain (declared in advance),',
        ),
        ({"captains": 3}, 'the team "three", deciding by vote, averaged over its 3 captains (declared in advance),'),
        ({"cohorts": 4}, 'the team "three", deciding by vote, averaged over its 4 cohorts (declared in advance),'),
        ({"alone": True, "player": "bob"}, "bob alone (declared in advance)"),
        ({"alone": True}, "the players alone (declared in advance)"),
        ({"chosen": "only"}, 'the team "three", deciding by vote,'),
        ({"chosen": "after the fact"}, 'the team "three", deciding by vote (the best of 12 options),'),
        (
            {"chosen": "after the fact", "ranked_on": 1, "unranked": [{"of": "x", "questions": 3}]},
            'the team "three", deciding by vote (the best of 12 options on the 1 question that all of these have),',
        ),
        (
            {"chosen": "after the fact", "ranked_on": 9},
            'the team "three", deciding by vote (the best of 12 options on the 9 questions that all of them have),',
        ),
        (
            {"chosen": "after the fact", "unlisted": ["x", "y"], "alone": True, "player": "bob"},
            "bob alone (picked afterwards from 12 players, 2 of them not in this file)",
        ),
        (
            {"chosen": "declared late", "earlier_versions": 1},
            'the team "three", deciding by vote (declared in advance and changed since),',
        ),
    ],
)
def test_who_it_is_about(other: dict[str, Any], subject: str) -> None:
    assert told(**other)[0].startswith(f"On these 1,200 questions {subject} got 62.5 % (60.0–65.0) right")


def test_why_a_primary_is_late() -> None:
    assert declared_late_words({"questions_chosen": True}) == "declared before questions were taken out"
    assert declared_late_words({}) == "declared when some answers were already known"


def test_repeats_and_abstaining_in_words() -> None:
    def ending(**other: Any) -> str:
        return told(**over(**other))[0].partition("; ")[2]

    assert ending(rescues=None) == "how many of ann's errors it fixed, and how many it made, is not known."
    assert ending(test="score", rescues=1) == "it did better than ann on 1 question and worse on 50."
    assert (
        ending(abstained=3) == "it fixed 200 of ann's errors, made 50 new ones, and abstained on 3 that ann had right."
    )
    assert ending(test="score", abstained=3) == (
        "it did better than ann on 200 questions, worse on 50, and abstained on 3 more that ann did better on."
    )


def test_without_a_single_or_a_difference() -> None:
    assert told(over_best_single=None) == [f"{GOT}; no player played alone, so there is nothing to compare it with."]
    assert told(over_best_single=None, played_alone=["eve"])[0].endswith(
        "; no member of the team played alone, so there is nothing to compare it with."
    )
    assert told(over_best_single=None, never_answered=["eve"])[0].startswith(
        f"{GOT}; no member of the team ever answered alone"
    )
    assert told(over_best_single=None, alone=True, player="bob")[0].endswith("got 62.5 % (60.0–65.0) right.")
    unknown = told(**over(difference=None, why="too few"), cost_ratio=3.0)
    assert unknown == [
        f"{GOT}.",
        "The difference from the best single model is not known: too few.",
        "It fixed 200 of ann's errors and made 50 new ones; it took 3.0 × the calls.",
    ]
    bounds = {"low": 0.05, "high": 0.25}
    assert told(**over(bounds=bounds))[1:] == [
        "That is 12.5 points (2.5–22.5) more than the best single model, ann on the 1,200 questions graded for both; bounds"
        " over all: +5.0 to +25.0.",
        "It fixed 200 of ann's errors and made 50 new ones, as far as both are graded.",
    ]
    turned = told(**over(bounds={"low": -0.05, "high": 0.25}))[1]
    assert turned.startswith("It cannot be told apart from the best single model, ann (+12.5 points, +2.5 to +22.5) on")
    assert told(**over(bounds={"low": 0.1, "high": 0.1}, n=0))[1].endswith("; over all: +10.0.")
    assert told(**over(difference=None, why="too few", bounds=bounds, n=0))[1:] == [
        "That is between +5.0 and +25.0 points against the best single model (bounds; nothing closer is known).",
        "Why: too few.",
    ]


@pytest.mark.parametrize(
    ("other", "cost"),
    [
        ({"cost_ratio": 3.0}, "with 3.0 × the calls"),
        ({"cost_ratio": 3.0, "cost_usd": None}, "with 3.0 × the calls (cost unknown)"),
        ({"cost_ratio": 3.0, "cost_unit": "usd"}, "at 3.0 × the cost"),
        (
            {"cost_ratio": 3.0, "cost_n": 1_199},
            "with 3.0 × the calls on the 1,199 questions on which no call is missing",
        ),
        ({"calls": 5.25}, "with 5.3 calls a question"),
        ({"calls": 5.25, "cost_usd": None}, "with 5.3 calls a question (cost unknown)"),
        ({"calls": 5.0, "cost_why": "gone"}, "with 5.0 calls a question, and beside one player nobody knows: gone"),
        ({"cost_why": "gone"}, "at a cost that is not known, since too many plays lack a call"),
    ],
)
def test_what_it_took(other: dict[str, Any], cost: str) -> None:
    assert told(**other) == [f"{GOT}, {MORE}, {cost}."]


def test_where_there_is_no_figure() -> None:
    empty: dict[str, Any] = {"value": None, "low": None, "high": None, "over_best_single": None, "questions": 9}
    assert told(**empty) == ["Nothing has been played yet."]
    assert told(**empty, why="gone") == ["The primary, vote, has no figure: gone."]
    left_out = told(**empty, left_out=1_000, captains=2)
    assert left_out == [
        'Nobody knows how many the team "three", deciding by vote, averaged over its 2 captains (declared in advance), got'
        " right: none of its 1,000 questions has been played by all of its 2 captains."
    ]
    waits = {**empty, "ungraded": 4, "why": "they wait"}
    assert told(**waits, bounds={"low": 0.0, "high": 1.0}) == [
        "On these 9 questions no answer is graded yet, so nobody knows how many are right."
    ]
    assert told(**waits, bounds={"low": 0.25, "high": 0.75}) == [
        'On these 9 questions the team "three", deciding by vote, got between 25.0 and 75.0 % (bounds) right.',
        "Nothing closer is known: they wait.",
    ]
    one = told(**{**waits, "questions": 1}, bounds={"low": 0.0, "high": 0.5})
    assert one[0].startswith("On this one question the team")


def test_few_questions_are_said_to_be_few() -> None:
    assert few_questions({"n": 30}) is None
    assert few_questions({"n": 29}) == "With fewer than 30 questions, results are very uncertain."
    assert few_questions({"n": 30, "clusters": 29}) == (
        "With fewer than 30 clusters of questions, results are very uncertain."
    )
    assert few_questions({"n": 29, "clusters": 9}) == "With fewer than 30 questions, results are very uncertain."
    assert few_questions({"n": 900, "clusters": 30}) is None


def doubted(**other: Any) -> list[str]:
    return doubts({**ROW, **other})


def test_what_to_know_before_believing_it() -> None:
    assert doubted() == []
    assert doubted(cut_short=True, interim={"played": 3, "planned": 9}) == [CUT_SHORT]
    assert doubted(interim={"played": 1_000, "planned": 9_000}) == [
        "Interim results, after 1,000 of 9,000 episodes: what they say holds for a single look."
    ]
    assert doubted(ungraded=1, bounds={"low": 0.5, "high": 0.75}) == [
        "1 answer is not graded; over all of them the figure is between 50.0 and 75.0 % (bounds)."
    ]
    assert doubted(ungraded=1.5, bounds={"low": 0.5, "high": 0.75}, **over(abstained=1))[0].startswith(
        "1.5 plays are not graded"
    )
    assert doubted(primary_unmeasured={"of": "debate", "why": "gone"}) == [
        "The declared primary, debate, has no figure: gone."
    ]
    assert doubted(left_out=1, captains=2) == ["1 question is left out: not all of its 2 captains have played it."]
    assert doubted(left_out=1_000) == ["1,000 questions are left out: not all of its players have played them."]
    assert doubted(never_answered=["eve"]) == [
        "Every call to eve failed: how good it is alone is unknown, and it is not among the single models here."
    ]
    assert doubted(never_answered=["eve", "tom"]) == [
        "Every call to eve, tom failed: how good they are alone is unknown, and they are not among the single models here."
    ]
    assert doubted(unranked=[{"of": "x", "questions": 1_000}, {"of": "y", "questions": 3}]) == [
        "Not ranked, with too few questions in common with the others: x (1,000), y (3)."
    ]
    assert doubted(taken_out=2) == [
        f"{taken_out_words(2)}: if the results decided which were left out, no interval here allows for that."
    ]
    assert taken_out_words(1) == "1 question that was played under this name before is not among these"


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"chosen": "after the fact"}, f"No primary was declared; this is the best of 12, {PICKED}"),
        (
            {"chosen": "after the fact", "cut_short": True},
            "No primary was declared; this is the best of 12, picked afterwards.",
        ),
        ({"chosen": "after the fact", "unlisted": ["x"]}, f"No primary was declared; this is one of 12, {PICKED}"),
        ({"chosen": "declared late"}, f"The primary was declared late; this is one of 12, {PICKED}"),
        (
            {"chosen": "declared late", "unlisted": ["x"]},
            "The primary was declared late; this is one of 12, picked afterwards, and the intervals allow for it. 1 of them was"
            " played on these questions and is not in the file.",
        ),
        (
            {"chosen": "declared late", "unlisted": ["x", "y"], "earlier_versions": 1},
            "What the primary names was changed after it had been played; this is one of 12, picked afterwards, and the"
            " intervals allow for it. 2 of them were played on these questions and are not in the file.",
        ),
        (
            {"chosen": "declared late", "questions_chosen": True},
            "Questions were taken out of the file after they had been played; this is one of 12, picked afterwards, and the"
            " intervals allow for it.",
        ),
    ],
)
def test_what_was_picked_afterwards_is_said_to_be(other: dict[str, Any], said: str) -> None:
    assert doubted(**other)[-1] == said
    assert not any("picked afterwards" in each for each in doubted(**{**other, "options": 1}))


def test_another_row_that_is_higher_is_named() -> None:
    after = {"of": "debate", "value": 0.75, "low": 0.7, "high": 0.8}
    assert doubted(after_the_fact=after) == [
        "The best row, debate with 75.0 % (70.0–80.0; the lower end allows for the choice), was picked afterwards."
    ]
    assert doubted(after_the_fact={**after, "bounds": {}}) == [
        "The best row even if all ungraded answers were wrong, debate with 75.0 % (70.0–80.0; the lower end allows for the"
        " choice), was picked afterwards."
    ]
    alone = doubted(after_the_fact={**after, "unranked": [{"of": "x", "questions": 3}]})
    assert alone == [
        "The best row, debate with 75.0 % (70.0–80.0), was picked afterwards.",
        "Not ranked, with too few questions in common with the others: x (3).",
    ]
    for same in ({**after, "of": "vote"}, {**after, "value": 0.625}, {**after, "value": None}):
        assert doubted(after_the_fact=same) == []
    assert len(doubted(after_the_fact={**after, "value": 0.625, "ranked_on": 3})) == 1
    assert len(doubted(after_the_fact={**after, "value": 0.625, "bounds": {}})) == 1
    spare = spare_sentences({**ROW, "after_the_fact": after, "words": []})
    assert spare == doubted(after_the_fact=after)


def test_sentences_that_can_be_spared() -> None:
    unreached = {"who": ["ann"], "questions": 2, "of": 9, "withheld": False}
    row = {**ROW, "chosen": "after the fact", "unreached": unreached, "never_answered": ["eve"]}
    row["words"] = doubts(row)
    spared = spare_sentences(row, told_below=True)
    assert [words[:12] for words in spared] == ["No primary w", "On 2 of 9 qu", "Every call t"]
    assert [words[:12] for words in spare_sentences(row)] == ["No primary w"]
    withheld = {**row, "unreached": {**unreached, "withheld": True}}
    assert [words[:12] for words in spare_sentences(withheld, told_below=True)] == ["No primary w", "Every call t"]


def test_why_nothing_is_claimed() -> None:
    unreached = {"who": ["ann", "bob"], "questions": 2_000, "of": 9_000, "withheld": True}
    words = "on 2,000 of 9,000 questions a model could not be reached (ann, bob)"
    assert unreached_sentence(unreached) == f"O{words[1:]}, so nothing is claimed; moot run asks again."
    assert unreached_sentence({**unreached, "withheld": False}) == f"O{words[1:]}; moot run asks again."
    assert (withheld_for({"cut_short": True}), withheld_for({"unreached": unreached}), withheld_for({})) == (
        WHY,
        words,
        None,
    )
    assert withheld_for({"unreached": {**unreached, "withheld": False}}) is None
    assert gain_withheld_for({"over_best_single": {"why": "open"}}) == "open"
    assert gain_withheld_for({"over_best_single": None, "cut_short": True}) == WHY
    assert gain_withheld_for({}) is None
    assert claims_nothing_words({"cut_short": True}) == [CUT_SHORT]
    assert claims_nothing_words({"unreached": unreached}) == [unreached_sentence(unreached)]
    assert claims_nothing_words({}) == since_words({}) == []


def test_why_somebody_is_missing() -> None:
    assert (missing_words(["ann"]), way_out(["ann"])) == (UNREACHED, "moot run asks again")
    assert missing_words(["ann"], ["ann", "bob"]) == "a recording has no reply"
    assert missing_words(["ann", "bob"], ["ann"]) == "a model could not be reached or a recording has no reply"
    assert way_out(["ann"], ["ann"]) == COMPLETE
    assert way_out(["ann", "bob"], ["ann"], "ask") == f"ask, and of what is recorded {COMPLETE}"


def test_figures_without_their_claims() -> None:
    row = {
        "value": 0.5,
        "low": 0.4,
        "high": 0.6,
        "p": 0.01,
        "beaten_by": "x",
        "over": {"low": 0.1, "n": 3},
        "other": {"low": 1},
    }
    bare = {
        "value": 0.5,
        "low": None,
        "high": None,
        "p": None,
        "beaten_by": None,
        "over": {"low": None, "n": 3},
        "other": {"low": 1},
    }
    assert without_claims(row) == bare
    assert unclaimed(row) == {**bare, "why": WHY}
    assert unclaimed({"value": 0.5, "why": "gone"}) == {"value": 0.5, "why": "gone"}
    assert all_open([{"verdict": "confirmed", "p": 0.01, "note": None}, {"verdict": "open", "note": "small"}]) == [
        {"verdict": "open", "p": None, "note": WHY},
        {"verdict": "open", "note": f"small; {WHY}"},
    ]
    frontier = [{"of": "a", "within_low": 0.1, "within_high": 0.2, "beaten_by": "b"}, {"of": "b", "beaten_by": "c"}]
    assert none_beaten(frontier[:1]) == [{"of": "a", "within_low": None, "within_high": None, "beaten_by": None}]
    again = [{"of": "a", "beaten_by": "b"}, {"of": "b", "beaten_by": None}]
    assert [row["beaten_by"] for row in none_beaten_again(frontier, again)] == ["b", None]
    assert [row["beaten_by"] for row in none_beaten_again(frontier, [])] == [None, None]


def test_points_of_a_rubric_are_no_right_answers() -> None:
    row = {**ROW, "in_points": True}
    words = sentences(row)[0]
    assert words.startswith(
        f"On these 1,200 questions {SUBJECT} got 62.5 % (60.0–65.0) of the rubric's points, 12.5 percentage points"
    )
    assert words.endswith("; it did better than ann on 200 questions and worse on 50.")
    assert sentences({**row, **over(rescues=None)})[0].endswith(
        "; on how many questions it did better than ann is not known."
    )


def test_where_nobody_was_right_the_form_of_the_references_is_doubted() -> None:
    told = {
        "whole": True,
        "questions": 1_200,
        "choices": False,
        "set": None,
        "id": "q7",
        "reference": "B",
        "answer": "the\nsecond",
    }
    first, example, do = nobody_right_words(told)
    assert first == (
        "Nobody was right on any of the 1,200 questions. Either all answers are wrong, or the references are written in a form"
        " nobody answers in."
    )
    assert example == "For example, the reference of question 'q7' is 'B', and one answer was 'the second'."
    assert do.startswith(
        "Compare the two in a few questions; if they mean the same, write each reference as a short answer"
    )
    closed = nobody_right_words({**told, "choices": True, "set": "cup", "answer": "x" * 60})
    assert closed[0].startswith("Nobody was right on any of the 1,200 questions with choices of 'cup'. Either")
    assert closed[1].endswith(f"one answer was '{'x' * 60}'.")
    assert "say under questions how they are written" in closed[2]
    assert nobody_right_words({**told, "reference": "x" * 61})[1].startswith(
        f"For example, the reference of question 'q7' is '{'x' * 59}…', and"
    )
    assert nobody_right_in_short({**told, "both": True, "questions": 1}) == (
        "nobody was right on any of 1 question without choices: are their references written as anybody answers?"
    )
    assert sentences({**ROW, "nobody_right": told}) == [*nobody_right_words(told)]
    assert sentences({**ROW, "nobody_right": {**told, "whole": False}})[3:] == sentences(ROW)
