"""What `moot run --estimate` shows: by model and by strategy, how long at the limits, on eighty columns."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from moot.cli.app import app
from moot.cli.estimate import show_estimate
from moot.cli.exit import run_app
from moot.engine.runner import Runner
from moot.estimate.counting_model import ModelEstimate
from moot.estimate.duration import shortest_duration
from moot.estimate.estimate import RunEstimate, estimate
from moot.estimate.sample_play import guessed
from moot.experiment.build import build
from moot.experiment.providers import BuiltModel
from moot.experiment.spec import read_experiment
from moot.models.local import SLOTS
from moot.simulate.server import running
from moot.store.sqlite import SqliteStore

EXAMPLES = Path(__file__).parents[2] / "examples"
PRICE = {"prompt": 2.0, "completion": 8.0}


def endpoint(**more: Any) -> dict[str, Any]:
    return {"provider": "endpoint", "base_url": "http://127.0.0.1:9/v1", "model": "ann", **more}


def written(folder: Path, models: dict[str, Any], questions: int = 40, **more: Any) -> Path:
    lines = [{"id": f"q{n}", "text": f"Who is number {n:04}?", "answer": f"Person {n}"} for n in range(questions)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    path = folder / "cup.yaml"
    team = {"teams": {"all": {"players": list(models), "captain": next(iter(models))}}}
    plan = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": models, **team, **more}
    path.write_text(json.dumps(plan), encoding="utf-8")
    return path


async def estimated(path: Path) -> RunEstimate:
    return await estimate(build(read_experiment(path)), None)


def shown(path: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert run_app(app, ["run", str(path), "--estimate"]) == 0
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("paper", sorted(path.name for path in EXAMPLES.glob("paper-*.yaml")))
def test_the_papers_files_fit_a_screen(
    paper: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = shown(EXAMPLES / paper, capsys)
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 36
    assert any(line.startswith("strategy ") for line in lines)
    assert any(line.startswith("It takes ") for line in lines)


async def test_strategies_add_up_to_the_models_and_what_they_share_stands_with_the_first(tmp_path: Path) -> None:
    simulated = {"provider": "simulated", "price": PRICE, "max_tokens": 300}
    models = {name: {**simulated, "accuracy": 0.6} for name in ("ann", "bob", "cat")}
    taken = await estimated(written(tmp_path, models, strategies=["solo", "vote", "silent", "talkative"]))
    by_label = taken.strategies
    assert {label: asked.calls for label, asked in by_label.items()} == {
        "solo": 120.0,
        "vote": 0.0,
        "silent": 40.0,
        "talkative": 40.0,
        None: 0.0,
    }
    assert sum(asked.calls for asked in by_label.values()) == taken.calls
    tokens = sum(model.prompt_tokens + model.completion_tokens for model in taken.models.values())
    assert sum(asked.tokens for asked in by_label.values()) == pytest.approx(tokens)
    assert sum(asked.cost_usd or 0.0 for asked in by_label.values()) == pytest.approx(taken.cost_usd)


async def test_a_model_without_a_price_leaves_unknown_only_what_asks_it(tmp_path: Path) -> None:
    simulated = {"provider": "simulated", "accuracy": 0.6}
    priced = {**simulated, "price": PRICE, "max_tokens": 300}
    models = {"ann": priced, "bob": priced, "cap": endpoint()}
    teams = {"teams": {"two": {"players": ["ann", "bob"]}}}
    path = written(tmp_path, models, strategies=["solo", {"mixture": {"summariser": "cap"}}], **teams)
    taken = await estimated(path)
    assert [asked.cost_usd is None for asked in taken.strategies.values()] == [False, True, False]
    assert taken.cost_usd is None


@pytest.mark.parametrize(
    ("limits", "held_by", "known"),
    [
        ({"concurrent": 4}, "4 at once", r"about \d+ s if a reply takes 4 s \(assumed, 50 tokens a second\)"),
        ({"concurrent": 64, "rpm": 10}, "10 requests a minute", r"\d+ (s|min) or more"),
        ({"concurrent": 64, "tpm": 1000}, "1,000 tokens a minute", r"\d+ (s|min) or more"),
    ],
)
def test_how_long_it_takes_is_told_by_the_limit_that_holds_it_up(
    limits: dict[str, Any], held_by: str, known: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a limit alone says nobody is faster than; what hangs on how long a reply takes is no bound."""
    path = written(tmp_path, {"ann": endpoint(limits=limits, price=PRICE)}, strategies=["solo"])
    words = " ".join(" ".join(shown(path, capsys)).split())
    assert re.search(f"It takes {known}, given the limits of ann: {held_by}\\.", words), words


