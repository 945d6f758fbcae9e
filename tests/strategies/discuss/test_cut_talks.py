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


@pytest.mark.parametrize("first", [0, 2200])
def test_what_another_reading_turns_is_withheld(company: Any, first: int) -> None:
    firm = turned = 0
    for seed in range(first, first + 120):
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
    assert turned > 20
    assert firm > 10


def test_which_of_equals_lots_take_hangs_on_what_was_cut(company: Any) -> None:
    """Four speak at once, two of them for A and one for B; were B also what the fourth said, lots would decide."""
    script = {
        (n, 1): {"solution": word, "agree": None} for n, word in enumerate(["A", "A", "B", f"{CUT_OUT} 0"], start=1)
    }
    script |= {(n, 2): {"solution": None, "agree": True} for n in range(1, 5)}
    rules = {"decision": "majority-consensus", "max_turns": 2, "drafting": "all-agents-drafting", "paradigm": "memory"}
    assert of_kind(talk(company, script, 4, **rules).traces, HangsOnCut)
    whole = {**script, (4, 1): {"solution": "C", "agree": None}}
    assert not of_kind(talk(company, whole, 4, **rules).traces, HangsOnCut)
