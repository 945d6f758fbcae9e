"""A discussion tells how sure it is by how it ended, and a cascade with a last stage by its drafts and by that stage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from beside import rows

import moot
from moot.store.rows import verdict_of
from moot.traces import Abstained, Cascaded, ToldProbability, of_kind
from moot.types import Case, Question, Verdict

NAMES = ("ann", "bob", "cat")
COUNT = 40


async def played(folder: Path, *strategies: Any, count: int = COUNT) -> Any:
    questions = [
        Case(Question(f"q{n}", f"Which letter has number {n}?", choices=tuple("wxyz"), kind="choice"), "A")
        for n in range(count)
    ]
    experiment = moot.Experiment(
        name="cup",
        questions=questions,
        models={name: {"provider": "simulated", "accuracy": 0.6} for name in NAMES},
        teams={"three": {"players": list(NAMES), "captain": "ann"}},
        strategies=list(strategies),
    )
    return await moot.arun(experiment, store=f"sqlite:///{folder / 'cup.db'}")


def verdicts(folder: Path, *, abstaining: bool) -> dict[str, Verdict]:
    """Of what the file names; or of the strategy whose verdicts teach, which it does not name."""
    here = "IN" if abstaining else "NOT IN"
    query = f"SELECT question, verdict FROM episodes WHERE cell {here} (SELECT id FROM cells)"
    every = [(question, verdict_of(kept)) for question, kept in rows(folder / "cup.db", query)]
    return {question: verdict for question, verdict in every if len(verdict.answers) == len(NAMES)}


@pytest.mark.parametrize(
    "options", [{"decision": "unanimity-consensus", "max_turns": 2}, {"decision": "simple-voting", "vote_from": 1}]
)
async def test_a_discussion_tells_how_sure_it_is_and_abstains(options: dict[str, Any], tmp_path: Path) -> None:
    results = await played(tmp_path, {"discuss": {**options, "abstain": {"below": 0.6}}})
    assert results.state == "done"
    (row,) = results.figures["accuracy"]
    assert row["outcomes"].keys() >= {"abstained", "answered"}
    given = verdicts(tmp_path, abstaining=False)
    assert len(given) == COUNT
    for question, verdict in verdicts(tmp_path, abstaining=True).items():
        (told,) = of_kind(verdict.traces, ToldProbability)
        assert told.probability is not None
        assert told.why.endswith("of its own graded verdicts")
        assert (verdict.outcome == "abstained") == (told.probability < 0.6)
        held = of_kind(verdict.traces, Abstained)
        assert (held[0].answer if held else verdict.answer) == given[question].answer


@pytest.mark.parametrize("abstain", [{"below": 0.7}, {"target": 0.6}])
async def test_a_cascade_with_a_last_stage_tells_how_sure_it_is_and_abstains(
    abstain: dict[str, float], tmp_path: Path
) -> None:
    count = COUNT if "below" in abstain else 110
    options = {"order": "learnt", "until": 0.85, "then": "talkative"}
    results = await played(tmp_path, {"cascade": {**options, "abstain": abstain}}, count=count)
    assert results.state == "done"
    (row,) = results.figures["accuracy"]
    ended: dict[bool, int] = {True: 0, False: 0}
    of_stage = verdicts(tmp_path, abstaining=False)
    for question, verdict in verdicts(tmp_path, abstaining=True).items():
        (told,) = of_kind(verdict.traces, ToldProbability)
        assert told.probability is not None
        assert "of the graded verdicts of talkative, and the drafts" in told.why
        (path,) = of_kind(verdict.traces, Cascaded)
        ended[path.then is not None] += 1
        if path.then is not None:
            held = of_kind(verdict.traces, Abstained)
            assert (held[0].answer if held else verdict.answer) == of_stage[question].answer
        if "below" in abstain:
            assert (verdict.outcome == "abstained") == (told.probability < 0.7)
    assert all(ended.values()), "some end with the stage, and some before it"
    assert 0 < row["coverage"]["value"] <= 1
