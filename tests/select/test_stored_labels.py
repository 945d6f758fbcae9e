"""What `moot select` reads from a store: the first repeat, and questions that hang together within their own set."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import moot
from moot import Case, Question, Request, Score, ScriptedModel, Traits, Verdict
from moot.engine.alone_plays import one_way
from moot.engine.grading import settle
from moot.engine.stored_labels import StoredLabels, stored_labels
from moot.errors import UsageError
from moot.grade.normalise import normalise
from moot.report.figures import find_experiment, grader_of
from moot.store import store_at


async def played(
    folder: Path,
    cases: Sequence[Case],
    models: Mapping[str, ScriptedModel],
    right_too: tuple[Case, str] | None = None,
    **more: Any,
) -> StoredLabels:
    """`right_too`: what a person has said after the run."""
    url = f"sqlite:///{folder}/cup.db"
    await moot.arun({"name": "cup", "models": models, "questions": cases, "store": url, **more})
    store = await store_at(url).open()
    try:
        if right_too is not None:
            case, answer = right_too
            await store.run(partial(settle, case=case, answer=normalise(answer), right=True))
        experiment = await store.run(lambda connection: find_experiment(connection, "cup"))
        grader = grader_of(json.loads(experiment["config"]))
        return await store.run(lambda connection: stored_labels(connection, experiment, grader))
    finally:
        await store.close()


def saying(name: str, words: Mapping[str, str]) -> ScriptedModel:
    """One that says what is written for the number with which a question's text ends."""

    def reply(request: Request) -> dict[str, str]:
        (word,) = [word for text, word in words.items() if text in str(request.messages)]
        return {"reasoning": "So.", "answer": word}

    return ScriptedModel(name, reply)


async def test_labels_are_those_of_the_first_repeat_and_clusters_those_of_one_set(tmp_path: Path) -> None:
    """Everybody says yes in the first and no in the second."""
    cases = [
        Case(Question(f"{name}{n}", f"Is {name} {n} so?", kind="yes-no"), "yes", cluster="page 1", question_set=name)
        for name in ("red", "blue")
        for n in range(2)
    ]

    def reply(request: Request) -> dict[str, str]:
        return {"reasoning": f"draft {request.sample}", "answer": ("yes", "no")[request.sample]}

    models = {name: ScriptedModel(name, reply) for name in ("ann", "bob")}
    found = await played(tmp_path, cases, models, repeats=2)
    assert found.labels.right.all(), "each is right in the first repeat and wrong in the second"
    assert found.labels.alternatives == 2, "yes and no"
    assert [found.origin.json(kind)["repeats"] for kind in ("single", "selector")] == [2, 1]
    assert {draft.reasoning for draft in found.drafts.values()} == {"draft 0"}
    together: dict[str, set[str]] = {}
    for question, cluster in found.labels.clusters.items():
        together.setdefault(cluster, set()).add(found.cases[question].question.id)
    assert sorted(map(sorted, together.values())) == [["blue0", "blue1"], ["red0", "red1"]]


class InPart:
    """Grades a word that begins as the reference does as right in part; of what has no reference it knows nothing."""

    name = "in-part"

    def __init__(self, part: float) -> None:
        self._part = part

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        if not case.known or case.answer is None or verdict.answer is None:
            return Score(None, "no reference")
        if verdict.answer == case.answer:
            return Score(1.0, "whole")
        return Score(self._part if verdict.answer[0] == case.answer[0] else 0.0, "part")


@pytest.mark.parametrize("part", [0.0, 0.5])
async def test_what_nobody_knows_is_in_no_denominator_whether_or_not_a_grade_is_a_part(
    tmp_path: Path, part: float
) -> None:
    """Four cities with a reference and two that nobody knows: the least that an accuracy can be is over the four."""
    cases = [Case(Question(str(n), f"What is city {n}?"), "Rome" if n < 4 else None, known=n < 4) for n in range(6)]
    words = {
        "ann": ["Rome", "Rome", "Rome", "Riga", "Oslo", "Bern"],
        "bob": ["Rome", "Oslo", "Bern", "Kyiv", "Oslo", "Oslo"],
    }
    models = {name: saying(name, {f"city {n}?": word for n, word in enumerate(said)}) for name, said in words.items()}
    labels = (await played(tmp_path, cases, models, grader=InPart(part))).labels
    assert (labels.marks is None) == (part == 0.0)
    assert labels.accuracy.tolist() == [(3 + part) / 4, 1 / 4]
    known = labels.with_known_truth()
    assert (known.size, labels.size) == (4, 6)
    assert known.accuracy.tolist() == labels.accuracy.tolist()


