"""What turned out right of a served answer: from whom it is taken, where it is written, and what is learnt from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.errors import UsageError
from moot.experiment.spec import read_experiment
from moot.grade.grading import GradedBy, scores_name
from moot.live.asked_question import question_of
from moot.live.feedback import learnt_questions
from moot.live.team import LiveTeam
from moot.store import queries
from moot.store.rows import config_of

THREE: dict[str, Any] = {
    "name": "three",
    "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "cat")},
    "teams": {"three": {"players": ["ann", "bob", "cat"]}},
    "strategies": ["vote"],
    "store": "sqlite:///three.db",
}
JUDGED = {
    **THREE,
    "strategies": ["vote", "solo"],
    "models": {**THREE["models"], "jim": {"provider": "simulated", "accuracy": 1.0}},
    "judge": {"models": ["jim"]},
}


def live(folder: Path, spec: dict[str, Any]) -> LiveTeam:
    (folder / "team.yaml").write_text(yaml.safe_dump(spec))
    return LiveTeam(read_experiment(folder / "team.yaml", with_questions=False), serving=True)


async def test_only_whose_question_it_is_says_what_was_right(tmp_path: Path) -> None:
    async with live(tmp_path, THREE) as team:
        hers = (await team.play(question_of("Which river?"), asker="key of ann")).id
        for said in ({"answer": "poison"}, {"correct": True}):
            with pytest.raises(UsageError, match="there is no episode"):
                await team.record.feedback(hers, **said, asker="key of bob")
        assert (await team.record.feedback(hers, correct=False, asker="key of ann"))["correct"] is False


async def test_a_grade_is_written_for_the_judges_of_earlier_files_too(tmp_path: Path) -> None:
    async with live(tmp_path, JUDGED) as team:
        asked = await team.play(question_of("Which river?"))
    async with live(tmp_path, THREE) as team:
        await team.record.feedback(asked.id, answer=asked.verdict.answer)
        plans = await team.store.run(lambda connection: queries.experiments_named(connection, team.record.name))
        graders = {scores_name(*GradedBy.of(config_of(plan))) for plan in plans}
        assert len(graders) == 2
        written = await team.store.run(
            lambda connection: set(
                connection.exec_driver_sql("SELECT grader FROM scores WHERE value IS NOT NULL").scalars()
            )
        )
        assert written == graders


async def test_an_answer_that_was_called_wrong_is_no_reference(tmp_path: Path) -> None:
    async with live(tmp_path, THREE) as team:
        wrong, right = [await team.play(question_of(f"Which {what}?")) for what in ("river", "town")]
        await team.record.feedback(wrong.id, correct=False)
        await team.record.feedback(right.id, correct=True)
        plans = await team.store.run(lambda connection: queries.experiments_named(connection, team.record.name))
        learnt = await team.store.run(lambda connection: list(learnt_questions(connection, plans[-1])))
    assert {each["text"]: each["answer"] for each in learnt} == {"Which town?": right.verdict.answer}
