"""What is asked twice in the same words, in different turns, is asked anew: a vote after a tie is a new vote.

All of it goes through the cache, as in a run: without it every question would be new anyway.
"""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from moot.errors import CallError
from moot.models.cache import Cache, StoredCall
from moot.models.model import call_key
from moot.models.scripted import Script, ScriptedModel
from moot.strategies.discuss.discuss import Discuss
from moot.team import Player, Team
from moot.team.forms import AnswerForm
from moot.types import Question, Reply, Request

ALONE = {"personas": "none"}


class MemoryStore:
    """As little of a store as the cache needs."""

    def __init__(self) -> None:
        self.calls: dict[str, StoredCall] = {}

    def want(self, key: str, sample: int | None = None) -> None:
        pass

    async def find_call(self, key: str) -> Reply | None:
        return self.calls[key].reply if key in self.calls else None

    async def begin(self, key: str) -> Reply | None:
        return None

    def drop(self, key: str) -> None:
        pass

    async def keep_call(self, call: StoredCall) -> Reply:
        await asyncio.sleep(0)
        return self.calls.setdefault(call.key, call).reply

    async def keep_failure(self, key: str, model: str, error: CallError) -> None:
        pass


def kept(table: Any, store: MemoryStore) -> Any:
    """The same company behind a cache."""
    players = tuple(Player(player.name, Cache(player.model, store)) for player in table.team.players)
    officers = {office: Player(office, Cache(player.model, store)) for office, player in table.team.officers.items()}
    table.team = Team("test", players, seed=7, officers=officers)
    return table


async def test_random_ballots_stay_undecided_as_often_as_chance_has_it(company: Any) -> None:
    """Three voters over three options tie in 22 % of votes; three votes in a row in 1.1 %."""
    lot = random.Random(7)
    undecided, episodes = 0, 150
    for number in range(episodes):
        table = company(
            3,
            question=company.question_named(f"q{number}"),
            ballot=lambda agent, request: company.vote(request, lot.randint(1, 3)),
        )
        verdict = await kept(table, MemoryStore()).play(Discuss(**ALONE))
        undecided += verdict.outcome == "undecided"
    assert undecided / episodes < 0.035


@pytest.mark.parametrize("decision", ["simple-voting", "ranked-voting", "cumulative-voting", "approval-voting"])
async def test_a_vote_after_a_tie_is_cast_again(company: Any, decision: str) -> None:
    """The second time agent 2 gives in; the words of the paper are the same."""
    times = {1: 0, 2: 0}

    def cast(agent: int, request: Request) -> Script:
        times[agent] += 1
        wanted = "River 1" if agent == 1 or times[agent] > 1 else "River 2"
        return company.vote(request, company.options(company.text(request)).index(wanted) + 1)

    table = kept(company(2, ballot=cast), MemoryStore())
    verdict = await table.play(Discuss(decision=decision, agents=2, **ALONE))
    assert (verdict.outcome, verdict.answer, verdict.turns) == ("answered", "River 1", 4)
    papers = {company.text(request) for request in table.sent(2, "ballot")}
    assert len(papers) == 1, "the same words"


async def test_a_judge_who_could_not_say_is_asked_anew(company: Any) -> None:
    times = iter(range(100))

    def pick(agent: int, request: Request) -> Script:
        return {"reasoning": "", "choice": 9 if next(times) < 5 else 1}

    table = kept(company(3, other={"judge": pick}), MemoryStore())
    verdict = await table.play(Discuss(decision="judge", judge="any", **ALONE))
    assert (verdict.outcome, verdict.turns) == ("answered", 4)


async def test_collective_improvement_goes_on_where_nothing_changed(company: Any) -> None:
    """Solutions that stay as they are make the next prompt the same: it is still a new turn, and a new try."""

    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        return {"solution": "River 9" if number == 4 else f"River {agent}"}

    table = kept(company(3, say=say), MemoryStore())
    verdict = await table.play(
        Discuss(drafting="collective-improvement", decision="solution-counting", vote_from=4, **ALONE)
    )
    assert table.messages == {1: 4, 2: 4, 3: 4}
    assert (verdict.outcome, verdict.answer) == ("answered", "River 9")


