"""What measures need is on record after a run, whichever strategies were played; and nothing else is asked for."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from beside import rows

from moot.engine.grading import grade_stored, open_answers, settle
from moot.engine.runner import Runner
from moot.estimate.estimate import estimate
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.grade.normalise import normalise
from moot.models.scripted import Script, ScriptedModel
from moot.needs import EVERYTHING, NOTHING_MORE, Needs, summed
from moot.store.store import Store
from moot.types import Request

PLAYERS = ("ann", "bob", "cat")
ASKED = [{"id": f"q{number}", "text": f"Which city is number {number}?", "answer": "Paris"} for number in range(2)]


def test_needs_add_up() -> None:
    one, other = Needs(graded_drafts=True), Needs(matched_words=True)
    assert summed([one, other, NOTHING_MORE]) == Needs(graded_drafts=True, matched_words=True)
    assert summed([]) == NOTHING_MORE
    assert one | EVERYTHING == EVERYTHING


class Judged:
    """Players whose every answer only a judge can accept, in an experiment that is played as often as one likes."""

    def __init__(
        self, folder: Path, strategies: Sequence[Any], *, judges: Sequence[str] = ("jay",), **more: Any
    ) -> None:
        (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, ASKED)), encoding="utf-8")
        names = [*PLAYERS, *judges]
        spec = {
            "name": "cup",
            "questions": {"file": "questions.jsonl"},
            "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in names},
            "players": {name: {"model": name} for name in PLAYERS},
            "teams": {"three": {"players": list(PLAYERS), "captain": "each"}},
            "strategies": list(strategies),
            **({"judge": {"models": list(judges)}} if judges else {}),
            **more,
        }
        self.path = folder / "cup.yaml"
        self.path.write_text(json.dumps(spec), encoding="utf-8")
        self.models = {name: ScriptedModel(name, self._player(name)) for name in PLAYERS}
        self.models |= {name: ScriptedModel(name, self._judge) for name in judges}
        self.judged: list[str] = []

    def _player(self, name: str) -> Any:
        def reply(request: Request) -> Script:
            reviewed = "strongest" in (request.schema or {}).get("properties", {})
            answer = "the capital of France" if reviewed else f"the city that {name} calls Paris"
            return {"strongest": "x", "weakest": "y", "reasoning": "So.", "answer": answer}

        return reply

    def _judge(self, request: Request) -> Script:
        grades = (request.schema or {})["properties"]["grades"]
        count = grades["items"]["properties"]["id"]["maximum"]
        self.judged.append(request.messages[-1].content)
        return {"grades": [{"id": number, "is_correct": True} for number in range(1, count + 1)]}

    def plan(self) -> Plan:
        plan = build(read_experiment(self.path))
        return replace(plan, models={n: replace(each, model=self.models[n]) for n, each in plan.models.items()})

    async def play(self, needs: Needs = EVERYTHING) -> None:
        plan = self.plan()
        store = await plan.store().open()
        try:
            assert await Runner(plan, store, needs=needs).run() == "done"
        finally:
            await store.close()

    def judgements(self) -> set[tuple[str, int]]:
        return set(rows(self.path.with_suffix(".db"), "SELECT answer, right FROM judgements"))

    async def opened(self) -> Store:
        return await self.plan().store().open()


DRAFTS = {(normalise(f"the city that {name} calls Paris"), 1) for name in PLAYERS}
REVIEWS = {(normalise("the capital of France"), 1)}


@pytest.mark.parametrize("given", ["false", 1, None, "drafts"])
@pytest.mark.parametrize("need", [need.name for need in fields(Needs)])
def test_a_need_is_yes_or_no(need: str, given: Any) -> None:
    with pytest.raises(ValueError, match=f"needs: {need}: expected True or False, found {given!r}"):
        Needs(**{need: given})


@pytest.mark.parametrize(
    ("strategies", "verdicts"),
    [
        (["vote"], set()),
        (["solo", {"peer-review": {"drafts": "single-call"}}], REVIEWS),
        ([{"peer-review": {"drafts": "single-call"}}], REVIEWS),
        ([{"mixture": {"repeats": 1}}], set()),
    ],
    ids=["vote alone", "solo and peer review", "peer review alone", "mixture"],
)
async def test_every_draft_is_judged(tmp_path: Path, strategies: list[Any], verdicts: set[tuple[str, int]]) -> None:
    cup = Judged(tmp_path, strategies)
    await cup.play()
    assert cup.judgements() == DRAFTS | verdicts
    different = len(ASKED) * len(DRAFTS | verdicts)
    assert len(cup.judged) == different, "each answer by itself, equal ones once"
    await cup.play()
    assert len(cup.judged) == different, "a second run asks nobody"


async def test_drafts_that_nobody_measures_are_not_judged(tmp_path: Path) -> None:
    cup = Judged(tmp_path, ["vote"])
    await cup.play(NOTHING_MORE)
    assert len(cup.judgements()) == len(PLAYERS), "with each of them as captain each of them was a verdict"
    (tmp_path / "one").mkdir()
    led = Judged(tmp_path / "one", [{"vote": {"captain": "ann"}}])
    await led.play(NOTHING_MORE)
    assert led.judgements() == {each for each in DRAFTS if "ann" in each[0]}
    await led.play(Needs(graded_drafts=True))
    assert led.judgements() == DRAFTS


async def test_a_second_judge_later_hears_of_drafts_too(tmp_path: Path) -> None:
    cup = Judged(tmp_path, [{"vote": {"captain": "ann"}}], judges=())
    await cup.play()
    assert cup.judgements() == set()
    judged = Judged(tmp_path, [{"vote": {"captain": "ann"}}], judges=("jay",))
    plan, store = judged.plan(), await judged.opened()
    try:
        seated = plan.with_models({name: built.model for name, built in plan.models.items()})
        await grade_stored(store, seated.grading, plan.id)
    finally:
        await store.close()
    assert judged.judgements() == DRAFTS


async def test_a_person_is_asked_about_drafts_and_settles_them(tmp_path: Path) -> None:
    cup = Judged(tmp_path, [{"vote": {"captain": "ann"}}], judges=())
    await cup.play()
    plan, store = cup.plan(), await cup.opened()
    try:
        queue = await open_answers(store, plan.grading, plan.id)
        assert {(item.case.question.id, item.answer) for item in queue} == {
            (question["id"], answer) for question in ASKED for answer, _ in DRAFTS
        }
        assert {item.answer: item.episodes for item in queue} == {answer: int("ann" in answer) for answer, _ in DRAFTS}
        for item in queue:
            changed = await store.run(lambda connection, item=item: settle(connection, item.case, item.answer, True))
            assert changed == int("ann" in item.answer)
        assert await open_answers(store, plan.grading, plan.id) == []
        verdicts = await open_answers(store, plan.grading, plan.id, NOTHING_MORE)
        assert verdicts == []
    finally:
        await store.close()


async def test_claims_are_judged_where_they_are_needed(tmp_path: Path) -> None:
    cup = Judged(tmp_path, [{"discuss": {"personas": "none", "max_turns": 1, "vote_from": 1}}])
    await cup.play(Needs(graded_claims=True))
    before = cup.judgements()
    store = cup.path.with_suffix(".db")
    planted = {"kind": "challenge", "setting": "wrong", "shown": "a village", "planted": "a village"}
    _add_trace(store, planted)
    await cup.play(NOTHING_MORE)
    assert cup.judgements() == before
    await cup.play(Needs(graded_claims=True))
    assert cup.judgements() == before | {(normalise("a village"), 1)}


def _add_trace(store: Path, trace: Mapping[str, Any]) -> None:
    with closing(sqlite3.connect(store)) as connection:
        for rowid, written in connection.execute("SELECT rowid, verdict FROM episodes").fetchall():
            verdict = json.loads(written)
            verdict.setdefault("traces", []).append(dict(trace))
            connection.execute("UPDATE episodes SET verdict = ? WHERE rowid = ?", (json.dumps(verdict), rowid))
        connection.commit()


# --- and the estimate counts it ---------------------------------------------------------------------------------------

JUDGE: dict[str, Any] = {"judge": {"models": ["jay"]}}
GROUPING: dict[str, Any] = {"grouping": {"model": "gil"}}
REVIEW = {"peer-review": {"drafts": "single-call"}}


@pytest.mark.parametrize(
    ("strategies", "offices", "needs"),
    [
        (["solo", REVIEW], {**JUDGE, **GROUPING}, EVERYTHING),
        (["solo", REVIEW], {**JUDGE, **GROUPING}, NOTHING_MORE),
        ([REVIEW], JUDGE, EVERYTHING),
        (["vote"], {**JUDGE, **GROUPING}, EVERYTHING),
        (["vote"], {}, EVERYTHING),
        (["silent", "talkative"], GROUPING, EVERYTHING),
        (["silent", "talkative"], {**JUDGE, **GROUPING}, EVERYTHING),
        ([{"mixture": {"repeats": 2}}], {**JUDGE, **GROUPING}, EVERYTHING),
        ([{"discuss": {"personas": "none", "max_turns": 1, "vote_from": 1}}], {**JUDGE, **GROUPING}, EVERYTHING),
    ],
)
async def test_the_estimate_is_what_the_run_then_takes(
    tmp_path: Path, strategies: list[Any], offices: dict[str, Any], needs: Needs
) -> None:
    asked = [{"id": f"q{n}", "text": f"Which city is number {n}?", "answer": "Paris"} for n in range(4)]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    accuracies = {"ann": 0.6, "bob": 0.4, "cat": 0.3, "jay": 0.8, "gil": 0.8}
    spec = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": share} for name, share in accuracies.items()},
        "players": {name: {"model": name} for name in PLAYERS},
        "teams": {"three": {"players": list(PLAYERS), "captain": "each"}},
        "strategies": strategies,
        "repeats": 2,
        **offices,
    }
    path = tmp_path / "cup.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    foretold = await estimate(build(read_experiment(path)), None, needs)
    plan = build(read_experiment(path))
    store = await plan.store().open()
    try:
        assert await Runner(plan, store, needs=needs).run() == "done"
        assert foretold.calls == rows(tmp_path / "cup.db", "SELECT count(*) FROM calls")[0][0]
        by_model = dict(rows(tmp_path / "cup.db", "SELECT model, count(*) FROM calls GROUP BY model"))
        assert {name: taken.calls for name, taken in foretold.models.items() if taken.calls} == by_model
        assert ("jay" in by_model) == ("judge" in offices)
        again = await estimate(build(read_experiment(path)), store, needs)
        assert again.calls == 0
    finally:
        await store.close()
