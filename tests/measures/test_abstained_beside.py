"""What an abstention is in rows that hold two sides against each other: neither an error made nor one repaired."""

from __future__ import annotations

from moot.measures.quiz.played import Played
from moot.measures.quiz.threshold import learn_threshold
from moot.measures.safety.by_model import model_rows
from moot.measures.safety.pairs import Pair

QUESTIONS = [f"q{number:02}" for number in range(40)]
KEPT_BACK = set(QUESTIONS[::4])


def played(strategy: str, right: bool, question: str, *, silent: bool = False) -> Played:
    outcome = "abstained" if silent else "answered"
    return Played(question, strategy, right=0.0 if silent else float(right), outcome=outcome, calls=1)


def test_a_vote_that_abstains_is_told_apart_from_one_that_errs() -> None:
    """Talking is right on every question, and a vote on all that it answers."""
    vote = [played("vote", True, question, silent=question in KEPT_BACK) for question in QUESTIONS]
    talk = [played("talkative", True, question) for question in QUESTIONS]
    groups = {play.drafts: 2 if play.question in KEPT_BACK else 1 for play in vote}
    learnt = learn_threshold(vote, talk, groups, players=3)
    assert learnt is not None
    assert learnt.talk_from == 2
    over = learnt.over_vote
    assert over["difference"] == 0.25
    assert (over["rescues"], over["regressions"]) == (0, 0)
    assert over["worse_by_abstaining"] == {"a": 0, "b": len(KEPT_BACK)}
    assert "worse_by_abstaining" not in learnt.over_talk or learnt.over_talk["worse_by_abstaining"] == {"a": 0, "b": 0}


def test_a_model_that_abstains_has_made_no_error_beside_its_cohort() -> None:
    pairs = [Pair(question, "bob", 1.0, 1.0) for question in QUESTIONS] + [
        Pair(question, "ann", 1.0, None, after_outcome="abstained")
        if question in KEPT_BACK
        else Pair(question, "ann", 1.0, float(question != "q01"))
        for question in QUESTIONS
    ]
    rows = {(row["model"], row["when"]): row for row in model_rows(pairs)}
    ann, bob = rows["ann", "after"], rows["bob", "after"]
    assert (ann["difference"] < 0, ann["regressions"], ann["abstained"]) == (True, 1, len(KEPT_BACK)), "wrong on one"
    assert (bob["rescues"], "abstained" in bob) == (len(KEPT_BACK) + 1, False), (
        "the average is lower, whatever the reason"
    )
    assert "abstained" not in rows["ann", "alone"]
