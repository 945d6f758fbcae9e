"""What a served team was asked is figured out a second time, from the tables of its store."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from second_way.compare import differences
from second_way.documented import undocumented
from second_way.served import drifted, served, shuffled_p
from served import reworded, serving

from moot.cli.app import app
from moot.cli.exit import run_app

DAY = 86_400
TOLD_BESIDE = {"since", "until", "simulated", "measured_by", "drift", "why", "alerts", "alert"}
"""The clock, names and words; the drift is compared by itself, its p within a range."""
TEAM: dict[str, Any] = {
    "name": "cup",
    "seed": 5,
    "questions": {"builtin": "general-en", "sample": 25},
    "models": {
        name: {"provider": "simulated", "accuracy": accuracy, "price": {"prompt": 3, "completion": 5}}
        for name, accuracy in (("ann", 0.7), ("bob", 0.5), ("cat", 0.6), ("dan", 0.4))
    },
    "teams": {"four": {"players": ["ann", "bob", "cat", "dan"], "captain": "bob"}},
    "strategies": ["vote", "silent", "solo"],
}

VOTES = ("first", "second", "tie", "first", "second", "first", "second")
"""On the questions that were asked twice, of two who answer otherwise."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")

    async def asked() -> None:
        async with serving(folder, TEAM) as server:
            before: dict[int, str] = {}
            for number in range(40):
                model = ("four/vote", "four/silent", "four/vote", "solo@ann")[number % 4]
                status, body = await server.chat(f"Which is {number % 33}?", model)
                assert status == 200
                if number % 3 == 0:
                    said = {"episode": body["moot"]["episode"], "correct": number % 2 == 0}
                    assert (await server.post("/v1/feedback", said))[0] == 200
                if number in (6, 18, 21, 39):  # right, wrong, wrong, and one that was asked twice; then told as text
                    right = body["choices"][0]["message"]["content"] if number == 21 else "Oz"
                    said = {"episode": body["moot"]["episode"], "answer": right}
                    assert (await server.post("/v1/feedback", said))[0] == 200
                episode = body["moot"]["episode"]
                if (earlier := before.setdefault(number % 33, episode)) != episode:
                    shown = (earlier, episode) if number % 4 < 2 else (episode, earlier)
                    vote = {"first": shown[0], "second": shown[1], "preferred": VOTES[number % 33]}
                    if (await server.post("/v1/moot/preferences", vote))[0] == 409:  # earlier versions took these too
                        await reworded(server, folder, {episode: "Apart"})
                        assert (await server.post("/v1/moot/preferences", vote))[0] == 200
                        await reworded(server, folder, {episode: body["choices"][0]["message"]["content"]})
            for number, players in ((9, ["cat", "dan"]), (12, ["ann", "bob"]), (15, ["cat", "dan"])):
                team = {"players": players, "captain": players[0], "strategy": "talkative"}
                status, body = await server.chat(f"Which is {number}?", moot={"team": team})
                assert status == 200
                said = {"episode": body["moot"]["episode"], "correct": number == 15}
                assert (await server.post("/v1/feedback", said))[0] == 200

    asyncio.run(asked())
    assert run_app(app, ["run", str(folder / "team.yaml"), "--quiet"]) == 0
    with sqlite3.connect(folder / "cup.db") as store:
        first = time.time() - 6 * DAY
        rows = [row for (row,) in store.execute("select rowid from episodes order by created_at")][:43]
        for place, row in enumerate(rows):
            times = (first + 0.13 * DAY * place, 0.5 + (place * 7) % 11, row)
            store.execute("update episodes set created_at = ?, seconds = ? where rowid = ?", times)
    return folder


def told(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    capsys.readouterr()
    assert run_app(app, ["report", str(folder / "team.yaml"), "--served", "--json", *options]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["served"]
    return found


@pytest.mark.parametrize("back", [None, 3])
def test_every_figure_comes_out_the_same(folder: Path, capsys: pytest.CaptureFixture[str], back: int | None) -> None:
    figures = told(folder, capsys, *(["--since", f"{back}d"] if back else []))
    since = 0.0 if back is None else time.time() - back * DAY
    expected = served(folder / "cup.db", "cup", since)
    shown = {key: value for key, value in figures.items() if key not in TOLD_BESIDE}
    assert not [*differences(shown, expected)]
    kept = figures["preferences"]
    assert kept["votes"] + kept["equal"] == (0 if back else 7)
    assert back or (kept["votes"] and kept["equal"]), "else one of the two is not compared"
    assert not undocumented(figures)
    assert [row["asked"] for row in figures["visitors_teams"]] == [2, 1]
    assert figures["plans"] == 1
    compared = [row for row in figures["drift"] if row["figure"] == "agreement" and row["why"] is None]
    assert [row["label"] for row in compared] == ["vote", "silent"]
    for row in compared:
        again = drifted(folder / "cup.db", "cup", row, figures["days_each"], since)
        parts = [{key: part[key] for key in again["by_day"][place]} for place, part in enumerate(row["by_day"])]
        live = {key: row["live"][key] for key in again["live"]}
        found = {"live": live, "measured": row["measured"], "by_day": parts}
        assert not [*differences(found, again)]


def test_levels_and_p(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Half of what a row may err for the whole, half for its days. A p is drawn here with other numbers."""
    drift = [row for row in told(folder, capsys)["drift"] if row["why"] is None]
    for row in drift:
        assert row["level"] == pytest.approx(0.05 / len(drift) / 2)
        assert all(part["level"] == pytest.approx(row["level"] / len(row["by_day"])) for part in row["by_day"])
    row = next(row for row in drift if row["figure"] == "agreement")
    for start, p in [(None, row["p"]), *((part["from"], part["p"]) for part in row["by_day"])]:
        again = shuffled_p(folder / "cup.db", "cup", row, start)
        assert p == pytest.approx(again, rel=0.8, abs=0.02)


def test_a_wrong_figure_is_noticed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = {key: value for key, value in told(folder, capsys).items() if key not in TOLD_BESIDE}
    expected = served(folder / "cup.db", "cup")
    missed = []
    for holder, key in _numbers(figures):
        value = holder[key]
        holder[key] = value + (1 if isinstance(value, int) else 0.43)
        if not [*differences(figures, expected)]:
            missed.append(key)
        holder[key] = value
    assert not missed


def _numbers(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    if isinstance(value, dict):
        for key, below in value.items():
            if isinstance(below, int | float) and not isinstance(below, bool):
                yield value, key
            yield from _numbers(below)
    elif isinstance(value, list):
        for item in value:
            yield from _numbers(item)
