"""Sections of a quiz team from rows that are written down here: which rows they have, and what they say."""

from __future__ import annotations

from typing import Any

import pytest

from moot.measures.quiz.sections import (
    best_names,
    comparisons_section,
    gap_not_known,
    quiz_sections,
    ranked_words,
    talk_from_words,
)
from moot.measures.section import Section

NOTHING: dict[str, Any] = {"value": None, "low": None, "high": None, "n": 0}
HALF: dict[str, Any] = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 90}


def section(ident: str, **figures: Any) -> Section:
    return next(each for each in quiz_sections(figures) if each.id == ident)


def test_captains_beside_themselves_alone() -> None:
    led = {"strategy": "vote", "label": "vote", "team": "one", "captain": "ann", **HALF}
    players = [
        {"player": "ann", "team": None, "value": 0.25, "low": 0.2, "high": 0.3, "bounds": {"low": 0.1, "high": 0.4}}
    ]
    found = section("by-captain", accuracy=[led, {**led, "captain": None}, {**led, "captain": "bob"}], players=players)
    assert [(row["captain"], row["single"], row["single_low"], row["single_high"]) for row in found.rows] == [
        ("ann", 0.25, 0.2, 0.3),
        ("bob", None, None, None),
    ]
    assert (found.rows[0]["single_least"], found.rows[0]["single_most"], "single_least" in found.rows[1]) == (
        0.1,
        0.4,
        False,
    )
    assert "alone, at least" in [column.title for column in found.columns]
    assert found.words != ()
    plain = section("by-captain", accuracy=[led], players=[{**players[0], "bounds": None}])
    assert "alone, at least" not in [column.title for column in plain.columns]
    assert plain.words == ()
    of_teams = [{**players[0], "team": "one"}, {**players[0], "team": "two", "value": 0.9}]
    two = section("by-captain", accuracy=[led, {**led, "team": "two"}], players=of_teams)
    assert [row["single"] for row in two.rows] == [0.25, 0.9]
    assert section("by-captain", accuracy=[{**led, "table": "two"}], players=of_teams).rows[0]["single"] == 0.9


@pytest.mark.parametrize(
    ("equals", "names"),
    [
        ([], ["ann"]),
        (["bob", "cat"], ["ann", "bob", "cat"]),
        (["bob", "cat", "dee"], ["ann", "3 equally good ones"]),
        (["b", "c", "d", "e"], ["ann", "4 equally good ones"]),
    ],
)
def test_of_many_equals_the_first_is_named(equals: list[str], names: list[str]) -> None:
    assert best_names({"player": "ann", "equals": equals}) == names
    assert best_names({"player": "ann"}) == ["ann"]


SINGLE = {**HALF, "player": "ann", "players": 3, "low": 0.3}
SKYLINE = {**HALF, "value": 0.75, "players": 3}


def test_how_far_players_could_get() -> None:
    found = section("skyline", skyline={**SKYLINE, "guessing": 0.58}, best_single=SINGLE)
    assert [(row["what"], row["value"], row["n"]) for row in found.rows] == [
        ("skyline: at least one player right, of 3", 0.75, 90),
        ("as many independent guessers", 0.58, 90),
        ("best single player, ann, the best of 3", 0.5, 90),
    ]
    assert found.words == (
        "The best single player is picked afterwards; the lower end of its interval allows for that.",
    )
    assert section("skyline", skyline=SKYLINE, best_single={**SINGLE, "players": 1}).words == ()
    equal = section("skyline", skyline=SKYLINE, best_single={**SINGLE, "equals": ["bob"], "ranked": 2, "why": "few"})
    assert equal.rows[-1]["what"] == "best single player, ann and bob, the best of 2 ranked"
    assert equal.words[0] == "best single player, ann and bob, the best of 2 ranked: few."
    assert (ranked_words({"ranked": 2, "players": 3}), ranked_words({"players": 3})) == ("2 ranked", "3")


def test_what_is_not_known_of_a_skyline_is_said() -> None:
    top = {**SKYLINE, "bounds": {"low": 0.5, "high": 0.9}, "why": "it waits", "not_heard": 4, "left_out": 2}
    unknown = {**SINGLE, **NOTHING, "ranked": 0, "why": "none shared"}
    found = section("skyline", skyline=top, best_single=unknown)
    assert [sentence[:46] for sentence in found.words] == [
        "The skyline is over the questions of which eve",
        "the skyline is not known: it waits.",
        "4 answers of players were not heard, since nob",
        "2 questions that not all of them have are left",
        "the best single player is not known: none shar",
    ]
    assert len(found.rows) == 1
    assert (found.rows[0]["least"], found.rows[0]["most"]) == (0.5, 0.9)
    silent = section("skyline", skyline=SKYLINE, best_single={**SINGLE, **NOTHING})
    assert (len(silent.rows), silent.words) == (1, ())
    teams = [{"skyline": {**top, "left_out": 0}, "best_single": SINGLE, "team": name} for name in ("one", "two")]
    several = section("skyline", teams=[*teams, {"team": "none"}])
    assert [row["team"] for row in several.rows] == ["one", "one", "two", "two"]
    assert [sentence[:30] for sentence in several.words] == [
        "The skyline is over the questi",
        "one: the skyline is not known:",
        "one: 4 answers of players were",
        "The best single player is pick",
        "two: the skyline is not known:",
        "two: 4 answers of players were",
    ]


def gap(label: str, **other: Any) -> dict[str, Any]:
    return {"strategy": label, "label": label, "captain": None, "team": None, **HALF, **other}


