"""How many different answers a team gave, where a vote stopped before all were heard: from all known drafts, or not said.

Three agree on most questions, so that the vote there waits for nobody else; dan and eve would have said two other things.
On every fourth question all five are heard and the vote is wrong. So the vote is right on three quarters of the questions
with three different answers, and on none of those on which all were heard.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from worlds import World, grouped_by, number_of, row

import moot
from moot import Case, Question, Reply, Request, ScriptedModel
from moot.report.sections import all_sections
from moot.types import HumanRate

PLAYERS = ("ann", "bob", "cat", "dan", "eve")
EARLY: dict[str, Any] = {"vote": {"early_stop": True}}
LABEL = "vote(early_stop=True)"
SIZE, DISPUTED = 20, 5
TRUTH = {3: (0.75, SIZE)}
"""By number of different answers: how often the vote is right, and on how many questions they are so many."""


class HeardWhereDisputed(ScriptedModel):
    """Still thinking when the vote is settled, however slow the machine is."""

    async def generate(self, request: Request) -> Reply:
        if number_of(request) % 4:
            await asyncio.Event().wait()
        return await super().generate(request)


def says(name: str, number: int, _: int) -> str:
    if number % 4:
        return {"dan": "Lyon", "eve": "Metz"}.get(name, "Paris")
    return {"ann": "Lyon", "dan": "Lyon", "bob": "Metz", "eve": "Metz"}.get(name, "Nice")


def in_other_words(name: str, number: int, repeat: int) -> str:
    """The three who agree do so in the same words: else nobody could know in time that they do."""
    city = says(name, number, repeat)
    return city if city == "Paris" else f"{city} as {name} calls it"


def played(folder: Path, strategies: Sequence[Any], *, words: Any = says, **more: Any) -> Mapping[str, Any]:
    """The early vote first, with two who are heard only where it waits for them; then the whole file."""
    asked = [
        Case(Question(f"q{n}", f"Which city, {n}?"), "Paris", human=HumanRate(solved=n % 7, asked=10))
        for n in range(SIZE)
    ]
    offices = {"gil": grouped_by(lambda text: text.split()[0])} if "grouping" in more else {}
    world = World(words, players=PLAYERS, asked=asked, offices=offices)
    keys = world.keys([EARLY], **more)
    keys["teams"] = {"five": {"players": list(PLAYERS), "captain": "ann"}}
    for name in ("dan", "eve"):
        keys["models"][name] = HeardWhereDisputed(name, lambda request, name=name: world.reply(name, request))  # type: ignore[misc]
    store = str(folder / "cup.db")
    figures = moot.run(keys, store=store).figures
    if list(strategies) != [EARLY]:
        whole = world.keys(strategies, **more) | {"teams": keys["teams"]}
        figures = moot.run(whole, store=store).figures
    return figures


def test_what_is_known_of_some_questions_is_not_said_of_all(tmp_path: Path) -> None:
    figures = played(tmp_path, [EARLY])
    for key in ("diversity", "diversity_captains"):
        found = row(figures[key], d=3, label=LABEL)
        assert (found["accuracy"], found["low"], found["high"], found["n"]) == (None, None, None, 0)
        assert found["bounds"] == {"low": 0.0, "high": TRUTH[3][0]}
        assert found["unplaced"] == SIZE - DISPUTED
        assert "15 questions may stand here too" in found["why"]
        assert "not every answer is known" in found["why"]
    assert figures["diversity_left_out"] == SIZE - DISPUTED
    for found in figures["diversity_by_difficulty"]:
        assert (found["accuracy"], found["human"]) == (None, None)
        assert found["why"]
    rank = figures["diversity_and_people"]
    assert (rank["rho"], rank["p"]) == (None, None)
    assert "15 questions" in rank["why"]
    section = next(section for section in all_sections(figures) if section.id == "diversity")
    assert any("may stand here too" in sentence for sentence in section.words)


@pytest.mark.parametrize("beside", ["solo", "talkative"])
def test_what_another_strategy_heard_by_the_same_calls_is_known(tmp_path: Path, beside: str) -> None:
    figures = played(tmp_path, [EARLY, beside])
    rows = [found for found in figures["diversity"] if found["label"] == LABEL]
    assert {found["d"]: (found["accuracy"], found["n"]) for found in rows} == TRUTH
    assert "diversity_left_out" not in figures


@pytest.mark.parametrize("beside", ["solo", "talkative"])
def test_all_known_drafts_are_grouped_by_who_tells_meanings(tmp_path: Path, beside: str) -> None:
    figures = played(tmp_path, [EARLY, beside], words=in_other_words, grouping={"model": "gil"})
    rows = [found for found in figures["diversity"] if found["label"] == LABEL]
    assert {found["d"]: (found["accuracy"], found["n"]) for found in rows} == TRUTH
    assert "grouped_by_words" not in figures
