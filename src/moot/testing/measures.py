"""Measures: what everything that turns records into figures and sections must do."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from moot.errors import ConnectionFailed
from moot.models.scripted import Script, ScriptedModel
from moot.types import (
    Reply,
    Request,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from moot.measures.cells import Stored
    from moot.measures.measure import Measure


_RUNS: dict[str, bytes] = {}


_FIGURES: dict[str, dict[str, dict[str, Any]]] = {}


async def check_measure(measure: Measure) -> None:
    """Its figures are JSON and the same twice, under keys of its own; its sections show everywhere; nothing makes it fail.

    It is taken on small runs: all graded, some ungraded, with failures, without a team, without a captain, of strategies
    without traits, and of which nothing is played yet.
    """
    from moot.measures.measure import Measure
    from moot.needs import Needs

    assert isinstance(measure, Measure), "a measure has a name, needs, figures(run) and sections(figures)"
    assert measure.name, "a measure has a name"
    assert isinstance(measure.needs, Needs), "what it needs of a run is a Needs"
    for name in _measured_runs():
        await _on_run(name, lambda connection, run=name: _check_taken(measure, connection, run))  # type: ignore[misc]


def _check_taken(measure: Measure, connection: Connection, run: str) -> None:
    from moot.measures.source import Source
    from moot.report.figures import find_experiment

    before, others = _built_in_figures(measure, connection, run)

    def taken(order: Callable[[list[Stored]], list[Stored]] = list) -> dict[str, Any]:
        source = Source(connection, find_experiment(connection, "cup"))
        source.cells = order(source.cells)
        source.so_far = copy.deepcopy(before)
        figures_taken = dict(measure.figures(source))
        assert source.so_far == before, "a measure gives its figures back, and leaves those of others alone"
        return figures_taken

    figures = taken()
    text = json.dumps(figures, allow_nan=False)  # NaN is no JSON: what is not known is None
    assert json.loads(text).keys() == figures.keys(), f"keys of figures must be words ({run})"
    assert taken() == figures, f"the figures of one run differ when they are taken twice ({run})"
    collision = figures.keys() & others.keys()
    assert not collision, f"{', '.join(sorted(collision))}: a built-in measure has figures of that name ({run})"
    _check_sections(measure, {**others, **figures}, run)
    _check_sections(measure, others, f"{run}, without its figures")
    for place in range(len(Source(connection, find_experiment(connection, "cup")).cells)):
        if taken(lambda cells, out=place: cells[:out] + cells[out + 1 :]) == figures:  # type: ignore[misc]
            moved = taken(lambda cells, last=place: [*cells[:last], *cells[last + 1 :], cells[last]])  # type: ignore[misc]
            assert moved == figures, f"a cell that it does not speak of changed its figures by its place ({run})"


def _built_in_figures(measure: Measure, connection: Connection, run: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of the built-in measures that come before this one, and of all but this one."""
    from moot.measures import BUILT_IN
    from moot.measures.source import Source
    from moot.report.figures import find_experiment

    if run not in _FIGURES:
        source = Source(connection, find_experiment(connection, "cup"))
        figures_by_measure: dict[str, dict[str, Any]] = {}
        for name, place in BUILT_IN.items():
            figures_by_measure[name] = dict(resolve_name(place)().figures(source))
            source.so_far |= figures_by_measure[name]
        _FIGURES[run] = figures_by_measure
    mine = f"{type(measure).__module__}:{type(measure).__qualname__}"
    names = [name for name, place in BUILT_IN.items() if place != mine]
    own_name = next((name for name, place in BUILT_IN.items() if place == mine), None)
    before = itertools.takewhile(lambda name: name != own_name, BUILT_IN)

    def joined(several: Iterable[str]) -> dict[str, Any]:
        return {key: value for name in several for key, value in _FIGURES[run][name].items()}

    return joined(before), joined(names)


async def _on_run(name: str, work: Callable[[Connection], None]) -> None:
    """On a copy of a run's store; it is played where it has not been yet."""
    from tempfile import TemporaryDirectory

    from moot.store import store_at

    with TemporaryDirectory() as folder:
        kept = Path(folder) / "cup.db"
        if name not in _RUNS:
            await _measured_runs()[name](Path(folder))
            _RUNS[name] = kept.read_bytes()
        kept.write_bytes(_RUNS[name])
        store = await store_at(f"sqlite:///{kept}").open()
        try:
            await store.run(work)
        finally:
            await store.close()


