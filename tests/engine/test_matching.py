"""Which drafts mean the same and whose draft a captain's words are: whatever else is in the file, and never asked twice."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from beside import rows

from moot.engine.matching import Drafted, draft_sets
from moot.engine.runner import Runner
from moot.errors import ConnectionFailed
from moot.experiment.build import build
from moot.experiment.plan import Cell, Plan
from moot.experiment.spec import read_experiment
from moot.models.scripted import Script, ScriptedModel
from moot.needs import NOTHING_MORE, Needs
from moot.report.figures import figures, find_experiment
from moot.simulate.prompt_reading import read_shown
from moot.strategies import Strategy
from moot.strategies.peer_review.peer_review import PeerReview
from moot.strategies.solo import Solo
from moot.strategies.vote import Vote
from moot.team import Player, Team
from moot.traces import NotNeeded
from moot.types import Answer, Case, Question, Request, Verdict

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
    words = 2 * 6 * count
    assert requests["group"] == count + words, "one call a question to play, one a word to measure"
    assert runner.tally.matched is not None
    assert runner.tally.matched.calls == words
    assert runner.tally.matched.asked == words + count, "the drafts are asked about too, and found in the store"
    assert cup.figures["measurement"] == {"calls": words, "cost_usd": 0.0}, "the vote's own call is none"
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
    words = ("paris ann review", "paris bob review", "lyon dan review", "lyon dan summarise")
    drafts = ["paris ann", "paris bob", "lyon dan"]
    assert cup.requests["group"] == 5 * count, "the drafts, and each word once, however often it was said"
    asked = [drafts, *(["paris ann", "lyon dan", word] for word in words)]
    assert sorted(cup.asked_to_group()) == sorted(asked * count)
    assert runner.tally.matched is not None
    assert (runner.tally.matched.asked, runner.tally.matched.failed) == (5 * count, 0)
    preferred = {(row["label"], row["captain"]): row for row in cup.figures["self_preference"]}
    assert {strategy for strategy, _ in preferred} == {"peer-review(drafts=single-call)"}, "no captain, no self"
    assert preferred["peer-review(drafts=single-call)", None]["self_choice"] == 1.0
    assert preferred["peer-review(drafts=single-call)", None]["unknown"] == 0
    for row in cup.figures["position_bias"]:
        assert "unknown" not in row["apart"]
        assert row["decisions"] > 0
    (summed,) = [row for row in cup.figures["position_bias"] if row["by"] == "summariser"]
    assert summed["decisions"] == 2 * count
    await cup.play()
    assert cup.requests["group"] == 5 * count, "a second run asks nothing"


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
        ["ann first", "bob first"],
        ["ann first", "bob first", "bob in other words"],
        ["ann second", "bob second"],
        ["ann second", "bob second", "bob in other words"],
    ]
    preferred = {(row["label"], row["captain"]): row for row in cup.figures["self_preference"]}
    for strategy, plays in (("mixture(repeats=3)", 6), ("silent", 2)):
        assert (preferred[strategy, "bob"]["self_choice"], preferred[strategy, "ann"]["self_choice"]) == (1.0, 0.0)
        assert (preferred[strategy, "bob"]["n"], preferred[strategy, "bob"]["unknown"]) == (plays, 0)


async def test_a_word_is_asked_about_beside_one_draft_of_each_group(tmp_path: Path) -> None:
    cup = Cup(
        tmp_path,
        wordings,
        questions=questions(1),
        players=("dan", "ann", "bob"),
        grouping={"model": "grouper"},
        strategies=("silent", "talkative"),
    )
    await cup.play()
    words = [f"{wordings(name, '', stage)}" for name in ("ann", "bob", "dan") for stage in ("silent", "talkative")]
    grouping, *matching = cup.asked_to_group()
    assert grouping == ["lyon dan", "paris ann", "paris bob"]
    assert sorted(matching) == sorted(["lyon dan", "paris ann", word] for word in words)
    ((drafts, *about),) = cup.stored()
    assert drafts["groups"] == [["lyon dan"], ["paris ann", "paris bob"]]
    same = {entry["word"]: entry["same"] for entry in about}
    assert same == {word: drafts["groups"]["paris" in word] for word in words}
    assert {row["self_choice"] for row in cup.figures["self_preference"]} == {1.0}
    assert {row["d"] for row in cup.figures["diversity"]} == {2}, "without a vote the drafts are grouped to be measured"


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
    assert cup.requests["group"] == 3 * (1 + calls), "the drafts, and what none of them says"
    preferred = {row["captain"]: row for row in cup.figures["self_preference"]}
    assert preferred["ann"]["self_choice"] == 1.0 - calls
    assert preferred["dan"]["self_choice"] == 0.0
    assert preferred[None]["novel"] == float(calls)


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
    assert more.requests["group"] == 2 * 6, "the new captains' words, and nothing that was asked before"
    assert [len(entries) for entries in more.stored()] == [1 + 6 + 6, 1 + 6 + 6]


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
    assert runner.tally.matched.failed == 2 * (1 + 2), "the drafts and two words of each question"
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
    preferred = {(row["label"], row["captain"]): row for row in cup.figures["self_preference"]}
    assert (preferred["silent", "ann"]["self_choice"], preferred["silent", "ann"]["novel"]) == (1.0, 0.0)
    assert (preferred["silent", "bob"]["self_choice"], preferred["silent", "bob"]["novel"]) == (0.0, 1.0)
    assert preferred["adaptive(talk_from=2)", "ann"]["n"] == 3
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


# --- nothing hangs on what else is in the file ------------------------------------------------------------------------


def chosen(figures: Mapping[str, Any], strategy: str) -> dict[str | None, Any]:
    return {row["captain"]: row for row in figures["self_preference"] if row["label"] == strategy}


async def test_self_choice_and_diversity_are_the_same_with_a_vote_in_the_file(tmp_path: Path) -> None:
    def said(player: str, question: str, stage: str) -> str:
        """Four words for two meanings; every captain repeats the first word of the other meaning's first draft."""
        drafted = {"ann": "paris capital", "bob": "paris on the seine", "cat": "lyon", "dan": "lyon on the rhone"}
        return drafted[player] if stage == "draft" else "paris of course"

    seen = []
    for strategies in (("silent",), ("silent", "vote")):
        folder = tmp_path / "-".join(strategies)
        folder.mkdir()
        cup = Cup(
            folder,
            said,
            questions=questions(3),
            players=("ann", "bob", "cat", "dan"),
            strategies=strategies,
            grouping={"model": "grouper"},
        )
        await cup.play()
        diversity = [row for row in cup.figures["diversity"] if row["strategy"] == "silent"]
        seen.append((chosen(cup.figures, "silent"), diversity))
    assert seen[0] == seen[1]
    by_captain, diversity = seen[0]
    assert {name: by_captain[name]["self_choice"] for name in ("ann", "bob", "cat", "dan")} == {
        **dict.fromkeys(("ann", "bob"), 1.0),
        **dict.fromkeys(("cat", "dan"), 0.0),
    }
    assert {row["d"] for row in diversity} == {2}


