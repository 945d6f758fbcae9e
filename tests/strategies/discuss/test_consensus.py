"""Consensus: who stands behind the current solution after each message, and what is said in the end."""

from __future__ import annotations

from typing import Any

import pytest

from moot.strategies.discuss.discuss import Discuss
from moot.strategies.discuss.remark import MessageForm, Said, TableRemark
from moot.strategies.discuss.stance import Stance, stance
from moot.traces import Agreement, Remark, Remarked, of_kind
from moot.types import Grouping, Question, Verdict

ALONE = {"personas": "none"}


def agreement(verdict: Verdict) -> Agreement:
    (record,) = of_kind(verdict.traces, Agreement)
    return record


def follows(company: Any, agent: int, number: int) -> dict[str, Any]:
    """The first proposes, everybody agrees."""
    return {"solution": "River 1" if agent == number == 1 else None, "agree": True}


@pytest.mark.parametrize(
    ("decision", "agents", "messages"),
    [
        ("majority-consensus", 3, 2),
        ("supermajority-consensus", 3, 2),
        ("unanimity-consensus", 3, 3),
        ("majority-consensus", 5, 3),
        ("supermajority-consensus", 5, 4),
        ("unanimity-consensus", 5, 5),
        ("majority-consensus", 4, 3),
        ("majority-consensus", 2, 2),
        ("majority-consensus", 1, 1),
    ],
)
async def test_it_ends_with_the_message_that_makes_it(company: Any, decision: str, agents: int, messages: int) -> None:
    table = company(agents, say=follows)
    verdict = await table.play(Discuss(decision=decision, agents=agents, **ALONE))
    assert sum(table.messages.values()) == messages
    assert verdict.outcome == "answered"
    assert verdict.turns == 1
    assert verdict.who == tuple(f"hidden-player-{n}" for n in range(1, messages + 1))
    assert verdict.absent == (), "whose turn never came is not absent"
    assert (verdict.answer, verdict.reasoning) == ("River 1", "word-1-1"), "the agreed solution's own message"
    assert table.prompts("answer") == [], "nobody decides anew"


async def test_agreement_is_the_field_and_nothing_else(company: Any) -> None:
    """Words say one thing, the field another: the field counts."""
    said = {"message": "I don't agree at all. DISAGREE.", "solution": None, "agree": True}
    table = company(3, say=lambda table, agent, number: said if agent > 1 else {"solution": "River 1"})
    assert (await table.play(Discuss(decision="unanimity-consensus", **ALONE))).outcome == "answered"

    said = {"message": "I AGREE completely, agreed.", "solution": None, "agree": False}
    table = company(3, say=lambda table, agent, number: said if agent > 1 else {"solution": "River 1"})
    verdict = await table.play(Discuss(decision="majority-consensus", max_turns=2, **ALONE))
    assert (verdict.outcome, verdict.answer) == ("undecided", "River 1")


async def test_who_repeats_a_solution_and_rejects_it_stands_behind_nothing(company: Any) -> None:
    table = company(2, say=lambda table, agent, number: {"solution": "River 1", "agree": False})
    verdict = await table.play(Discuss(decision="majority-consensus", agents=2, max_turns=1, **ALONE))
    assert (verdict.outcome, verdict.answer, verdict.who) == ("undecided", "River 1", ("hidden-player-1",))
    assert verdict.cause == "no consensus in 1 turn"


async def test_whoever_agrees_passes_the_solution_on(company: Any) -> None:
    """Under relay the third hears only the second, who agreed without saying it again."""
    table = company(3, say=follows)
    verdict = await table.play(Discuss(decision="unanimity-consensus", paradigm="relay", **ALONE))
    assert table.heard(3) == [[(2, 1)]]
    assert "<solution>\nRiver 1\n</solution>" in table.text(table.sent(3, "discuss")[0])
    assert verdict.outcome == "answered"


