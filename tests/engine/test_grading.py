"""Grading from the store: equal answers once, failures never wrong, a person's word over all, and no player called."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
from sqlalchemy import Connection, select, update

from moot.engine.grading import Graded, batch_effects, declare_judges, grade_stored, open_answers, settle
from moot.engine.play import play
from moot.errors import ConnectionFailed
from moot.experiment.plan import Cell
from moot.grade import graders
from moot.grade.grading import Grading
from moot.grade.judge import Judgement
from moot.grade.match import Match
from moot.grade.normalise import normalise
from moot.models.cache import Cache
from moot.models.scripted import ScriptedModel
from moot.store import queries, schema
from moot.store.calls import ExperimentCalls
from moot.store.rows import case_row, episode_row
from moot.store.sqlite import SqliteStore
from moot.strategies.solo import Solo
from moot.team import Player, Team
from moot.team.attempts import ATTEMPTS
from moot.types import Case, Question, Request, Score, Verdict

CASES = [
    Case(Question("q1", "Which games?"), "Olympics", accepted=("Olympic Games",)),
    Case(Question("q2", "Which city?"), "Paris"),
]
SAID = {"ann": "The Games!", "bob": "games", "cat": "Olympics", "dan": "Rome"}
Script = Callable[[Request], Any]


class Stage:
    """A store with four players' episodes on two questions, and judges by script."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.players = {name: ScriptedModel(name, self._said(name)) for name in SAID}

    @staticmethod
    def _said(name: str) -> Script:
        return lambda request: {"reasoning": "", "answer": SAID[name]}

    async def play(self) -> None:
        cells = [
            Cell(f"solo-{name}", Solo(), "solo", Team(name, (Player(name, model),)), name, "")
            for name, model in self.players.items()
        ]
        for cell in cells:
            for case in CASES:
                episode = await play(cell, case.question)
                self.store.put_later([(schema.episodes, episode_row(episode))])

        def declare(connection: Connection) -> None:
            row = {"id": "e", "name": "cup", "config": "{}", "size": len(CASES), "created_at": 0.0}
            queries.declare_experiment(connection, row, [cell.row() for cell in cells])
            places = [
                {"experiment": "e", "position": n, "question": case.question.digest, "case": case.digest}
                for n, case in enumerate(CASES)
            ]
            queries.declare_questions(connection, places, [case_row(case) for case in CASES])

        await self.store.run(declare)

    def judge(self, name: str, script: Script) -> tuple[Player, ScriptedModel]:
        model = ScriptedModel(name, script)
        return Player(name, Cache(model, ExperimentCalls(self.store, "cup"))), model

    async def grade(self, *judges: Player, batch: int = 1) -> Graded:
        return await grade_stored(self.store, Grading(Team("judges", ()), judges, batch=batch), "e")

    async def scores(self, grader: str, question: int = 0) -> dict[str, tuple[float | None, str]]:
        table = schema.scores
        query = select(table).where(table.c.grader == grader, table.c.case == CASES[question].digest)
        rows = await self.store.run(lambda connection: list(connection.execute(query).mappings()))
        return {row["cell"].removeprefix("solo-"): (row["value"], row["stage"]) for row in rows}

    @property
    def asked(self) -> int:
        return sum(len(model.requests) for model in self.players.values())


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    store = await SqliteStore(tmp_path / "store.db").open()
    found = Stage(store)
    await found.play()
    yield found
    await store.close()


def words(**right: bool) -> Script:
    """A judge of these normalised answers; everything else is wrong."""

    def script(request: Request) -> Mapping[str, Any]:
        prompt = request.messages[-1].content
        answers = [part.partition("</answer>")[0].partition("\n")[2] for part in prompt.split("<answer n=")[1:]]
        given = [right.get(normalise(answer), False) for answer in answers]
        return {"grades": [{"id": n, "is_correct": word} for n, word in enumerate(given, start=1)]}

    return script


def garbage(request: Request) -> str:
    return "Let me think."


