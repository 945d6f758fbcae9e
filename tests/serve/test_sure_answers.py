"""How sure a served answer is, and that none is given where it is not sure enough: over HTTP, and asked in the terminal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from served import Served, serving
from towns import NAMES, QUESTIONS, config

import moot
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import UsageError
from moot.experiment.spec import read_experiment
from moot.live.team import LiveTeam
from moot.report.figures import figures as of_all
from moot.report.figures import find_experiment
from moot.simulate.server import running
from moot.types import Case, Question

ACCURACIES = {"ann": 0.8, "bob": 0.7, "cat": 0.6}
SURE = 0.9


@asynccontextmanager
async def fitted(folder: Path, accuracies: Mapping[str, float] = ACCURACIES) -> AsyncIterator[str]:
    """The address of a server of players, of whom a rule was learnt."""
    (folder / "first.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS[:40])))
    known = [Case(Question(each["id"], each["text"]), each["answer"]) for each in QUESTIONS]
    async with running({"models": {name: {"accuracy": accuracies[name]} for name in NAMES}}, cases=known) as server:
        file = folder / "team.yaml"
        file.write_text(yaml.safe_dump(config(server.base_url, questions={"file": "first.jsonl"})))
        assert (await moot.arun(file)).state == "done"
        learnt = ["fit", str(file), "-o", str(folder / "rule.json")]
        assert await asyncio.to_thread(run_app, app, learnt) == 0
        yield server.base_url


async def replies(served: Served, model: str) -> list[dict[str, Any]]:
    """To all questions that the rule was not learnt from."""
    found = await asyncio.gather(*(served.chat(each["text"], model) for each in QUESTIONS[40:]))
    assert {status for status, _ in found} == {200}
    return [body for _, body in found]


async def test_a_team_that_was_never_wrong_is_no_surer_than_its_questions(tmp_path: Path) -> None:
    async with fitted(tmp_path, dict.fromkeys(NAMES, 1.0)) as base_url:
        teams = {"three": {"players": list(NAMES), "captain": "ann", "rule": "rule.json"}}
        strategies = ["vote", {"learnt": {"from": "rule.json"}}]
        async with serving(tmp_path, config(base_url, strategies=strategies, teams=teams)) as served:
            for model in served.live.models:
                told = {round(body["moot"]["probability"], 6) for body in await replies(served, model)}
                assert told == {round(41 / 42, 6)}, model


async def test_an_answer_has_its_probability_and_one_that_is_not_sure_is_not_given(tmp_path: Path) -> None:
    async with fitted(tmp_path) as base_url:
        strategies = [{"learnt": {"from": "rule.json", "abstain": {"below": SURE}}}, "vote", "solo"]
        teams = {"three": {"players": list(NAMES), "rule": "rule.json"}}
        async with serving(tmp_path, config(base_url, strategies=strategies, teams=teams)) as served:
            learnt, vote, *_ = served.live.models
            bodies = await replies(served, learnt)
            given = [body for body in bodies if body["moot"]["outcome"] == "answered"]
            held = [body for body in bodies if body["moot"]["outcome"] == "abstained"]
            assert given
            assert held
            for body in bodies:
                assert body["moot"]["probability_from"] == "from 40 graded questions"
                assert body["choices"][0]["finish_reason"] == "stop"
            assert all(body["moot"]["probability"] >= SURE for body in given)
            for body in held:
                chance = body["moot"]["probability"]
                assert chance < SURE
                words = f"right with {100 * chance:.0f} % (from 40 graded questions), and answered from 90 % on"
                said = f"The team does not answer this: not sure enough: {words}."
                assert body["choices"][0]["message"]["content"] == said
                assert body["moot"]["who"] == []
            await _streamed(served, learnt, held[0], bodies)
            await _told_what_was_right(served, held[-1]["moot"]["episode"])
            # A vote hears all players where a rule of its team tells how sure it is.
            for body in await replies(served, vote):
                assert 0 < body["moot"]["probability"] < 1
                assert "not_needed" not in body["moot"]
            solo = (await replies(served, "solo@ann"))[0]["moot"]
            assert solo["probability"] == pytest.approx(ACCURACIES["ann"], abs=0.15)
            assert solo["probability_from"] == "from 40 of its own graded verdicts"
            described = (await served.get("/openapi.json"))[1]["components"]["schemas"]["Moot"]["properties"]
            for body in bodies:
                assert body["moot"].keys() <= described.keys()


async def test_a_question_of_another_kind_has_no_probability_and_why(tmp_path: Path) -> None:
    async with fitted(tmp_path) as base_url:
        strategies = [{"learnt": {"from": "rule.json"}}, {"vote": {"abstain": {"below": 0.01}}}]
        teams = {"three": {"players": list(NAMES), "rule": "rule.json"}}
        async with serving(tmp_path, config(base_url, strategies=strategies, teams=teams)) as served:
            for model in served.live.models[:2]:
                asked = {"kind": "choice", "choices": ["Paris", "Rome"]}
                status, body = await served.chat("Which of them is it?", model, moot=asked)
                assert status == 200, body
                assert body["moot"]["probability"] is None
                words = (
                    "learnt from questions of kind open, and this one is of kind choice: how sure it is is not known"
                )
                assert body["moot"]["why"] == words
            assert body["moot"]["outcome"] == "abstained", "whoever answers from a probability on has none"


async def _told_what_was_right(served: Served, episode: str) -> None:
    """There was no answer to be right or wrong; what would have been right can be told."""
    for correct in (True, False):
        status, refused = await served.post("/v1/feedback", {"episode": episode, "correct": correct})
        assert (status, refused["error"]["code"], refused["error"]["param"]) == (409, "no_answer_given", "correct")
        assert "send the right one as 'answer'" in refused["error"]["message"]
    status, _ = await served.post("/v1/feedback", {"episode": episode, "answer": "Paris"})
    assert status == 200


async def _streamed(served: Served, model: str, held: dict[str, Any], bodies: list[dict[str, Any]]) -> None:
    """The same in a stream, in the Responses API, and where a form is asked for; and what the page is told."""
    question = QUESTIONS[40 + bodies.index(held)]["text"]
    said = held["choices"][0]["message"]["content"]
    ask = {"model": model, "messages": [{"role": "user", "content": question}]}
    streamed = {**ask, "stream": True, "stream_options": {"include_team": True}}
    async with served.session.post(f"{served.url}/v1/chat/completions", json=streamed) as response:
        lines = (await response.text()).split("\n")
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
    text = "".join(
        each["delta"].get("content") or "" for event in events for each in event["choices"] if "delta" in each
    )
    assert text == said
    (last,) = [event["moot"] for event in events if "outcome" in event.get("moot", {})]
    assert (last["outcome"], last["probability"]) == ("abstained", held["moot"]["probability"])
    (verdict,) = [
        event["moot"]["event"] for event in events if event.get("moot", {}).get("event", {}).get("kind") == "verdict"
    ]
    assert (verdict["outcome"], verdict["answer"], verdict["probability"]) == ("abstained", None, last["probability"])
    assert {trace["kind"] for trace in verdict["traces"]} >= {"told-probability", "abstained"}

    status, whole = await served.post("/v1/responses", {"model": model, "input": question})
    assert status == 200
    assert whole["output"][0]["content"][0]["text"] == said
    assert whole["moot"]["outcome"] == "abstained"

    form = {"type": "json_schema", "json_schema": {"name": "town", "schema": {"type": "object"}}}
    status, whole = await served.post("/v1/chat/completions", {**ask, "response_format": form})
    assert status == 200
    assert whole["choices"][0]["message"] == {"role": "assistant", "content": None, "refusal": said}


async def test_when_the_time_is_up_nothing_tells_how_sure_it_is(tmp_path: Path) -> None:
    async with fitted(tmp_path) as base_url:
        strategies = [{"learnt": {"from": "rule.json", "abstain": {"below": SURE}}}]
        file = tmp_path / "team.yaml"
        file.write_text(yaml.safe_dump(config(base_url, strategies=strategies)))
        late = LiveTeam(read_experiment(file, with_questions=False), wrap=lambda name, model: _Slow(model, name))
        async with late as team:
            verdict = await team.ask(QUESTIONS[45]["text"], deadline_s=1.0)
        assert verdict.outcome == "abstained"
        assert verdict.cause == (
            "not sure enough: the time ran out, and how sure an answer is hangs on what all players say"
        )


class _Slow:
    """One who never comes to an end."""

    def __init__(self, inner: Any, name: str) -> None:
        self._inner, self._late = inner, name == "cat"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def generate(self, request: Any) -> Any:
        if self._late:
            await asyncio.sleep(60)
        return await self._inner.generate(request)


async def test_asked_in_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with fitted(tmp_path) as base_url:
        file = tmp_path / "team.yaml"
        for below, ends in ((0.01, 0), (0.999, 1)):
            strategies = [{"learnt": {"from": "rule.json", "abstain": {"below": below}}}]
            file.write_text(yaml.safe_dump(config(base_url, strategies=strategies)))
            capsys.readouterr()
            question = QUESTIONS[41]["text"]
            assert await asyncio.to_thread(run_app, app, ["ask", question, "--team", str(file), "--json"]) == ends
            told = json.loads(capsys.readouterr().out)
            (verdict,) = told["verdicts"]
            assert verdict["outcome"] == ("abstained" if ends else "answered")
            assert verdict["probability"] == told["probability"] > 0
            assert told["probability_from"] == "from 40 graded questions"
            assert await asyncio.to_thread(run_app, app, ["ask", question, "--team", str(file)]) == ends
            out, err = capsys.readouterr()
            percent = f"right with {100 * told['probability']:.0f} %"
            assert percent in " ".join((out if ends else err).split())
            if ends:
                assert out.startswith(f"abstained: not sure enough: {percent} (from 40 graded questions), and answered")


async def test_without_a_rule_nothing_tells_it(tmp_path: Path) -> None:
    file = tmp_path / "team.yaml"
    file.write_text(yaml.safe_dump(config("http://127.0.0.1:9/v1", strategies=[{"vote": {"abstain": {"below": 0.9}}}])))
    with pytest.raises(UsageError) as refused:
        LiveTeam(read_experiment(file, with_questions=False))
    assert "learns how sure it is from graded drafts of other questions, and here is one at a time" in str(
        refused.value
    )
    assert "then rule: rule.json of the team" in str(refused.value)


async def test_its_accuracy_is_over_the_questions_that_have_a_reference(tmp_path: Path) -> None:
    """Whatever came of them: were an abstention graded where an answer is not, who abstains would be wrong by construction."""
    async with fitted(tmp_path) as base_url:
        spec = config(base_url, strategies=[{"learnt": {"from": "rule.json", "abstain": {"below": SURE}}}])
        async with serving(tmp_path, spec) as served:
            bodies = await replies(served, next(iter(served.live.models)))
            answered = [body["moot"]["outcome"] == "answered" for body in bodies]
            told = [*range(0, 12, 3), answered.index(True), answered.index(False)]
            for place in set(told):
                feedback = {"episode": bodies[place]["moot"]["episode"], "answer": QUESTIONS[40 + place]["answer"]}
                assert (await served.post("/v1/feedback", feedback))[0] == 200
            await served.live.record.flush()
            figures = await served.live.store.run(lambda connection: of_all(connection, find_experiment(connection)))
    right = [
        body["choices"][0]["message"]["content"] == QUESTIONS[40 + place]["answer"] for place, body in enumerate(bodies)
    ]
    (row,) = figures["accuracy"]
    assert row["outcomes"] == {"answered": sum(answered), "abstained": 12 - sum(answered)}
    assert row["n"] == len(set(told))
    assert row["value"] == sum(right[place] for place in set(told)) / len(set(told))
    known = sum(right[place] for place in set(told))
    could = known + sum(answered[place] for place in range(12) if place not in told)
    assert row["bounds"] == {"low": known / 12, "high": could / 12}
    head = figures["headline"]
    assert (head["value"], head["n"], head["bounds"]) == (row["value"], row["n"], row["bounds"])


async def test_what_was_said_of_served_answers_teaches_each_kind_by_itself(tmp_path: Path) -> None:
    """And a rule so learnt tells a third kind nothing: null, and why; whoever may abstain does."""
    towns = ["Paris", "Rome", "Oslo"]
    known = [Case(Question(f"c{n}", f"Which town is number {n}?", tuple(towns)), "A") for n in range(30)]
    known += [Case(Question(f"o{n}", f"Which town was number {n}?"), "Paris") for n in range(30)]
    async with running({"models": {name: {"accuracy": ACCURACIES[name]} for name in NAMES}}, cases=known) as server:
        asked = {"strategies": [{"vote": {"early_stop": False}}], "teams": {"three": {"players": list(NAMES)}}}
        async with serving(tmp_path, config(server.base_url, **asked)) as served:
            (model, *_) = served.live.models
            for case in known:
                choices = {"choices": list(case.question.choices)} if case.question.choices else {}
                status, body = await served.chat(case.question.text, model, moot=choices)
                assert status == 200, body
                told = {"episode": body["moot"]["episode"], "answer": case.answer}
                assert (await served.post("/v1/feedback", told))[0] == 200
        file, rule = tmp_path / "team.yaml", tmp_path / "rule.json"
        learn = ["fit", str(file), "--served", "-o", str(rule)]
        assert await asyncio.to_thread(run_app, app, learn) == 0
        written = json.loads(rule.read_text())
        assert {kind: part["learnt_from"]["questions"] for kind, part in written["by_kind"].items()} == {
            "choice": 30,
            "open": 30,
        }
        strategies = [{"learnt": {"from": "rule.json"}}, {"learnt": {"from": "rule.json", "abstain": {"below": 0.01}}}]
        async with serving(tmp_path, config(server.base_url, strategies=strategies, teams=asked["teams"])) as served:
            for model, outcome in zip(served.live.models[:2], ("answered", "abstained"), strict=True):
                for choices in ({"choices": towns}, {}):
                    _, body = await served.chat("Which town is it now?", model, moot=choices)
                    assert 0 < body["moot"]["probability"] < 1
                    assert body["moot"]["probability_from"] == "from 30 graded questions"
                _, body = await served.chat("Is it a town?", model, moot={"kind": "yes-no"})
                assert (body["moot"]["probability"], body["moot"]["outcome"]) == (None, outcome)
                assert body["moot"]["why"] == (
                    "learnt from questions of kind choice and open, and this one is of kind yes-no: how sure it is is not known"
                )