class Graded:
    """What is written down for an answer."""

    name = "written-down"

    def __init__(self, grades: Mapping[str, float | None]) -> None:
        self._grades = grades

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        return Score(self._grades[verdict.answer or ""], "written")


def choice(number: int, answer: str | None) -> Case:
    question = Question(str(number), f"Which is city {number}?", kind="choice", choices=("Rome", "Oslo", "Bern"))
    return Case(question, answer, known=answer is not None)


def everybody(**said: str) -> dict[str, ScriptedModel]:
    """By player: one letter or word a question."""
    return {
        name: saying(name, {f"city {n}?": word for n, word in enumerate(words.split())}) for name, words in said.items()
    }


async def test_a_choice_that_the_grader_left_open_is_neither_right_nor_wrong(tmp_path: Path) -> None:
    """The reference would say that B is wrong; whoever grades has not."""
    cases = [choice(0, "A"), choice(1, "A")]
    grader = Graded({"A": 1.0, "B": None, "C": 0.0})
    labels = (await played(tmp_path, cases, everybody(ann="A B", bob="C A"), grader=grader)).labels
    assert labels.ungraded is not None
    by_question = {str(proposer): labels.ungraded[place].sum() for place, proposer in enumerate(labels.proposers)}
    assert by_question == {"ann": 1, "bob": 0}
    assert labels.accuracy.tolist() == [1 / 2, 1 / 2]


async def test_one_question_with_choices_settles_no_free_answer(tmp_path: Path) -> None:
    """Without a judge a free answer is graded where it matches alone: what is graded is right by construction."""
    cases = [choice(0, "A"), Case(Question("1", "What is city 1?"), "Rome")]
    models = everybody(ann="A Rome", bob="B Oslo")
    assert not (await played(tmp_path, cases, models)).labels.settled
    (tmp_path / "choices").mkdir()
    assert (await played(tmp_path / "choices", cases[:1], models)).labels.settled


async def test_a_choice_that_a_person_has_called_right_is_the_right_one_of_its_question(tmp_path: Path) -> None:
    """Where there is no reference somebody's word is one: labels go on meaning the same class in every question."""
    cases = [choice(0, "A"), choice(1, None)]
    labels = (await played(tmp_path, cases, everybody(ann="A B", bob="C B"), right_too=(cases[1], "B"))).labels
    assert labels.shared
    assert labels.ungraded is None
    assert labels.accuracy.tolist() == [1.0, 1 / 2]


def test_a_player_who_stands_twice_under_one_name_is_not_taken_for_two() -> None:
    """Other prompts or another seat may make two cells of what reports call the same."""
    cells = [{"label": "solo", "player": name, "traits": "{}"} for name in ("ann", "bob", "ann")]
    assert one_way(cells[:2]) == (cells[:2], ())
    with pytest.raises(UsageError, match="several ways of answering alone"):
        one_way(cells)


@pytest.mark.parametrize(("reads", "taken"), [(None, "solo"), ("single-call", "solo"), ("double-call", "solo(two)")])
def test_labels_are_of_the_drafts_that_a_summariser_reads(reads: str | None, taken: str) -> None:
    ways = {"solo": "single-call", "solo(two)": "double-call"}
    cells = [
        {"label": label, "player": player, "traits": json.dumps(Traits(drafts=drafts).json())}
        for label, drafts in ways.items()
        for player in ("ann", "bob")
    ]
    chosen, others = one_way(cells, reads)
    assert [(cell["label"], cell["player"]) for cell in chosen] == [(taken, "ann"), (taken, "bob")]
    assert others == tuple(label for label in ways if label != taken)
