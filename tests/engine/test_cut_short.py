"""What a run has begun it plays to its end: what takes longest is more often wrong, and without it the rest is too good."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.models.scripted import ScriptedModel
from moot.report.figures import figures, find_experiment
from moot.store import processes
from moot.store.store import Store
from moot.types import Reply, Request

QUESTIONS = 60
HYPOTHESES = ["accuracy(solo@ann) - accuracy(solo@bob) > 0"]


class SlowWhenWrong(ScriptedModel):
    """Right on every third question at once; its wrong answers wait until they are let go."""

    def __init__(self, name: str) -> None:
        super().__init__(name, self._say)
        self.let_go = asyncio.Event()

    def _say(self, request: Request) -> Mapping[str, Any]:
        right = int(str(request.question_id)[1:]) % 3 == 0
        return {"reasoning": "", "answer": "Paris" if right else "Rome"}

    async def generate(self, request: Request) -> Reply:
        if int(str(request.question_id)[1:]) % 3:
            await self.let_go.wait()
        return await super().generate(request)


def planned(
    folder: Path,
    name: str = "cup",
    *,
    players: Sequence[str] = ("ann", "bob"),
    first: int = 0,
    many: int = QUESTIONS,
    **keys: Any,
) -> tuple[Plan, dict[str, SlowWhenWrong]]:
    """`first`: the number of the first question."""
    numbers = range(first, first + many)
    lines = [{"id": f"q{n}", "text": f"Which city is number {n}?", "answer": "Paris"} for n in numbers]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    keys = {
        "name": name,
        "store": "sqlite:///cup.db",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in players},
        "strategies": ["solo"],
        "hypotheses": HYPOTHESES,
        **keys,
    }
    (folder / f"{name}.yaml").write_text(json.dumps(keys), encoding="utf-8")
    plan = build(read_experiment(folder / f"{name}.yaml"))
    slow = {name: SlowWhenWrong(name) for name in players}
    return replace(plan, models={name: replace(plan.models[name], model=slow[name]) for name in slow}), slow


async def shown(store: Store, name: str = "cup") -> dict[str, Any]:
    return dict(await store.run(lambda connection: figures(connection, find_experiment(connection, name))))


async def interrupted(
    folder: Path, name: str = "cup", *, again: bool, after: int = 10, **keys: Any
) -> tuple[dict[str, Any], int]:
    """Stopped when so many are in, the quick ones; the figures of that, and how many episodes were under way then."""
    plan, slow = planned(folder, name, **keys)
    store = await plan.store().open()
    try:
        runner = Runner(plan, store)
        playing = asyncio.create_task(runner.run())
        while runner.tally.played < after or not runner._begun:  # noqa: ASYNC110  it is counted, and nobody is told
            await asyncio.sleep(0.01)
        under_way = runner.interrupt().episodes
        if again:
            assert not runner.interrupt()
        for model in slow.values():
            model.let_go.set()
        assert await playing == "interrupted"
        return await shown(store, name), under_way
    finally:
        await store.close()


def played_by_cell(folder: Path) -> list[tuple[int, int]]:
    """How many episodes there are, and of how many questions from the first on."""
    with closing(sqlite3.connect(folder / "cup.db")) as connection:
        return connection.execute(
            "SELECT count(*), max(position) + 1 FROM episodes JOIN experiment_questions USING (question) GROUP BY cell"
        ).fetchall()


async def test_what_is_under_way_is_played_to_its_end(tmp_path: Path) -> None:
    taken, under_way = await interrupted(tmp_path, again=False)
    assert under_way > 0
    assert all(many == first for many, first in played_by_cell(tmp_path)), (
        "all that were begun, which are the first ones"
    )
    row = taken["accuracy"][0]
    assert row["missing"] > 0
    assert abs(row["value"] - 1 / 3) < 0.05, "the wrong ones too, which took longer"
    assert "cut_short" not in taken["headline"]
    assert taken["headline"]["low"] is not None
    assert "dropped" not in taken["runs"][0]
    played = sum(many for many, _ in played_by_cell(tmp_path))
    assert taken["headline"]["interim"] == {"played": played, "planned": 2 * QUESTIONS}
    assert f"Interim results, after {played} of {2 * QUESTIONS} episodes" in taken["headline"]["sentence"]
    assert taken["hypotheses"][0]["interim"] == taken["headline"]["interim"]


async def test_whoever_interrupts_again_drops_it_and_nothing_is_claimed(tmp_path: Path) -> None:
    hypotheses = [*HYPOTHESES, "gap_closure(vote) > 0"]
    taken, _ = await interrupted(tmp_path, again=True, strategies=["solo", "vote"], hypotheses=hypotheses)
    assert taken["accuracy"][0]["value"] == 1.0, "only what was fast is there"
    assert taken["runs"][0]["dropped"] > 0
    headline = taken["headline"]
    assert headline["cut_short"] is True
    assert (headline["low"], headline["high"]) == (None, None)
    after = headline["after_the_fact"]
    assert (after["value"], after["low"], after["high"]) == (1.0, None, None)
    assert "The run is unfinished; slow answers" in headline["sentence"]
    for hypothesis in taken["hypotheses"]:
        assert hypothesis["verdict"] == "open"
        assert {hypothesis[key] for key in ("low", "high", "p", "p_holm", "low_holm", "high_holm")} == {None}
        assert hypothesis["note"].endswith("its slowest answers are missing"), "also where there is a note already"
    assert taken["hypotheses"][1]["note"].startswith("it would divide by nothing; ")
    assert {row["beaten_by"] for row in taken["frontier"]} == {None}
    assert {row["within_low"] for row in taken["frontier"]} == {None}


async def test_whoever_cancels_a_run_from_python_drops_what_is_under_way(tmp_path: Path) -> None:
    """A task that is cancelled hears of it as its episodes do: what had begun is missing, and that is on record."""
    plan, _ = planned(tmp_path)
    store = await plan.store().open()
    try:
        runner = Runner(plan, store)
        running = asyncio.create_task(runner.run())
        while runner.tally.played < 4 or not runner._begun:  # noqa: ASYNC110  it is counted, and nobody is told
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        taken = await shown(store)
    finally:
        await store.close()
    assert taken["runs"][0]["dropped"] > 0
    assert taken["headline"]["cut_short"] is True
    assert taken["headline"]["low"] is None


async def test_what_one_run_dropped_another_may_not_have_come_to(tmp_path: Path) -> None:
    await interrupted(tmp_path, again=True)
    taken, _ = await interrupted(tmp_path, again=False, after=0)
    assert taken["accuracy"][0]["missing"] > 0
    assert "dropped" not in taken["runs"][1]
    assert taken["headline"]["cut_short"] is True


async def to_its_end(folder: Path, name: str = "cup", **keys: Any) -> dict[str, Any]:
    plan, slow = planned(folder, name, **keys)
    for model in slow.values():
        model.let_go.set()
    store = await plan.store().open()
    try:
        assert await Runner(plan, store).run() == "done"
        return await shown(store, name)
    finally:
        await store.close()


NEW = ("eve", "fay", "gus", "hal", "ann", "bob")


@pytest.mark.parametrize("name", ["cup", "trophy"])
async def test_nor_does_the_next_plan_claim_on_what_a_run_left_behind(tmp_path: Path, name: str) -> None:
    """A file that has changed is another plan, which takes over the episodes of the cells and questions that it shares."""
    await interrupted(tmp_path, again=True)
    taken, _ = await interrupted(tmp_path, name, again=False, after=0, players=NEW)
    assert "dropped" not in taken["runs"][-1], "its own run dropped nothing"
    assert taken["headline"]["cut_short"] is True
    assert [row["verdict"] for row in taken["hypotheses"]] == ["open"]
    taken = await to_its_end(tmp_path, name, players=NEW)
    assert "cut_short" not in taken["headline"], "nothing of it is missing any more"
    assert "interim" not in taken["headline"]


@pytest.mark.parametrize("keys", [{"first": QUESTIONS}, {"players": ("cat", "dan"), "hypotheses": []}])
async def test_what_shares_no_question_or_no_cell_claims_as_ever(tmp_path: Path, keys: dict[str, Any]) -> None:
    await interrupted(tmp_path, again=True)
    taken, _ = await interrupted(tmp_path, "trophy", again=False, **keys)
    assert "cut_short" not in taken["headline"]
    assert taken["headline"]["low"] is not None


async def test_what_another_name_plays_right_now_is_missing_too(tmp_path: Path) -> None:
    await interrupted(tmp_path, again=False)
    await interrupted(tmp_path, "trophy", again=False, after=0)
    with closing(sqlite3.connect(tmp_path / "cup.db")) as connection, connection:
        connection.execute(
            "UPDATE runs SET state = 'running', facts = '{}' WHERE experiment IN"
            " (SELECT id FROM experiments WHERE name = 'trophy')"
        )
    store = await planned(tmp_path)[0].store().open()
    try:
        assert (await shown(store))["headline"]["cut_short"] is True
    finally:
        await store.close()
    assert "cut_short" not in (await to_its_end(tmp_path))["headline"], "it has all of its own"


async def test_more_repeats_than_the_killed_run_planned_are_not_what_it_left(tmp_path: Path) -> None:
    await interrupted(tmp_path, again=True)
    await to_its_end(tmp_path)
    taken, _ = await interrupted(tmp_path, again=False, after=0, repeats=2)
    assert taken["headline"]["interim"]["played"] < taken["headline"]["interim"]["planned"] == 4 * QUESTIONS
    assert "cut_short" not in taken["headline"]
    fewer = await to_its_end(tmp_path, repeats=1)
    assert [row["missing"] for row in fewer["accuracy"]] == [0, 0], (
        "what more was played is not missing less than nothing"
    )


async def test_of_a_strategy_that_plays_each_question_twice_one_play_may_be_what_is_missing(tmp_path: Path) -> None:
    """What another plan left of it is missing here, though the question has been played."""
    twice: dict[str, Any] = {"strategies": [{"mixture": {"summariser": "bob", "repeats": 2}}], "hypotheses": []}
    for name in ("cup", "trophy"):
        plan, slow = planned(tmp_path, name, many=8, **twice)
        for model in slow.values():
            model.let_go.set()
        store = await plan.store().open()
        assert await Runner(plan, store).run() == "done"
        await store.close()
    with closing(sqlite3.connect(tmp_path / "cup.db")) as connection, connection:
        connection.execute(
            """UPDATE runs SET facts = '{"dropped": 1}'"""
            " WHERE experiment IN (SELECT id FROM experiments WHERE name = 'cup')"
        )
        connection.execute("DELETE FROM episodes WHERE rowid IN (SELECT max(rowid) FROM episodes WHERE repeat = 1)")
    store = await plan.store().open()
    try:
        taken = await shown(store, "trophy")
    finally:
        await store.close()
    assert [row["missing"] for row in taken["accuracy"]] == [1]
    assert taken["headline"]["cut_short"] is True


async def test_the_next_run_that_ends_claims_again(tmp_path: Path) -> None:
    await interrupted(tmp_path, again=True)
    taken = await to_its_end(tmp_path)
    assert "cut_short" not in taken["headline"]
    assert taken["headline"]["low"] is not None
    assert taken["accuracy"][0]["value"] == 1 / 3


async def test_a_run_that_was_killed_or_is_at_work_claims_nothing(tmp_path: Path) -> None:
    await interrupted(tmp_path, again=False)
    for state, process in (("running", processes.begun()), ("running", None)):
        with closing(sqlite3.connect(tmp_path / "cup.db")) as connection, connection:
            facts = json.dumps({"process": process} if process else {})
            connection.execute("UPDATE runs SET state = ?, facts = ?", (state, facts))
        store = await planned(tmp_path)[0].store().open()
        try:
            assert (await shown(store))["headline"]["cut_short"] is True
        finally:
            await store.close()
