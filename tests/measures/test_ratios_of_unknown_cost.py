"""Where too many plays lack a call and not all take equally many, those that lack none may be the cheap ones: what those took
is neither a cost nor part of any ratio."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pytest
from outages import asked, gone
from unknown_costs import told_of_unknown_cost, unknown_rows
from worlds import number_of

import moot
from moot import Case, Question, Request, ScriptedModel
from moot.errors import RequestRejected, ServerFailed
from moot.measures.question_costs import NONE_WHOLE
from moot.models.scripted import Script
from moot.report.sections import all_sections

Figures = Mapping[str, Any]
TALK: dict[str, Any] = {"discuss": {"personas": "none", "agents": 2, "decision": "unanimity-consensus"}}
CASCADE: dict[str, Any] = {"cascade": {"order": ["ann", "bob", "cat"]}}
COUNT = 40
FEW, MANY = 2, 3
"""Up to one question in twenty, and more than that."""
LONG = 1_000
"""Signs of a prompt. None of the first round is so long, all of the second are."""


def played(
    reply: Callable[[str, Request], Script], players: Sequence[str], strategies: Sequence[Any], **more: Any
) -> Figures:
    keys = {
        "name": "cup",
        "models": {name: ScriptedModel(name, partial(reply, name)) for name in players},
        "questions": [Case(Question(f"q{n}", f"What is capital number {n}?"), "Paris") for n in range(COUNT)],
        "teams": {"table": {"players": list(players)}},
        "strategies": list(strategies),
        **more,
    }
    return dict(moot.run(keys).figures)


def debated(lost: int = 0, *, alone: int = 0, slow: bool = False) -> Figures:
    """Every second question takes a second round, on so many of which (`lost`) the prompt is too long for the server. Alone
    nobody is there on so many (`alone`), and everybody is asked twice on every third where they are `slow`."""

    def reply(name: str, request: Request) -> Script:
        number, fields = number_of(request), (request.schema or {}).get("properties", {})
        size = sum(len(message.content) for message in request.messages)
        if "message" not in fields:
            if number < alone:
                raise ServerFailed("down", status=500)
            if slow and number % 3 == 2 and request.attempt == 0:
                return "no form at all"
        elif number % 2 and number < 2 * lost and size >= LONG:
            raise RequestRejected("This model's maximum context length is 512 tokens.", status=400)
        said = {"message": "So. " * 50, "solution": "Paris", "agree": True, "reasoning": "", "answer": "Paris"}
        if number % 2 and name == "bob" and size < LONG:
            said |= {"agree": False, "solution": "Lyon"}
        return {key: said[key] for key in fields}

    return played(reply, ("ann", "bob"), ["solo", TALK])


def of_talk(figures: Figures) -> Mapping[str, Any]:
    (row,) = [row for row in figures["protocol_cost"] if row["team"]]
    return dict(row)


def words_of(figures: Figures, section: str) -> str:
    return " ".join(word for one in all_sections(figures) if one.id == section for word in one.words)


def test_a_debate_whose_long_rounds_fail_has_no_ratio() -> None:
    figures = debated(20)
    (row,) = unknown_rows(figures)
    talk, headline = of_talk(figures), figures["headline"]
    why = f"so many plays of {row['label']} lack a call that nobody knows what it takes"
    assert (headline["cost_ratio"], headline["calls"], headline["cost_why"]) == (None, None, why)
    assert "at a cost that is not known, since too many plays lack a call" in headline["sentence"]
    assert (talk["calls_ratio"], talk["tokens_ratio"], talk["why"]) == (None, None, why)
    assert f"{why}." in words_of(figures, "protocol-cost")
    assert not told_of_unknown_cost(figures)


@pytest.mark.parametrize("lost", [0, FEW])
def test_with_few_that_fail_it_has(lost: int) -> None:
    figures = debated(lost)
    talk, headline = of_talk(figures), figures["headline"]
    assert not unknown_rows(figures)
    assert headline["cost_ratio"] == pytest.approx(talk["calls_ratio"]) == pytest.approx(talk["calls"])
    assert [talk.get("ratio_n"), headline.get("cost_n")] == [COUNT - lost if lost else None] * 2
    assert not {"why", "cost_why"} & {*talk, *headline}


def test_beside_players_of_whom_nobody_knows_what_they_take() -> None:
    """The debate's own cost is told, and its ratio is not."""
    figures = debated(alone=10, slow=True)
    talk, headline = of_talk(figures), figures["headline"]
    assert [row["player"] for row in unknown_rows(figures)] == ["ann", "bob"]
    why = "so many plays of {} lack a call that nobody knows what it takes"
    assert (headline["cost_ratio"], headline["calls"]) == (None, 3.0)
    assert headline["cost_why"] == why.format("ann alone")
    assert "with 3.0 calls a question, and beside one player nobody knows: so many plays" in headline["sentence"]
    assert (talk["calls_ratio"], talk["why"]) == (None, why.format("solo@ann"))
    assert not told_of_unknown_cost(figures)


