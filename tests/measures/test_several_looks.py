"""Which looks belong together where somebody looks several times in a turn, or for several line-ups: umpires who go by the text
alone, and figures against what they were shown."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Literal
from zlib import crc32

import pytest

import moot
from moot import Answer, Case, Question, Request, ScriptedModel, Team, Traits, Verdict
from moot.measures.position.bias import Look, redrawn
from moot.models.scripted import Script
from moot.strategies import CallBound, prompts_for
from moot.team.forms import AnswerForm, Unusable, object_schema
from moot.testing import check_strategy
from moot.traces import Ballot, Counted, Shown, Trace, looks_of

QUESTIONS = 60
PLAYERS = ("ann", "bob", "cat")
FIGURES = ("first", "last", "first_p", "last_p", "chance", "decisions", "apart", "n")


@dataclass(frozen=True, slots=True)
class DuelForm:
    letters: ClassVar[str] = ""
    schema: ClassVar = object_schema({"reasoning": {"type": "string"}, "better": {"type": "integer", "enum": [1, 2]}})

    def read(self, data: Any) -> int:
        if type(better := data.get("better")) is not int or better not in (1, 2):
            raise Unusable("no-field")
        return better - 1


@dataclass(frozen=True, slots=True)
class Duels:
    """An umpire who does not play looks at each two drafts that stand beside each other, so many times, all in one turn."""

    looks: int = 1
    anew: bool = False
    """Each look is drawn, or each pair once."""
    said_anew: bool | None = None
    """What the records say of looks after the first; None: what is true."""
    first_anew: bool = True
    by: Literal["duel", "look", "counts last"] = "duel"
    """In which order the records stand."""
    record: Literal["shown", "ballot"] = "shown"

    name: ClassVar[str] = "duels"
    prompts: ClassVar = {
        "duel": "{# inputs: question, answers, look #}\n{{ question | block }} Look {{ look }}.\n"
        "{% for answer in answers %}<answer>{{ answer | block }}</answer>\n{% endfor %}"
    }
    traits: ClassVar = Traits(
        prompts=("draft", "duel"),
        drafts="single-call",
        word="player",
        hears="answers",
        offices={"umpire": "jo"},
        calls=CallBound(per_player=3),
    )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        heard = [draft for draft in drafts if draft.text is not None]
        rest: dict[str, Any] = {
            "answers": drafts,
            "absent": tuple(draft.player for draft in drafts if draft.text is None),
        }
        if not heard:
            return Verdict(None, drafts[0].outcome, cause="nobody spoke", **rest)
        pairs = list(pairwise(heard))
        told: dict[tuple[int, int], Trace] = {}
        winner: Answer | None = None
        for look in range(self.looks):
            for number, pair in enumerate(pairs):
                order = team.random(question, number, look if self.anew else 0).sample(range(2), 2)
                better = await self._asked(question, team, [pair[place] for place in order], look)
                winner = None if better is None else pair[order[better]]
                told[number, look] = self._told(pair, order, better, look)
        counts = [Counted(tuple(str(draft.text) for draft in pair), (), (), 2) for pair in pairs]
        rest |= {"turns": 2, "traces": tuple(self._in_order(told, counts if self.record == "ballot" else []))}
        if winner is None:
            return Verdict(heard[0].text, "undecided", who=(heard[0].player,), cause="no word", **rest)
        return Verdict(winner.text, "answered", winner.reasoning, (winner.player,), **rest)

    async def _asked(self, question: Question, team: Team, answers: Sequence[Answer], look: int) -> int | None:
        prompt = prompts_for(self, team.prompts).render(
            "duel", question=question.text, answers=[answer.text for answer in answers], look=look
        )
        return (await team.ask(team.officers["umpire"], question, prompt, DuelForm(), stage="duel", turn=2)).value

    def _told(self, pair: Sequence[Answer], order: Sequence[int], better: int | None, look: int) -> Trace:
        redrawn = self.first_anew if look == 0 else self.anew if self.said_anew is None else self.said_anew
        if self.record == "ballot":
            choice = None if better is None else {order[better]: 1.0}
            return Ballot("umpire", choice, order=tuple(order), turn=2, role="umpire", redrawn=redrawn)
        people = tuple((pair[place].player,) for place in order)
        places = None if better is None else (better,)
        return Shown("umpire", "umpire", people, 2, places=places, redrawn=redrawn)

    def _in_order(self, told: dict[tuple[int, int], Trace], counts: Sequence[Counted]) -> list[Trace]:
        if self.by == "look":
            return [*(told[place] for place in sorted(told, key=lambda place: place[::-1])), *counts]
        if self.by == "counts last" or not counts:
            return [*(told[place] for place in sorted(told)), *counts]
        return [
            record
            for number, count in enumerate(counts)
            for record in (*(told[place] for place in sorted(told) if place[0] == number), count)
        ]


def player(name: str, cities: Sequence[str]) -> ScriptedModel:
    """Says one of these, or its own name."""

    def say(request: Request) -> Script:
        said = cities[crc32(f"{name} {request.question_id}".encode()) % len(cities)] if cities else f"{name}town"
        return {"reasoning": "r", "answer": said}

    return ScriptedModel(name, say)


def umpire(request: Request) -> Script:
    """Goes by the text alone; of two that are alike it names the first."""
    answers = re.findall(r"<answer>\s*(\S+?)\s*</answer>", request.messages[-1].content)
    best = min(answers, key=lambda text: crc32(f"{text} {request.question_id}".encode()))
    return {"reasoning": "r", "better": 1 + answers.index(best)}


def bias(
    *strategies: Any, cities: Sequence[str] = (), judge: Any = umpire, people: Sequence[str] = PLAYERS, seed: int = 0
) -> list[dict[str, Any]]:
    """Played and reported as a user would: the row of position bias of each strategy."""
    results = moot.run(
        {
            "name": "duels",
            "seed": seed,
            "questions": [Case(Question(str(n), f"What is item {n}?"), "ann") for n in range(QUESTIONS)],
            "models": {**{name: player(name, cities) for name in people}, "jo": ScriptedModel("jo", judge)},
            "players": {name: {"model": name} for name in people},
        },
        strategies=strategies,
    )
    labels = list(dict.fromkeys(row["label"] for row in results.figures["accuracy"]))
    return sorted((dict(row) for row in results.figures["position_bias"]), key=lambda row: labels.index(row["label"]))


def figures(row: dict[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in FIGURES}


def test_an_order_that_was_kept_is_that_of_the_same_things() -> None:
    """Each pair is one draw however its two looks stand among the others: p is that of one look at each."""
    once, by_duel, by_look = bias(Duels(), Duels(2), Duels(2, by="look"))
    assert figures(by_look) == figures(by_duel)
    assert by_look["decisions"] == 2 * once["decisions"]
    assert by_look["first_p"] == pytest.approx(once["first_p"], abs=0.03)


@pytest.mark.parametrize(
    ("strategy", "says"),
    [
        (
            Duels(2, anew=True, said_anew=False, by="look"),
            r"said to be the one before \(redrawn=False\), and is another",
        ),
        (Duels(2, said_anew=True, by="look"), r"said to be drawn anew, and is the one before under"),
        (Duels(first_anew=False), r"redrawn=False\), and it was shown the same things in no look before"),
        (
            Duels(first_anew=False, record="ballot"),
            r"redrawn=False\), and it was shown the same things in no look before",
        ),
        (Duels(record="ballot", by="counts last"), r"which Counted of turn 2 the ballot of 'umpire' is in"),
    ],
    ids=["drawn", "kept", "first", "first-ballot", "counts"],
)
async def test_looks_that_belong_to_none_are_found_out(strategy: Duels, says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        await check_strategy(strategy)


@pytest.mark.parametrize(
    "strategy", [Duels(2, by="look"), Duels(2), Duels(2, anew=True), Duels(record="ballot"), Duels(2, record="ballot")]
)
async def test_looks_that_are_true_are_not(strategy: Duels) -> None:
    await check_strategy(strategy)


def test_of_several_counts_in_a_turn_each_has_its_ballots() -> None:
    """Told by ballots the same duels give the same figures; where nobody can tell which count a ballot is in, none."""
    cities = ("rome", "oslo", "bern")
    shown, ballots = bias(Duels(), Duels(record="ballot"), cities=cities)
    assert shown["apart"]["alike"] > QUESTIONS // 3
    assert figures(ballots) == figures(shown)
    assert min(ballots["first_p"], ballots["last_p"]) > 0.05
    _, mixed = bias(Duels(), Duels(record="ballot", by="counts last"))
    assert (mixed["decisions"], mixed["apart"]) == (0, {"unknown": 2 * QUESTIONS})


def test_a_vote_that_is_the_only_one_of_its_turn_keeps_its_order_whatever_it_is_about() -> None:
    """So many options are one draw of this voter, from turn to turn, under whichever words."""
    records = [
        record
        for turn, options in enumerate((("a", "b"), ("a", "b", "c"), ("a", "d")), start=1)
        for record in (
            Ballot("ann", {0: 1.0}, order=tuple(range(len(options))), turn=turn, redrawn=False),
            Counted(options, (), (), turn),
        )
    ]
    first, second, third = looks_of(records)
    assert first.draw == third.draw != second.draw
    assert (first.before, second.before, third.before) == (None, None, (0, 1))


def test_an_order_that_nobody_drew_is_none_that_a_later_one_kept() -> None:
    """A place in it may say who stands there, and what is drawn afterwards is a draw of its own."""
    fixed = Shown("jo", "chair", (("ann",), ("bob",)), 1, drawn=False)
    drawn = Shown("jo", "chair", (("bob",), ("ann",)), 2, redrawn=False)
    kept = replace(drawn, turn=3)
    by_rule, first, again = looks_of([fixed, drawn, kept])
    assert (by_rule.before, first.before, again.before) == (None, None, drawn.order)
    assert by_rule.draw != first.draw == again.draw


def _voted(*records: int | tuple[str, ...]) -> list[tuple[str, ...] | None]:
    """What is known of each vote's options: a number is a vote on so many, a tuple of texts a count."""
    return [
        look.options
        for look in looks_of(
            Counted(record, (), (), 1)
            if isinstance(record, tuple)
            else Ballot(f"voter {place}", {0: 1.0}, order=tuple(range(record)), turn=1)
            for place, record in enumerate(records)
        )
    ]


