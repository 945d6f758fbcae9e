"""Every combination that makes sense, end to end: it ends in an outcome, and the prompts show who heard whom."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from moot.errors import UsageError
from moot.strategies.discuss.discuss import Discuss
from moot.traces import Counted, Remark, of_kind

PARADIGMS = ("memory", "relay", "report", "debate", "collective-refinement")
STYLES = ("free-text", "simple", "critical", "reasoning")
DRAFTINGS = ("first-agent", "all-agents-drafting", "collective-improvement")
VOTING = ("simple-voting", "ranked-voting", "cumulative-voting", "approval-voting", "solution-counting")
CONSENSUS = ("majority-consensus", "supermajority-consensus", "unanimity-consensus")
DECISIONS = (*VOTING, *CONSENSUS, "judge", "pref-voting:Schulze")
AGENTS = (1, 2, 3, 5)

Mark = tuple[int, int]


def makes_sense(paradigm: str | None, style: str, drafting: str, decision: str, agents: int) -> bool:
    """The specification's list, in its own words."""
    improvement = drafting == "collective-improvement"
    if decision in CONSENSUS and (improvement or paradigm == "collective-refinement"):
        return False
    if improvement:
        return paradigm is None and style != "reasoning"
    return not (paradigm in ("report", "debate") and agents == 1)


def expected(paradigm: str | None, drafting: str, agents: int, speaker: int, turn: int) -> list[Mark] | None:
    """Whom an agent has heard before its message of this turn, two turns visible; None where it is said elsewhere."""
    if turn == 1 and drafting == "all-agents-drafting":
        return []
    before = {earlier: [(agent, earlier) for agent in range(1, agents + 1)] for earlier in range(1, turn)}
    so_far = [(agent, turn) for agent in range(1, speaker)]
    if drafting == "collective-improvement":
        return []  # no messages at all
    if paradigm == "collective-refinement":
        return before.get(turn - 1, [])
    if paradigm == "relay":
        said = [each for earlier in before.values() for each in earlier] + so_far
        said = [each for each in said if each[0] != speaker or agents == 1]
        return said[-1:]
    if paradigm == "memory":
        window = range(turn - 2, turn) if speaker == 1 else range(turn - 1, turn)
        return [each for earlier in window for each in before.get(earlier, [])] + so_far
    if paradigm == "report":
        if speaker == 1:
            return [each for earlier in range(turn - 2, turn) for each in before.get(earlier, [])]
        window = [each for each in before.get(turn - 1, []) if each[0] in (1, speaker)]
        return [*window, (1, turn)]
    return None


def everybody_talks(company: Any, agent: int, number: int) -> dict[str, Any]:
    """Nobody agrees, so that every discussion lasts to the end."""
    return {}


@pytest.mark.parametrize("decision", DECISIONS)
@pytest.mark.parametrize("agents", AGENTS)
async def test_combinations(company: Any, decision: str, agents: int) -> None:
    played, last = 0, 3 if agents < 5 else 2
    for paradigm, style, drafting in itertools.product((None, *PARADIGMS), STYLES, DRAFTINGS):
        options: dict[str, Any] = {"paradigm": paradigm, "style": style, "drafting": drafting, "decision": decision}
        options |= {"agents": agents, "personas": "none", "max_turns": last, "vote_from": last}
        options |= {"judge": "any"} if decision == "judge" else {}
        if not makes_sense(paradigm, style, drafting, decision, agents):
            with pytest.raises(UsageError, match="with"):
                Discuss(**options)
            continue
        if paradigm is None and drafting != "collective-improvement":
            assert Discuss(**options)._manner() == Discuss(**{**options, "paradigm": "memory"})._manner()
            continue
        table = company(agents, say=everybody_talks)
        verdict = await table.play(Discuss(**options))
        played += 1
        where = f"{paradigm} {style} {drafting}"
        assert verdict.answer is not None, where
        check_prompts(table, style, where)
        check_ballots(table, verdict, decision, where)
        turns = 1 if decision in CONSENSUS and agents == 1 else last
        assert verdict.turns == turns, where
        if paradigm != "debate":
            for speaker, turn in itertools.product(range(1, agents + 1), range(1, turns + 1)):
                heard = expected(paradigm, drafting, agents, speaker, turn)
                assert table.heard(speaker)[turn - 1] == heard, f"{where}: agent {speaker} in turn {turn}"
    assert played >= 8


def check_prompts(table: Any, style: str, where: str) -> None:
    for agent in range(len(table.models) + 1):
        for request in table.sent(agent):
            sent = table.whole(request)
            assert "<question>\nWhich river did the {poet} name?\n</question>" in sent, where
            assert "hidden-" not in sent, f"{where}: a name leaks"
            if style == "reasoning" and table.kind(request) == "discuss":
                assert "solution" not in request.schema["properties"], where
                assert "<solution" not in sent, f"{where}: a solution leaks"
                assert "River" not in sent, f"{where}: a solution leaks"


def check_ballots(table: Any, verdict: Any, decision: str, where: str) -> None:
    papers = [
        (agent, table.options(sent)) for agent in range(1, len(table.models) + 1) for sent in _papers(table, agent)
    ]
    if decision in CONSENSUS or decision in ("solution-counting", "judge") or len(table.models) == 1:
        assert not papers, where
        return
    assert len(papers) == len(verdict.ballots) == len(table.models), where
    (vote,) = of_kind(verdict.traces, Counted)
    for agent, shown in papers:
        (ballot,) = [each for each in verdict.ballots if each.voter == f"hidden-player-{agent}"]
        assert [vote.options[option] for option in ballot.order] == shown, where
        assert (ballot.turn, ballot.role) == (verdict.turns, "voter")
        assert ballot.choice, where


