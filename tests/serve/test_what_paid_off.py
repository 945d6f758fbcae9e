"""What of a file is served: what it declares or its run has shown, by the name of the team; the rest for who asks for it."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import yaml
from served import THREE, Served, serving
from typer.testing import CliRunner

import moot
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import UsageError
from moot.experiment.spec import read_experiment
from moot.live.served_names import other_names
from moot.live.team import LiveTeam
from moot.serve.paid_off import most_preferred, offer_line, offer_of

CUP: dict[str, Any] = {
    **THREE,
    "questions": {"file": "questions.jsonl"},
    "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "each"}},
    "models": {
        "ann": {"provider": "simulated", "accuracy": 0.2},
        "bob": {"provider": "simulated", "accuracy": 1.0},
        "cat": {"provider": "simulated", "accuracy": 0.2},
    },
    "strategies": ["vote", "silent", "solo"],
    "store": "sqlite:///cup.db",
}


def ask_for(served: Served) -> Any:
    async def ask(model: str | None) -> tuple[int, Any]:
        named = {} if model is None else {"model": model}
        return await served.post(
            "/v1/chat/completions", {**named, "messages": [{"role": "user", "content": "Which river?"}]}
        )

    return ask


def run(folder: Path, limit: int | None = None, questions_of: int = 12, **more: Any) -> str:
    """The option of the run's headline."""
    questions = [
        {"id": f"q{n}", "text": f"Which is number {n}?", "choices": ["one", "two", "three"], "answer": "ABC"[n % 3]}
        for n in range(questions_of)
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    (folder / "team.yaml").write_text(yaml.safe_dump({**CUP, **more}))
    results = moot.run(folder / "team.yaml", limit=limit)
    return str(results.figures["headline"]["of"])


async def listed(served: Served) -> list[str]:
    return [each["id"] for each in (await served.get("/v1/models"))[1]["data"]]


async def test_the_runs_best_is_the_team(tmp_path: Path) -> None:
    best = await asyncio.to_thread(run, tmp_path)
    strategy, captain = best.split("@")
    async with serving(tmp_path, CUP, offer={}) as served:
        ask = ask_for(served)
        assert await listed(served) == ["three"]
        line = offer_line(served.live)
        assert line.startswith(f"serving three: the best of the run's teams, {best}: ")
        assert "; bob alone had 100.0 %: --only solo@bob (--all: 8 more)" in line
        for name in (None, "three", best, f"three/{best}"):
            status, body = await ask(name)
            assert (status, body["moot"]["strategy"], body["moot"]["captain"]) == (200, strategy, captain)
            assert body["model"] == (name or "three")
        for other in {"three/vote@ann", "solo@ann", "silent@cat", "vote@cat"} - {best, f"three/{best}"}:
            status, body = await ask(other)
            assert (status, body["error"]["code"], body["error"]["param"]) == (404, "model_not_found", "model")
            assert f"--all or --only {other}" in body["error"]["message"]
        _, body = await ask("nobody")
        assert "--all" not in body["error"]["message"]
        _, page = await served.get("/v1/moot/teams")
        assert [(team["model"], team["declared"]) for team in page["teams"]] == [("three", False)]


SURE = {"provider": "simulated", "accuracy": 1.0}


@pytest.mark.parametrize(
    ("more", "said", "alone"),
    [
        ({}, "the best of the run's teams, vote: 0.0 %", "; bob alone had 100.0 %: --only solo@bob (--all: 3 more)"),
        (
            {"primary": "vote"},
            "three/vote, declared as primary: 0.0 %",
            "; bob alone had 100.0 %: --only solo@bob (--all",
        ),
        ({"primary": "solo@bob"}, "declared as primary: 100.0 %", None),
        ({"strategies": ["vote"]}, "the best of the run's teams, vote: 0.0 %", "; bob alone had 100.0 %"),
        ({"strategies": ["solo"]}, "the run's best, solo@bob: 100.0 %", None),
        (
            {"models": dict.fromkeys(("ann", "bob", "cat"), SURE)},
            "the best of the run's teams, vote: 100.0 %",
            " alone had 100.0 %",
        ),
    ],
    ids=[
        "lost",
        "the declared one lost",
        "one alone is declared",
        "nobody alone is in it",
        "no team",
        "no more than one",
    ],
)
async def test_a_player_who_was_ahead_is_named(tmp_path: Path, more: Any, said: str, alone: str | None) -> None:
    """What is served beside it must be known to whoever starts it: the best of the teams may have lost to a player alone."""
    weak = {"provider": "simulated", "accuracy": 0.0, "attraction": 1.0}
    models = {"ann": weak, "bob": SURE, "cat": weak}
    config = {
        **CUP,
        "models": models,
        "strategies": ["vote", "solo"],
        "teams": {"three": {"players": ["ann", "bob", "cat"]}},
    }
    await asyncio.to_thread(run, tmp_path, **(config | more))
    line = await offered(tmp_path, config | more)
    assert f"serving {'solo@bob' if alone is None else 'three'}: {said}" in line
    if alone is None:
        assert " alone had " not in line
    else:
        assert alone in line
    assert ("--only" in line) == (alone is not None and "strategies" not in more)


async def test_the_declared_one_comes_before_the_runs_best(tmp_path: Path) -> None:
    declared = {"primary": "vote@cat"}
    await asyncio.to_thread(run, tmp_path, **declared)
    async with serving(tmp_path, {**CUP, **declared}, offer={}) as served:
        assert await listed(served) == ["three"]
        _, body = await ask_for(served)("three")
        assert (body["moot"]["strategy"], body["moot"]["captain"]) == ("vote", "cat")
        _, page = await served.get("/v1/moot/teams")
        assert [(team["model"], team["declared"]) for team in page["teams"]] == [("three", True)]


async def test_all_and_only(tmp_path: Path) -> None:
    config = {**THREE, "primary": "talkative"}
    async with serving(tmp_path, config, offer={"every": True}) as served:
        assert await listed(served) == ["three", "three/talkative", "three/vote", "solo@ann", "solo@bob", "solo@cat"]
        assert (await ask_for(served)("vote"))[1]["moot"]["strategy"] == "vote"
        _, page = await served.get("/v1/moot/teams")
        assert [team["model"] for team in page["teams"] if team["declared"]] == ["three"]
    async with serving(tmp_path, config, offer={"only": ["vote@ann", "solo@cat"]}) as served:
        assert await listed(served) == ["three", "three/vote", "solo@cat"]
        assert (await ask_for(served)(None))[1]["moot"]["strategy"] == "vote"
        assert (await ask_for(served)("solo@cat"))[0] == 200
        status, body = await ask_for(served)("talkative")
        assert (status, "--only talkative" in body["error"]["message"]) == (404, True)


async def test_beside_one_with_options_the_plain_one_keeps_the_name_of_the_report(tmp_path: Path) -> None:
    file = {**CUP, "strategies": ["vote", {"vote": {"early_stop": True}}]}
    async with serving(tmp_path, file, offer={"every": True}) as served:
        names = other_names(served.live.cells)
        for name in ("vote@bob", "vote"):
            assert names[name].label == "vote", name
            assert (await ask_for(served)(name))[0] == 200
        others = [cell.label for name, cell in served.live.cells.items() if cell.label != "vote"]
        assert (await ask_for(served)(others[0]))[0] == 200


@pytest.mark.parametrize("more", [{"primary": "vote@bob"}, {"only": ["vote@bob"]}, {"every": True}])
async def test_what_learns_in_a_run_keeps_nobody_else_from_being_served(tmp_path: Path, more: dict[str, Any]) -> None:
    declared = {"primary": more["primary"]} if "primary" in more else {}
    file = {**CUP, "strategies": ["learnt", "vote", "solo"], **declared}
    offer = {key: value for key, value in more.items() if key != "primary"}
    async with serving(tmp_path, file, offer=offer) as served:
        assert not any("learnt" in name for name in await listed(served))
        status, body = await ask_for(served)("vote@bob")
        assert (status, body["moot"]["captain"]) == (200, "bob")


@pytest.mark.parametrize(("declared", "only"), [({"primary": "learnt"}, []), ({}, ["learnt"])])
async def test_what_learns_in_a_run_is_not_served_itself(tmp_path: Path, declared: Any, only: list[str]) -> None:
    with pytest.raises(UsageError, match=r"learnt learns from graded drafts .* moot fit FILE .* --only .*three/vote"):
        async with serving(tmp_path, {**CUP, "strategies": ["learnt", "vote"], **declared}, offer={"only": only}):
            pass


@pytest.mark.long
async def test_a_run_whose_best_learns_is_not_served_as_something_else(tmp_path: Path) -> None:
    file = {"strategies": ["learnt", "solo"]}
    best = await asyncio.to_thread(run, tmp_path, questions_of=40, **file)
    assert best.startswith("learnt")
    with pytest.raises(UsageError, match=r"learns from graded drafts .* --only .*solo@bob"):
        async with serving(tmp_path, {**CUP, **file}, offer={}):
            pass
    async with serving(tmp_path, {**CUP, **file}, offer={"only": ["solo@bob"]}) as served:
        assert (await ask_for(served)(None))[0] == 200


@pytest.mark.long
async def test_all_is_served_though_the_best_of_the_run_learns(tmp_path: Path) -> None:
    file = {"strategies": ["learnt", "solo"]}
    await asyncio.to_thread(run, tmp_path, questions_of=40, **file)
    line = await offered(tmp_path, {**CUP, **file}, every=True)
    assert line.startswith(
        "serving solo@ann: the first of the file that can be asked; the best of the run's teams, learnt"
    )
    assert "%" not in line.partition("; left out")[0], "no figure of another beside the name of the one that is served"
    assert line.endswith(
        "and 2 others; left out: three/learnt, which learns in a run (moot fit writes what was learnt)"
    )


LEARNING = {**CUP, "strategies": ["learnt", "vote"]}


async def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    """In the first line, and to whoever asks for it."""
    front = "serving three: three/vote, the first of the file that can be asked: nothing was measured yet; and 2 others"
    left = "left out: three/learnt, which learns in a run (moot fit writes what was learnt)"
    assert await offered(tmp_path, LEARNING) == f"{front}; {left}"
    assert await offered(tmp_path, LEARNING, every=True) == f"{front}; {left}"
    assert "left out" not in await offered(tmp_path, LEARNING, only=["vote@bob"])
    async with serving(tmp_path, LEARNING, offer={"every": True}) as served:
        for name in ("three/learnt", "learnt@bob", "learnt"):
            status, body = await ask_for(served)(name)
            assert status == 404
            said = body["error"]["message"]
            assert said.startswith(f"{name!r} is in the file and is not served: learnt learns from graded drafts"), said
            assert "moot fit FILE -o rule.json, then learnt: {from: rule.json}; or one of three, three/vote" in said


def test_ask_says_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "team.yaml").write_text(yaml.safe_dump(LEARNING))
    assert run_app(app, ["ask", "Which river?", "--team", str(tmp_path / "team.yaml"), "--no-log"]) == 0
    assert "moot: left out: three/learnt, which learns in a run" in capsys.readouterr().err
    named = ["ask", "Which river?", "--team", str(tmp_path / "team.yaml"), "--no-log", "--strategy", "vote"]
    assert run_app(app, named) == 0
    assert "left out" not in capsys.readouterr().err


