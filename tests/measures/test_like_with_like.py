"""What a form in the same call costs is told of each way of asking a single player by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
from worlds import in_form, questions

import moot
from moot import Question, Request, ScriptedModel, Team, Verdict
from moot.strategies.natives import Drafts
from moot.strategies.solo import Solo
from moot.strategies.traits import Traits

HINT = "Trust your first thought."


@dataclass(frozen=True, slots=True)
class Hinted:
    """A player alone, with a hint."""

    name: ClassVar[str] = "hinted"

    drafts: Drafts = "single-call"

    @property
    def traits(self) -> Traits:
        return Solo(self.drafts).traits

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return Solo(self.drafts).lineups(team)

    async def play(self, question: Question, team: Team) -> Verdict:
        (player,) = team.players
        return await Solo(self.drafts).play(question, replace(team, players=(replace(player, instruction=HINT),)))


def reply(request: Request) -> Any:
    """With the hint always right; without it only where nothing but the answer is asked for."""
    hinted = any(HINT in message.content for message in request.messages)
    fields = (request.schema or {}).get("properties", {})
    return in_form(request, "Paris" if hinted or "reasoning" not in fields else "Rome")


@pytest.mark.parametrize("hinted_first", [False, True])
def test_two_ways_of_asking_alone_are_not_mixed(hinted_first: bool) -> None:
    own: list[Any] = [Solo(), Solo("double-call")]
    others: list[Any] = [Hinted(), Hinted("double-call")]
    keys = {
        "name": "both",
        "questions": questions(10),
        "models": {"ann": ScriptedModel("ann", reply)},
        "strategies": [*others, *own] if hinted_first else [*own, *others],
    }
    figures = moot.run(keys).figures
    rows = {row["label"]: row for row in figures["formatting_tax_models"]}
    assert {label: (row["single"], row["double"], row["n"]) for label, row in rows.items()} == {
        "solo": (0.0, 1.0, 10),
        "hinted": (1.0, 1.0, 10),
    }
    tax = figures["formatting_tax"]
    assert (tax["difference"], tax["n_pairs"], sorted(tax["labels"])) == (0.5, 20, ["hinted", "solo"])


def test_another_strategy_is_no_partner() -> None:
    keys = {
        "name": "none",
        "questions": questions(4),
        "models": {"ann": ScriptedModel("ann", reply)},
        "strategies": [Solo(), Hinted("double-call")],
    }
    assert "formatting_tax" not in moot.run(keys).figures
