"""Random experiments are played and reported through the command, and every figure is computed a second time."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from faults import outage, slow, troubles
from other_calls import plugged_in
from outages import asked, gone
from second_way import claims as claims_module
from second_way import played
from second_way.absent import without_intervals
from second_way.accuracy import accuracy
from second_way.again import claimed_again
from second_way.attendance import attendance
from second_way.by_model import by_model
from second_way.claims import claims
from second_way.cohort_gap import gap_closure
from second_way.compare import differences
from second_way.coverage import coverage
from second_way.decided import decided
from second_way.discussion import discussion
from second_way.documented import undocumented
from second_way.hypotheses import hypotheses
from second_way.lift import debate_lift
from second_way.officers import officers
from second_way.one_word import two_words
from second_way.places import places
from second_way.preferences import preferences
from second_way.properties import properties, unplanned
from second_way.quiz import quiz
from second_way.raw import Raw
from second_way.rubric import rubric
from second_way.safety import safety
from second_way.sets import sets
from second_way.talk_tables import talk_tables
from second_way.trust import trust
from second_way.two_ways import two_ways
from second_way.worlds import (
    abstaining,
    asked_twice,
    chosen_team,
    cohorts_and_names,
    discussions,
    experiment,
    few_waiting,
    gaps_over_clusters,
    judged_by_rubric,
    little_feedback,
    one_after_another,
    one_at_a_time,
    other_calls,
    people_and_sets,
    reading,
    rivals_waiting,
    stopped,
    sure_and_unsure,
    sure_in_clusters,
    troubled,
    two_teams,
    unheard,
    waiting_challenges,
    waiting_reviews,
)

from moot.measures.reserved import key_owners

SECOND_WAYS: tuple[Callable[[Raw], Mapping[str, Any]], ...] = (
    accuracy,
    attendance,
    quiz,
    sets,
    safety,
    coverage,
    gap_closure,
    debate_lift,
    two_ways,
    discussion,
    talk_tables,
    places,
    claims,
    hypotheses,
    by_model,
    officers,
    trust,
    decided,
    rubric,
)
"""Each gives some keys of the report."""

NO_FIGURES = frozenset({"runs", "prompts", "failures", "other_plans", "plugin_failures", "not_taken", "not_of_file"})
"""What tells of the run, not of how it came out. Every other key of a report has a second way, or is an error."""

EVERY_KEY = frozenset(
    {
        *(
            "experiment",
            "kind",
            "questions",
            "simulated",
            "ungraded",
            "disputed",
            "accuracy",
            "attendance",
            "bill_usd",
            "costs_known",
            "paid_here_usd",
            "unreached",
        ),
        *("losses_usd", "losses_unknown", "losses_known_usd"),
        *("players", "skyline", "best_single", "gap", "gains", "comparisons", "self_preference", "teams"),
        *("diversity", "diversity_captains", "diversity_left_out", "diversity_by_difficulty", "diversity_and_people"),
        *("human", "categories", "talk_by_diversity", "question_sets", "set_groups", "mean_over_sets"),
        *("safety", "safety_models", "coverage", "gap_closure", "consensus", "formatting_tax", "authority_bias"),
        *("debate_lift", "macro_average", "protocols", "protocol_turns", "protocol_rounds", "protocol_cost"),
        *(
            "headline",
            "frontier",
            "frontier_left_out",
            "power",
            "hypotheses",
            "talk_threshold",
            "grouped_by_words",
            "measurement",
            "judges",
        ),
        *("gain_by_strength", "mixtures", "partners", "position_bias", "squad"),
        "protocol_baselines_left_out",
        *("protocol_differences", "protocol_baselines", "protocol_families", "scaling", "similarity", "challenges"),
        *(
            "safety_missing",
            "formatting_tax_models",
            "gap_closure_models",
            "cohort_averages",
            "cohort_models",
            "clusters",
            "learnt_in_run",
            "probability",
            "cascade",
            "cascade_beside",
            "voices",
            "preferences",
        ),
        *("rubric", "in_points"),
    }
)
"""Those with a second way."""

SELDOM = frozenset({"calibration", "grader", "served"})
"""Those that no experiment here has, and tests of their own."""

NOT_OF_POINTS = frozenset(
    {"safety", "safety_missing", "safety_models", "gain_by_strength", "calibration", "probability"}
)
"""Figures of right and wrong, which a run whose answers get points does not have."""

MORE = int(os.environ.get("MOOT_WORLDS", "12")) // 12 - 1
"""`make test-more` plays more of them: for each that `make test` plays as many again."""


QUICK = (0, 2, 7, 13, 26, 32)
"""Small ones that differ: with judges, grouping, cohorts, repeats, claims, and without any of these."""
OTHERS = (*((1, 3, 4, 5, 107) if MORE else ()), *range(6, 6 + 8 * MORE))


@pytest.mark.parametrize("number", [*QUICK, *(number for number in OTHERS if number not in QUICK)])
def test_every_figure_comes_out_the_same(number: int, tmp_path: Path) -> None:
    _check(tmp_path, experiment(number, tmp_path))


@pytest.mark.parametrize("cost_usd", [1.0, None], ids=["known", "unknown"])
@pytest.mark.parametrize("live", [True, False], ids=["beside one that is asked", "alone"])
def test_what_was_paid_here_beside_recordings_too(cost_usd: float | None, live: bool, tmp_path: Path) -> None:
    questions = [{"id": f"q{n}", "text": f"Thing {n}?", "choices": ["a", "b"], "answer": "A"} for n in range(6)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, questions)))
    replies = [
        {"model": model, "question_id": f"q{n}", "answer": "AB"[(n + place) % 2], "cost_usd": cost_usd}
        for place, model in enumerate(("ann", "bob"))
        for n in range(6)
    ]
    told = [{key: value for key, value in reply.items() if value is not None} for reply in replies]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, told)))
    models: dict[str, Any] = {
        name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in ("ann", "bob")
    }
    models |= (
        {"cat": {"provider": "simulated", "accuracy": 0.7, "price": {"prompt": 1, "completion": 1}}} if live else {}
    )
    keys = {"name": "cup", "questions": {"file": "q.jsonl"}, "models": models, "strategies": ["solo", "vote"]}
    played.run(tmp_path, keys)
    figures, expected = played.figures(tmp_path), accuracy(played.raw(tmp_path, keys))
    assert (figures["paid_here_usd"] > 0) == live
    shown = {key: figures[key] for key in ("bill_usd", "paid_here_usd", "costs_known") if key in figures}
    assert not [*differences(shown, {key: expected[key] for key in shown})]


@pytest.mark.parametrize("holes", [1, 4])
def test_recordings_with_holes_too(holes: int, tmp_path: Path) -> None:
    """One that could not turn what is claimed, and more than a few."""
    questions = [{"id": f"q{n}", "text": f"Thing {n}?", "answer": "oslo"} for n in range(40)]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, questions)))
    replies = [
        {"model": model, "question_id": f"q{n}", "answer": "bern" if n % 3 == place else "oslo"}
        for place, model in enumerate(("ann", "bob", "cat"))
        for n in range(40)
        if model != "ann" or n >= holes
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    names = ("ann", "bob", "cat")
    models = {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in names}
    keys = {"name": "cup", "questions": {"file": "q.jsonl"}, "models": models, "strategies": ["solo", "vote"]}
    _check(tmp_path, {**keys, "hypotheses": ["accuracy(vote) > accuracy(solo@ann)"]})


@pytest.mark.long
@pytest.mark.parametrize("number", [51, *range(57, 57 + 2 * MORE)])
def test_cohorts_and_names_too(number: int, tmp_path: Path) -> None:
    _check(tmp_path, cohorts_and_names(number, tmp_path))


@pytest.mark.long
@pytest.mark.parametrize("number", [5, *((6, 1, 3, 4) if MORE else ()), *range(7, 7 + 4 * MORE)])
def test_two_teams_of_one_file_too(number: int, tmp_path: Path) -> None:
    _check(tmp_path, two_teams(number, tmp_path))


@pytest.mark.parametrize("number", [7, *((5, 6) if MORE else ()), *range(8, 8 + MORE)])
def test_discussions_side_by_side_too(number: int, tmp_path: Path) -> None:
    with troubles({}):
        _check(tmp_path, discussions(number, tmp_path))


@pytest.mark.parametrize("number", [3, *range(4, 4 + 3 * MORE)])
def test_with_failures_and_unknown_references_too(number: int, tmp_path: Path) -> None:
    keys, shares = troubled(number, tmp_path)
    with troubles(shares):
        _check(tmp_path, keys)


@pytest.mark.parametrize("number", [2, *range(20, 20 + MORE)])
def test_with_a_player_who_never_answers_too(number: int, tmp_path: Path) -> None:
    keys = experiment(number, tmp_path)
    dead = list(keys["players"].values())[-1]["model"]
    with troubles({dead: 1.0}):
        _check(tmp_path, keys)


@pytest.mark.long
@pytest.mark.parametrize("number", range(1, 3 + MORE))
@pytest.mark.parametrize("make", [people_and_sets, two_teams, cohorts_and_names])
def test_after_an_outage_on_some_of_the_questions_too(
    make: Callable[[int, Path], dict[str, Any]], number: int, tmp_path: Path
) -> None:
    keys = make(number, tmp_path)
    with asked(outage(number, keys)):
        _check(tmp_path, keys)


@pytest.mark.long
@pytest.mark.parametrize("number", range(1, 4 + MORE))
@pytest.mark.parametrize("make", [people_and_sets, cohorts_and_names, discussions])
def test_after_an_outage_on_few_of_the_questions_too(
    make: Callable[[int, Path], dict[str, Any]], number: int, tmp_path: Path
) -> None:
    """So few that most figures keep their intervals."""
    keys = make(number, tmp_path)
    with asked(outage(number, keys, 0.05)):
        played.run(tmp_path, keys)
    _compared(tmp_path, keys)


def without_a_few(number: int, folder: Path) -> dict[str, Any]:
    """Players who are equal, or nearly so, of whom one is missing on a few questions; or one far behind the others, whom
    nothing can turn round."""
    rows = [
        {"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(60 + 20 * (number % 3))
    ]
    (folder / "few.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    right = {"ann": (0.5, 0.97, 1.0)[number % 3], "bob": 0.98, "cat": 0.9 if number % 2 else 1.0}
    return {
        "name": f"few-{number}",
        "seed": number,
        "questions": {"file": "few.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": share} for name, share in right.items()},
        "teams": {"table": {"players": list(right), "captain": "each"}},
        "strategies": ["solo", "vote", "talkative"],
        "primary": "vote@ann",
        "hypotheses": ["accuracy(vote@ann) - accuracy(solo@ann) > 0", "accuracy(solo@ann) > 0.92", "net(vote@ann) > 0"],
    }


@pytest.mark.parametrize(
    "number", [0, *(pytest.param(number, marks=pytest.mark.long) for number in range(1, 6 + MORE))]
)
def test_after_an_outage_that_a_few_claims_stand_too(number: int, tmp_path: Path) -> None:
    keys = without_a_few(number, tmp_path)
    with asked(gone("ann", questions=lambda n: n < 2 + number % 2)):
        played.run(tmp_path, keys)
    _compared(tmp_path, keys)


@pytest.mark.long
@pytest.mark.parametrize(("dead", "make"), [("sue", one_at_a_time), ("ann", judged_by_rubric)])
def test_with_a_summariser_or_a_writer_who_never_answers_too(
    dead: str, make: Callable[[int, Path], dict[str, Any]], tmp_path: Path
) -> None:
    with troubles({dead: 1.0}):
        _check(tmp_path, make(1, tmp_path))


@pytest.mark.long
@pytest.mark.parametrize("number", [6, *range(7, 7 + MORE)])
def test_while_a_few_answers_wait_for_a_grade_too(number: int, tmp_path: Path) -> None:
    keys, shares = few_waiting(number, tmp_path)
    with troubles(shares):
        _check(tmp_path, keys)


@pytest.mark.long
@pytest.mark.parametrize("number", [8, *range(9, 9 + MORE)])
def test_while_nobody_knows_who_is_the_best_player_too(number: int, tmp_path: Path) -> None:
    keys, shares = rivals_waiting(number, tmp_path)
    with troubles(shares):
        _check(tmp_path, keys)
    over = played.figures(tmp_path)["headline"]["over_best_single"]
    assert number > 8 or (over["difference"], bool(over["rivals"])) == (None, True)


@pytest.mark.long
@pytest.mark.parametrize("number", range(1, 2 + MORE))
def test_while_reviews_and_debates_wait_for_a_grade_too(number: int, tmp_path: Path) -> None:
    keys, shares = waiting_reviews(number, tmp_path)
    with troubles(shares):
        _check(tmp_path, keys)


GAPS = ("gap", "gap_closure", "gap_closure_models", "hypotheses", "clusters")


@pytest.mark.long
@pytest.mark.parametrize("world", [gaps_over_clusters, pytest.param(asked_twice, marks=pytest.mark.long)])
@pytest.mark.parametrize("number", range(1, 2 + MORE))
def test_gaps_closed_over_questions_that_hang_together_too(
    world: Callable[[int, Path], tuple[dict[str, Any], dict[str, float]]], number: int, tmp_path: Path
) -> None:
    """Only these figures: the second way to the others takes every question for itself."""
    keys, shares = world(number, tmp_path)
    with troubles(shares):
        played.run(tmp_path, keys)
        figures, raw = played.figures(tmp_path), played.raw(tmp_path, keys)
    expected = {key: value for way in SECOND_WAYS for key, value in way(raw).items() if key in GAPS}
    apart = [*differences({key: figures[key] for key in GAPS}, expected)]
    assert not apart, "\n".join(apart[:30])


@pytest.mark.parametrize("number", range(2, 3 + MORE))
def test_while_challenges_wait_for_a_grade_too(number: int, tmp_path: Path) -> None:
    keys, shares = waiting_challenges(number, tmp_path)
    with troubles(shares):
        _check(tmp_path, keys)


@pytest.mark.parametrize("number", [1, 2, *((0,) if MORE else ()), *range(3, 3 + 2 * MORE)])
def test_drafts_by_other_calls_too(number: int, tmp_path: Path) -> None:
    with plugged_in():
        _check(tmp_path, other_calls(number, tmp_path), own_drafts=True)


@pytest.mark.long
@pytest.mark.parametrize("number", range(4 + 4 * MORE))
def test_players_who_were_not_heard_too(number: int, tmp_path: Path) -> None:
    """The vote that does not wait is played first, among slow players; then all else, by whom they may be heard."""
    keys = unheard(number, tmp_path)
    with slow("dan", "eve"):
        played.run(tmp_path, {**keys, "strategies": keys["strategies"][:1]})
    _check(tmp_path, keys)


@pytest.mark.long
@pytest.mark.parametrize("number", range(3, 4 + MORE))
def test_answers_scored_by_words_too(number: int, tmp_path: Path) -> None:
    _check(tmp_path, reading(number, tmp_path))


@pytest.mark.long
@pytest.mark.parametrize("number", range(1, 2 + MORE))
def test_a_summariser_of_single_proposers_too(number: int, tmp_path: Path) -> None:
    _check(tmp_path, one_at_a_time(number, tmp_path))


@pytest.mark.parametrize("number", [2, *((8,) if MORE else ()), *range(9, 9 + 2 * MORE)])
def test_a_chosen_team_beside_others_too(number: int, tmp_path: Path) -> None:
    _check(tmp_path, chosen_team(number, tmp_path))


@pytest.mark.parametrize("number", [2, *range(3, 3 + 3 * MORE)])
def test_a_run_that_was_stopped_too(number: int, tmp_path: Path) -> None:
    """Some cells have played all of it, some a part, each its own."""
    keys = stopped(number, tmp_path)
    played.run(tmp_path, keys)
    played.forget(tmp_path, number)
    figures = _compared(tmp_path, keys)
    assert any(row["missing"] for row in figures["accuracy"])


def _check_every_number(shown: Any, expected: Any) -> None:
    """They are equal, and any number that is changed is noticed."""
    apart = [*differences(shown, expected)]
    assert not apart, "\n".join(apart[:30])
    missed = []
    for place, holder, key in _numbers(shown):
        value = holder[key]
        holder[key] = value + (1 if isinstance(value, int) else 0.43)
        missed += [] if [*differences(shown, expected)] else [place]
        holder[key] = value
    assert not missed


@pytest.mark.long
@pytest.mark.parametrize("number", range(2 + MORE))
def test_probabilities_of_answers_too(number: int, tmp_path: Path) -> None:
    """Of enough questions to learn from; and any number of theirs that is changed is noticed."""
    talks = ({"decision": "unanimity-consensus", "max_turns": 2}, {"vote_from": 1})
    keys = sure_and_unsure(number, tmp_path, discussed=[{"discuss": talk} for talk in talks])
    played.run(tmp_path, keys)
    figures, expected = played.figures(tmp_path), trust(played.raw(tmp_path, keys))
    assert all(row["ece"] is not None for row in figures["probability"])
    assert not undocumented(figures)
    shown = {"probability": figures["probability"]}
    _check_every_number(shown, expected)


@pytest.mark.long
@pytest.mark.parametrize("number", range(1 + MORE))
def test_cascades_and_voices_too(number: int, tmp_path: Path) -> None:
    """And any number of theirs that is changed is noticed."""
    played.run(tmp_path, keys := one_after_another(number, tmp_path))
    figures, expected = played.figures(tmp_path), decided(played.raw(tmp_path, keys))
    assert not undocumented(figures)
    shown = {key: figures[key] for key in ("cascade", "cascade_beside", "voices")}
    assert any(row.get("then") for row in shown["cascade"])
    _check_every_number(shown, expected)
    sure = [row for row in figures["probability"] if row["strategy"] == "cascade"]
    assert all(row["ece"] is not None for row in sure)
    again = [row for row in trust(played.raw(tmp_path, keys))["probability"] if row["strategy"] == "cascade"]
    assert not [*differences(sure, again)]


@pytest.mark.long
@pytest.mark.parametrize("number", range(1 + MORE))
def test_answers_that_are_not_given_too(number: int, tmp_path: Path) -> None:
    _check(tmp_path, abstaining(number, tmp_path))
    figures = played.figures(tmp_path)
    (row,) = [row for row in figures["accuracy"] if "abstain" in row["options"]]
    assert 0 < row["coverage"]["value"] < 1
    assert any(row.get("abstained") for row in figures.get("safety", ()))


@pytest.mark.long
@pytest.mark.parametrize("number", range(1 + MORE))
def test_little_feedback_for_a_team_that_abstains_too(number: int, tmp_path: Path) -> None:
    keys, shares = little_feedback(number, tmp_path)
    with troubles(shares):
        _check(tmp_path, keys)
    (row,) = [row for row in played.figures(tmp_path)["accuracy"] if "abstain" in row["options"]]
    raw = played.raw(tmp_path, keys)
    referenced = [question for question in raw.questions if raw.waits(question)]
    assert row["outcomes"]["abstained"] > 0
    assert row["n"] == len(referenced) < raw.size, "what is known does not hang on how a play ended"


@pytest.mark.long
@pytest.mark.parametrize("number", range(1 + MORE))
def test_probabilities_over_questions_that_hang_together_too(number: int, tmp_path: Path) -> None:
    """Only these figures: the second way to the others takes every question for itself."""
    played.run(tmp_path, keys := sure_in_clusters(number, tmp_path))
    figures, expected = played.figures(tmp_path), trust(played.raw(tmp_path, keys))
    apart = [*differences({"probability": figures["probability"]}, expected)]
    assert not apart, "\n".join(apart[:30])
    assert any(row["ece"] is not None for row in figures["probability"])


@pytest.mark.long
def test_a_primary_that_is_declared_late_pays_for_the_others(tmp_path: Path) -> None:
    keys = {key: value for key, value in experiment(4, tmp_path).items() if key not in ("primary", "hypotheses")}
    played.run(tmp_path, keys)
    claims_module.LATE.add(keys["name"])
    try:
        _check(tmp_path, {**keys, "primary": "talkative"})
    finally:
        claims_module.LATE.discard(keys["name"])


PRUNED = [
    (0, False),
    *([(4, True)] if MORE else []),
    *((number, number % 2 == 0) for number in range(20, 20 + 4 * MORE)),
]


@pytest.mark.parametrize(("number", "late"), PRUNED)
def test_options_that_were_taken_out_are_paid_for(number: int, late: bool, tmp_path: Path) -> None:
    """All but the chosen strategy and the players alone; perhaps under another name, and declared now. Only claims, and of the
    tables how large families are: the second way to the others knows what one experiment has paid."""
    keys = {key: value for key, value in experiment(number, tmp_path).items() if key not in ("primary", "hypotheses")}
    keys |= {"store": "sqlite:///all.db", "strategies": ["solo", "vote", "talkative", "silent"]}
    played.run(tmp_path, keys)
    before, whole = played.figures(tmp_path)["headline"], played.raw(tmp_path, keys)
    left = {**keys, "strategies": ["solo", before["strategy"]]}
    left |= {"name": f"late-{number}", "primary": before["of"]} if late else {}
    played.run(tmp_path, left)
    claims_module.LATE.update({left["name"]} if late else ())
    try:
        figures, expected = played.figures(tmp_path), claims(played.raw(tmp_path, left, [whole]))
    finally:
        claims_module.LATE.discard(left["name"])
    apart = [*differences({key: figures[key] for key in expected}, expected)]
    apart += claims_module.check_words(whole, figures["headline"])
    assert not apart, "\n".join(apart[:30])
    after = figures["headline"]
    assert after["options"] >= before["options"] > len(after["unlisted"]) > 0
    then = {**quiz(whole), **safety(whole), **by_model(whole)}
    families = {key: [row["family"] for row in then[key]] for key in ("gains", "safety_models", "gain_by_strength")}
    told = {key: [row["family"] for row in figures[key]] for key in families if key in figures}
    assert "gains" in told
    assert {key: {*sizes} for key, sizes in told.items()} == {key: {*families[key]} for key in told}
    assert all(len(told[key]) < len(families[key]) for key in told)


@pytest.mark.parametrize(
    "since", ["a player was changed", "questions were taken out", "ids were changed", "references were mended"]
)
def test_what_was_declared_beforehand_and_changed_is_late_or_told(since: str, tmp_path: Path) -> None:
    """Only claims: the second way to the others knows what one experiment has paid."""
    texts = ["accuracy(vote) > 0.3", "accuracy(solo@p1) > 0.2", "accuracy(vote) - accuracy(solo@p0) > 0"]
    rows = [
        {"id": f"q{n}", "text": f"Thing {n}?", "choices": ["a", "b", "c"], "answer": "abc"[n % 3]} for n in range(40)
    ]
    before: dict[str, Any] = {
        "name": "since",
        "questions": {"file": "asked.jsonl"},
        "models": {f"p{n}": {"provider": "simulated", "accuracy": 0.6} for n in range(3)},
        "teams": {"three": {"players": ["p0", "p1", "p2"]}},
        "strategies": ["solo", "vote"],
        "primary": "vote",
        "hypotheses": texts,
    }
    changed = {**before, "models": {**before["models"], "p0": {"provider": "simulated", "accuracy": 0.8}}}
    mended = [{**row, "accepted": ["nobody says so"]} if n % 6 == 0 else row for n, row in enumerate(rows)]
    moved = [{**row, "id": f"q{n}"} for n, row in enumerate(rows[3:])]
    left = {
        "a player was changed": rows,
        "questions were taken out": rows[10:],
        "ids were changed": moved,
        "references were mended": mended,
    }[since]
    after = changed if left is rows else before

    def play(folder: Path, keys: dict[str, Any], asked: list[dict[str, Any]]) -> None:
        folder.mkdir(exist_ok=True)
        (folder / "asked.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
        played.run(folder, keys)

    play(both := tmp_path / "both", before, rows)
    whole = played.raw(both, before)
    play(both, after, left)
    play(alone := tmp_path / "alone", after, left)  # what is stored under a name is not told apart by plans
    figures, second = played.figures(both), played.raw(alone, after, [whole])
    expected = claims(second) | hypotheses(second)
    apart = [*differences({key: figures[key] for key in expected}, expected)]
    apart += claims_module.check_words(whole, figures["headline"])
    assert not apart, "\n".join(apart[:30])
    assert figures["headline"]["chosen"] == ("declared" if left is mended else "declared late")
    assert figures["headline"].get("keys_changed", 0) == (7 if left is mended else 0)
    assert not undocumented(figures)


def _check(folder: Path, keys: dict[str, Any], *, own_drafts: bool = False) -> None:
    """`own_drafts`: whether a strategy asks for drafts that are nobody else's, which no plan can know."""
    played.run(folder, keys)
    figures = _compared(folder, keys)
    planned = json.loads(played.command(folder, "plan", "world.yaml", "--accuracy", "0.5", "--gain", "0.1", "--json"))
    apart = [] if own_drafts else [*unplanned(figures, planned)]
    assert not apart, "\n".join(apart[:30])