@pytest.fixture
def with_rule(tmp_path: Path) -> dict[str, Any]:
    """A file that has a strategy as it learns in the run, and as it decides by what was learnt."""
    run(tmp_path, questions_of=40, strategies=["learnt", "vote"])
    assert run_app(app, ["fit", str(tmp_path / "team.yaml"), "-o", str(tmp_path / "rule.json")]) == 0
    return {**CUP, "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "bob"}}, "name": "both"} | {
        "strategies": ["vote", "learnt", {"learnt": {"from": "rule.json"}}]
    }


@pytest.mark.long
async def test_a_name_is_the_same_ones_everywhere(tmp_path: Path, with_rule: dict[str, Any]) -> None:
    """The name of what learns in the run, in its report, is never that of the rule's."""
    async with serving(tmp_path, with_rule, offer={"every": True}) as served:
        front, vote, rule = await listed(served)
        assert (front, vote, rule.startswith("three/learnt(from=")) == ("three", "three/vote", True)
        status, body = await ask_for(served)(rule)
        assert (status, body["moot"]["strategy"].startswith("learnt(from=")) == (200, True)
        for name in ("three/learnt", "learnt@bob"):
            status, body = await ask_for(served)(name)
            assert (status, "is in the file and is not served: learnt learns" in body["error"]["message"]) == (
                404,
                True,
            )
            assert rule in body["error"]["message"], "and what to ask in its place"
        with pytest.raises(UsageError) as refused:
            await offer_of(served.live, only=["three/learnt"])
        assert f"as it is: three/vote, {rule}" in str(refused.value)
        for name in re.findall(r"three/\S+?(?=,|$)", str(refused.value)):
            assert (await offer_of(served.live, only=[name])).first == name, "what the refusal names can be served"