async def test_a_changed_solution_resets_support_to_its_author(company: Any) -> None:
    """Two of five are behind the first; the third changes it, agreeing in word; it needs three of five anew."""

    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        return {"solution": {1: "River 1", 3: "River 3"}.get(agent), "agree": True}

    table = company(5, say=say)
    verdict = await table.play(Discuss(decision="majority-consensus", agents=5, **ALONE))
    assert sum(table.messages.values()) == 5
    assert verdict.who == ("hidden-player-3", "hidden-player-4", "hidden-player-5")
    assert agreement(verdict).solution == "River 3"
    assert agreement(verdict).supporters == verdict.who


async def test_who_turns_away_no_longer_counts(company: Any) -> None:
    """Agent 2 agrees in turn 1 and disagrees in turn 2; agent 3 comes round only then."""
    words = {(2, 1): True, (3, 1): False, (1, 2): True, (2, 2): False, (3, 2): True}

    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        return {"solution": "River 1" if agent == number == 1 else None, "agree": words.get((agent, number), False)}

    table = company(3, say=say)
    verdict = await table.play(Discuss(decision="unanimity-consensus", max_turns=2, **ALONE))
    assert (verdict.outcome, verdict.cause) == ("undecided", "no consensus in 2 turns")


async def test_silence_is_no_agreement(company: Any) -> None:
    """One of two says nothing usable: the other alone is no majority."""
    table = company(2, other={"discuss": lambda agent, request: "hm" if agent == 2 else _says(request)})
    verdict = await table.play(Discuss(decision="majority-consensus", agents=2, max_turns=2, **ALONE))
    assert verdict.outcome == "undecided"
    assert verdict.answer == "River 1"
    assert verdict.absent == ("hidden-player-2",)
    assert len(table.sent(2)) == 2, "asked in each turn, and not beyond the end"
    assert len(table.models[1].requests) == 2 * 5, "each time five attempts"


def _says(request: Any) -> dict[str, Any]:
    fields = request.schema["properties"]
    return {
        key: value for key, value in {"message": "so", "solution": "River 1", "agree": True}.items() if key in fields
    }


async def test_agreement_counts_for_what_was_shown(company: Any) -> None:
    """Under report, agents 2 and 3 speak at once. 2 changes the solution; 3 agrees to the moderator's, not to that.

    The new one has its author alone: whoever asked for all three would be told that there is no consensus on either.
    """

    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        return {"solution": {1: "River 1", 2: "River 2"}.get(agent), "agree": agent == 3}

    table = company(3, say=say)
    verdict = await table.play(Discuss(decision="unanimity-consensus", paradigm="report", max_turns=1, **ALONE))
    assert (verdict.outcome, verdict.answer) == ("undecided", "River 1")
    assert verdict.who == ("hidden-player-1", "hidden-player-3")


async def test_those_who_spoke_at_the_same_time_are_kept(company: Any) -> None:
    table = company(4, say=follows)
    verdict = await table.play(Discuss(decision="majority-consensus", paradigm="report", agents=4, **ALONE))
    assert len(of_kind(verdict.traces, Remark)) == 4
    assert agreement(verdict).messages == 4, "what is said at once is counted together"
    assert verdict.who == tuple(f"hidden-player-{n}" for n in range(1, 5))


async def test_equal_drafts_stand_behind_each_other(company: Any) -> None:
    options = {"decision": "unanimity-consensus", "drafting": "all-agents-drafting"}
    verdict = await company(3, say=lambda table, agent, number: {"solution": "River 1"}).play(
        Discuss(**options, **ALONE)
    )
    assert (verdict.outcome, verdict.turns) == ("answered", 1)


class ByFirstWord:
    """A grouper for whom the first word is the meaning."""

    async def group(self, question: Question, answers: Any, team: Any) -> Grouping:
        groups: dict[str, list[str]] = {}
        for answer in answers:
            if answer.text is not None:
                groups.setdefault(answer.text.split()[0], []).append(answer.player)
        return Grouping(tuple(map(tuple, groups.values())), ("model",) * len(groups))