def _check_sections(measure: Measure, figures: dict[str, Any], run: str) -> None:
    """Sections of all figures: in the terminal, as a table, and as the page's JSON."""
    import io

    from rich.console import Console

    from moot.measures.section import Section
    from moot.report.frames import section_frame
    from moot.report.section_terminal import section_parts

    ids: list[str] = []
    for section in measure.sections(figures):
        assert isinstance(section, Section), f"sections are Sections ({run})"
        ids.append(section.id)
        json.dumps(dataclasses.asdict(section), allow_nan=False)
        console = Console(file=io.StringIO(), width=80)
        for part in section_parts(section):
            console.print(part)
        assert section_frame(section).height == len(section.rows), (
            f"{section.id}: a row is missing in its table ({run})"
        )
    assert len(ids) == len(set(ids)), f"two sections of one name: {ids} ({run})"


def _measured_runs() -> dict[str, Callable[[Path], Awaitable[None]]]:
    """What there is to be measured, by what is special about it; each is played into ``cup.db`` of a folder."""

    def sure(name: str, request: Request) -> Script:
        number = int((request.question_id or "q0")[1:])
        return _answered("Paris" if (number + len(name) + ord(name[0])) % 3 else f"Lyon {name}")

    def open_to_doubt(name: str, request: Request) -> Script:
        return "no word" if name == "judge" else sure(name, request)

    def troubled(name: str, request: Request) -> Script:
        number = int((request.question_id or "q0")[1:])
        if number % 3 == 0:
            return ConnectionFailed("nobody is there")
        return Reply("I would rather not.", finish="refusal") if number % 3 == 1 else sure(name, request)

    async def without_traits(folder: Path) -> None:
        await _played_run(folder, sure)
        _changed(folder, "UPDATE cells SET traits = '{}' WHERE player IS NULL")

    async def nothing_yet(folder: Path) -> None:
        await _played_run(folder, sure)
        _changed(folder, *(f"DELETE FROM {table}" for table in ("episodes", "scores", "calls", "matches")))

    def run(say: Callable[[str, Request], Script], **more: Any) -> Callable[[Path], Awaitable[None]]:
        return lambda folder: _played_run(folder, say, **more)

    two = {"players": ["ann", "bob"]}
    return {
        "all graded": run(sure),
        "repeats": run(sure, repeats=2),
        "some ungraded": run(open_to_doubt, judge={"models": ["judge"]}),
        "failures": run(troubled),
        "no team": run(sure, teams={}, strategies=["solo"]),
        "no captain": run(sure, teams={"two": two}, strategies=["vote"]),
        "no traits": without_traits,
        "nothing played yet": nothing_yet,
    }


def _answered(answer: str) -> str:
    return json.dumps({"reasoning": "I know.", "answer": answer})


async def _played_run(folder: Path, say: Callable[[str, Request], Script], **more: Any) -> None:
    from functools import partial

    from moot.engine.runner import Runner
    from moot.experiment.build import build
    from moot.experiment.spec import read_experiment

    human = {"human": {"solved": 3, "asked": 10}, "category": "cities"}
    asked = [{"id": f"q{number}", "text": f"Which city, {number}?", "answer": "Paris", **human} for number in range(6)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    names = ["ann", "bob", *more.get("judge", {}).get("models", ())]
    file = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in names},
        "teams": {"two": {"players": ["ann", "bob"], "captain": "each"}},
        "strategies": ["solo", "vote", "silent"],
        "store": f"sqlite:///{folder}/cup.db",
        **more,
    }
    (folder / "cup.yaml").write_text(json.dumps(file), encoding="utf-8")
    plan = build(read_experiment(folder / "cup.yaml"))
    models = {
        name: dataclasses.replace(built, model=ScriptedModel(name, partial(say, name)))
        for name, built in plan.models.items()
    }
    store = await plan.store().open()
    try:
        await Runner(dataclasses.replace(plan, models=models), store).run()
    finally:
        await store.close()


def _changed(folder: Path, *statements: str) -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(folder / "cup.db")) as database, database:
        for statement in statements:
            database.execute(statement)