@pytest.mark.long
async def test_a_declared_learner_is_not_served_as_the_rule(tmp_path: Path, with_rule: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"learnt learns from graded drafts .*three/learnt\(from="):
        async with serving(tmp_path, {**with_rule, "primary": "learnt@bob"}, offer={}):
            pass


async def test_a_name_that_several_could_have_is_told_so(tmp_path: Path) -> None:
    two = [{"cascade": {"order": ["ann", "bob", "cat"]}}, {"cascade": {"order": ["cat", "bob", "ann"]}}]
    teams = {"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}}
    config = {**THREE, "teams": teams, "strategies": two}
    with pytest.raises(
        UsageError, match=r"--only: 'cascade' could be any of three/cascade\(.*, three/cascade\(.*; expected"
    ):
        await offered(tmp_path, config, only=["cascade"])
    teams = {name: {"players": ["ann", "bob", "cat"], "captain": "bob"} for name in ("three", "others")}
    async with serving(tmp_path, {**THREE, "teams": teams, "strategies": ["vote"]}, offer={}) as served:
        status, body = await ask_for(served)("vote@bob")
        assert (status, body["error"]["message"]) == (
            404,
            "'vote@bob' could be any of others/vote, three/vote; expected one of these",
        )


async def test_what_was_chosen_elsewhere_is_no_guess(tmp_path: Path) -> None:
    (tmp_path / "team.chosen.json").write_text(
        json.dumps([{"team": ["ann", "bob"], "accuracies": {}, "chosen_on": ["00"]}])
    )
    teams = {"two": {"players": ["ann", "bob"], "captain": "ann", "selection": "team.chosen.json"}}
    line = await offered(tmp_path, {**THREE, "teams": teams, "strategies": ["vote"]})
    assert line == "serving two: two/vote, the first of the file: chosen by what team.chosen.json names"


async def test_what_was_asked_stays_in_one_place_whatever_is_offered(tmp_path: Path) -> None:
    async with serving(tmp_path, offer={"every": True}) as served:
        await ask_for(served)("solo@ann")
        first = served.live.record.id
    async with serving(tmp_path, offer={"only": ["vote"]}) as served:
        assert served.live.record.id == first
        _, past = await served.get("/v1/moot/episodes")
        assert [each["model"] for each in past["episodes"]] == ["solo@ann"]


async def offered(folder: Path, config: dict[str, Any] = CUP, **options: Any) -> str:
    (folder / "team.yaml").write_text(yaml.safe_dump(config))
    live = LiveTeam(read_experiment(folder / "team.yaml", with_questions=False), serving=True)
    live.offer = await offer_of(live, **options)
    return offer_line(live)


FIRST = "the first of the file: nothing was measured yet"
DECLARED = {"primary": "silent@cat"}


@pytest.mark.parametrize(
    ("more", "options", "said"),
    [
        (DECLARED, {}, "three: three/silent@cat, declared as primary (--all: 8 more)"),
        (DECLARED, {"every": True}, "three: three/silent@cat, declared as primary; and 8 others"),
        ({"primary": "solo@cat"}, {}, "solo@cat: declared as primary (--all: 8 more)"),
        ({"strategies": ["solo", "vote"]}, {}, f"three: three/vote, {FIRST}; and 5 others"),
        ({"strategies": ["solo"]}, {}, f"solo@ann: {FIRST}; and 2 others"),
        ({}, {"only": ["vote@bob"]}, "three: three/vote@bob, asked for with --only (--all: 8 more)"),
        (
            DECLARED,
            {"only": ["solo@ann", "silent@cat"]},
            "three: three/silent@cat, declared as primary; and 1 other (--all: 7 more)",
        ),
        ({}, {"only": ["solo@ann", "three/vote"]}, "solo@ann: the first of --only; and 1 other (--all: 7 more)"),
    ],
)
async def test_why_it_is_this_one(tmp_path: Path, more: Any, options: Any, said: str) -> None:
    assert await offered(tmp_path, {**CUP, **more}, **options) == f"serving {said}"


async def test_why_nothing_is_known_to_be_the_best(tmp_path: Path) -> None:
    """Then all of the file is offered, its first team in front."""
    first, rest = "serving three: three/vote, the first of the file: ", "; and 8 others"
    assert await offered(tmp_path) == f"{first}nothing was measured yet{rest}"
    await asyncio.to_thread(run, tmp_path)
    assert (await offered(tmp_path)).startswith("serving three: the best of the run's teams")
    changed = {**CUP, "models": {**CUP["models"], "cat": {"provider": "simulated", "accuracy": 0.3}}}
    assert "team.yaml as it is now was not run" in await offered(tmp_path, changed)
    questions = (tmp_path / "questions.jsonl").read_text()
    (tmp_path / "questions.jsonl").write_text(questions.replace("number 1?", "number one?"))
    line = await offered(tmp_path)
    assert re.search(r"the questions of team.yaml have changed since its run of [\d-]+ [\d:]+; and 8 others$", line), (
        line
    )
    other = {**CUP, "name": "other"}
    assert await offered(tmp_path, other) == f"{first}nothing was measured yet{rest}"
    (tmp_path / "cup.db").write_bytes(b"no store at all" * 1000)
    assert "cannot be read" in await offered(tmp_path)


async def test_a_run_of_the_first_questions_counts_and_one_that_is_not_over_does_not(tmp_path: Path) -> None:
    best = await asyncio.to_thread(run, tmp_path, 6)
    assert (await offered(tmp_path)).startswith(f"serving three: the best of the run's teams, {best}")
    with sqlite3.connect(tmp_path / "cup.db") as store:
        store.execute("DELETE FROM episodes WHERE question = (SELECT min(question) FROM episodes)")
    store.close()
    assert "the first of the file: its run is not over; and 8 others" in await offered(tmp_path)


async def test_a_file_may_say_that_long_answers_are_asked_for(tmp_path: Path) -> None:
    """Without any questions; then whoever cannot give them is not in front."""
    config = {**THREE, "strategies": ["vote", "talkative", "solo"], "questions": {"kind": "text"}}
    async with serving(tmp_path, config, offer={}) as served:
        assert offer_line(served.live).startswith(f"serving three: three/talkative, {FIRST}; and ")
        ask = ask_for(served)
        _, body = await ask(None)
        assert (body["moot"]["kind"], body["moot"]["strategy"]) == ("text", "talkative")
        assert body["moot"]["why"].startswith("no rule tells it of long answers"), "and none can be learnt"
        assert body["choices"][0]["message"]["content"].startswith("[simulated] A text of quality")
        status, body = await ask("three/vote")
        assert (status, body["error"]["code"], body["error"]["param"]) == (400, "no_long_answers", "model")
        assert (
            "model: 'three/vote': vote cannot be played on questions of kind text: no two" in body["error"]["message"]
        )
        assert "; expected 'three', 'three/talkative' or 'solo@ann' as model" in body["error"]["message"]
        assert "grouping" not in body["error"]["message"], "who asks does not write the file"
        status, body = await served.chat("Which river?", moot={"choices": ["the Nile", "the Rhine"]})
        assert (status, body["moot"]["kind"]) == (200, "choice")
        messages = [{"role": "user", "content": "Which river?"}]
        _, body = await served.post("/v1/chat/completions", {"messages": messages, "moot": {"kind": "open"}})
        assert body["moot"]["kind"] == "open"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--only", "nobody"], "--only: there is no 'nobody'; expected one of three/vote"),
        (["--only", "vote", "--all"], "--all serves all of the file, --only some of it; expected one of the two"),
    ],
)
def test_what_cannot_be_offered_is_told_before_anything_listens(tmp_path: Path, options: list[str], said: str) -> None:
    (tmp_path / "team.yaml").write_text(yaml.safe_dump(THREE))
    ended = CliRunner().invoke(app, ["serve", str(tmp_path / "team.yaml"), "--port", "0", *options])
    assert isinstance(ended.exception, UsageError)
    assert said in str(ended.exception)


