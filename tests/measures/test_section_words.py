"""Sentences and tables of sections, word for word, from rows that are written down here."""

from __future__ import annotations

from typing import Any

import pytest

from moot.measures.discussion.sections import discussion_sections
from moot.measures.facts.figures import facts_sections
from moot.measures.safety.cohorts import coverage
from moot.measures.safety.pairs import Native, Pair
from moot.measures.safety.sections import safety_sections
from moot.measures.section import Section
from moot.measures.selection.sections import HowChosen, selection_sections
from moot.stats.graded import value_of

Row = dict[str, Any]


# --- what a run has paid ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bill", "words"),
    [
        (None, "not known: a price or token count is missing"),
        (0.0, "nothing"),
        (1234.56789, "$1,234.57"),
        (0.00004, "$0.000040"),
    ],
)
def test_what_the_experiment_has_paid(bill: float | None, words: str) -> None:
    (section,) = facts_sections({"bill_usd": bill})
    assert section.words == (f"What the experiment has paid, each call once: {words}.",)
    (section,) = facts_sections({"bill_usd": bill, "losses_usd": 0.022})
    more = f"and at most $0.022 more, for calls without a reply{' or not counted' if bill is None else ''}"
    assert section.words == (f"What the experiment has paid, each call once: {words}, {more}.",)


def test_a_bill_that_is_unknown_since_nobody_counts_streams() -> None:
    uncounted = ["stream_options is not sent, since the server does not take it: tokens of streams are not counted"]
    (section,) = facts_sections({"bill_usd": None, "runs": [{"not_applied": {"ann": uncounted, "bob": ["seed"]}}]})
    assert section.words[0].endswith(": not known: of ann its server does not count the tokens of streams.")
    (section,) = facts_sections({"bill_usd": None, "runs": [{"not_applied": {"ann": uncounted, "bob": uncounted}}]})
    assert section.words[0].endswith(": not known: of ann, bob their servers do not count the tokens of streams.")


def test_what_runs_did_that_they_had_not_said() -> None:
    runs: list[Row] = [
        {"state": "done"},
        {
            "state": "done",
            "overbilled": {"gpt": {"calls": 3, "over_usd": 1000.5}},
            "exceeded": {"vote": {"made": 7, "episodes": 2, "declared": 6}},
            "undeclared_prompts": {"mine": ["a", "b"]},
            "missing_drafts": {"boat": 4},
            "not_applied": {"gpt": ["temperature is not sent"]},
        },
    ]
    (section,) = facts_sections({"runs": runs, "bill_usd": 0})
    assert [row["number"] for row in section.rows] == [1, 2]
    assert [column.key for column in section.columns] == ["number", "state"]
    assert section.words[1:] == (
        "In run 2 gpt billed more than its calls could cost, 3 times and $1,000.50 over; it is counted as billed.",
        "In run 2 vote made up to 7 calls a question, in 2 episodes more than the 6 that it declares; every figure stands,"
        " an estimate does not.",
        "In run 2 mine used prompts that its traits do not name: a, b; with another wording of these it would pass for the"
        " same experiment.",
        "In run 2 boat left no drafts in 4 episodes, although its traits promise them; its players are not measured by"
        " these.",
        "In run 2 of gpt: temperature is not sent.",
    )


# --- what was chosen --------------------------------------------------------------------------------------------------


def chosen(method: str, k: int = 2, **held: Any) -> Row:
    counts: dict[str, float] = held.pop("counts", {"qwen": 1, "gpt": 1})
    return {
        "kind": "selector",
        "method": method,
        "k": k,
        "size": k,
        "pool": 4,
        "team": ["ann", "bob"][:k],
        "teams": None,
        "accuracies": {"ann": 0.75, "bob": 0.5},
        "selection_accuracy": 0.625,
        "test_accuracy": 0.5,
        "low": 0.25,
        "high": 0.75,
        "n": 8,
        "splits": 1,
        "deviation": None,
        "distance": None,
        "calls": 0,
        "same_as": None,
        "why_same": None,
        "notes": [],
        "over": None,
        "beaten_by": None,
        "counts": counts,
        "right_labels": [{"c": c, "share": 0.25, "n": 2 * c, "accuracy": 0.5 * c if c else None} for c in range(k + 1)],
        **held,
    }


