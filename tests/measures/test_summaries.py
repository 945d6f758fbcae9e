"""Summarisers from file to figures: what is ungraded is counted, and taken for nothing else."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from stopped_runs import figures_of, never, world

import moot
from moot import Case, Question, Team, Traits, Verdict
from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.measures.summaries.figures import summary_sections
from moot.models.scripted import Script, ScriptedModel
from moot.report.figures import figures, find_experiment
from moot.strategies.captaincy import drafts_shown
from moot.team.forms import AnswerForm
from moot.traces import Shown
from moot.types import Request

RIGHT, OTHER = "the Don", "the Oka"
SAID: Mapping[str, tuple[str, str, str]] = {
    # what ann and bob propose, and what sue makes of it
    "q0": (RIGHT, RIGHT, RIGHT),
    "q1": (RIGHT, OTHER, RIGHT),
    "q2": (OTHER, OTHER, RIGHT),
    "q3": (RIGHT, RIGHT, OTHER),
}


def script(name: str) -> Callable[[Request], Script]:
    def say(request: Request) -> Script:
        if name == "jan":
            return "I cannot say."
        alone, together = (
            SAID[str(request.question_id)][("ann", "bob", "sue").index(name)],
            SAID[str(request.question_id)][2],
        )
        return {"reasoning": "", "answer": together if "several solvers" in request.messages[-1].content else alone}

    return say


async def played(folder: Path, strategies: list[Any], *, judge: bool = False, **team: Any) -> dict[str, Any]:
    lines = [{"id": name, "text": f"Which river, {name}?", "answer": RIGHT} for name in SAID]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    names = ("ann", "bob", "sue", "jan")
    spec = {
        "name": "rivers",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in names},
        "players": {name: {"model": name} for name in ("ann", "bob")},
        "teams": {"two": {"players": ["ann", "bob"], **team}},
        "strategies": strategies,
        "grouping": {"match": "only"},
        **({"judge": {"models": ["jan"]}} if judge else {}),
    }
    path = folder / "rivers.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    plan = build(read_experiment(path))
    models = {name: replace(built, model=ScriptedModel(name, script(name))) for name, built in plan.models.items()}
    store = await plan.store().open()
    try:
        await Runner(replace(plan, models=models), store).run()
        return await store.run(lambda connection: figures(connection, find_experiment(connection, "rivers")))
    finally:
        await store.close()


MIXTURE = {"mixture": {"summariser": "sue", "repeats": 1}}


def test_graded_by_match_alone_everything_counts(tmp_path: Path) -> None:
    (row,) = asyncio.run(played(tmp_path, [MIXTURE]))["mixtures"]
    assert (row["value"], row["n"], row["ungraded"], row["unknown_labels"]) == (0.75, 4, 0, 0)
    assert [(each["c"], each["n"], each["accuracy"]) for each in row["right_labels"]] == [
        (0, 1, 1.0),
        (1, 1, 1.0),
        (2, 2, 0.5),
    ]


def test_what_no_judge_has_settled_is_left_out_and_said(tmp_path: Path) -> None:
    found = asyncio.run(played(tmp_path, [MIXTURE], judge=True))
    (row,) = found["mixtures"]
    assert (row["value"], row["n"], row["episodes"]) == (None, 0, 4), "q3 is ungraded, and the others match"
    assert row["bounds"] == {"low": 0.75, "high": 1.0}
    assert "1 of 4 answers are ungraded" in row["why"]
    assert (row["ungraded"], row["unknown_labels"]) == (1, 2)
    assert [(each["c"], each["n"], each["accuracy"]) for each in row["right_labels"]] == [
        (0, 0, None),
        (1, 0, None),
        (2, 0, None),
    ]
    assert all("ungraded" in each["why"] for each in row["right_labels"])
    words = " ".join(sentence for section in summary_sections(found) for sentence in section.words)
    assert "1 of 4 episodes are ungraded" in words
    assert "in 2 of 4 episodes a response is ungraded" in words


def test_a_captain_who_sums_up_is_one_too(tmp_path: Path) -> None:
    found = asyncio.run(played(tmp_path, ["silent", {"mixture": {"repeats": 1}}], captain="bob"))
    (row,) = found["mixtures"]
    assert (row["summariser"], row["value"], row["proposers"]) == ("bob", 0.75, ["ann", "bob"])


@dataclass(frozen=True)
class Digest:
    """A strategy of somebody else's that does the same: its officer has another name, and so has what it reads as."""

    editor: str = "sue"

    name: ClassVar[str] = "digest"

    @property
    def traits(self) -> Traits:
        return Traits(
            prompts=("draft",),
            drafts="single-call",
            word="office",
            hears="reasons",
            asks="nobody",
            offices={"editor-in-chief": self.editor, "proof-reader": "jan"},
        )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        editor = team.officers["editor-in-chief"]
        prompt = "These are the answers of several solvers: " + "; ".join(draft.text or "" for draft in drafts)
        heard = await team.ask(editor, question, prompt, AnswerForm(question), stage="edit", turn=2)
        word = heard.value.answer if heard.value else None
        shown = Shown("editor-in-chief", "editor", drafts_shown(drafts), 2, drawn=False, answer=word)
        return Verdict(word, "answered", answers=drafts, turns=2, traces=(shown,))


