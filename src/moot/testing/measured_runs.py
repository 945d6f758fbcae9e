"""Runs to be measured: small experiments, each with something special about it, played once and copied for every check."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moot.errors import ConnectionFailed
from moot.models.scripted import Script, ScriptedModel
from moot.needs import NOTHING_MORE, Needs
from moot.types import Reply, Request

if TYPE_CHECKING:
    from sqlalchemy import Connection

Say = Callable[[str, Request], Script]
"""What a model of this name replies."""

NOT_GRADED = "some ungraded"
JUDGED = "judged"


@dataclasses.dataclass(frozen=True)
class MeasuredRun:
    """An experiment of two players and six questions, what its models say, and what is changed of its store afterwards."""

    say: Say
    keys: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Those of the file that are not the usual ones."""
    changes: tuple[str, ...] = ()
    """Statements of SQL."""

    @property
    def asks_for_measures(self) -> bool:
        """Whether measures that need more make it ask somebody: without judges and a grouping model nobody is asked."""
        return "judge" in self.keys or "grouping" in self.keys


def _sure(name: str, request: Request) -> Script:
    number = int((request.question_id or "q0")[1:])
    return _answered("Paris" if (number + len(name) + ord(name[0])) % 3 else f"Lyon {name}")


def _open_to_doubt(name: str, request: Request) -> Script:
    return "no word" if name == "judge" else _sure(name, request)


def _judged(name: str, request: Request) -> Script:
    """Nobody says the same as anybody else; a judge accepts every answer, and finds that all mean the same."""
    asked_for = (request.schema or {}).get("properties", {})
    if "grades" in asked_for:
        answers = asked_for["grades"]["items"]["properties"]["id"]["maximum"]
        return {"grades": [{"id": number, "is_correct": True} for number in range(1, answers + 1)]}
    if "groups" in asked_for:
        return {"groups": [list(range(1, asked_for["groups"]["maxItems"] + 1))]}
    # A captain who has read drafts says it in words of its own.
    word = "The capital" if "Lyon of" in request.messages[-1].content else "Lyon"
    return _answered(f"{word} of {name}, {request.question_id}")


def _troubled(name: str, request: Request) -> Script:
    number = int((request.question_id or "q0")[1:])
    if number % 3 == 0:
        return ConnectionFailed("nobody is there")
    return Reply("I would rather not.", finish="refusal") if number % 3 == 1 else _sure(name, request)


_OBJECTION = '{"kind": "objection", "player": "ann", "agree": false, "answer": "The city of light"}'
_OBJECTED = f"UPDATE episodes SET verdict = json_insert(verdict, '$.traces[#]', json('{_OBJECTION}'))"
"""As if somebody had claimed something after the decision."""

_EMPTIED = tuple(f"DELETE FROM {table}" for table in ("episodes", "scores", "calls", "matches"))

RUNS: Mapping[str, MeasuredRun] = {
    "all graded": MeasuredRun(_sure),
    "repeats": MeasuredRun(_sure, {"repeats": 2}),
    NOT_GRADED: MeasuredRun(_open_to_doubt, {"judge": {"models": ["judge"]}}),
    JUDGED: MeasuredRun(
        _judged,
        {"judge": {"models": ["judge"]}, "grouping": {"model": "judge"}, "strategies": ["silent"]},
        (_OBJECTED,),
    ),
    "failures": MeasuredRun(_troubled),
    "no team": MeasuredRun(_sure, {"teams": {}, "strategies": ["solo"]}),
    "no captain": MeasuredRun(_sure, {"teams": {"two": {"players": ["ann", "bob"]}}, "strategies": ["vote"]}),
    "no traits": MeasuredRun(_sure, changes=("UPDATE cells SET traits = '{}' WHERE player IS NULL",)),
    "nothing played yet": MeasuredRun(_sure, changes=_EMPTIED),
}
"""What there is to be measured, by what is special about it."""

ONE_RUN = "DELETE FROM runs WHERE id > (SELECT MIN(id) FROM runs)"
"""What was asked for afterwards, as if it had been asked for at once."""


def graded_as(right: bool | None) -> tuple[str, ...]:
    """Statements that grade whatever is ungraded; None: it stays as it is."""
    if right is None:
        return ()
    return (
        f"UPDATE scores SET value = {float(right)}, stage = 'judge', detail = NULL WHERE value IS NULL",
        f"UPDATE judgements SET right = {int(right)}, detail = NULL WHERE right IS NULL",
    )


_STORES: dict[tuple[str, Needs], bytes] = {}


async def on_run(name: str, needs: Needs, work: Callable[[Connection], None], *, changes: tuple[str, ...] = ()) -> None:
    """On a copy of a run's store, in which there is what these needs provide; it is played where it has not been yet."""
    from tempfile import TemporaryDirectory

    from moot.store import store_at

    with TemporaryDirectory() as folder:
        kept = Path(folder) / "cup.db"
        kept.write_bytes(await _stored(name, needs if RUNS[name].asks_for_measures else NOTHING_MORE))
        _changed(kept, changes)
        store = await store_at(f"sqlite:///{kept}").open()
        try:
            await store.run(work)
        finally:
            await store.close()


async def _stored(name: str, needs: Needs) -> bytes:
    """Played once, with nothing but the play; what more is needed is asked for afterwards, on a copy of that."""
    from tempfile import TemporaryDirectory

    if (name, needs) not in _STORES:
        run = RUNS[name]
        before = None if needs == NOTHING_MORE else await _stored(name, NOTHING_MORE)
        with TemporaryDirectory() as folder:
            kept = Path(folder) / "cup.db"
            if before is not None:
                kept.write_bytes(before)
            await _play(Path(folder), run, needs)
            if before is None:
                _changed(kept, run.changes)
            _STORES[name, needs] = kept.read_bytes()
    return _STORES[name, needs]


def _answered(answer: str) -> str:
    return json.dumps({"reasoning": "I know.", "answer": answer})


async def _play(folder: Path, run: MeasuredRun, needs: Needs) -> None:
    from functools import partial

    from moot.engine.runner import Runner
    from moot.experiment.build import build
    from moot.experiment.spec import read_experiment

    human = {"human": {"solved": 3, "asked": 10}, "category": "cities"}
    asked = [{"id": f"q{number}", "text": f"Which city, {number}?", "answer": "Paris", **human} for number in range(6)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    names = ["ann", "bob", *run.keys.get("judge", {}).get("models", ())]
    file = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in names},
        "teams": {"two": {"players": ["ann", "bob"], "captain": "each"}},
        "strategies": ["solo", "vote", "silent"],
        "store": f"sqlite:///{folder}/cup.db",
        **run.keys,
    }
    (folder / "cup.yaml").write_text(json.dumps(file), encoding="utf-8")
    plan = build(read_experiment(folder / "cup.yaml"))
    models = {
        name: dataclasses.replace(built, model=ScriptedModel(name, partial(run.say, name)))
        for name, built in plan.models.items()
    }
    store = await plan.store().open()
    try:
        await Runner(dataclasses.replace(plan, models=models), store, needs=needs).run()
    finally:
        await store.close()


def _changed(database_file: Path, statements: tuple[str, ...]) -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(database_file)) as database, database:
        for statement in statements:
            database.execute(statement)
