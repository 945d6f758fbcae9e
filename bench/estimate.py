"""The estimate beside the bill: for every strategy and every example, cold and after a short run of the same file.

    python bench/estimate.py [NAME ...]

Each plan is played three times by simulated models that bear a price: as they are, where the estimate plays the models
themselves; behind `moot simulate`, where it may ask nobody and guesses; and there again after 20 questions.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from moot.data import load
from moot.engine.runner import Runner
from moot.estimate.estimate import RunEstimate, estimate
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.simulate.server import running

EXAMPLES = Path(__file__).parents[1] / "examples"
PAPERS = ("chgk-teams", "complementary-moa", "decision-protocols", "safety-multiple")
PILOT = 20
PRICE = {"prompt": 2.0, "completion": 8.0}
ACCURACIES = (0.62, 0.54, 0.47, 0.58, 0.4, 0.66)
FOUR = {"four": {"players": ["ann", "bob", "cat", "dan"], "captain": "ann"}}
CLERK = {"grouping": {"model": "clerk"}}
DECISIONS = (
    "simple-voting", "ranked-voting", "cumulative-voting", "approval-voting", "solution-counting", "majority-consensus",
    "supermajority-consensus", "unanimity-consensus", "judge",
)  # fmt: skip
PARADIGMS = ("memory", "relay", "report", "debate", "collective-refinement")


def discussed(paradigm: str, decision: str) -> dict[str, Any]:
    options: dict[str, Any] = {"paradigm": paradigm, "decision": decision, "agents": 3, "max_turns": 4}
    return {"discuss": {**options, "judge": "clerk"} if decision == "judge" else options}


PLAYED: dict[str, dict[str, Any]] = {
    "solo": {"strategies": ["solo"]},
    "solo, double-call": {"strategies": [{"solo": {"drafts": "double-call"}}]},
    "solo, extracted": {
        "strategies": [{"solo": {"drafts": "double-call"}}],
        "extract": {"models": ["clerk", "reader"]},
        "garble": 0.3,
    },
    "vote": {"strategies": ["vote"], **CLERK},
    "silent": {"strategies": ["silent"], **CLERK},
    "talkative": {"strategies": ["talkative"], **CLERK},
    "adaptive": {"strategies": [{"adaptive": {"talk_from": 3}}], **CLERK},
    "peer-review": {"strategies": ["peer-review"], **CLERK},
    "debate": {"strategies": ["debate"], **CLERK},
    "mixture": {"strategies": [{"mixture": {"proposers": ["ann", "bob", "cat"], "summariser": "dan", "repeats": 3}}]},
    "rules given": {
        "strategies": [{"weighted": {"weights": {"ann": 2}}}, {"leader": {"player": "ann", "unless": 2}}],
        **CLERK,
    },
    "learnt": {"strategies": ["learnt"], **CLERK},
    "cascade": {"strategies": [{"cascade": {"order": ["ann", "bob", "cat", "dan"], "until": "decided"}}], **CLERK},
    "council": {"strategies": ["council"], **CLERK},
    "judged by two": {"strategies": ["vote"], "judge": {"models": ["clerk", "reader"]}},
    "each captain": {
        "strategies": ["solo", "vote", "silent", "talkative"],
        "teams": {"four": {**FOUR["four"], "captain": "each"}},
        "judge": {"models": ["reader"]},
        **CLERK,
    },
    "repeated": {"strategies": ["talkative"], "repeats": 3, "temperature": 0.8, **CLERK},
    "garbled": {"strategies": ["talkative"], "garble": 0.2, **CLERK},
    "cohorts": {
        "strategies": [{"debate": {"drafts": "double-call", "max_rounds": 5}}],
        "teams": {"four": {**FOUR["four"], "cohorts": {"one": ["ann", "bob"], "two": ["cat", "dan"]}}},
    },
    **{f"discuss, {each}": {"strategies": [discussed(each, "simple-voting")]} for each in PARADIGMS},
    **{f"discuss, {each}": {"strategies": [discussed("memory", each)]} for each in DECISIONS[1:]},
    "discuss, challenged": {
        "strategies": [{"discuss": {"agents": 3, "challenge": "wrong", "planted_by": "clerk"}}],
        "judge": {"models": ["reader"]},
    },
}
"""Every strategy, with who groups, judges and reads. `garble` and `temperature` are those of all its models."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What was foretold of a run, and what it took."""

    foretold: RunEstimate
    calls: int
    cost_usd: float
    seconds: float

    @property
    def calls_off(self) -> float:
        return self.foretold.calls / self.calls - 1 if self.calls else self.foretold.calls

    @property
    def cost_off(self) -> float:
        assert self.foretold.cost_usd is not None
        return self.foretold.cost_usd / self.cost_usd - 1


