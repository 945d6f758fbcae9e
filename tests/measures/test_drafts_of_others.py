"""Drafts that were asked for by other calls speak for nobody else: a strategy that primes its players changes no other's row."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

import pytest
from worlds import World, in_form, number_of, shown_texts

from moot import Question, Request, Strategy, Team, Verdict
from moot.models.scripted import Script
from moot.strategies.captaincy import Captained, by_captain, captain_decides
from moot.strategies.silent import Silent
from moot.strategies.solo import Solo
from moot.strategies.traits import Traits
from moot.team.forms import AnswerForm
from moot.types import Answer

CITIES = ("Paris", "Lyon", "Metz")
HINT = "Think of a harbour."


@dataclass(frozen=True, slots=True)
class Primed(Captained):
    """A silent captain whose players draft in words of its own."""

    name: ClassVar[str] = "primed"
    traits: ClassVar[Traits] = replace(Silent.traits, prompts=("captain",))

    reasons: bool = False

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, self.captain)

    async def play(self, question: Question, team: Team) -> Verdict:
        asked = f"{HINT} {question.text}"
        heard = await asyncio.gather(
            *(team.ask(player, question, asked, AnswerForm(question), stage="primed") for player in team.players)
        )
        drafts = [Answer(each.player, each.value.answer if each.value else None) for each in heard]
        return await captain_decides(question, team, drafts, reasons=self.reasons)


@dataclass(frozen=True, slots=True)
class Hinted(Captained):
    """The same in the usual words, with the hint in the player's instruction: nothing but the call tells them apart."""

    name: ClassVar[str] = "hinted"
    traits: ClassVar[Traits] = Silent.traits

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, self.captain)

    async def play(self, question: Question, team: Team) -> Verdict:
        primed = [replace(player, instruction=HINT) for player in team.players]
        drafts = await asyncio.gather(*(team.draft(player, question) for player in primed))
        return await captain_decides(question, team, drafts, reasons=False)


@dataclass(frozen=True, slots=True)
class Refined(Captained):
    """Everybody thinks again, still alone: the first call is the usual one, the draft is not."""

    name: ClassVar[str] = "refined"
    traits: ClassVar[Traits] = Silent.traits

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, self.captain)

    async def play(self, question: Question, team: Team) -> Verdict:
        async def twice(name: str) -> Answer:
            await team.draft(team[name], question)
            asked = f"{HINT} {question.text}"
            heard = await team.ask(team[name], question, asked, AnswerForm(question), stage="refine")
            return Answer(name, heard.value.answer if heard.value else None)

        drafts = await asyncio.gather(*(twice(player.name) for player in team.players))
        return await captain_decides(question, team, drafts, reasons=False)


@dataclass(frozen=True, slots=True)
class OwnHint(Captained):
    """Only the captain has the hint: its draft is another, those of the others are the usual ones."""

    name: ClassVar[str] = "own-hint"
    traits: ClassVar[Traits] = Silent.traits

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team, self.captain)

    async def play(self, question: Question, team: Team) -> Verdict:
        primed = [
            replace(player, instruction=HINT) if player.name == team.captain else player for player in team.players
        ]
        drafts = await asyncio.gather(*(team.draft(player, question) for player in primed))
        return await captain_decides(question, team, drafts, reasons=False)


OTHERS: Mapping[str, Strategy] = {strategy.name: strategy for strategy in (Primed(), Hinted(), Refined(), OwnHint())}


def drawn(*of: Any) -> int:
    return int(hashlib.sha256(repr(of).encode()).hexdigest(), 16)


class Suggestible(World):
    """Players whom a hint makes say something else, mostly what is wrong."""

    def reply(self, name: str, request: Request) -> Script:
        number, texts = number_of(request), shown_texts(request)
        if texts:
            return in_form(request, texts[drawn(name, number, sorted(texts)) % len(texts)])
        if any(HINT in message.content for message in request.messages):
            return in_form(request, ("Brest", "Nice", "Paris")[drawn(name, number, "hint") % 3])
        return in_form(request, CITIES[drawn(name, number) % 3])


@cache
def measured(*names: str) -> Mapping[str, Any]:
    world = Suggestible(lambda name, number, repeat: "", count=6)
    played = [Primed(reasons=True) if name == "primed(reasons=True)" else OTHERS.get(name, name) for name in names]
    return world.play(played, grouping={"match": "only"}).figures


def rows_of(figures: Mapping[str, Any], label: str) -> dict[str, Any]:
    """All rows of one strategy, but for the name of its table, what is adjusted for others, and how long it took."""
    rows = {
        key: [dict(row) for row in figures.get(key, ()) if row.get("label", row.get("stage")) == label]
        for key in (
            *("accuracy", "gap", "gains", "diversity", "diversity_captains", "self_preference", "position_bias"),
            *("safety", "safety_models", "coverage", "human"),
        )
    }
    for row in (row for several in rows.values() for row in several):
        for changing in [
            name for name in row if name.endswith("_holm") or name in ("team", "table", "seconds", "family")
        ]:
            del row[changing]
    return {key: several for key, several in rows.items() if several}


def reached(figures: Mapping[str, Any], label: str) -> dict[str, Any]:
    """What the players of a strategy could reach, from the table it sits at."""
    (table,) = {row.get("table", row["team"]) for row in figures["accuracy"] if row["strategy"] == label}
    parts = {part["team"]: part for part in figures.get("teams", ())}
    found = parts.get(table, figures)
    players = [row for row in figures["players"] if row.get("team", table) == table]
    return {
        "skyline": without_team(found["skyline"]),
        "best_single": without_team(found["best_single"]),
        "players": [without_team(row) for row in players],
    }


