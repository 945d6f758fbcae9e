"""A learnt rule over HTTP: learnt from a run, served, and learnt anew from feedback on what was served."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
import yaml
from served import Served, serving
from towns import NAMES, QUESTIONS, config

import moot
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.simulate.server import running
from moot.types import Case, Question

ACCURACIES = {"ann": 0.9, "bob": 0.3, "cat": 0.3}


async def fitted(folder: Path, *more: str) -> int:
    """As it is typed, while an event loop runs here."""
    arguments = ["fit", str(folder / "team.yaml"), "-o", str(folder / "rule.json"), *more]
    return await asyncio.to_thread(run_app, app, arguments)


async def told(served: Served, name: str, text: str, answer: str) -> None:
    """A question, and what was right."""
    status, body = await served.chat(text, name)
    assert status == 200, body
    said = {"episode": body["moot"]["episode"], "answer": answer}
    assert (await served.post("/v1/feedback", said))[0] == 200


async def test_from_a_run_to_serving_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "first.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS[:30])))
    known = [Case(Question(each["id"], each["text"]), each["answer"]) for each in QUESTIONS]
    async with running({"models": {name: {"accuracy": ACCURACIES[name]} for name in NAMES}}, cases=known) as server:
        file = tmp_path / "team.yaml"
        file.write_text(yaml.safe_dump(config(server.base_url, questions={"file": "first.jsonl"})))
        assert (await moot.arun(file)).state == "done"
        assert await fitted(tmp_path) == 0
        rule = json.loads((tmp_path / "rule.json").read_text())
        assert rule["learnt_from"]["questions"] == 30

        served_config = config(server.base_url, strategies=[{"learnt": {"from": "rule.json"}}, "vote"])
        async with serving(tmp_path, served_config) as served:
            name = served.live.models[0]
            assert name == "three/learnt"
            full = served.live.cell(name).label
            status, body = await served.chat("By its whole name?", f"three/{full}")
            assert (status, body["moot"]["strategy"]) == (200, full)
            await asyncio.gather(*(told(served, name, each["text"], each["answer"]) for each in QUESTIONS[30:]))
        capsys.readouterr()
        assert await fitted(tmp_path, "--served") == 0
        assert "Drift: the current rule is right on" in " ".join(capsys.readouterr().out.split())
        anew = json.loads((tmp_path / "rule.json").read_text())
        assert anew["learnt_from"]["experiment"] == "three:served"
        assert anew["drift"]["n"] == anew["learnt_from"]["questions"] == 22
        assert anew["drift"]["before"] == rule["figures"][rule["kept"]]["value"]
        assert anew["drift"]["difference_low"] < 0 < anew["drift"]["difference_high"]
        assert not set(anew["chosen_on"]) & set(rule["chosen_on"])
        async with serving(tmp_path, served_config) as served:
            assert served.live.models == ["three/learnt", "three/vote"], "the client need not learn a new name"
            _, listed = await served.get("/v1/models")
            assert [model["id"] for model in listed["data"]] == ["three/learnt", "three/vote"]
            status, body = await served.chat("Which town is it now?", name)
            assert status == 200
            assert body["moot"]["strategy"].startswith("learnt(from=")
            assert body["moot"]["strategy"] != full, "which rule it was is told"
            assert (await served.chat("The rule of before?", f"three/{full}"))[0] == 404


async def test_votes_that_waited_for_nobody_teach_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who was waited for hangs on what the others said."""
    simulated = {"models": {name: {"accuracy": 1.0} for name in NAMES}, "faults": [{"kind": "hang", "model": "cat"}]}
    async with running(simulated) as server:
        async with serving(tmp_path, config(server.base_url, strategies=["vote"])) as served:
            await asyncio.gather(*(told(served, "three/vote", f"What is {number}?", "yes") for number in range(3)))
        assert await fitted(tmp_path, "--served") == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "nothing is learnt: in 3 of 3 questions somebody was not waited for" in said
    assert not (tmp_path / "rule.json").exists()


async def test_a_server_begins_with_no_learner_that_has_no_rule(tmp_path: Path) -> None:
    with pytest.raises(moot.MootError, match=r"moot fit FILE -o rule\.json, then learnt: {from: rule\.json}"):
        async with serving(tmp_path, config("http://127.0.0.1:9/v1", strategies=["learnt"])):
            pass


async def test_a_name_without_options_is_enough_where_one_alone_is_meant(tmp_path: Path) -> None:
    several = [{"adaptive": {"talk_from": 2}}, {"debate": {"max_rounds": 2}}, {"debate": {"max_rounds": 3}}]
    teams = {"three": {"players": list(NAMES), "captain": "each"}}
    served_config = config("http://127.0.0.1:9/v1", strategies=several, teams=teams)
    async with serving(tmp_path, served_config) as served:
        assert served.live.cell("three/adaptive").label == "adaptive(talk_from=2)"
        assert served.live.cell("three/adaptive@bob").captain == "bob"
        assert served.live.cell("adaptive@bob").captain == "bob", "no other team plays it"
        for name in ("three/debate", "three/debate@bob", "debate", "four/adaptive"):
            assert (await served.chat("Which?", name))[0] == 404, name
