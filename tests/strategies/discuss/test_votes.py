"""Votes at the end of turns: merged options, ties, spoilt ballots, and voters who say nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from moot.errors import TimedOut
from moot.models.scripted import Script
from moot.strategies.discuss.discuss import Discuss
from moot.team.attempts import ATTEMPTS
from moot.traces import Counted, Remark, of_kind
from moot.types import Grouping, Question, Reply, Request, Verdict

ALONE = {"personas": "none"}
BALLOTS = ("simple-voting", "ranked-voting", "cumulative-voting", "approval-voting", "pref-voting:Schulze")


class ByLastWord:
    async def group(self, question: Question, answers: Any, team: Any) -> Grouping:
        groups: dict[str, list[str]] = {}
        for answer in answers:
            if answer.text is not None:
                groups.setdefault(answer.text.split()[-1], []).append(answer.player)
        return Grouping(tuple(map(tuple, groups.values())), ("model",) * len(groups))


def says(*answers: str | None) -> Callable[[Any, int, int], dict[str, Any]]:
    """The solution of each agent in every message; None: it gives none, and agrees to none."""

    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        return {"message": f"because {agent}", "solution": answers[agent - 1], "agree": False}

    return say


def counted(verdict: Verdict) -> list[Counted]:
    """The votes that were held, by the record."""
    return of_kind(verdict.traces, Counted)


@pytest.mark.parametrize("decision", BALLOTS)
async def test_equal_solutions_are_one_option(company: Any, decision: str) -> None:
    """Three who say B in different words are no tie, and need no ballots."""
    table = company(3, say=says("B", "the answer is B", "option B"), grouper=ByLastWord())
    verdict = await table.play(Discuss(decision=decision, **ALONE))
    assert (verdict.outcome, verdict.answer, verdict.turns) == ("answered", "B", 3)
    assert len(verdict.who) == 3
    assert counted(verdict)[0].options == ("B",)
    assert counted(verdict)[0].points == (3.0,), "as many as stand behind it"
    assert table.prompts("ballot") == []


@pytest.mark.parametrize("decision", BALLOTS)
async def test_the_winner_is_the_team_s_word(company: Any, decision: str) -> None:
    cast = company.choosing(["Oka", "Don", "Oka"])
    table = company(3, say=says("Don", "Oka", "Oka"), ballot=cast)
    verdict = await table.play(Discuss(decision=decision, **ALONE))
    assert (verdict.outcome, verdict.answer, verdict.reasoning) == ("answered", "Oka", "because 2")
    assert verdict.who == ("hidden-player-2", "hidden-player-3")
    assert counted(verdict)[0].winners == (1,)
    assert [ballot.choice is None for ballot in verdict.ballots] == [False] * 3


@pytest.mark.parametrize("decision", [*BALLOTS, "solution-counting"])
async def test_a_tie_to_the_end(company: Any, decision: str) -> None:
    """A new round and a new vote until the turns run out; then the first solution, undecided."""
    table = company(2, say=says("Don", "Oka"), ballot=company.choosing(["Don", "Oka"]))
    verdict = await table.play(Discuss(decision=decision, agents=2, vote_from=2, max_turns=4, **ALONE))
    assert (verdict.outcome, verdict.answer, verdict.turns) == ("undecided", "Don", 4)
    assert verdict.who == ("hidden-player-1",)
    assert [count.turn for count in counted(verdict)] == [2, 3, 4]
    assert [len(table.sent(agent, "discuss")) for agent in (1, 2)] == [4, 4]
    assert len(verdict.ballots) == (0 if decision == "solution-counting" else 6)


async def test_a_tie_that_a_further_round_resolves(company: Any) -> None:
    table = company(
        2,
        say=lambda table, agent, number: {"solution": "Oka" if agent == 2 and number < 4 else "Don"},
        ballot=company.choosing(["Don", "Oka"]),
    )
    verdict = await table.play(Discuss(agents=2, **ALONE))
    assert (verdict.outcome, verdict.answer, verdict.turns) == ("answered", "Don", 4)


@pytest.mark.parametrize("decision", BALLOTS)
async def test_spoilt_ballots_to_the_end(company: Any, decision: str) -> None:
    table = company(3, ballot=lambda agent, request: {"choice": 99, "ranking": [1, 1], "points": [1], "approved": [7]})
    verdict = await table.play(Discuss(decision=decision, max_turns=3, **ALONE))
    assert (verdict.outcome, verdict.answer) == ("undecided", "River 1")
    assert len(verdict.ballots) == 3
    assert all(ballot.choice is None and ballot.cause for ballot in verdict.ballots)
    asked = [each for each in table.models[0].requests if table.kind(each) == "ballot"]
    assert len(asked) == ATTEMPTS, "asked again, and not without end"
    assert "list" in table.text(asked[1])


async def test_a_spoilt_ballot_is_no_vote(company: Any) -> None:
    """One good ballot against two spoilt ones decides; all three are voters."""
    good = company.choosing(["River 2", "", ""])
    table = company(3, ballot=lambda agent, request: good(1, request) if agent == 1 else "spoilt")
    verdict = await table.play(Discuss(**ALONE))
    assert (verdict.outcome, verdict.answer) == ("answered", "River 2")
    assert sum(ballot.choice is None for ballot in verdict.ballots) == 2


OVERDRAWN: dict[str, list[Script]] = {
    "simple-voting": [{"choice": 0}, {"choice": 4}, {"choice": True}, {"choice": [1, 2]}],
    "ranked-voting": [{"ranking": []}, {"ranking": [1, 1]}, {"ranking": [0]}, {"ranking": "1 2"}],
    "cumulative-voting": [
        {"points": [20, 6, 0]},
        {"points": [-1, 2, 3]},
        {"points": [1, 2]},
        {"points": [1, "x", 1]},
        {"points": [1e308, 1e308, 0]},
        {"points": [10**400, 0, 0]},
    ],
    "approval-voting": [{"approved": [1, 1]}, {"approved": [9]}, {"approved": 1}, {"approved": [None]}],
}


@pytest.mark.parametrize("decision", OVERDRAWN)
async def test_a_ballot_that_does_not_fit_is_asked_for_again(company: Any, decision: str) -> None:
    right = company.choosing(["River 1"] * 3)
    for wrong in OVERDRAWN[decision]:

        def cast(agent: int, request: Request, wrong: Script = wrong) -> Script:
            return right(agent, _first(request)) if request.attempt else wrong

        verdict = await company(3, ballot=cast).play(Discuss(decision=decision, **ALONE))
        assert (verdict.outcome, verdict.answer) == ("answered", "River 1"), wrong
        assert not any(ballot.choice is None for ballot in verdict.ballots), wrong


def _first(request: Request) -> Request:
    """The request as it was before the model was asked again."""
    return Request(request.messages[:1], schema=request.schema)


async def test_the_budget_is_a_parameter(company: Any) -> None:
    table = company(3, ballot=lambda agent, request: {"points": [0, 30, 10]})
    assert (await table.play(Discuss(decision="cumulative-voting", **ALONE, max_turns=3))).outcome == "undecided"
    table = company(3, ballot=company.choosing(["River 1"] * 3))
    await table.play(Discuss(decision="cumulative-voting", budget=40, **ALONE))
    assert "40 points" in table.prompts("ballot")[0]
    assert table.sent(1, "ballot")[0].schema["properties"]["points"]["items"]["maximum"] == 40


async def test_points_go_to_the_options_and_not_to_their_places(company: Any) -> None:
    def cast(agent: int, request: Request) -> Script:
        shown = company.options(company.text(request))
        return {"points": [{"River 1": 3, "River 2": 9, "River 3": 5}[each] for each in shown]}

    verdict = await company(3, ballot=cast).play(Discuss(decision="cumulative-voting", **ALONE))
    assert counted(verdict)[0].points == (9, 27, 15)
    assert verdict.answer == "River 2"


async def test_a_long_list_is_ranked_up_to_five(company: Any) -> None:
    table = company(7, ballot=company.choosing(["River 6"] * 7))
    verdict = await table.play(Discuss(decision="ranked-voting", agents=7, max_turns=1, vote_from=1, **ALONE))
    assert verdict.answer == "River 6"
    assert "up to 5" in table.prompts("ballot")[0]
    assert all(len(ballot.choice or ()) == 5 for ballot in verdict.ballots)
    assert {ballot.form for ballot in verdict.ballots} == {"ranking"}


async def test_an_agent_that_never_speaks(company: Any) -> None:
    """It is absent; the rest decide; its ballot is spoilt, and it is a voter all the same."""
    table = company(3, ballot=company.choosing(["River 1", "River 1", ""]))
    mute = table.models[2]
    mute._function = lambda request: Reply("", finish="stop")
    verdict = await table.play(Discuss(**ALONE))
    assert (verdict.outcome, verdict.answer, verdict.absent) == ("answered", "River 1", ("hidden-player-3",))
    assert [ballot.choice is None for ballot in verdict.ballots] == [False, False, True]
    assert len(mute.requests) == ATTEMPTS * (3 + 1), "three messages and a ballot"
    assert [said.outcome for said in of_kind(verdict.traces, Remark) if said.text is None] == ["unanswered"] * 3


@pytest.mark.parametrize(
    ("trouble", "outcome"),
    [("hm", "unanswered"), (Reply("no", finish="refusal"), "refused"), (TimedOut("late"), "failed")],
)
@pytest.mark.parametrize("decision", ["simple-voting", "solution-counting", "judge", "majority-consensus"])
async def test_nobody_ever_speaks(company: Any, trouble: Script, outcome: str, decision: str) -> None:
    table = company(3)
    for model in (*table.models, table.judge):
        model._function = lambda request: trouble
    judged = {"judge": "any"} if decision == "judge" else {}
    verdict = await table.play(Discuss(decision=decision, max_turns=3, **judged))
    assert (verdict.outcome, verdict.answer, verdict.turns) == (outcome, None, 3)
    assert len(verdict.absent) == 3
    assert verdict.cause


async def test_no_usable_message_in_the_end_but_solutions_in_the_talk(company: Any) -> None:
    """What an agent said in an earlier turn is its last solution, when nothing usable came later."""
    first = company(3)

    def once(agent: int, request: Request) -> Script:
        return first._message(agent, request) if first.messages.get(agent, 0) == 0 else "hm"

    verdict = await company(3, other={"discuss": once}).play(
        Discuss(max_turns=3, decision="solution-counting", **ALONE)
    )
    assert (verdict.outcome, verdict.answer, verdict.who) == ("undecided", "River 1", ("hidden-player-1",))
    assert [answer.text for answer in verdict.answers] == ["River 1", "River 2", "River 3"]


async def test_the_judge_sees_solutions_without_names(company: Any) -> None:
    table = company(3)
    verdict = await table.play(Discuss(decision="judge", judge="any"))
    (request,) = table.sent(0)
    shown = table.options(table.text(request))
    assert sorted(shown) == ["River 1", "River 2", "River 3"]
    assert (verdict.outcome, verdict.answer) == ("answered", shown[0])
    assert "Role" not in table.whole(request)
    (ballot,) = verdict.ballots
    assert (ballot.voter, ballot.role) == ("judge", "judge")
    assert [counted(verdict)[0].options[option] for option in ballot.order] == shown


async def test_a_judge_who_cannot_say(company: Any) -> None:
    table = company(3, other={"judge": lambda agent, request: {"reasoning": "", "choice": 9}})
    verdict = await table.play(Discuss(decision="judge", judge="any", max_turns=4, **ALONE))
    assert (verdict.outcome, verdict.answer, verdict.turns) == ("undecided", "River 1", 4)
    assert [ballot.choice is None for ballot in verdict.ballots] == [True, True]


async def test_ballots_have_no_personas(company: Any) -> None:
    table = company(3)
    await table.play(Discuss())
    for prompt in table.prompts("ballot"):
        assert "Agent" not in prompt
        assert "Role" not in prompt