async def test_each_repeat_has_its_own_groups(tmp_path: Path) -> None:
    """In the first repeat all drafts mean the same, in the second none do."""

    def group(request: Request) -> Script:
        numbers = range(1, len(shown(request)) + 1)
        return {"groups": [list(numbers)] if request.sample == 0 else [[number] for number in numbers]}

    cup = Cup(
        tmp_path,
        lambda player, question, stage: f"city of {player}" if stage == "draft" else "city of ann",
        questions=questions(2),
        players=("ann", "bob", "cat"),
        strategies=("silent",),
        grouping={"model": "grouper"},
        group=group,
        repeats=2,
    )
    await cup.play()
    stored = rows(cup.path.with_suffix(".db"), "SELECT repeat, content FROM matches ORDER BY question, repeat")
    assert [(repeat, len(json.loads(content)[0]["groups"])) for repeat, content in stored] == [(0, 1), (1, 3)] * 2


async def test_a_word_is_matched_the_same_whoever_else_is_captain(tmp_path: Path) -> None:
    """A grouping model that puts everything together as soon as there is much to read."""

    def group(request: Request) -> Script:
        texts = shown(request)
        if len(texts) > 4:
            return {"groups": [list(range(1, len(texts) + 1))]}
        return by_first_word(request)

    seen = []
    for strategies in (("silent",), ("silent", "talkative")):
        folder = tmp_path / "-".join(strategies)
        folder.mkdir()
        cup = Cup(
            folder,
            lambda player, question, stage: f"{'paris' if player == 'ann' else 'lyon'} {player} {stage}",
            questions=questions(2),
            players=("ann", "dan", "eve"),
            strategies=strategies,
            grouping={"model": "grouper"},
            group=group,
        )
        await cup.play()
        seen.append(chosen(cup.figures, "silent"))
    assert seen[0] == seen[1]