def test_players_who_take_one_call_each_are_known_however_many_fail() -> None:
    figures = debated(alone=10)
    talk, headline = of_talk(figures), figures["headline"]
    assert (headline["cost_ratio"], headline["cost_n"]) == (talk["calls_ratio"], talk["ratio_n"]) == (3.0, 30)


@pytest.mark.parametrize(("whole", "told"), [(9, False), (10, True)])
def test_a_few_whole_plays_of_many_have_no_ratio(whole: int, told: bool) -> None:
    """A quarter of them, as for a ranking."""
    headline = debated(alone=COUNT - whole)["headline"]
    assert (headline["cost_ratio"], headline.get("cost_n")) == ((3.0, 10) if told else (None, None))
    few = f"only {whole} of {COUNT} questions were played by both with no call missing"
    assert (few in headline["sentence"], headline.get("cost_why")) == ((False, None) if told else (True, few))


def test_with_no_whole_play_that_is_why() -> None:
    assert of_talk(debated(alone=COUNT))["why"] == NONE_WHOLE


@pytest.mark.parametrize("lost", [FEW, MANY])
def test_a_cascade_as_primary(lost: int) -> None:
    """Ann and bob disagree on every second question; on so many of these cat is not there."""

    def reply(name: str, request: Request) -> Script:
        number = number_of(request)
        if name == "cat" and number % 2 and number < 2 * lost:
            raise RequestRejected("away", status=400)
        wrong = name == "bob" and number % 2
        return {"reasoning": "", "answer": "Lyon" if wrong else "Paris"}

    figures = played(reply, ("ann", "bob", "cat"), ["solo", "vote", CASCADE], primary=CASCADE_LABEL)
    headline, beside = figures["headline"], figures["cascade_beside"]
    known = lost == FEW
    assert headline["of"] == CASCADE_LABEL
    assert (headline["cost_ratio"] is not None, "cost_why" in headline) == (known, not known)
    assert [row["cost_n"] for row in beside] == [COUNT - lost if known else 0]
    assert bool(unknown_rows(figures)) is not known
    assert not told_of_unknown_cost(figures)


CASCADE_LABEL = "cascade(order=ann+bob+cat)"


@pytest.mark.parametrize("lost", [FEW, MANY])
def test_long_answers_that_were_compared(lost: int) -> None:
    """Replies are not always in the form, and asked for again: no two councils take equally many calls."""
    names = ("ann", "bob", "cat")
    keys = {
        "name": "texts",
        "seed": 1,
        "questions": [{"id": f"q{n}", "text": f"Write {n}.", "kind": "text"} for n in range(COUNT)],
        "models": {name: {"provider": "simulated", "accuracy": 0.6, "words": 20, "garble": 0.3} for name in names}
        | {"ivy": {"provider": "simulated", "accuracy": 0.9}},
        "teams": {"table": {"players": list(names), "captain": "ann"}},
        "judge": {"models": ["ivy"], "pairwise": True},
        "strategies": ["solo", "council"],
        "primary": "council@ann",
    }
    with asked(gone("bob", questions=lambda n: n < lost)):
        figures = moot.run(keys).figures
    preferred = figures["headline"]["preferred"]
    assert (preferred["cost_ratio"] is not None) is (lost == FEW)
    why = "so many plays of council@ann lack a call that nobody knows what it takes"
    assert preferred.get("cost_why") == (None if lost == FEW else why)
    assert "×" not in figures["headline"]["sentence"] or lost == FEW
    assert not told_of_unknown_cost(figures)


@pytest.mark.parametrize("lost", [FEW, MANY])
def test_when_talking_pays(lost: int) -> None:
    """Ann is asked twice on every third question, and cat is not there on so many."""

    def reply(name: str, request: Request) -> Script:
        number = number_of(request)
        if name == "cat" and number < lost:
            raise RequestRejected("away", status=400)
        if name == "ann" and number % 3 == 2 and request.attempt == 0:
            return "no form at all"
        return dict.fromkeys(
            (request.schema or {})["properties"], "no" if number % 4 == 0 and name != "bob" else "Paris"
        )

    teams = {"table": {"players": ["ann", "bob", "cat"], "captain": "ann"}}
    figures = played(reply, ("ann", "bob", "cat"), ["vote", "talkative"], teams=teams)
    arms = [figures["talk_threshold"][arm] for arm in ("by_threshold", "always_vote", "always_talk")]
    assert [arm["cost_n"] for arm in arms] == [COUNT - lost if lost == FEW else 0] * 3
    assert [arm["calls"] is not None for arm in arms] == [lost == FEW] * 3
    told = f"over the {COUNT - lost} of {COUNT} questions on which no call is missing"
    assert (told if lost == FEW else "not known, since too many plays lack a call") in words_of(
        figures, "talk-threshold"
    )
