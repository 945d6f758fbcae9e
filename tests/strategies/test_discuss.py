"""The options of discuss: what is refused before any call, whom it seats, and how a file names its officers."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from moot.cli.app import app
from moot.errors import FileError, UsageError
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.models.endpoint import EndpointModel
from moot.models.scripted import ScriptedModel
from moot.strategies import label, strategy
from moot.strategies.discuss.discuss import Discuss
from moot.team import Player, Team
from moot.testing import check_strategy, scripted_team
from moot.types import Request

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"drafting": "collective-improvement", "decision": "majority-consensus"}, "cannot agree"),
    ({"drafting": "collective-improvement", "decision": "unanimity-consensus"}, "cannot agree"),
    ({"drafting": "collective-improvement", "paradigm": "memory"}, "who sees what"),
    ({"drafting": "collective-improvement", "style": "reasoning"}, "nobody would hear"),
    ({"paradigm": "collective-refinement", "decision": "supermajority-consensus"}, "no current solution"),
    ({"paradigm": "report", "agents": 1}, "moderator"),
    ({"paradigm": "debate", "agents": 1}, "moderator"),
    ({"vote_from": 4, "max_turns": 3}, "ends before the vote"),
    ({"max_turns": 2}, "ends before the vote"),
    ({"vote_from": 6, "decision": "majority-consensus"}, "ends before the vote"),
    ({"decision": "judge"}, "needs judge"),
    ({"judge": "qwen"}, "only with decision: judge"),
    ({"challenge": "wrong"}, "needs planted_by"),
    ({"challenge": "irrelevant"}, "needs planted_by"),
    ({"planted_by": "qwen"}, "only with challenge"),
    ({"facts": "folder"}, "only with challenge: facts"),
    ({"challenge": "facts", "facts": 3}, "facts: expected"),
    ({"paradigm": "memry"}, "did you mean"),
    ({"style": "harsh"}, "style: expected free-text, simple, critical or reasoning, found 'harsh'"),
    ({"drafting": "first"}, "drafting: expected first-agent, all-agents-drafting or collective-improvement, found"),
    ({"decision": "ranked"}, "decision: expected one of"),
    ({"decision": "pref-voting:Nobody"}, "no rule"),
    ({"decision": 3}, "decision: expected a text, found 3"),
    ({"challenge": "all"}, "challenge: expected none, solution, discussion, facts, irrelevant or wrong, found"),
    ({"agents": 0}, "agents: expected a whole number from 1 to 10"),
    ({"agents": 11}, "agents: expected a whole number from 1 to 10"),
    ({"agents": True}, "agents: expected"),
    ({"max_turns": 0}, "max_turns: expected a whole number from 1 on, found 0"),
    ({"visible_turns": 0}, "visible_turns: expected"),
    ({"debate_rounds": "2"}, "debate_rounds: expected"),
    ({"budget": 2.5}, "budget: expected"),
    ({"step_by_step": "yes"}, "step_by_step: expected true or false"),
]


@pytest.mark.parametrize(
    ("options", "reason"), REFUSED, ids=lambda value: json.dumps(value) if isinstance(value, dict) else ""
)
def test_refused_with_the_reason(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as refused:
        strategy("discuss", options)
    assert "expected" in str(refused.value)


@pytest.mark.parametrize(
    "options",
    [
        {"max_turns": 1, "decision": "majority-consensus"},
        {"style": "reasoning", "decision": "majority-consensus"},
        {"agents": 1, "paradigm": "relay"},
        {"agents": 10, "vote_from": 5},
        {"decision": "pref-voting:Ranked Pairs"},
        {"challenge": "facts", "facts": "folder"},
    ],
)
def test_not_refused(options: dict[str, Any]) -> None:
    assert label(strategy("discuss", options)).startswith("discuss(")


@pytest.mark.parametrize(
    "options",
    [
        {"decision": "ranked-voting", "paradigm": "report"},
        {"decision": "cumulative-voting", "drafting": "collective-improvement"},
        {"decision": "unanimity-consensus", "style": "reasoning", "paradigm": "debate"},
        {"decision": "supermajority-consensus", "drafting": "all-agents-drafting", "paradigm": "relay"},
        {"decision": "approval-voting", "paradigm": "collective-refinement", "agents": 5, "challenge": "discussion"},
        {"decision": "solution-counting", "style": "critical", "personas": "none", "agents": 1},
    ],
)
async def test_the_contract(options: dict[str, Any]) -> None:
    await check_strategy(strategy("discuss", options))


def team(*names: str) -> Team:
    return Team("t", tuple(Player(name, ScriptedModel(f"m-{name}", [])) for name in names), captain="each")


def test_the_first_players_are_seated() -> None:
    (lineup,) = Discuss(agents=2).lineups(team("ann", "bob", "cat"))
    assert [player.name for player in lineup.players] == ["ann", "bob"]
    assert lineup.captain is None


def test_where_players_are_few_they_come_again_with_samples_of_their_own() -> None:
    (lineup,) = Discuss(agents=5).lineups(team("ann", "bob"))
    assert [player.name for player in lineup.players] == ["ann", "bob", "ann:2", "bob:2", "ann:3"]
    assert [player.copy for player in lineup.players] == [0, 0, 1, 1, 2]
    assert lineup.players[2].model is lineup.players[0].model


def test_what_only_the_team_can_tell() -> None:
    with pytest.raises(UsageError, match="nobody in the office 'judge'"):
        Discuss(decision="judge", judge="x").lineups(team("ann"))
    with pytest.raises(UsageError, match="needs facts"):
        Discuss(challenge="facts").lineups(team("ann"))
    seated = team("ann")
    own = Team("t", seated.players, officers={"plant": Player("plant", seated.players[0].model)})
    with pytest.raises(UsageError, match="expected another model"):
        Discuss(challenge="wrong", planted_by="m-ann").lineups(own)


def test_a_planter_under_another_name_is_still_the_agents_model() -> None:
    """Two entries of a file may name one model: its wrong answers would not be another's."""
    models = [
        EndpointModel(name, base_url="http://127.0.0.1:1/v1", model=called)
        for name, called in (("llama", "meta/llama-3"), ("planter", "meta/llama-3"), ("other", "mistral-7b"))
    ]
    players = (Player("ann", models[0]),)
    for officer, fits in ((models[1], False), (models[2], True)):
        seated = Team("t", players, officers={"plant": Player("plant", officer)})
        if fits:
            Discuss(challenge="wrong", planted_by=officer.name).lineups(seated)
        else:
            with pytest.raises(UsageError, match="expected another model"):
                Discuss(challenge="wrong", planted_by=officer.name).lineups(seated)


