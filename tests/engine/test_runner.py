"""Runs: nothing twice, nothing lost, the same result whatever the order, the budget and the way it ended."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from beside import in_a_thread
from beside import rows as rows_of

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.simulate.server import SimulatedServer, running
from moot.store.sqlite import SqliteStore
from moot.strategies.solo import Solo
from moot.team import Team
from moot.types import Question, Verdict

KEY = "sk-planted-51c0ffee"


@contextmanager
def simulated(config: Mapping[str, Any] | None = None) -> Iterator[SimulatedServer]:
    models = {name: {"accuracy": accuracy} for name, accuracy in (("ann", 0.7), ("bob", 0.5), ("cat", 0.3))}
    with in_a_thread(running({"seed": 7, "models": models, **(config or {})})) as server:
        yield server


def endpoint(server: SimulatedServer, model: str = "ann", **more: Any) -> dict[str, Any]:
    return {"provider": "endpoint", "base_url": server.base_url, "model": model, "json_mode": "schema", **more}


def experiment(folder: Path, models: Mapping[str, Any], questions: int = 10, **more: Any) -> Path:
    folder.mkdir(exist_ok=True)
    lines = [{"id": f"q{n}", "text": f"Who is number {n}?", "answer": f"Person {n}"} for n in range(questions)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    path = folder / "cup.yaml"
    spec = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, **more}
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


def moot(*arguments: object) -> int:
    return run_app(app, [str(each) for each in arguments])


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    """By the experiment file, whose store stands beside it."""
    return rows_of(path.with_suffix(".db"), sql)


ANSWERS = "SELECT cell, question, repeat, outcome, answer FROM episodes ORDER BY cell, question, repeat"
SCORES = 'SELECT cell, "case", repeat, grader, value FROM scores ORDER BY cell, "case", repeat'


# --- going on ----------------------------------------------------------------------------------------------------------


def test_a_second_run_asks_nothing(tmp_path: Path) -> None:
    with simulated() as server:
        path = experiment(tmp_path, {"ann": endpoint(server)})
        assert moot("run", path, "--quiet") == 0
        before, answers = server.stats["requests"], rows(path, ANSWERS)
        assert moot("run", path, "--quiet") == 0
        assert server.stats["requests"] == before == 10
    assert rows(path, ANSWERS) == answers


def test_more_questions_strategies_and_repeats_are_added_to_what_is_there(tmp_path: Path) -> None:
    with simulated() as server:
        ann, bob = endpoint(server), endpoint(server, "bob")
        path = experiment(tmp_path, {"ann": ann})
        steps = [
            (["--limit", 3], 3),
            (["--limit", 3], 3),
            ([], 10),
        ]
        for options, requests in steps:
            assert moot("run", path, "--quiet", *options) == 0
            assert server.stats["requests"] == requests
        experiment(tmp_path, {"ann": ann, "bob": bob})
        assert moot("run", path, "--quiet") == 0
        assert server.stats["requests"] == 20, "a second model adds its own calls only"
        experiment(tmp_path, {"ann": ann, "bob": bob}, repeats=2)
        assert moot("run", path, "--quiet") == 0
        assert server.stats["requests"] == 40, "a repeat is a sample of its own"


def test_what_shapes_a_reply_is_asked_anew(tmp_path: Path) -> None:
    with simulated() as server:
        path = experiment(tmp_path, {"ann": endpoint(server)})
        moot("run", path, "--quiet")
        experiment(tmp_path, {"ann": endpoint(server, params={"temperature": 0.5})})
        moot("run", path, "--quiet")
        assert server.stats["requests"] == 20


def test_like_players_have_replies_of_their_own(tmp_path: Path) -> None:
    players = {
        "one": {"model": "ann"},
        "two": {"model": "ann"},
        "three": {"model": "ann", "instruction": "Be bold now."},
    }
    with simulated() as server:
        path = experiment(tmp_path, {"ann": endpoint(server)}, players=players)
        assert moot("run", path, "--quiet") == 0
        assert server.stats["requests"] == 30
        assert server.stats["bodies"] == 20, "two of the three say the same"


def test_the_order_of_replies_changes_nothing(tmp_path: Path) -> None:
    results = []
    for name, latency in (("slow", {"median_s": 0.01, "sigma": 1.0}), ("quick", {})):
        with simulated({"latency": latency}) as server:
            models = {each: endpoint(server, each, limits={"concurrent": 7}) for each in ("ann", "bob", "cat")}
            path = experiment(tmp_path / name, models, questions=60)
            assert moot("run", path, "--quiet") == 0
            assert server.stats["max_concurrent"] <= 7, "one endpoint, one limit"
        found = rows(path, "SELECT player, question, outcome, answer FROM episodes JOIN cells ON cells.id = cell")
        results.append((sorted(found), Counter(value for *_, value in rows(path, SCORES))))
    assert results[0] == results[1]


def test_every_episode_has_its_score_and_every_call_its_row(tmp_path: Path) -> None:
    with simulated() as server:
        path = experiment(tmp_path, {"ann": endpoint(server), "bob": endpoint(server, "bob")})
        moot("run", path, "--quiet")
    assert len(rows(path, ANSWERS)) == len(rows(path, SCORES)) == len(rows(path, "SELECT key FROM calls")) == 20
    kept = {key for (key,) in rows(path, "SELECT key FROM calls")}
    named = {step[3] for (text,) in rows(path, "SELECT transcript FROM episodes") for step in json.loads(text)}
    assert named == kept


# --- ends --------------------------------------------------------------------------------------------------------------


def test_a_bug_in_a_strategy_costs_one_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Solo.play

    async def play(self: Solo, question: Question, team: Team) -> Verdict:
        if question.id == "q3":
            raise ZeroDivisionError("by zero")
        return await honest(self, question, team)

    monkeypatch.setattr(Solo, "play", play)
    with simulated() as server:
        path = experiment(tmp_path, {"ann": endpoint(server)})
        assert moot("run", path, "--quiet") == 1
        assert Counter(row[3] for row in rows(path, ANSWERS)) == {"answered": 9, "failed": 1}
        (verdict,) = rows(path, "SELECT verdict FROM episodes WHERE outcome = 'failed'")[0]
        assert json.loads(verdict)["cause"] == "a bug in solo: ZeroDivisionError: by zero"
        record = {"kind": "strategy-broke", "strategy": "solo", "error": "ZeroDivisionError: by zero"}
        assert json.loads(verdict)["traces"] == [record], "and whose mistake it was is no matter of words"
        monkeypatch.setattr(Solo, "play", honest)
        assert moot("run", path, "--quiet") == 0, "and is played again when the bug is gone"
    assert Counter(row[3] for row in rows(path, ANSWERS)) == {"answered": 10}


ODD_REPLIES = [
    '{"reasoning": "half of a pair \\ud83d", "answer": "x \\udc00"}',
    '{"reasoning": "NUL \\u0000", "answer": "\\u0000"}',
    '{"reasoning": [1, {"a": null}], "answer": 1e400}',
    '{"reasoning": "", "answer": -0.0}',
    '{"answer": "' + "long " * 50_000 + '"}',
    "{" * 5_000,
    '{"answer": {"answer": "nested"}}',
    '[{"answer": "in a list"}]',
    "\ufeff{}",
    '{"answer": NaN}',
    '{"answer": 123456789012345678901234567890123456789}',
]


def test_no_reply_is_odd_enough_to_end_a_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async def complete(request: web.Request) -> web.Response:
        body = await request.json()
        number = next(n for n in range(len(ODD_REPLIES)) if f"number {n}?" in json.dumps(body["messages"]))
        message = {"role": "assistant", "content": ODD_REPLIES[number]}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})

    with in_a_thread(Serving(complete)) as base_url:
        path = experiment(tmp_path, {"odd": odd_endpoint(base_url)}, questions=len(ODD_REPLIES))
        assert moot("run", path, "--quiet") == 0, capfd.readouterr().err
    assert len(rows(path, ANSWERS)) == len(ODD_REPLIES)
    assert moot("report", path, "--json") == 0
    assert moot("show", path, "q0") == 0


def odd_endpoint(base_url: str, **more: Any) -> dict[str, Any]:
    return {"provider": "endpoint", "base_url": base_url, "model": "m", **more}


class Serving:
    """A handler at /v1/chat/completions."""

    def __init__(self, complete: Any) -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", complete)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)

    async def __aenter__(self) -> str:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()


async def test_an_interrupted_run_keeps_what_it_has(tmp_path: Path) -> None:
    async with running({"models": {"ann": {"accuracy": 0.5}}, "latency": 0.02}) as server:
        spec = {"ann": endpoint(server, limits={"concurrent": 4})}
        path = experiment(tmp_path, spec, questions=60)
        store = await SqliteStore(path.with_suffix(".db")).open()
        runner = Runner(build(read_experiment(path)), store)

        async def interrupt_soon() -> None:
            # Some have been kept by then, and most are still to come.
            while server.stats["outcomes"].get("ok", 0) < 12:  # noqa: ASYNC110  the server counts, and tells nobody
                await asyncio.sleep(0.001)
            runner.interrupt()

        interrupting = asyncio.create_task(interrupt_soon())
        assert await runner.run() == "interrupted"
        await interrupting
        await store.close()
        kept = len(rows(path, "SELECT key FROM calls"))
        assert 0 < kept < 60
        assert rows(path, "SELECT state FROM runs") == [("interrupted",)]
        store = await SqliteStore(path.with_suffix(".db")).open()
        before = server.stats["outcomes"]["ok"]
        assert await Runner(build(read_experiment(path)), store).run() == "done"
        await store.close()
        assert server.stats["outcomes"]["ok"] - before == 60 - kept
    assert len(rows(path, ANSWERS)) == 60


# --- money -------------------------------------------------------------------------------------------------------------

PRICED: dict[str, Any] = {"price": {"prompt": 1.0, "completion": 10.0}, "params": {"max_tokens": 400}}


def test_a_run_over_budget_stops_keeps_everything_and_goes_on_when_there_is_more(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with simulated({"latency": 0.003}) as server:
        path = experiment(tmp_path, {"ann": endpoint(server, **PRICED)}, questions=80)
        assert moot("run", path, "--quiet", "--budget-usd", 0.02) == 3
        assert re.search(r"the budget of \$0\.020* is reached", capfd.readouterr().err)
        spent = rows(path, "SELECT SUM(cost_usd) FROM calls")[0][0]
        kept = len(rows(path, "SELECT key FROM calls"))
        assert 0 < spent <= 0.02
        assert kept == server.stats["outcomes"]["ok"], "whatever was paid for is kept"
        assert len(rows(path, ANSWERS)) == kept
        assert moot("run", path, "--quiet", "--budget-usd", 0.02) == 3, "what was spent before counts"
        assert server.stats["outcomes"]["ok"] - kept <= 5
        assert moot("run", path, "--quiet", "--budget-usd", 5) == 0
        assert server.stats["outcomes"] == {"ok": 80}, "nothing is paid for twice"
    assert len(rows(path, ANSWERS)) == 80


def test_a_budget_that_allows_nothing_calls_nothing(tmp_path: Path) -> None:
    with simulated() as server:
        path = experiment(tmp_path, {"ann": endpoint(server, **PRICED)}, budget_usd=0.0001)
        assert moot("run", path, "--quiet") == 3
        assert server.stats["requests"] == 0


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"params": {"max_tokens": 400}}, "has no price"),
        ({"price": {"prompt": 1, "completion": 1}}, "no max_tokens"),
    ],
)
def test_a_budget_that_cannot_be_kept_is_a_mistake_in_the_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], own: dict[str, Any], words: str
) -> None:
    with simulated() as server:
        path = experiment(tmp_path, {"ann": endpoint(server, **own)}, budget_usd=1)
        assert moot("run", path) == 2
        assert server.stats["requests"] == 0
    error = capfd.readouterr().err
    assert words in error
    assert "models.ann" in error


def test_timeouts_are_in_the_books_of_the_next_run(tmp_path: Path) -> None:
    """Two timeouts at their most fill the budget: a second run may not spend it again."""
    with simulated({"faults": [{"kind": "hang"}]}) as server:
        own = {**PRICED, "timeout_s": 0.3, "retries": {"attempts": 1}}
        path = experiment(tmp_path, {"ann": endpoint(server, **own)}, questions=2)
        assert moot("run", path, "--quiet", "--budget-usd", 0.012) == 1
        asked = server.stats["requests"]
        assert moot("run", path, "--quiet", "--budget-usd", 0.012) == 3
        assert server.stats["requests"] == asked == 2


# --- secrets -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["alive", "dead", "chatty", "dead proxy", "refusing proxy"])
def test_no_secret_is_written_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], kind: str
) -> None:
    """The key of the environment, the value of a header, a proxy's password: in no byte of the store, no word said."""
    monkeypatch.setenv("PLANTED", KEY)
    statuses = itertools.cycle([401, 500])

    async def complete(request: web.Request) -> web.Response:
        said = f"you sent {request.headers.get('Authorization')} and {request.headers.get('X-Secret')}"
        return web.json_response({"error": {"message": said}}, status=next(statuses))

    with simulated({"api_key_env": "PLANTED"}) as server, in_a_thread(Serving(complete)) as chatty:
        secret: dict[str, Any] = {
            "api_key_env": "PLANTED",
            "headers": {"X-Secret": KEY[::-1]},
            "retries": {"attempts": 2},
        }
        no_proxy = server.url.replace("http://", f"http://me:{KEY}@")
        models: dict[str, dict[str, Any]] = {
            "alive": endpoint(server, **secret),
            "chatty": odd_endpoint(chatty, **secret),
            "dead": odd_endpoint("http://127.0.0.1:9/v1", **secret),
            "dead proxy": odd_endpoint("https://api.invalid/v1", proxy=f"http://me:{KEY}@127.0.0.1:9", **secret),
            "refusing proxy": odd_endpoint("https://api.invalid/v1", proxy=no_proxy, **secret),
        }
        path = experiment(tmp_path, {"tom": models[kind]}, questions=2)
        assert moot("--debug", "run", path) == (0 if kind == "alive" else 1)
        for command in (["report", path], ["report", path, "--json"], ["show", path, "q0", "--json"], ["doctor", path]):
            moot("--debug", *command)
    said = capfd.readouterr()
    for text in (KEY, KEY[::-1]):
        assert text not in said.out
        assert text not in said.err
        for file in tmp_path.iterdir():
            assert file.suffix == ".yaml" or text.encode() not in file.read_bytes(), file.name
