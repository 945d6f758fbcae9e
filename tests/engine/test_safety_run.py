"""Peer review and debate through whole runs: blind to the last word, cohorts apart, calibration apart, old stores too."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from beside import rows
from sqlalchemy import select

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.engine.runner import Runner
from moot.estimate.estimate import estimate
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.live.team import LiveTeam
from moot.models.scripted import Script, ScriptedModel
from moot.store import migrating, schema, store_at
from moot.store.attendance import StoredAttendance, keep_absence
from moot.store.sqlite import SqliteStore
from moot.types import Request

COHORTS = {"open": ["ann", "bob", "cat"], "closed": ["dan", "eve"]}
NAMES = [name for members in COHORTS.values() for name in members]
COHORT_OF = {name: cohort for cohort, members in COHORTS.items() for name in members}
MODELS = {name: f"vendor-{name}-9b" for name in NAMES}
QUESTIONS = 6


def written(folder: Path, **more: Any) -> Path:
    """An experiment of five simulated models in two cohorts on questions with choices."""
    folder.mkdir(exist_ok=True)
    lines = [
        {
            "id": f"q{n}",
            "text": f"Which one is number {n} {{of}} 9?",
            "choices": ["x", "y", "z"],
            "answer": "ABC"[n % 3],
        }
        for n in range(QUESTIONS)
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    spec = {
        "name": "net",
        "seed": 7,
        "questions": {"file": "questions.jsonl"},
        "models": {MODELS[name]: {"provider": "simulated", "accuracy": 0.6} for name in NAMES},
        "players": {name: {"model": MODELS[name]} for name in NAMES},
        "teams": {"five": {"players": NAMES, "cohorts": COHORTS}},
        "strategies": ["solo", {"solo": {"drafts": "double-call"}}, "peer-review", "debate"],
        **more,
    }
    path = folder / "net.yaml"
    path.write_text(yaml.safe_dump(spec, sort_keys=False), encoding="utf-8")
    return path


def gossip(name: str) -> ScriptedModel:
    """A model that says in every reply who it is, who the others are, and to which cohort it belongs."""
    others = ", ".join([*NAMES, *MODELS.values()])
    words = f"I am {name.upper()} of the secret-{COHORT_OF[name]}-cohort; beside me {others}."

    def say(request: Request) -> Script:
        letter = "ABC"[(NAMES.index(name) + int((request.question_id or "q0")[1:])) % 3]
        if request.schema is None and "Write freely" in request.messages[-1].content:
            return f"{words}\nAnswer: {letter}"
        if request.schema is None:
            return words if "you answered" in request.messages[-1].content else f"Answer: {letter}"
        required = request.schema["required"]
        return {field: letter if field == "answer" else f"{field}: {words}" for field in required}

    return ScriptedModel(MODELS[name], say)


def played_by(experiment: Plan, models: Mapping[str, ScriptedModel]) -> Plan:
    return replace(
        experiment,
        models={name: replace(built, model=models[name]) for name, built in experiment.models.items()},
    )


async def run(experiment: Plan, path: Path) -> Runner:
    store = await SqliteStore(path).open()
    runner = Runner(experiment, store)
    try:
        assert await runner.run() == "done"
    finally:
        await store.close()
    return runner


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def prompts_in(path: Path) -> Iterator[tuple[str | None, str, str, str]]:
    """Cohort, player, stage and the whole prompt of every call of every episode."""
    texts = {
        key: "\n".join(message["content"] for message in json.loads(shape)[0]["messages"])
        for key, shape in rows(path, "SELECT key, shape FROM calls")
    }
    for cohort, transcript in rows(path, "SELECT cohort, transcript FROM episodes JOIN cells ON cells.id = cell"):
        for player, stage, _turn, key, *_ in json.loads(transcript):
            yield cohort, player, stage, texts[key]


# --- blind, and apart -------------------------------------------------------------------------------------------------


async def test_no_name_and_no_word_of_another_cohort_in_any_blind_prompt(tmp_path: Path) -> None:
    experiment = build(read_experiment(written(tmp_path)))
    models = {MODELS[name]: gossip(name) for name in NAMES}
    await run(played_by(experiment, models), path := tmp_path / "net.db")
    names = re.compile("|".join([*(rf"\b{name}\b" for name in NAMES), *MODELS.values(), "five"]), re.IGNORECASE)
    seen: Counter[str] = Counter()
    for cohort, player, stage, text in prompts_in(path):
        if cohort is None:
            continue
        seen[stage] += 1
        assert COHORT_OF[player] == cohort, "provenance: nobody else is asked at this table"
        assert not re.search(rf"secret-(?!{cohort})", text), "no word of another cohort"
        if stage in ("review", "debate", "resolution"):
            assert not names.search(text), f"{stage}: {names.search(text)}"
            assert "secret" in text, "their words are there"
    assert set(seen) == {"verdict", "rationale", "review", "debate", "resolution"}


async def test_every_call_is_made_once_for_all_strategies_and_line_ups(tmp_path: Path) -> None:
    experiment = build(read_experiment(written(tmp_path)))
    models = {MODELS[name]: gossip(name) for name in NAMES}
    await run(played_by(experiment, models), path := tmp_path / "net.db")
    asked = [(model.name, str(request)) for model in models.values() for request in model.requests]
    assert len(asked) == len(set(asked))
    stages = Counter((stage, key) for stage, key in _steps(path))
    made = Counter(stage for stage, _ in stages)
    assert (made["draft"], made["verdict"], made["rationale"], made["review"]) == (30, 30, 30, 30)
    assert made["debate"] == 2 * made["resolution"] > 0, "these models never move: two rounds, then the resolution"
    assert sum(made.values()) == len(asked)


def _steps(path: Path) -> Iterator[tuple[str, str]]:
    for (transcript,) in rows(path, "SELECT transcript FROM episodes"):
        for _, stage, _, key, *_ in json.loads(transcript):
            yield stage, key


async def test_native_answers_of_a_review_are_those_of_solo(tmp_path: Path) -> None:
    await run(build(read_experiment(written(tmp_path))), path := tmp_path / "net.db")
    alone = {
        (player, question): answer
        for player, question, answer in rows(
            path,
            "SELECT player, question, answer FROM episodes JOIN cells ON cells.id = cell"
            " WHERE label = 'solo(drafts=double-call)'",
        )
    }
    reviewed = rows(
        path,
        "SELECT question, verdict FROM episodes JOIN cells ON cells.id = cell WHERE strategy IN ('peer-review', 'debate')",
    )
    assert len(reviewed) == 2 * 5 * QUESTIONS
    for question, verdict in reviewed:
        for player, text, *_ in json.loads(verdict)["answers"]:
            assert text == alone[player, question]


async def test_a_second_run_asks_nothing_and_the_same_seed_gives_the_same(tmp_path: Path) -> None:
    experiment = build(read_experiment(written(tmp_path)))
    await run(experiment, tmp_path / "one.db")
    again = await run(experiment, tmp_path / "one.db")
    assert again.tally.calls is not None
    assert (again.tally.calls.made, again.tally.skipped) == (0, experiment.episodes)
    await run(experiment, tmp_path / "two.db")
    sql = "SELECT cell, question, answer, verdict FROM episodes ORDER BY cell, question"
    assert rows(tmp_path / "one.db", sql) == rows(tmp_path / "two.db", sql)


async def test_models_that_read_are_asked_where_a_reply_announces_nothing(tmp_path: Path) -> None:
    readers = {name: {"provider": "simulated", "accuracy": 0.6} for name in ("rae", "ros")}
    listed = {MODELS[name]: {"provider": "simulated", "accuracy": 0.6} for name in NAMES}
    path = written(
        tmp_path, models={**listed, **readers}, extract={"models": ["rae", "ros"]}, strategies=["peer-review"]
    )
    models = {MODELS[name]: gossip(name) for name in NAMES}
    leaning = "I lean to the second of the three."
    word = {"answer": "B", "reasoning": ""}
    models[MODELS["ann"]] = ScriptedModel(MODELS["ann"], lambda request: word if request.schema else leaning)
    read = {name: ScriptedModel(name, lambda request: {"answer": "B"}) for name in readers}
    await run(played_by(build(read_experiment(path)), {**models, **read}), store := tmp_path / "net.db")
    verdicts = [json.loads(each) for (each,) in rows(store, "SELECT verdict FROM episodes")]
    natives = {answer[1] for verdict in verdicts for answer in verdict["answers"] if answer[0] == "ann"}
    assert natives == {"B"}
    assert len(read["rae"].requests) == len(read["ros"].requests) == QUESTIONS


# --- figures ----------------------------------------------------------------------------------------------------------


def test_a_cohort_is_measured_by_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, strategies=["solo", "vote", "peer-review"])
    assert moot("run", path, "--quiet") == 0
    capsys.readouterr()
    assert moot("report", path, "--json") == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["kind"] == "production"
    cohorts = {(row["strategy"], row.get("captain")): row.get("cohort") for row in figures["accuracy"]}
    assert cohorts["peer-review", "eve"] == "closed"
    assert cohorts["solo", None] is None
    players = {(row["team"], row["player"]) for row in figures["players"]}
    assert ("five/open", "ann") in players
    assert ("five/closed", "ann") not in players, "a cohort's figures are about its own players"
    assert ("five/closed (double-call)", "dan") in players, "and about native answers of one kind"


# --- commands ---------------------------------------------------------------------------------------------------------


def test_show_ask_and_doctor_work_with_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path)
    assert moot("run", path, "--quiet", "--limit", "2") == 0
    assert moot("show", path, "q1", "--strategy", "peer-review@ann") == 0
    said = capsys.readouterr().out
    assert "ann · review · turn 2 · attempt 1" in said
    assert moot("doctor", path) == 0
    for name in ("peer-review", "debate"):
        capsys.readouterr()
        assert moot("ask", "Which?", "--team", path, "--strategy", name, "--json") == 0
        titles = [each["title"] for each in json.loads(capsys.readouterr().out)["verdicts"]]
        assert titles == [f"{name}@ann"], "the first of the captains"


async def test_the_estimate_reaches_to_the_last_round(tmp_path: Path) -> None:
    """Simulated models say beforehand what they will say: a native answer in two calls, reviews, rounds, resolutions."""
    experiment = build(read_experiment(written(tmp_path, strategies=["peer-review", "debate"])))
    made = await estimate(experiment, None)
    await run(experiment, store := tmp_path / "net.db")
    counted = dict(rows(store, "SELECT model, count(*) FROM calls GROUP BY model"))
    assert {name: each.calls for name, each in made.models.items()} == counted
    assert sum(counted.values()) > 5 * 3 * QUESTIONS, "some were debated"


async def test_a_served_debate_does_not_wait_for_the_last_one(tmp_path: Path) -> None:
    file = read_experiment(written(tmp_path, strategies=["debate"]))
    for serving in (False, True):
        live = LiveTeam(file, keep=False, serving=serving)
        async with live:
            assert {cell.strategy.quorum for cell in live.cells.values()} == {serving}  # type: ignore[attr-defined]


# --- calibration ------------------------------------------------------------------------------------------------------


def test_a_calibration_is_kept_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shared = f"sqlite:///{tmp_path}/shared.db"
    production = written(tmp_path, store=shared, strategies=["solo"])
    assert moot("run", production, "--quiet", "--limit", "2") == 0
    calibration = written(tmp_path / "apart", store=shared, strategies=["solo"], kind="calibration")
    capsys.readouterr()
    assert moot("report", calibration, "--json") == 2, "production is not taken for it"
    assert "this store holds no run of 'net+calibration'" in capsys.readouterr().err
    assert moot("run", calibration, "--quiet") == 0
    capsys.readouterr()
    for path, kind, questions in ((production, "production", 2), (calibration, "calibration", QUESTIONS)):
        assert moot("report", path, "--json") == 0
        figures = json.loads(capsys.readouterr().out)
        assert (figures["kind"], figures["questions"]) == (kind, questions), "whichever ran last"
    assert moot("report", calibration) == 0
    assert "A calibration run: kept apart from production" in capsys.readouterr().out
    store = tmp_path / "shared.db"
    cells = rows(store, "SELECT experiments.name, cell FROM experiment_cells JOIN experiments ON id = experiment")
    assert len(cells) == len({cell for _, cell in cells}) == 10, "no episode belongs to both"
    assert rows(store, "SELECT count(*) FROM calls") == [(5 * QUESTIONS,)], "a call is a call, and paid for once"


# --- stores of before -------------------------------------------------------------------------------------------------

OLD_CELLS = """CREATE TABLE cells (id VARCHAR NOT NULL, strategy VARCHAR NOT NULL, label VARCHAR NOT NULL, team VARCHAR,
    captain VARCHAR, player VARCHAR, spec TEXT NOT NULL, PRIMARY KEY (id))"""


OLDER = (
    "DROP TABLE cells",
    OLD_CELLS,
    "DROP TABLE absences",
    "DELETE FROM migrations WHERE name <> '0001-first-tables'",
    "INSERT INTO cells VALUES ('old', 'vote', 'vote', 'six', 'ann', NULL, '{}')",
)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres").database())
    return f"sqlite:///{tmp_path}/net.db"


async def test_a_store_of_before_cohorts_is_brought_up_to_date(url: str, tmp_path: Path) -> None:
    store = await store_at(url).open()
    for statement in OLDER:
        await store.run(lambda connection, text=statement: connection.exec_driver_sql(text) and None)
    await store.close()
    store = await store_at(url).open()
    await Runner(build(read_experiment(written(tmp_path, strategies=["solo", "vote"]))), store).run()

    async def found(query: Any) -> list[tuple[Any, ...]]:
        return await store.run(lambda connection: [tuple(row) for row in connection.execute(query)])

    cells = schema.cells.c
    assert sorted(await found(select(schema.migrations.c.name))) == [(name,) for name in sorted(migrating.MIGRATIONS)]
    assert await found(select(cells.captain, cells.cohort).where(cells.id == "old")) == [("ann", None)]
    mine = select(cells.cohort).where(cells.label == "vote", cells.id != "old")
    assert sorted(await found(mine)) == [("closed",), ("open",)]
    assert await found(select(schema.absences)) == []
    await store.close()


async def test_who_was_late_is_on_record_and_the_first_word_stands(url: str) -> None:
    async def decide(*late: str) -> tuple[str, ...]:
        return late

    store = await store_at(url).open()
    assert await StoredAttendance(store, "net").settle("round", lambda: decide("cat")) == ("cat",)
    assert await StoredAttendance(store, "net").settle("round", lambda: decide("ann", "bob")) == ("cat",)
    assert await StoredAttendance(store, "another").settle("round", lambda: decide("ann")) == ("ann",)
    assert await StoredAttendance(store, "net").settle("next", decide) == ()
    assert await StoredAttendance(store, "net").settle("next", lambda: decide("ann")) == (), "nobody is a word too"
    kept = await store.run(lambda connection: keep_absence(connection, "k", ["ann"]))
    assert kept == await store.run(lambda connection: keep_absence(connection, "k", ["bob"])) == ["ann"]
    await store.close()
