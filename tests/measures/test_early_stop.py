"""A vote that does not wait for all: what it leaves unheard changes no other strategy's figures, and is unknown."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.models.scripted import Script
from moot.report.sections import all_sections

PLAYERS = ("ann", "bob", "cat", "dan", "eve")
UNHEARD = ("dan", "eve")
CITIES = ("Paris", "Lyon", "Metz")
EARLY: dict[str, Any] = {"vote": {"early_stop": True}}
EARLY_LABEL = "vote(early_stop=True)"
PER_STRATEGY = ("accuracy", "diversity", "self_preference", "position_bias", "safety", "coverage", "gains")


class NeverHeard(ScriptedModel):
    """Still thinking when the vote is settled, however slow the machine is."""

    async def generate(self, request: Request) -> Any:
        await asyncio.Event().wait()


def reply(player: str, request: Request) -> Script:
    """Three agree, so that the vote is settled; the others differ from question to question."""
    text = request.messages[-1].content
    number = int(re.sub(r"\D", "", request.question_id or "0"))
    if any(city in text for city in CITIES):  # a captain who reads drafts
        return {"reasoning": "They say so.", "answer": CITIES[number % 3]}
    alone = "Paris" if player not in UNHEARD else CITIES[(number + (player == "eve") * (number % 2)) % 3]
    return {"reasoning": "A hunch.", "answer": alone}


def played(folder: Path, strategies: list[Any], captain: str = "ann") -> dict[str, Any]:
    """The early vote is played first, with two players who never come to an answer; then the whole file in its order."""
    store = str(folder / f"{len(list(folder.iterdir()))}.db")

    def run(several: list[Any], never_heard: tuple[str, ...] = ()) -> dict[str, Any]:
        def model(name: str) -> ScriptedModel:
            make = NeverHeard if name in never_heard else ScriptedModel
            return make(name, lambda request: reply(name, request))

        keys = {
            "name": "early",
            "questions": [Case(Question(f"q{number}", f"Which city, {number}?"), "Paris") for number in range(8)],
            "models": {name: model(name) for name in PLAYERS},
            "players": {name: {"model": name} for name in PLAYERS},
            "teams": {"five": {"players": list(PLAYERS), "captain": captain}},
            "strategies": several,
        }
        return dict(moot.run(keys, store=store).figures)

    if EARLY in strategies:
        alone = run([EARLY], UNHEARD)
        if strategies == [EARLY]:
            return alone
    return run(strategies)


def rows_of(figures: dict[str, Any], key: str, label: str) -> list[dict[str, Any]]:
    """A strategy's rows, but for the family of tests that they stand in."""
    rows = [row for row in figures.get(key, ()) if label in (row.get("label"), row.get("strategy"), row.get("stage"))]
    apart = ("family", "seconds")
    return [{k: value for k, value in row.items() if k not in apart and not k.endswith("_holm")} for row in rows]


@pytest.mark.parametrize("order", [["talkative", EARLY], [EARLY, "talkative"], ["silent", EARLY, "talkative"]])
def test_no_figure_changes_because_another_strategy_did_not_wait(tmp_path: Path, order: list[Any]) -> None:
    alone, beside = played(tmp_path, ["talkative"]), played(tmp_path, order)
    assert {row["d"] for row in alone["diversity"]} == {1, 2, 3}
    assert rows_of(alone, "position_bias", "talkative"), "there is a row that may go missing"
    for key in PER_STRATEGY:
        assert rows_of(beside, key, "talkative") == rows_of(alone, key, "talkative"), key
    for key in ("players", "skyline", "best_single"):
        assert beside[key] == alone[key], key


def test_the_order_in_the_file_changes_nothing(tmp_path: Path) -> None:
    first, last = played(tmp_path, [EARLY, "talkative"]), played(tmp_path, ["talkative", EARLY])
    for key in PER_STRATEGY:
        for label in (EARLY_LABEL, "talkative"):
            assert rows_of(first, "accuracy", label), "there is a row that may differ"
            assert rows_of(first, key, label) == rows_of(last, key, label), (key, label)