def _papers(table: Any, agent: int) -> list[str]:
    return [table.text(each) for each in table.sent(agent, "ballot")]


async def test_the_order_on_the_papers_is_shuffled_for_each_voter_and_question(company: Any) -> None:
    orders = []
    for number in range(12):
        table = company(5, question=company.question_named(f"q{number}"))
        verdict = await table.play(Discuss(agents=5, personas="none", max_turns=1, vote_from=1))
        again = await company(5, question=company.question_named(f"q{number}")).play(
            Discuss(agents=5, personas="none", max_turns=1, vote_from=1)
        )
        orders.append([ballot.order for ballot in verdict.ballots])
        assert [ballot.order for ballot in again.ballots] == orders[-1], "the same seed, the same orders"
    assert len({order for each in orders for order in each}) > 30
    first = [order.index(0) for each in orders for order in each]
    assert set(first) == set(range(5)), "the first option stands everywhere"


async def test_debate(company: Any) -> None:
    """The others talk twice among themselves; the moderator hears their last round only."""
    table = company(3)
    await table.play(Discuss(paradigm="debate", personas="none", max_turns=2, vote_from=2))
    assert table.heard(1) == [[], [(1, 1), (2, 2), (3, 2)]]
    assert table.heard(2)[:2] == [[(1, 1)], [(1, 1), (2, 1), (3, 1)]]
    assert table.heard(3)[:2] == [[(1, 1), (2, 1)], [(1, 1), (2, 1), (3, 1), (2, 2)]]
    assert table.heard(2)[2][-1] == (1, 2), "the moderator opens the second turn"
    assert len(table.heard(3)) == 4


async def test_debate_rounds(company: Any) -> None:
    table = company(3)
    await table.play(Discuss(paradigm="debate", debate_rounds=3, personas="none", max_turns=1, vote_from=1))
    assert [len(table.heard(agent)) for agent in (1, 2, 3)] == [1, 3, 3]
    assert len(table.sent(1, "ballot")) == 1, "the moderator votes"


async def test_debate_after_drafts(company: Any) -> None:
    options = {"paradigm": "debate", "drafting": "all-agents-drafting", "personas": "none"}
    table = company(3)
    await table.play(Discuss(**options, max_turns=2, vote_from=2))
    assert [table.heard(agent)[0] for agent in (1, 2, 3)] == [[], [], []]
    assert table.heard(1)[1] == [(1, 1), (2, 1), (3, 1)], "drafts are forwarded as they are"


async def test_collective_improvement_shows_solutions_only(company: Any) -> None:
    table = company(3, say=lambda table, agent, number: {"solution": f"River {agent} of {number}"})
    await table.play(Discuss(drafting="collective-improvement", personas="none", max_turns=3, vote_from=3))
    for agent in (1, 2, 3):
        first, second, third = (table.text(each) for each in table.sent(agent, "discuss"))
        assert table.options(first) == []
        assert table.options(second) == ["River 1 of 1", "River 2 of 1", "River 3 of 1"]
        assert table.options(third) == ["River 1 of 2", "River 2 of 2", "River 3 of 2"]
        assert "word-" not in first + second + third


@pytest.mark.parametrize(
    ("visible", "heard"), [(1, [11]), (2, [10, 11]), (9, list(range(3, 12))), (50, list(range(1, 12)))]
)
async def test_visible_turns_are_counted_as_numbers(company: Any, visible: int, heard: list[int]) -> None:
    """Turn 10 comes after 9, not after 1."""
    table = company(1)
    options = {"visible_turns": visible, "max_turns": 12, "vote_from": 12}
    verdict = await table.play(Discuss(agents=1, personas="none", **options))
    assert table.heard(1)[-1] == [(1, turn) for turn in heard]
    assert [remark.turn for remark in of_kind(verdict.traces, Remark)] == list(range(1, 13))


async def test_there_is_nothing_to_agree_with_before_anything_was_heard(company: Any) -> None:
    table = company(2)
    await table.play(Discuss(agents=2, personas="none", max_turns=1, vote_from=1))
    fields = [list(table.sent(agent, "discuss")[0].schema["properties"]) for agent in (1, 2)]
    assert fields == [["message", "solution"], ["message", "solution", "agree"]]


async def test_the_record_says_who_heard_what(company: Any) -> None:
    table = company(3)
    verdict = await table.play(Discuss(paradigm="relay", personas="none", max_turns=2, vote_from=2))
    first, second, third, *_ = of_kind(verdict.traces, Remark)
    assert (first.number, first.turn, first.speaker) == (0, 1, "hidden-player-1")
    assert (first.saw, first.heard_by) == ((), ("hidden-player-2",))
    assert (first.text, first.solution) == ("word-1-1", "River 1")
    assert (second.saw, third.saw) == ((0,), (1,))
    assert third.heard_by == ("hidden-player-1",)


@pytest.mark.parametrize("language", ["en", "ru"])
async def test_styles_are_worded_apart(company: Any, language: str) -> None:
    from dataclasses import replace

    from moot.prompts import Prompts

    prompts = set()
    for style, step_by_step in itertools.product(STYLES, (False, True)):
        table = company(2)
        table.team = replace(table.team, prompts=Prompts(language))
        await table.play(
            Discuss(style=style, step_by_step=step_by_step, agents=2, personas="none", max_turns=1, vote_from=1)
        )
        for number, kind in ((1, "discuss"), (2, "discuss")):
            prompts.add(table.text(table.sent(number, kind)[0]))
    assert len(prompts) == 16
