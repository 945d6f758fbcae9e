"""Talks in which a part was cut out of a solution, against every reading of it: what another reading turns is not firm."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Mapping
from typing import Any

import pytest

from moot.models.cut_out import CUT_OUT, was_cut
from moot.strategies.discuss.discuss import Discuss
from moot.traces import HangsOnCut, of_kind
from moot.types import Question, Verdict

Script = Mapping[tuple[int, int], Mapping[str, Any]]
"""What is said, by agent and by which of its messages it is."""


def talk(company: Any, script: Script, agents: int, **rules: Any) -> Verdict:
    at_table = company(
        agents,
        say=lambda turn, agent, message: script.get((agent, message), {"solution": None, "agree": False}),
        question=Question("q", "Which river?"),
    )
    return asyncio.run(at_table.play(Discuss(agents=agents, personas="none", **rules)))


def readings(company: Any, script: Script, place: tuple[int, int], agents: int, **rules: Any) -> list[Verdict]:
    """What was cut is one of the solutions that others gave, or one that nobody gave, wherever lots take that."""
    words = ("A", "B", "0 other", "Z other")
    return [talk(company, {**script, place: {**script[place], "solution": word}}, agents, **rules) for word in words]


@pytest.mark.parametrize("first", [60, 2280])
def test_what_another_reading_turns_is_withheld(company: Any, first: int) -> None:
    firm = turned = 0
    for seed in range(first, first + 40):
        lot = random.Random(seed)
        agents, turns = lot.choice([2, 3, 3, 4]), lot.choice([1, 2])
        rules = {
            "decision": lot.choice(["majority-consensus", "supermajority-consensus", "unanimity-consensus"]),
            "max_turns": turns,
            "drafting": lot.choice(["first-agent", "all-agents-drafting", "all-agents-drafting"]),
            "paradigm": lot.choice(["memory", "memory", "relay", "report"]),
        }
        places = list(itertools.product(range(1, agents + 1), range(1, 2 * turns + 1)))
        script: dict[tuple[int, int], Mapping[str, Any]] = {
            place: {"solution": lot.choice(["A", "A", "B", None, None]), "agree": lot.choice([True, True, False])}
            for place in places
        }
        place = lot.choice([place for place in places if place[1] <= turns])
        script[place] = {**script[place], "solution": f"{CUT_OUT} 0"}
        seen = talk(company, script, agents, **rules)
        if seen.answer is None:
            continue
        held = bool(of_kind(seen.traces, HangsOnCut)) or was_cut(seen.answer)
        if any(other.answer != seen.answer for other in readings(company, script, place, agents, **rules)):
            assert held, (seed, agents, rules, script)
            turned += 1
        firm += not held
    assert turned > 10
    assert firm > 3