async def test_other_words_for_the_same_are_no_change(company: Any) -> None:
    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        return {"solution": f"Ganges, says {agent}", "agree": True}

    options = {"decision": "unanimity-consensus", "max_turns": 1}
    merged = await company(3, say=say, grouper=ByFirstWord()).play(Discuss(**options, **ALONE))
    assert merged.outcome == "answered"
    apart = await company(3, say=say).play(Discuss(**options, **ALONE))
    assert apart.outcome == "undecided"


@pytest.mark.parametrize("agrees", [True, False])
async def test_reasoning_agrees_on_a_line_of_thought(company: Any, agrees: bool) -> None:
    table = company(3, say=lambda table, agent, number: {"agree": agrees})
    verdict = await table.play(Discuss(decision="unanimity-consensus", style="reasoning", max_turns=2, **ALONE))
    assert verdict.outcome == ("answered" if agrees else "undecided")
    author = 1 if agrees else 3
    assert verdict.answer == f"River {author}", "the author of the current line is asked for a solution, once"
    assert len(table.prompts("answer")) == 1


async def test_a_line_of_thought_whose_author_cannot_say_where_it_leads(company: Any) -> None:
    table = company(3, say=follows, final=lambda agent: "no JSON")
    verdict = await table.play(Discuss(decision="majority-consensus", style="reasoning", **ALONE))
    assert (verdict.outcome, verdict.answer) == ("unanswered", None)
    assert "the group agreed, but hidden-player-1 gave no answer" in (verdict.cause or "")


async def test_nobody_proposes_anything(company: Any) -> None:
    table = company(3, say=lambda table, agent, number: {"solution": None, "agree": True})
    verdict = await table.play(Discuss(decision="majority-consensus", max_turns=2, **ALONE))
    assert (verdict.outcome, verdict.answer, verdict.turns) == ("unanswered", None, 2)
    assert "no solution" in (verdict.cause or "")


async def test_three_agents_are_warned(company: Any) -> None:
    three = Discuss(decision="supermajority-consensus", **ALONE)
    (warning,) = three.traits.warnings
    assert "the same" in warning
    verdict = await company(3, say=follows).play(three)
    assert of_kind(verdict.traces, Remarked) == [Remarked(warning)]
    assert Discuss(decision="supermajority-consensus", agents=4).traits.warnings == ()
    assert Discuss(decision="unanimity-consensus").traits.warnings == ()


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (True, True),
        (False, False),
        ("true", True),
        ("AGREE", True),
        (" Disagree ", False),
        ("I agree", None),
        (1, None),
    ],
)
def test_agree_is_read_strictly(given: object, read: bool | None) -> None:
    from moot.team.forms import Unusable

    form = MessageForm(Question("q", "?"))
    data = {"message": "m", "solution": None, "agree": given}
    if read is None:
        with pytest.raises(Unusable):
            form.read(data)
    else:
        assert form.read(data) == Said("m", None, read)


def test_a_solution_has_the_form_of_the_question() -> None:
    from moot.team.forms import Unusable

    choice = MessageForm(Question("q", "?", ("one", "two"), kind="choice"), agree=False)
    assert choice.read({"message": "m", "solution": "b"}).solution == "B"
    assert choice.read({"message": "m", "solution": ""}).solution is None
    with pytest.raises(Unusable):
        choice.read({"message": "m", "solution": "C"})
    with pytest.raises(Unusable):
        choice.read({"message": " ", "solution": None})
    assert (
        MessageForm(Question("q", "?"), solution=False).read({"message": "m", "solution": "x", "agree": True}).solution
        is None
    )


def test_of_two_positions_with_one_solution_it_is_the_newer_that_is_stood_behind() -> None:
    """An agent that was shown an older one only stands with those who put the same on the table since: else consensus on the
    current solution would never count it."""
    older = TableRemark(0, "ann", 1, position=0, backs="River 1")
    newer = TableRemark(5, "bob", 2, position=5, backs="river 1")
    message = Said("So.", "River 1")
    assert stance(7, message, older, [older, newer]) == Stance(5, "river 1")
    rejecting = Said("So.", "River 1", agree=False)
    assert stance(7, rejecting, newer, [older, newer]) == Stance(0, "River 1"), "but for the one that it rejects"
