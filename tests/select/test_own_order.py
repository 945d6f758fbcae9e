"""No figure of `moot select` hangs on what somebody calls proposers or classes."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.select.files import read_labels
from moot.select.own_order import in_own_order

PLAYERS = {"ann": 0.7, "bob": 0.66, "cat": 0.66, "dan": 0.6, "eve": 0.6, "fay": 0.4, "gus": 0.4}
CLASSES = "ABCD"
AS_THEY_ARE = {name: name for name in (*PLAYERS, *CLASSES)}
BACKWARDS = dict(zip(PLAYERS, reversed(PLAYERS), strict=True))


def world(path: Path, names: Mapping[str, str], *, free: bool = False, questions: int = 90) -> Path:
    draw = random.Random(3)
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["question_id", "model", "pred", "answer"])
        for question in range(questions):
            answer = draw.choice(CLASSES)
            for player, accuracy in PLAYERS.items():
                said = answer if draw.random() < accuracy else draw.choice(CLASSES)
                words = [f"answer {question} {each}" if free else names[each] for each in (said, answer)]
                table.writerow([question, names[player], *words])
    return path


def selected(capsys: pytest.CaptureFixture[str], path: Path, names: Mapping[str, str]) -> Any:
    """Figures, with everybody called as before."""
    capsys.readouterr()
    arguments = ["--k", "3", "--m", "50", "--splits", "3", "--seed", "5"]
    assert run_app(app, ["select", str(path), *arguments, "--json"]) == 0
    before = {now: name for name, now in names.items() if name in PLAYERS}
    return _called(json.loads(capsys.readouterr().out), before)


def _called(told: Any, names: Mapping[str, str]) -> Any:
    if isinstance(told, Mapping):
        return {names.get(key, key): _called(value, names) for key, value in told.items()}
    if isinstance(told, list):
        return [_called(each, names) for each in told]
    if not isinstance(told, str):
        return told
    alone = "single:" if told.startswith("single:") else ""
    return alone + names.get(told.removeprefix(alone), told.removeprefix(alone))


@pytest.mark.parametrize("free", [False, True], ids=["choices", "free answers"])
def test_other_names_of_players_move_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str], *, free: bool) -> None:
    renamed = AS_THEY_ARE | BACKWARDS
    figures = [
        selected(capsys, world(tmp_path / f"{number}.csv", names, free=free), names)
        for number, names in enumerate((AS_THEY_ARE, renamed))
    ]
    assert figures[0] == figures[1]
    assert {"oracle-surrogate", "truth-prediction", "hybrid"} <= {row["method"] for row in figures[0]}


def test_other_letters_of_the_classes_move_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    relettered = AS_THEY_ARE | dict(zip(CLASSES, "CADB", strict=True))
    figures = [
        selected(capsys, world(tmp_path / f"{number}.csv", names), names)
        for number, names in enumerate((AS_THEY_ARE, relettered))
    ]
    assert figures[0] == figures[1]


def test_only_the_order_is_another(tmp_path: Path) -> None:
    for free in (False, True):
        labels = read_labels(world(tmp_path / f"{free}.csv", AS_THEY_ARE, free=free))
        ordered = in_own_order(labels)
        accuracy = dict(zip(labels.proposers, labels.accuracy, strict=True))
        assert dict(zip(ordered.proposers, ordered.accuracy, strict=True)) == accuracy
        assert list(ordered.accuracy) == sorted(accuracy.values(), reverse=True)
        places = [labels.proposers.index(proposer) for proposer in ordered.proposers]
        before, now = labels.codes[places], ordered.codes
        assert ((before[:, None] == before) == (now[:, None] == now)).all(), "who said the same"
        if not free:
            said = [np.array(each.classes)[each.codes] for each in (labels, ordered)]
            assert (said[0][places] == said[1]).all()
            assert (np.array(labels.classes)[labels.truth] == np.array(ordered.classes)[ordered.truth]).all()
