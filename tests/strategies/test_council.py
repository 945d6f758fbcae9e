"""council: everybody ranks the others' drafts, blind and in an order of its own; then one writes, or the winner stands."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from moot import Question, ScriptedModel, Team
from moot.errors import UsageError
from moot.strategies import strategy, traits_of
from moot.strategies.council.rankings import count_rankings
from moot.strategies.lineups import lineups_of
from moot.team import Player
from moot.testing import check_strategy
from moot.traces import Ballot, Counted, Remarked, Shown, of_kind
from moot.types import Request, Verdict

TEXT = Question("plan", "Write a plan.", kind="text")
NAMES = ("ann", "bob", "cat", "dan")
WORTH = {"ann": 3, "bob": 4, "cat": 2, "dan": 1}
"""Whose draft everybody likes best."""


def draft_of(name: str) -> str:
    return f"I am {name} of model-{name}, and I say {name[0] * 6}."


def order_by_worth(prompt: str) -> list[int]:
    shown = re.findall(r"<answer n=\"(\d+)\"[^>]*>\n(.*?)\n</answer>", prompt, re.DOTALL)
    worth = {f"{name[0] * 6}": value for name, value in WORTH.items()}
    liked = {int(number): next(value for mark, value in worth.items() if mark in text) for number, text in shown}
    return sorted(liked, key=lambda number: -liked[number])


def speaking(name: str, ranking: Callable[[str], Any] = order_by_worth) -> Callable[[Request], str]:
    def script(request: Request) -> str:
        prompt = request.messages[-1].content
        if request.schema is not None and "ranking" in request.schema["properties"]:
            return json.dumps({"ranking": ranking(prompt)})
        if "<answer n=" in prompt:
            return "the council's text" if request.schema is None else json.dumps({"reasoning": "so", "answer": "A"})
        if request.schema is not None:
            return json.dumps({"reasoning": draft_of(name), "answer": "A"})
        return draft_of(name)

    return script


def council_of(
    *names: str, rankings: Mapping[str, Callable[[str], Any]] | None = None, captain: str | None = "ann"
) -> Team:
    own = rankings or {}
    players = tuple(
        Player(name, ScriptedModel(f"model-{name}", speaking(name, own.get(name, order_by_worth)))) for name in names
    )
    return Team("council", players, seed=7, captain=captain)


def played(table: Team, question: Question = TEXT, **options: Any) -> tuple[Verdict, Team]:
    chosen = strategy("council", options)
    (lineup,) = lineups_of(chosen, table)
    return asyncio.run(chosen.play(question, seated := lineup.seated())), seated


def prompts(table: Team, stage: str) -> dict[str, str]:
    return {call.player: call.request.messages[-1].content for call in table.journal if call.stage == stage}


@pytest.mark.parametrize("options", [{}, {"final": "winner"}, {"rank": "pref-voting:Schulze", "final": "winner"}])
async def test_it_keeps_its_promises(options: dict[str, Any]) -> None:
    await check_strategy(strategy("council", options))


def test_everybody_ranks_the_others_blind_and_in_an_order_of_its_own() -> None:
    verdict, table = played(council_of(*NAMES))
    ranked = prompts(table, "rank")
    assert set(ranked) == set(NAMES)
    orders = {}
    for reviewer, prompt in ranked.items():
        assert reviewer[0] * 6 not in prompt, "never its own"
        assert all(name[0] * 6 in prompt for name in NAMES if name != reviewer)
        for name in NAMES:
            assert not re.search(rf"\b(model-)?{name}\b", prompt), "no names"
        orders[reviewer] = re.findall(r"(aaaaaa|bbbbbb|cccccc|dddddd)", prompt)
    looks = {shown.to: shown for shown in of_kind(verdict.traces, Shown) if shown.role == "ranker"}
    for reviewer, order in orders.items():
        assert [name[0] * 6 for (name,) in looks[reviewer].order] == order, "the order is on record as it was"
    places = {reviewer: [NAMES.index(name) for (name,) in looks[reviewer].order] for reviewer in looks}
    assert any(own != sorted(own) for own in places.values()), "and drawn for each"


@pytest.mark.parametrize("seed", [1, 2])
def test_another_question_has_another_order(seed: int) -> None:
    seen = set()
    for number in range(8):
        question = Question(f"q{number}", "Write.", kind="text")
        verdict, _ = played(replace(council_of(*NAMES), seed=seed), question)
        seen.add(next(shown.order for shown in of_kind(verdict.traces, Shown) if shown.to == "bob"))
    assert len(seen) > 2


def test_the_chairman_reads_drafts_and_points_and_is_not_told_which_is_its_own() -> None:
    verdict, table = played(council_of(*NAMES))
    (prompt,) = prompts(table, "chair").values()
    points = {
        mark: (int(place), float(got))
        for place, got, mark in re.findall(r'place="(\d)" points="([\d.]+)">\n.*?(aaaaaa|bbbbbb|cccccc|dddddd)', prompt)
    }
    assert points == {"bbbbbb": (1, 1.0), "aaaaaa": (2, 0.67), "cccccc": (3, 0.33), "dddddd": (4, 0.0)}
    assert not re.search(r"\bann\b|\bbob\b|your own|JSON", prompt)
    assert (verdict.answer, verdict.who, verdict.turns) == ("the council's text", ("ann",), 3)
    assert len(table.journal) == 9 == traits_of(strategy("council")).calls.at_most(4)  # type: ignore[union-attr]


def test_the_winners_draft_is_taken_as_it_is() -> None:
    verdict, table = played(council_of(*NAMES), final="winner")
    assert (verdict.answer, verdict.who, verdict.outcome) == (draft_of("bob"), ("bob",), "answered")
    assert not prompts(table, "chair")
    (count,) = of_kind(verdict.traces, Counted)
    assert count.winners == (1,)


def test_rankings_that_cannot_be_used_are_absent_and_favour_nobody() -> None:
    def broken(prompt: str) -> list[int]:
        return [1, 1]

    verdict, _ = played(council_of(*NAMES, rankings={"dan": broken}), final="winner")
    spoilt = [ballot for ballot in verdict.ballots if ballot.choice is None]
    assert [ballot.voter for ballot in spoilt] == ["dan"]
    assert spoilt[0].cause
    assert verdict.absent == ("dan",)
    (count,) = of_kind(verdict.traces, Counted)
    assert count.points == (0.75, 1.0, 0.5, 0.0)
    everybody, _ = played(council_of(*NAMES), final="winner")
    assert everybody.who == verdict.who


def test_a_sum_would_favour_whoever_ranks_nobody() -> None:
    """Two drafts that are liked alike stay alike when one of their authors sends no ranking."""
    rankings = [{1: 1.0, 2: 2.0}, None, {0: 1.0, 1: 2.0}]
    points = count_rankings("borda", rankings, 3)
    assert points.points == (1.0, 0.5, 0.0)
    assert points.places == (1, 2, 3)


def test_without_any_ranking_the_lot_is_fallen_back_on() -> None:
    rankings = dict.fromkeys(NAMES, lambda prompt: "none")
    verdict, _ = played(council_of(*NAMES, rankings=rankings), final="winner")
    assert verdict.outcome == "undecided"
    assert verdict.cause == "there is no usable ranking, so that a draft was drawn by lot"
    (count,) = of_kind(verdict.traces, Counted)
    assert count.winners == ()
    led, table = played(council_of(*NAMES, rankings=rankings))
    assert led.answer == "the council's text"
    assert "place=" not in next(iter(prompts(table, "chair").values()))


@pytest.mark.parametrize(("captain", "expected"), [("cat", {"ann"}), (None, {"ann", "bob"})])
def test_a_tie_goes_by_the_captains_ranking_else_by_lot(captain: str | None, expected: set[str]) -> None:
    def preferring(*marks: str) -> Callable[[str], list[int]]:
        def ranking(prompt: str) -> list[int]:
            shown = re.findall(r"(aaaaaa|bbbbbb|cccccc|dddddd)", prompt)
            return [shown.index(mark) + 1 for mark in marks if mark in shown]

        return ranking

    a, b, c, d = (name[0] * 6 for name in NAMES)
    own = {
        "ann": preferring(b, c, d),
        "bob": preferring(a, c, d),
        "cat": preferring(a, b, d),
        "dan": preferring(b, a, c),
    }
    winners = set()
    for number in range(12):
        question = Question(f"q{number}", "Write.", kind="text")
        verdict, _ = played(council_of(*NAMES, rankings=own, captain=captain), question, final="winner")
        (count,) = of_kind(verdict.traces, Counted)
        assert count.winners == (0, 1)
        winners.update(verdict.who)
    assert winners == expected


def test_with_two_players_nobody_ranks_and_that_is_said() -> None:
    verdict, table = played(council_of("ann", "bob"))
    assert not prompts(table, "rank")
    assert of_kind(verdict.traces, Remarked)
    assert verdict.answer == "the council's text"
    assert not of_kind(verdict.traces, Ballot)


@pytest.mark.parametrize("kind", ["open", "choice", "yes-no"])
def test_short_answers_are_given_in_the_usual_form(kind: Any) -> None:
    choices = ("one", "two") if kind == "choice" else ()
    question = Question("q", "Which?", choices=choices, kind=kind)
    script = {"reasoning": "so", "answer": "yes" if kind == "yes-no" else "A"}

    def reply(request: Request) -> str:
        assert request.schema is not None
        size = request.schema["properties"].get("ranking", {}).get("minItems", 0)
        return json.dumps({"ranking": list(range(1, size + 1))} if size else script)

    players = tuple(Player(name, ScriptedModel(name, reply)) for name in NAMES[:3])
    verdict, _ = played(Team("t", players, seed=1, captain="ann"), question)
    assert verdict.answer == script["answer"]
    assert verdict.reasoning == "so"


@pytest.mark.parametrize(
    "rank", ["simple-voting", "approval-voting", "cumulative-voting", "solution-counting", "bordo"]
)
def test_rules_that_take_no_rankings_are_refused_with_the_list(rank: str) -> None:
    with pytest.raises(UsageError, match=r"expected one of borda, .*pref-voting:RULE"):
        strategy("council", {"rank": rank})


def test_a_chairman_is_needed_only_where_one_writes() -> None:
    table = council_of(*NAMES, captain=None)
    with pytest.raises(UsageError, match="captain"):
        lineups_of(strategy("council"), table)
    assert len(lineups_of(strategy("council", {"final": "winner"}), table)) == 1
