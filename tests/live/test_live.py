"""A team in a Python program: asked, asked without a loop, nested in another team, kept or not."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import moot
from moot.errors import UsageError
from moot.experiment.spec import read_experiment
from moot.live.asked_question import question_of
from moot.live.out_of_time import what_there_is
from moot.live.team import LiveTeam
from moot.models.scripted import ScriptedModel
from moot.strategies.vote import Vote
from moot.team import Player, Team
from moot.types import Call, Message, Question, Reply, Request

THREE: dict[str, Any] = {
    "name": "three",
    "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "cat")},
    "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "bob"}},
    "strategies": ["solo", "vote", "talkative"],
}


@pytest.fixture
def team_file(tmp_path: Path) -> Path:
    path = tmp_path / "team.yaml"
    path.write_text(yaml.safe_dump(THREE), encoding="utf-8")
    return path


async def test_a_team_is_asked(team_file: Path) -> None:
    async with moot.load_team(team_file) as team:
        assert team.models == ["solo@ann", "solo@bob", "solo@cat", "three/vote", "three/talkative"]
        verdict = await team.ask("Which river?")
        assert verdict.outcome == "answered"
        assert len(verdict.answers) == 3, "a team goes before a player alone"
        chosen = await team.ask("Which one?", choices=["red", "blue"], strategy="three/talkative")
        assert chosen.answer in ("A", "B")
        with pytest.raises(UsageError, match="three/talkative"):
            await team.ask("Which river?", strategy="three/talkativ")
        for wrong in ({"text": "  "}, {"text": "Why?", "choices": ["one"]}):
            with pytest.raises(UsageError):
                await team.ask(**wrong)
    assert not (team_file.parent / "three.db").exists(), "a file that names no store keeps nothing"


def test_a_team_is_asked_without_a_loop(team_file: Path) -> None:
    team = moot.load_team(team_file, store=f"sqlite:///{team_file.parent / 'kept.db'}")
    first = team.ask_sync("Which river?")
    assert team.ask_sync("Which river?").answer == first.answer
    team.close_sync()
    store = moot.open_store(f"sqlite:///{team_file.parent / 'kept.db'}")
    assert store.frame("episodes").height == 2


@pytest.mark.parametrize("reuse", [False, True])
async def test_only_what_others_can_have_asked_is_looked_for(team_file: Path, reuse: bool) -> None:
    """The calls of a play with a number of its own are nowhere yet, but for those that it has made itself."""
    file = read_experiment(team_file, with_questions=False)
    team = LiveTeam(file, store_url=f"sqlite:///{team_file.parent / 'kept.db'}", reuse=reuse)
    async with team:
        find, looked_for = team.store.find_call, list[str]()

        async def looked(key: str) -> Any:
            looked_for.append(key)
            return await find(key)

        team.store.find_call = looked  # type: ignore[method-assign]
        for _ in range(2):
            await team.ask("Which river?", strategy="three/talkative")
        assert bool(looked_for) == reuse
        looked_for.clear()
        team.record.begin(Question("q", "Which river?"), 7, drawn=not reuse)
        for key, sample in (("new", 7), ("of a copy", 1_000_007), ("past the team", 0), ("new", 7)):
            team.record.want(key, sample)
            assert await team.record.find_call(key) is None
        assert looked_for == (["new", "of a copy"] if reuse else []) + ["past the team", "new"]


async def test_a_team_open_in_a_loop_is_not_asked_from_another(team_file: Path) -> None:
    async with moot.load_team(team_file) as team:
        await team.ask("Which river?")
        with pytest.raises(UsageError, match="event loop"):
            team.ask_sync("Which river?")


async def test_a_deadline_takes_the_vote_of_those_who_replied(team_file: Path) -> None:
    async with moot.load_team(team_file) as team:
        cell = team.cell("three/talkative")

        class Slow:
            name, price = "slow", None

            def shape(self, request: Request) -> dict[str, Any]:
                return {}

            async def generate(self, request: Request) -> Any:
                await asyncio.sleep(30)

            async def close(self) -> None:
                pass

        from dataclasses import replace

        players = (*cell.team.players[:2], replace(cell.team.players[2], model=Slow()))
        team.cells["three/talkative"] = replace(cell, team=replace(cell.team, players=players))
        verdict = await team.ask("Which river?", strategy="three/talkative", deadline_s=0.3)
        assert verdict.outcome == "undecided"
        assert verdict.absent == ("cat",)
        assert "2 of 3 had replied" in (verdict.cause or "")


@pytest.mark.parametrize(
    ("kind", "said", "cause", "note"),
    [
        ("open", ("Nile", "Nile"), "2 of 3 had replied, and this is their vote", None),
        ("open", ("Nile", "Amazon"), "2 of 3 had replied", "no two agreed; the captain's stands"),
        ("text", ("Dear Nile", "Dear Amazon"), "2 of 3 had replied, and this is the text of ann, the captain", None),
    ],
)
async def test_what_stands_when_the_time_is_up_is_said_once(
    kind: Any, said: tuple[str, str], cause: str, note: str | None
) -> None:
    """Nobody votes on long answers, and who disagrees has no vote either."""
    question = Question("q", "Which river?", kind=kind)
    form = "{}" if kind == "text" else '{{"reasoning": "", "answer": "{}"}}'
    players = [Player(name, ScriptedModel(name, lambda request: "")) for name in ("ann", "bob", "cat")]
    heard = [
        Call(player.name, "draft", 1, Request((Message("user", "?"),)), Reply(form.format(words)))
        for player, words in zip(players, said, strict=False)
    ]
    verdict = await what_there_is(Team("three", tuple(players), captain="ann"), question, heard, 0.3, 0.0)
    assert (verdict.answer, verdict.outcome, verdict.note) == (said[0], "undecided", note)
    assert verdict.cause == f"the time ran out; {cause}"


@pytest.mark.parametrize("kind", ["open", "text"])
async def test_a_refusal_is_no_text_of_whoever_refuses_when_the_time_is_up(kind: Any) -> None:
    question = Question("q", "Which river?", kind=kind)
    form = "{}" if kind == "text" else '{{"reasoning": "", "answer": "{}"}}'
    players = [Player(name, ScriptedModel(name, lambda request: "")) for name in ("ann", "bob", "cat")]
    replies = {"ann": Reply("I cannot help with that.", finish="refusal"), "bob": Reply(form.format("Nile"))}
    heard = [Call(who, "draft", 1, Request((Message("user", "?"),)), reply) for who, reply in replies.items()]
    team = Team("three", tuple(players), captain="ann")
    verdict = await what_there_is(team, question, heard, 0.3, 0.0)
    assert verdict.answer == "Nile"
    assert [answer.outcome for answer in verdict.answers] == ["refused", "answered", "unanswered"]
    nobody = await what_there_is(team, question, heard[:1], 0.3, 0.0)
    assert nobody.answer is None


async def test_teams_nest() -> None:
    def says(answer: str) -> ScriptedModel:
        return ScriptedModel(answer, lambda request: json.dumps({"reasoning": "so", "answer": answer}))

    inner = Team("inner", tuple(Player(f"p{n}", says(a)) for n, a in enumerate(("Nile", "Nile", "Amazon"))))
    panel = moot.TeamModel(Vote(), inner)
    outer = Team("outer", (Player("panel", panel), Player("tom", says("Nile")), Player("sue", says("Amazon"))))
    verdict = await Vote().play(Question("q", "Which river?"), outer.seated())
    assert verdict.answer == "Nile"
    assert set(verdict.who) == {"panel", "tom"}
    other = moot.TeamModel(Vote(), Team("inner", inner.players[:2]))
    asked = Request((moot.Message("user", "Which river?"),))
    assert panel.shape(asked) != other.shape(asked), "another team is another model"


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("how", ["vote", "silent", "talkative", "debate", "peer-review", "discuss", "mixture"])
async def test_simulated_models_know_an_unheard_question_to_be_one_of_yes_or_no(
    tmp_path: Path, how: str, language: str
) -> None:
    """In free words too; and in every form they hold the same for right."""
    config = {
        "name": "three",
        "language": language,
        "models": {name: {"provider": "simulated", "accuracy": 1.0} for name in ("ann", "bob", "cat")},
        "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}},
        "strategies": [how, "vote"] if how != "vote" else ["vote"],
    }
    (tmp_path / "team.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    async with moot.load_team(tmp_path / "team.yaml") as team:
        for number in range(6):
            question = question_of(f"Is river {number} long?", language=language, kind="yes-no")
            verdict = (await team.play(question, f"three/{how}")).verdict
            assert verdict.answer in ("yes", "no")
            assert {answer.text for answer in verdict.answers} == {verdict.answer}
            assert (await team.play(question, "three/vote")).verdict.answer == verdict.answer
