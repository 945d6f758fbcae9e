"""Runs to be measured: small experiments, each with something special about it, played once and copied for every check."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moot.errors import ConnectionFailed, UsageError
from moot.models.scripted import Script, ScriptedModel
from moot.needs import NOTHING_MORE, Needs
from moot.strategies import Strategy, strategy, traits_of
from moot.traces import StrategyBroke, of_kind
from moot.types import Reply, Request, Verdict

if TYPE_CHECKING:
    from sqlalchemy import Connection

StrategyGiven = str | Mapping[str, Mapping[str, Any] | None] | Strategy
"""As in a file, a name or a name with options; or an object, also of a class that is registered nowhere."""

Say = Callable[[str, Request], Script]
"""What a model of this name replies."""

NOT_GRADED = "some ungraded"
JUDGED = "judged"
JUDGE, SECOND_JUDGE = "judge", "second-judge"


@dataclasses.dataclass(frozen=True)
class MeasuredRun:
    """An experiment of two players and six questions, what its models say, and what is changed of its store afterwards."""

    say: Say
    keys: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Those of the file that are not the usual ones."""
    changes: tuple[str, ...] = ()
    """Statements of SQL."""
    sets: int = 1
    """In how many sets its questions are. Those of the second are scored by the words they share with the answer."""
    plays_more: bool = True
    """Whether further strategies are played in it: without a team or a captain they may not be able to."""
    all_answer: bool = True
    """Whether everybody who plays answers, and in form: then a strategy that fails has itself to blame."""

    @property
    def asks_for_measures(self) -> bool:
        """Whether measures that need more make it ask somebody: without judges and a grouping model nobody is asked."""
        return "judge" in self.keys or "grouping" in self.keys


def _sure(name: str, request: Request) -> Script:
    number = int((request.question_id or "q0")[1:])
    return _answered("Paris" if (number + len(name) + ord(name[0])) % 3 else f"Lyon {name}", name, request)


def _open_to_doubt(name: str, request: Request) -> Script:
    return "no word" if name == JUDGE else _sure(name, request)


def _disputed(name: str, request: Request) -> Script:
    """Of two judges one accepts every answer and the other none."""
    return _grades(request, right=name == JUDGE) if name in (JUDGE, SECOND_JUDGE) else _sure(name, request)


def _grades(request: Request, *, right: bool) -> Script:
    answers = (request.schema or {})["properties"]["grades"]["items"]["properties"]["id"]["maximum"]
    return {"grades": [{"id": number, "is_correct": right} for number in range(1, answers + 1)]}


def _judged(name: str, request: Request) -> Script:
    """Nobody says the same as anybody else; a judge accepts every answer, and finds that all mean the same."""
    asked_for = (request.schema or {}).get("properties", {})
    if name == JUDGE and "grades" in asked_for:
        return _grades(request, right=True)
    if name == JUDGE and "groups" in asked_for:
        return {"groups": [list(range(1, asked_for["groups"]["maxItems"] + 1))]}
    # A captain who has read drafts says it in words of its own.
    word = "The capital" if "Lyon of" in request.messages[-1].content else "Lyon"
    return _answered(f"{word} of {name}, {request.question_id}", name, request)


def _troubled(name: str, request: Request) -> Script:
    number = int((request.question_id or "q0")[1:])
    if number % 3 == 0:
        return ConnectionFailed("nobody is there")
    return Reply("I would rather not.", finish="refusal") if number % 3 == 1 else _sure(name, request)


_OBJECTION = '{"kind": "objection", "player": "ann", "agree": false, "answer": "The city of light"}'
_OBJECTED = f"UPDATE episodes SET verdict = json_insert(verdict, '$.traces[#]', json('{_OBJECTION}'))"
"""As if somebody had claimed something after the decision."""

_EMPTIED = tuple(f"DELETE FROM {table}" for table in ("episodes", "scores", "calls", "matches"))

_OF_TEAMS = "cell IN (SELECT id FROM cells WHERE player IS NULL)"
_HELD_BACK = (
    f"""UPDATE scores SET value = 0.0, stage = 'no-answer', detail = NULL WHERE {_OF_TEAMS}
        AND "case" IN (SELECT "case" FROM experiment_questions WHERE unicode(question) % 2)""",
    f"""UPDATE episodes SET outcome = 'abstained', answer = NULL, verdict = json_remove(json_set(verdict, '$.outcome',
        'abstained', '$.answer', NULL), '$.who') WHERE {_OF_TEAMS} AND unicode(question) % 2""",
)
"""As if teams had not been sure enough of every other answer."""