def open_questions(folder: Path, count: int) -> dict[str, Any]:
    """Questions of unequal length, each with an answer of its own."""
    lines = [
        {"id": f"q{n}", "text": f"Which word is number {n:03}? {'It is among words. ' * (n % 7)}", "answer": f"W{n}"}
        for n in range(count)
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return {"file": "questions.jsonl"}


def described(name: str, questions: Mapping[str, Any]) -> dict[str, Any]:
    """One of ours, or a paper's example; its models without a provider."""
    if name in PAPERS:
        plan = yaml.safe_load((EXAMPLES / f"paper-{name}.yaml").read_text(encoding="utf-8"))
        plan.pop("budget_usd", None)
        models = list(plan["models"])
        prices = {each: plan["models"][each].get("price", PRICE) for each in models}
        warm = {each: plan["models"][each].get("params", {}).get("temperature", 1.0) for each in models}
        ability = {each: {"temperature": warm[each]} for each in models}
    else:
        plan = {"seed": 7, "questions": dict(questions), "teams": FOUR, **PLAYED[name]}
        shared = {key: plan.pop(key) for key in ("garble", "temperature") if key in plan}
        models = ["ann", "bob", "cat", "dan", "clerk", "reader"]
        plan["players"] = {each: {"model": each} for each in FOUR["four"]["players"]}
        prices = dict.fromkeys(models, PRICE)
        ability = {each: dict(shared) for each in models}
        for each in ("clerk", "reader"):
            ability[each].pop("garble", None)
    for place, each in enumerate(models):
        ability[each]["accuracy"] = ACCURACIES[place % len(ACCURACIES)]
    return {**plan, "name": "cup", "models": {each: (ability[each], prices[each]) for each in models}}


def simulated(plan: Mapping[str, Any]) -> dict[str, Any]:
    """With the models as they are."""
    models = {
        name: {"provider": "simulated", **ability, "price": price, "max_tokens": 800}
        for name, (ability, price) in plan["models"].items()
    }
    return {**plan, "models": models}


def behind(plan: Mapping[str, Any], base_url: str) -> dict[str, Any]:
    """With the same models behind an endpoint."""
    models = {
        name: {"provider": "endpoint", "base_url": base_url, "model": name, "price": price}
        | {"params": {"max_tokens": 800, "temperature": ability.get("temperature", 0.0)}}
        for name, (ability, price) in plan["models"].items()
    }
    return {**plan, "models": models}


async def beside(folder: Path, plan: Mapping[str, Any], pilot: int = 0) -> Beside:
    """Foretell a plan, after a short run if asked to, then play it to its end and look at what that took."""
    path = folder / "cup.yaml"
    path.write_text(json.dumps(plan), encoding="utf-8")
    if pilot:
        await play(path, pilot)
    calls_before, paid_before = _bill(folder)
    built = build(read_experiment(path))
    started = time.perf_counter()
    store = await built.store().open() if pilot else None
    foretold = await estimate(built, store)
    seconds = time.perf_counter() - started
    if store is not None:
        await store.close()
    await play(path)
    calls, paid = _bill(folder)
    return Beside(foretold, calls - calls_before, paid - paid_before, seconds)


async def play(path: Path, limit: int | None = None) -> None:
    built = build(read_experiment(path), limit=limit)
    store = await built.store().open()
    await Runner(built, store).run()
    await store.close()


def _bill(folder: Path) -> tuple[int, float]:
    if not (folder / "cup.db").exists():
        return 0, 0.0
    with sqlite3.connect(folder / "cup.db") as connection:
        calls, paid = connection.execute("SELECT count(*), sum(cost_usd) FROM calls").fetchone()
        (lost,) = connection.execute("SELECT sum(usd) FROM losses").fetchone()
    return int(calls), float(paid or 0) + float(lost or 0)


async def over_http(folder: Path, plan: Mapping[str, Any], pilot: int) -> Beside:
    named = {name: ability for name, (ability, _) in plan["models"].items()}
    cases = load(folder / plan["questions"]["file"]) if "file" in plan["questions"] else _builtin(folder, plan)
    async with running({"seed": 7, "models": named}, cases=cases) as server:
        return await beside(folder, behind(plan, server.base_url), pilot)


def _builtin(folder: Path, plan: Mapping[str, Any]) -> Any:
    path = folder / "questions.yaml"
    path.write_text(json.dumps(simulated(plan)), encoding="utf-8")
    return build(read_experiment(path)).dataset


async def main(names: list[str]) -> None:
    print(
        f"{'':30} {'calls':>8} {'bill':>9} | played  calls  money | guessed  calls  money        range | after {PILOT}"
    )
    for name in names or (*PLAYED, *PAPERS):
        rows = []
        for form, pilot in (("played", 0), ("guessed", 0), ("learned", PILOT)):
            with tempfile.TemporaryDirectory() as made:
                folder = Path(made)
                plan = described(name, open_questions(folder, 120))
                seen = await (beside(folder, simulated(plan)) if form == "played" else over_http(folder, plan, pilot))
                rows.append(seen)
        played, guessed, learned = rows
        low, high = guessed.foretold.cost_range.low, guessed.foretold.cost_range.high
        print(
            f"{name:30} {played.calls:8,} {played.cost_usd:9.4f} |{played.seconds:5.1f} s {played.calls_off:+6.1%} "
            f"{played.cost_off:+6.1%} |{guessed.seconds:6.1f} s {guessed.calls_off:+6.1%} {guessed.cost_off:+6.1%} "
            f"{low:9.3f}–{high:9.3f} | {learned.calls_off:+6.1%} {learned.cost_off:+6.1%}",
            flush=True,
        )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
