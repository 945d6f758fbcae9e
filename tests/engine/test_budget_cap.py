"""Five hundred calls in flight and a cap on money: the provider's own bill never crosses it, whatever gets lost."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.models.budget import most_tokens
from moot.models.retry import RetryPatience
from moot.simulate.server import SimulatedServer, running
from moot.types import Price, Request

PRICE = {"prompt": 0.05, "completion": 20.0}
MAX_TOKENS = 32
AT_ONCE = 500
QUESTIONS = 1_000
LOSSES: list[dict[str, Any]] = [
    {"kind": "reset", "rate": 0.03},
    {"kind": "cut", "rate": 0.03},
    {"kind": "hang", "rate": 0.03},
    {"kind": "503", "rate": 0.03, "after": 600},
    {"kind": "invalid-json", "rate": 0.03},
]


class Provider:
    """The provider's books: every completion that was worked out is on the bill, whether it arrived or not."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bill_usd = 0.0
        self.highest = 0
        self.in_flight = 0
        price = Price(**PRICE)
        worked_out, complete = SimulatedServer._completion, SimulatedServer._complete

        def charged(server: SimulatedServer, *given: Any) -> Any:
            completion = worked_out(server, *given)
            self.bill_usd += price.cost_usd(completion.usage) or 0.0
            return completion

        async def counted(server: SimulatedServer, *given: Any) -> None:
            self.in_flight += 1
            self.highest = max(self.highest, self.in_flight)
            try:
                await complete(server, *given)
            finally:
                self.in_flight -= 1

        monkeypatch.setattr(SimulatedServer, "_completion", charged)
        monkeypatch.setattr(SimulatedServer, "_complete", counted)


def experiment(folder: Path, base_url: str, **own: Any) -> Path:
    lines = [{"id": f"q{n}", "text": f"Who is number {n:04}?", "answer": f"Person {n}"} for n in range(QUESTIONS)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    model = {
        "provider": "endpoint",
        "base_url": base_url,
        "model": "ann",
        "price": PRICE,
        "params": {"max_tokens": MAX_TOKENS},
        "limits": {"concurrent": AT_ONCE},
        **own,
    }
    path = folder / "cup.yaml"
    described = {"name": "cup", "questions": {"file": "questions.jsonl"}, "models": {"ann": model}, "budget_usd": 1.0}
    path.write_text(json.dumps(described))
    return path


def most_usd(path: Path) -> float:
    """What the first call can cost at most, and every other too: their prompts are equally long."""
    team = build(read_experiment(path), limit=1).cells[0].team
    case = next(iter(build(read_experiment(path), limit=1).dataset or ()))
    request = Request(team._messages(team.players[0], team.prompts.draft(case.question)))
    schema = 400  # its form is sent along
    return ((most_tokens(request) + schema) * PRICE["prompt"] + MAX_TOKENS * PRICE["completion"]) / 1e6


@pytest.mark.parametrize(
    ("faults", "own"),
    [([], {}), (LOSSES, {"timeout_s": 6, "retries": {"attempts": 3}, "hedge": {"after": 3}})],
    ids=["everything arrives", "much gets lost, and stragglers are hedged"],
)
async def test_the_cap_is_never_crossed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faults: list[dict[str, Any]], own: dict[str, Any]
) -> None:
    monkeypatch.setattr(RetryPatience.__init__, "__defaults__", (6, 900.0, 0.05, 0.2))
    provider = Provider(monkeypatch)
    config = {"models": {"ann": {"accuracy": 0.5}}, "latency": {"fixed_s": 2.0}, "faults": faults}
    async with running(config) as server:
        path = experiment(tmp_path, server.base_url, **own)
        cap_usd = 1.05 * AT_ONCE * most_usd(path)
        described = json.loads(path.read_text())
        path.write_text(json.dumps({**described, "budget_usd": cap_usd}))
        built = build(read_experiment(path))
        store = await built.store().open()
        runner = Runner(built, store)
        state = await runner.run()
        await store.close()
    purse = runner.tally.purse
    assert purse is not None
    assert state == "budget"
    assert provider.highest > 0.8 * AT_ONCE, "or it was no crowd"
    assert provider.bill_usd <= cap_usd
    assert purse.spent_usd <= cap_usd * (1 + 1e-9)
    assert provider.bill_usd <= purse.spent_usd * (1 + 1e-9), "what the provider counts, we count"
    assert purse.reserved_usd == pytest.approx(0, abs=1e-9), "nothing is held back for calls that are over"
    assert purse.spent_usd > 0.9 * cap_usd, "and the cap is used"
    connection = sqlite3.connect(tmp_path / "cup.db")
    ((paid,),) = connection.execute("SELECT sum(cost_usd) FROM calls").fetchall()
    ((lost,),) = connection.execute("SELECT coalesce(sum(usd), 0) FROM losses").fetchall()
    connection.close()
    assert paid + lost == pytest.approx(purse.spent_usd), "the store has the same books"
    assert (lost > 0) == bool(faults)


