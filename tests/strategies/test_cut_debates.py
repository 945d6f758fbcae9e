"""Debates in which a part was cut out of what some said, against every reading of it: what another reading turns is not firm."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Mapping
from typing import Any

import pytest

from moot.models.cut_out import CUT_OUT, was_cut
from moot.models.scripted import ScriptedModel
from moot.strategies.debate.debate import Debate
from moot.team import Player, SameWords, Team
from moot.traces import Ending, HangsOnCut, of_kind
from moot.types import Question, Request, Verdict

Script = Mapping[tuple[int, int], str]
"""What each player says, by its seat and the place of the answer: natively, round by round, at last in the resolution (-1)."""


def debate(script: Script, *, players: int, max_rounds: int, led: bool, seed: int = 0) -> Verdict:
    def model(seat: int) -> ScriptedModel:
        rounds = itertools.count(1)

        def say(request: Request) -> Mapping[str, Any]:
            fields = set((request.schema or {})["properties"])
            place = next(rounds) if "critique" in fields else -1 if "summary" in fields else 0
            return {field: script[seat, place] if field == "answer" else "so" for field in fields}

        return ScriptedModel(f"model-{seat}", say)

    seats = tuple(Player(f"p{seat}", model(seat)) for seat in range(players))
    team = Team("t", seats, seed=seed, grouper=SameWords())
    rules = Debate(max_rounds=max_rounds, drafts="single-call", captain="p0" if led else None)
    (lineup,) = rules.lineups(team)
    return asyncio.run(rules.play(Question("q", "Which river?"), lineup.seated()))


def withheld(verdict: Verdict) -> bool:
    return bool(of_kind(verdict.traces, HangsOnCut)) or was_cut(verdict.answer or "")


def readings(script: Script, **rules: Any) -> list[Verdict]:
    """Every way in which it may have gone: what was cut is one of the answers that others gave, or one that nobody gave."""
    places = [place for place, text in script.items() if was_cut(text)]
    said = sorted({text for text in script.values() if not was_cut(text)})
    ways = itertools.product([*said, *(f"other {number}" for number in range(len(places)))], repeat=len(places))
    return [debate({**script, **dict(zip(places, way, strict=True))}, **rules) for way in ways]


@pytest.mark.parametrize("first", range(240, 400, 80))
def test_what_another_reading_turns_is_withheld(first: int) -> None:
    turned = 0
    for seed in range(first, first + 80):
        lot = random.Random(seed)
        rules = {
            "players": lot.choice([2, 3, 3, 4]),
            "max_rounds": lot.choice([1, 2, 3, 3, 4]),
            "led": lot.random() < 0.7,
            "seed": seed,
        }
        places = [(seat, place) for seat in range(rules["players"]) for place in (*range(rules["max_rounds"] + 1), -1)]
        script = {place: lot.choice("AAB") for place in places}
        for seat, place in places:
            if place > 0 and lot.random() < 0.6:  # who stays where it stands
                script[seat, place] = script[seat, place - 1]
        for number, place in enumerate(lot.sample(places, lot.choice([1, 1, 2]))):
            script[place] = f"{CUT_OUT} {number}"
        seen = debate(script, **rules)
        (ending,) = of_kind(seen.traces, Ending)
        others = readings(script, **rules)
        if any(other.answer != seen.answer for other in others):
            assert withheld(seen), (seed, script, rules)
            turned += 1
        if len({of_kind(other.traces, Ending)[0].agreed for other in others}) > 1:
            assert ending.unknown, (seed, script, rules)
        if len({of_kind(other.traces, Ending)[0].how for other in others}) > 1:
            assert ending.unknown or ending.how_unknown, (seed, script, rules)
    assert turned > 6


def test_a_debate_that_may_have_been_stuck_before_is_not_firm() -> None:
    """Were the first player's native answer that of its rounds, nobody had moved in two rounds, and the rest was never said."""
    script = {(1, place): "river" for place in range(3)} | {(2, place): "firth" for place in range(-1, 4)}
    script |= {(seat, 3): "firth" for seat in (0, 1)} | {(0, -1): "river", (1, -1): "river"}
    script |= {(0, 0): f"{CUT_OUT} 0", (0, 1): "river", (0, 2): "river"}
    for led in (True, False):
        assert withheld(debate(script, players=3, max_rounds=4, led=led))
        assert not withheld(debate({**script, (0, 0): "firth"}, players=3, max_rounds=4, led=led))