async def test_an_endpoint_that_two_share_has_one_limit(tmp_path: Path) -> None:
    limits = {"rpm": 20}
    models = {name: endpoint(limits=limits, price=PRICE) | {"model": name} for name in ("ann", "bob")}
    other = endpoint(limits=limits, price=PRICE) | {"base_url": "http://127.0.0.1:10/v1"}
    taken = await estimated(written(tmp_path, {**models, "cat": other}, strategies=["solo"]))
    assert taken.duration is not None
    assert taken.duration.models == ("ann", "bob")
    assert taken.duration.seconds == pytest.approx(60 * 80 / 20)


async def test_stored_replies_say_how_long_one_takes(tmp_path: Path) -> None:
    async with running({"seed": 7, "models": {"ann": {"accuracy": 0.5}}}) as server:
        model = endpoint(price=PRICE) | {"base_url": server.base_url}
        path = written(tmp_path, {"ann": model}, strategies=["solo"])
        store = await SqliteStore(path.with_suffix(".db")).open()
        await Runner(build(read_experiment(path), limit=10), store).run()
        taken = await estimate(build(read_experiment(path)), store)
        row = await store.run(lambda connection: connection.exec_driver_sql("SELECT avg(latency_s) FROM calls").one())
        await store.close()
    assert taken.duration is not None
    assert taken.duration.known
    assert taken.duration.reply_s == pytest.approx(row[0])