async def test_equal_answers_are_judged_once_and_no_player_is_called(stage: Stage) -> None:
    before = stage.asked
    judging, model = stage.judge("tom", words(games=True))
    graded = await stage.grade(judging)
    assert await stage.scores("match+tom") == {
        "ann": (1.0, "judge"),
        "bob": (1.0, "judge"),
        "cat": (1.0, "match"),
        "dan": (0.0, "judge"),
    }
    first = [each.messages[-1].content for each in model.requests if each.question_id == "q1"]
    assert len(first) == 2, "The Games! and games are one answer, and Rome another"
    assert all(prompt.count("<answer n=") == 1 for prompt in first), "each by itself"
    asked = len(model.requests)
    assert graded.stages == {"match": 1, "judge": 7}
    again = await stage.grade(judging)
    assert again.stages == graded.stages
    assert len(model.requests) == asked, "what a judge has said is kept"
    assert stage.asked == before


async def test_the_score_leads_to_the_raw_reply(stage: Stage) -> None:
    judging, _ = stage.judge("tom", words())
    await stage.grade(judging)
    query = select(schema.scores.c.detail).where(schema.scores.c.stage == "judge").limit(1)
    detail = await stage.store.run(lambda connection: connection.execute(query).scalar_one())
    key = detail.partition("call ")[2].rstrip(")")
    row = await stage.store.find_call(key)
    assert row is not None
    assert "grades" in row["text"]


@pytest.mark.parametrize("trouble", [garbage, lambda request: ConnectionFailed("down")], ids=["garbage", "down"])
async def test_a_judge_that_failed_is_asked_again(stage: Stage, trouble: Script) -> None:
    failing = [True]
    right = words(games=True)
    judging, model = stage.judge("tom", lambda request: trouble(request) if failing[0] else right(request))
    graded = await stage.grade(judging)
    assert graded.ungraded == 7
    assert (await stage.scores("match+tom"))["ann"] == (None, "ungraded")
    assert (await stage.scores("match+tom"))["cat"] == (1.0, "match")
    asked = len(model.requests)
    await stage.grade(judging)
    assert len(model.requests) == 2 * asked, "a stored failure is no answer"
    failing[0] = False
    assert (await stage.grade(judging)).ungraded == 0
    assert (await stage.scores("match+tom"))["ann"] == (1.0, "judge")


async def test_a_new_judges_failure_keeps_the_older_grade(stage: Stage) -> None:
    tom, _ = stage.judge("tom", words(games=True))
    kim, model = stage.judge("kim", garbage)
    await stage.grade(tom)
    before = await stage.scores("match+tom")
    await stage.grade(kim)
    assert len(model.requests) == 5 * ATTEMPTS, "five different answers by themselves, and no more"
    assert await stage.scores("match+tom") == before
    assert (await stage.scores("match+kim"))["ann"] == (None, "ungraded")


async def test_another_model_under_the_same_name_is_asked_anew(stage: Stage) -> None:
    tom, _ = stage.judge("tom", words(games=True))
    await stage.grade(tom)
    other = ScriptedModel("tom-2", words())
    await stage.grade(Player("tom", Cache(other, ExperimentCalls(stage.store, "cup"))))
    assert len(other.requests) == 5, "two different answers to the first question, three to the second"
    assert (await stage.scores("match+tom"))["ann"] == (0.0, "judge")


async def test_two_judges_agree_or_leave_it_to_a_person(stage: Stage) -> None:
    tom, _ = stage.judge("tom", words(games=True))
    kim, _ = stage.judge("kim", words())
    graded = await stage.grade(tom, kim)
    # games and rome on the first question; games, olympics and rome on the second
    assert sorted(graded.judged) == [(False, False)] * 3 + [(True, False)] * 2
    assert graded.disputed == 4
    grading = Grading(Team("judges", ()), (tom, kim))
    queue = await open_answers(stage.store, grading, "e")
    assert [(each.case.question.id, each.answer, each.wording, each.episodes) for each in queue] == [
        ("q1", "games", "The Games!", 2),
        ("q2", "games", "The Games!", 2),
    ]
    assert [str(each).partition(" (")[0] for each in queue[0].judgements] == ["kim: wrong", "tom: right"]