def _compared(folder: Path, keys: dict[str, Any]) -> dict[str, Any]:
    figures, raw = played.figures(folder), played.raw(folder, keys)
    assert figures.keys() <= key_owners().keys(), "every key that is printed is declared by whose it is"
    assert not undocumented(figures), "every key that is printed stands in the documentation"
    by_way = [(way, way(raw)) for way in SECOND_WAYS]
    expected = without_intervals(raw, {key: value for _, own in by_way for key, value in own.items()})
    expected = claimed_again(raw, expected, by_way)
    assert expected.keys() <= EVERY_KEY
    if "in_points" in expected:
        expected = {key: value for key, value in expected.items() if key not in NOT_OF_POINTS}
    shown = {key: value for key, value in figures.items() if key not in NO_FIGURES}
    apart = [*differences(shown, expected), *properties(raw, figures), *two_words(figures)]
    assert not apart, "\n".join(apart[:30])
    return figures


def test_long_answers_beside_others_too(tmp_path: Path) -> None:
    """They are ungraded, and counted as what they are."""
    rows = [{"id": f"t{number}", "text": f"Write {number}.", "kind": "text"} for number in range(3)]
    rows += [{"id": f"o{number}", "text": f"Which {number}?", "answer": f"word {number}"} for number in range(5)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    names = ("ann", "bob", "cat")
    keys: dict[str, Any] = {
        "name": "long",
        "seed": 3,
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.6, "words": 20} for name in names},
        "players": {name: {"model": name} for name in names},
        "teams": {"table": {"players": list(names), "captain": "each"}},
        "strategies": ["solo", "talkative", "council", {"council": {"final": "winner"}}],
    }
    _check(tmp_path, keys)


