"""What `moot select` reads from a store: the first repeat, and questions that hang together within their own set."""

from __future__ import annotations

import json
from pathlib import Path

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.engine.stored_labels import StoredLabels, stored_labels
from moot.report.figures import find_experiment, grader_of
from moot.store import store_at


async def labels_of(folder: Path, cases: list[Case]) -> StoredLabels:
    """Two repeats; everybody says yes in the first and no in the second."""

    def reply(request: Request) -> dict[str, str]:
        return {"reasoning": f"draft {request.sample}", "answer": ("yes", "no")[request.sample]}

    models = {name: ScriptedModel(name, reply) for name in ("ann", "bob")}
    url = f"sqlite:///{folder}/cup.db"
    await moot.arun({"name": "cup", "models": models, "questions": cases, "repeats": 2, "store": url})
    store = await store_at(url).open()
    try:
        experiment = await store.run(lambda connection: find_experiment(connection, "cup"))
        grader = grader_of(json.loads(experiment["config"]))
        return await store.run(lambda connection: stored_labels(connection, experiment, grader))
    finally:
        await store.close()


async def test_labels_are_those_of_the_first_repeat_and_clusters_those_of_one_set(tmp_path: Path) -> None:
    cases = [
        Case(Question(f"{name}{n}", f"Is {name} {n} so?", kind="yes-no"), "yes", cluster="page 1", question_set=name)
        for name in ("red", "blue")
        for n in range(2)
    ]
    found = await labels_of(tmp_path, cases)
    assert found.labels.right.all(), "each is right in the first repeat and wrong in the second"
    assert {draft.reasoning for draft in found.drafts.values()} == {"draft 0"}
    together: dict[str, set[str]] = {}
    for question, cluster in found.labels.clusters.items():
        together.setdefault(cluster, set()).add(found.cases[question].question.id)
    assert sorted(map(sorted, together.values())) == [["blue0", "blue1"], ["red0", "red1"]]
