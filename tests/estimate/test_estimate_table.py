"""The estimate beside the bill for everything that can be played: the table of bench/estimate.py, on fewer questions."""

from __future__ import annotations

import importlib.util
import io
import itertools
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from moot.cli.app import app
from moot.cli.estimate import print_estimate, show_estimate
from moot.cli.exit import run_app
from moot.estimate import sample_play
from moot.estimate.estimate import ModelEstimate, RunEstimate, estimate
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.simulate.server import running
from moot.strategies import BUILT_IN

WITHIN = 0.2
QUESTIONS = 30
PATH = Path(__file__).parents[2] / "bench" / "estimate.py"


def _bench() -> Any:
    """What is tested is what is printed."""
    spec = importlib.util.spec_from_file_location("bench_estimate", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_estimate"] = module
    spec.loader.exec_module(module)
    return module


bench = _bench()


def test_every_strategy_is_in_the_table() -> None:
    entries = [entry for plan in bench.PLAYED.values() for entry in plan["strategies"]]
    played = {entry if isinstance(entry, str) else next(iter(entry)) for entry in entries}
    assert played == set(BUILT_IN)
    assert {path.stem.removeprefix("paper-") for path in bench.EXAMPLES.glob("paper-*.yaml")} == set(bench.PAPERS)


SAMPLED = [name for name in bench.PLAYED if name.removeprefix("discuss, ") not in bench.DECISIONS[1:-2]]
"""Ways to decide differ in a few calls at the end; all of them are below, with every question played."""


@pytest.mark.parametrize("name", SAMPLED)
async def test_what_simulated_models_will_do_is_foretold_cold(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_play, "SAMPLE", 10)
    plan = bench.described(name, bench.open_questions(tmp_path, QUESTIONS))
    found = await bench.beside(tmp_path, bench.simulated(plan))
    assert found.foretold.sure == "played"
    assert found.foretold.guessed == []
    assert abs(found.calls_off) <= WITHIN
    assert abs(found.cost_off) <= WITHIN
    if found.foretold.sampled < QUESTIONS:
        assert found.foretold.cost_range.low < found.foretold.cost_usd < found.foretold.cost_range.high


async def test_every_way_to_talk_and_to_decide_is_foretold_cold(tmp_path: Path) -> None:
    pairs = itertools.product(bench.PARADIGMS, bench.DECISIONS)
    plan = bench.described("solo", bench.open_questions(tmp_path, 2))
    plan["strategies"] = [
        bench.discussed(paradigm, decision)
        for paradigm, decision in pairs
        if not (paradigm == "collective-refinement" and decision.endswith("-consensus"))  # a mistake in a file
    ]
    found = await bench.beside(tmp_path, bench.simulated(plan))
    assert abs(found.calls_off) <= 0.01, "every question was played"
    assert abs(found.cost_off) <= 0.01


@pytest.mark.parametrize("name", bench.PAPERS)
async def test_the_papers_experiments_are_foretold_cold(name: str, tmp_path: Path) -> None:
    plan = bench.described(name, {})
    plan["questions"]["sample"] = 1 if name == "decision-protocols" else 4
    found = await bench.beside(tmp_path, bench.simulated(plan))
    assert found.foretold.sure == "played"
    assert abs(found.calls_off) <= 0.01, "every question was played"
    assert abs(found.cost_off) <= 0.01


@pytest.mark.parametrize("name", ["vote", "debate", "each captain"])
async def test_behind_an_endpoint_calls_are_guessed_well_and_money_within_its_range(name: str, tmp_path: Path) -> None:
    plan = bench.described(name, bench.open_questions(tmp_path, 30))
    found = await bench.over_http(tmp_path, plan, 0)
    assert found.foretold.sure == "guessed"
    assert abs(found.calls_off) <= WITHIN
    assert found.foretold.calls_range.low <= found.calls <= found.foretold.calls_range.high
    assert found.foretold.cost_range.low <= found.cost_usd <= found.foretold.cost_range.high


# --- what is said of it -------------------------------------------------------------------------------------------------

FILE = """
name: cup
seed: 7
questions: {file: questions.jsonl}
models:
  ann: {provider: simulated, accuracy: 0.6, price: {prompt: 200, completion: 800}, max_tokens: 400}
  bob: {provider: simulated, accuracy: 0.5, price: {prompt: 200, completion: 800}, max_tokens: 400}
  cat: {provider: MODEL}
strategies: [debate]
teams: {three: {players: [ann, bob, cat]}}
"""
MANY = "repeats: 3"
ALSO_SIMULATED = "simulated, accuracy: 0.4"
ENDPOINT = 'endpoint, base_url: "http://127.0.0.1:9/v1", model: cat, price: {prompt: 200, completion: 800}'


@pytest.mark.parametrize(
    ("model", "more", "said"),
    [
        (ALSO_SIMULATED, "", ("The models themselves were asked, which costs nothing: on every question.",)),
        (ALSO_SIMULATED, MANY, ("The models themselves were asked, which costs nothing: between $",)),
        (
            ALSO_SIMULATED,
            "budget_usd: 0.02",
            (
                "has to be repeated; never more than $0.020 (budget_usd).",
                "The budget of $0.020 would stop the run before its end.",
            ),
        ),
        (
            f"{ENDPOINT}, params: {{max_tokens: 500}}",
            "",
            (
                "What cat will say is a guess: $",
                "if replies are short and all agree, $",
                "if they are long and all disagree. A run with --limit 20",
            ),
        ),
        (ENDPOINT, "", ("and unbounded if they are long and all disagree", "(unbounded: cat: no max_tokens)")),
        (
            'endpoint, base_url: "http://127.0.0.1:9/v1", model: cat',
            "",
            ("In total unknown", "What cat will say is a guess:", " calls if replies are short and all agree,"),
        ),
    ],
    ids=["played", "sampled", "over the budget", "guessed", "unbounded", "no price"],
)
def test_how_sure_it_is_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], model: str, more: str, said: tuple[str, ...]
) -> None:
    bench.open_questions(tmp_path, 90 if more == MANY else 30)
    path = tmp_path / "cup.yaml"
    path.write_text(f"{FILE.replace('MODEL', model)}{more}\n", encoding="utf-8")
    assert run_app(app, ["run", str(path), "--estimate"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for words in said:
        assert words in shown
    assert not (tmp_path / "cup.db").exists()


def test_a_range_of_one_number_is_one_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench.open_questions(tmp_path, 30)
    path = tmp_path / "cup.yaml"
    cat = 'endpoint, base_url: "http://127.0.0.1:9/v1", model: cat'
    path.write_text(FILE.replace("MODEL", cat).replace("debate", "solo"), encoding="utf-8")
    assert run_app(app, ["run", str(path), "--estimate"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "What cat will say is a guess; either way it takes 90 calls." in shown
    assert "if replies are short" not in shown


@pytest.mark.parametrize(
    ("most_usd", "where"),
    [(0.5, 'only the total\'s "at most" includes them.'), (None, "no figure here includes them.")],
    ids=["priced", "not"],
)
def test_calls_that_nothing_tried_took_are_more_than_the_table_has(most_usd: float | None, where: str) -> None:
    model = ModelEstimate(calls=2_640, cost_usd=1.0, most_usd=most_usd, guessed=2_640)
    taken = RunEstimate(600, 10, {"cat": model}, beyond_calls=2_880, beyond_usd=0.5)
    written = io.StringIO()
    show_estimate(taken, Console(file=written, width=400))
    shown = written.getvalue()
    assert "Strategies may make up to 2,880 more calls than any question tried here took;" in shown
    assert where in shown
    assert "Of the calls" not in shown


@pytest.mark.parametrize(
    ("names", "said"),
    [(("quick",), "(unbounded: quick declares no"), (("quick", "boss"), "(unbounded: quick, boss declare no")],
    ids=["one", "two"],
)
def test_who_gives_no_bound_is_named(names: tuple[str, ...], said: str) -> None:
    model = ModelEstimate(calls=20, cost_usd=1.0, most_usd=None, guessed=20)
    written = io.StringIO()
    show_estimate(RunEstimate(600, 10, {"cat": model}, undeclared=names), Console(file=written, width=400))
    assert said in written.getvalue()


async def test_after_a_few_questions_it_says_how_many_would_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ten stored questions of a debate that may take one round or five are not enough, and that is said too."""
    plan = bench.described("debate", bench.open_questions(tmp_path, 60))
    path = tmp_path / "cup.yaml"
    named = {name: ability for name, (ability, _) in plan["models"].items()}
    async with running({"seed": 7, "models": named}) as server:
        path.write_text(json.dumps(bench.behind(plan, server.base_url)), encoding="utf-8")
        await bench.play(path, 10)
        asked = server.stats["requests"]
        await print_estimate(build(read_experiment(path)))
        assert server.stats["requests"] == asked, "an estimate asks nobody"
    words = " ".join(capsys.readouterr().out.split())
    assert "Going by the 10 stored questions: between $" in words
    assert "would pin it down to within a fifth." in words


async def test_a_strategy_that_is_added_later_learns_from_what_is_stored(tmp_path: Path) -> None:
    """Drafts are on record for ten questions: those of the others are taken to go like them, only the rest is guessed."""
    plan = bench.described("solo", bench.open_questions(tmp_path, 40))
    path = tmp_path / "cup.yaml"
    named = {name: ability for name, (ability, _) in plan["models"].items()}
    async with running({"seed": 7, "models": named}) as server:
        path.write_text(json.dumps(bench.behind(plan, server.base_url)), encoding="utf-8")
        await bench.play(path, 10)
        more = {**plan, "strategies": ["solo", "talkative"]}
        path.write_text(json.dumps(bench.behind(more, server.base_url)), encoding="utf-8")
        built = build(read_experiment(path))
        store = await built.store().open()
        found = await estimate(built, store)
        await store.close()
    assert found.examples == 10
    drafts, captains = 4 * 40, 40
    assert sum(each.stored for each in found.models.values()) == 4 * 10
    assert found.calls == drafts - 4 * 10 + captains
    assert sum(each.learned for each in found.models.values()) >= drafts - 4 * 10