async def test_a_settled_word_stands_everywhere_at_once(stage: Stage) -> None:
    tom, _ = stage.judge("tom", words(games=True))
    kim, _ = stage.judge("kim", words())
    await stage.grade()
    await stage.grade(tom)
    await stage.grade(tom, kim)
    changed = await stage.store.run(lambda connection: settle(connection, CASES[0], "games", False))
    assert changed == 2 * 3
    for grader in ("match", "match+tom", "match+tom+kim"):
        scores = await stage.scores(grader)
        assert (scores["ann"], scores["bob"], scores["cat"]) == ((0.0, "person"), (0.0, "person"), (1.0, "match"))
    await stage.grade(tom)
    assert (await stage.scores("match+tom"))["ann"] == (0.0, "person"), "also when it is graded again"
    grading = Grading(Team("judges", ()), (tom, kim))
    assert [each.case.question.id for each in await open_answers(stage.store, grading, "e")] == ["q2"]


async def test_without_a_judge_what_does_not_match_is_wrong_unless_a_person_says_otherwise(stage: Stage) -> None:
    graded = await stage.grade()
    assert graded.stages == {"match": 8}
    assert (await stage.scores("match"))["ann"] == (0.0, "match")
    await stage.store.run(lambda connection: settle(connection, CASES[0], "games", True))
    assert (await stage.grade()).stages == {"match": 6, "person": 2}
    assert (await stage.scores("match"))["ann"] == (1.0, "person")


class Contains:
    """A grader that is sure of what holds the reference, or a word of `wrong`, and leaves the rest open."""

    name: ClassVar[str] = "contains"

    def __init__(self, *wrong: str) -> None:
        self.wrong = wrong

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        answer = verdict.answer or ""
        if normalise(answer) in self.wrong:
            return Score(0.0, "contains")
        return Score(1.0, "contains") if (case.answer or "") in answer else Score(None, "ungraded")


