"""Which set and cluster a question is of, and on which questions something was chosen: written down, and read back."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

from moot.data import given_cases
from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.store import queries, store_at
from moot.types import Case, Question


def planned(folder: Path, cases: tuple[Case, ...]) -> Plan:
    (folder / "questions.jsonl").write_text(json.dumps({"id": "q", "text": "?", "answer": "x"}), encoding="utf-8")
    spec = {
        "name": "cup",
        "questions": {"file": "questions.jsonl"},
        "models": {"ann": {"provider": "simulated", "accuracy": 0.5}},
        "strategies": ["solo"],
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return replace(build(read_experiment(path)), dataset=given_cases(cases))


async def placed(plan: Plan) -> list[tuple[str | None, str | None]]:
    store = await plan.store().open()
    try:
        await Runner(plan, store).run()
        rows = await store.run(lambda connection: list(queries.cases_of(connection, plan.id)))
        return [(row["question_set"], row["cluster"]) for row in rows]
    finally:
        await store.close()


async def test_sets_and_clusters_are_written_down(tmp_path: Path) -> None:
    cases = tuple(Case(Question(f"q{n}", f"Number {n}?"), "one") for n in range(3))
    belonging = tuple(replace(case, question_set="sea", cluster=f"passage {n // 2}") for n, case in enumerate(cases))
    assert [case.digest for case in cases] == [case.digest for case in belonging], "no part of what a case is"
    plain, sorted_in = planned(tmp_path, cases), planned(tmp_path, belonging)
    assert plain.id == sorted_in.id
    assert await placed(plain) == [(None, None)] * 3
    assert await placed(sorted_in) == [("sea", "passage 0"), ("sea", "passage 0"), ("sea", "passage 1")]
    assert await placed(sorted_in) == [("sea", "passage 0"), ("sea", "passage 0"), ("sea", "passage 1")]
    assert await placed(plain) == [(None, None)] * 3, "what the file says now stands"


async def test_choices_are_kept_by_cell(tmp_path: Path) -> None:
    store = await store_at(f"sqlite:///{tmp_path}/s.db").open()
    try:
        await store.run(partial(queries.put_choice, cell="team", questions=["q1", "q2", "q1"]))
        await store.run(partial(queries.put_choice, cell="team", questions=["q2", "q3"]))
        await store.run(partial(queries.put_choice, cell="other", questions=[]))
        chosen_on = await store.run(partial(queries.choices_of, cells=["team", "other", "nobody"]))
    finally:
        await store.close()
    assert chosen_on == {"team": frozenset({"q1", "q2", "q3"})}
