"""Who is led is said by the strategy's traits: a captain that the file names leads nobody who has none."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

import moot
from moot import Case, Question, ScriptedModel, Team, Traits, Verdict
from moot.strategies.captaincy import by_captain
from moot.testing import check_strategy

CASES = [Case(Question(f"q{number}", f"Which, {number}?"), "A") for number in range(12)]
SAYS = {"ann": "A", "bob": "A", "cat": "B"}
TRAITS = Traits(prompts=("draft",), drafts="single-call", word="player")


@dataclass(frozen=True)
class First:
    """The answer is whatever the first player drafted, whoever is captain."""

    name: ClassVar[str] = "first-of"
    traits: ClassVar[Traits | None] = TRAITS

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (team,)

    async def play(self, question: Question, team: Team) -> Verdict:
        assert team.captain is None
        drafts = await team.drafts(question)
        first, absent = drafts[0], tuple(draft.player for draft in drafts if draft.text is None)
        who = () if first.text is None else (first.player,)
        return Verdict(first.text, first.outcome, first.reasoning, who, drafts, absent=absent, cause=first.cause)


@dataclass(frozen=True)
class Bare(First):
    name: ClassVar[str] = "bare"
    traits: ClassVar[Traits | None] = None


def played(strategy: Any, captain: str, store: Path | None = None, **more: Any) -> moot.Results:
    models = {
        name: ScriptedModel(name, lambda request, says=says: {"reasoning": "r", "answer": says})
        for name, says in SAYS.items()
    }
    team = {"players": list(SAYS), "captain": captain}
    keys = {"name": "cup", "models": models, "questions": CASES, "teams": {"t": team}, **more}
    return moot.run({"strategies": ["solo", strategy], **keys}, store=store)


def of(label: str, rows: Any) -> list[Any]:
    return [row for row in rows if row["label"].startswith(label)]


@pytest.mark.filterwarnings("ignore:.*declares no traits")
@pytest.mark.parametrize("strategy", [First(), Bare()], ids=lambda strategy: strategy.name)
@pytest.mark.parametrize("captain", ["each", "cat"])
def test_a_captain_of_the_file_leads_nobody_who_has_none(strategy: First, captain: str) -> None:
    results = played(strategy, captain)
    figures = results.figures
    (row,) = of(strategy.name, figures["accuracy"])
    assert (row["captain"], row["value"]) == (None, 1.0)
    for rows in ("gains", "diversity_captains", "self_preference", "by_captain"):
        assert not of(strategy.name, figures.get(rows, ())), rows
    assert not figures["headline"]["led"]
    assert figures["headline"]["captain"] is None
    assert "captain" not in results.headline


def test_the_family_of_those_who_are_led_is_their_own() -> None:
    beside = played("talkative", "cat", strategies=["solo", "talkative", First()]).figures["gains"]
    assert [row["family"] for row in beside] == [1]


def stored_as_before(path: Path, captains: dict[str, str], label: str | None = None) -> None:
    """As a store of before holds it: whatever captain the file had was written down. `label`: of all of them."""
    with closing(sqlite3.connect(path)) as store, store:
        for strategy, captain in captains.items():
            store.execute(
                "UPDATE cells SET captain = ?, label = ? WHERE strategy = ?", (captain, label or strategy, strategy)
            )


def test_a_store_of_before_is_not_told_as_led(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    told = played(First(), "cat", path)
    stored_as_before(path, {"first-of": "cat"})
    again = moot.report(path)
    assert again.headline == told.headline
    assert {key: value for key, value in again.figures.items() if key != "runs"} == {
        key: value for key, value in told.figures.items() if key != "runs"
    }
    assert not of("first-of", again.figures.get("gains", ()))
    for table in ("cells", "episodes", "scores", "drafts"):
        assert set(moot.open_store(str(path)).frame(table)["captain"]) == {None}, table


@pytest.mark.filterwarnings("ignore:.*declares no traits")
def test_line_ups_of_before_that_a_captain_told_apart_still_are(tmp_path: Path) -> None:
    path = tmp_path / "moot.db"
    played(Bare(), "cat", path, strategies=["solo", Bare(), First()])
    stored_as_before(path, {"bare": "ann", "first-of": "bob"}, label="bare")
    again = moot.report(path)
    rows = of("bare", again.figures["accuracy"])
    assert [(row["label"], row["captain"]) for row in rows] == [("bare[ann]", None), ("bare[bob]", None)]
    assert "gains" not in again.figures


@dataclass(frozen=True)
class Seated(First):
    """Line-ups as they are given."""

    name: ClassVar[str] = "seated"

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team)


@dataclass(frozen=True)
class LedByEach(First):
    name: ClassVar[str] = "led"
    traits: ClassVar[Traits | None] = replace(TRAITS, captain="breaks-ties")


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        (Seated(), "expected no captain, since its traits name none .*; found a line-up under 'ann'"),
        (LedByEach(), r"expected a captain who plays \(ann, bob, cat\), or None, found 'each'; .*by_captain"),
    ],
    ids=["undeclared", "no player"],
)
def test_a_captain_who_is_none_is_refused_before_any_call(strategy: First, words: str) -> None:
    named = f"strategy '{strategy.name}': lineups: {words}"
    with pytest.raises(moot.MootError, match=f"strategies.1: {named}"):
        played(strategy, "each")
    with pytest.raises(AssertionError, match=named):
        asyncio.run(check_strategy(strategy))


def test_the_suite_tells_an_author_of_the_captain_that_is_not_there() -> None:
    with pytest.raises(AssertionError, match=r"captain: the traits say that there is none, and a line-up has 'each'"):
        asyncio.run(check_strategy(First()))