def without_team(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in ("team", "from")}


@pytest.mark.parametrize("other", OTHERS)
def test_whoever_drafts_by_other_calls_changes_no_row_and_nobody_changes_its_rows(other: str) -> None:
    by_itself = measured(other)
    for names, after in (
        (("vote",), measured("vote", other)),
        (("vote",), measured(other, "vote")),
        (("solo", "vote", "silent"), measured(other, "solo", "vote", "silent")),
    ):
        before = measured(*names)
        for name in set(names) - {"solo"}:
            assert rows_of(after, name) == rows_of(before, name), name
            assert reached(after, name) == reached(before, name), name
        if other != "own-hint":  # whose players but the captain are those of the others, and speak for them
            assert rows_of(after, other) == rows_of(by_itself, other)
            assert reached(after, other) == reached(by_itself, other)


@pytest.mark.parametrize("other", OTHERS)
def test_figures_on_top_are_those_of_the_single_players(other: str) -> None:
    wanted = without_team(measured("solo", "vote")["skyline"])
    for names in (("solo", other), (other, "solo"), ("solo", "vote", other)):
        assert without_team(measured(*names)["skyline"]) == wanted, names


def test_so_they_are_where_most_strategies_share_other_calls() -> None:
    wanted = without_team(measured("solo", "vote")["skyline"])
    figures = measured("primed", "primed(reasons=True)", "solo")
    assert without_team(figures["skyline"]) == wanted
    assert {part["team"] for part in figures["teams"]} == {"team", "team (drafts of primed, primed(reasons=True))"}


def test_one_against_one_those_asked_in_the_usual_words_stand_on_top() -> None:
    wanted = measured("vote")
    for names in (("vote", "primed"), ("primed", "vote")):
        figures = measured(*names)
        assert without_team(figures["skyline"]) == wanted["skyline"]
        assert figures["skyline"]["team"] == "team"
        assert {part["team"] for part in figures["teams"]} == {"team", "team (drafts of primed)"}


def test_where_nothing_tells_which_drafts_are_usual_none_stand_on_top() -> None:
    for names in (("vote", "hinted"), ("hinted", "vote")):
        figures = measured(*names)
        assert "skyline" not in figures
        assert {part["team"] for part in figures["teams"]} == {"team (drafts of hinted)", "team (drafts of vote)"}


def test_most_strategies_tell_it() -> None:
    wanted = without_team(measured("vote")["skyline"])
    for names in (("vote", "silent", "hinted"), ("hinted", "silent", "vote")):
        assert without_team(measured(*names)["skyline"]) == wanted


@dataclass(frozen=True, slots=True)
class Seated:
    """Whoever sits in this seat has said it, and nobody leads: one cell, where a captained strategy has one a captain."""

    seat: int = 0

    name: ClassVar[str] = "seated"
    traits: ClassVar[Traits] = Traits(prompts=("draft",), drafts="single-call", word="player", asks="nobody")

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        draft = drafts[self.seat]
        return Verdict(draft.text, draft.outcome, who=(draft.player,), answers=drafts)


def test_a_strategy_counts_once_however_many_captains_play_it() -> None:
    world = Suggestible(lambda name, number, repeat: "", count=6)
    wanted = without_team(measured("vote")["skyline"])
    for both in ([Hinted(), Seated(), Seated(seat=1)], [Seated(seat=1), Seated(), Hinted()]):
        figures = world.play(both, grouping={"match": "only"}).figures
        assert sum(row["strategy"] == "hinted" for row in figures["accuracy"]) > 2, "one a captain"
        assert without_team(figures["skyline"]) == wanted
    assert "skyline" not in world.play([Hinted(), Seated()], grouping={"match": "only"}).figures


def test_strategies_are_compared_whatever_drafts_they_rest_on() -> None:
    pairs = {(row["a"], row["b"]) for row in measured("vote", "hinted")["comparisons"] if row["captain"] is None}
    assert pairs == {("hinted", "vote")}


def test_the_claim_must_hold_against_the_file_s_own_single_players() -> None:
    """Drafts that a hint has spoilt are easily beaten; whoever played alone without it is a single to beat too."""
    alone = measured("solo", "primed")
    singles = [row["value"] for row in alone["accuracy"] if row["strategy"] == "solo"]
    drafted = [row["value"] for row in alone["players"] if row["team"] != "team"]
    assert max(singles) > max(drafted)
    beaten = alone["headline"]["over_best_single"]
    assert beaten["difference"] == pytest.approx(alone["headline"]["value"] - max(singles))


@dataclass(frozen=True, slots=True)
class PrimedAlone:
    """A single player with a hint."""

    name: ClassVar[str] = "primed-alone"
    traits: ClassVar[Traits] = Solo().traits

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return Solo().lineups(team)

    async def play(self, question: Question, team: Team) -> Verdict:
        hinted = replace(team, players=tuple(replace(player, instruction=HINT) for player in team.players))
        return await Solo().play(question, hinted)


def test_whoever_plays_alone_in_another_way_speaks_for_those_who_draft_so() -> None:
    world = Suggestible(lambda name, number, repeat: "", count=6)
    both = [PrimedAlone(), Hinted(), "solo", "vote"]
    for strategies in (both, both[::-1]):
        figures = world.play(strategies, grouping={"match": "only"}).figures
        sources = {(row["team"], row["from"]) for row in figures["players"]}
        assert sources == {(table_named(figures, "hinted"), "primed-alone"), (table_named(figures, "vote"), "solo")}


def table_named(figures: Mapping[str, Any], label: str) -> str:
    (table,) = {row.get("table", row["team"]) for row in figures["accuracy"] if row["strategy"] == label}
    return str(table)
