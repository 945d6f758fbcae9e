"""A team that is put together for a question: of the file's models, kept like every other, refused in words."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from served import THREE, Served, reworded, serving

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.live import edited_team, simulated_replies
from moot.serve.admission import KeyLimits
from moot.serve.app import ServeSettings
from moot.simulate.server import running


async def test_it_plays_and_is_kept_under_a_name_of_its_own(tmp_path: Path) -> None:
    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}) as served:
        _, listed = await served.get("/v1/moot/teams")
        assert [player["name"] for player in listed["parts"]["players"]] == ["ann", "bob", "cat"]
        assert listed["parts"]["strategies"] == ["vote", "talkative", "council"]
        team = {"players": ["cat", "bob"], "captain": "bob", "strategy": "talkative"}
        for _ in range(2):
            status, body = await served.chat("Which river?", moot={"team": team})
            assert status == 200, body
            assert body["model"] == "cat+bob/talkative@bob"
            assert (body["moot"]["captain"], body["moot"]["calls"]) == ("bob", 3)
        status, again = await served.chat("Which hill?", "cat+bob/talkative@bob")
        assert status == 200, again
        _, past = await served.get("/v1/moot/episodes")
        assert {each["model"] for each in past["episodes"]} == {"cat+bob/talkative@bob"}
        _, whole = await served.get(f"/v1/moot/episodes/{body['moot']['episode']}")
        assert whole["model"] == "cat+bob/talkative@bob"
        assert [call["player"] for call in whole["calls"]] == ["cat", "bob", "bob"]
        assert (whole["team"], whole["captain"], whole["served"]) == (team, "bob", True), "as it can be asked again"
        assert [player["name"] for player in whole["players"]] == ["cat", "bob"]
        assert whole["feedback"] is None
        for said, kept in (({"correct": True}, {"answer": None, "correct": True}), ({"answer": "Oka"}, None)):
            learnt = await served.post("/v1/feedback", {"episode": body["moot"]["episode"], **said})
            assert learnt[0] == 200
            _, whole = await served.get(f"/v1/moot/episodes/{body['moot']['episode']}")
            assert whole["feedback"] == (kept or {"answer": "Oka", "correct": learnt[1]["correct"]})
        _, listed = await served.get("/v1/models")
        assert listed["data"][0]["id"] == "three/vote", "what is offered stays what it was"


@pytest.mark.parametrize(
    ("changes", "served_still"),
    [
        ({}, True),
        ({"models": {name: THREE["models"][name] for name in ("ann", "bob")}, "players": ["ann", "bob"]}, False),
        ({"strategies": ["vote", "talkative"]}, False),
    ],
    ids=["as it was", "a player is gone", "a strategy is gone"],
)
async def test_of_an_earlier_server_it_is_served_if_it_can_be_put_together_now(
    tmp_path: Path, changes: dict[str, Any], served_still: bool
) -> None:
    store = f"sqlite:///{tmp_path / 'served.db'}"
    kept = {**THREE, "store": store, "strategies": [{"vote": {"early_stop": True}}]}
    async with serving(tmp_path, kept) as served:
        _, listed = await served.get("/v1/moot/teams")
        own = {"players": ["ann", "cat"], "strategy": listed["parts"]["strategies"][0], "captain": "cat"}
        status, body = await served.chat("Which river?", moot={"team": own})
        assert status == 200, body
    players = changes.pop("players", ["ann", "bob", "cat"])
    edited = {**kept, **changes, "teams": {"three": {"players": players, "captain": "ann"}}}
    async with serving(tmp_path, edited) as served:
        _, whole = await served.get(f"/v1/moot/episodes/{body['moot']['episode']}")
        assert (whole["served"], whole["team"]) == (served_still, own)
        _, past = await served.get("/v1/moot/episodes")
        assert [each["model"] for each in past["episodes"]] == [body["model"]], "by the name that it was asked by"
        status, _ = await served.chat("Which hill?", moot={"team": whole["team"]})
        assert (status == 200) is served_still, "as it was said"


async def test_models_that_play_in_it_alone_are_found_to_be_simulated(
    tmp_path: Path,
) -> None:
    names = ("ann", "bob", "cat", "dan")
    async with running({"models": {name: {"accuracy": 0.5} for name in names}}) as server:
        models = {name: {"provider": "endpoint", "base_url": server.base_url, "model": name} for name in names}
        config = {**THREE, "models": models, "strategies": ["vote"], "store": f"sqlite:///{tmp_path / 'served.db'}"}

        async def simulated(config: dict[str, Any]) -> list[str]:
            async with serving(tmp_path, config) as served:
                found: list[str] = (await served.get("/v1/moot/teams"))[1]["simulated"]
                return found

        async with serving(tmp_path, config) as served:
            team = {"players": ["bob", "dan"], "strategy": "vote"}
            assert (await served.chat("Which river?", moot={"team": team}))[0] == 200
            await served.live.record.flush()
            assert (await served.get("/v1/moot/teams"))[1]["simulated"] == ["bob", "dan"]
            for number in range(simulated_replies.LATEST * 8):
                assert (await served.chat(f"Which hill {number}?"))[0] == 200
            await served.live.record.flush()
            assert (await served.get("/v1/moot/teams"))[1]["simulated"] == list(names), "asked of others since"
        assert await simulated({**config, "seed": 9}) == list(names), "they are who they were"
        moved = {**models["dan"], "base_url": "http://127.0.0.1:9/v1"}
        assert await simulated({**config, "models": {**models, "dan": moved}}) == ["ann", "bob", "cat"]


async def test_the_report_names_those_who_were_asked_in_visitors_teams_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}) as served:
        team = {"players": ["cat", "bob"], "strategy": "vote"}
        assert (await served.chat("Which hill?", moot={"team": team}))[0] == 200
    arguments = ["report", str(tmp_path / "team.yaml"), "--served"]
    assert await asyncio.to_thread(run_app, app, [*arguments, "--all"]) == 0
    assert "Simulated, not real: ann, bob, cat." in " ".join(capsys.readouterr().out.split())
    assert await asyncio.to_thread(run_app, app, [*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["served"]["simulated"] == ["ann", "bob", "cat"]


async def test_one_that_was_never_asked_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = f"sqlite:///{tmp_path / 'served.db'}"
    async with serving(tmp_path, {**THREE, "store": store}) as served:
        team = {"players": ["ann", "bob"], "strategy": "vote"}
        status, body = await served.chat("Plan?", moot={"team": team, "kind": "text"})
        assert (status, "vote" in body["error"]["message"]) == (400, True), "nobody votes on long answers"
    assert await asyncio.to_thread(run_app, app, ["runs", "--store", store, "--json"]) == 0
    ((only,),) = [each["runs"] for each in json.loads(capsys.readouterr().out)]
    assert only["experiment"] == "three:served"


async def test_no_name_of_the_file_is_taken_by_it(tmp_path: Path) -> None:
    teams = {"ann": {"players": ["ann", "bob", "cat"], "captain": "ann"}}
    async with serving(tmp_path, {**THREE, "teams": teams, "strategies": ["vote"]}) as served:
        _, before = await served.chat("Which river?", "ann/vote")
        assert before["moot"]["calls"] == 3
        _, alone = await served.chat("Which hill?", moot={"team": {"players": ["ann"], "strategy": "vote"}})
        assert (alone["model"], alone["moot"]["calls"]) == ("+ann/vote", 1)
        _, after = await served.chat("Which lake?", "ann/vote")
        assert after["moot"]["calls"] == 3, "what is served is what it was"


def visitors_on(page: Path) -> list[tuple[str, int]]:
    """Whose teams the page of a report tells of, and how often they were asked."""
    (packed,) = re.findall(r'id="index">([^<]*)<', page.read_text(encoding="utf-8"))
    (run,) = json.loads(gzip.decompress(base64.b64decode(packed)))["runs"]
    (section,) = (each for each in run["sections"] if each["id"] == "served-visitors")
    return [(row["name"], row["asked"]) for row in section["rows"]]


async def test_what_it_was_asked_is_in_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}) as served:
        _, first = await served.chat("Which river?")
        for question in ("Which hill?", "Which lake?", "Which river?"):
            team = {"players": ["cat", "bob"], "strategy": "vote"}
            status, own = await served.chat(question, moot={"team": team})
            assert status == 200
            if question == "Which lake?":  # what is right of the river would be of the file's answer to it as well
                said_right = {"episode": own["moot"]["episode"], "correct": True}
                assert (await served.post("/v1/feedback", said_right))[0] == 200
        sides = {"first": first["moot"]["episode"], "second": own["moot"]["episode"]}
        await reworded(served, tmp_path, {sides["first"]: "The Oka.", sides["second"]: "The Don."})
        assert (await served.post("/v1/moot/preferences", {**sides, "preferred": "second"}))[0] == 200

    async def said(*options: str) -> str:
        assert await asyncio.to_thread(run_app, app, ["report", str(tmp_path / "team.yaml"), "--served", *options]) == 0
        return " ".join(capsys.readouterr().out.split())

    told = json.loads(await said("--json"))["served"]
    assert (told["asked"], told["plans"], [row["team"] for row in told["by_team"]]) == (1, 1, ["three"])
    assert (told["latency"], told["outcomes"]) == (told["by_team"][0]["latency"], told["by_team"][0]["outcomes"])
    assert sum(row["asked"] for row in told["absences"] if row["player"] == "cat") == 1
    (own,) = told["visitors_teams"]
    assert (own["team"], own["asked"], own["player"], own["graded"]["n"]) == ("cat+bob", 3, None, 1)
    (pair,) = told["preferences"]["pairs"]
    assert (pair["of"], pair["against"], pair["losses"]) == ("three/vote", "cat+bob/vote", 1)
    words = await said()
    assert words.startswith("Of 1 question none was told right or wrong yet.")
    assert "Visitors put 3 questions to 1 team of their own, which is no part of these figures" in words
    assert "versions of the file" not in words
    page = tmp_path / "served.html"
    await said("-o", str(page))
    assert visitors_on(page) == [("cat+bob/vote", 3)]
    assert "which is no part of these figures (below: Teams of visitors)" in page.read_text(encoding="utf-8")


async def test_where_nothing_else_was_asked_it_is_no_version_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path, {**THREE, "strategies": ["vote"]}) as served:
        team = {"players": ["cat", "bob"], "strategy": "vote"}
        assert (await served.chat("Which hill?", moot={"team": team}))[0] == 200
    for options in ([], ["--served"], ["--all"], ["--served", "-o", str(tmp_path / "served.html")]):
        await asyncio.to_thread(run_app, app, ["report", str(tmp_path / "team.yaml"), *options])
        words = " ".join("".join(capsys.readouterr()).split())
        assert "before a change" not in words, options
        if "--all" not in options and "-o" not in options:
            assert "Nothing was asked. Visitors put 1 question to 1 team of their own" in words, words
    assert visitors_on(tmp_path / "served.html") == [("cat+bob/vote", 1)]


async def test_who_would_not_be_let_in_makes_none(tmp_path: Path) -> None:
    limited = ServeSettings(limits=KeyLimits(per_minute=1))
    async with serving(tmp_path, THREE, settings=limited) as served:
        assert (await served.chat("Which river?"))[0] == 200
        for players in (["ann", "bob"], ["bob", "ann"], ["cat", "ann"]):
            status, _ = await served.chat("Which hill?", moot={"team": {"players": players, "strategy": "vote"}})
            assert status == 429
        assert served.live.edited.made.total() == 0


KEYS = ServeSettings(keys={"ANN": "ann-secret", "BOB": "bob-secret"}, admin_keys={"BOSS": "boss-secret"})


def by(key: str) -> dict[str, Any]:
    return {"headers": {"Authorization": f"Bearer {key}-secret"}}


async def test_a_key_sees_the_teams_that_it_has_put_together_alone(tmp_path: Path) -> None:
    team = {"players": ["cat", "bob"], "strategy": "vote"}
    asked = {"messages": [{"role": "user", "content": "Which river?"}]}
    async with serving(tmp_path, THREE, settings=KEYS) as served:
        status, body = await served.post("/v1/chat/completions", {**asked, "moot": {"team": team}}, **by("ann"))
        assert status == 200, body
        name, path = body["model"], f"/v1/models/{body['model']}"
        assert (await served.get(path, **by("ann")))[0] == 200
        assert (await served.get(path, **by("boss")))[0] == 200, "an admin sees all"
        known = await served.get(path, **by("bob"))
        unknown = await served.get("/v1/models/bob+cat/vote", **by("bob"))
        assert (known[0], unknown[0]) == (404, 404)
        said = [json.dumps(each[1]) for each in (known, unknown)]
        assert said[0].replace(name, "NAME") == said[1].replace("bob+cat/vote", "NAME"), (
            "as of one that nobody has made"
        )
        assert (await served.post("/v1/chat/completions", {**asked, "model": name}, **by("bob")))[0] == 404
        assert (await served.post("/v1/chat/completions", {**asked, "model": name}, **by("ann")))[0] == 200
        _, listed = await served.get("/v1/moot/teams", **by("bob"))
        assert name not in json.dumps(listed)
        status, _ = await served.post("/v1/chat/completions", {**asked, "moot": {"team": team}}, **by("bob"))
        assert status == 200
        assert (await served.get(path, **by("bob")))[0] == 200, "it is as much theirs now"


async def test_what_one_key_puts_together_takes_nothing_from_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edited_team, "MOST_MADE", 2)
    monkeypatch.setattr(edited_team, "MOST_IN_ALL", 3)
    path, words = "/v1/chat/completions", [{"role": "user", "content": "Which river?"}]

    async def ask(served: Served, key: str, players: str, strategy: str = "vote") -> tuple[int, Any]:
        named = {"a": "ann", "b": "bob", "c": "cat"}
        team = {"players": [named[each] for each in players], "strategy": strategy}
        return await served.post(path, {"messages": words, "moot": {"team": team}}, **by(key))

    async with serving(tmp_path, THREE, settings=KEYS) as served:
        for players in ("ab", "ba", "bc", "cb", "ac"):
            assert (await ask(served, "ann", players, "council"))[0] == 400, "a council needs a captain"
        assert [(await ask(served, "ann", players))[0] for players in ("ab", "ba")] == [200, 200]
        status, body = await ask(served, "ann", "bc")
        assert body["error"]["message"].startswith("moot.team: "), "it is none of its keys"
        assert (status, "2 teams were put together with this key" in body["error"]["message"]) == (400, True)
        assert (await ask(served, "ann", "ab"))[0] == 200, "those that are there can be asked"
        assert (await ask(served, "bob", "bc"))[0] == 200
        status, body = await ask(served, "bob", "cb")
        assert (status, "3 teams were put together since" in body["error"]["message"]) == (400, True)


PRICED = {
    **THREE,
    "models": {
        f"m{number}": {
            "provider": "simulated",
            "accuracy": 0.5,
            "price": {"prompt": 1.0, "completion": 1000.0},
            "max_tokens": 100,
        }
        for number in range(12)
    },
    "teams": {"three": {"players": ["m0", "m1", "m2"], "captain": "m0"}},
    "strategies": ["vote", "talkative"],
}


@pytest.mark.parametrize("strategy", ["vote", "talkative", "council"])
async def test_no_team_is_made_so_large_that_it_costs_more_than_the_day_has_left(tmp_path: Path, strategy: str) -> None:
    """A call costs 0.1 USD at most and something, and is made five times at most: twelve players are beyond the day, however
    little was spent before."""
    limited = ServeSettings(limits=KeyLimits(usd_per_day=4.0))
    large = {"players": [f"m{number}" for number in range(12)], "strategy": strategy, "captain": "m3"}
    small = {"players": ["m1", "m2"], "strategy": "vote"}
    async with serving(tmp_path, PRICED, settings=limited) as served:
        for more in ({}, {"stream": True}):
            status, body = await served.chat("Which river?", moot={"team": large}, **more)
            assert (status, body["error"]["code"]) == (429, "insufficient_quota"), body
            assert "fewer players" in body["error"]["message"]
        status, body = await served.chat("Which river?", "three/vote")
        assert status == 200, "what the file offers is let in as it was"
        status, body = await served.chat("Which hill?", moot={"team": small})
        assert status == 200, body
        asked = [served.chat(f"Which lake {number}?", moot={"team": small}) for number in range(20)]
        statuses = [status for status, _ in await asyncio.gather(*asked)]
        assert set(statuses) <= {200, 429}
        _, spent_usd = await served.live.paid_today("anyone")
        assert 0.0 < spent_usd <= 4.0


async def test_a_form_that_is_long_to_read_counts_among_what_a_team_can_cost(tmp_path: Path) -> None:
    limited = ServeSettings(limits=KeyLimits(usd_per_day=4.0))
    small = {"players": ["m1", "m2"], "strategy": "vote"}
    schema = {"type": "object", "properties": {"answer": {"type": "string", "description": "d" * 100_000}}}
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    async with serving(tmp_path, PRICED, settings=limited) as served:
        status, body = await served.chat("Which river?", moot={"team": small}, response_format=form)
        assert (status, body["error"]["code"]) == (429, "insufficient_quota"), body
        assert (await served.live.paid_today("anyone"))[1] == 0.0
        assert (await served.chat("Which river?", moot={"team": small}))[0] == 200


MIXTURE = "mixture(summariser=cat, proposers=('ann',))"
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"players": ["dan"], "strategy": "vote"}, "players: there is no 'dan'"),
    ({"players": ["ann", "ann"], "strategy": "vote"}, "each once"),
    ({"players": ["ann", "bob"], "strategy": "riddle"}, "strategy: there is no 'riddle'; expected one of"),
    ({"players": ["ann", "bob"], "strategy": "talkative", "captain": "cat"}, "captain: 'cat' does not play"),
    ({"players": ["ann", "bob"], "strategy": "talkative"}, "captain: talkative needs one; expected one of ann, bob"),
    ({"players": ["cat", "bob"], "strategy": "silent"}, "captain: silent needs one; expected one of cat, bob"),
    ({"players": ["bob", "cat"], "strategy": MIXTURE}, f"strategy: {MIXTURE}: proposer 'ann' is not in team 'bob+cat'"),
    ({"players": [], "strategy": "vote"}, "players"),
    ({"strategy": "vote"}, "players"),
]


@pytest.mark.parametrize(("team", "words"), WRONG, ids=[words for _, words in WRONG])
async def test_what_cannot_be_is_told(tmp_path: Path, team: dict[str, Any], words: str) -> None:
    """By the key of the request that it is about, and never as if an experiment file were to be changed."""
    players = {name: {"model": name} for name in THREE["models"]}
    mixture = {"mixture": {"proposers": ["ann"], "summariser": "cat"}}
    config = {**THREE, "players": players, "strategies": [*THREE["strategies"], "silent", mixture]}
    async with serving(tmp_path, config) as served:
        for path, asked in (
            ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Why?"}]}),
            ("/v1/responses", {"input": "Why?"}),
        ):
            status, body = await served.post(path, {**asked, "moot": {"team": team}})
            assert status == 400, body
            message = body["error"]["message"]
            assert words in message
            assert re.match(r"moot\.team(\.(players|strategy|captain)(\.\d+)?)?: ", message), message
            assert not re.search(r"captain: (each|NAME)|teams: \{", message), message
            assert body["error"]["param"].startswith("moot.team")


async def test_a_server_may_offer_its_teams_alone(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=ServeSettings(edit_teams=False)) as served:
        _, listed = await served.get("/v1/moot/teams")
        assert listed["parts"] is None
        status, body = await served.chat("Why?", moot={"team": {"players": ["ann"], "strategy": "vote"}})
        assert (status, body["error"]["code"]) == (400, "teams_not_edited")
