"""A cascade with a last stage stands beside that very stage played on every question, and beside no other of its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import moot
from moot.models.scripted import Script, ScriptedModel
from moot.types import Case, Question, Request

PLAYERS = ("ann", "bob", "cat")
CASES = [
    Case(Question(f"q{n}", f"Which letter has number {n}?", choices=tuple("wxyz"), kind="choice"), "ABCD"[n % 4])
    for n in range(30)
]
OTHERS = (
    {"debate": {"max_rounds": 1, "drafts": "single-call"}},
    {"debate": {"max_rounds": 2, "drafts": "single-call"}},
    {"debate": {"max_rounds": 1}},
)


def model(name: str, right_unless: int) -> ScriptedModel:
    def reply(request: Request) -> Script:
        number = int(str(request.question_id).removeprefix("q"))
        answer = "ABCD"[(number + (number % right_unless == 0)) % 4]
        return {"reasoning": "So.", "answer": answer, "solution": answer, "agree": True, "message": "So."}

    return ScriptedModel(name, reply)


async def beside(
    folder: Path, *strategies: Any, right_unless: int = 3, captain: str | None = "each"
) -> list[tuple[str, str]]:
    """The label of each cascade, and what it is set beside."""
    experiment: dict[str, Any] = {
        "name": "cup",
        "teams": {"all": {"players": list(PLAYERS), "captain": captain}},
        "questions": CASES,
        "models": {name: model(name, right_unless) for name in PLAYERS},
        "strategies": [*strategies],
    }
    results = await moot.arun(moot.Experiment(**experiment), store=f"sqlite:///{folder / 'cup.db'}")
    assert results.state == "done"
    return [(row["label"], row["against"]) for row in results.figures.get("cascade_beside", ())]


async def test_a_last_stage_is_known_by_its_options_and_its_drafts(tmp_path: Path) -> None:
    """Two rounds are another strategy than one, and whoever drafts in two calls decides from other drafts."""
    cascade = {"cascade": {"until": 0.95, "then": {"debate": {"max_rounds": 1}}}}
    rows = await beside(tmp_path, *OTHERS, cascade)
    assert [row[1] for row in rows] == [f"debate(max_rounds=1, drafts=single-call)@{name}" for name in PLAYERS]


async def test_without_that_stage_in_the_file_there_is_no_row(tmp_path: Path) -> None:
    assert (
        await beside(tmp_path, *OTHERS[1:], {"cascade": {"until": 0.95, "then": {"debate": {"max_rounds": 1}}}}) == []
    )


async def test_a_stage_that_was_never_reached_stands_there_too(tmp_path: Path) -> None:
    """What was saved is most where every answer was sure."""
    rows = await beside(tmp_path, "talkative", {"cascade": {"until": 0.6, "then": "talkative"}}, right_unless=1000)
    assert {row[1] for row in rows} == {f"talkative@{name}" for name in PLAYERS}
    assert {row[0] for row in rows} == {"cascade(until=0.6, then=talkative)"}


async def test_a_last_stage_is_known_by_its_captain(tmp_path: Path) -> None:
    """Where nobody leads another strategy is played than under a captain."""
    debate = {"max_rounds": 1, "drafts": "single-call"}
    cascade = {"cascade": {"until": 0.95, "then": {"debate": {"max_rounds": 1}}, "captain": "ann"}}
    others = ({"debate": debate}, {"debate": {**debate, "captain": "ann"}})
    rows = await beside(tmp_path, *others, cascade, captain=None)
    assert [row[1] for row in rows] == ["debate(max_rounds=1, drafts=single-call)@ann"]


def test_who_was_asked_is_a_share_of_the_plays() -> None:
    """Ann is always asked, bob always with her, and cat where the two differ: on every third question."""
    right = {"ann": lambda n: True, "bob": lambda n: n % 3 != 0, "cat": lambda n: True}

    def says(name: str) -> ScriptedModel:
        def reply(request: Request) -> Script:
            number = int(str(request.question_id).removeprefix("q"))
            return {"reasoning": "So.", "answer": "ABCD"[(number + (not right[name](number))) % 4]}

        return ScriptedModel(name, reply)

    experiment: dict[str, Any] = {
        "name": "cup",
        "teams": {"all": {"players": list(PLAYERS)}},
        "questions": CASES[:12],
        "models": {name: says(name) for name in PLAYERS},
        "strategies": [{"cascade": {"order": list(PLAYERS)}}],
    }
    (row,) = moot.run(experiment).figures["cascade"]
    assert row["asked"] == {"ann": 1.0, "bob": 1.0, "cat": 4 / 12}
    assert row["of"] == 3