def sections_of(rows: list[Row], splits: int = 1, **held: Any) -> dict[str, Section]:
    made = selection_sections(rows, HowChosen("by the vote", m=12, splits=splits, questions=20, **held))
    return {section.id: section for section in made}


def test_how_many_proposers_of_each_model_were_chosen() -> None:
    """Who is chosen most stands first; a method that took all, or the same as another, has nothing to tell."""
    rows = [
        chosen("top-accuracy", counts={"gpt": 2}),
        chosen("truth-prediction", counts={"qwen": 2, "gpt": 1}),
        chosen("again", counts={"glm": 9}, same_as="top-accuracy"),
        chosen("all", counts={"glm": 9}, size=4),
    ]
    section = sections_of(rows)["selection-counts"]
    assert [column.key for column in section.columns] == ["model", "top accuracy", "truth prediction"]
    assert section.rows == [
        {"model": "gpt", "top accuracy": 2, "truth prediction": 1},
        {"model": "qwen", "top accuracy": None, "truth prediction": 2},
    ]
    assert section.words == ()
    assert {column.unit for column in section.columns} == {""}
    means = sections_of([row | {"splits": 3} for row in rows], 3)["selection-counts"]
    assert means.words == ("Mean over the splits.",)
    assert [column.unit for column in means.columns] == ["", "number", "number"]
    sizes = sections_of([chosen("greedy", 1, counts={"gpt": 1}), chosen("greedy", counts={"gpt": 2})])[
        "selection-counts"
    ]
    assert sizes.rows == [{"model": "gpt", "greedy 1": 1, "greedy 2": 2}]


def test_the_table_of_methods_says_how_it_was_made() -> None:
    one = sections_of([chosen("exact", distance=0.0125)])
    assert one["selection"].words == (
        "20 questions, 12 to choose on, 1 random split; by the vote.",
        "to optimum: points below the best team there is, by the surrogate that exact maximises.",
        "Which questions were drawn is luck: --splits 20 gives the mean and the deviation of twenty draws, with an interval"
        " as wide as this one.",
    )
    assert [row["from_optimum"] for row in one["selection"].rows] == ["1.3"]
    assert one["selection-team"].title == "The team of exact"
    assert one["selection-team"].words == ()
    assert one["selection-team"].rows == [
        {"place": 1, "proposer": "ann", "accuracy": 0.75},
        {"place": 2, "proposer": "bob", "accuracy": 0.5},
    ]
    ungraded = {"ungraded": 3, "bounds": {"low": 0.25, "high": 0.625}}
    rows = [
        chosen("one", deviation=0.05, splits=2, notes=["slow"], **ungraded),
        chosen("two", deviation=None, splits=2, same_as="one", why_same="there is one way"),
        chosen("three", deviation=0.1, splits=2, same_as="one"),
    ]
    several = sections_of(rows, 2, clusters=5)["selection"]
    assert several.words == (
        "20 questions in 5 clusters, which are never divided, about 12 to choose on, 2 random splits; by the vote.",
        "± splits: standard deviation between splits, in points. The interval is as wide as that of one split, however"
        " many there are, since they share their questions; with a smaller --m it is narrower.",
        "two chose the same teams as one on every split: there is one way.",
        "three chose the same teams as one on every split.",
        "one: slow.",
        "one: 3 of the ensemble's words are ungraded; of all test questions it is right on between 25.0 % and 62.5 %.",
    )
    assert [row["spread"] for row in several.rows] == ["5.0", None, "10.0"]
    assert "from_optimum" not in [column.key for column in several.columns]
    (team,) = (section for ident, section in sections_of([rows[0]], 2).items() if ident == "selection-team")
    assert team.words == ("The team of the first split.",)


