"""Protocols beside what they have to beat: one model alone, plain and step by step; voting beside consensus; personas.

Scripted agents hold what a table drawn here says they hold, so every figure is counted again in plain Python.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.measures.discussion.sections import discussion_sections
from moot.models.scripted import Script, ScriptedModel
from moot.report.figures import figures, find_experiment
from moot.types import Request

AGENTS = ("ann", "bob", "cat")
COUNT = 36
QUESTIONS = [f"q{number}" for number in range(COUNT)]
SETS = {"quiz": "knowledge", "riddles": "reasoning"}
CHOICES = ["red fox", "red hen", "grey fox", "grey goose"]
NONE = {"personas": "none"}


def _drawn() -> dict[str, dict[str, dict[str, str]]]:
    draw = random.Random(11)
    ways = {"plain": "AABC", "steps": "AAAB", "expert": "AABC"}
    return {
        way: {agent: {question: draw.choice(letters) for question in QUESTIONS} for agent in AGENTS}
        for way, letters in ways.items()
    }


HOLDS = _drawn()
"""By way, agent and question: what is said. A is right."""


def set_of(question: str) -> str:
    return "riddles" if int(question[1:]) % 3 == 0 else "quiz"


def reply(agent: str, request: Request) -> Script:
    prompt, question = request.messages[-1].content, str(request.question_id)
    everything = "\n".join(message.content for message in request.messages)
    fields = set((request.schema or {}).get("properties", {}))
    way = "expert" if "Botanist" in everything else "steps" if "step by step" in everything else "plain"
    own = HOLDS[way][agent][question]
    if "role" in fields:
        taken = everything.count("Botanist")
        return {"role": f"Botanist {agent} {taken}", "description": "Knows plants."}
    if "message" in fields:
        latest = (re.findall(r"<solution>\n(.*?)\n</solution>", prompt, re.DOTALL) or [None])[-1]
        message = {"message": "So it is.", "solution": own, "agree": latest == own}
        return {key: value for key, value in message.items() if key in fields}
    if "answer" in fields:
        return {"reasoning": "So it is.", "answer": own}
    options = re.findall(r'<solution n="\d+">\n(.*?)\n</solution>', prompt, re.DOTALL)
    return {"choice": options.index(own) + 1}


def voted(question: str, way: str = "plain") -> tuple[str, int]:
    """The answer, and how many turns were held."""
    said = [HOLDS[way][agent][question] for agent in AGENTS]
    most = max(map(said.count, said))
    winners = {letter for letter in said if said.count(letter) == most}
    return (winners.pop(), 3) if len(winners) == 1 else (said[0], 5)


def agreed(question: str) -> tuple[str, int]:
    """Majority consensus: who speaks agrees with the one before, or says something else."""
    ann, bob, cat = (HOLDS["plain"][agent][question] for agent in AGENTS)
    if ann == bob or bob == cat:
        return bob, 1
    return (ann, 2) if ann == cat else (cat, 5)


def right(answer: str) -> float:
    return float(answer == "A")


def alone(question: str, way: str = "plain", agents: Sequence[str] = AGENTS) -> float:
    return fmean(right(HOLDS[way][agent][question]) for agent in agents)


STRATEGIES: list[Any] = [
    "solo",
    {"discuss": {**NONE}},
    {"discuss": {**NONE, "decision": "solution-counting"}},
    {"discuss": {**NONE, "decision": "majority-consensus"}},
    {"discuss": {**NONE, "agents": 2}},
    {"discuss": {**NONE, "vote_from": 1}},
    {"discuss": {**NONE, "style": "critical"}},
    {"discuss": {}},
    {"discuss": {**NONE, "agents": 1, "max_turns": 1, "vote_from": 1, "step_by_step": True}},
]


async def played(folder: Path, strategies: Sequence[Any]) -> dict[str, Any]:
    for name in SETS:
        lines = [
            {"id": question, "text": f"Which, {question}?", "answer": "A", "choices": CHOICES}
            for question in QUESTIONS
            if set_of(question) == name
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    spec = {
        "name": "talk",
        "seed": 3,
        "questions": [{"file": f"{name}.jsonl", "group": group} for name, group in SETS.items()],
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in AGENTS},
        "players": {
            **{name: {"model": name} for name in AGENTS},
            **{f"careful-{name}": {"model": name, "instruction": "Think step by step."} for name in AGENTS},
        },
        "teams": {"six": {"players": [*AGENTS, *(f"careful-{name}" for name in AGENTS)]}},
        "strategies": list(strategies),
    }
    path = folder / "talk.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    plan = build(read_experiment(path))
    models = {
        name: replace(built, model=ScriptedModel(name, lambda request, name=name: reply(name, request)))
        for name, built in plan.models.items()
    }
    store = await plan.store().open()
    try:
        await Runner(replace(plan, models=models), store).run()
        return await store.run(lambda connection: figures(connection, find_experiment(connection, "talk")))
    finally:
        await store.close()


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return asyncio.run(played(tmp_path_factory.mktemp("talk"), STRATEGIES))


def find(rows: Sequence[Mapping[str, Any]], **wanted: Any) -> Mapping[str, Any]:
    (row,) = [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]
    return row


@pytest.mark.long
def test_every_protocol_is_paired_with_its_models_alone(talk: dict[str, Any]) -> None:
    rows = [row for row in talk["protocol_baselines"] if row["whole"]]
    for protocol, ended in (("simple-voting", voted), ("majority-consensus", agreed)):
        row = find(rows, protocol=protocol, against="solo", **{"with": "personas none"})
        pairs = [(right(ended(question)[0]), alone(question)) for question in QUESTIONS]
        assert row["difference"] == pytest.approx(fmean(ours - theirs for ours, theirs in pairs))
        assert row["difference"] != 0
        assert (row["rescues"], row["regressions"]) == (
            sum(ours > theirs for ours, theirs in pairs),
            sum(ours < theirs for ours, theirs in pairs),
        )
        assert (row["n"], row["test"], row["players"]) == (COUNT, "score", list(AGENTS))
        assert row["low"] < row["difference"] < row["high"]
    two = find(rows, protocol="simple-voting", against="solo", **{"with": "personas none, 2 agents"})
    assert two["players"] == ["ann", "bob"], "only who sat at the table"


def test_and_with_the_same_models_step_by_step(talk: dict[str, Any]) -> None:
    rows = [row for row in talk["protocol_baselines"] if row["whole"]]
    expected = fmean(right(voted(q)[0]) - alone(q, "steps") for q in QUESTIONS)
    assert expected != 0
    row = find(rows, protocol="simple-voting", against="solo, step by step", **{"with": "personas none"})
    assert row["difference"] == pytest.approx(expected)
    assert (row["thinking"], row["test"]) == ("step by step", "score")
    assert row["players"] == ["careful-ann", "careful-bob", "careful-cat"]
    assert {row["against"] for row in talk["protocol_baselines_left_out"]} == {"simple-voting, ann alone, step by step"}
    assert {row["family"] for row in rows} == {len(rows)}, "one family for all that is printed together"
    by_set = [row for row in talk["protocol_baselines"] if not row["whole"]]
    assert {row["family"] for row in by_set} == {len(by_set)} == {2 * len(rows)}
    assert not any("alone" in (row["with"] or "") for row in rows), "a baseline is no protocol"


def test_the_same_on_each_set_of_questions(talk: dict[str, Any]) -> None:
    riddles = [question for question in QUESTIONS if set_of(question) == "riddles"]
    named = {"protocol": "majority-consensus", "with": "personas none", "against": "solo"}
    row = find(talk["protocol_baselines"], **named, dataset="riddles")
    assert row["difference"] == pytest.approx(fmean(right(agreed(q)[0]) - alone(q) for q in riddles))
    assert row["n"] == len(riddles)


def test_voting_against_consensus_question_by_question(talk: dict[str, Any]) -> None:
    (row,) = (row for row in talk["protocol_families"] if row["whole"])
    assert (row["of"], row["against"]) == ("voting", "consensus")
    assert row["of_protocols"] == ["simple-voting", "solution-counting"]
    assert row["against_protocols"] == ["majority-consensus"]
    pairs = [(right(voted(question)[0]), right(agreed(question)[0])) for question in QUESTIONS]
    assert row["difference"] == pytest.approx(fmean(ours - theirs for ours, theirs in pairs)), (
        "both votings are one here"
    )
    assert row["difference"] != 0
    assert (row["rescues"], row["regressions"]) == (pairs.count((1.0, 0.0)), pairs.count((0.0, 1.0)))
    assert (row["n"], row["with"]) == (COUNT, "personas none"), "what nobody else was asked in is not compared"
    by_set = {each["dataset"]: each for each in talk["protocol_families"] if not each["whole"]}
    for name in SETS:
        part = [pair for question, pair in zip(QUESTIONS, pairs, strict=True) if set_of(question) == name]
        assert by_set[name]["difference"] == pytest.approx(fmean(ours - theirs for ours, theirs in part))


def test_personas_are_a_compared_part(talk: dict[str, Any]) -> None:
    row = find(talk["protocol_differences"], part="personas")
    assert (row["of"], row["against"], row["protocol"]) == ("none", "expert", "simple-voting")
    expected = fmean(right(voted(q)[0]) - right(voted(q, "expert")[0]) for q in QUESTIONS)
    assert expected != 0
    assert row["difference"] == pytest.approx(expected)


def test_the_mean_turns_of_a_family_hold_no_other_way_of_talking(talk: dict[str, Any]) -> None:
    """Two agents, a vote in turn 1 and another style are other discussions, and their turns are in rows of their own."""
    rows = {row["family"]: row for row in talk["protocol_rounds"]}
    assert len(talk["protocol_rounds"]) == 2
    assert rows["voting"]["rounds"] == pytest.approx(fmean(voted(question)[1] for question in QUESTIONS))
    assert rows["consensus"]["rounds"] == pytest.approx(fmean(agreed(question)[1] for question in QUESTIONS))
    assert rows["voting"]["protocols"] == ["simple-voting", "solution-counting"]
    early = find(talk["protocol_turns"], **{"with": "personas none, vote from 1"})
    assert early["rounds"] < rows["voting"]["rounds"]


def test_sections(talk: dict[str, Any]) -> None:
    sections = {section.id: section for section in discussion_sections(talk)}
    baselines = sections["protocol-baselines"]
    assert "Holm" in " ".join(baselines.words)
    assert {row["against"] for row in baselines.rows} == {"solo", "solo, step by step"}
    left_out = sections["protocol-baselines-left-out"].rows
    assert {(row["of"], row["players"]) for row in left_out} == {("1 of 3", "ann"), ("1 of 2", "ann")}
    assert baselines.chart is not None
    assert [row["name"] for row in sections["protocol-families"].rows] == ["voting against consensus, personas none"]
    assert {row["dataset"] for row in sections["protocol-families-by-set"].rows} == set(SETS)
    assert {row["dataset"] for row in sections["protocol-baselines-by-set"].rows} == set(SETS)
    assert any("personas" in row["of"] for row in sections["protocol-parts"].rows)
    turns = " ".join(sections["protocol-turns"].words)
    assert "Voting (2 protocols, personas none): " in turns
    assert "Consensus (1 protocol, personas none): " in turns
