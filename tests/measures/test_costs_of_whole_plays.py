"""What a play took that lacks calls is no cost of a question, and what is bounded holds whatever the missing calls come to."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import moot
from moot import Case, Question, ScriptedModel
from moot.errors import ServerFailed
from moot.types import Request

Figures = Mapping[str, Any]
Places = frozenset[tuple[str, str]]
"""Players and questions."""
TEAMS = {"all": {"players": ["ann", "bob", "cat", "dan"], "captain": "ann"}, "few": {"players": ["ann", "bob", "cat"]}}


def right(lot: int, player: str, question: str) -> bool:
    return (
        random.Random(f"{lot} {player} {question}").random() < {"ann": 0.6, "bob": 0.5, "cat": 0.5, "dan": 0.7}[player]
    )


def figures_of(models: Mapping[str, Any], questions: int) -> Figures:
    keys = {
        "name": "cup",
        "seed": 1,
        "questions": [Case(Question(f"q{n}", f"Which name is number {n}?"), "firth") for n in range(questions)],
        "models": dict(models),
        "players": {name: {"model": name} for name in models},
        "teams": TEAMS,
        "strategies": ["solo", "vote"],
    }
    return dict(moot.run(keys).figures)


def asked(lot: int, questions: int, *, down: Places, comes: Places | None = None) -> Figures:
    """`down`: whose server fails on what. `comes`: the same, asked again: who is right on what of it."""

    def player(name: str) -> ScriptedModel:
        def reply(request: Request) -> Any:
            place = (name, request.question_id or "")
            if place in down and comes is None:
                raise ServerFailed("down", status=500)
            good = place in (comes or ()) if place in down else right(lot, *place)
            return {
                key: "firth" if good and key == "answer" else f"river {name}"
                for key in (request.schema or {})["properties"]
            }

        return ScriptedModel(name, reply)

    return figures_of({name: player(name) for name in TEAMS["all"]["players"]}, questions)


def recorded(folder: Path, lot: int, questions: int, *, lacks: Places) -> Figures:
    models = {}
    for name in TEAMS["all"]["players"]:
        places = [(name, f"q{n}") for n in (*range(questions), "of another file") if (name, f"q{n}") not in lacks]
        said = ["firth" if right(lot, *place) else f"river {name}" for place in places]
        lines = [
            {"model": name, "question_id": place[1], "answer": answer}
            for place, answer in zip(places, said, strict=True)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        models[name] = {"provider": "recorded", "file": str(folder / f"{name}.jsonl"), "model": name}
    return figures_of(models, questions)


def frontier(figures: Figures) -> dict[str, Any]:
    return {row["of"]: row for row in figures["frontier"]}


def within(row: Mapping[str, Any]) -> tuple[float, float]:
    bounds = row.get("within_bounds") or {"low": row["within"], "high": row["within"]}
    return bounds["low"] - 1e-9, bounds["high"] + 1e-9


@pytest.mark.parametrize("lot", range(6))
def test_bounds_hold_whatever_missing_calls_come_to(tmp_path: Path, lot: int) -> None:
    draw = random.Random(lot)
    questions = 16
    who = draw.sample(TEAMS["all"]["players"], draw.choice([1, 1, 2]))
    missing: Places = frozenset(
        (name, f"q{n}") for name in who for n in draw.sample(range(questions), draw.choice([1, 5, 13]))
    )
    told = [asked(lot, questions, down=missing), recorded(tmp_path, lot, questions, lacks=missing)]
    ways = [
        frozenset[tuple[str, str]](),
        missing,
        *(frozenset(p for p in sorted(missing) if draw.random() < 0.5) for _ in "abc"),
    ]
    for way in ways:
        truth = asked(lot, questions, down=missing, comes=way)
        assert all("within_bounds" not in row for row in truth["frontier"])
        per_question = [(row.get("player"), row.get("team"), row["calls_per_question"]) for row in truth["accuracy"]]
        for figures in told:
            true, rows = frontier(truth), frontier(figures)
            assert true.keys() == rows.keys() | {row["of"] for row in figures.get("frontier_left_out", ())}
            for of, row in rows.items():
                low, high = within(row)
                assert low <= true[of]["within"] <= high, (of, row, true[of])
                assert row["cost"] == true[of]["cost"]
                assert row["beaten_by"] is None or true[of]["beaten_by"] is not None
            assert [
                (row.get("player"), row.get("team"), row["calls_per_question"] or calls)
                for row, (_, _, calls) in zip(figures["accuracy"], per_question, strict=True)
            ] == per_question


def test_what_was_hardly_asked_is_not_cheap(tmp_path: Path) -> None:
    """A recording of a player has replies to a quarter of the questions; alone it would seem to cost a quarter of a call."""
    missing: Places = frozenset(("dan", f"q{n}") for n in range(30))
    figures = recorded(tmp_path, 1, 40, lacks=missing)
    rows = frontier(figures)
    assert {of: (row["cost"], row["cost_n"]) for of, row in rows.items() if "solo" in of} == {
        f"solo@{name}": (1.0, 10) for name in ("ann", "bob", "cat", "dan")
    }
    assert (rows["all/vote@ann"]["cost"], rows["few/vote"]["cost"]) == (4.0, 3.0)
    (dan,) = [row for row in figures["accuracy"] if row.get("player") == "dan"]
    assert (dan["calls"], dan["calls_per_question"], dan["cost_n"]) == (10, 1.0, 10)
    assert not rows["solo@dan"]["on_frontier"]
    assert figures["headline"]["calls"] in (3.0, 4.0)


def test_of_whom_no_play_is_whole_nobody_knows_the_cost(tmp_path: Path) -> None:
    """The vote that lacks a voice on every question is off the frontier, and might be the best within any cost."""
    missing: Places = frozenset(("dan", f"q{n}") for n in range(40))
    figures = recorded(tmp_path, 1, 40, lacks=missing)
    rows, out = frontier(figures), {row["of"]: row["why"] for row in figures["frontier_left_out"]}
    assert "all/vote@ann" not in rows
    assert "nobody knows what it takes" in out["all/vote@ann"]
    assert all(row["within_bounds"]["high"] == 1.0 for row in rows.values())
    (vote,) = [row for row in figures["accuracy"] if row.get("team") == "all"]
    assert (vote["calls_per_question"], vote["cost_n"]) == (None, 0)