def test_the_most_accurate_partner_beside_the_most_complementary() -> None:
    accurate = chosen("top-accuracy", 1, test_accuracy=0.5)
    greedy = chosen("greedy", 1, test_accuracy=0.75, calls=10, team=["bob"], teams=[["bob"], ["cat"], ["bob"]])
    words = (
        "With its most accurate partner (ann) the summariser is right on 50.0 %, with its most complementary one (bob or"
        " cat) on 75.0 %."
    )
    assert words in sections_of([accurate, greedy])["selection"].words
    for other in (
        [accurate],
        [greedy],
        [accurate, greedy | {"calls": 0}],
        [accurate, greedy | {"test_accuracy": None}],
        [accurate | {"k": 2}, greedy | {"k": 2}],
    ):
        assert not any("partner" in word for word in sections_of(other)["selection"].words)


def test_how_many_labels_of_a_team_are_right() -> None:
    """Last all methods together, each by as many questions as it has."""
    half = [
        {"c": c, "share": share, "n": n, "accuracy": right}
        for c, (share, n, right) in enumerate([(0.5, 4, 0.0), (0.5, 4, 0.75)])
    ]
    rest = [{"c": 0, "share": 0.0, "n": 0, "accuracy": None}, {"c": 1, "share": 1.0, "n": 12, "accuracy": 1.0}]
    rows = [chosen("one", 1, right_labels=half), chosen("two", 1, right_labels=rest)]
    left_out = [chosen("other", 1, same_as="one"), chosen("wide", 1, size=3)]
    section = sections_of([*rows, *left_out])["selection-right-labels"]
    assert section.rows == [
        {"method": "one", "k": 1, "0": 0.5, "1": 0.5},
        {"method": "two", "k": 1, "0": 0.0, "1": 1.0},
        {"method": "ensemble right then", "k": 1, "0": 0.0, "1": pytest.approx((4 * 0.75 + 12) / 16)},
    ]
    assert [column.key for column in section.columns] == ["method", "k", "0", "1"]


def test_accuracy_against_size_and_calls() -> None:
    rows = [chosen("b", 2, calls=5), chosen("b", 1, calls=10), chosen("a", 1, calls=10)]
    sections = sections_of(rows)
    assert [(row["method"], row["k"]) for row in sections["selection-by-k"].rows] == [("a", 1), ("b", 1), ("b", 2)]
    calls = [(row["calls"], row["method"]) for row in sections["selection-by-calls"].rows]
    assert calls == [(5, "b"), (10, "a"), (10, "b")]
    assert not {"selection-by-k", "selection-by-calls"} & set(sections_of([chosen("a"), chosen("b")]))


# --- discussions ------------------------------------------------------------------------------------------------------


def protocol(name: str, **held: Any) -> Row:
    row = {"protocol": name, "team": "six", "whole": True, "value": 0.5, "low": 0.25, "high": 0.75, "n": 40}
    return row | {"deviation": None, "repeats": 1, "ungraded": 0, "small": False, **held}


def test_scores_say_what_is_ungraded_and_what_it_may_be() -> None:
    bounds = {"low": 0.125, "high": 0.625}
    rows = [protocol("debate", ungraded=1, bounds=bounds), protocol("relay", cohort="open", **{"with": "gpt"})]
    scores = next(iter(discussion_sections({"protocols": rows})))
    assert scores.words == (
        "The interval is over questions. There is one repeat, and so no deviation.",
        "1 answer is ungraded and in no score: it lies between the bounds.",
        "debate: over all questions between 12.5 % and 62.5 %.",
    )
    assert [row["name"] for row in scores.rows] == ["debate", "relay, gpt, open"]
    rows[0] |= {"ungraded": 1_200, "deviation": 0.0, "small": True}
    by_set = protocol("debate", whole=False, dataset="one", ungraded=7, bounds=bounds)
    first, second, *_ = discussion_sections({"protocols": [*rows, by_set]})
    assert first.words[0].startswith("The interval is over questions. The deviation is how far")
    assert first.words[1:] == (
        "1,200 answers are ungraded and in no score: it lies between the bounds.",
        "debate: over all questions between 12.5 % and 62.5 %.",
        "Small: fewer than 30 questions or clusters.",
    )
    assert [row["whole"] for row in first.rows] == [True, True]
    assert [row["dataset"] for row in second.rows] == ["one"]
    assert second.words == first.words[:1]


