"""`moot advise` where some players, or all, are recordings: who can be captain, what is written, and what is filled in."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from cup_commands import command, ended

ABLE = {"ann": 0.7, "bob": 0.6, "cat": 0.6}
SIZE = 120


def cup(folder: Path, *, live: bool, costs: bool = True, missing: int = 0) -> Path:
    """Three recordings, and dan, who answers. Of the last `missing` questions bob's recording has nothing."""
    draw = random.Random(5)
    rows, replies = [], []
    for number in range(SIZE):
        right = draw.choice("ABCD")
        rows.append({"id": f"q{number}", "text": f"Number {number}?", "choices": ["w", "x", "y", "z"], "answer": right})
        for model, able in ABLE.items():
            said = right if draw.random() < able else draw.choice([each for each in "ABCD" if each != right])
            if model != "bob" or number < SIZE - missing:
                cost = {"cost_usd": 0.01} if costs else {}
                reply: dict[str, Any] = {"model": model, "question_id": f"q{number}", "answer": said, "seconds": 1.0}
                replies.append(reply | cost)
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "r.jsonl").write_text("\n".join(map(json.dumps, replies)))
    models: dict[str, Any] = {name: {"provider": "recorded", "file": "r.jsonl", "model": name} for name in ABLE}
    if live:
        price = {"prompt": 3, "completion": 9}
        models["dan"] = {"provider": "simulated", "accuracy": 0.65, "max_tokens": 300, "price": price}
    spec = {
        "name": "cup",
        "seed": 1,
        "questions": {"file": "q.jsonl"},
        "models": models,
        "strategies": ["solo", "vote"],
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(spec))
    command("run", path, "--quiet")
    return path


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cup(tmp_path_factory.mktemp("mixed"), live=True)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cup(tmp_path_factory.mktemp("recorded"), live=False)


def test_whoever_can_be_captain_is(mixed: Path) -> None:
    """Dan alone can, be he the second most accurate or not."""
    status, said = ended("advise", mixed, "--most-accurate", "--buy", 1)
    assert status == 0, said
    assert "racing talkative@dan, silent@dan against" in said
    assert "talkative@dan" in said.partition("raced")[2]


def test_a_captain_may_be_named(mixed: Path) -> None:
    status, said = ended("advise", mixed, "--most-accurate", "--buy", 1, "--try", "talkative@dan")
    assert status == 0, said
    assert "racing talkative@dan against" in said


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        ("talkative@ann", "--try: ann is a recording, and cannot be captain in talkative; expected one of dan"),
        ("talkative@eve", "--try: eve is not in the team that is raced, and cannot be captain in talkative"),
        ("talkative@", "--try: talkative@ names no captain; expected talkative, or talkative@ and a player"),
        ("discuss@dan", "--try: discuss"),
        ("debate", "cannot take part: they hold drafts and nothing else"),
    ],
)
def test_what_a_recording_would_be_asked_for_is_refused_by_name(mixed: Path, stage: str, words: str) -> None:
    status, said = ended("advise", mixed, "--most-accurate", "--buy", 1, "--try", stage)
    assert status == 2
    assert words in said
    assert "strategies.0" not in said


def test_where_nobody_can_be_asked_it_is_said(recorded: Path) -> None:
    status, said = ended("advise", recorded, "--most-accurate", "--buy", 1)
    assert (status, "can be captain in talkative: a recording holds its draft" in said) == (2, True)
    _, said = ended("advise", recorded, "--most-accurate")
    assert "Next: try" not in said
    assert "none of which can be captain" in said
    assert json.loads(command("advise", recorded, "--most-accurate", "--json"))["next"] == []


def test_a_team_of_recordings_is_written_with_a_word(recorded: Path) -> None:
    said = command("advise", recorded, "--most-accurate", "-o", recorded.parent / "team.yaml")
    assert "and moot serve has no answer of" in said
    assert "Then: moot serve" not in said


def test_times_that_are_filled_in_are_said_to_be(tmp_path: Path) -> None:
    for costs, what in ((True, "cost and time are"), (False, "time is")):
        folder = tmp_path / what
        folder.mkdir()
        said = command("advise", cup(folder, live=False, costs=costs, missing=6), "--json")
        assert f"6 drafts are missing: their {what} taken as the mean of the player's others" in said
