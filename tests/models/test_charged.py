"""What a call costs, whichever kind of model made it: as its reply says, else price times tokens, else nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import moot
from moot import Case, Question, Reply, Request
from moot.models.recorded import RecordedModel
from moot.stats.written_numbers import dollars
from moot.strategies.team_model import TeamModel
from moot.strategies.vote import Vote
from moot.team import Player, Team
from moot.testing import check_model
from moot.types import FREE, Message, Price, Usage

PRICE = Price(10.0, 20.0)
COUNTED = Usage(100, 50)
A_CALL_USD = 0.002
CASES = [Case(Question(str(number), f"What is capital number {number}?"), "Paris") for number in range(30)]


@dataclass
class Counting:
    """Says its tokens, and of money only what it is told to."""

    name: str = "own"
    usage: Usage = COUNTED
    cost_usd: float | None = None
    price: Price | None = PRICE
    max_tokens: int = 200
    asked: int = 0

    def shape(self, request: Request) -> Mapping[str, Any]:
        return {"provider": "own", "messages": [message.content for message in request.messages]}

    async def generate(self, request: Request) -> Reply:
        self.asked += 1
        return Reply('{"reasoning": "", "answer": "Paris"}', usage=self.usage, cost_usd=self.cost_usd)

    async def close(self) -> None: ...


@pytest.mark.parametrize(
    ("model", "a_call_usd"),
    [
        (Counting(), A_CALL_USD),
        (Counting(usage=Usage(100, 50, cached=40)), A_CALL_USD),
        (Counting(cost_usd=0.5), 0.5),
        (Counting(cost_usd=0.0), 0.0),
        (Counting(usage=Usage()), None),
        (Counting(usage=Usage(), price=FREE), 0.0),
        (Counting(price=None), None),
    ],
)
def test_a_call_costs_price_times_tokens_where_its_reply_does_not_say(
    model: Counting, a_call_usd: float | None
) -> None:
    results = moot.run({"name": "cup", "models": {"own": model}, "questions": CASES[:5]})
    row = results.figures["accuracy"][0]
    assert row["calls"] == model.asked == 5
    assert row["cost_usd"] == (None if a_call_usd is None else pytest.approx(5 * a_call_usd))


def test_a_budget_is_spent_by_what_calls_cost_and_not_by_what_they_could_have(tmp_path: Path) -> None:
    """Whether its model multiplies by itself or not."""
    ends = []
    for model in (Counting(), Counting(cost_usd=A_CALL_USD)):
        store = f"sqlite:///{tmp_path}/{len(ends)}.db"
        keys = {"name": "cup", "models": {"own": model}, "questions": CASES, "store": store, "budget_usd": 0.05}
        results = moot.run(keys)
        assert results.state == "budget"
        assert f"{dollars(model.asked * A_CALL_USD)} spent" in str(results.stopped_by)
        assert results.figures["bill_usd"] == pytest.approx(model.asked * A_CALL_USD)
        ends.append((model.asked, results.stopped_by))
    assert ends[0] == ends[1]


async def test_a_team_that_is_a_model_costs_what_its_players_do() -> None:
    team = Team("two", tuple(Player(name, Counting(name)) for name in ("ann", "bob")))
    reply = await TeamModel(Vote(), team).generate(Request((Message("user", "Which?"),)))
    assert reply.cost_usd == pytest.approx(2 * A_CALL_USD)


async def test_a_recording_with_a_price_and_no_tokens_costs_nobody_knows_what(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text('{"model": "m", "question_id": "1", "answer": "Paris"}\n')
    asked = Request((Message("user", "Which?"),), question_id="1")
    costs = [
        (await RecordedModel("m", file=file, model="m", price=price).generate(asked)).cost_usd
        for price in (FREE, PRICE)
    ]
    assert costs == [0.0, None]


@pytest.mark.parametrize("model", [Counting(usage=Usage()), Counting(usage=Usage(100)), Counting(cost_usd=0.0)])
async def test_the_contract_notices_a_price_that_is_never_charged(model: Counting) -> None:
    with pytest.raises(AssertionError, match="price that is never charged"):
        await check_model(model)


@pytest.mark.parametrize(
    "model",
    [Counting(), Counting(usage=Usage(), cost_usd=0.1), Counting(usage=Usage(), price=FREE), Counting(price=None)],
)
async def test_the_contract_takes_a_price_that_is_charged_in_either_way(model: Counting) -> None:
    await check_model(model)
