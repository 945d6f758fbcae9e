"""Tokens that a server did not count are unknown, and so is every sum and ratio that they would be a part of."""

from __future__ import annotations

from typing import Any

import pytest
from worlds import PLAYERS, in_form, questions, row

import moot
from moot import Reply, Request, ScriptedModel
from moot.measures.discussion.sections import discussion_sections
from moot.strategies.team_model import TeamModel
from moot.strategies.vote import Vote
from moot.team import Player, Team
from moot.types import Message, Usage

VOTE = {"discuss": {"personas": "none", "decision": "simple-voting"}}
COUNTED = Usage(100, 20)


def figures(uncounted: Usage, name: str = "ann") -> dict[str, Any]:
    """A table at which the server of one model does not count every call."""

    def reply(own: str, request: Request) -> Reply:
        text = str(in_form(request, "Paris")).replace("'", '"')
        silent = own == name and request.question_id in ("q0", "q1")
        return Reply(text, usage=uncounted if silent else COUNTED, cost_usd=0.0)

    models = {each: ScriptedModel(each, lambda request, each=each: reply(each, request)) for each in PLAYERS}
    players = {each: {"model": each} for each in PLAYERS}
    keys = {"name": "cup", "questions": questions(4), "models": models, "players": players}
    return dict(moot.run({**keys, "teams": {"table": {"players": [*PLAYERS]}}, "strategies": ["solo", VOTE]}).figures)


def test_one_call_whose_server_did_not_count_makes_the_sum_unknown() -> None:
    found = figures(Usage())["accuracy"]
    ann, bob = row(found, player="ann"), row(found, player="bob")
    assert (ann["prompt_tokens"], ann["completion_tokens"], ann["reasoning_tokens"]) == (None, None, None)
    assert (ann["calls"], ann["tokens_known"]) == (4, 2)
    assert (bob["prompt_tokens"], bob["completion_tokens"], bob["reasoning_tokens"]) == (400, 80, 0)
    assert "tokens_known" not in bob


def test_what_is_told_of_a_call_in_part_is_known() -> None:
    ann = row(figures(Usage(prompt=100))["accuracy"], player="ann")
    assert (ann["prompt_tokens"], ann["completion_tokens"], ann["tokens_known"]) == (400, None, 2)


def test_no_word_of_thoughts_beside_a_count_is_none_of_them() -> None:
    ann = row(figures(Usage(100, 20, reasoning=7))["accuracy"], player="ann")
    assert ann["reasoning_tokens"] == 14


def test_there_is_no_ratio_of_what_nobody_counted() -> None:
    told = figures(Usage())
    costs = {each["protocol"]: each for each in told["protocol_cost"]}
    talk = costs["simple-voting"]
    assert (talk["tokens_ratio"], talk["prompt_tokens"], talk["completion_tokens"]) == (None, None, None)
    assert talk["calls_ratio"] is not None
    assert costs["solo@ann"]["prompt_tokens"] is None
    assert costs["solo@ann"]["tokens_known"] == {"calls": 4, "known": 2}
    assert costs["solo@bob"]["prompt_tokens"] == 100
    (section,) = (each for each in discussion_sections(told) if each.id == "protocol-cost")
    assert any("did not count the tokens of 2 of 4 calls" in words for words in section.words)
    assert row(section.rows, protocol="solo@ann")["prompt_tokens"] is None
    counted = figures(COUNTED)
    assert row(counted["protocol_cost"], protocol="simple-voting")["tokens_ratio"] is not None


@pytest.mark.parametrize(
    ("told", "usage"),
    [
        ((COUNTED, COUNTED), Usage(200, 40, 0, 0)),
        ((Usage(100, 20, 5, 60), COUNTED), Usage(200, 40, 5, 60)),
        ((Usage(), COUNTED), Usage()),
        ((Usage(prompt=100), COUNTED), Usage(200, None, None, 0)),
    ],
)
async def test_a_team_that_is_a_model_tells_no_more_than_its_players_did(
    told: tuple[Usage, Usage], usage: Usage
) -> None:
    replies = [Reply('{"reasoning": "So.", "answer": "Paris"}', usage=each) for each in told]
    players = tuple(Player(name, ScriptedModel(name, [reply])) for name, reply in zip("ab", replies, strict=True))
    request = Request((Message("user", "Which city?"),))
    assert (await TeamModel(Vote(), Team("two", players)).generate(request)).usage == usage
