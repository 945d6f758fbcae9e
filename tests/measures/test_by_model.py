"""Models by name and talk by disagreement where not all is graded: what nobody knows is in no figure, and in the bounds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from moot.engine.match_record import Groups
from moot.measures.quiz.answer_counts import answer_counts
from moot.measures.quiz.diversity import diversity_by_captain, talk_by_diversity
from moot.measures.quiz.played import Played
from moot.measures.safety.by_model import average_rows, model_rows, tax_rows
from moot.measures.safety.pairs import Pair
from moot.stats.estimates import with_holm
from moot.stats.graded import value_of

GROUPS = {1: (("ann", "bob"),), 2: (("ann",), ("bob",))}


def played(strategy: str, question: int, right: float | None, captain: str = "ann") -> Played:
    return Played(f"q{question}", strategy, captain=captain, right=right, groups=GROUPS[1 + question % 2])


def test_a_talk_that_nobody_graded_is_in_the_bounds_alone() -> None:
    talk = [played("heard", question, None if question == 1 else 1.0) for question in range(10)]
    vote = [played("counted", question, 0.0) for question in range(10)]
    rows = {row["d"]: row for row in with_holm(talk_by_diversity([*talk, *vote], ["heard"], ["counted"]))}
    assert "bounds" not in rows[1]
    assert (rows[1]["difference"], rows[1]["n"]) == (1.0, 5)
    assert (rows[2]["difference"], rows[2]["n"], rows[2]["ungraded"]) == (1.0, 4, 1)
    assert rows[2]["bounds"] == {"low": pytest.approx(0.8), "high": 1.0}
    (curve,) = (row for row in diversity_by_captain([*talk, *vote]) if row["d"] == 2 and row["label"] == "heard")
    assert (curve["accuracy"], curve["n"], curve["bounds"]) == (1.0, 4, {"low": 0.8, "high": 1.0})


@pytest.mark.parametrize(
    ("known_groups", "unheard", "sure", "may_be"),
    [
        ((), ("ann", "bob"), None, range(1, 3)),
        ((("ann",),), ("bob",), None, range(1, 3)),
        ((("ann",), ("bob",)), ("cat",), None, range(2, 4)),
        ((("ann", "bob"),), (), 1, None),
        ((("ann",), ("bob",)), (), 2, None),
        ((), (), None, None),
    ],
)
def test_how_many_answers_there_may_be_where_some_were_not_heard(
    known_groups: Groups, unheard: Sequence[str], sure: int | None, may_be: range | None
) -> None:
    """Whoever was not heard may agree with somebody or with nobody; a team that answered at all gave one answer."""
    team = Played("q", "early", captain="ann", right=1.0, known_groups=known_groups)
    alone = [Played("q", "solo", player=name, heard=name not in unheard) for name in ("ann", "bob") if known_groups]
    late = [Played("q", "solo", player=name, heard=False) for name in unheard]
    counts = answer_counts([team, *(play for play in alone if play.heard), *late])
    assert counts.sure.get(("q", 0)) == sure
    assert counts.open.get(("q", 0)) == may_be
    assert counts.known(team) is (sure is not None)
    assert [d for d in range(6) if counts.may_be(team, d)] == list(may_be or ())


def test_with_repeats_a_question_stands_at_the_d_of_each() -> None:
    plays = [
        Played("q0", strategy, captain="ann", right=right, groups=GROUPS[repeat + 1], repeat=repeat)
        for strategy, rights in (("heard", (1.0, 0.0)), ("counted", (0.0, 0.0)))
        for repeat, right in enumerate(rights)
    ]
    rows = {row["d"]: row["difference"] for row in talk_by_diversity(plays, ["heard"], ["counted"])}
    assert rows == {1: 1.0, 2: 0.0}


def test_the_tax_of_a_model_over_what_is_graded_both_ways() -> None:
    single = {"ann": {f"q{n}": value_of([None if n == 3 else float(n < 2)]) for n in range(4)}, "cat": {}}
    double = {"ann": {f"q{n}": value_of([1.0]) for n in range(4)}, "bob": {"q0": value_of([1.0])}}
    (row,) = tax_rows(single, double, repeated=False)
    assert (row["model"], row["n"], row["ungraded"]) == ("ann", 3, 1)
    assert (row["double"], row["single"]) == (1.0, pytest.approx(2 / 3))
    assert row["difference"] == pytest.approx(row["double"] - row["single"])
    assert row["bounds"] == {"low": 0.25, "high": 0.5}


def test_an_average_is_of_the_same_models_on_every_question() -> None:
    """On q2 bob was never asked, and one model alone is no average; who is alone in its cohort has no other to differ from."""
    pairs = [
        *(Pair(f"q{n}", "ann", 1.0, 1.0, cohort="open") for n in range(3)),
        *(Pair(f"q{n}", "bob", 0.0, 1.0, cohort="open") for n in range(2)),
        Pair("q0", "cat", 1.0, 0.0, cohort="closed"),
    ]
    averages = {(row["cohort"], row["when"]): row for row in average_rows(pairs)}
    assert (averages["open", "alone"]["value"], averages["open", "alone"]["n"]) == (0.5, 2)
    rows = {(row["model"], row["when"]): row for row in with_holm(list(model_rows(pairs)))}
    assert (rows["ann", "alone"]["value"], rows["ann", "alone"]["difference"], rows["ann", "alone"]["n"]) == (
        1.0,
        0.5,
        2,
    )
    assert rows["cat", "alone"]["difference"] is None
    assert "only model" in rows["cat", "alone"]["why"]
    assert rows["cat", "alone"]["p_holm"] is None
