"""Players, captains and options that have not played the same questions: a run that was stopped, or served traffic.

What was not played is neither wrong nor left to whoever was there, and nobody is the best for having played most.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from stopped_runs import REVIEW, Episode, always, even, never, stopped, terminal, words_of, world
from worlds import row

from moot.measures.safety.cohorts import macro_average
from moot.measures.safety.pairs import Pair
from moot.report.remarks import remarks
from moot.types import HumanRate

ALONE = ["solo", "vote"]
"""Nobody has voted yet."""


async def test_the_skyline_is_over_the_questions_that_all_players_have(tmp_path: Path) -> None:
    """Bob is always right, and was asked 10 questions when the run was stopped."""
    players = world({"ann": even, "bob": always, "cat": never})
    hypotheses = ["skyline(solo) < 0.99"]
    shown = await stopped(
        tmp_path,
        players,
        ALONE,
        lambda strategy, whose, n: strategy == "solo" and (whose != "bob" or n < 10),
        hypotheses=hypotheses,
    )
    top, single = shown["skyline"], shown["best_single"]
    assert (top["value"], top["n"], top["left_out"], top["players"]) == (1.0, 10, 30, 3)
    assert (single["player"], single["value"], single["n"]) == ("bob", 1.0, 10)
    said = "30 questions that not all of them have are left out"
    assert said in terminal(shown)
    assert said in words_of(shown, "skyline")
    (judged,) = shown["hypotheses"]
    assert (judged["value"], judged["n"], judged["verdict"]) == (1.0, 10, "open")
    assert "30 questions that not all have played are left out" in judged["note"]


async def test_the_best_single_is_never_above_the_skyline(tmp_path: Path) -> None:
    """Ann is right on all that she alone was asked, and on nothing else."""
    players = world({"ann": lambda n: n >= 20, "bob": lambda n: n < 5, "cat": never})
    shown = await stopped(
        tmp_path, players, ALONE, lambda strategy, whose, n: strategy == "solo" and (whose == "ann" or n < 20)
    )
    assert (shown["skyline"]["value"], shown["skyline"]["n"]) == (0.25, 20)
    single = shown["best_single"]
    assert (single["player"], single["value"], single["n"]) == ("bob", 0.25, 20)


async def test_coverage_is_of_the_questions_that_every_captain_has(tmp_path: Path) -> None:
    players = world({"ann": even, "bob": always, "cat": never})
    shown = await stopped(
        tmp_path,
        players,
        ["solo", REVIEW],
        lambda strategy, whose, n: (strategy, whose) != ("peer-review", "bob") or n < 10,
    )
    (covered,) = shown["coverage"]
    assert (covered["native"], covered["after"], covered["difference"]) == (1.0, 1.0, 0.0)
    assert (covered["n"], covered["left_out"], covered["models"]) == (10, 30, 3)
    assert "30 questions that not all of them have are left out" in words_of(shown, "coverage")


async def test_whoever_has_not_begun_sits_at_the_table_all_the_same(tmp_path: Path) -> None:
    """Only ann has reviewed; all have answered alone."""
    players = world({"ann": never, "bob": even, "cat": never})
    shown = await stopped(
        tmp_path, players, ["solo", REVIEW], lambda strategy, whose, n: strategy == "solo" or whose == "ann"
    )
    (covered,) = shown["coverage"]
    assert (covered["models"], covered["models_after"], covered["native"], covered["n"]) == (3, 1, 0.5, 40)
    assert covered["difference"] is None
    assert "1 of 3 models answers again" in covered["why"]


UNEVEN: Episode = lambda strategy, whose, n: (strategy, whose) != ("peer-review", "bob") or n < 10  # noqa: E731


async def test_an_average_over_captains_is_of_questions_that_all_of_them_have(tmp_path: Path) -> None:
    players = world({"ann": even, "bob": even, "cat": even}, {"ann": even, "bob": always, "cat": lambda n: n >= 10})
    label = "peer-review(drafts=single-call)"
    more = {"primary": label, "hypotheses": [f"accuracy({label}) > 0.6"]}
    shown = await stopped(tmp_path, players, ["solo", REVIEW], UNEVEN, **more)
    head = shown["headline"]
    assert (head["value"], head["n"], head["left_out"]) == (0.5, 10, 30)
    assert "30 questions are left out: not all of its 3 captains have played them" in head["sentence"]
    over = head["over_captain"]
    assert (over["difference"], over["n"]) == (pytest.approx(0.0), 10)
    assert "bounds" not in over
    (judged,) = shown["hypotheses"]
    assert (judged["value"], judged["n"]) == (0.5, 10)
    assert "30 questions that not all have played are left out" in judged["note"]
    gain = row(shown["gains"], label=label, captain=None)
    assert (gain["difference"], gain["n"]) == (pytest.approx(0.0), 10)


async def test_a_primary_of_which_a_captain_has_not_begun_is_not_known(tmp_path: Path) -> None:
    players = world({"ann": even, "bob": even, "cat": even})
    label = "peer-review(drafts=single-call)"
    more = {"primary": label, "hypotheses": [f"accuracy({label}) > 0.1"]}
    shown = await stopped(
        tmp_path, players, ["solo", REVIEW], lambda strategy, whose, n: strategy == "solo" or whose != "cat", **more
    )
    head = shown["headline"]
    assert (head["of"], head["chosen"], head["value"], head["left_out"]) == (label, "declared", None, 40)
    assert "none of its 40 questions has been played by all of its 3 captains" in head["sentence"]
    (judged,) = shown["hypotheses"]
    assert (judged["verdict"], judged["value"]) == ("open", None)
    assert "all 3 captains" in judged["note"]


async def test_nobody_is_the_best_for_having_played_most(tmp_path: Path) -> None:
    """Ann and bob have 8 questions, on which they are right; cat has these and 32 others, and is wrong."""
    players = world({"ann": lambda n: n < 8, "bob": lambda n: n < 7, "cat": never})
    shown = await stopped(
        tmp_path,
        players,
        ["solo", "vote"],
        lambda strategy, whose, n: (strategy, whose) == (("vote", "ann") if n < 8 else ("solo", "cat")),
    )
    assert (shown["skyline"]["value"], shown["skyline"]["n"]) == (1.0, 8)
    single = shown["best_single"]
    assert (single["player"], single["value"]) == (None, None)
    assert "fewer than two of 3 have enough questions in common" in single["why"]
    assert "Best single player: not known, since fewer than two of 3" in terminal(shown)
    assert "frontier" not in shown
    left_out = {each["of"]: each["why"] for each in shown["frontier_left_out"]}
    assert left_out.keys() == {"vote@ann", "solo@cat"}
    assert "fewer than two of 2 have enough questions in common" in left_out["solo@cat"]
    assert shown["headline"]["after_the_fact"] is None
    assert "The best row" not in shown["headline"]["sentence"]
    assert not any("both cheaper and better" in line for line in remarks(shown))


async def test_the_largest_set_of_options_is_ranked(tmp_path: Path) -> None:
    """Ann, bob and cat share 12 questions; dan, who is always wrong, has twice as many others."""
    players = world({"dan": never, "ann": lambda n: n % 3 == 0, "bob": even, "cat": never})
    shown = await stopped(
        tmp_path, players, ALONE, lambda strategy, whose, n: strategy == "solo" and (n >= 12) == (whose == "dan")
    )
    single = shown["best_single"]
    assert (single["player"], single["value"], single["n"], single["ranked"]) == ("bob", 0.5, 12, 3)
    assert "not ranked" in single["why"]
    assert "of 3 ranked" in terminal(shown)
    assert "not ranked, with too few questions that the others have: dan (28 questions)" in terminal(shown)
    head = shown["headline"]
    assert (head["of"], head["ranked_on"]) == ("solo@bob", 12)
    assert "on the 12 questions that all of these have" in head["sentence"]
    assert {each["of"] for each in shown["frontier"]} == {"solo@ann", "solo@bob", "solo@cat"}


async def test_the_frontier_is_of_one_set_of_questions(tmp_path: Path) -> None:
    """Ann is right on what she alone was asked, so that bob is the better on the questions of both."""
    players = world({"ann": lambda n: n >= 20, "bob": lambda n: n < 10})
    shown = await stopped(
        tmp_path, players, ALONE, lambda strategy, whose, n: strategy == "solo" and (whose == "ann" or n < 20)
    )
    rows = {each["of"]: each for each in shown["frontier"]}
    assert {of: (each["accuracy"], each["n"], each["ranked_on"]) for of, each in rows.items()} == {
        "solo@ann": (0.0, 20, 20),
        "solo@bob": (0.5, 20, 20),
    }
    assert all(each["within"] >= each["accuracy"] for each in rows.values())
    (line,) = [line for line in remarks(shown) if line.startswith("On the 20 questions that all of them have")]
    assert "none is both cheaper and better than solo@bob (50.0 % at" in line


@pytest.mark.parametrize("names", [("ann", "bob", "cat", "dan"), ("dan", "cat", "bob", "ann")])
async def test_whom_a_ranking_takes_hangs_on_no_name_and_no_place(tmp_path: Path, names: tuple[str, ...]) -> None:
    """Two pairs with 20 questions each, none of them shared."""
    one = names[:2]
    right = {name: (even if name in one else never) for name in names}
    shown = await stopped(
        tmp_path, world(right), ALONE, lambda strategy, whose, n: strategy == "solo" and (n < 20) == (whose in one)
    )
    assert shown["best_single"]["player"] in one


async def test_what_was_only_drafted_has_no_name_of_a_strategy_that_nobody_played(tmp_path: Path) -> None:
    """Bob was to play alone, and has not begun; cat has on ten questions. All have drafted for a vote."""
    players = world({"ann": even, "bob": always, "cat": never})
    people = HumanRate(solved=1, asked=2)
    players.asked = [replace(case, human=people, category="capitals") for case in players.asked]
    shown = await stopped(
        tmp_path,
        players,
        ALONE,
        lambda strategy, whose, n: strategy == "vote" or whose == "ann" or (whose == "cat" and n < 10),
    )
    rows = {(each["label"], each["player"]): (each["accuracy"], each["n"]) for each in shown["human"]}
    assert rows["solo", "ann"] == (0.5, 40)
    assert rows["solo", "cat"] == (0.0, 10)
    assert rows["drafted", "bob"] == (1.0, 40)
    assert rows["drafted", "cat"] == (0.0, 30)
    assert ("solo", "bob") not in rows
    categories = {each["label"]: (each["accuracy"], each["n"]) for each in shown["categories"]}
    assert categories["solo"] == (0.25, 10), "ann and cat, on what both have played alone"
    assert categories["drafted"] == (0.5, 30), "bob and cat, on what both have only drafted"
    alone = {each["player"]: (each["n"], each["from"]) for each in shown["players"]}
    assert alone == {"ann": (40, "solo"), "bob": (40, "drafts"), "cat": (40, "solo and drafts")}


async def test_clusters_are_those_of_the_questions_that_were_played(tmp_path: Path) -> None:
    """Of seven clusters the run came to three, with 36 questions."""
    players = world({"ann": even, "bob": even, "cat": even})
    players.asked = [replace(case, cluster=str(n // 12 if n < 36 else n)) for n, case in enumerate(players.asked)]
    clusters = len({case.cluster for case in players.asked})
    shown = await stopped(tmp_path, players, ALONE, lambda strategy, whose, n: n < 36, primary="vote")
    assert clusters == 7
    assert shown["clusters"] == {"clusters": 3, "largest": 12, "questions": 36}
    assert (shown["headline"]["n"], shown["headline"]["clusters"]) == (36, 3)
    assert "With fewer than 30 clusters of questions, results are very uncertain" in shown["headline"]["sentence"]
    assert any("The 36 questions that were played form 3 clusters" in line for line in remarks(shown))


async def test_one_played_of_each_cluster_is_tested_as_one_pair_a_question(tmp_path: Path) -> None:
    """Two questions a cluster, of which the players have one: the team, which has both, is held against them on that one."""
    players = world({"ann": even, "bob": even, "cat": even})
    players.asked = [replace(case, cluster=str(n // 2)) for n, case in enumerate(players.asked)]
    talk = {"discuss": {"max_turns": 1, "vote_from": 1}}
    shown = await stopped(tmp_path, players, ["solo", talk], lambda strategy, whose, n: strategy != "solo" or even(n))
    over = shown["headline"]["over_best_single"]
    assert (over["n"], over["test"], "clusters" in over) == (20, "mcnemar", False)
    assert "exact test" in over["rule"]


def test_a_mean_over_sets_is_over_the_plays_that_all_models_have() -> None:
    """Of the first set bob has not played the question on which ann was rescued."""
    pairs = [
        *(Pair(f"x{n}", model, 1.0, 1.0, dataset="x") for n in range(4) for model in ("ann", "bob")),
        Pair("x4", "ann", 0.0, 1.0, dataset="x"),
        *(Pair(f"y{n}", model, 0.0, float(n == 0), dataset="y") for n in range(4) for model in ("ann", "bob")),
    ]
    found = macro_average(pairs)
    assert found is not None
    assert [(row["dataset"], row["native"], row["after"]) for row in found["datasets"]] == [
        ("x", 1.0, 1.0),
        ("y", 0.0, 0.25),
    ]
    assert found["difference"] == pytest.approx(0.125)
