"""A strategy that learns gets its lessons from the run itself: its figure hangs on nothing else that is in the file."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

import moot
from moot import Case, Question, Request, ScriptedModel, Traits, Verdict
from moot.engine.runner import Runner
from moot.engine.trial_play import TRIAL
from moot.errors import ConnectionFailed
from moot.estimate.estimate import estimate
from moot.experiment.build import build
from moot.live.team import LiveTeam
from moot.models.scripted import Script
from moot.team import Lesson, Team
from moot.types import Answer

CASES = [Case(Question(f"q{n}", f"Which of them is number {n}?", choices=("w", "x", "y", "z")), "A") for n in range(8)]
LEARNS = Traits(prompts=("draft",), drafts="single-call", word="player", hears="nothing", asks="nobody", learns=True)


@dataclass(frozen=True)
class Follows:
    """Whoever was right most often on the other questions; the first seat where nobody has taught it anything."""

    name: ClassVar[str] = "follows"
    traits: ClassVar[Traits] = LEARNS
    seen: ClassVar[dict[str, tuple[Lesson, ...]]] = {}

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        if question.id != TRIAL:
            self.seen[question.id] = team.lessons
        drafts: tuple[Answer, ...] = await team.drafts(question)
        worth: Counter[str] = Counter()
        for lesson in team.lessons:
            for draft, right in zip(lesson.drafts, lesson.rights, strict=True):
                worth[draft.player] += int(right or 0)
        best = max(drafts, key=lambda draft: worth[draft.player])
        return Verdict(best.text, best.outcome, who=(best.player,), answers=drafts)


@dataclass(frozen=True)
class Undrafted(Follows):
    name: ClassVar[str] = "undrafted"
    traits: ClassVar[Traits] = replace(LEARNS, drafts=None)


@dataclass(frozen=True)
class AsksAgain(Follows):
    name: ClassVar[str] = "asks-again"
    traits: ClassVar[Traits] = replace(LEARNS, asks="everybody")

    async def play(self, question: Question, team: Team) -> Verdict:
        verdict = await Follows.play(self, question, team)
        taught = {draft.player for lesson in team.lessons for draft in lesson.drafts}
        for player in team.players:
            if player.name not in taught:
                await team.speak(player, question, f"Really? {question.text}", stage="again")
        return verdict


def players(*, open_answers: bool = False) -> dict[str, ScriptedModel]:
    """Ann is right on every fourth question, bob on the others."""

    def model(name: str) -> ScriptedModel:
        def reply(request: Request) -> Script:
            right = (int(str(request.question_id)[1:]) % 4 == 0) == (name == "ann")
            wrong = "B" if name == "ann" else "C"
            return {"reasoning": "So.", "answer": f"city of {name}" if open_answers else "A" if right else wrong}

        return ScriptedModel(name, reply)

    return {name: model(name) for name in ("ann", "bob")}


def run(strategies: Iterable[Any], store: Path | None = None, **more: Any) -> moot.Results:
    Follows.seen.clear()
    keys = {"name": "cup", "seed": 1, "questions": CASES, "models": players(), "strategies": list(strategies), **more}
    return moot.run(keys, store=store)


def accuracy(results: moot.Results, label: str = "follows") -> float | None:
    (value,) = [row["value"] for row in results.figures["accuracy"] if row["label"] == label]
    return value if value is None else float(value)


FILES = [[Follows()], ["solo", Follows()], [Follows(), "solo"], [{"vote": {"early_stop": True}}, Follows()]]


@pytest.mark.parametrize("strategies", FILES, ids=["alone", "after solo", "before solo", "with an early vote"])
def test_its_figure_does_not_hang_on_what_else_is_in_the_file(strategies: list[Any]) -> None:
    models = players()
    assert accuracy(run(strategies, models=models)) == 0.75
    assert all(
        [lesson.rights for lesson in lessons]
        == [(float(n % 4 == 0), float(n % 4 != 0)) for n in range(8) if f"q{n}" != ident]
        for ident, lessons in Follows.seen.items()
    )
    assert [len(model.requests) for model in models.values()] == [8, 8], "each is asked once for a draft"


def test_only_what_the_file_names_has_rows() -> None:
    results = run([Follows()])
    assert {row["label"] for row in results.figures["accuracy"]} == {"follows"}
    assert results.state == "done"


def test_what_is_added_later_changes_nothing_and_asks_nobody(tmp_path: Path) -> None:
    store, models = tmp_path / "cup.db", players()
    assert accuracy(run([Follows()], store, models=models)) == 0.75
    asked = sum(len(model.requests) for model in models.values())
    results = run(["solo", Follows()], store, models=models)
    assert accuracy(results) == 0.75
    assert {row.get("player") for row in results.figures["accuracy"] if row["label"] == "solo"} == {"ann", "bob"}
    assert sum(len(model.requests) for model in models.values()) == asked
    assert not Follows.seen, "what it decided from is the same, so it is not decided again"


def judged(request: Request, right: str) -> Script:
    (known,) = [message.content for message in request.messages if "city of" in message.content]
    return {"grades": [{"id": 1, "is_correct": f"city of {right}" in known}]}


OPEN = [Case(Question(f"q{n}", f"Which city is number {n}?"), f"town {n}") for n in range(8)]


def test_it_decides_again_when_what_it_learnt_from_has_changed(tmp_path: Path) -> None:
    """A judge that gave nothing usable the first time, and then says that bob was right."""
    store, models = tmp_path / "cup.db", players(open_answers=True)
    jay = ScriptedModel("jay", lambda request: "no idea")
    keys: dict[str, Any] = {
        "questions": OPEN,
        "players": {name: {"model": name} for name in ("ann", "bob")},
        "judge": {"models": ["jay"]},
    }
    first = run([Follows()], store, **keys, models={**models, "jay": jay})
    assert accuracy(first) is None
    assert {lesson.rights for lessons in Follows.seen.values() for lesson in lessons} == {(None, None)}
    asked = sum(len(model.requests) for model in models.values())
    heard = ScriptedModel("jay", lambda request: judged(request, "bob"))
    second = run([Follows()], store, **keys, models={**models, "jay": heard})
    assert accuracy(second) == 1.0, "ann's drafts were taken as long as nobody knew better"
    assert len(Follows.seen) == len(OPEN)
    assert sum(len(model.requests) for model in models.values()) == asked, "no player is asked again"
    third = run([Follows()], store, **keys, models={**models, "jay": heard})
    assert accuracy(third) == 1.0
    assert not Follows.seen, "nothing has changed"


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    """The drafts are stored as they come: what was asked before it broke is not asked again."""
    store, models = tmp_path / "cup.db", players()
    replies = models["bob"]
    broken = True

    def reply(request: Request) -> Script:
        if broken and request.question_id == "q5":
            return ConnectionFailed("gone")
        return {"reasoning": "So.", "answer": "A" if int(str(request.question_id)[1:]) % 4 else "C"}

    models["bob"] = ScriptedModel("bob", reply)
    assert run([Follows()], store, models=models).state == "failed"
    broken = False
    before = {name: len(model.requests) for name, model in models.items()}
    assert accuracy(run([Follows()], store, models=models)) == 0.75
    assert {name: len(model.requests) - before[name] for name, model in models.items()} == {"ann": 0, "bob": 1}
    assert replies.requests == []


def test_what_it_was_decided_from_is_on_record(tmp_path: Path) -> None:
    store = tmp_path / "cup.db"
    frame = run([Follows()], store).frame("traces")
    kept = frame.filter(frame["kind"] == "decided-from")
    assert len(kept) == len(CASES)
    with sqlite3.connect(store) as connection:
        (alone,) = connection.execute(
            "SELECT count(*) FROM episodes WHERE cell NOT IN (SELECT cell FROM experiment_cells)"
        )
    assert alone == (2 * len(CASES),), "the lessons are plays like any others, of cells that no report shows"


UNTEACHABLE: list[tuple[Any, list[Case], str]] = [
    (Undrafted(), CASES, "undrafted learns from drafts, and promises none; expected drafts: single-call, double-call"),
    (Follows(), [replace(case, known=False, answer=None) for case in CASES], "expected at least two questions with"),
    (Follows(), CASES[:1], "expected at least two questions with"),
    (Follows(), [replace(case, cluster="one passage") for case in CASES], "belong together"),
]


@pytest.mark.parametrize(("strategy", "cases", "problem"), UNTEACHABLE)
def test_what_can_have_no_lessons_is_refused_before_any_call(strategy: Any, cases: list[Case], problem: str) -> None:
    models = players()
    with pytest.raises(moot.MootError) as refused:
        run([strategy], questions=cases, models=models)
    assert problem in str(refused.value)
    assert "strategies" in str(refused.value)
    assert not any(model.requests for model in models.values())


def grouping(request: Request) -> Script:
    """Whoever it is asked about means the same."""
    count = (request.schema or {})["properties"]["groups"]["maxItems"]
    return {"groups": [list(range(1, count + 1))]}


@pytest.mark.parametrize("strategies", [*FILES[:2], ["vote", Follows()]], ids=["alone", "after solo", "after a vote"])
def test_drafts_that_are_learnt_from_are_grouped_whoever_else_groups(strategies: list[Any]) -> None:
    models = players(open_answers=True) | {"grouper": ScriptedModel("grouper", grouping)}
    keys: dict[str, Any] = {"players": {name: {"model": name} for name in ("ann", "bob")}}
    run(strategies, **keys, questions=OPEN, grouping={"model": "grouper"}, models=models)
    assert {lesson.groups for lessons in Follows.seen.values() for lesson in lessons} == {(("ann", "bob"),)}
    assert len(models["grouper"].requests) == len(OPEN), "the drafts of a question are grouped once"


async def test_the_estimate_counts_its_lessons(tmp_path: Path) -> None:
    """What it says before, the run then makes: for the whole, and for what is left."""
    models = players(open_answers=True) | {"jay": ScriptedModel("jay", lambda request: judged(request, "bob"))}
    keys: dict[str, Any] = {
        "name": "cup",
        "players": {name: {"model": name} for name in ("ann", "bob")},
        "judge": {"models": ["jay"]},
        "questions": OPEN,
        "models": models,
        "strategies": [Follows()],
    }
    plan = build(moot.Experiment(**keys).as_file, store_url=f"sqlite:///{tmp_path / 'cup.db'}")
    store = await plan.store().open()
    try:
        before = await estimate(plan, store)
        assert [before.models[name].calls for name in ("ann", "bob")] == [8, 8]
        assert 0 < before.models["jay"].calls <= 16, "an answer that is guessed may match"
        await Runner(plan, store).run()
        assert {name: len(model.requests) for name, model in models.items()} == {"ann": 8, "bob": 8, "jay": 16}
        assert (await estimate(plan, store)).calls == 0
    finally:
        await store.close()


async def test_the_estimate_lets_it_learn() -> None:
    """One who asks for more only of those whom nothing was learnt about would ask everybody, had it no lessons."""
    plan = build(moot.Experiment(name="cup", questions=CASES, models=players(), strategies=[AsksAgain()]).as_file)
    counted = await estimate(plan, None)
    assert {name: model.calls for name, model in counted.models.items()} == {"ann": 8, "bob": 8}


def test_a_team_that_is_asked_one_question_at_a_time_has_nothing_to_learn_from() -> None:
    experiment = moot.Experiment(name="cup", models=players(), strategies=[Follows()])
    with pytest.raises(moot.MootError, match="follows learns from graded drafts of other questions"):
        LiveTeam(experiment.as_file, keep=False)


@dataclass(frozen=True)
class TellsLessons(Follows):
    name: ClassVar[str] = "tells-lessons"
    traits: ClassVar[Traits] = replace(LEARNS, asks="everybody")

    async def play(self, question: Question, team: Team) -> Verdict:
        verdict = await Follows.play(self, question, team)
        asked = f"Of {len(team.lessons)} questions you know who was right. {question.text}"
        await team.speak(team.players[0], question, asked, stage="told")
        return verdict


async def test_the_estimate_asks_nothing_again_of_what_has_decided(tmp_path: Path) -> None:
    """A sample teaches less than the run did, so what it would ask is nowhere stored: there is nothing left to decide."""
    many = [
        Case(Question(f"q{n}", f"Which of them is number {n}?", choices=("w", "x", "y", "z")), "A") for n in range(30)
    ]
    models = players()
    keys = {"name": "cup", "models": models, "strategies": [TellsLessons()]}
    url = f"sqlite:///{tmp_path / 'cup.db'}"
    store = await build(moot.Experiment(**keys, questions=many).as_file, store_url=url).store().open()
    try:
        for asked in (many[:24], many):
            plan = build(moot.Experiment(**keys, questions=asked).as_file, store_url=url)
            before = await estimate(plan, store)
            made = sum(len(model.requests) for model in models.values())
            await Runner(plan, store).run()
            made = sum(len(model.requests) for model in models.values()) - made
            assert before.calls == pytest.approx(made, rel=0.01), "with new questions all is decided anew"
            assert (await estimate(plan, store)).calls == 0
    finally:
        await store.close()