@pytest.mark.parametrize("number", range(1, 2 + MORE))
def test_points_of_a_rubric_too(number: int, tmp_path: Path) -> None:
    """And any number of theirs that is changed is noticed."""
    keys = judged_by_rubric(number, tmp_path)
    _check(tmp_path, keys)
    figures, raw = played.figures(tmp_path), played.raw(tmp_path, keys)
    assert figures["rubric"]["self_preference"]
    shown = {key: figures[key] for key in ("rubric", "in_points")}
    _check_every_number(shown, rubric(raw))


@pytest.mark.parametrize(
    ("number", "more"),
    [
        (1, {"strategies": ["talkative", "council", {"council": {"final": "winner"}}]}),
        (2, {"baseline": "bob", "strategies": ["talkative", "peer-review"], "repeats": 2}),
    ],
)
def test_long_answers_that_were_compared_too(number: int, more: dict[str, Any], tmp_path: Path) -> None:
    """Only these figures; and any number of theirs that is changed is noticed, but for ratings, whose ends are drawn."""
    rows = [{"id": f"t{place}", "text": f"Write {place}.", "kind": "text"} for place in range(14)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    words = {"ann": 30, "bob": 20, "cat": 60}
    judges = {"ivy": {"position_bias": 0.7, "length_bias": 0.5}, "jim": {"blur": 1.0, "refuse": 0.1}}
    keys: dict[str, Any] = {
        "name": "compared",
        "seed": number,
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.6, "words": many} for name, many in words.items()}
        | {name: {"provider": "simulated", "accuracy": 0.5, **habits} for name, habits in judges.items()},
        "teams": {"table": {"players": list(words), "captain": "ann"}},
        "judge": {"models": list(judges), "pairwise": True},
        **more,
    }
    played.run(tmp_path, keys)
    figures, expected = played.figures(tmp_path), preferences(played.raw(tmp_path, keys))
    assert not undocumented(figures)
    shown = {"preferences": figures["preferences"]}
    ratings = [*differences(shown["preferences"].pop("ratings"), expected["preferences"].pop("ratings"))]
    assert not ratings, "\n".join(ratings)
    _check_every_number(shown, expected)
    preferred, options = figures["headline"]["preferred"], figures["preferences"]["options"]
    nearest = min(options, key=lambda row: (row["p"], -row["value"]))
    assert (preferred["of"], preferred["low"], preferred["high"]) == (
        *(nearest[key] for key in ("of", "low_holm", "high_holm")),
    )
    calls = {(row["label"], row.get("player")): row["calls_per_question"] for row in figures["accuracy"]}
    against = (preferred["against"].partition("@")[0], preferred["against_player"])
    assert preferred["cost_ratio"] == pytest.approx(calls[preferred["label"], None] / calls[against])