def test_an_officer_of_another_name_that_does_the_same_is_measured(tmp_path: Path) -> None:
    models = {name: ScriptedModel(name, script(name)) for name in ("ann", "bob", "sue", "jan")}
    results = moot.run(
        {
            "name": "rivers",
            "models": models,
            "players": {name: {"model": name} for name in ("ann", "bob")},
            "questions": [Case(Question(name, f"Which river, {name}?"), RIGHT) for name in SAID],
            "strategies": [Digest(), "solo", "vote"],
        },
        store=tmp_path / "rivers.db",
    )
    (row,) = results.figures["mixtures"]
    assert (row["label"], row["summariser"], row["order"]) == ("digest", "sue", "fixed")
    assert (row["value"], row["n"], row["proposers"]) == (0.75, 4, ["ann", "bob"])
    assert [(each["c"], each["n"], each["accuracy"]) for each in row["right_labels"]] == [
        (0, 1, 1.0),
        (1, 1, 1.0),
        (2, 2, 0.5),
    ]


def test_without_one_there_is_nothing(tmp_path: Path) -> None:
    found = asyncio.run(played(tmp_path, ["solo", "vote", "silent"], captain="bob"))
    assert not {"mixtures", "partners"} & found.keys()


def test_partners_are_known_by_what_they_are_worth_alone(tmp_path: Path) -> None:
    """In the way in which they drafted: other drafts are other answers."""
    single = [{"mixture": {"summariser": "sue", "repeats": 1, "proposers": [name]}} for name in ("ann", "bob")]
    found = asyncio.run(played(tmp_path, ["solo", *single]))
    assert [row["proposers"] for row in found["mixtures"]] == [["ann"], ["bob"]]
    (partners,) = found["partners"]
    assert (partners["most_accurate"], partners["its_accuracy"]) == ("ann", 0.75)


async def test_partners_are_ranked_on_the_questions_that_all_of_them_have(tmp_path: Path) -> None:
    """Bob was read on ten questions of forty, nine of which he knows: on these the summary of ann is right more often."""
    players = world({"ann": lambda n: n < 10 or n % 5 == 0, "bob": lambda n: n < 9, "sue": never}, None)
    players.after = lambda name, n, texts: texts[0]
    single = [{"mixture": {"summariser": "sue", "repeats": 1, "proposers": [name]}} for name in ("ann", "bob")]
    keys = {**players.keys(["solo", *single]), "teams": {"two": {"players": ["ann", "bob"]}}}
    await moot.arun(keys, store=tmp_path / "cup.db")
    with closing(sqlite3.connect(tmp_path / "cup.db")) as connection, connection:
        (cell,) = connection.execute("SELECT id FROM cells WHERE label LIKE 'mixture%bob%'").fetchone()
        first_ten = "SELECT question FROM experiment_questions ORDER BY position LIMIT 10"
        connection.execute(f"DELETE FROM episodes WHERE cell = ? AND question NOT IN ({first_ten})", (cell,))
    shown = await figures_of(tmp_path / "cup.db")
    own = {row["proposers"][0]: (row["value"], row["n"]) for row in shown["mixtures"]}
    assert own == {"ann": (0.4, 40), "bob": (0.9, 10)}
    (partners,) = shown["partners"]
    assert (partners["most_accurate"], partners["most_complementary"]) == ("ann", "ann")
    assert (partners["with_most_complementary"], partners["its_accuracy"]) == (1.0, 1.0)
    assert (partners["n"], partners["left_out"]) == (10, [])


@dataclass(frozen=True)
class Reading:
    """One player reads the drafts of all, as whatever `role` says, and gives one of them as the team's word."""

    role: str = "captain"
    name: ClassVar[str] = "reading"
    traits: ClassVar[Traits] = Traits(
        prompts=("draft",), drafts="single-call", captain="leads", word="captain", asks="nobody"
    )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain="ann"),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        looked = Shown("ann", self.role, tuple((draft.player,) for draft in drafts), 2, answer=drafts[0].text)
        return Verdict(drafts[0].text, "answered", who=("ann",), answers=drafts, traces=(looked,))


def test_who_answers_with_the_name_of_the_office_holds_none() -> None:
    """An answer may be any word; who summarised is in the records."""
    models = {
        name: ScriptedModel(name, lambda _: {"reasoning": "r", "answer": "summariser"}) for name in ("ann", "bob")
    }
    cases = [Case(Question(str(number), f"Who, {number}?"), "summariser") for number in range(3)]
    teams = {"two": {"players": ["ann", "bob"]}}
    strategies = [Reading(), Reading("summariser")]
    keys = {"name": "cup", "models": models, "questions": cases, "teams": teams, "strategies": strategies}
    found = moot.run(keys).figures
    assert [row["label"] for row in found["mixtures"]] == ["reading(role=summariser)"]
