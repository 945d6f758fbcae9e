"""What the judge has not settled yet: what is graded without it is right by construction, and no figure."""

from __future__ import annotations

import json
import re
from io import StringIO
from typing import Any

import pytest
from half_judged import SIZE, run, said
from rich.console import Console

from moot import Case, Question
from moot.report.compare import compared, words
from moot.report.figures import find_experiment
from moot.report.sections import all_sections
from moot.report.terminal import print_report
from moot.stats.proportion import wilson


def shown(figures: Any) -> str:
    out = StringIO()
    print_report(figures, Console(file=out, width=120))
    return out.getvalue()


def test_a_silent_judge_leaves_no_accuracy() -> None:
    """Half of the answers match. They are right by construction: that is no accuracy of 100 %."""
    figures = run(["solo", "vote", "talkative"]).figures
    for row in [*figures["accuracy"], *figures["players"], figures["best_single"], figures["skyline"]]:
        assert (row["value"], row["low"], row["high"]) == (None, None, None), row
        assert row["bounds"] == {"low": 0.5, "high": 1.0}
        assert "20 of 40" in row["why"]
        assert "hangs on what it says" in row["why"]
    why = "20 of 40 answers are ungraded, and whether one is graded hangs on what it says"
    assert figures["accuracy"][0]["why"] == why
    for row in (*figures["gains"], *figures["comparisons"]):
        assert (row["difference"], row["low"], row["p"]) == (None, None, None), row
        assert row["why"]
        assert row["bounds"] == {"low": 0.0, "high": 0.0}, "all say the same, right or wrong"
    for row in figures["frontier"]:
        assert (row["accuracy"], row["within"], row["bounds"]) == (None, None, {"low": 0.5, "high": 1.0})
        assert row["why"]
    head = figures["headline"]
    assert (head["value"], head["bounds"], head["why"]) == (None, {"low": 0.5, "high": 1.0}, why)
    assert "between 50.0 and 100.0 %" in head["sentence"]
    assert "no answer is graded" not in head["sentence"]
    json.dumps(figures, allow_nan=False)


def test_no_word_states_what_is_graded_as_the_figure() -> None:
    figures = run(["solo", "vote", "talkative", "silent"]).figures
    bounds = r"between 50.0 (%|and) .*?100.0 %|\b50.0 % +100.0 %|\b0.0 % +100.0 %"
    assert "100.0 %" not in re.sub(bounds, "", shown(figures).replace("\n", " "))
    for section in all_sections(figures):
        rows = [{key: row.get(key) for key in ("value", "accuracy", "difference", "within")} for row in section.rows]
        assert not [row for row in rows if any(value is not None for value in row.values())], section.id


def test_where_the_judge_settles_nearly_all_the_figure_stands() -> None:
    """Two of forty are left: no more than one in twenty, and the judge has settled the rest."""
    figures = run(["solo", "vote"], settles=lambda n: n > 3).figures
    row = next(row for row in figures["accuracy"] if row["strategy"] == "vote")
    assert (row["n"], row["ungraded"]) == (38, 2)
    assert row["value"] == pytest.approx(28 / 38 + 1 / 38)
    assert row["bounds"] == {"low": pytest.approx(29 / 40), "high": pytest.approx(31 / 40)}
    assert "why" not in row
    assert figures["headline"]["value"] == row["value"]


def test_a_judge_that_settles_half_leaves_no_accuracy_either() -> None:
    figures = run(["solo", "vote"], settles=lambda n: n % 8 < 4).figures
    row = next(row for row in figures["accuracy"] if row["strategy"] == "vote")
    assert row["value"] is None
    assert row["bounds"]["low"] < 0.75 < row["bounds"]["high"], "the truth by construction lies inside"
    assert "10 of 40" in row["why"]


def test_a_part_of_the_questions_is_looked_at_by_itself() -> None:
    """Over all only one in twenty waits; in its category it is every second one."""
    cases = [
        Case(Question(str(n), f"Which one, {n}?"), f"Ref{n}", category="odd" if n in (0, 4, 1, 3) else "rest")
        for n in range(SIZE)
    ]
    figures = run(["vote"], settles=lambda n: n not in (0, 4), questions=cases).figures
    rows = {row["category"]: row for row in figures["categories"] if row["strategy"] == "vote"}
    assert figures["accuracy"][0]["value"] is not None
    assert rows["rest"]["accuracy"] is not None
    assert (rows["odd"]["accuracy"], rows["odd"]["bounds"]) == (None, {"low": 0.5, "high": 1.0})


