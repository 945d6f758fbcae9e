"""Always voting is the vote that `adaptive` plays below its threshold, whatever other rules over drafts stand in the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from second_way import played
from second_way.compare import differences
from second_way.quiz import quiz
from second_way.worlds import sure_and_unsure

RULES: list[Any] = [{"weighted": {"weights": {"ann": 9}}}, {"leader": {"player": "ann", "unless": "never"}}]
RULES += [{"vote": {"abstain": {"below": 0.6}}}]
KEYS = ("talk_threshold", "talk_by_diversity")


def told(folder: Path, number: int, strategies: list[Any]) -> dict[str, Any]:
    folder.mkdir()
    keys = sure_and_unsure(number, folder, 30)
    rename = dict(zip(keys["players"], ("ann", "bob", "cat"), strict=True))
    players = {rename[name]: player for name, player in keys["players"].items()}
    team = {"players": [*players], "captain": "bob"}
    keys |= {"players": players, "teams": {"table": team}, "strategies": strategies, "repeats": 1}
    played.run(folder, keys)
    figures, expected = played.figures(folder), quiz(played.raw(folder, keys))
    apart = [*differences({key: figures.get(key) for key in KEYS}, {key: expected.get(key) for key in KEYS})]
    assert not apart, "\n".join(apart[:30])
    return figures


def test_always_voting_is_the_plain_vote_in_every_order(tmp_path: Path) -> None:
    first = told(tmp_path / "first", 0, ["solo", "vote", *RULES, "talkative"])
    last = told(tmp_path / "last", 0, ["solo", *RULES, "vote", "talkative"])
    rows = {row["label"]: row["value"] for row in first["accuracy"] if row["strategy"] != "solo"}
    assert rows["vote"] not in [value for label, value in rows.items() if label.startswith("weighted")], (
        "else nothing is shown"
    )
    assert first["talk_threshold"] == last["talk_threshold"]
    assert first["talk_threshold"]["always_vote"]["accuracy"] == rows["vote"]
    for figures in (first, last):
        assert {row["b"] for row in figures["talk_by_diversity"]} == {"vote"}


def test_without_a_plain_vote_nothing_is_said_of_voting(tmp_path: Path) -> None:
    figures = told(tmp_path / "none", 0, ["solo", *RULES, "talkative"])
    assert "talk_threshold" not in figures
    assert "talk_by_diversity" not in figures