def test_who_was_not_heard_is_unknown_and_not_wrong(tmp_path: Path) -> None:
    figures = played(tmp_path, [EARLY])
    by_player = {row["player"]: row for row in figures["players"]}
    assert list(by_player) == list(PLAYERS)
    for name in UNHEARD:
        row = by_player[name]
        assert (row["value"], row["n"], row["not_heard"]) == (None, 0, 8)
        assert row["bounds"] == {"low": 0.0, "high": 1.0}
        assert "not heard" in row["why"]
    assert by_player["ann"]["value"] == 1.0
    assert "not_heard" not in by_player["ann"]
    assert (figures["skyline"]["players"], figures["skyline"]["not_heard"]) == (5, 16)
    section = next(section for section in all_sections(figures) if section.id == "skyline")
    assert any("not heard" in sentence for sentence in section.words)


class HeardOn(ScriptedModel):
    """Answers only where the vote waits for it: else it is still thinking when the vote is settled."""

    async def generate(self, request: Request) -> Any:
        if not disputed(request):
            await asyncio.Event().wait()
        return await super().generate(request)


def disputed(request: Request) -> bool:
    return int(re.sub(r"\D", "", request.question_id or "0")) % 4 == 0


def partly_heard(strategies: list[Any], agreed: str = "Paris", count: int = 20, captain: str = "ann") -> dict[str, Any]:
    """Three agree, but on every fourth question they differ, and the other two are asked: all are wrong there."""

    def say(name: str, request: Request) -> Script:
        if not disputed(request):
            return {"reasoning": "A hunch.", "answer": agreed}
        return {"reasoning": "A hunch.", "answer": "Lyon" if name in UNHEARD else f"a city of {name}"}

    def model(name: str) -> ScriptedModel:
        make = HeardOn if name in UNHEARD else ScriptedModel
        return make(name, lambda request: say(name, request))

    keys = {
        "name": "early",
        "questions": [Case(Question(f"q{number}", f"Which city, {number}?"), "Paris") for number in range(count)],
        "models": {name: model(name) for name in PLAYERS},
        "teams": {"five": {"players": list(PLAYERS), "captain": captain}},
        "strategies": strategies,
    }
    return dict(moot.run(keys).figures)


def test_who_was_heard_only_where_the_others_differ_has_no_accuracy() -> None:
    """Dan would have been right on three questions of four: what was heard of him says 0 %."""
    figures = partly_heard([EARLY])
    by_player = {row["player"]: row for row in figures["players"]}
    for name in UNHEARD:
        row = by_player[name]
        assert (row["value"], row["low"], row["high"], row["not_heard"]) == (None, None, None, 15)
        assert row["bounds"] == {"low": 0.0, "high": 0.75}
        assert row["why"] == "heard in 5 of 20 plays: in the others nobody waited for it"
    assert by_player["ann"]["value"] == 0.75
    top = figures["skyline"]
    assert top["value"] == 0.75, "three are right there, whoever else is"
    assert figures["best_single"]["player"] == "ann"


def test_a_skyline_of_players_who_were_not_heard_is_not_known() -> None:
    """On the questions that all were heard on nobody is right; on the others somebody may be."""
    figures = partly_heard([EARLY], agreed="Metz")
    top = figures["skyline"]
    assert (top["value"], top["n"], top["bounds"]) == (None, 0, {"low": 0.0, "high": 0.75})
    assert top["why"] == "all players were heard on 5 of 20 questions: on the others nobody waited for all"
    assert all(row["value"] is None and row["why"] for row in figures["gap"])
    best = figures["best_single"]
    assert (best["player"], best["value"], best["bounds"]) == ("ann", 0.0, {"low": 0.0, "high": 0.75})
    assert best["why"] == "the best as far as is graded: dan, eve could be better"


