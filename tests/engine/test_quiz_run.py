"""A whole quiz experiment through the runner: six players, six captains, and not one call more than needed."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from beside import rows

from moot.engine.runner import Runner
from moot.errors import FileError
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.models.scripted import Script, ScriptedModel
from moot.testing import obliging
from moot.types import Reply, Request

PLAYERS = ("ann", "bob", "cat", "dan", "eve", "fay")
STRATEGIES = ["solo", "vote", "silent", "talkative"]
QUESTIONS = 12
CITIES = ("Rome", "Paris", "Oslo", "City of Light", "Bonn", "Bern")
SAME = {"City of Light": "Paris"}
"""What the grouping model knows to be the same."""


def draft_of(player: str, question: str) -> str:
    """What a player says alone: always the same, and never what everybody says."""
    return random.Random(f"{player} {question}").choice(CITIES)


def means(city: str) -> str:
    return SAME.get(city, city)


def shown(request: Request) -> list[str]:
    return re.findall(r'<answer n="\d+">\n(.*)\n', request.messages[-1].content)


def player(name: str) -> Callable[[Request], Script]:
    def say(request: Request) -> Script:
        answers = shown(request)
        if answers:  # as captain: the last that is shown, so that the order matters
            return {"reasoning": "heard", "answer": answers[-1]}
        return {"reasoning": f"so {name}", "answer": draft_of(name, request.question_id or "")}

    return say


def grouper(request: Request) -> Script:
    if "groups" not in (request.schema or {}).get("properties", {}):
        return obliging(request)
    together: dict[str, list[int]] = {}
    for number, city in enumerate(shown(request), start=1):
        together.setdefault(means(city), []).append(number)
    return {"groups": list(together.values())}


class Late(ScriptedModel):
    """Takes its time, a different one for every call."""

    async def generate(self, request: Request) -> Reply:
        await asyncio.sleep(random.random() * 0.005)
        return await super().generate(request)


@dataclass
class Cup:
    """The experiment in a folder; each run of it has models of its own, whose requests can be counted."""

    folder: Path
    models: Mapping[str, ScriptedModel]
    strategies: tuple[Any, ...] = tuple(STRATEGIES)

    def build(self) -> Plan:
        built = build(read_experiment(written(self.folder, self.strategies)))
        models = {name: replace(each, model=self.models[name]) for name, each in built.models.items()}
        return replace(built, models=models)

    async def run(self) -> Runner:
        experiment = self.build()
        store = await experiment.store().open()
        try:
            runner = Runner(experiment, store)
            assert await runner.run() == "done"
        finally:
            await store.close()
        return runner

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return rows(self.folder / "cup.db", sql)

    @property
    def calls(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for name, model in self.models.items():
            for request in model.requests:
                found["grouping" if name == "lex" else "captain" if shown(request) else "draft"] += 1
        return found


def written(folder: Path, strategies: tuple[Any, ...], models: Mapping[str, Any] | None = None, **more: Any) -> Path:
    folder.mkdir(exist_ok=True)
    questions = [{"id": f"q{n}", "text": f"Which city is number {n}?", "answer": "Paris"} for n in range(QUESTIONS)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    unused = {"provider": "simulated", "accuracy": 0.5}
    spec = {
        "name": "cup",
        "seed": 7,
        "questions": {"file": "questions.jsonl"},
        "models": models or dict.fromkeys((*PLAYERS, "lex"), unused),
        "teams": {"six": {"players": list(PLAYERS), "captain": "each"}},
        "strategies": list(strategies),
        "grouping": {"model": "lex"},
        **more,
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(spec))
    return path


def scripted(kind: type[ScriptedModel] = ScriptedModel) -> dict[str, ScriptedModel]:
    return {**{name: kind(name, player(name)) for name in PLAYERS}, "lex": kind("lex", grouper)}


def cup(folder: Path, kind: type[ScriptedModel] = ScriptedModel, strategies: tuple[Any, ...] = ()) -> Cup:
    return Cup(folder, scripted(kind), strategies or tuple(STRATEGIES))


def results(found: Cup) -> dict[str, dict[str, tuple[str | None, Any]]]:
    """By the short name of a cell and the question: the answer and the verdict."""
    listed: dict[str, dict[str, tuple[str | None, Any]]] = {}
    experiment = found.build()
    titles = {cell.id: cell.title for cell in experiment.cells}
    idents = {case.question.digest: case.question.id for case in experiment.dataset or ()}
    for cell, question, answer, verdict in found.rows("SELECT cell, question, answer, verdict FROM episodes"):
        listed.setdefault(titles[cell], {})[idents[question]] = (answer, json.loads(verdict))
    return listed


# --- nothing is asked twice -------------------------------------------------------------------------------------------


async def test_calls(tmp_path: Path) -> None:
    first = cup(tmp_path)
    await first.run()
    grouping = first.calls.pop("grouping")
    assert first.calls["draft"] == 6 * QUESTIONS, "all strategies and captains share the drafts"
    assert first.calls["captain"] == 12 * QUESTIONS, "silent and talkative, six captains each; the vote asks nobody"
    assert 0 < grouping <= 2 * QUESTIONS, "one call a question to play, and one at most to measure"
    assert first.rows("SELECT COUNT(*) FROM episodes") == [((6 + 3 * 6) * QUESTIONS,)]
    second = cup(tmp_path)
    await second.run()
    assert second.calls == Counter(), "a second run asks nothing"


async def test_each_strategy_adds_only_its_own_calls(tmp_path: Path) -> None:
    steps: list[tuple[tuple[Any, ...], dict[str, int]]] = [
        (("solo",), {"draft": 6}),
        (("solo", "vote"), {}),
        (("silent",), {"captain": 6}),
        ((*STRATEGIES, {"adaptive": {"talk_from": 1}}), {"captain": 6}),
        (({"adaptive": {"talk_from": 2}}, {"talkative": {"captain": "eve"}}), {}),
    ]
    for strategies, each in steps:
        step = cup(tmp_path, strategies=strategies)
        await step.run()
        calls = step.calls
        assert calls.pop("grouping", 0) <= 2 * QUESTIONS
        assert calls == {kind: count * QUESTIONS for kind, count in each.items()}, strategies


async def test_the_grouping_model_is_asked_once_a_question_and_not_where_all_agree(tmp_path: Path) -> None:
    voted = cup(tmp_path, strategies=("vote",))
    await voted.run()
    asked = Counter(request.question_id for request in voted.models["lex"].requests)
    apart = [n for n in range(QUESTIONS) if len({draft_of(name, f"q{n}") for name in PLAYERS}) > 1]
    assert asked == {f"q{n}": 1 for n in apart}


# --- what comes out ---------------------------------------------------------------------------------------------------


async def test_votes_are_what_a_count_by_hand_gives(tmp_path: Path) -> None:
    voted = cup(tmp_path, strategies=("vote",))
    await voted.run()
    found = results(voted)
    assert set(found) == {f"vote@{name}" for name in PLAYERS}
    decided = 0
    for number, captain in itertools.product(range(QUESTIONS), PLAYERS):
        drafts = {name: means(draft_of(name, f"q{number}")) for name in PLAYERS}
        counts = Counter(drafts.values())
        tied = {city for city, count in counts.items() if count == max(counts.values())}
        answer, verdict = found[f"vote@{captain}"][f"q{number}"]
        wanted = {drafts[captain]} if drafts[captain] in tied else tied
        assert means(answer or "") in wanted
        assert verdict["who"] == [name for name in PLAYERS if drafts[name] == means(answer or "")]
        decided += len(wanted) == 1
    assert decided > QUESTIONS


async def test_captains_decide_on_what_their_own_order_shows(tmp_path: Path) -> None:
    played = cup(tmp_path, strategies=("silent", "talkative"))
    await played.run()
    orders = set()
    for by_question in results(played).values():
        for question, (answer, verdict) in by_question.items():
            (look,) = [trace for trace in verdict["traces"] if trace["kind"] == "shown"]
            order = [name for (name,) in look["order"]]
            orders.add((question, tuple(order)))
            assert answer == draft_of(order[-1], question) == look["answer"]
    assert len(orders) > 5 * QUESTIONS, "captains of one question see different orders"


async def test_scores_follow_the_match(tmp_path: Path) -> None:
    alone = cup(tmp_path, strategies=("solo",))
    await alone.run()
    right = sum(draft_of(name, f"q{n}") == "Paris" for name in PLAYERS for n in range(QUESTIONS))
    assert alone.rows("SELECT SUM(value), COUNT(*) FROM scores") == [(right, 6 * QUESTIONS)]


@pytest.mark.parametrize("window", [1, 5, 500])
async def test_how_many_are_under_way_at_once_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    usual, other = cup(tmp_path / "usual"), cup(tmp_path / "other", Late)
    await usual.run()
    monkeypatch.setattr(Runner, "_window", lambda self: window)
    await other.run()
    assert results(other) == results(usual)
    assert other.calls == usual.calls


# --- without a model --------------------------------------------------------------------------------------------------


async def test_the_same_experiment_from_recorded_replies(tmp_path: Path) -> None:
    """Drafts, votes and grades are those of the models that were recorded."""
    live = cup(tmp_path / "live", strategies=("solo", "vote"))
    await live.run()
    folder = tmp_path / "recorded"
    models = {name: {"provider": "recorded", "file": "replies.jsonl", "model": f"the {name}"} for name in PLAYERS}
    path = written(folder, ("solo", "vote"), models, grouping={"match": "only"})
    lines = [
        {
            "model": f"the {name}",
            "question_id": f"q{n}",
            "answer": means(draft_of(name, f"q{n}")),
            "reasoning": f"so {name}",
        }
        for name in PLAYERS
        for n in range(QUESTIONS)
    ]
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, lines)))
    experiment = build(read_experiment(path))
    for _ in range(2):
        store = await experiment.store().open()
        try:
            runner = Runner(experiment, store)
            assert await runner.run() == "done"
        finally:
            await store.close()
    assert runner.tally.calls is not None
    assert (runner.tally.played, runner.tally.skipped) == (0, experiment.episodes)
    titles = {cell.id: cell.title for cell in experiment.cells}
    found = rows(folder / "cup.db", "SELECT cell, question, answer FROM episodes")
    recorded = {(titles[cell], question): answer for cell, question, answer in found}
    expected = {
        (title, case.question.digest): means(result[case.question.id][0] or "")
        for title, result in results(live).items()
        for case in experiment.dataset or ()
    }
    assert expected == recorded
    with pytest.raises(FileError, match="is a recording, which cannot be captain"):
        build(read_experiment(written(folder, ("silent",), models, grouping={"match": "only"})))