def test_cohorts_have_tables_of_their_own() -> None:
    apart = Team("t", team("ann", "bob", "cat").players, cohorts={"x": ("ann", "cat"), "y": ("bob",)})
    first, second = Discuss(agents=2).lineups(apart)
    assert [player.name for player in first.players] == ["ann", "cat"]
    assert [player.name for player in second.players] == ["bob", "bob:2"]
    assert (first.cohort, second.cohort) == ("x", "y")


FILE = """\
name: talk
seed: 7
questions: {{builtin: general-en, sample: 6}}
models:
  ann: {{provider: simulated, accuracy: 0.7}}
  bob: {{provider: simulated, accuracy: 0.6}}
  jim: {{provider: simulated, accuracy: 0.9}}
strategies:
  - discuss: {options}
"""


def experiment(folder: Path, options: str) -> Plan:
    path = folder / "talk.yaml"
    path.write_text(FILE.format(options=options), encoding="utf-8")
    return build(read_experiment(path))


async def test_the_default_paradigm_written_down_asks_the_very_same(tmp_path: Path) -> None:
    async def asked(options: str) -> list[Request]:
        built = experiment(tmp_path, options)
        (cell,) = built.cells
        assert built.dataset is not None
        await cell.strategy.play(next(iter(built.dataset)).question, seated := cell.team.seated())
        return [call.request for call in seated.journal]

    left_out = await asked("{}")
    assert left_out == await asked("{paradigm: memory}")
    assert left_out != await asked("{paradigm: relay}")


