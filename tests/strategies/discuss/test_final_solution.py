"""The final solution is the agent's own last one: nobody decides anew, and nobody sees at the end what it could not see."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from moot.strategies.discuss.discuss import Discuss
from moot.traces import Agreement, Counted, of_kind
from moot.types import Answer, Grouping, Question, Verdict

ALONE = {"personas": "none"}
VOTING = ("simple-voting", "solution-counting", "ranked-voting")


def final(verdict: Verdict) -> dict[str, str | None]:
    (counted,) = of_kind(verdict.traces, Counted)
    return dict(counted.solutions)


@pytest.mark.parametrize("decision", [*VOTING, "majority-consensus", "unanimity-consensus"])
async def test_three_who_agree_on_a_end_as_a(company: Any, decision: str) -> None:
    """Asked anew they would all say C: they are not asked."""

    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        return {"solution": "A" if agent == number == 1 else None, "agree": True}

    table = company(3, say=say, final=lambda agent: {"reasoning": "on second thought", "answer": "C"})
    verdict = await table.play(Discuss(decision=decision, **ALONE))
    assert (verdict.outcome, verdict.answer) == ("answered", "A")
    assert table.prompts("answer") == []


async def test_it_is_what_the_agent_itself_said_last(company: Any) -> None:
    words: dict[int, list[tuple[str | None, bool]]] = {
        1: [("A", False), ("A", False), (None, False)],  # rejects the latest, gives no other: its own stands
        2: [("B", False), ("D", False), ("D", False)],  # repeats itself
        3: [(None, True), (None, True), ("E", True)],  # changes it, whatever it says of agreement
        4: [(None, True), (None, True), (None, True)],  # agrees to the latest that it was shown
        5: [("F", False), (None, False), (None, False)],  # rejects what others say: its own stands
    }

    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        solution, agree = words[agent][number - 1]
        return {"solution": solution, "agree": agree}

    table = company(5, say=say)
    verdict = await table.play(Discuss(decision="solution-counting", agents=5, max_turns=3, **ALONE))
    assert list(final(verdict).values()) == ["A", "D", "E", "E", "F"]


async def test_who_rejects_what_it_gave_itself_does_not_end_with_it(company: Any) -> None:
    """Agent 1 gave A, agent 2 repeats it, and agent 1 rejects it now without giving another."""

    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        return {"solution": "A" if number == 1 or agent == 2 else None, "agree": agent == 2}

    verdict = await company(2, say=say).play(Discuss(decision="solution-counting", agents=2, max_turns=3, **ALONE))
    assert list(final(verdict).values()) == [None, "A"]


async def test_who_stands_behind_nothing_has_no_solution(company: Any) -> None:
    """It agreed to a solution, and to no other, and now rejects that one."""

    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        return {"solution": "A" if agent == 1 else None, "agree": agent == 1 or number < 3}

    verdict = await company(2, say=say).play(Discuss(decision="solution-counting", agents=2, max_turns=3, **ALONE))
    assert list(final(verdict).values()) == ["A", None]
    assert "stands behind no solution" in (verdict.answers[1].cause or "")


@pytest.mark.parametrize("decision", ["solution-counting", "unanimity-consensus"])
async def test_under_reasoning_it_is_asked_for_and_sees_what_may_be_seen(company: Any, decision: str) -> None:
    table = company(3, say=lambda table, agent, number: {"agree": True})
    await table.play(Discuss(decision=decision, style="reasoning", max_turns=3, **ALONE))
    assert 1 <= len(table.prompts("answer")) <= 3


@pytest.mark.parametrize(
    ("paradigm", "seen"),
    [
        ("relay", {1: {(3, 3), (1, 3)}, 2: {(1, 3), (2, 3)}, 3: {(2, 3), (3, 3)}}),
        ("report", {2: {(1, 2), (1, 3), (2, 2), (2, 3)}, 3: {(1, 2), (1, 3), (3, 2), (3, 3)}}),
        ("memory", {2: {(agent, turn) for agent in (1, 2, 3) for turn in (2, 3)}}),
        ("collective-refinement", {2: {(1, 3), (2, 3), (3, 3)}}),
    ],
)
async def test_under_reasoning_nothing_is_shown_that_the_paradigm_hides(
    company: Any, paradigm: str, seen: dict[int, set[tuple[int, int]]]
) -> None:
    from tests.strategies.discuss.conftest import marks

    table = company(3)
    options = {"paradigm": paradigm, "decision": "solution-counting", "style": "reasoning", "max_turns": 3}
    await table.play(Discuss(**options, **ALONE))
    for agent, expected in seen.items():
        (request,) = table.sent(agent, "answer")
        assert set(marks(table.text(request))) == expected, agent


async def test_under_reasoning_the_author_of_the_agreed_line_says_where_it_leads(company: Any) -> None:
    table = company(3, say=lambda table, agent, number: {"agree": True})
    verdict = await table.play(Discuss(decision="unanimity-consensus", style="reasoning", **ALONE))
    assert (verdict.outcome, verdict.answer) == ("answered", "River 1")


class ByFirstWord:
    async def group(self, question: Question, answers: Any, team: Any) -> Grouping:
        groups: dict[str, list[str]] = {}
        for answer in answers:
            if answer.text is not None:
                groups.setdefault(answer.text.split()[0], []).append(answer.player)
        return Grouping(tuple(map(tuple, groups.values())), ("model",) * len(groups))


@pytest.mark.parametrize("decision", ["majority-consensus", "supermajority-consensus", "unanimity-consensus"])
@pytest.mark.parametrize("drafts", ["AAB", "AAA", "ABC", "AABBB", "ABBCC", "AAAAB"])
async def test_drafts_made_at_once_are_counted_together_whatever_the_seats(
    company: Any, decision: str, drafts: str
) -> None:
    seen = set()
    for seats in sorted(set(itertools.permutations(drafts)))[:12]:
        table = company(
            len(drafts),
            say=lambda table, agent, number, seats=seats: {"solution": f"{seats[agent - 1]} says {agent}"},
            grouper=ByFirstWord(),
        )
        options = {"decision": decision, "drafting": "all-agents-drafting", "agents": len(drafts), "max_turns": 1}
        verdict = await table.play(Discuss(**options, **ALONE))
        behind = {seats[int(name[-1]) - 1] for name in verdict.who}
        seen.add((verdict.outcome, (verdict.answer or "")[0], tuple(sorted(behind)), len(verdict.who)))
    assert len(seen) == 1, "one outcome for all seats"
    ((outcome, answer, behind_it, number),) = seen
    assert behind_it == (answer,)
    assert number == max(map(drafts.count, drafts))
    needed = {"majority": 0.5, "supermajority": 0.66}.get(decision.partition("-")[0])
    reached = number == len(drafts) if needed is None else number > needed * len(drafts)
    assert outcome == ("answered" if reached else "undecided")


@pytest.mark.parametrize("changes", [2, 3])
async def test_replies_made_at_once_are_counted_together_too(company: Any, changes: int) -> None:
    """Under report 2 and 3 reply at once: one agrees to the moderator's solution, the other changes it."""

    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        return {"solution": {1: "River 1", changes: "River 9"}.get(agent), "agree": agent not in (1, changes)}

    table = company(3, say=say)
    verdict = await table.play(Discuss(decision="majority-consensus", paradigm="report", max_turns=1, **ALONE))
    assert (verdict.outcome, verdict.answer) == ("answered", "River 1")
    assert set(verdict.who) == {"hidden-player-1", f"hidden-player-{5 - changes}"}