async def test_what_nobody_measures_is_not_asked(tmp_path: Path) -> None:
    cup = Cup(tmp_path, wordings, questions=questions(2), strategies=("silent",), grouping={"model": "grouper"})
    plan = cup.experiment()
    store = await plan.store().open()
    try:
        await Runner(plan, store, needs=Needs(grouped_drafts=True)).run()
        assert cup.requests["group"] == 2
        await Runner(plan, store, needs=NOTHING_MORE).run()
        assert cup.requests["group"] == 2
        await Runner(plan, store, needs=Needs(matched_words=True)).run()
        assert cup.requests["group"] == 2 + 2 * 6
    finally:
        await store.close()


async def test_what_was_once_matched_in_one_call_is_still_known(tmp_path: Path) -> None:
    """Records of drafts and words together, as they once were made: read, and not asked about again."""
    cup = Cup(
        tmp_path,
        wordings,
        questions=questions(1),
        players=("ann", "dan"),
        strategies=("silent",),
        grouping={"model": "grouper"},
    )
    await cup.play()
    first = chosen(cup.figures, "silent")
    ((drafts, *_),) = cup.stored()
    together = [["lyon dan", "lyon dan silent"], ["paris ann", "paris ann silent"]]
    old = json.dumps([{"by": drafts["by"], "groups": together, "calls": []}])
    with closing(sqlite3.connect(cup.path.with_suffix(".db"))) as connection:
        connection.execute("UPDATE matches SET content = ?", (old,))
        connection.commit()
    asked = cup.requests["group"]
    await cup.play()
    assert cup.requests["group"] == asked
    assert chosen(cup.figures, "silent") == first


@pytest.mark.parametrize(("reference", "told"), [("shown", True), (None, False)])
async def test_who_matches_is_told_the_reference_where_the_file_says_so(
    tmp_path: Path, reference: str | None, told: bool
) -> None:
    cup = Cup(
        tmp_path,
        lambda player, question, stage: f"city of {player}" if stage == "draft" else "the town",
        questions=[{"id": "q1", "text": "Which city?", "answer": "Timbuktu"}],
        players=("ann", "bob"),
        strategies=("silent",),
        grouping={"model": "grouper", **({"reference": reference} if reference else {})},
    )
    await cup.play()
    requests = cup.models["grouper"].requests
    assert len(requests) == 2, "the drafts, and one word that both captains say"
    assert ["Timbuktu" in request.messages[-1].content for request in requests] == [told, told]


def test_who_was_not_waited_for_is_heard_where_it_drafted_in_the_same_way() -> None:
    """A draft in two calls is another one: what it says is not what would have been said in one."""

    def played(strategy: Strategy, said: Mapping[str, str | None], *traces: Any, player: str | None = None) -> Drafted:
        team = Team("three", tuple(Player(name, ScriptedModel(name, [])) for name in ("ann", "bob", "cat")))
        answers = tuple(Answer(name, text) for name, text in said.items())
        verdict = Verdict("Paris", "answered", answers=answers, traces=traces)
        return Drafted(Cell(strategy.name, strategy, strategy.name, team, player, ""), 0, verdict)

    case = Case(Question("q", "Which city?"), "Paris")
    stopped = played(
        Vote(early_stop=True), {"ann": "Paris", "bob": "paris!", "cat": None}, NotNeeded(("cat",)), player=None
    )
    in_two_calls = played(PeerReview(), {"ann": "Oslo", "bob": "Rome", "cat": "Lyon"})
    in_one_call = played(PeerReview(drafts="single-call"), {"ann": "Paris", "bob": "paris!", "cat": "Nice"})
    needs = Needs(grouped_drafts=True)

    def sets(*others: Drafted) -> list[tuple[str, ...]]:
        return [found.drafts for found in draft_sets(case, [stopped, *others], needs)]

    heard = ("Paris", "paris!")
    assert sets(in_two_calls) == [heard, ("Oslo", "Rome", "Lyon")]
    assert sets(in_two_calls, in_one_call) == [heard, (*heard, "Nice"), ("Oslo", "Rome", "Lyon")]
    assert sets(played(Solo(), {}, player="cat")._replace(verdict=Verdict("Bonn", "answered"))) == [
        heard,
        (*heard, "Bonn"),
    ]