READERS = ("reader", "second", "referee")
STUMBLES: list[dict[str, Any]] = [
    {"kind": "reset", "rate": 0.04},
    {"kind": "cut", "rate": 0.04},
    {"kind": "hang", "rate": 0.02},
    {"kind": "503", "rate": 0.04},
    {"kind": "invalid-json", "rate": 0.04},
]


async def test_those_who_read_and_judge_are_under_the_same_cap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two calls a draft, a reader for what announces no answer, a judge for what does not match, all of it on an endpoint
    that stumbles and is hedged. The cap is raised step by step: at each the bill is within it, wherever the run stands."""
    monkeypatch.setattr(RetryPatience.__init__, "__defaults__", (6, 900.0, 0.01, 0.05))
    questions = 100
    provider = Provider(monkeypatch)
    models = {"ann": {"accuracy": 0.5, "garble": 0.5}, **{name: {"accuracy": 0.5} for name in READERS}}
    states: list[str] = []
    unfinished: set[str] = set()
    async with running({"models": models, "latency": {"fixed_s": 0.05}, "faults": STUMBLES}) as server:
        own = {"timeout_s": 1, "retries": {"attempts": 3}, "hedge": {"after": 0.3}}
        path = experiment(tmp_path, server.base_url, **own)
        described = json.loads(path.read_text())
        ann = described["models"]["ann"]
        described |= {
            "models": {name: {**ann, "model": name} for name in models},
            "strategies": [{"solo": {"drafts": "double-call"}}],
            "extract": {"models": ["reader", "second"]},
            "judge": {"models": ["referee"]},
        }
        step_usd = 40 * most_usd(path)
        for number in range(1, 60):
            cap_usd = number * step_usd
            path.write_text(json.dumps({**described, "budget_usd": cap_usd}))
            built = build(read_experiment(path), limit=questions)
            store = await built.store().open()
            runner = Runner(built, store)
            states.append(await runner.run())
            await store.close()
            purse = runner.tally.purse
            assert purse is not None
            assert provider.bill_usd <= purse.spent_usd * (1 + 1e-9), "what the provider counts, we count"
            assert purse.spent_usd <= cap_usd * (1 + 1e-9)
            assert purse.reserved_usd == pytest.approx(0, abs=1e-9)
            if states[-1] != "budget":
                break
            unfinished.add("judging" if _episodes(tmp_path) == questions else "playing")
    assert states[-1] in ("done", "failed"), "in the end there is money enough"
    assert unfinished == {"playing", "judging"}, "it stopped in the play and in what follows it"
    connection = sqlite3.connect(tmp_path / "cup.db")
    made = dict(connection.execute("SELECT model, count(*) FROM calls GROUP BY model"))
    connection.close()
    assert all(made[name] > 20 for name in models), "everybody was asked"


def _episodes(folder: Path) -> int:
    connection = sqlite3.connect(folder / "cup.db")
    ((played,),) = connection.execute("SELECT count(*) FROM episodes").fetchall()
    connection.close()
    return int(played)
