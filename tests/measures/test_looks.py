"""Looks by whichever record tells of them: strategies from elsewhere whose deciders go by the text alone, and never by places."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from zlib import crc32

import pytest

import moot
from moot import Answer, Case, Question, Request, ScriptedModel, Team, Traits, Verdict
from moot.models.scripted import Script
from moot.strategies import CallBound, prompts_for
from moot.team.forms import Unusable, object_schema
from moot.testing import check_strategy
from moot.traces import Ballot, Counted, Round, Shown, Trace

QUESTIONS = 60
FIGURES = ("by", "captain", "first", "last", "first_p", "last_p", "chance", "decisions", "apart", "n")


@dataclass(frozen=True, slots=True)
class PickForm:
    size: int
    letters: ClassVar[str] = ""

    @property
    def schema(self) -> Mapping[str, Any]:
        number = {"type": "integer", "minimum": 1, "maximum": self.size}
        return object_schema({"reasoning": {"type": "string"}, "pick": number})

    def read(self, data: Mapping[str, Any]) -> int:
        if type(pick := data.get("pick")) is not int or not 1 <= pick <= self.size:
            raise Unusable("no-field")
        return pick - 1


@dataclass(frozen=True, slots=True)
class Chaired:
    """A chair picks a draft in each of two turns; the options say what is drawn and what is written down of it."""

    records: tuple[str, ...] = ("shown", "ballot")
    turns: int = 2
    anew: bool = True
    """Drawn in each turn, or once."""
    redrawn: bool = True
    """Said to be."""
    turned: bool = True
    """The second look is said to be one of the second turn."""
    ballot_role: str = "chair"
    worded: bool = False
    """What was picked is told by its words."""
    argued: bool = False
    """What was shown is said to be positions."""
    mute: bool = False
    """What was picked is told by the ballot alone."""

    name: ClassVar[str] = "chaired"
    prompts: ClassVar = {
        "pick": "{# inputs: question, answers, turn #}\n{{ question | block }} Turn {{ turn }}.\n"
        "{% for answer in answers %}<answer>{{ answer | block }}</answer>\n{% endfor %}"
    }

    @property
    def traits(self) -> Traits:
        return Traits(
            prompts=("draft", "pick"),
            drafts="single-call",
            word="player",
            hears="answers",
            offices={"chair": "jo"},
            calls=CallBound(per_player=1, fixed=self.turns),
        )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        absent = tuple(draft.player for draft in drafts if draft.text is None)
        heard = [draft for draft in drafts if draft.text is not None]
        if not heard:
            return Verdict(None, drafts[0].outcome, answers=drafts, absent=absent, cause="nobody spoke")
        traces: list[Trace] = []
        picked = None
        for turn in range(2, 2 + self.turns):
            order = team.random(question, "order", turn if self.anew else 0).sample(range(len(heard)), len(heard))
            prompt = prompts_for(self, team.prompts).render(
                "pick", question=question.text, answers=[heard[place].text for place in order], turn=turn
            )
            reply = await team.ask(
                team.officers["chair"], question, prompt, PickForm(len(heard)), stage="pick", turn=turn
            )
            picked = None if reply.value is None else heard[order[reply.value]]
            traces += self._told(heard, order, reply.value, turn)
        rest: dict[str, Any] = {"answers": drafts, "turns": 1 + self.turns, "absent": absent, "traces": tuple(traces)}
        if picked is None:
            return Verdict(heard[0].text, "undecided", who=(heard[0].player,), cause="no pick", **rest)
        return Verdict(picked.text, "answered", picked.reasoning, (picked.player,), **rest)

    def _told(self, heard: list[Answer], order: list[int], pick: int | None, turn: int) -> list[Trace]:
        told: list[Trace] = []
        said_turn = turn if self.turned else 2
        again = self.redrawn if turn > 2 else True
        if "shown" in self.records:
            people = tuple((heard[place].player,) for place in order)
            answer = None if pick is None or self.mute else heard[order[pick]].text
            places = None if pick is None or self.worded or self.mute else (pick,)
            told.append(Shown("chair", "chair", people, said_turn, answer=answer, places=places, redrawn=again))
        if "ballot" in self.records:
            choice = None if pick is None else {order[pick]: 1.0}
            told += [
                Ballot("chair", choice, order=tuple(order), turn=said_turn, role=self.ballot_role, redrawn=again),
                Counted(tuple(draft.text or "" for draft in heard), (), (), said_turn),
            ]
        return [*told, Round(turn, {})] if self.argued else told


def player(name: str, shared: float) -> ScriptedModel:
    """Says what the others say, in other letters, with this chance; else its own name."""

    def say(request: Request) -> Script:
        lot = crc32(f"{name} {request.question_id}".encode()) % 100
        return {"reasoning": "r", "answer": ("Paris" if name < "b" else "PARIS") if lot < 100 * shared else name}

    return ScriptedModel(name, say)


def chair(say: Callable[[str, str, list[str]], int]) -> ScriptedModel:
    def pick(request: Request) -> Script:
        prompt = request.messages[-1].content
        answers = [answer.strip().casefold() for answer in re.findall(r"<answer>(.*?)</answer>", prompt, re.DOTALL)]
        (turn,) = re.findall(r"Turn (\d)", prompt)
        return {"reasoning": "r", "pick": 1 + say(str(request.question_id), turn, answers)}

    return ScriptedModel("jo", pick)


def by_turn(question: str, turn: str, answers: list[str]) -> int:
    """One text in the second turn, another in the third: never by its place."""
    return answers.index("ann" if turn == "2" else "bob")


def by_text(question: str, turn: str, answers: list[str]) -> int:
    """What most say where that is there, under the first number that has it."""
    wanted = "paris" if "paris" in answers else sorted(answers)[crc32(question.encode()) % len(answers)]
    return answers.index(wanted)


def bias(
    *strategies: Chaired,
    says: Callable[[str, str, list[str]], int],
    seed: int = 0,
    shared: float = 0.0,
    people: int = 2,
) -> list[dict[str, Any]]:
    """Played and reported as a user would: the row of position bias of each strategy."""
    names = ("ann", "bob", "cat")[:people]
    results = moot.run(
        {
            "name": "places",
            "questions": [Case(Question(str(n), f"What is item {n}?"), "ann") for n in range(QUESTIONS)],
            "models": {**{name: player(name, shared) for name in names}, "jo": chair(says)},
            "players": {name: {"model": name} for name in names},
        },
        strategies=strategies,
    )
    labels = [row["label"] for row in results.figures["accuracy"] if row["strategy"] == Chaired.name]
    return sorted((dict(row) for row in results.figures["position_bias"]), key=lambda row: labels.index(row["label"]))


def test_an_order_that_is_drawn_anew_is_a_draw_of_its_own() -> None:
    """Text alone decides, so no p is next to nothing; and every look is there, by whichever record, also by those that leave
    the turn as it was."""
    told = (Chaired(("ballot",)), Chaired(("shown",)), Chaired(("shown",), turned=False))
    ballots, shown, left = bias(*told, says=by_turn)
    for row in (ballots, shown, left):
        assert row["decisions"] == 2 * QUESTIONS
        assert min(row["first_p"], row["last_p"]) > 0.02
        assert {key: row[key] for key in FIGURES} == {key: shown[key] for key in FIGURES}


@pytest.mark.parametrize("record", ["ballot", "shown"])
def test_an_order_that_was_kept_is_one_draw(record: str) -> None:
    """The same pick in both turns: as many draws as questions, so p is that of half as many looks."""
    kept = Chaired((record,), anew=False, redrawn=False)
    once, twice, taken_for_two = bias(
        Chaired((record,), turns=1, anew=False), kept, Chaired((record,), anew=False), says=by_text
    )
    assert (twice["first"], twice["decisions"]) == (once["first"], 2 * once["decisions"])
    assert twice["first_p"] == pytest.approx(once["first_p"], abs=0.03)
    assert taken_for_two["first_p"] < twice["first_p"] - 0.05


def test_drafts_that_say_the_same_share_what_is_picked_by_its_number() -> None:
    """As they do where words tell what was picked; positions do not, whatever their holders drafted."""
    told = (Chaired(("shown",), 1, worded=True), Chaired(("shown",), 1), Chaired(("ballot",), 1))
    positions = Chaired(("shown",), 1, argued=True)
    by_words, *by_number, argued = bias(*told, positions, says=by_text, shared=0.8, people=3)
    assert by_words["apart"]["alike"] > QUESTIONS // 3
    for row in by_number:
        assert {key: row[key] for key in FIGURES} == {key: by_words[key] for key in FIGURES}
        assert row["first_p"] > 0.05
    assert argued["decisions"] == QUESTIONS
    assert argued["first"] > 0.6


def test_a_shown_and_a_ballot_of_one_look_are_one_look() -> None:
    alone, both = bias(Chaired(("shown",)), Chaired(("shown", "ballot")), says=by_turn)
    assert {key: both[key] for key in FIGURES} == {key: alone[key] for key in FIGURES}


@pytest.mark.parametrize(
    ("strategy", "says"),
    [
        (Chaired(turned=False), r"in turn 2 'chair' has 2 looks on record, and was asked 1 times .*asked: 2, 3\)"),
        (Chaired(ballot_role="voter"), r"in turn 2 'chair' has 2 looks on record, and was asked 1 times"),
        (Chaired(anew=False), r"in turn 3 is said to be drawn anew, and is the one before under 12 seeds"),
        (Chaired(redrawn=False), r"in turn 3 is said to be the one before \(redrawn=False\), and is another"),
        (Chaired(mute=True), r"'chair' chose by its Ballot of turn 2, and by its Shown said nothing usable"),
    ],
    ids=["turn", "role", "kept", "drawn", "mute"],
)
async def test_records_that_tell_of_looks_that_nobody_had_are_found_out(strategy: Chaired, says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        await check_strategy(strategy)


async def test_records_that_are_true_are_not() -> None:
    await check_strategy(Chaired())
    await check_strategy(Chaired(anew=False, redrawn=False))