def test_a_vote_that_is_in_no_count_for_sure_is_in_none() -> None:
    two, three = ("a", "b"), ("c", "d", "e")
    assert _voted(2, two, 3, three) == [two, three]
    assert _voted(2, two, 3, three, 2) == [None, None, None], "one after the last count: which are the others of?"
    assert _voted(2, 3, two) == [two, None], "one of its options was not counted"
    assert _voted(3, three, 1, three) == [three, three], "fewer of them were shown"


@dataclass(frozen=True, slots=True)
class Led:
    """A chair picks one of two drafts for each captain; told who leads, it is another call for each."""

    told: bool = True
    by_captain: bool = True
    """The order is drawn for each captain."""
    unseen: Literal["none", "captain", "last"] = "none"
    """Whose draft the chair is not shown: the last player's is the captain's on one question."""
    captains: int | None = None

    name: ClassVar[str] = "led"
    prompts: ClassVar = {
        "pick": "{# inputs: question, answers, lead #}\n{{ question | block }} The lead is {{ lead | block }}.\n"
        "{% for answer in answers %}<answer>{{ answer | block }}</answer>\n{% endfor %}"
    }
    traits: ClassVar = Traits(
        prompts=("draft", "pick"),
        drafts="single-call",
        word="player",
        hears="answers",
        captain="breaks-ties",
        offices={"umpire": "jo"},
        calls=CallBound(per_player=1, fixed=1),
    )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return tuple(replace(team, captain=player.name) for player in team.players[: self.captains])

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        unseen = None if self.unseen == "none" else team.captain
        if self.unseen == "last" and question.id != "0":
            unseen = team.players[-1].name
        seen = [draft for draft in drafts if draft.player != unseen]
        order = team.random(question, "order", team.captain if self.by_captain else "").sample(seen, len(seen))
        lead = next(str(draft.text) for draft in drafts if draft.player == team.captain)
        prompt = prompts_for(self, team.prompts).render(
            "pick",
            question=question.text,
            answers=[draft.text for draft in order],
            lead=lead if self.told else "unknown",
        )
        heard = await team.ask(team.officers["umpire"], question, prompt, DuelForm(), stage="pick", turn=2)
        assert heard.value is not None
        won = order[heard.value]
        look = Shown("umpire", "umpire", tuple((draft.player,) for draft in order), 2, places=(heard.value,))
        return Verdict(won.text, "answered", "r", (won.player,), drafts, turns=2, traces=(look,))