def test_hypotheses_and_comparisons_say_why(tmp_path: Any) -> None:
    result = run(
        ["solo", "vote"],
        hypotheses=["accuracy(vote) > 0.9", "accuracy(vote@ann) - accuracy(solo@ann) > -0.1", "skyline(vote) > 0.9"],
    )
    for row in result.figures["hypotheses"]:
        assert (row["value"], row["verdict"]) == (None, "open"), row
        assert "hangs on what it says" in row["note"]
        width = row["bounds"]["high"] - row["bounds"]["low"]
        assert width == (0.0 if " - " in row["hypothesis"] else 0.5), "both sides of a difference say the same"


def test_moot_compare_says_why() -> None:
    row: dict[str, Any] = {
        "a": "vote",
        "b": "solo",
        "difference": None,
        "n": 0,
        "questions": 40,
        "ungraded": {"a": 20, "b": 20},
        "bounds": {"low": -0.5, "high": 0.5},
        "why": "20 of 40 pairs have an ungraded answer",
    }
    text = " ".join(words(row))
    assert "20 of 40 pairs have an ungraded answer" in text
    assert "between -50.0 and +50.0 points" in text


def test_what_people_said_of_a_part_stands_as_it_is() -> None:
    """Without a judge nothing waits: feedback is on whatever people liked to speak of."""
    cases = [Case(Question(str(n), f"Which one, {n}?"), None, known=False) for n in range(4)]
    figures = run(["vote"], questions=cases).figures
    assert figures["accuracy"][0]["why"] == "none of the answers to 4 questions is graded"


def test_only_a_review_is_what_a_debate_adds_to() -> None:
    """A captain who reads the reasons and answers has reviewed nothing, though names are hidden from it too."""
    debate = {"debate": {"max_rounds": 1, "drafts": "single-call"}}
    figures = run(["talkative", {"peer-review": {"drafts": "single-call"}}, debate], settles=lambda _: True).figures
    assert {row["before"].partition("(")[0] for row in figures["debate_lift"]} == {"peer-review"}
    assert "debate_lift" not in run(["talkative", debate], settles=lambda _: True).figures


def seven_better(player: str, number: int) -> str:
    """The team's majority is right where ann is wrong on seven questions; on two others its words wait for the judge."""
    if player == "ann":
        return said("wrong" if 2 <= number <= 8 else "match", number)
    return said("wrong" if number < 2 else "right" if number == 9 else "match", number)


def test_what_waits_is_in_the_interval_and_in_the_p() -> None:
    """Seven better and none worse would be p = 0.016; were the two that wait wrong, it would be seven to two."""
    result = run(["solo", "vote"], seven_better, lambda n: n >= 2, hypotheses=["accuracy(vote) > accuracy(solo@ann)"])
    row = result.store._read(
        lambda connection: compared(connection, find_experiment(connection, ident=result.plan_id), "vote", "solo@ann")
    )
    assert (row["n"], row["ungraded"]) == (38, {"a": 2, "b": 0})
    assert row["difference"] == pytest.approx(7 / 38)
    assert row["p"] == pytest.approx(0.1796875), "exact, of seven to two"
    assert row["low"] < 0 < row["high"]
    assert row["detectable"] is None
    assert "waits for a grade" in row["counts_why"]
    assert "could reverse it" in row["why"]
    (hypothesis,) = result.figures["hypotheses"]
    assert (hypothesis["verdict"], hypothesis["p"]) == ("open", pytest.approx(0.1796875))
    assert "cannot be told apart from" in result.figures["headline"]["sentence"]


def test_what_waits_moves_both_ends_of_an_accuracy() -> None:
    figures = run(["solo", "vote"], settles=lambda n: n > 3).figures
    row = next(row for row in figures["accuracy"] if row["strategy"] == "vote")
    ends = [wilson(right, 40) for right in (29, 31)]
    assert (row["low"], row["high"]) == (pytest.approx(ends[0].low), pytest.approx(ends[1].high))
