"""Vote: the largest group wins, a tie goes to the captain's group or by lot, and nothing depends on who is first."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from virtual_time import virtual_time

from moot.errors import TimedOut
from moot.grade.group import GROUPING, Stages
from moot.models.scripted import Script, ScriptedModel
from moot.strategies import label, strategy
from moot.strategies.vote import Vote
from moot.team import Player, Team
from moot.testing import check_strategy
from moot.traces import Ballot, Counted, Grouped, NotNeeded, of_kind
from moot.types import Answer, Grouping, Question, Reply, Request, Verdict

NAMES = ("ann", "bob", "cat", "dan", "eve", "fay")
QUESTION = Question("q", "Which city did the song name?")
CHOICE = Question("c", "Which one?", choices=("first", "second", "third"), kind="choice")
DOWN = TimedOut("too slow")
REFUSAL = Reply("I would rather not.", "refusal")
GARBLED: Script = {"nothing": "of use"}


def grouped(verdict: Verdict) -> Grouped:
    (record,) = of_kind(verdict.traces, Grouped)
    return record


def counted(verdict: Verdict) -> Counted:
    (record,) = of_kind(verdict.traces, Counted)
    return record


class Delayed(ScriptedModel):
    """Says it after a while."""

    delay_s = 0.0

    async def generate(self, request: Request) -> Reply:
        await asyncio.sleep(self.delay_s)
        return await super().generate(request)


def saying(name: str, said: Script, delay_s: float = 0.0) -> Player:
    script: Script = {"reasoning": f"so {said}", "answer": said} if isinstance(said, str) else said
    model = Delayed(f"model-of-{name}", lambda request: script)
    model.delay_s = delay_s
    return Player(name, model)


def team(*said: Script, captain: str | None = None, seed: int = 7, names: Sequence[str] = NAMES, **more: Any) -> Team:
    """Players who say this, whatever they are asked; the staged grouper without a model."""
    players = tuple(saying(name, each) for name, each in zip(names, said, strict=False))
    return Team("six", players, seed=seed, captain=captain, **{"grouper": Stages(), **more})


async def vote(*said: Script, question: Question = QUESTION, **more: Any) -> Verdict:
    return await Vote().play(question, team(*said, **more).seated())


# --- who wins ---------------------------------------------------------------------------------------------------------

WINS: Mapping[str, tuple[list[str], str | None, str, str]] = {
    # what they say, the captain, the answer, who stands behind it
    "largest": (["Rome", "Paris", "Paris"], None, "Paris", "bob cat"),
    "largest-against-the-captain": (["Rome", "Paris", "Paris"], "ann", "Paris", "bob cat"),
    "all-alike": (["Paris", "Paris", "Paris"], "bob", "Paris", "ann bob cat"),
    "most-not-half": (["Rome", "Paris", "Oslo", "Paris", "Bonn"], None, "Paris", "bob dan"),
    "merged-before-the-vote": (["the Paris.", "Rome", "PARIS"], None, "the Paris.", "ann cat"),
    "tie-to-the-captain": (["Rome", "Paris"], "bob", "Paris", "bob"),
    "tie-to-the-captain's-group": (["Rome", "Paris", "Rome", "Paris", "Oslo"], "dan", "Paris", "bob dan"),
    "all-differ": (["Rome", "Paris", "Oslo"], "cat", "Oslo", "cat"),
    "one-player": (["Rome"], None, "Rome", "ann"),
    "one-player-and-captain": (["Rome"], "ann", "Rome", "ann"),
}


@pytest.mark.parametrize(("said", "captain", "answer", "who"), WINS.values(), ids=WINS)
async def test_who_wins(said: list[str], captain: str | None, answer: str, who: str) -> None:
    verdict = await vote(*said, captain=captain)
    assert (verdict.answer, verdict.outcome, verdict.who) == (answer, "answered", tuple(who.split()))
    assert (verdict.absent, verdict.cause, verdict.turns) == ((), None, 1)


@pytest.mark.parametrize("spelling", [("B", "B", "B"), ("b", "B.", "(B)"), ("B", "second", "B) second")])
async def test_three_who_say_b_never_split(spelling: Sequence[str]) -> None:
    verdict = await vote(*spelling, question=CHOICE)
    assert (verdict.answer, grouped(verdict).groups) == ("B", (("ann", "bob", "cat"),))
    assert counted(verdict).winners == (0,)


async def test_a_team_of_twenty() -> None:
    names = [f"p{n}" for n in range(20)]
    said = ["Rome"] * 6 + ["Paris"] * 7 + [f"Elsewhere {n}" for n in range(7)]
    verdict = await vote(*said, names=names, captain="p19")
    assert (verdict.answer, verdict.who) == ("Paris", tuple(names[6:13]))
    assert len(grouped(verdict).groups) == 9
    assert counted(verdict).points == (6, 7, *[1] * 7)


async def test_a_grouping_model_joins_before_the_vote() -> None:
    grouping = ScriptedModel("g", [{"groups": [[1, 3, 4], [2]]}])
    grouper = Stages(model=Player(GROUPING, grouping))
    seated = team("New York", "Milan", "Big Apple", "Milan", "NYC", grouper=grouper).seated()
    verdict = await Vote().play(QUESTION, seated)
    assert (verdict.answer, verdict.who) == ("New York", ("ann", "cat", "eve"))
    assert grouped(verdict).stages == ("model", "normalised")
    assert len(grouping.requests) == 1
    assert [(call.player, call.stage) for call in seated.journal if call.stage == GROUPING] == [(GROUPING, GROUPING)]


async def test_ballots_and_the_count_say_how() -> None:
    verdict = await vote("Rome", "Paris", DOWN, "Rome", "Paris", captain="ann")
    own = {"ann": 0, "dan": 0, "bob": 1, "eve": 1}
    assert verdict.ballots == [Ballot(voter, {group: 1.0}, turn=1, redrawn=False) for voter, group in own.items()]
    assert grouped(verdict).groups == (("ann", "dan"), ("bob", "eve"))
    assert counted(verdict) == Counted(("Rome", "Paris"), (2.0, 2.0), winners=(0, 1))
    assert [answer.text for answer in verdict.answers] == ["Rome", "Paris", None, "Rome", "Paris"]


# --- whose words ------------------------------------------------------------------------------------------------------

WORDS: Mapping[str, tuple[list[str], str | None, str]] = {
    "the-captain's": (["PARIS", "Paris", "Paris", "paris"], "dan", "paris"),
    "else-the-commonest": (["PARIS", "Paris", "Paris", "Rome"], "dan", "Paris"),
    "else-the-first-player's": (["paris", "PARIS", "Paris", "Rome"], None, "paris"),
    "commonest-tied": (["PARIS", "Paris", "PARIS", "Paris"], None, "PARIS"),
}


@pytest.mark.parametrize(("said", "captain", "words"), WORDS.values(), ids=WORDS)
async def test_the_wording_of_a_group(said: list[str], captain: str | None, words: str) -> None:
    verdict = await vote(*said, captain=captain)
    assert (verdict.answer, verdict.reasoning) == (words, f"so {words}")


async def test_the_wording_goes_by_player_order_also_where_a_model_joined_the_groups() -> None:
    """The clusters that it joins are (ann, eve, fay) and (bob, cat); "x" and "Y" are equally common, and bob is first."""
    grouper = Stages(model=Player(GROUPING, ScriptedModel("g", [{"groups": [[1, 2]]}])))
    verdict = await vote("X", "Y", "Y", DOWN, "x", "x", grouper=grouper)
    assert (verdict.answer, verdict.who) == ("Y", ("ann", "bob", "cat", "eve", "fay"))


# --- the lot ----------------------------------------------------------------------------------------------------------

TIES: Mapping[str, tuple[list[Script], str | None]] = {
    "no-captain": (["Rome", "Paris"], None),
    "the-captain-says-something-else": (["Rome", "Paris", "Rome", "Paris", "Oslo"], "eve"),
    "the-captain-is-absent": (["Rome", "Paris", REFUSAL], "cat"),
}


@pytest.mark.parametrize(("said", "captain"), TIES.values(), ids=TIES)
async def test_a_lot_is_drawn_for_each_question_and_favours_no_place(said: list[Script], captain: str | None) -> None:
    tied = team(*said, captain=captain)
    drawn = []
    for number in range(300):
        question = Question(f"q{number}", "Which city?")
        first, again = [(await Vote().play(question, tied.seated())).answer for _ in range(2)]
        assert first == again, "the same in every run"
        drawn.append(first)
    assert set(drawn) == {"Rome", "Paris"}
    assert 0.4 <= drawn.count("Rome") / 300 <= 0.6


async def test_another_seed_draws_other_lots_and_captains_outside_the_tie_share_one() -> None:
    questions = [Question(f"q{number}", "Which city?") for number in range(40)]

    async def lots(captain: str | None, seed: int) -> list[str | None]:
        tied = team("Rome", "Paris", "Rome", "Paris", "Oslo", "Bonn", captain=captain, seed=seed)
        return [(await Vote().play(question, tied.seated())).answer for question in questions]

    assert await lots("eve", 7) == await lots("fay", 7) == await lots(None, 7)
    assert await lots("eve", 7) != await lots("eve", 8)


async def test_the_captain_changes_ties_only() -> None:
    def by(captain: str) -> Team:
        return team("Rome", "Paris", "Rome", "Paris", "Oslo", captain=captain)

    found = {captain: (await Vote().play(QUESTION, by(captain).seated())).answer for captain in NAMES[:4]}
    assert found == {"ann": "Rome", "bob": "Paris", "cat": "Rome", "dan": "Paris"}


# --- who is not there -------------------------------------------------------------------------------------------------


async def test_who_is_absent_is_in_no_group_and_on_record() -> None:
    verdict = await vote("Rome", DOWN, "Paris", REFUSAL, "Paris", GARBLED)
    assert (verdict.answer, verdict.outcome) == ("Paris", "answered")
    assert verdict.absent == ("bob", "dan", "fay")
    assert grouped(verdict).groups == (("ann",), ("cat", "eve"))
    assert [ballot.voter for ballot in verdict.ballots] == ["ann", "cat", "eve"]
    assert {answer.player: answer.outcome for answer in verdict.answers if answer.text is None} == {
        "bob": "failed",
        "dan": "refused",
        "fay": "unanswered",
    }


async def test_one_survivor_wins_but_the_others_are_missed() -> None:
    verdict = await vote(DOWN, "Rome", REFUSAL)
    assert (verdict.answer, verdict.who, verdict.absent) == ("Rome", ("bob",), ("ann", "cat"))


NOBODY: Mapping[str, tuple[list[Script], str]] = {
    "unanswered": ([GARBLED, GARBLED], "unanswered"),
    "refused": ([REFUSAL, GARBLED], "refused"),
    "failed": ([GARBLED, DOWN, REFUSAL], "failed"),
}


@pytest.mark.parametrize(("said", "outcome"), NOBODY.values(), ids=NOBODY)
async def test_nobody_answers(said: list[Script], outcome: str) -> None:
    verdict = await vote(*said, captain="ann")
    assert (verdict.answer, verdict.outcome, verdict.who) == (None, outcome, ())
    assert verdict.absent == NAMES[: len(said)]
    assert verdict.cause is not None
    assert all(name in verdict.cause for name in verdict.absent)


# --- whatever the order -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delays_s", [(0.0, 0.01, 0.02, 0.03), (0.03, 0.02, 0.01, 0.0), (0.02, 0.0, 0.03, 0.01)])
async def test_the_order_of_arrival_changes_nothing(delays_s: tuple[float, ...]) -> None:
    said = ["Rome", "Paris", "rome", "paris"]
    players = [saying(*each) for each in zip(NAMES, said, delays_s, strict=False)]
    late = Team("six", tuple(players), seed=7, grouper=Stages()).seated()
    assert await Vote().play(QUESTION, late) == await vote(*said)


# --- not waiting for all ----------------------------------------------------------------------------------------------

LETTERS = Question("l", "Which one?", choices=("first", "second", "third", "fourth"), kind="choice")
LATE_S = 60.0
SETTLED: Mapping[str, tuple[Question, list[Script], list[Script], bool]] = {
    # the question, who is early, who is late, whether the vote waits for the late
    "a-half-is-no-majority": (QUESTION, ["Paris", "Paris"], ["Rome", "Rome"], True),
    "more-than-half": (QUESTION, ["Paris", "paris", "Paris "], ["Rome", "Rome"], False),
    "words-that-differ-may-mean-the-same": (QUESTION, ["Paris", "Paris", "Rome", "Oslo"], ["Bonn"], True),
    "words-of-the-absent-count-for-nobody": (QUESTION, ["Paris", "Paris", DOWN], ["Rome"], True),
    "letters-that-differ-stay-apart": (LETTERS, ["B", "B", "B", "A", "C", "D"], ["A"], False),
    "letters-all-for-one": (LETTERS, ["B", "B", "B"], ["A", "A"], False),
    "letters-that-can-still-tie": (LETTERS, ["B", "B"], ["A", "A"], True),
    "letters-that-can-still-tie-with-the-second": (LETTERS, ["B", "B", "A"], ["A"], True),
    "letters-that-can-still-lose": (LETTERS, ["B", "B", "A"], ["A", "A"], True),
    "letters-of-the-absent-will-not-come": (LETTERS, ["B", "B", DOWN], ["A"], False),
    "nobody-has-answered-yet": (LETTERS, [DOWN], ["A"], True),
}


@pytest.mark.parametrize(("question", "early", "late", "waits"), SETTLED.values(), ids=SETTLED)
@virtual_time
async def test_the_late_are_dropped_only_where_they_could_change_nothing(
    question: Question, early: list[Script], late: list[Script], waits: bool
) -> None:
    names = [f"p{n}" for n in range(len(early) + len(late))]
    delays_s = [0.0] * len(early) + [LATE_S] * len(late)
    players = [saying(*player) for player in zip(names, early + late, delays_s, strict=True)]
    seated = Team("some", tuple(players), seed=7, grouper=Stages()).seated()
    started = asyncio.get_running_loop().time()
    verdict = await Vote(early_stop=True).play(question, seated)
    took_s = asyncio.get_running_loop().time() - started
    dropped = [name for record in of_kind(verdict.traces, NotNeeded) for name in record.players]
    assert dropped == ([] if waits else names[len(early) :])
    assert (took_s >= LATE_S) == waits, "a call that is dropped is not waited for"
    everybody = await vote(*early, *late, question=question, names=names)
    assert (verdict.answer, verdict.outcome) == (everybody.answer, everybody.outcome)


# --- as an option of a file -------------------------------------------------------------------------------------------


def test_who_was_not_waited_for_is_told_by_the_play_and_never_by_words() -> None:
    """Whatever an attempt's cause says, somebody who was asked and did not answer is missed."""
    words = "not needed: the vote was settled without it"
    drafts = (Answer("ann", "B"), Answer("bob", "B"), Answer("cyd", None, outcome="unanswered", cause=words))
    seated, grouping = team("B", "B", "B"), Grouping((("ann", "bob"),), ("normalised",))
    asked = Vote().decide(QUESTION, seated, drafts, grouping)
    assert (asked.absent, of_kind(asked.traces, NotNeeded)) == (("cyd",), [])
    spared = Vote().decide(QUESTION, seated, drafts, grouping, ["cyd"])
    assert (spared.absent, of_kind(spared.traces, NotNeeded)) == ((), [NotNeeded(("cyd",))])


def test_line_ups() -> None:
    plain = team("Rome", "Paris")
    assert [each.captain for each in Vote().lineups(plain)] == [None]
    assert [each.captain for each in Vote(captain="bob").lineups(plain)] == ["bob"]
    each = team("Rome", "Paris", captain="each")
    assert [lineup.captain for lineup in Vote().lineups(each)] == ["ann", "bob"]
    assert label(strategy("vote", {"captain": "bob"})) == "vote"


@pytest.mark.parametrize("captain", [None, "each", "bob"])
async def test_the_contract(captain: str | None) -> None:
    await check_strategy(Vote(captain=captain))
