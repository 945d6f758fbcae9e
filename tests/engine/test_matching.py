"""Whose draft a captain's words are: found in words where that is enough, in one call a question where it is not."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from moot.engine.runner import Runner
from moot.errors import ConnectionFailed
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.models.scripted import Script, ScriptedModel
from moot.report.figures import figures, find_experiment
from moot.simulate.prompt_reading import read_shown
from moot.types import Request

PLAYERS = ("ann", "bob", "cat", "dan", "eve", "fay")
Said = Callable[[str, str, str], str]
"""(player, question, stage) -> answer."""


def shown(request: Request) -> list[str]:
    return [each.text for each in read_shown(request.messages)]


def kind(request: Request) -> str:
    if "groups" in (request.schema or {}).get("properties", {}):
        return "group"
    if not shown(request):
        return "draft"
    if "strongest" in (request.schema or {}).get("properties", {}):
        return "review"
    if "solvers" in request.messages[-1].content:
        return "summarise"
    return "talkative" if "<reasoning>" in request.messages[-1].content else "silent"


def by_first_word(request: Request) -> Script:
    """A grouping model to whom answers that begin alike mean the same."""
    together: dict[str, list[int]] = {}
    for number, text in enumerate(shown(request), 1):
        together.setdefault(text.split()[0], []).append(number)
    return {"groups": list(together.values())}


class Cup:
    """An experiment of scripted models, played as often as one likes into one store."""

    def __init__(
        self,
        folder: Path,
        said: Said,
        *,
        questions: Sequence[Mapping[str, Any]],
        players: Sequence[str] = PLAYERS,
        strategies: Sequence[Any] = ("vote", "silent", "talkative"),
        group: Callable[[Request], Script] = by_first_word,
        **more: Any,
    ) -> None:
        names = [*players, "grouper"] if more.get("grouping", {}).get("model") else players
        (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")
        spec = {
            "name": "cup",
            "questions": {"file": "questions.jsonl"},
            "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in names},
            "players": {name: {"model": name} for name in players},
            "teams": {"six": {"players": list(players), "captain": "each"}},
            "strategies": list(strategies),
            **more,
        }
        self.path = folder / "cup.yaml"
        self.path.write_text(json.dumps(spec), encoding="utf-8")

        def player(name: str) -> ScriptedModel:
            def reply(request: Request) -> Script:
                answer = said(name, str(request.question_id), kind(request))
                return {"strongest": "x", "weakest": "y", "reasoning": "So.", "answer": answer}

            return ScriptedModel(name, reply)

        self.models = {name: player(name) for name in players}
        if "grouper" in names:
            self.models["grouper"] = ScriptedModel("grouper", group)

    def experiment(self) -> Plan:
        plan = build(read_experiment(self.path))
        models = {name: replace(built, model=self.models[name]) for name, built in plan.models.items()}
        return replace(plan, models=models)

    async def play(self) -> Runner:
        plan = self.experiment()
        store = await plan.store().open()
        try:
            runner = Runner(plan, store)
            await runner.run()
            self.figures = await store.run(lambda connection: figures(connection, find_experiment(connection, "cup")))
            return runner
        finally:
            await store.close()

    @property
    def requests(self) -> Counter[str]:
        return Counter(kind(request) for model in self.models.values() for request in model.requests)

    def asked_to_group(self) -> list[list[str]]:
        return [shown(request) for request in self.models["grouper"].requests]

    def stored(self) -> list[list[dict[str, Any]]]:
        connection = sqlite3.connect(self.path.with_suffix(".db"))
        try:
            return [json.loads(content) for (content,) in connection.execute("SELECT content FROM matches")]
        finally:
            connection.close()


def questions(count: int) -> list[dict[str, Any]]:
    return [{"id": f"q{n}", "text": f"Which city is number {n}?", "answer": "paris"} for n in range(count)]


def wordings(player: str, question: str, stage: str) -> str:
    """Two meanings among the drafts, everybody in words of their own; captains too."""
    meaning = "paris" if player in "ann bob cat" else "lyon"
    return f"{meaning} {player} {'' if stage == 'draft' else stage}".strip()


async def test_what_six_captains_and_three_strategies_cost(tmp_path: Path) -> None:
    count = 5
    cup = Cup(tmp_path, wordings, questions=questions(count), grouping={"model": "grouper"})
    runner = await cup.play()
    requests = cup.requests
    assert requests["draft"] == 6 * count
    assert requests["silent"] == requests["talkative"] == 6 * count
    assert requests["group"] == 2 * count, "one call a question to play, one to measure"
    assert runner.tally.matched is not None
    assert runner.tally.matched.calls == runner.tally.matched.asked == count
    assert cup.figures["measurement"] == {"calls": count, "cost_usd": 0.0}
    for row in cup.figures["accuracy"]:
        assert row["calls"] == {"vote": 7, "silent": 7, "talkative": 7}[row["strategy"]] * count, "no matching in it"
    before, first = requests.total(), cup.figures
    again = await cup.play()
    assert cup.requests.total() == before, "a second run asks nothing"
    assert again.tally.matched is not None
    assert again.tally.matched.calls == again.tally.matched.asked == 0
    assert cup.figures["self_preference"] == first["self_preference"]


async def test_the_words_of_reviewers_and_summarisers_are_matched_too(tmp_path: Path) -> None:
    count = 3
    review, mixture = {"peer-review": {"drafts": "single-call"}}, {"mixture": {"summariser": "dan", "repeats": 2}}
    cup = Cup(
        tmp_path,
        wordings,
        questions=questions(count),
        players=("ann", "bob", "dan"),
        strategies=(review, mixture),
        grouping={"model": "grouper"},
    )
    runner = await cup.play()
    assert cup.requests["group"] == count, "one call a question, whoever spoke and however often"
    for texts in cup.asked_to_group():
        assert set(texts) == {
            *("paris ann", "paris bob", "lyon dan"),
            *("paris ann review", "paris bob review", "lyon dan review", "lyon dan summarise"),
        }
    assert runner.tally.matched is not None
    assert (runner.tally.matched.asked, runner.tally.matched.failed) == (count, 0)
    rows = {(row["strategy"], row["captain"]): row for row in cup.figures["self_preference"]}
    assert {strategy for strategy, _ in rows} == {"peer-review(drafts=single-call)"}, "no captain, no self"
    assert rows["peer-review(drafts=single-call)", None]["self_choice"] == 1.0
    assert rows["peer-review(drafts=single-call)", None]["unknown"] == 0
    for row in cup.figures["position_bias"]:
        assert "unknown" not in row["apart"]
        assert row["decisions"] > 0
    (summed,) = [row for row in cup.figures["position_bias"] if row["by"] == "summariser"]
    assert summed["decisions"] == 2 * count
    await cup.play()
    assert cup.requests["group"] == count, "a second run asks nothing"


async def test_repeats_of_a_summariser_go_with_the_drafts_that_it_read(tmp_path: Path) -> None:
    """Two sets of drafts, three readings of each: the fourth reading is of the second set."""

    def reply(name: str, request: Request) -> Script:
        drafted = f"{name} {('first', 'second')[request.sample % 2]}"
        return {"reasoning": "So.", "answer": drafted if kind(request) == "draft" else "bob in other words"}

    cup = Cup(
        tmp_path,
        wordings,
        questions=questions(1),
        players=("ann", "bob"),
        strategies=({"mixture": {"repeats": 3}}, "silent"),
        grouping={"model": "grouper"},
        repeats=2,
    )
    cup.models |= {name: ScriptedModel(name, partial(reply, name)) for name in ("ann", "bob")}
    await cup.play()
    assert cup.requests["draft"] == 4
    assert sorted(cup.asked_to_group()) == [
        ["ann first", "bob first", "bob in other words"],
        ["ann second", "bob second", "bob in other words"],
    ]
    rows = {(row["strategy"], row["captain"]): row for row in cup.figures["self_preference"]}
    for strategy, plays in (("mixture(repeats=3)", 6), ("silent", 2)):
        assert (rows[strategy, "bob"]["self_choice"], rows[strategy, "ann"]["self_choice"]) == (1.0, 0.0)
        assert (rows[strategy, "bob"]["n"], rows[strategy, "bob"]["unknown"]) == (plays, 0)


async def test_the_call_shows_drafts_first_and_then_what_is_left_in_order(tmp_path: Path) -> None:
    cup = Cup(
        tmp_path,
        wordings,
        questions=questions(1),
        players=("dan", "ann"),
        grouping={"model": "grouper"},
        strategies=("silent", "talkative"),
    )
    await cup.play()
    left = ["lyon dan silent", "lyon dan talkative", "paris ann silent", "paris ann talkative"]
    assert cup.asked_to_group() == [["lyon dan", "paris ann", *left]]
    ((entry,),) = cup.stored()
    assert entry["groups"] == [["lyon dan", *left[:2]], ["paris ann", *left[2:]]]
    assert {row["self_choice"] for row in cup.figures["self_preference"]} == {1.0}
    assert {row["d"] for row in cup.figures["diversity"]} == {2}, "without a vote the drafts are grouped by the matches"


@pytest.mark.parametrize(
    ("captain", "calls"),
    [("Paris, Ann!", 0), ("ann PARIS", 0), ("Anns Paris", 0), ("Madrid", 1)],
    ids=["normalised", "word order", "lemmas", "neither"],
)
async def test_equal_words_need_nobody(tmp_path: Path, captain: str, calls: int) -> None:
    def said(player: str, question: str, stage: str) -> str:
        return wordings(player, question, stage) if stage == "draft" else captain

    cup = Cup(
        tmp_path,
        said,
        questions=questions(3),
        players=("ann", "dan"),
        strategies=("silent",),
        grouping={"model": "grouper"},
        group=lambda request: {"groups": [[n] for n in range(1, len(shown(request)) + 1)]},
    )
    await cup.play()
    assert cup.requests["group"] == 3 * calls
    rows = {row["captain"]: row for row in cup.figures["self_preference"]}
    assert rows["ann"]["self_choice"] == 1.0 - calls
    assert rows["dan"]["self_choice"] == 0.0
    assert rows[None]["novel"] == float(calls)


async def test_another_captain_later_adds_to_what_is_known(tmp_path: Path) -> None:
    cup = Cup(
        tmp_path,
        wordings,
        questions=questions(2),
        strategies=("silent",),
        grouping={"model": "grouper"},
    )
    await cup.play()
    more = Cup(
        tmp_path, wordings, questions=questions(2), strategies=("silent", "talkative"), grouping={"model": "grouper"}
    )
    await more.play()
    assert more.requests["draft"] == more.requests["silent"] == 0
    assert more.requests["group"] == 2, "what was not shown before is shown now"
    assert [len(entries) for entries in more.stored()] == [2, 2]


async def test_a_grouping_model_that_fails_leaves_it_unknown_and_is_asked_again(tmp_path: Path) -> None:
    troubled = [True]

    def group(request: Request) -> Script:
        return ConnectionFailed("nobody is there") if troubled[0] else by_first_word(request)

    cup = Cup(
        tmp_path,
        wordings,
        questions=questions(2),
        players=("ann", "dan"),
        strategies=("silent",),
        grouping={"model": "grouper"},
        group=group,
    )
    runner = await cup.play()
    assert runner.tally.matched is not None
    assert runner.tally.matched.failed == 2
    assert cup.stored() == []
    assert "self_preference" not in cup.figures, "what is not known is not counted"
    troubled[0] = False
    await cup.play()
    assert cup.figures["self_preference"][0]["self_choice_n"] == 2


@pytest.mark.parametrize("grouping", [{"match": "only"}, None], ids=["match only", "not said"])
async def test_without_a_model_the_words_decide(tmp_path: Path, grouping: Any) -> None:
    more = {"grouping": grouping} if grouping else {}
    cup = Cup(tmp_path, wordings, questions=questions(2), strategies=("silent",), **more)
    runner = await cup.play()
    assert runner.tally.matched is not None
    assert runner.tally.matched.asked == 0
    assert cup.stored() == []
    assert {(row["self_choice"], row["novel"]) for row in cup.figures["self_preference"]} == {(0.0, 1.0)}


async def test_an_embedding_decides_without_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class FirstWord:
        def same(self, one: str, other: str) -> bool:
            return one.split()[0] == other.split()[0]

    monkeypatch.setattr("moot.grade.embedding.Embedding", FirstWord)
    cup = Cup(tmp_path, wordings, questions=questions(2), strategies=("silent",), grouping={"embedding": True})
    await cup.play()
    assert {row["self_choice"] for row in cup.figures["self_preference"]} == {1.0}
    assert "measurement" not in cup.figures


async def test_choices_need_no_call(tmp_path: Path) -> None:
    asked = [{"id": f"q{n}", "text": "Which?", "choices": ["x", "y", "z"], "answer": "A"} for n in range(3)]

    def said(player: str, question: str, stage: str) -> str:
        return "A" if player == "ann" else "B" if stage == "draft" else "C"

    cup = Cup(
        tmp_path,
        said,
        questions=asked,
        players=("ann", "bob"),
        grouping={"model": "grouper"},
        strategies=("silent", {"adaptive": {"talk_from": 2}}),
    )
    await cup.play()
    assert cup.requests["group"] == 0
    rows = {(row["strategy"], row["captain"]): row for row in cup.figures["self_preference"]}
    assert (rows["silent", "ann"]["self_choice"], rows["silent", "ann"]["novel"]) == (1.0, 0.0)
    assert (rows["silent", "bob"]["self_choice"], rows["silent", "bob"]["novel"]) == (0.0, 1.0)
    assert rows["adaptive(talk_from=2)", "ann"]["n"] == 3
    assert cup.figures["skyline"]["guessing"] == pytest.approx(1 - (2 / 3) ** 2)


async def test_a_run_can_be_interrupted_while_it_matches(tmp_path: Path) -> None:
    holder: list[Runner] = []

    def group(request: Request) -> Script:
        holder[0].interrupt()
        return by_first_word(request)

    cup = Cup(
        tmp_path, wordings, questions=questions(4), strategies=("silent",), grouping={"model": "grouper"}, group=group
    )
    plan = cup.experiment()
    store = await plan.store().open()
    try:
        holder.append(Runner(plan, store))
        assert await holder[0].run() == "interrupted"
    finally:
        await store.close()
