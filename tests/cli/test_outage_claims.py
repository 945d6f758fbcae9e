"""A few plays of many without somebody: shares keep their intervals, and what is claimed is what a whole run claims too."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cup_commands import Row, command, ended, told, write
from outages import Down, asked, gone

from moot.errors import CallError, ServerFailed
from moot.types import Request

CLAIM = "accuracy(vote) - accuracy(solo@ann) > 0"


def equals(folder: Path, questions: int, *, knows: float = 1.0, **keys: Any) -> Path:
    """Three who know all the answers; or ann, who knows some, beside two who do."""
    folder.mkdir(exist_ok=True)
    rows = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(questions)]
    right = {"ann": knows, "bob": 1.0, "cat": 1.0}
    models = {name: {"provider": "simulated", "accuracy": share} for name, share in right.items()}
    teams = {"three": {"players": list(models), "captain": "ann"}}
    return write(folder, rows, models=models, teams=teams, **{"strategies": ["solo", "vote"], **keys})


def while_away(path: Path, down: Down) -> Row:
    with asked(down):
        assert ended("run", path, "--quiet")[0] == 1
    return told(path)


def claims(figures: Any) -> Iterator[Row]:
    """Rows of which a p says that something is so."""
    if isinstance(figures, dict):
        if (p := figures.get("p")) is not None and p <= 0.05:
            yield figures
        figures = list(figures.values())
    if isinstance(figures, list):
        for each in figures:
            yield from claims(each)


@pytest.mark.parametrize("lost", [6, 9])
def test_between_equals_an_outage_of_few_plays_makes_no_claim(lost: int, tmp_path: Path) -> None:
    path = equals(tmp_path, 180, hypotheses=[CLAIM])
    during = while_away(path, gone("ann", questions=lambda n: n < lost))
    shares = [row for row in during["accuracy"] if row["low"] is None]
    assert not shares, "a mere share keeps its interval"
    assert not [*claims(during)]
    (hypothesis,) = during["hypotheses"]
    assert (hypothesis["verdict"], hypothesis["low"], hypothesis["p"]) == ("open", None, None)
    assert "a model could not be reached (ann)" in hypothesis["note"]
    (gain,) = during["gains"]
    assert gain["difference"] == pytest.approx(lost / 180)
    assert (gain["low"], gain["low_holm"], gain["p_holm"]) == (None, None, None)
    assert "could reverse it" in gain["why"]
    compared = json.loads(command("compare", path, "vote", "solo@ann", "--json"))
    assert compared["unreached"]["withheld"] is True


def test_nor_does_one_that_its_family_alone_leaves_open(tmp_path: Path) -> None:
    others = [f"accuracy(solo@{name}) > 0.995" for name in ("bob", "cat")]
    path = equals(tmp_path, 180, hypotheses=[CLAIM, *others])
    during = while_away(path, gone("ann", questions=lambda n: n < 6))
    hypothesis = during["hypotheses"][0]
    assert (hypothesis["value"], hypothesis["low"], hypothesis["p"]) == (pytest.approx(6 / 180), None, None)
    assert "(ann)" in hypothesis["note"]


def test_what_no_such_play_can_turn_round_is_claimed_everywhere(tmp_path: Path) -> None:
    path = equals(tmp_path, 180, knows=0.5, hypotheses=[CLAIM])
    during = while_away(path, gone("ann", questions=lambda n: n < 3))
    assert during["hypotheses"][0]["verdict"] == "confirmed"
    assert [row["p_holm"] < 0.001 for row in (*during["gains"], *during["safety_models"])] == [True, True]
    compared = json.loads(command("compare", path, "vote", "solo@ann", "--json"))
    assert (compared["unreached"]["withheld"], compared["low"] > 0) == (False, True)


def test_two_runs_that_are_equal_are_no_different_for_an_outage_of_one(tmp_path: Path) -> None:
    broken, whole = (equals(tmp_path / name, 180, name=name) for name in ("broken", "whole"))
    while_away(broken, gone("ann", questions=lambda n: n < 8))
    with asked():
        command("run", whole, "--quiet")
    both = json.loads(command("report", broken, whole, "--json"))
    assert not [*claims(both["comparisons"])]
    assert both["unreached"] == ["solo@ann"], "the others are as they were"
    assert [row["low"] is None for row in both["comparisons"] if row["of"] == "solo@bob"] == [False]


def sometimes(name: str, questions: int) -> Down:
    """Away the first time that it is asked one of the first questions, and there for its repeats."""
    times: Counter[str] = Counter()

    def down(model: str, request: Request) -> CallError | None:
        question = request.question_id or "q0"
        times[question] += model == name
        away = model == name and times[question] == 1 and int(question.removeprefix("q")) < questions
        return ServerFailed("the server is down", status=500) if away else None

    return down


def test_a_question_of_which_one_repeat_lacks_somebody_is_a_part_of_one(tmp_path: Path) -> None:
    path = equals(tmp_path, 40, repeats=5)
    during = while_away(path, sometimes("ann", 3))
    lows = {row.get("player") or row["label"]: row["low"] for row in during["accuracy"]}
    assert None not in lows.values(), "3 of 200 plays, and not 3 of 40 questions"
    assert during["headline"]["low"] is not None


def test_the_share_of_a_gap_goes_by_all_of_its_team(tmp_path: Path) -> None:
    """The best single and what all could have reached are others once ann is asked again, whoever closes the gap."""
    path = equals(tmp_path, 60, knows=0.5, strategies=["solo", {"peer-review": {"drafts": "double-call"}}])
    spec = json.loads(path.read_text())
    spec["models"]["bob"]["accuracy"] = spec["models"]["cat"]["accuracy"] = 0.6
    path.write_text(json.dumps(spec))
    during = while_away(path, sometimes("ann", 2))
    assert during["skyline"]["low"] is not None, "2 of 60"
    assert [(row["value"] is None, row["low"]) for row in during["gap"]] == [(False, None)]


def test_a_player_who_is_asked_in_two_ways_is_named_once(tmp_path: Path) -> None:
    path = equals(tmp_path, 60, knows=0.5, strategies=["solo", "vote", {"peer-review": {"drafts": "double-call"}}])
    spec = json.loads(path.read_text())
    path.write_text(json.dumps({**spec, "primary": "vote"}))
    during = while_away(path, gone("ann", questions=lambda n: n < 2))
    assert during["headline"]["unreached"]["who"] == ["ann"]


def test_nor_over_its_captain_what_the_price_of_the_choice_leaves_open(tmp_path: Path) -> None:
    """By itself the gain stands whatever three plays come to; chosen out of three teams it does not."""
    path = equals(tmp_path, 80, knows=0.8, strategies=["solo", "silent", "talkative", "vote"])
    spec = json.loads(path.read_text())
    spec["models"]["bob"]["accuracy"] = spec["models"]["cat"]["accuracy"] = 0.9
    path.write_text(json.dumps(spec))
    during = while_away(path, gone("bob", questions=lambda n: n < 3))
    headline = during["headline"]
    over, (gain, *_) = headline["over_captain"], [row for row in during["gains"] if row["label"] == "silent"]
    assert (headline["of"], over["family"], over["rescues"], over["regressions"]) == ("silent@ann", 3, 12, 0)
    assert [over[end] for end in ("low", "low_holm", "high_holm", "p_holm")] == [None] * 4
    assert (gain["low_holm"], gain["p_holm"]) == (None, None), "as the table says"
    assert "a model could not be reached (bob)" in over["why"]
    status, said = ended("report", path, "--fail-under", "over_captain.low_holm>0")
    assert status == 1
    assert "could not be reached" in said
