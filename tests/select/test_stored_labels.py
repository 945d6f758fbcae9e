"""What `moot select` reads from a store: the first repeat, and questions that hang together within their own set."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import moot
from moot import Case, Question, Request, Score, ScriptedModel, Verdict
from moot.engine.stored_labels import StoredLabels, stored_labels
from moot.report.figures import find_experiment, grader_of
from moot.store import store_at


async def played(folder: Path, cases: Sequence[Case], models: Mapping[str, ScriptedModel], **more: Any) -> StoredLabels:
    url = f"sqlite:///{folder}/cup.db"
    await moot.arun({"name": "cup", "models": models, "questions": cases, "store": url, **more})
    store = await store_at(url).open()
    try:
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
