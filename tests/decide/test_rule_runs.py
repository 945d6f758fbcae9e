"""Rules that learn, through a run: from the other questions, with nothing more asked than a vote asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from beside import rows

import moot
from moot.errors import FileError
from moot.models.scripted import Script, ScriptedModel
from moot.store.rows import verdict_of
from moot.traces import DecidedByRule, of_kind
from moot.types import Case, Question, Request

PLAYERS = ("ann", "bob", "cat")
CASES = [
    Case(Question(f"q{n}", f"Which letter has number {n}?", choices=tuple("wxyz"), kind="choice"), "ABCD"[n % 4])
    for n in range(30)
]


def models() -> dict[str, ScriptedModel]:
    """Ann is nearly always right; bob and cat say the same wrong letter."""

    def player(name: str) -> Any:
        def reply(request: Request) -> Script:
            number = int(str(request.question_id).removeprefix("q"))
            right = name == "ann" and number % 8 != 3
            return {"reasoning": "So.", "answer": "ABCD"[(number + (not right)) % 4]}

        return reply

    return {name: ScriptedModel(name, player(name)) for name in PLAYERS}


async def played(
    folder: Path, strategies: list[Any], cases: list[Case] = CASES
) -> tuple[Any, dict[str, ScriptedModel]]:
    voices = models()
    experiment: dict[str, Any] = {
        "name": "cup",
        "players": {name: {"model": name} for name in PLAYERS},
        "questions": cases,
        "models": voices,
        "strategies": strategies,
    }
    store = f"sqlite:///{folder / 'cup.db'}"
    return await moot.arun(moot.Experiment(**experiment), store=store), voices


async def test_a_rule_is_learnt_from_the_other_questions(tmp_path: Path) -> None:
    results, voices = await played(tmp_path, ["vote", "leader"])
    assert results.state == "done"
    right = {row["strategy"]: row["value"] for row in results.figures["accuracy"]}
    assert right == {"vote": 0.0, "leader": pytest.approx(26 / 30)}
    assert sum(len(voice.requests) for voice in voices.values()) == len(PLAYERS) * len(CASES)
    query = "SELECT verdict FROM episodes JOIN cells ON cells.id = cell WHERE strategy = 'leader'"
    records = [
        record
        for (verdict,) in rows(tmp_path / "cup.db", query)
        for record in of_kind(verdict_of(verdict).traces, DecidedByRule)
    ]
    assert len(records) == len(CASES)
    assert {record.kept for record in records} <= {"leader", "best single"}
    assert all(record.probability is not None for record in records)


async def test_too_few_questions_are_refused_before_any_call(tmp_path: Path) -> None:
    for strategy in ("learnt", "weighted", "leader"):
        words = f"{strategy} learns from the graded drafts of other questions; it takes 20 others; expected 30 or more"
        with pytest.raises(FileError, match=words):
            await played(tmp_path, [strategy], CASES[:29])
    await played(tmp_path, [{"leader": {"player": "ann", "unless": 2}}], CASES[:2])


async def test_a_cascade_costs_what_it_asked_and_nothing_more_than_the_drafts_that_are_there(tmp_path: Path) -> None:
    """Ann is asked first, and where she is sure to be right nobody else: beside a vote that costs no call at all."""
    results, voices = await played(
        tmp_path,
        ["vote", "learnt", "cascade", {"cascade": {"until": 0.7}}, {"cascade": {"order": list(PLAYERS[::-1])}}],
    )
    assert results.state == "done"
    assert sum(len(voice.requests) for voice in voices.values()) == len(PLAYERS) * len(CASES)
    rows_by_label = {row["label"]: row for row in results.figures["accuracy"]}
    learnt, cascade = rows_by_label["learnt"], rows_by_label["cascade"]
    assert cascade["value"] == learnt["value"]
    assert learnt["calls_per_question"] == 3
    assert cascade["calls_per_question"] < 2
    assert rows_by_label["cascade(until=0.7)"]["calls_per_question"] < 2
    # Cat and bob say the same: ann cannot change that.
    assert rows_by_label["cascade(order=cat+bob+ann)"]["calls_per_question"] == 2


async def test_a_cascade_alone_asks_nobody_who_is_not_needed(tmp_path: Path) -> None:
    results, voices = await played(tmp_path, [{"cascade": {"order": list(PLAYERS[::-1])}}])
    assert results.state == "done"
    assert {name: len(voice.requests) for name, voice in voices.items()} == {"ann": 0, "bob": 30, "cat": 30}