def follows(request: Request) -> Script:
    prompt = request.messages[-1].content
    answers = re.findall(r"<answer>\s*(\S+?)\s*</answer>", prompt)
    (lead,) = re.findall(r"The lead is\s+(\w+)", prompt)
    return {"reasoning": "r", "better": 1 + (answers.index(lead) if lead in answers else 0)}


@pytest.mark.parametrize("seed", [0, 1])
def test_line_ups_with_calls_of_their_own_have_looks_of_their_own(seed: int) -> None:
    (led,) = bias(Led(), people=("ann", "bob"), judge=follows, seed=seed)
    assert (led["decisions"], led["n"]) == (2 * QUESTIONS, QUESTIONS)
    # By one order for both, each picks another of two: half of all picks stand first.
    (one_order,) = bias(Led(by_captain=False), people=("ann", "bob"), judge=follows, seed=seed)
    assert (one_order["decisions"], one_order["first"], one_order["first_p"]) == (2 * QUESTIONS, 0.5, 1.0)


def test_line_ups_that_share_the_call_share_the_look() -> None:
    (shared,) = bias(Led(told=False, by_captain=False), people=("ann", "bob"))
    assert shared["decisions"] == QUESTIONS
    # Two orders are two calls; where they are alike it is one.
    (some,) = bias(Led(told=False), people=("ann", "bob"))
    assert QUESTIONS < some["decisions"] < 2 * QUESTIONS


