"""What a row claims and whether that stands, key by key; and the sentences and columns that several sections share."""

from __future__ import annotations

from typing import Any

import pytest

from moot.measures.claims.standing import WHY_NOT, claims_anything, claims_of, standing, stands, unclaimed
from moot.measures.columns import (
    GRADED_SHARES,
    abstained_on,
    abstained_words,
    adjusted_words,
    at_table,
    cohort_column,
    failed_words,
    few_differ_words,
    graded_words,
    grouped_by_words,
    holm_words,
    may_be_cheap,
    names_teams,
    not_all_words,
    on_whole_plays,
    over_captains,
    paired_words,
    share_bounds,
    titled,
    ungraded_columns,
    ungraded_words,
    unknown_words,
    who,
    whole_plays_words,
    with_bounds,
    with_team,
)

# --- claims -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "claims"),
    [
        ({"difference": 0.2, "low": 0.1, "high": 0.3}, {("", ""): 1}),
        ({"difference": -0.2, "low": -0.3, "high": -0.1}, {("", ""): -1}),
        ({"difference": 0.2, "low": 0.0, "high": 0.3}, {}),
        ({"difference": 0.2, "low": None, "high": None}, {}),
        ({"difference": 0.2, "low": 0.1, "high": 0.3, "low_holm": -0.1, "high_holm": 0.4}, {("", ""): 1}),
        ({"difference": 0.2, "low_holm": 0.1, "high_holm": 0.4}, {("", "_holm"): 1}),
        ({"value": 0.9, "low": 0.8, "high": 1.0}, {}),
        ({"value": 0.9, "low": 0.8, "high": 1.0, "p": 0.05}, {("", ""): 0}),
        ({"value": 0.9, "p": 0.051}, {}),
        ({"slope": 0.9, "low": 0.8, "high": 1.0}, {("", ""): 1}),
        ({"multiple": 3.0, "low": 1.5, "high": 9.0}, {("", ""): 1}),
        ({"multiple": 3.0, "low": 0.5, "high": 9.0}, {}),
        ({"multiple": 0.5, "low": 0.2, "high": 0.9}, {("", ""): -1}),
        ({"multiple_low": 1.5, "multiple_high": None}, {("multiple_", ""): 1}),
        ({"net_low": 1.0, "net_high": 5.0, "rate_low": 0.5, "rate_high": 0.9}, {("net_", ""): 1}),
        ({"lift_low": -1.0, "lift_high": -0.5}, {("lift_", ""): -1}),
        (
            {"difference": 0.1, "difference_low": -0.1, "difference_high": 0.2, "p": 0.01, "low": 0.5},
            {("difference_", ""): 0},
        ),
        ({"words": "low", "n": 3}, {}),
    ],
)
def test_what_a_row_claims(row: dict[str, Any], claims: dict[tuple[str, str], int]) -> None:
    assert claims_of(row) == claims
    assert claims_anything(row) is bool(claims)
    assert claims_anything([{"within": row}]) is bool(claims)


def test_what_holds_nothing_claims_nothing() -> None:
    assert not claims_anything("low")
    assert not claims_anything(None)
    assert not claims_anything([])


CLAIM = {
    "of": "vote",
    "difference": 0.2,
    "low": 0.1,
    "high": 0.3,
    "p": 0.01,
    "p_holm": 0.02,
    "low_holm": 0.05,
    "high_holm": 0.4,
}
"""More, by itself and adjusted."""


def test_what_is_claimed_again_stands() -> None:
    again = {**CLAIM, "difference": 0.1, "low": 0.01}
    assert standing(CLAIM, again) == CLAIM
    assert stands(CLAIM, again)
    assert not stands(CLAIM, {**again, "low": -0.1, "p": 0.2})
    assert not stands(CLAIM, None)
    assert stands(None, None)


def test_what_is_not_claimed_again_loses_interval_and_p() -> None:
    gone = {key: None for key in CLAIM if key not in ("of", "difference")} | {
        "of": "vote",
        "difference": 0.2,
        "why": WHY_NOT,
    }
    for again in (
        {**CLAIM, "low": -0.1, "p": 0.2},
        {**CLAIM, "low_holm": -0.1, "p_holm": 0.2},
        {**CLAIM, "low": -0.3, "high": -0.1},
        {},
    ):
        assert standing(CLAIM, again) == gone
    assert standing({**CLAIM, "why": "few"}, {})["why"] == "few"
    open_ = {"of": "vote", "difference": 0.2, "low": -0.1, "high": 0.3}
    assert standing(open_, {}) == open_, "what claims nothing loses nothing"


