"""Everything that is registered keeps the contract of its kind, and the suites notice when it is broken."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from moot.data import builtin, load
from moot.errors import ConnectionFailed
from moot.grade.match import Match
from moot.models.cache import Cache
from moot.models.limit import Limit, Limiter
from moot.models.model import Model
from moot.models.recorded import RecordedModel
from moot.models.retry import Retry
from moot.models.scripted import ScriptedModel
from moot.simulate.simulated import SimulatedModel
from moot.simulate.world import World
from moot.store.calls import ExperimentCalls
from moot.store.sqlite import SqliteStore
from moot.strategies import Strategy, registered, strategy
from moot.strategies.solo import Solo
from moot.team import Team
from moot.testing import check_grader, check_model, check_store, check_strategy
from moot.types import Question, Verdict


@pytest.mark.parametrize("name", sorted(registered()))
async def test_strategies(name: str) -> None:
    await check_strategy(strategy(name))


async def test_match() -> None:
    await check_grader(Match())


async def test_sqlite(tmp_path: Path) -> None:
    await check_store(lambda: SqliteStore(tmp_path / "store.db"))


def scripted() -> ScriptedModel:
    return ScriptedModel("ann", lambda request: {"reasoning": "", "answer": "Paris"})


@pytest.mark.parametrize(
    "model",
    [
        scripted(),
        Retry(scripted()),
        Limit(scripted(), Limiter()),
        SimulatedModel("tom", accuracy=0.5, world=World(load(builtin("facts-en")), 7)),
    ],
    ids=["scripted", "retry", "limit", "simulated"],
)
async def test_models(model: Model) -> None:
    await check_model(model)


async def test_recorded(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text('{"model": "m", "question_id": "paris", "answer": "Paris"}\n')
    await check_model(RecordedModel("m", file=file, model="m"))


async def test_cache(tmp_path: Path) -> None:
    store = await SqliteStore(tmp_path / "store.db").open()
    await check_model(Cache(scripted(), ExperimentCalls(store, "test")))
    await store.close()


async def test_a_model_that_fails_keeps_the_contract_too() -> None:
    await check_model(ScriptedModel("bob", lambda request: ConnectionFailed("nobody is there")), answers=False)


@dataclass
class Forgetful:
    """Breaks a promise: it counts its plays."""

    name: ClassVar[str] = "forgetful"
    played: int = 0

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return Solo().lineups(team)

    async def play(self, question: Question, team: Team) -> Verdict:
        self.played += 1
        verdict = await Solo().play(question, team)
        return Verdict(f"{verdict.answer} {self.played}", "answered", who=verdict.who)


@dataclass(frozen=True)
class Inventive:
    """Breaks a promise: where nobody answers it makes something up."""

    name: ClassVar[str] = "inventive"

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return Solo().lineups(team)

    async def play(self, question: Question, team: Team) -> Verdict:
        verdict = await Solo().play(question, team)
        return verdict if verdict.answer else Verdict("A", "answered")


@dataclass(frozen=True)
class Secretive:
    """Breaks a promise: what it does not say is lost."""

    name: ClassVar[str] = "secretive"

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return Solo().lineups(team)

    async def play(self, question: Question, team: Team) -> Verdict:
        verdict = await Solo().play(question, team)
        return verdict if verdict.answer is None else Verdict(None, "abstained", cause="not sure")


@pytest.mark.parametrize(
    ("broken", "words"),
    [(Forgetful(), "differs"), (Inventive(), "usable"), (Secretive(), "record of the answer that is not given")],
)
async def test_a_broken_strategy_is_noticed(broken: Strategy, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        await check_strategy(broken)