def test_officers_do_not_play(tmp_path: Path) -> None:
    built = experiment(tmp_path, "{decision: judge, judge: jim, agents: 2}")
    (cell,) = built.cells
    assert list(built.players) == ["ann", "bob"]
    assert cell.team.officers["judge"].model.name == "jim"
    other = experiment(tmp_path, "{decision: judge, judge: bob, agents: 2}")
    assert other.cells[0].id != cell.id


def test_mistakes_in_the_file_are_placed(tmp_path: Path) -> None:
    for options, words in [
        ("{decision: judge, judge: jin}", "unknown model 'jin'; expected one of ann, bob, jim"),
        ("{challenge: facts, facts: nowhere}", "expected a folder of text files"),
        ("{paradigm: debate, agents: 1}", "moderator"),
    ]:
        with pytest.raises(FileError, match=f"talk.yaml:9: strategies.0: .*({words})"):
            experiment(tmp_path, options)


def test_facts_are_beside_the_file_and_part_of_what_is_played(tmp_path: Path) -> None:
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "a.txt").write_text("Water boils.", encoding="utf-8")
    (first,) = experiment(tmp_path, "{challenge: facts, facts: facts}").cells
    (tmp_path / "facts" / "a.txt").write_text("Water freezes.", encoding="utf-8")
    (second,) = experiment(tmp_path, "{challenge: facts, facts: facts}").cells
    assert first.id != second.id
    assert str(tmp_path) not in first.spec


def test_a_recording_cannot_discuss(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"model": "m", "question_id": "general-en-01", "answer": "A"}\n')
    path = tmp_path / "talk.yaml"
    path.write_text(
        FILE.format(options="{}").replace(
            "jim: {provider: simulated, accuracy: 0.9}", "jim: {provider: recorded, file: r.jsonl, model: m}"
        )
    )
    with pytest.raises(FileError, match="'jim' is a recording, which cannot take part in discuss"):
        build(read_experiment(path))


@pytest.mark.parametrize(
    "options",
    [
        "{decision: cumulative-voting, agents: 5}",
        "{decision: majority-consensus}",
        "{decision: judge, judge: jim, challenge: wrong, planted_by: jim}",
    ],
)
def test_simulated_models_carry_it_to_an_end(tmp_path: Path, options: str) -> None:
    experiment(tmp_path, options)
    said = CliRunner().invoke(app, ["run", str(tmp_path / "talk.yaml"), "--store", f"sqlite:///{tmp_path}/s.db"])
    assert said.exit_code == 0, said.output
    assert ("with three agents" in said.output) == ("majority" in options)
    with sqlite3.connect(tmp_path / "s.db") as store:
        outcomes = [row[0] for row in store.execute("SELECT outcome FROM episodes")]
        asked = {row[0] for row in store.execute("SELECT DISTINCT model FROM calls")}
    assert len(outcomes) == 6
    assert set(outcomes) <= {"answered", "undecided"}
    assert asked == {"ann", "bob", "jim"}, "those in an office are on the record too"


def test_an_estimate_can_be_made(tmp_path: Path) -> None:
    experiment(tmp_path, "{decision: cumulative-voting, agents: 3}")
    said = CliRunner().invoke(app, ["run", str(tmp_path / "talk.yaml"), "--estimate"])
    assert said.exit_code == 0, said.output


def test_it_is_registered() -> None:
    assert isinstance(strategy("discuss"), Discuss)
    assert len(scripted_team(lambda request: "").players) == 3
