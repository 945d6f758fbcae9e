"""`moot advise --buy --json` on a simulated world: its figures a second time."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from second_way import played
from second_way.bought import RacedAgain
from second_way.documented import undocumented
from second_way.raw import same_words

from moot.config.yaml_file import read_yaml
from moot.data import load

SEED = 3
CHARACTERS: dict[str, dict[str, Any]] = {
    "ann": {"accuracy": 0.58, "power": 1.0},
    "bob": {"accuracy": 0.5, "power": 0.0, "pull": 9.0},
    "cat": {"accuracy": 0.3},
}


def bought(folder: Path) -> dict[str, Any]:
    """After a run of the players alone; the winner's file beside it."""
    cases = [
        {"id": f"q{n}", "text": f"Question {n}?", "choices": ["r", "x", "y", "z"], "answer": "ABCD"[n % 4]}
        for n in range(200)
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, cases)))
    shared = {"provider": "simulated", "max_tokens": 200, "price": {"prompt": 1, "completion": 4}}
    models = {name: shared | {"correlation": 0.0} | character for name, character in CHARACTERS.items()}
    keys = {"name": "world", "seed": SEED, "models": models, "strategies": ["solo"]}
    played.run(folder, {**keys, "questions": {"file": "questions.jsonl"}})
    one_player = ("--budget-usd-per-1000", "0.2")
    more = (*one_player, "--buy", "5", "--try", "talkative", "--json", "-o", "team.yaml")
    told: dict[str, Any] = json.loads(played.command(folder, "advise", "world.yaml", *more))
    return told


def raced_again(folder: Path, told: dict[str, Any], points: int) -> RacedAgain:
    """Every option as a strategy of a file, played on all questions by what was learnt for the race."""
    team = dict(read_yaml(folder / "team.yaml").values)
    (entry,) = team["strategies"]
    captains = {row["option"]: row["option"].partition("@")[2] for row in told["options"][1:]}
    strategies = [{"cascade": {**entry["cascade"], "captain": captain}} for captain in captains.values()]
    again = {**team, "name": "again", "strategies": [*strategies, "solo"], "questions": {"file": "questions.jsonl"}}
    (folder / "again.yaml").write_text(json.dumps(again))
    played.command(folder, "run", "again.yaml", "--quiet")
    ids = {case.digest: case.question.id for case in load(folder / "questions.jsonl")}
    with sqlite3.connect(folder / "again.db") as store:
        query = 'select player, captain, "case", value from scores join cells on cells.id = scores.cell'
        found = store.execute(query).fetchall()
    alone = told["incumbent"].removesuffix(" alone")
    right: dict[str, dict[str, float]] = {told["incumbent"]: {}, **{name: {} for name in captains}}
    for player, captain, case, value in found:
        if player == alone:
            right[told["incumbent"]][ids[case]] = value
        elif player is None:
            right[next(name for name, each in captains.items() if each == captain)][ids[case]] = value
    cases = [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]
    return RacedAgain(right, {case["id"]: same_words(case) for case in cases}, SEED, points)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bought")


def test_the_race_a_second_time_and_every_key_is_told(folder: Path) -> None:
    advice = bought(folder)
    told = advice["bought"]
    assert told["incumbent"].endswith(" alone"), "whose answers are known without the product's rules"
    again = raced_again(folder, told, advice["weighed"])
    wrong = list(again.wrong(told))
    assert not wrong, "\n".join(wrong)
    assert not undocumented(advice)
    assert not undocumented(told["options"])
    assert told["calls_now"] == told["calls"]
    assert told["spent_before_usd"] == 0
    for key in ("heard", "of", "calls", "calls_of_all", "saved", "difference"):
        assert list(again.wrong({**told, key: told[key] + 1})), key
    for key in ("accuracy", "heard", "calls"):
        changed = [{**row, key: row[key] + 1} for row in told["options"]]
        assert list(again.wrong({**told, "options": changed})), key