async def test_a_changed_solution_that_nobody_shares_is_the_current_one_where_none_has_more(company: Any) -> None:
    """Both reply at once, and neither stands behind the moderator's: of equal support, what is new counts."""

    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        return {"solution": f"River {1 if agent == 1 else 9}", "agree": False}

    table = company(3, say=say)
    verdict = await table.play(Discuss(decision="unanimity-consensus", paradigm="report", max_turns=1, **ALONE))
    assert (verdict.outcome, verdict.answer, len(verdict.who)) == ("undecided", "River 9", 2)


async def test_the_answer_is_the_agreed_solution_in_its_author_s_words(company: Any) -> None:
    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        return {"solution": f"Ganges, says {agent}", "agree": True}

    table = company(3, say=say, grouper=ByFirstWord())
    verdict = await table.play(Discuss(decision="unanimity-consensus", **ALONE))
    assert (verdict.answer, verdict.reasoning) == ("Ganges, says 1", "word-1-1")
    (agreement,) = of_kind(verdict.traces, Agreement)
    assert agreement.solution == verdict.answer
    assert [type(answer) for answer in verdict.answers] == [Answer] * 3


async def test_who_gives_the_same_solution_in_other_words_ends_with_its_own(company: Any) -> None:
    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        return {"solution": "river one" if agent == 1 else "RIVER ONE", "agree": agent == 2}

    for decision in ("solution-counting", "unanimity-consensus"):
        table = company(2, say=say)
        verdict = await table.play(Discuss(decision=decision, agents=2, **ALONE))
        assert [answer.text for answer in verdict.answers] == ["river one", "RIVER ONE"]