def test_nobody_is_told_to_do_what_is_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A price that is there is not asked for, and a trial of twenty is no trial of twenty questions."""
    few = " ".join(shown(written(tmp_path, {"ann": endpoint(price=PRICE)}, 20, strategies=["solo"]), capsys))
    assert "ann: no max_tokens)" in few
    assert "no price" not in few
    assert "--limit" not in few
    bounded = endpoint(params={"max_tokens": 100})
    many = " ".join(" ".join(shown(written(tmp_path, {"ann": bounded}, 40, strategies=["solo"]), capsys)).split())
    assert "ann: no price)" in many
    assert "no max_tokens" not in many
    assert "A run with --limit 20 would tell." in many


async def test_a_guess_is_made_from_few_questions_and_what_models_say_themselves_from_more(tmp_path: Path) -> None:
    guess = await estimated(written(tmp_path, {"ann": endpoint(price=PRICE)}, 200, strategies=["solo"]))
    assert guess.sampled == 5
    assert guess.calls == 200
    itself = {"ann": {"provider": "simulated", "accuracy": 0.6, "price": PRICE}}
    taken = await estimated(written(tmp_path, itself, 200, strategies=["solo"]))
    assert taken.sampled == 50
    model, strategy = taken.models["ann"], taken.strategies["solo"]
    assert strategy.calls == 200
    assert strategy.tokens == pytest.approx(model.prompt_tokens + model.completion_tokens), "of all, not of the sample"
    assert strategy.cost_usd == pytest.approx(model.cost_usd)


@pytest.mark.parametrize("model", [endpoint(price=PRICE), {"provider": "simulated", "accuracy": 0.6, "price": PRICE}])
async def test_where_questions_differ_more_are_played(model: dict[str, Any], tmp_path: Path) -> None:
    """A third of them is long, and makes most of the money: how many of a handful are, is luck."""
    alike = await estimated(written(tmp_path, {"ann": model}, 200, strategies=["solo"]))
    file = tmp_path / "questions.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for line in lines[::3]:
        line["text"] += " And so on." * 400
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    apart = await estimated(tmp_path / "cup.yaml")
    assert apart.sampled > 2 * alike.sampled
    assert apart.calls == 200


def test_a_few_calls_that_are_made_up_are_a_guess_where_they_are_the_money() -> None:
    known = ModelEstimate(calls=1000.0, cost_usd=1.0)
    assert not guessed([known, ModelEstimate(calls=10.0, cost_usd=0.01, guessed=10.0), ModelEstimate()])
    assert guessed([known, ModelEstimate(calls=10.0, cost_usd=1.0, guessed=10.0)])
    assert guessed([known, ModelEstimate(calls=60.0, cost_usd=None, guessed=60.0)])


def limited(folder: Path, **limits: Any) -> dict[str, BuiltModel]:
    """Two behind one endpoint, and one in this process."""
    behind = {name: endpoint(limits=limits, price=PRICE) | {"model": name} for name in ("ann", "bob")}
    local = {"cat": {"provider": "simulated", "accuracy": 0.6}}
    return dict(build(read_experiment(written(folder, behind | local, strategies=["solo"]))).models)


def test_how_long_replies_take_is_each_models_own_and_known_where_all_are_stored(tmp_path: Path) -> None:
    models = limited(tmp_path, concurrent=5)
    asked = ModelEstimate(calls=100.0, prompt_tokens=4_000.0, completion_tokens=10_000.0)
    taken = {"ann": asked, "bob": asked, "cat": asked}
    known = shortest_duration(models, taken, {"ann": 2.0, "bob": 6.0})
    assert known is not None
    assert (known.seconds, known.reply_s, known.known) == (800.0 / 5, 4.0, True)
    half = shortest_duration(models, taken, {"ann": 2.0})
    assert half is not None
    assert (half.seconds, half.reply_s, half.known) == (500.0 / 5, 2.5, False), (
        "a second, and fifty tokens in each more"
    )


def test_tokens_a_minute_are_those_of_prompts_too(tmp_path: Path) -> None:
    asked = ModelEstimate(calls=100.0, prompt_tokens=4_000.0, completion_tokens=1_000.0)
    models = limited(tmp_path, concurrent=64, tpm=100)
    held = shortest_duration(models, {"ann": asked, "bob": ModelEstimate(), "cat": asked}, {})
    assert held is not None
    assert (held.seconds, held.models) == (60 * 50.0, ("ann",)), "bob is asked nothing"
    nobody = {"ann": ModelEstimate(), "bob": ModelEstimate(), "cat": asked}
    assert shortest_duration(models, nobody, {}) is None


LOCAL = """
name: inside
questions: {builtin: facts-en, sample: 12}
models: {small: {provider: local, model: small.gguf, params: {max_tokens: 60}}}
strategies: [solo]
"""


async def test_how_long_a_model_in_this_process_takes_is_told_where_it_is_known(tmp_path: Path) -> None:
    (tmp_path / "small.gguf").write_bytes(b"GGUF, which nobody loads for an estimate")
    (tmp_path / "inside.yaml").write_text(LOCAL)
    plan = build(read_experiment(tmp_path / "inside.yaml"))
    unknown = await estimate(plan, None)
    assert (unknown.duration, unknown.untimed) == (None, ("small",))
    told = io.StringIO()
    show_estimate(unknown, Console(file=told, width=80))
    assert "How long small will take is not known" in " ".join(told.getvalue().split())
    known = await estimate(plan, None, heard_s={"small": 3.0})
    assert known.untimed == ()
    assert known.duration is not None
    assert known.duration.seconds == pytest.approx(12 * 3.0 / SLOTS)
    told = io.StringIO()
    show_estimate(known, Console(file=told, width=80))
    shown = " ".join(told.getvalue().split())
    assert (
        f"It takes about 6 s if a reply takes 3 s (as it took before), given the limits of small: {SLOTS} at once."
        in shown
    )