def test_whose_share_of_the_gap_is_not_known() -> None:
    rows = [gap(name, **NOTHING, why="no gap") for name in "abcde"]
    assert gap_not_known({"gap": [gap("x"), *rows[:4], gap("y", **NOTHING)]}) == ["No share of a, b, c, d: no gap."]
    assert gap_not_known({"gap": rows}) == ["No share of a, b, c, d and 1 more: no gap."]
    assert gap_not_known({"gap": [rows[0], gap("z", **NOTHING, why="few")]}) == [
        "No share of a: no gap.",
        "No share of z: few.",
    ]
    assert gap_not_known({}) == []
    found = section("gap", gap=[gap("x"), gap("y", captain="ann", bounds={"low": 0.1, "high": 0.9}), rows[0]])
    assert [(row["label"], row["captain"]) for row in found.rows] == [("x", "all"), ("y", "ann")]
    assert found.words[1:] == (
        "Closed is over the graded questions; at least and at most are over all, whatever the rest is.",
        "No share of a: no gap.",
    )
    assert [column.key for column in found.columns] == ["label", "captain", "value", "least", "most"]
    assert [column.key for column in section("gap", gap=[gap("x")]).columns] == ["label", "captain", "value"]


def own(**other: Any) -> dict[str, Any]:
    shares = dict.fromkeys(("self_choice", "accuracy_self", "accuracy_not_self", "self_and_majority", "novel"), 0.5)
    return {**gap("talk", captain="ann"), **shares, "unknown": 0, "not_asked": 0, **other}


def test_captains_and_their_own_drafts() -> None:
    rows = [
        own(unknown=1, not_asked=2, ungraded=3),
        own(unknown=2, accuracy_self_bounds={"low": 0.1, "high": 0.9}),
        own(captain=None, unknown=9, not_asked=9),
    ]
    found = section("self-preference", self_preference=rows)
    assert found.words[1:] == (
        "Whose draft it was is not known of 3 plays, which are left out.",
        "In 2 plays no captain chose: a vote stood, or nobody had answered.",
        "3 plays ungraded: right then and right else are over the others.",
    )
    assert [row["captain"] for row in found.rows] == ["ann", "ann", "all"]
    assert (found.rows[1]["accuracy_self_least"], found.rows[1]["accuracy_self_most"]) == (0.1, 0.9)
    titles = [column.title for column in found.columns]
    assert ("right then, at least" in titles, "right else, at least" in titles) == (True, False)
    plain = section("self-preference", self_preference=[own()], grouped_by_words=2)
    assert len(plain.words) == 2
    assert plain.words[1].startswith("2 sets of drafts are grouped by words alone")


def test_beside_people() -> None:
    row = {**gap("vote"), "player": None, "accuracy": 0.5, "human": 0.7, "difference": -0.2, "family": 3}
    found = section("human", human=[row, {**row, "player": "ann"}, {**row, "difference": None, "why": "few"}])
    assert [each["who"] for each in found.rows] == ["all", "ann", "all"]
    assert found.words == (
        "On the questions that people played too.",
        "Of the difference, p and interval adjusted (Holm) for 3 comparisons.",
        "No figure in 1 row: few.",
    )
    alone = section("human", human=[{**row, "family": 1, "accuracy": None, "why": "none"}])
    assert alone.words == ("On the questions that people played too.", "No figure in 1 row: none.")


def test_when_talking_pays() -> None:
    arm = {"accuracy": 0.5, "low": 0.4, "high": 0.6, "n": 9, "calls": 3.0, "cost_usd": None}
    learnt = {
        "talk_from": 2,
        "left_out": 1,
        "by_threshold": {**arm, "cost_n": 8},
        "always_vote": arm,
        "always_talk": arm,
    }
    found = section("talk-threshold", talk_threshold=learnt)
    assert [row["policy"] for row in found.rows] == ["talking from there on", "always voting", "always talking"]
    assert found.words[:2] == ("Learnt: talk from 2 different answers on.", "The figures are on unseen questions.")
    assert found.words[2].startswith("1 question is left out: not both voted and talked about")
    assert found.words[3].startswith("Calls a question: over the 8 of 9 questions")
    unknown = {**learnt, "talk_from": None, "why": "they wait", "left_out": 0, "by_threshold": arm}
    assert section("talk-threshold", talk_threshold=unknown).words == (
        "From how many different answers on talking pays is not known: they wait.",
    )
    assert talk_from_words(learnt, "one") == "Learnt of team one: talk from 2 different answers on"
    assert talk_from_words(unknown, "one").startswith(
        "From how many different answers on talking pays in team one is not"
    )
    assert "talk-threshold" not in [each.id for each in quiz_sections({})]


def test_strategies_against_each_other_stand_behind_the_others() -> None:
    row = {
        "a": "vote",
        "b": "talk",
        "difference": 0.1,
        "small": False,
        "family": 1,
        "worse_by_abstaining": {"a": 2, "b": 0},
    }
    (found,) = comparisons_section({"comparisons": [row]})
    assert (found.id, found.place, found.words[1:]) == (
        "comparisons",
        900,
        ("Neither better nor worse: vote abstained on 2 that talk did better on.",),
    )
    gains = section("gains", gains=[{**gap("talk", captain="ann"), **row, "abstained": 1}, {**gap("talk"), **row}])
    assert [(each["name"], each["captain"]) for each in gains.rows] == [("talk@ann", "ann"), ("talk", "all")]
    assert "abstained" in [column.key for column in gains.columns]
    assert any(sentence.startswith("Over all captains") for sentence in gains.words)