def test_one_order_for_line_ups_with_calls_of_their_own_is_one_draw() -> None:
    """The same pick for both captains: p is that of one of them."""
    (once,) = bias(Led(told=False, by_captain=False), people=("ann", "bob"))
    (twice,) = bias(Led(by_captain=False), people=("ann", "bob"))
    assert (twice["decisions"], twice["first"]) == (2 * once["decisions"], once["first"])
    assert twice["first_p"] == pytest.approx(once["first_p"], abs=0.03)


def first_seat(request: Request) -> Script:
    answers = re.findall(r"<answer>\s*(\S+?)\s*</answer>", request.messages[-1].content)
    return {"reasoning": "r", "better": 1 + answers.index(min(answers))}


@pytest.mark.parametrize("unseen", ["captain", "last"])
def test_line_ups_that_are_shown_other_things_in_one_order_of_places_are_one_draw(unseen: Any) -> None:
    """Whoever goes by the seats picks in the same place for every captain: p is that of one of them."""
    once, each = bias(
        Led(by_captain=False, unseen=unseen, captains=1), Led(by_captain=False, unseen=unseen), judge=first_seat, seed=1
    )
    assert (each["decisions"], each["first"]) == (3 * once["decisions"], once["first"])
    assert each["first_p"] == pytest.approx(once["first_p"], abs=0.03)
    assert once["first_p"] < 0.9, "else nothing could be told"


def test_orders_that_are_the_same_by_chance_are_no_reason_to_take_the_others_for_independent() -> None:
    """Two line-ups are drawn apart, and each picks its captain's of two drafts. Where the orders are the same one of the picks
    stands first, else both or none: to draw only the same ones together would find a bias in every sixth world."""

    def p_of(world: int) -> float:
        draws = random.Random(world)
        orders = [(str(n), lead, draws.sample((0, 1), 2)) for n in range(QUESTIONS) for lead in (0, 1)]
        looks = [Look(question, order, [lead], lot="jo") for question, lead, order in orders]
        return float(redrawn(looks, seed=world, resamples=500)["first_p"])

    assert sum(p_of(world) <= 0.05 for world in range(200)) <= 18