RUNS: Mapping[str, MeasuredRun] = {
    "all graded": MeasuredRun(_sure),
    "repeats": MeasuredRun(_sure, {"repeats": 2}, plays_more=False),
    NOT_GRADED: MeasuredRun(_open_to_doubt, {"judge": {"models": [JUDGE]}}),
    JUDGED: MeasuredRun(
        _judged,
        {"judge": {"models": [JUDGE]}, "grouping": {"model": JUDGE}, "strategies": ["silent"]},
        (_OBJECTED,),
    ),
    "two judges, two sets": MeasuredRun(
        _disputed, {"judge": {"models": [JUDGE, SECOND_JUDGE]}, "strategies": ["vote"]}, sets=2, plays_more=False
    ),
    "failures": MeasuredRun(_troubled, all_answer=False),
    "no team": MeasuredRun(_sure, {"teams": {}, "strategies": ["solo"]}, plays_more=False),
    "no captain": MeasuredRun(
        _sure, {"teams": {"two": {"players": ["ann", "bob"]}}, "strategies": ["vote"]}, plays_more=False
    ),
    "no traits": MeasuredRun(_sure, changes=("UPDATE cells SET traits = '{}' WHERE player IS NULL",)),
    "some abstained": MeasuredRun(_sure, changes=_HELD_BACK, plays_more=False),
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


def _made(given: StrategyGiven) -> Strategy:
    if isinstance(given, str):
        return strategy(given)
    if not isinstance(given, Mapping):
        return given
    if len(given) != 1:
        raise UsageError("expected one name with its options: {'adaptive': {'talk_from': 3}}")
    return strategy(*next(iter(given.items())))


class MeasuredRuns:
    """All of `RUNS`, with these strategies beside the usual ones; each is played where it has not been yet."""

    def __init__(self, strategies: Sequence[StrategyGiven] = ()) -> None:
        self.strategies = tuple(strategies)
        self.played = tuple(map(_made, self.strategies))
        self.officers = tuple(
            dict.fromkeys(model for each in self.played for model in traits_of(each).offices.values())
        )
        self._built_in: dict[str, dict[str, dict[str, Any]]] = {}
        self._stores: dict[tuple[str, Needs], bytes] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """What the further strategies are called."""
        return tuple(str(getattr(each, "name", "")) for each in self.played)

    def built_in(self, name: str) -> dict[str, dict[str, Any]]:
        """What the built-in measures make of a run, by measure; empty as long as nobody has taken them."""
        return self._played_in(name)._built_in.setdefault(name, {})

    def _played_in(self, name: str) -> MeasuredRuns:
        return self if RUNS[name].plays_more or not self.strategies else runs_with(())

    async def on_run(
        self, name: str, needs: Needs, work: Callable[[Connection], None], *, changes: tuple[str, ...] = ()
    ) -> None:
        """On a copy of a run's store, in which there is what these needs provide."""
        from tempfile import TemporaryDirectory

        from moot.store import store_at

        with TemporaryDirectory() as folder:
            kept = Path(folder) / "cup.db"
            needed = needs if RUNS[name].asks_for_measures else NOTHING_MORE
            kept.write_bytes(await self._played_in(name)._stored(name, needed))
            _changed(kept, changes)
            store = await store_at(f"sqlite:///{kept}").open()
            try:
                await store.run(work)
            finally:
                await store.close()

    async def _stored(self, name: str, needs: Needs) -> bytes:
        """Played once, with nothing but the play; what more is needed is asked for afterwards, on a copy of that."""
        from tempfile import TemporaryDirectory

        if (name, needs) not in self._stores:
            run = RUNS[name]
            before = None if needs == NOTHING_MORE else await self._stored(name, NOTHING_MORE)
            with TemporaryDirectory() as folder:
                kept = Path(folder) / "cup.db"
                if before is not None:
                    kept.write_bytes(before)
                await self._play(kept, name, needs)
                if before is None:
                    _changed(kept, run.changes)
                self._stores[name, needs] = kept.read_bytes()
        return self._stores[name, needs]

    async def _play(self, kept: Path, name: str, needs: Needs) -> None:
        from functools import partial

        from moot.engine.runner import Runner
        from moot.experiment.build import build
        from moot.experiment.spec import Experiment

        run = RUNS[name]
        judges = run.keys.get("judge", {}).get("models", ())
        names = dict.fromkeys((*PLAYERS, *judges, *self.officers))
        keys: dict[str, Any] = {
            "name": "cup",
            "questions": _question_sets(kept.parent, run.sets),
            "models": {model: {"provider": "simulated", "accuracy": 0.5} for model in names},
            "players": {player: {"model": player} for player in PLAYERS},
            "teams": {"two": {"players": [*PLAYERS], "captain": "each"}},
            "store": f"sqlite:///{kept}",
            **run.keys,
            "strategies": [*run.keys.get("strategies", USUAL), *self.strategies],
        }
        plan = build(Experiment(**keys).as_file)
        models = {
            model: dataclasses.replace(built, model=ScriptedModel(model, partial(run.say, model)))
            for model, built in plan.models.items()
        }
        store = await plan.store().open()
        try:
            await Runner(dataclasses.replace(plan, models=models), store, needs=needs).run()
            given = [cell for cell in plan.cells if cell.strategy.name in self.names]
            for strategy_name in self.names:
                ids = [cell.id for cell in given if cell.strategy.name == strategy_name]
                await store.run(partial(_check_played, cells=ids, strategy_name=strategy_name, name=name))
        finally:
            await store.close()


def _check_played(connection: Connection, cells: Sequence[str], strategy_name: str, name: str) -> None:
    """A strategy that broke has left nothing to be measured, and the measure is not to blame for that."""
    from sqlalchemy import select

    from moot.store.rows import verdict_of
    from moot.store.schema import episodes

    def broke(verdict: Verdict) -> bool:
        return any(record.strategy == strategy_name for record in of_kind(verdict.traces, StrategyBroke))

    stored = connection.execute(select(episodes.c.verdict).where(episodes.c.cell.in_(cells))).scalars()
    verdicts = [verdict_of(verdict) for verdict in stored]
    broken = [
        verdict.cause
        for verdict in verdicts
        if verdict.outcome == "failed" and (RUNS[name].all_answer or broke(verdict))
    ]
    if broken:
        raise AssertionError(
            f"strategy {strategy_name!r} failed on {len(broken)} of {len(verdicts)} plays of the run {name!r}, so that"
            f" nothing is said of the measure; first: {broken[0]}. Try it by itself: check_strategy(strategy)"
        )


def _question_sets(folder: Path, sets: int) -> list[dict[str, str]]:
    """Six questions, in so many files."""
    names = [f"cities-{number}" for number in range(sets)]
    written: list[list[str]] = [[] for _ in names]
    for number in range(6):
        place = number % sets
        asked: dict[str, Any] = {
            "id": f"q{number}",
            "text": f"Which city, {number}?",
            "answer": "Paris",
            "category": "cities",
        }
        asked |= {"human": {"solved": 3, "asked": 10}, "meta": {"score": "f1"} if place else {}}
        written[place].append(json.dumps(asked))
    for name, lines in zip(names, written, strict=True):
        (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return [{"file": str(folder / f"{name}.jsonl"), "group": "cities"} for name in names]


USUAL = ("solo", "vote", "silent")
PLAYERS = ("ann", "bob")
"""Who sits at the table of every run."""
_RUNS: dict[tuple[Strategy, ...], MeasuredRuns] = {}


def runs_with(strategies: Sequence[StrategyGiven]) -> MeasuredRuns:
    """Runs of the same strategies are played once, whatever is measured of them."""
    runs = MeasuredRuns(strategies)
    try:
        return _RUNS.setdefault(runs.played, runs)
    except TypeError:  # options that have no hash
        return runs


def _answered(answer: str, name: str, request: Request) -> str:
    """The answer in whatever form it is asked for; what else the form wants is drawn, the same every time."""
    from moot.simulate.schema_instance import instance

    said = {"reasoning": "I know.", "answer": answer}
    if request.schema is None:
        return json.dumps(said)

    def drawn(place: str) -> float:
        return random.Random(f"{name} {request.question_id} {place}").random()

    return json.dumps(instance(request.schema, said, drawn))


def _changed(database_file: Path, statements: tuple[str, ...]) -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(database_file)) as database, database:
        for statement in statements:
            database.execute(statement)
