"""What somebody who uses moot writes. It is checked by mypy --strict, and run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, assert_type

import moot


@dataclass(frozen=True)
class First:
    """The first player who has an answer."""

    name: ClassVar[str] = "first-of-all"
    traits: ClassVar[moot.Traits] = moot.Traits(prompts=("draft",), drafts="single-call", word="player")

    def lineups(self, team: moot.Team) -> tuple[moot.Team, ...]:
        return (team,)

    async def play(self, question: moot.Question, team: moot.Team) -> moot.Verdict:
        drafts = await team.drafts(question)
        return moot.Verdict(drafts[0].text, drafts[0].outcome, who=(drafts[0].player,), answers=drafts)


def say(request: moot.Request) -> Mapping[str, Any]:
    assert_type(request.messages, tuple[moot.Message, ...])
    return {"reasoning": "known", "answer": "Paris"}


def main() -> None:
    case = moot.Case(moot.Question("1", "What is the capital of France?"), "Paris")
    model: moot.Model = moot.ScriptedModel("ann", say)
    experiment = moot.Experiment(name="typed", models={"ann": model}, questions=[case], strategies=["solo", First()])
    assert_type(experiment.name, str)
    strategy: moot.Strategy = First()
    results = moot.run(experiment, strategies=[strategy], limit=1)
    assert_type(results, moot.Results)
    assert_type(results.headline, str)
    print(results.state, [row["value"] for row in results.figures["accuracy"]])
    again = asyncio.run(moot.arun({"name": "typed", "models": {"ann": model}, "questions": [case]}))
    assert_type(again, moot.Results)
    try:
        moot.run("nowhere.yaml")
    except moot.MootError as error:
        print(error)


if __name__ == "__main__":
    main()