def test_a_figure_with_a_name_loses_its_own_ends() -> None:
    row = {"net_low": 1.0, "net_high": 5.0, "multiple_low": 1.5, "multiple_high": 3.0, "p": 0.01, "value": 0.5}
    assert unclaimed(row, {"net_"}) == {**row, "net_low": None, "net_high": None, "why": WHY_NOT}
    tested = {"difference_low": 0.1, "difference_high": 0.2, "low": 0.4, "high": 0.6, "p": 0.01, "p_holm": 0.02}
    assert unclaimed(tested, {"difference_"}) == {
        "difference_low": None, "difference_high": None, "low": 0.4, "high": 0.6, "p": None, "p_holm": None, "why": WHY_NOT,
    }  # fmt: skip
    assert unclaimed({"low": 0.1, "p": 0.01}, {""}) == {"low": None, "p": None, "why": WHY_NOT}


def test_a_share_beside_a_difference_that_falls_keeps_its_interval() -> None:
    """As beside people: the p is the difference's, and the share claims nothing."""
    row = {"accuracy": 0.9, "low": 0.8, "high": 0.95, "difference": 0.2, "difference_low": 0.1, "difference_high": 0.3}
    tested = {**row, "p": 0.01, "difference_low_holm": 0.05, "difference_high_holm": 0.35, "p_holm": 0.02}
    fallen = standing(tested, {**tested, "difference_low": -0.1, "p": 0.3})
    assert (fallen["accuracy"], fallen["low"], fallen["high"]) == (0.9, 0.8, 0.95)
    assert {fallen[key] for key in ("p", "p_holm", "difference_low", "difference_high", "difference_low_holm")} == {
        None
    }
    assert standing(tested, tested) == tested


def test_rows_are_found_by_their_names() -> None:
    """Two of one name are taken in their order; one that is not there claims nothing again."""
    first, second = {**CLAIM, "n": 1}, {**CLAIM, "n": 2}
    other = {**CLAIM, "of": "talk"}
    fallen = {**CLAIM, "low": -0.1, "p": 0.5}
    found = standing([first, second, other], [{**fallen, "of": "talk"}, CLAIM, fallen])
    assert [row["low"] for row in found] == [0.1, None, None]
    assert [row["low"] for row in standing([first, second], [CLAIM])] == [0.1, None]
    within = standing({"rows": [first], "words": ["a", 3]}, {"rows": [CLAIM]})
    assert within == {"rows": [first], "words": ["a", 3]}
    assert standing({"rows": [first]}, {})["rows"][0]["low"] is None


# --- columns and sentences ----------------------------------------------------------------------------------------------


def test_whose_row_it_is() -> None:
    assert (who({"player": "ann"}), who({"captain": "bob"}), who({})) == ("ann", "bob", None)
    row = {"team": "three", "cohort": "open"}
    assert (at_table(row), at_table({"team": "three"}), at_table({"team": "three"}, team=True), at_table({})) == (
        "open", "three", "", "",
    )  # fmt: skip
    assert titled({"strategy": "vote", "label": "vote", "captain": "ann"}) == "vote@ann"


def test_teams_are_named_where_there_are_several() -> None:
    one = {"strategy": "vote", "label": "vote", "team": "one"}
    two = {**one, "team": "two"}
    several, single = {"accuracy": [one, two]}, {"accuracy": [one]}
    assert (names_teams(several), names_teams(single), names_teams({})) == (True, False, False)
    assert names_teams(several, [one])
    assert names_teams(single, [one, two])
    assert not names_teams(several, [{**one, "team": None}])
    assert [column.key for column in with_team(several, [one])] == ["team"]
    assert with_team(single, [one]) == ()
    assert [column.key for column in cohort_column([{}, {"cohort": "x"}])] == ["cohort"]
    assert cohort_column([{}]) == ()


def test_bounds_are_two_figures() -> None:
    row = {"value": 0.5, "bounds": {"low": 0.25, "high": 0.75}}
    assert with_bounds(row) == {**row, "least": 0.25, "most": 0.75}
    assert with_bounds({"value": 0.5}) == {"value": 0.5}
    assert [column.unit for column in ungraded_columns([{}, row])] == ["points"] * 2
    assert [column.unit for column in share_bounds([{}, row])] == ["share"] * 2
    assert ungraded_columns([{}]) == share_bounds([{}]) == ()


def test_why_rows_have_no_figure() -> None:
    rows = [{"value": None, "why": "few"}, {"value": 0.5, "why": "turned"}, {"accuracy": None, "why": "gone"}]
    assert unknown_words(rows) == ["No figure in 2 rows: few; 1 other reason in --json."]
    assert unknown_words(rows[:2]) == ["No figure in 1 row: few."]
    assert unknown_words(rows, "difference") == unknown_words([]) == []
    assert graded_words(rows) == unknown_words(rows)
    assert graded_words([*rows[:1], {"value": 0.5, "bounds": {}}, {"bounds": {"low": 0, "high": 1}}]) == [
        GRADED_SHARES,
        "No figure in 1 row: few.",
    ]


