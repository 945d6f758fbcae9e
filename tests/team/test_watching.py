"""What a watcher is told when a call begins: in words that every stage of ours has."""

from __future__ import annotations

import ast
from pathlib import Path

import moot
from moot.models.scripted import ScriptedModel
from moot.strategies.talkative import Talkative
from moot.team import Player, Team
from moot.team.watching import STAGES, BegunCall, doing_at
from moot.types import Question

ROOT = Path(moot.__file__).parent


def stages_in(source: str) -> set[str]:
    """The stages that are named where somebody is asked."""
    given = (each for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) for each in node.keywords)
    values = (each.value.value for each in given if each.arg == "stage" and isinstance(each.value, ast.Constant))
    return {value for value in values if isinstance(value, str)}


def test_every_stage_of_ours_says_what_is_done() -> None:
    named = {
        stage
        for room in ("strategies", "team", "decide")
        for path in (ROOT / room).rglob("*.py")
        for stage in stages_in(path.read_text(encoding="utf-8"))
    }
    assert {"review", "rank", "chair"} <= named
    assert named <= set(STAGES)
    assert doing_at("whatever a plug-in calls it") == "answering"


class Noting:
    def __init__(self) -> None:
        self.begun: list[BegunCall] = []

    def begins(self, call: BegunCall) -> None:
        self.begun.append(call)


async def test_who_is_asked_is_told_before_the_reply_and_again_for_each_attempt() -> None:
    noting = Noting()
    said = '{"reasoning": "so", "answer": "Nile"}'
    models = {"ann": ["no form", said, said], "bob": [said]}
    players = tuple(Player(name, ScriptedModel(name, replies)) for name, replies in models.items())
    team = Team("two", players, captain="ann", watcher=noting).seated()
    verdict = await Talkative().play(Question("q", "Which river?"), team)
    assert verdict.answer == "Nile"
    told = [(call.player, call.office, call.doing, call.turn, call.attempt, call.whole) for call in noting.begun]
    assert sorted(told) == [
        ("ann", "captain", "drafting", 1, 0, False),
        ("ann", "captain", "drafting", 1, 1, False),
        ("ann", "captain", "reading", 2, 0, False),
        ("bob", "player", "drafting", 1, 0, False),
    ]


async def test_where_a_long_answer_is_wanted_the_reply_is_the_answer() -> None:
    noting = Noting()
    team = Team("one", (Player("ann", ScriptedModel("ann", ["A long text."])),), watcher=noting).seated()
    assert (await team.draft(team["ann"], Question("q", "Why?", kind="text"))).text == "A long text."
    assert [call.whole for call in noting.begun] == [True]