# --- safety -----------------------------------------------------------------------------------------------------------


def covered(stage: str, **held: Any) -> Row:
    row = {"stage": stage, "team": "six", "cohort": None, "models": 3, "native": 0.75, "after": 0.5, "n": 40}
    return row | {"difference": -0.25, "guessing": None, "ungraded": 0, **held}


def coverage_words(*rows: Row) -> tuple[str, ...]:
    (section,) = (each for each in safety_sections({"coverage": rows}) if each.id == "coverage")
    return section.words[1:]


def test_why_nothing_can_be_said_after_a_stage() -> None:
    """Of a vote there is one word for all; what is ungraded has bounds, and is no such case."""
    bounds = {"low": 0.25, "high": 0.75}
    words = (
        "Nothing after for vote, tally: a vote gives one word for all, and the best of all tie-breaks is no choice among"
        " answers."
    )
    votes = [covered(stage, after=None, difference=None) for stage in ("vote", "tally", "vote")]
    assert coverage_words(covered("review"), *votes) == (words,)
    assert coverage_words(covered("review")) == ()
    assert coverage_words(covered("review", after_bounds=bounds)) == ()
    assert coverage_words(covered("review", after=None, difference=None, after_bounds=bounds)) == ()


def test_who_does_not_answer_again_is_said() -> None:
    (words,) = coverage_words(
        covered("review", models_after=2), covered("other"), covered("vote", models_after=2, after=0.1)
    )
    assert words.startswith("Not all answer again in review, vote: alone is what all of them could reach, after")
    assert coverage_words(covered("review", models_after=2, after=None, after_bounds={"low": 0.0, "high": 1.0})) == ()


@pytest.mark.parametrize(("again", "words"), [(1, "1 of 3 models answers again"), (2, "2 of 3 models answer again")])
def test_models_that_do_not_answer_again_make_no_pair(again: int, words: str) -> None:
    names = ["ann", "bob", "cat"]
    pairs = [Pair(f"q{n}", name, 1.0, 1.0) for n in range(3) for name in names[:again]]
    natives = [Native(f"q{n}", name, value_of([1.0])) for n in range(3) for name in names[again:]]
    (row,) = coverage(pairs, natives)
    assert (row["models"], row["models_after"], row["difference"]) == (3, again, None)
    assert row["why"] == f"{words}, so that alone and after are no pair"


# --- methods against each other ---------------------------------------------------------------------------------------


def compared(method: str, k: int = 2, **held: Any) -> Row:
    over = {"method": "top-accuracy", "difference": 0.1, "low_holm": 0.0, "high_holm": 0.2, "family": 3, "n": 8}
    return chosen(method, k, over=over, **held)


def test_who_may_be_the_best_of_each_size() -> None:
    rows = [
        chosen("top-accuracy"),
        compared("exact"),
        compared("greedy", beaten_by="exact"),
        compared("same", same_as="exact"),
    ]
    section = sections_of(rows)["selection-differences"]
    assert section.words == (
        "On the same test questions; p is Holm's for a family of 3, in which methods that chose the same count once."
        " The interval is about the teams that were chosen.",
        "May be the best, allowing for all comparisons: top-accuracy, exact.",
    )
    assert [row["method"] for row in section.rows] == ["exact", "greedy"]
    assert [column.key for column in section.columns][:2] == ["method", "difference"]
    sizes = sections_of([*rows, chosen("top-accuracy", 1), compared("exact", 1), chosen("alone", 3)])[
        "selection-differences"
    ]
    assert sizes.words[1:] == (
        "k = 2: May be the best, allowing for all comparisons: top-accuracy, exact.",
        "k = 1: May be the best, allowing for all comparisons: top-accuracy, exact.",
    )
    assert [column.key for column in sizes.columns][:2] == ["method", "k"]
    assert "selection-differences" not in sections_of([chosen("top-accuracy"), chosen("exact")])