@pytest.mark.parametrize("known_here", [True, False])
async def test_a_persons_word_never_replaces_that_of_a_grader_that_was_sure(
    stage: Stage, known_here: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stage.play()
    await stage.grade()
    by_contains = Grading(Team("judges", ()), grader=Contains("games"))
    await grade_stored(stage.store, by_contains, "e")
    if known_here:
        monkeypatch.setitem(graders._GIVEN, "contains", by_contains.grader)
    for answer in ("games", "rome"):
        await stage.store.run(partial(settle, case=CASES[0], answer=answer, right=True))
    assert (await stage.scores("match"))["bob"] == (1.0, "person")
    theirs = await stage.scores("contains")
    assert theirs["bob"] == (0.0, "contains"), "it was sure"
    assert theirs["dan"] == (1.0, "person"), "it had left that open"
    await grade_stored(stage.store, by_contains, "e")
    assert await stage.scores("contains") == theirs, "grading again says the same"
    await stage.store.run(partial(settle, case=CASES[0], answer="rome", right=False))
    assert (await stage.scores("match"))["dan"] == (0.0, "person")
    if known_here:
        assert (await stage.scores("contains"))["dan"] == (0.0, "person"), "a person may think again"


class ContainsMended(Contains):
    """Leaves open what it was sure of before."""

    version: ClassVar[int] = 2


@pytest.mark.parametrize(("version", "after"), [(1, 1.0), (2, 0.0)], ids=["another version", "the same version"])
async def test_whether_a_grader_left_it_open_only_the_same_version_can_say(
    stage: Stage, version: int, after: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was settled under an older version was open to that one; whether it still would be nobody here knows."""
    mended = ContainsMended()
    monkeypatch.setitem(graders._GIVEN, "contains", mended)
    monkeypatch.setattr(ContainsMended, "version", version)
    by_then = Grading(Team("judges", ()), grader=mended)
    await grade_stored(stage.store, by_then, "e")
    await stage.store.run(partial(settle, case=CASES[0], answer="rome", right=True))
    kept_as = f"contains@{version}"
    assert (await stage.scores(kept_as))["dan"] == (1.0, "person")
    monkeypatch.setattr(ContainsMended, "version", 2)
    changed = await stage.store.run(partial(settle, case=CASES[0], answer="rome", right=False))
    assert changed == int(after == 0.0)
    assert (await stage.scores(kept_as))["dan"] == (after, "person")


def test_what_judges_said_settles_nothing_while_nobody_knows_the_reference() -> None:
    """Neither by our own match nor by a grader that leaves it open: a word given for another reference is none."""
    judges = (Player("tom", ScriptedModel("tom", garbage)),)
    word = Judgement("rome", "tom", True)
    for grader in (Match(), Contains()):
        grading = Grading(Team("judges", ()), judges, grader=grader)
        known, unknown = Case(CASES[0].question, "Olympics"), Case(CASES[0].question, None, known=False)
        if grading.asked is not None:
            open_word = Score(None, "ungraded", "left open")
            grading.asked.recall({(case.digest, "rome"): open_word for case in (known, unknown)})
        assert grading.score(known, "Rome", [word], None).value == 1.0
        assert grading.score(unknown, "Rome", [word], None).value is None


async def test_all_questions_are_graded_however_few_are_read_at_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moot.engine.answer_sheets.QUESTIONS_TOGETHER", 1)
    assert (await stage.grade()).scores == len(SAID) * len(CASES)
    grading = Grading(Team("judges", ()))
    queued = {each.case.question.id for each in await open_answers(stage.store, grading, "e")}
    assert queued == {"q1", "q2"}


def test_what_was_graded_adds_up() -> None:
    one = Graded(Counter(match=2), Counter(late=1), [(True, False)])
    other = Graded(Counter(match=1, judge=1), Counter(late=2), [(False, False)])
    total = Graded(Counter(match=3, judge=1), Counter(late=3), [(True, False), (False, False)])
    assert one + other == total


async def test_whom_the_file_names_now_is_written_down(stage: Stage) -> None:
    async def declared(judges: list[str], grader: str) -> dict[str, Any]:
        await stage.store.run(partial(declare_judges, experiment="e", judges=judges, grader=grader))
        row = await stage.store.run(partial(queries.experiment_of, ident="e"))
        config: dict[str, Any] = json.loads(row["config"])
        return config

    assert await declared(["tom"], "contains") == {"judge": {"models": ["tom"]}, "grader": "contains"}
    assert await declared(["tom"], "match") == {"judge": {"models": ["tom"]}}, "back to the usual grader"
    assert await declared([], "match") == {}


async def test_what_batching_does_to_a_judge_s_words_is_measured(stage: Stage) -> None:
    """A judge that finds nothing right in company: its words are kept beside the others, and compared."""
    alone = words(games=True, rome=True)

    def shy(request: Request) -> Any:
        together = request.messages[-1].content.count("<answer n=") > 1
        return words()(request) if together else alone(request)

    judging, model = stage.judge("tom", shy)
    one_by_one = Grading(Team("judges", ()), (judging,))
    await stage.grade(judging)
    assert await batch_effects(stage.store, one_by_one, "e") == [], "nothing to compare yet"
    asked = len(model.requests)
    await stage.grade(judging, batch=20)
    assert len(model.requests) == asked + 2, "a call for each question"
    assert (await stage.scores("match+tom"))["ann"] == (1.0, "judge"), "as it was"
    assert (await stage.scores("match+tom@20"))["ann"] == (0.0, "judge")
    (effect,) = await batch_effects(stage.store, one_by_one, "e")
    assert (effect.judge, effect.batch) == ("tom", 20)
    assert set(effect.pairs) == {(True, False), (False, False)}
    (other,) = await batch_effects(stage.store, Grading(Team("judges", ()), (judging,), batch=20), "e")
    assert (other.batch, sorted(other.pairs)) == (1, sorted((two, one) for one, two in effect.pairs))
    rows = await stage.store.run(lambda connection: list(connection.execute(select(schema.judgements)).mappings()))
    assert all("answers together" in row["detail"] for row in rows if row["judge"].startswith("tom@20"))
    assert {row["detail"] for row in rows if row["judge"].startswith("tom#")} == {None}


async def test_who_is_shown_together_is_asked_about_as_often_as_whoever_was_asked_most(stage: Stage) -> None:
    """Else an answer would be asked about anew under a number that it had: its stored reply is the one that could not be used."""
    judging, _ = stage.judge("tom", garbage)
    await stage.grade(judging, batch=20)
    table = schema.judgements

    def more_often(connection: Connection) -> None:
        of_games = (table.c.case == CASES[0].digest, table.c.answer == "games")
        connection.execute(update(table).where(*of_games).values(tries=3))

    await stage.store.run(more_often)
    await stage.grade(judging, batch=20)
    query = select(table.c.answer, table.c.tries).where(table.c.case == CASES[0].digest)
    rows = await stage.store.run(lambda connection: list(connection.execute(query)))
    assert dict(map(tuple, rows)) == {"games": 4, "rome": 4}
