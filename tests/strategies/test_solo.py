"""Each player alone."""

from __future__ import annotations

import pytest

from moot.errors import TimedOut, UsageError
from moot.models.scripted import Script, ScriptedModel
from moot.strategies import Strategy, label, strategy
from moot.strategies.solo import Solo
from moot.team import Player, Team
from moot.types import Question, Reply

QUESTION = Question("q", "Which city is the capital of France?")


def team(*replies: Script) -> Team:
    return Team("six", (Player("ann", ScriptedModel("m", replies)),)).seated()


def test_every_player_of_a_team_is_a_line_up() -> None:
    model = ScriptedModel("m", [])
    six = Team("six", (Player("ann", model), Player("bob", model)), seed=7)
    lineups = Solo().lineups(six)
    assert [(each.name, [player.name for player in each.players], each.seed) for each in lineups] == [
        ("ann", ["ann"], 7),
        ("bob", ["bob"], 7),
    ]


async def test_the_draft_is_the_verdict() -> None:
    verdict = await Solo().play(QUESTION, team({"reasoning": "known", "answer": "Paris"}))
    assert (verdict.answer, verdict.outcome, verdict.reasoning) == ("Paris", "answered", "known")
    assert (verdict.who, verdict.absent, verdict.cause) == (("ann",), (), None)
    assert [answer.text for answer in verdict.answers] == ["Paris"]


@pytest.mark.parametrize(
    ("replies", "outcome", "cause"),
    [
        ([TimedOut("too slow")], "failed", "TimedOut: too slow"),
        ([Reply("no", "refusal")], "refused", "no"),
        (["?"] * 5, "unanswered", "no usable reply in 5 attempts; the last one: no-json"),
    ],
    ids=["failed", "refused", "unanswered"],
)
async def test_without_a_draft_the_outcome_says_why(replies: list[Script], outcome: str, cause: str) -> None:
    verdict = await Solo().play(QUESTION, team(*replies))
    assert (verdict.answer, verdict.outcome, verdict.cause) == (None, outcome, cause)
    assert (verdict.who, verdict.absent) == ((), ("ann",))


def test_it_is_found_by_name_and_has_no_options() -> None:
    solo = strategy("solo")
    assert solo == Solo()
    assert isinstance(solo, Strategy)
    assert label(solo) == "solo"
    with pytest.raises(UsageError, match="strategy 'solo' has no option 'rounds'"):
        strategy("solo", {"rounds": 3})