def test_a_captain_whom_nobody_waited_for_was_rescued_from_nothing_known() -> None:
    """Heard only where all were wrong, dan would seem to gain nothing, and eve nothing to lose."""
    figures = partly_heard([EARLY], captain="each")
    (row,) = figures["safety"]
    assert (row["multiple"], row["net_share"]) == (None, None)
    assert row["why"].startswith("30 of 100 pairs have an answer that nobody waited for")
    assert "wait for a grade" not in row["why"]
    assert (row["rescues"], row["regressions"], row["net"]) == (None, None, None)
    models = {row["model"]: row for row in figures["safety_models"]}
    for name in UNHEARD:
        assert (models[name]["native"], models[name]["difference"]) == (None, None)
        assert "wait for a grade" not in models[name]["why"]
        assert "15 of 20 pairs have an answer that nobody waited for" in models[name]["why"]
        gain = next(row for row in figures["gains"] if row["captain"] == name)
        assert (gain["difference"], gain["rescues"]) == (None, None)
        assert gain["why"] == "15 of 20 pairs have an answer that nobody waited for"
    alone = next(row for row in figures["cohort_averages"] if row["when"] == "alone")
    assert (alone["value"], alone["bounds"]["high"]) == (None, pytest.approx(0.75))


def test_what_a_captain_said_alone_is_known_wherever_somebody_has_heard_it(tmp_path: Path) -> None:
    """The early vote did not wait for dan; a captain who reads all drafts has: gains know it, and so does the safety net."""
    figures = played(tmp_path, [EARLY, "talkative"], captain="each")
    gains = {row["captain"]: row for row in figures["gains"] if row["label"] == EARLY_LABEL}
    models = {row["model"]: row for row in figures["safety_models"] if row["stage"] == EARLY_LABEL}
    for name in PLAYERS:
        assert models[name]["difference"] == gains[name]["difference"] is not None
        assert (models[name]["rescues"], models[name]["ungraded"]) == (gains[name]["rescues"], 0)
    assert {models[name]["rescues"] for name in UNHEARD} == {5}, "what the vote mended of theirs"


def test_how_many_answers_there_were_is_known_only_where_all_were_heard() -> None:
    """Where three agree the two who were not heard might have said anything."""
    figures = partly_heard([EARLY])
    assert {row["d"] for row in figures["diversity"]} == {4}
    assert {row["n"] for row in figures["diversity"] if row["strategy"].startswith("vote")} == {5}
    assert figures["diversity_left_out"] == 15
    section = next(section for section in all_sections(figures) if section.id == "diversity")
    assert any("15 questions" in sentence for sentence in section.words)


def divided(player: str, request: Request) -> Script:
    """The vote is right where all agree, and wrong on every fourth question, where two see it otherwise; the captain is right
    where there is anything to talk about, and wrong else."""
    text = request.messages[-1].content
    number = int(re.sub(r"\D", "", request.question_id or "0"))
    if any(city in text for city in CITIES):
        return {"reasoning": "They say so.", "answer": "Lyon" if number % 4 else "Paris"}
    alone = "Paris" if number % 4 or player in UNHEARD else "Lyon"
    return {"reasoning": "A hunch.", "answer": alone}


@pytest.mark.parametrize("order", [[EARLY, "talkative"], ["vote", EARLY, "talkative"], [EARLY, "vote", "talkative"]])
def test_a_team_that_may_talk_hears_everybody_before_it_votes(
    tmp_path: Path, order: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A vote that stops early is cheaper than that; what it gets right is the same, and no question of it is left out."""
    monkeypatch.setattr(sys.modules[__name__], "reply", divided)
    whole, found = (played(tmp_path, each)["talk_threshold"] for each in (["vote", "talkative"], order))
    assert (found["talk_from"], found["n"], found["left_out"]) == (whole["talk_from"], 8, 0) == (2, 8, 0)
    assert found["by_threshold"]["calls"] == whole["by_threshold"]["calls"] == pytest.approx((6 * 5 + 2 * 6) / 8)
    assert whole["always_vote"]["calls"] == 5
    assert found["always_vote"]["calls"] == (3 if order[-2] == EARLY else 5)