PLANS: dict[str, Any] = {
    "name": "plans",
    "seed": 5,
    "questions": {"file": "plans.jsonl"},
    "store": "sqlite:///plans.db",
    "models": {
        "ann": {"provider": "simulated", "accuracy": 0.3, "words": 30},
        "bob": {"provider": "simulated", "accuracy": 0.9, "power": 1.0, "words": 40},
        "ivy": {"provider": "simulated", "accuracy": 0.5, "blur": 1.0},
    },
    "teams": {"two": {"players": ["ann", "bob"], "captain": "each"}},
    "strategies": ["talkative"],
}
RUBRIC = {"judge": {"models": ["ivy"]}, "rubric": [{"name": "clear", "points": 4, "says": "It can be followed."}]}
PAIRWISE = {"judge": {"models": ["ivy"], "pairwise": True}}


async def run_plans(folder: Path, **more: Any) -> Any:
    rows = [{"id": f"q{n}", "text": f"Write a plan, number {n}.", "kind": "text"} for n in range(24)]
    (folder / "plans.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "team.yaml").write_text(yaml.safe_dump({**PLANS, **more}))
    return (await asyncio.to_thread(moot.run, folder / "team.yaml")).figures["headline"]


@pytest.mark.parametrize(("better", "said"), [(True, ""), (False, "; whether it is preferred cannot be told")])
def test_what_cannot_be_told_is_said(tmp_path: Path, *, better: bool, said: str) -> None:
    (tmp_path / "team.yaml").write_text(yaml.safe_dump({**THREE, "strategies": ["talkative", "solo"]}))
    live = LiveTeam(read_experiment(tmp_path / "team.yaml", with_questions=False), serving=True)
    found = {"of": "talkative", "against": "solo@bob", "against_player": "bob", "better": better}
    told = most_preferred({**found, "value": 0.776, "low": 0.0, "high": 1.0}, live.whole).words
    assert told == f"the run's best, talkative: preferred to solo@bob in 77.6 % (0.0–100.0){said}"


async def test_after_a_comparison_of_texts_the_one_preferred_most_is_served(tmp_path: Path) -> None:
    headline = await run_plans(tmp_path, **PAIRWISE)
    preferred = headline["preferred"]
    assert (headline["value"], preferred["of"]) == (None, "talkative@bob"), "not the first of the file"
    line = await offered(tmp_path, {**PLANS, **PAIRWISE})
    share = f"{100 * preferred['value']:.1f} % ({100 * preferred['low']:.1f}–{100 * preferred['high']:.1f})"
    assert f", talkative@bob: preferred to {preferred['against']} in {share}" in line
    assert line.startswith(("serving two: the run's best", "serving two: the best of the run's teams"))


async def test_a_declared_one_is_told_with_how_far_it_was_preferred(tmp_path: Path) -> None:
    declared = {**PAIRWISE, "primary": "talkative@ann", "strategies": ["talkative", "solo"]}
    preferred = (await run_plans(tmp_path, **declared))["preferred"]
    line = await offered(tmp_path, {**PLANS, **declared})
    assert f"declared as primary: preferred to {preferred['against']} in {100 * preferred['value']:.1f} % (" in line
    assert preferred["value"] <= 0.5, "so it is named who was ahead of it"
    assert "; no more than solo@bob alone: --only solo@bob" in line


async def test_after_a_rubric_the_one_with_most_points_is_served(tmp_path: Path) -> None:
    headline = await run_plans(tmp_path, **RUBRIC)
    assert headline["of"] == "talkative@bob"
    assert f", talkative@bob: {100 * headline['value']:.1f} %" in await offered(tmp_path, {**PLANS, **RUBRIC})
