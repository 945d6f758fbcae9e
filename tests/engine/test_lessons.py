"""Strategies that learn: decided last, by the graded drafts of other questions, which are asked for once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from beside import rows

from moot.engine.lessons import Lessons, Table
from moot.engine.run_tally import State
from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import Experiment
from moot.models.scripted import Script, ScriptedModel
from moot.strategies import Traits
from moot.team import Lesson, Team
from moot.types import Case, Question, Request, Verdict

PLAYERS = ("ann", "bob", "cat")
CASES = [Case(Question(f"q{n}", f"Which city is number {n}?"), f"city {n}") for n in range(6)]


@dataclass(frozen=True, slots=True)
class Weighted:
    """The draft of whoever was right most often on the other questions."""

    name: ClassVar[str] = "weighted-by-lessons"
    traits: ClassVar[Traits] = Traits(
        prompts=("draft",), drafts="single-call", word="player", asks="nobody", learns=True
    )
    seen: ClassVar[list[tuple[str, tuple[Lesson, ...]]]] = []
    """No option of it, only what the tests look at."""

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        self.seen.append((question.id, team.lessons))
        drafts = await team.drafts(question)
        weight = dict.fromkeys((player.name for player in team.players), 0.0)
        for lesson in team.lessons:
            for draft, right in zip(lesson.drafts, lesson.rights, strict=True):
                weight[draft.player] += right or 0.0
        best = max(drafts, key=lambda draft: weight[draft.player])
        return Verdict(best.text, "answered", who=(best.player,), answers=drafts)


class Cup:
    """Bob is always right, the others never: a vote follows the others, who agree, and a learner follows bob."""

    def __init__(self, folder: Path, **more: Any) -> None:
        judges = more.get("judge", {}).get("models", [])
        self.models = {name: ScriptedModel(name, self._player(name)) for name in PLAYERS}
        self.models |= {name: ScriptedModel(name, self._judge) for name in judges}
        self.strategy = Weighted()
        self.strategy.seen.clear()
        self.store = folder / "cup.db"
        self.keys = {
            "name": "cup",
            "players": {name: {"model": name} for name in PLAYERS},
            "teams": {"three": {"players": list(PLAYERS), "captain": "ann"}},
            "strategies": ["vote", self.strategy],
            **more,
        }

    def _player(self, name: str) -> Any:
        def reply(request: Request) -> Script:
            number = str(request.question_id).removeprefix("q")
            return {"reasoning": "So.", "answer": f"city {number}" if name == "bob" else "a village"}

        return reply

    def _judge(self, request: Request) -> Script:
        count = (request.schema or {})["properties"]["grades"]["items"]["properties"]["id"]["maximum"]
        return {"grades": [{"id": number, "is_correct": False} for number in range(1, count + 1)]}

    def plan(self, cases: Sequence[Case] = CASES, limit: int | None = None) -> Plan:
        experiment = Experiment(**{**self.keys, "questions": list(cases), "models": self.models})
        return build(experiment.as_file, store_url=f"sqlite:///{self.store}", limit=limit)

    async def play(self, cases: Sequence[Case] = CASES, ends: State = "done") -> Runner:
        plan = self.plan(cases)
        store = await plan.store().open()
        try:
            runner = Runner(plan, store)
            assert await runner.run() == ends
            return runner
        finally:
            await store.close()

    def right(self, strategy: str) -> list[float | None]:
        query = "SELECT value FROM scores JOIN cells ON cells.id = cell WHERE strategy = '{}'"
        return [value for (value,) in rows(self.store, query.format(strategy))]

    @property
    def requests(self) -> int:
        return sum(len(model.requests) for model in self.models.values())


@pytest.mark.parametrize("judge", [{}, {"judge": {"models": ["jay"]}}], ids=["by match", "by a judge"])
async def test_it_decides_by_what_others_were_worth(tmp_path: Path, judge: dict[str, Any]) -> None:
    cup = Cup(tmp_path, **judge)
    runner = await cup.play()
    assert cup.right("vote") == [0.0] * len(CASES)
    assert cup.right("weighted-by-lessons") == [1.0] * len(CASES)
    judged = len(CASES) if judge else 0
    assert cup.requests == len(PLAYERS) * len(CASES) + judged, "its drafts are those of the vote"
    assert runner.tally.done == runner.tally.total == (2 + len(PLAYERS)) * len(CASES)


async def test_lessons_are_of_the_other_questions_with_their_grades(tmp_path: Path) -> None:
    cup = Cup(tmp_path)
    await cup.play()
    assert {question for question, _ in cup.strategy.seen} == {case.question.id for case in CASES}
    for question, lessons in cup.strategy.seen:
        assert {lesson.question.id for lesson in lessons} == {case.question.id for case in CASES} - {question}
        for lesson in lessons:
            assert [draft.player for draft in lesson.drafts] == list(PLAYERS)
            assert lesson.rights == (0.0, 1.0, 0.0)
            assert sorted(lesson.groups) == [("ann", "cat"), ("bob",)]


async def test_what_nobody_could_grade_is_not_wrong(tmp_path: Path) -> None:
    cup = Cup(tmp_path, judge={"models": ["jay"]})
    cup.models["jay"] = ScriptedModel("jay", lambda request: "no idea")
    await cup.play(ends="failed")
    assert {lesson.rights for _, lessons in cup.strategy.seen for lesson in lessons} == {(None, 1.0, None)}


async def test_questions_that_belong_together_or_say_the_same_teach_each_other_nothing(tmp_path: Path) -> None:
    cup = Cup(tmp_path)
    placed = [replace(case, cluster=("sea", "sea", None, None, "hill", "hill")[n]) for n, case in enumerate(CASES)]
    twin = replace(placed[2], question=replace(placed[2].question, id="q2-again"))
    await cup.play((*placed, twin))
    learnt = {question: {lesson.question.id for lesson in lessons} for question, lessons in cup.strategy.seen}
    every = {case.question.id for case in (*placed, twin)}
    assert learnt["q0"] == learnt["q1"] == every - {"q0", "q1"}
    assert learnt["q2"] == learnt["q2-again"] == every - {"q2", "q2-again"}
    assert learnt["q3"] == every - {"q3"}
    assert learnt["q5"] == every - {"q4", "q5"}


async def test_nor_do_those_that_belong_together_by_way_of_a_third(tmp_path: Path) -> None:
    """q0 and its twin have the same words, the twin and q1 the same cluster: a report counts the three as one."""
    cup = Cup(tmp_path)
    twin = replace(CASES[0], question=replace(CASES[0].question, id="q0-again"), cluster="sea")
    await cup.play((CASES[0], replace(CASES[1], cluster="sea"), *CASES[2:], twin))
    learnt = {question: {lesson.question.id for lesson in lessons} for question, lessons in cup.strategy.seen}
    others = {case.question.id for case in CASES[2:]}
    assert learnt["q0"] == learnt["q1"] == learnt["q0-again"] == others
    assert learnt["q2"] == {"q0", "q1", "q0-again", *others} - {"q2"}


async def test_clusters_of_one_name_in_two_sets_are_two(tmp_path: Path) -> None:
    cup = Cup(tmp_path)
    placed = [replace(case, cluster="sea", question_set="one" if n < 2 else "two") for n, case in enumerate(CASES)]
    await cup.play(tuple(placed))
    learnt = {question: {lesson.question.id for lesson in lessons} for question, lessons in cup.strategy.seen}
    every = {case.question.id for case in placed}
    assert learnt["q0"] == learnt["q1"] == every - {"q0", "q1"}
    assert learnt["q2"] == {"q0", "q1"}


MANY = [Case(Question(f"q{n}", f"Which city is number {n}?"), f"city {n}") for n in range(60)]


async def folds_of(cup: Cup, cases: Sequence[Case]) -> dict[str, frozenset[str]]:
    """By question: those that it learns nothing of."""
    cup.strategy.seen.clear()
    await cup.play(cases)
    every = {case.question.id for case in cases}
    return {
        question: frozenset(every - {lesson.question.id for lesson in lessons})
        for question, lessons in cup.strategy.seen
    }


async def test_many_questions_are_dealt_into_ten_folds_which_learn_alike(tmp_path: Path) -> None:
    """One fit for each fold will do: what all its questions learn from is one and the same object."""
    cup = Cup(tmp_path)
    clustered = [replace(case, cluster="sea") if n in (3, 17, 40) else case for n, case in enumerate(MANY)]
    folds = await folds_of(cup, clustered)
    assert all(question in own for question, own in folds.items()), "nobody learns from itself"
    assert len(set(folds.values())) == 10
    assert sorted(question for own in set(folds.values()) for question in own) == sorted(folds)
    assert folds["q3"] == folds["q17"] == folds["q40"]
    objects = {id(lessons) for _, lessons in cup.strategy.seen}
    assert len(objects) == 10


async def test_more_questions_leave_the_others_in_their_folds(tmp_path: Path) -> None:
    cup = Cup(tmp_path)
    fewer = await folds_of(cup, MANY[:40])
    more = await folds_of(cup, MANY)
    known = {case.question.id for case in MANY[:40]}
    assert {question: own & known for question, own in more.items() if question in known} == fewer


async def test_what_a_fold_was_decided_from_is_on_record(tmp_path: Path) -> None:
    """By how many lessons, and which: so a second run decides nothing again."""
    cup = Cup(tmp_path)
    folds = await folds_of(cup, MANY)
    assert await folds_of(cup, MANY) == {}
    lessons = Lessons(MANY)
    cell = cup.plan(MANY).learners[0]
    table = Table.of(cell, 0)
    for case in MANY:
        lessons.add(table, case, Lesson(case.question, (), (), ()))
    told = {case.question.id: lessons.decided_from(case, cell, 0) for case in MANY}
    assert {question: len(MANY) - from_.questions for question, from_ in told.items()} == {
        question: len(own) for question, own in folds.items()
    }
    assert len({from_.fingerprint for from_ in told.values()}) == 10


async def test_other_questions_or_another_judge_make_it_another_cell(tmp_path: Path) -> None:
    cup = Cup(tmp_path)
    whole = cup.plan()
    fewer = cup.plan(CASES[:3])
    trial = cup.plan(limit=3)
    (tmp_path / "judged").mkdir()
    judged = Cup(tmp_path / "judged", judge={"models": ["jay"]}).plan()
    assert len({plan.cells[-1].id for plan in (whole, fewer, trial, judged)}) == 4
    assert {plan.cells[0].id for plan in (whole, fewer, trial, judged)} == {whole.cells[0].id}
    await cup.play()
    asked = cup.requests
    played = len(cup.strategy.seen)
    await cup.play()
    assert (cup.requests, len(cup.strategy.seen)) == (asked, played), "a second run plays nothing"


@dataclass(frozen=True, slots=True)
class WeightedTwice(Weighted):
    """Decides twice from each set of drafts."""

    name: ClassVar[str] = "weighted-twice"
    traits: ClassVar[Traits] = replace(Weighted.traits, repeats=2)
    looked: ClassVar[list[tuple[int, str, frozenset[str]]]] = []
    """Which repeat, of which question, and from whose drafts it was decided."""

    async def play(self, question: Question, team: Team) -> Verdict:
        said = frozenset(draft.reasoning for lesson in team.lessons for draft in lesson.drafts)
        self.looked.append((team.repeat, question.id, said))
        return await Weighted.play(self, question, team)


async def test_each_decision_learns_from_the_drafts_that_it_decides_from(tmp_path: Path) -> None:
    cup = Cup(tmp_path, repeats=2)
    cup.strategy = WeightedTwice()
    WeightedTwice.looked.clear()
    cup.keys["strategies"] = [cup.strategy]
    for name in PLAYERS:

        def reply(request: Request) -> Script:
            return {"reasoning": f"draft {request.sample}", "answer": "a village"}

        cup.models[name] = ScriptedModel(name, reply)
    await cup.play(CASES[:3])
    assert sorted(WeightedTwice.looked) == [
        (repeat, case.question.id, frozenset({f"draft {repeat // 2}"})) for repeat in range(4) for case in CASES[:3]
    ]
    assert cup.requests == 2 * 3 * len(PLAYERS)