def test_a_wrong_figure_is_noticed(tmp_path: Path) -> None:
    """Any number of the report, changed: else the second way would be none."""
    keys = experiment(2, tmp_path)
    played.run(tmp_path, keys)
    raw, figures = played.raw(tmp_path, keys), played.figures(tmp_path)
    figures = {key: value for key, value in figures.items() if key not in NO_FIGURES}
    expected = {key: value for way in SECOND_WAYS for key, value in way(raw).items()}
    assert not [*differences(figures, expected), *properties(raw, figures)]
    missed = []
    for place, holder, key in _numbers(figures):
        value = holder[key]
        holder[key] = value + (1 if isinstance(value, int) else 0.43)
        top = place[0]
        changed = [*differences({top: figures[top]}, {top: expected[top]})]
        if not changed and not [*properties(raw, {name: figures[name] for name in {top, "headline"}})]:
            missed.append(place)
        holder[key] = value
    assert not missed


def _numbers(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any, Any]]:
    """Where each stands: the way to it, what holds it, and under which key."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [(*place, key) for key, item in inside if isinstance(item, int | float) and not isinstance(item, bool)]
    numbers = [(way, value, way[-1]) for way in found]
    return numbers + [one for key, item in inside for one in _numbers(item, (*place, key))]


def test_every_key_stands_in_the_documentation() -> None:
    """Also those that no experiment here happens to have."""
    assert not undocumented(dict.fromkeys(EVERY_KEY | NO_FIGURES | SELDOM))
    assert undocumented({"skyline": [{"nobody_has_told_of_this": 1}]}) == {"nobody_has_told_of_this"}


def test_every_key_is_declared_by_the_measure_that_gives_it() -> None:
    """So that a measure of somebody else's is kept off it also in a run that has nothing to say under it."""
    assert key_owners().keys() == EVERY_KEY | NO_FIGURES | SELDOM


def test_the_second_way_is_another_one() -> None:
    """It uses nothing of what it checks; only the command itself is called, by `played`."""
    for path in (Path(__file__).parent / "second_way").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            ours = [name for name in names if name.split(".")[0] == "moot" and not name.startswith("moot.cli")]
            assert not ours, path