def test_over_how_many_questions_a_cost_is_known() -> None:
    def told(*rows: dict[str, Any]) -> list[str]:
        return whole_plays_words(rows, "Calls", lambda row: row.get("of"))

    assert told({"of": "vote"}) == []
    assert told({"of": "vote", "cost_n": 99, "n": 100}) == [
        "Calls of vote: over the 99 of 100 questions on which no call is missing."
    ]
    assert told(
        {"of": "b", "cost_n": 90, "n": 100}, {"of": "a", "cost_n": 0, "n": 100}, {"of": "c", "cost_n": 90, "n": 100}
    ) == [
        "Calls of a: not known, since too many plays lack a call; of b, c: over the 90 of 100 questions on which no call is"
        " missing. In money and tokens these may be the cheap ones."
    ]
    assert told({"cost_n": 1, "n": 9, "ungraded": 1}) == ["Calls: over the 1 question on which no call is missing."]
    assert [may_be_cheap(*each) for each in ((94, 100), (95, 100), (0, 100), (1, 100), (1, None))] == [
        True, False, False, True, False,
    ]  # fmt: skip
    assert on_whole_plays({"cost_n": 9, "cost_unit": "usd"}, 10) == (
        " on the 9 questions on which no call is missing, which may be the cheap ones"
    )
    assert on_whole_plays({"cost_n": 9, "cost_unit": "calls"}, 10).endswith("is missing")
    assert on_whole_plays({}, 10) == ""


def test_what_to_know_of_differences() -> None:
    row = {"a": "vote", "b": "talk", "difference": 0.1, "small": False, "family": 1}
    turned = {**row, "bounds": {"low": -0.1, "high": 0.2}, "why": "over"}
    left_out = "Questions of which one answer is not graded are left out"
    assert ungraded_words([row]) == []
    assert ungraded_words([{**row, "ungraded": 1}]) == [f"{left_out}."]
    sentences = ungraded_words([row, turned, {**turned, "of": "rest"}, {**turned, "difference": None, "why": "none"}])
    assert sentences[0].startswith(f"{left_out}: difference, interval and p")
    assert sentences[1:] == [
        "The ungraded answers could reverse it: vote against talk, rest.",
        "No figure in 1 row: none.",
    ]
    assert holm_words([], "row") == holm_words([row], "row") == ""
    assert holm_words([row, {**row, "family": 3}], "row") == "p and interval adjusted (Holm) for 3 rows"
    assert adjusted_words([{**row, "family": 3}]) == ["p and interval adjusted (Holm) for 3 comparisons."]
    assert adjusted_words([row]) == []
    assert paired_words([row]) == ("In percentage points, on the same questions.",)
    assert paired_words([{**row, "family": 2, "small": True, "clusters": 9}]) == (
        "In percentage points, on the same questions; p and interval adjusted (Holm) for 2 comparisons.",
        "Small: fewer than 30 clusters of questions or 10 that differ.",
    )
    assert few_differ_words([{}]) == "Small: fewer than 30 questions or 10 that differ."
    assert failed_words(
        [{**row, "failed": {"a": 0.25, "b": 0.5}}, {**row, "failed": {"a": 0.1}, "difference": None}, row]
    ) == ["In 1 row some answers of one side failed, up to 50.0 %: they count as not right."]
    assert failed_words([row]) == []
    assert len(over_captains([{"captain": None}])) == 1
    assert over_captains([{"captain": "ann"}]) == over_captains([{}]) == []


def test_what_was_abstained_from_and_left_out() -> None:
    row = {"a": "vote", "b": "talk", "worse_by_abstaining": {"a": 2, "b": 1_000}}
    assert abstained_on(row) == [
        "vote abstained on 2 that talk did better on",
        "talk abstained on 1,000 that vote did better on",
    ]
    assert abstained_on({**row, "worse_by_abstaining": {"a": 0, "b": 3}}) == [
        "talk abstained on 3 that vote did better on"
    ]
    named = {"of": "vote", "against": "talk", "worse_by_abstaining": {"a": 2, "b": 0}}
    assert abstained_words([named, {}], "of", "against") == [
        "Neither better nor worse: vote abstained on 2 that talk did better on."
    ]
    assert abstained_words([{}]) == []
    assert not_all_words([{"left_out": 1}, {"left_out": 2}, {"left_out": 1}, {}], "vote") == [
        "vote: 1 question that not all of them have is left out.",
        "vote: 2 questions that not all of them have are left out.",
    ]
    assert not_all_words([{}]) == grouped_by_words({}) == []
    assert grouped_by_words({"grouped_by_words": 1})[0].startswith("1 set of drafts is grouped by words alone:")