@pytest.mark.parametrize("paradigm", ["relay", "collective-refinement", "memory"])
async def test_a_message_in_the_same_words_is_a_message_of_its_own(company: Any, paradigm: str) -> None:
    """All repeat themselves, so that with one visible turn the prompts of later turns are alike."""

    def say(table: Any, agent: int, number: int) -> dict[str, Any]:
        return {"message": "still so", "solution": f"River {agent}", "agree": False}

    table = kept(company(3, say=say), MemoryStore())
    await table.play(Discuss(paradigm=paradigm, visible_turns=1, vote_from=5, **ALONE))
    assert table.messages == {1: 5, 2: 5, 3: 5}


async def test_an_agent_whose_message_could_not_be_used_is_asked_anew_in_the_next_round(company: Any) -> None:
    """Within a turn too, where a paradigm has rounds: nobody said anything, so the words are the same."""
    first: dict[int, int] = {}

    def say(agent: int, request: Request) -> Script:
        first[agent] = first.get(agent, 0) + (request.attempt == 0)
        return "no JSON at all"

    table = kept(company(3, other={"discuss": say}), MemoryStore())
    await table.play(Discuss(paradigm="debate", debate_rounds=2, max_turns=3, **ALONE))
    assert first == {1: 3, 2: 6, 3: 6}


async def test_the_first_time_is_found_in_a_store_of_before(company: Any) -> None:
    """The key of what is asked for the first time is what it was before the turn was a part of it."""
    store = MemoryStore()
    table = kept(company(2, ballot=company.choosing(["River 1", "River 2"])), store)
    await table.play(Discuss(agents=2, **ALONE))
    for agent in (1, 2):
        model = table.models[agent - 1]
        first, *later = [call_key(model, request) for request in table.sent(agent, "ballot")]
        assert table.sent(agent, "ballot")[0].sample == 0
        assert len({first, *later}) == 3
        assert all(key in store.calls for key in (first, *later))


async def test_once_played_it_replays_without_a_call(company: Any) -> None:
    store = MemoryStore()
    table = kept(company(2, ballot=company.choosing(["River 1", "River 2"])), store)
    before = await table.play(Discuss(agents=2, **ALONE))
    asked = sum(len(model.requests) for model in table.models)
    assert await table.play(Discuss(agents=2, **ALONE)) == before
    assert sum(len(model.requests) for model in table.models) == asked


async def test_what_is_asked_twice_in_one_turn_is_one_call() -> None:
    """Whoever asks the same in the same turn means the same: strategies share their drafts so."""
    model = ScriptedModel("ann", lambda request: {"reasoning": "", "answer": "Don"})
    team = Team("t", (Player("ann", Cache(model, MemoryStore())),)).seated()
    question = Question("q", "Which river?")
    for turn in (1, 1, 2, 1, 2):
        await team.ask(team["ann"], question, "Which?", AnswerForm(question), stage="draft", turn=turn)
    assert [request.sample for request in model.requests] == [0, 1_000_000_000]


async def test_reading_the_same_reply_again_is_no_new_decision() -> None:
    """Extraction models read words; equal words in a later turn are read already."""
    from moot.grade.extract import StagedReader

    readers = [ScriptedModel(name, lambda request: {"answer": "Don"}) for name in ("one", "two")]
    store = MemoryStore()
    reader = StagedReader(tuple(Player(model.name, Cache(model, store)) for model in readers))
    team = Team("t", (Player("ann", ScriptedModel("ann", [])),), reader=reader).seated()
    question = Question("q", "Which river?")
    for turn in (2, 3):
        await team.read(team["ann"], question, Reply("I think that it might be\nthe Don, or so"), turn=turn)
    assert [len(model.requests) for model in readers] == [1, 1]
