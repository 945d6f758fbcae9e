"""`repeats`: a strategy that decides several times from the same drafts, which are asked for once by plain `team.drafts`."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import ClassVar

import moot
from moot import Case, Question, Request, ScriptedModel, Team, Traits, Verdict
from moot.strategies import CallBound
from moot.strategies.team_model import TeamModel
from moot.team import Player
from moot.testing import check_strategy
from moot.types import Message

TIMES, REPEATS, QUESTIONS = 3, 2, 4
DOCS = Path(__file__).parents[2] / "docs" / "extending.md"


@dataclass(frozen=True, slots=True)
class Drawn:
    """One of the drafts, by lot."""

    name: ClassVar[str] = "drawn"
    traits: ClassVar[Traits] = Traits(
        prompts=("draft",),
        drafts="single-call",
        word="player",
        hears="nothing",
        asks="nobody",
        repeats=TIMES,
        calls=CallBound(per_player=1),
    )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        answered = [draft for draft in drafts if draft.text is not None]
        absent = tuple(draft.player for draft in drafts if draft.text is None)
        if not answered:
            return Verdict(None, "unanswered", answers=drafts, absent=absent, cause="nobody has answered")
        one = team.random(question, "lot").choice(answered)
        return Verdict(one.text, "answered", one.reasoning, (one.player,), drafts, absent=absent)


async def test_nothing_is_asked_anew_for_another_decision() -> None:
    asked: Counter[tuple[str, str | None, int]] = Counter()

    def says(name: str) -> ScriptedModel:
        def reply(request: Request) -> dict[str, str]:
            asked[name, request.question_id, request.sample] += 1
            return {"reasoning": "", "answer": name}

        return ScriptedModel(name, reply)

    cases = [Case(Question(str(n), f"What is capital number {n}?"), "ann") for n in range(QUESTIONS)]
    models = {name: says(name) for name in ("ann", "bob")}
    keys = {"name": "cup", "models": models, "questions": cases, "strategies": ["vote"], "repeats": REPEATS}
    results = await moot.arun(keys, strategies=[Drawn()])
    expected = {(name, case.question.id, sample): 1 for name in models for case in cases for sample in range(REPEATS)}
    assert asked == expected, "every draft of every repeat once, also beside a vote over the same"
    row = next(row for row in results.figures["accuracy"] if row["strategy"] == "drawn")
    assert row["calls"] == len(expected)
    assert 0 < row["value"] < 1, "each decision draws by itself"


async def test_a_team_that_is_a_model_asks_once_too() -> None:
    samples: list[int] = []

    def reply(request: Request) -> dict[str, str]:
        samples.append(request.sample)
        return {"reasoning": "", "answer": "Paris"}

    model = TeamModel(Drawn(), Team("one", (Player("ann", ScriptedModel("ann", reply)),)))
    for sample in range(2 * TIMES):
        await model.generate(Request((Message("user", "Which?"),), sample=sample))
    assert samples == [0, 0, 0, 1, 1, 1], "stored under one key"


async def test_the_contract_takes_it() -> None:
    await check_strategy(Drawn())


def test_every_trait_stands_in_the_table_of_the_documentation() -> None:
    table = DOCS.read_text(encoding="utf-8").partition("\n| trait | values |\n")[2].partition("\n\n")[0]
    told = re.findall(r"^\| `(\w+)` \| (.+) \|$", table, re.MULTILINE)
    assert sorted(name for name, _ in told) == sorted(trait.name for trait in fields(Traits))
