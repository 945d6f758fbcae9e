"""A player's worked examples: what is really sent, what it is kept under, and which mistakes are found before any call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.errors import FileError
from moot.experiment.build import build
from moot.experiment.spec import Experiment, read_experiment
from moot.models.scripted import ScriptedModel
from moot.prompts import Prompts
from moot.strategies import strategy
from moot.strategies.team_model import TeamModel
from moot.types import Question, Request

OSLO = {"question": "Which city is the capital of Norway?", "reasoning": "Norway's capital is Oslo.", "answer": "Oslo"}
CHOICE = {"question": "Which is a fruit?", "choices": ["stone", "apple"], "answer": "B"}
CASES = [{"id": "1", "text": "Which city is the capital of France?", "answer": "Paris"}]


def keys(**changed: Any) -> dict[str, Any]:
    said = {"reasoning": "known", "answer": "Paris"}
    return {
        "name": "cup",
        "questions": CASES,
        "models": {"tom": ScriptedModel("tom", lambda request: said)},
        "players": {"ann": {"model": "tom", "examples": [OSLO, CHOICE]}, "bob": {"model": "tom"}},
        "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
        "strategies": ["solo", "vote", "talkative"],
        **changed,
    }


async def test_they_are_sent_before_what_a_player_is_asked_alone_and_only_then() -> None:
    told = keys()
    plan = build(Experiment(**told).as_file)
    (team,) = plan.teams.values()
    await strategy("talkative").play(Question("1", CASES[0]["text"]), team.seated())
    asked = [request.messages for request in told["models"]["tom"].requests]
    by_length = sorted(asked, key=len)
    shown = max(asked, key=len)
    prompts = Prompts("en")
    assert [message.role for message in shown] == ["user", "assistant", "user", "assistant", "user"]
    assert shown[0].content == prompts.draft(Question("any", OSLO["question"])), "as it will be asked itself"
    assert json.loads(shown[1].content) == {"reasoning": OSLO["reasoning"], "answer": "Oslo"}
    assert "B. apple" in shown[2].content
    assert json.loads(shown[3].content) == {"reasoning": "", "answer": "B"}
    assert shown[4].content == prompts.draft(Question("1", CASES[0]["text"]))
    assert [len(messages) for messages in by_length] == [1, 1, 5], "bob has none, and a captain is asked another thing"


async def test_they_are_written_as_a_person_would() -> None:
    """A model copies what it is shown, be it a code for a letter."""
    ru = {"question": "Какой город — столица Норвегии?", "reasoning": "Это Осло.", "answer": "Осло"}
    told = keys(language="ru", players={"ann": {"model": "tom", "examples": [ru]}, "bob": {"model": "tom"}})
    (team,) = build(Experiment(**told).as_file).teams.values()
    await team.seated().drafts(Question("1", CASES[0]["text"], language="ru"))
    shown = max((request.messages for request in told["models"]["tom"].requests), key=len)
    assert shown[0].content == Prompts("ru").draft(Question("any", ru["question"], language="ru"))
    assert shown[1].content == '{"reasoning": "Это Осло.", "answer": "Осло"}'


async def test_they_stand_in_place_of_those_of_a_prompt_set() -> None:
    told = keys(prompts="small")
    (team,) = build(Experiment(**told).as_file).teams.values()
    await team.seated().drafts(Question("1", CASES[0]["text"]))
    lengths = sorted(len(request.messages) for request in told["models"]["tom"].requests)
    assert lengths == [5, len(Prompts("en", "small").examples("draft")) + 1]


def test_other_examples_are_another_experiment_and_another_team() -> None:
    def cells(examples: list[dict[str, Any]]) -> set[str]:
        players = {"ann": {"model": "tom", "examples": examples}, "bob": {"model": "tom"}}
        return {cell.id for cell in build(Experiment(**keys(players=players)).as_file).cells}

    def shape(examples: list[dict[str, Any]]) -> object:
        players = {"ann": {"model": "tom", "examples": examples}, "bob": {"model": "tom"}}
        (team,) = build(Experiment(**keys(players=players)).as_file).teams.values()
        return TeamModel(strategy("vote"), team).shape(Request(()))

    assert len(cells([OSLO]) & cells([CHOICE])) == 1, "bob alone is who he was"
    assert cells([OSLO]) == cells([OSLO])
    assert shape([OSLO]) != shape([CHOICE]) != shape([])


def test_a_strategy_that_never_shows_them_says_so() -> None:
    plan = build(Experiment(**keys(strategies=["vote", {"debate": {"drafts": "double-call"}}])).as_file)
    (said,) = [warning for warning in plan.warnings if "examples" in warning]
    assert said.startswith("debate")
    assert "examples of ann are not shown" in said


WRONG: dict[str, tuple[dict[str, Any], str, str]] = {
    "no-answer": ({"question": "Who?"}, "examples.0.answer", "Field required"),
    "unknown-key": ({**OSLO, "reason": "x"}, "examples.0.reason", "reasoning"),
    "no-such-letter": ({**CHOICE, "answer": "C"}, "examples.0.answer", "A, B"),
    "one-choice": ({**CHOICE, "choices": ["apple"]}, "examples.0.answer", "two choices"),
    "given-away": (
        {"question": "Which city is the  capital of France?", "answer": "Paris"},
        "examples.0.question",
        "question 'facts-en-01' of the experiment",
    ),
}


@pytest.mark.parametrize(("example", "key", "problem"), WRONG.values(), ids=WRONG)
def test_mistakes_are_found_with_file_and_line(example: dict[str, Any], key: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "cup.yaml"
    said = yaml.safe_dump({"ann": {"model": "tom", "examples": [example]}}, default_flow_style=False)
    indented = "".join(f"  {line}\n" for line in said.splitlines())
    path.write_text(
        "name: cup\nquestions: {builtin: facts-en}\nmodels:\n  tom: {provider: simulated, accuracy: 0.5}\n"
        f"players:\n{indented}"
    )
    with pytest.raises(FileError) as found:
        build(read_experiment(path))
    assert key in str(found.value)
    assert problem in str(found.value)
    assert f"{path}:" in str(found.value)


def test_the_schema_of_the_file_has_them() -> None:
    from moot.experiment.spec import Experiment as Form

    defined = Form.model_json_schema()["$defs"]
    assert set(defined["ExampleSpec"]["properties"]) == {"question", "choices", "reasoning", "answer"}
    assert "examples" in defined["PlayerSpec"]["properties"]