def test_without_drafts_nothing_is_said_of_how_many_answers_there_were() -> None:
    """Everybody answered, and no table counts different answers: nothing can be left out of it."""
    results = moot.run(
        {
            "name": "talk",
            "questions": [Case(Question(str(n), f"What is item {n}?"), "ann") for n in range(3)],
            "models": {name: {"provider": "simulated", "accuracy": 0.7} for name in PLAYERS},
            "strategies": ["discuss"],
        }
    )
    assert "diversity" not in results.figures
    assert "diversity_left_out" not in results.figures
    assert "left out" not in str(results)
    assert "left out, in some play" not in json.dumps(results.figures, default=str)


@dataclass(frozen=True, slots=True)
class Revised:
    """Everybody hears the others and answers again; an umpire picks one of these answers."""

    distinct: bool | None = None

    name: ClassVar[str] = "revised"
    prompts: ClassVar = Duels.prompts
    traits: ClassVar = replace(Duels.traits, asks="everybody", groups=True)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        rest: dict[str, Any] = {
            "answers": drafts,
            "absent": tuple(draft.player for draft in drafts if draft.text is None),
        }
        heard = [draft for draft in drafts if draft.text is not None]
        if not heard:
            return Verdict(None, drafts[0].outcome, cause="nobody spoke", **rest)
        prompts = prompts_for(self, team.prompts)
        told = prompts.render("duel", question=question.text, answers=[draft.text for draft in heard], look=0)
        again = await team.ask_all(
            question, {draft.player: told for draft in heard}, AnswerForm(question), stage="again", turn=2
        )
        now = [Answer(name, reply.value.answer) for name, reply in again.items() if reply.value is not None]
        groups = (await team.group(question, now)).groups
        words = {answer.player: answer.text for answer in now}
        order = team.random(question, "order").sample(groups, len(groups))
        shown = prompts.render("duel", question=question.text, answers=[words[group[0]] for group in order], look=1)
        pick = (await team.ask(team.officers["umpire"], question, shown, DuelForm(), stage="duel", turn=3)).value
        people = order if self.distinct else tuple((group[0],) for group in order)
        places = None if pick is None else (min(pick, len(order) - 1),)
        look = Shown("umpire", "umpire", tuple(people), 3, places=places, distinct=self.distinct)
        won = order[places[0] if places else 0]
        outcome: Any = "answered" if places else "undecided"
        cause = None if places else "no word"
        return Verdict(words[won[0]], outcome, who=won, turns=3, cause=cause, traces=(look,), **rest)


async def test_answers_that_were_revised_are_no_drafts() -> None:
    await check_strategy(Revised(distinct=True))
    with pytest.raises(AssertionError, match=r"was not shown the drafts of .* in turn 3 .*distinct=True"):
        await check_strategy(Revised())


def test_of_two_votes_in_a_turn_the_one_on_the_same_words_was_seen_before() -> None:
    """Two votes on three options each: the next vote on the first three goes on from the first, and not from the latest."""

    def vote(options: Sequence[str], order: tuple[int, ...], turn: int, *, redrawn: bool) -> list[Trace]:
        cast = Ballot("ann", {order[0]: 1.0}, order=order, turn=turn, redrawn=redrawn)
        return [cast, Counted(tuple(options), (1.0, 0.0, 0.0), (order[0],), turn)]

    cities, rivers = ("Rome", "Oslo", "Bonn"), ("Oka", "Don", "Po")
    first = vote(cities, (2, 0, 1), 1, redrawn=True) + vote(rivers, (1, 2, 0), 1, redrawn=True)
    *_, again = looks_of([*first, *vote(cities, (2, 0, 1), 2, redrawn=False)])
    assert (again.before, again.draw) == ((2, 0, 1), 1)
    *_, other = looks_of([*first, *vote(("Ural", "Lena", "Ob"), (1, 2, 0), 2, redrawn=False)])
    assert (other.before, other.draw) == ((1, 2, 0), 2), "words that nobody has voted on: as many options, the latest"
