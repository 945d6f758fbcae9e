"""A strategy that plays another one inside declares it, and prompts, staff, checks and records go by that."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import pytest

import moot
from moot import Case, Question, ScriptedModel, Team, Traits, Verdict
from moot.decide.cascade import Cascade
from moot.errors import UsageError
from moot.measures.cells import stored_cell
from moot.prompts import Prompts
from moot.strategies import BUILT_IN, Strategy, prompts_for, strategy, traits_of, with_inside
from moot.strategies.debate.debate import Debate
from moot.strategies.talkative import Talkative
from moot.strategies.vote import Vote
from moot.testing import check_strategy
from moot.traces import Cascaded

CASES = [Case(Question(f"q{number}", f"Capital of land {number}?"), "Paris") for number in range(3)]
NUDGE = "{# inputs: question #}\nThink twice.\n{{ question | block }}"
LAST = Debate(drafts="single-call", max_rounds=1)


@dataclass(frozen=True)
class Unanimous:
    """What all say stands; else another strategy decides, from the same drafts."""

    name: ClassVar[str] = "unanimous"
    prompts: ClassVar[Mapping[str, str]] = {"nudge": NUDGE}
    rounds: int = 1

    @property
    def last(self) -> Strategy:
        return replace(LAST, max_rounds=self.rounds)

    @property
    def traits(self) -> Traits:
        return Traits(
            prompts=("draft", "nudge"), drafts="single-call", word="group", hears="rounds", plays=(self.last,)
        )

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        assert prompts_for(self, team.prompts).render("nudge", question=question.text)
        grouping = await team.group(question, drafts)
        waves = (tuple(player.name for player in team.players),)
        if len(grouping.groups) == 1:
            path = Cascaded(waves, "decided", (), None, None, "all at once")
            verdict = Vote().decide(question, team, drafts, grouping)
        else:
            path = Cascaded(waves, "everybody", (), None, self.last.name, "all at once")
            verdict = await self.last.play(question, team)
        return replace(verdict, traces=(*verdict.traces, path))


@dataclass(frozen=True)
class OddEnd:
    """Somebody else's, which fails."""

    name: ClassVar[str] = "odd-end"
    traits: ClassVar[Traits] = Traits(prompts=("draft",), drafts="single-call", word="group", hears="nothing")

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        raise ZeroDivisionError("of nothing")


def models() -> dict[str, ScriptedModel]:
    words = {"ann": "Paris", "bob": "Rome", "cat": "Oslo"}
    return {
        name: ScriptedModel(name, lambda _, word=word: {"reasoning": "r", "answer": word, "statement": word})
        for name, word in words.items()
    }


def run(*played: Any, cases: Sequence[Case] = CASES) -> moot.Results:
    return moot.run(
        {
            "name": "cup",
            "models": models(),
            "teams": {"all": {"players": ["ann", "bob", "cat"]}},
            "questions": list(cases),
            "strategies": list(played),
        }
    )


def test_what_is_asked_inside_is_part_of_what_it_is() -> None:
    traits = traits_of(Unanimous())
    assert set(traits_of(LAST).prompts) <= set(traits.prompts), "added by itself"
    assert {"nudge", "draft"} <= set(traits.prompts)
    assert traits.groups is traits_of(LAST).groups
    prompts = prompts_for(Unanimous(), Prompts("en"))
    assert set(prompts.hashes(traits.prompts)) == set(traits.prompts), "its own and those of the debate are found"
    assert "Think twice." in prompts.render("nudge", question="Who?")


async def test_the_contract() -> None:
    await check_strategy(Unanimous())


def test_one_given_as_an_object_is_played_and_stands_beside_what_it_plays_in_the_end() -> None:
    results = run(Unanimous(), LAST, replace(LAST, max_rounds=2))
    assert results.figures["accuracy"]
    (cell,) = [row for row in results.frame("cells").to_dicts() if row["strategy"] == "unanimous"]
    (inside,) = json.loads(cell["traits"])["plays"]
    assert (inside["strategy"], inside["options"]["max_rounds"]) == ("debate", 1)
    against = [row["against"] for row in results.figures["cascade_beside"]]
    assert len(against) == 1, "and beside no other debate"
    (row,) = results.figures["cascade"]
    assert row["then"] == {"debate": 3}


def test_somebody_elses_inside_of_ours_is_tried_and_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast(dict[str, str], BUILT_IN), "odd-end", f"{__name__}:OddEnd")
    played = strategy("cascade", {"order": ["ann", "bob", "cat"], "until": 0.99, "then": "odd-end"})
    cities = ("Paris", "Rome", "Oslo")
    unsure = [Case(Question(f"u{number}", f"Of land {number}?"), cities[number % 3]) for number in range(36)]
    with pytest.warns(UserWarning, match="tried on a question"):
        results = run(played, cases=unsure)
    records = [row for row in results.frame("traces").to_dicts() if row["kind"] == "strategy-broke"]
    (told,) = {row["content"] for row in records}
    assert json.loads(told) == {"strategy": "odd-end", "error": "ZeroDivisionError: of nothing"}


@pytest.mark.parametrize(
    ("traits", "then", "inside"),
    [
        ({}, {"debate": {"max_rounds": 1}}, ("debate", 1)),
        ({}, "debate", ("debate", 5)),
        ({"plays": [{"strategy": "mine", "options": {"max_rounds": 7}}]}, "debate", ("mine", 7)),
        ({"plays": [{"strategy": "mine"}, 5]}, "debate", None),
        ({}, "gone-with-its-package", None),
        ({}, None, None),
    ],
)
def test_stores_of_before_tell_a_last_stage_by_its_option(traits: Any, then: Any, inside: Any) -> None:
    named = dict.fromkeys(("id", "strategy", "label", "team", "captain", "player", "cohort", "spec"), "")
    options = json.dumps({"given": {"then": then} if then else {}, "default": {}})
    plays = stored_cell({**named, "options": options, "traits": json.dumps(traits)})["plays"]
    assert [(each["strategy"], each["options"]["max_rounds"]) for each in plays] == ([inside] if inside else [])


@pytest.mark.parametrize(
    ("plays", "words"),
    [
        ([LAST], "plays: expected a tuple of strategies, such as"),
        ((Debate,), "plays: expected a tuple of strategies, such as"),
        (("debate",), "plays: expected a tuple of strategies, such as"),
    ],
)
def test_what_is_no_strategy_is_refused(plays: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Traits(plays=plays)


@dataclass(frozen=True)
class Judged:
    name: ClassVar[str] = "judged"
    judge: str = "ann"
    prompts: ClassVar[Mapping[str, str]] = {"nudge": NUDGE + " Again."}

    @property
    def traits(self) -> Traits:
        return Traits(prompts=("nudge",), offices={"judge": self.judge}, facts="texts", learns=True, fewest_lessons=7)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (team,)

    async def play(self, question: Question, team: Team) -> Verdict:
        return Verdict(None, "unanswered")


def test_staff_facts_and_lessons_of_what_is_inside_are_asked_for() -> None:
    traits = Traits(plays=(Judged(),), offices={"clerk": "bob"})
    assert traits.offices == {"clerk": "bob", "judge": "ann"}
    assert (traits.facts, traits.learns, traits.fewest_lessons) == ("texts", True, 7)
    with pytest.raises(ValueError, match="offices: 'bob' is judge, and in judged, which it plays, 'ann'; expected one"):
        Traits(plays=(Judged(),), offices={"judge": "bob"})
    with pytest.raises(ValueError, match="facts: 'others', and in judged, which it plays, 'texts'; expected one"):
        Traits(plays=(Judged(),), facts="others")


def test_two_prompts_of_one_name_in_one_play_are_refused() -> None:
    @dataclass(frozen=True)
    class Twice(Unanimous):
        @property
        def last(self) -> Strategy:
            return Judged()

    with pytest.raises(UsageError, match="there is another prompt 'nudge' within the same play"):
        prompts_for(Twice(), Prompts("en"))


@dataclass(frozen=True)
class Ending(Unanimous):
    """Plays in the end what it is told to."""

    name: ClassVar[str] = "ending"
    inside: ClassVar[Any] = None

    @property
    def last(self) -> Strategy:
        return cast(Strategy, self.inside)


@dataclass(frozen=True)
class VoteOfSomebodyElse(OddEnd):
    name: ClassVar[str] = "vote"


@dataclass(frozen=True)
class Around(Ending):
    name: ClassVar[str] = "around"


@dataclass(frozen=True)
class AnotherEnding(OddEnd):
    name: ClassVar[str] = "ending"


NO_DATACLASS = type("NoDataclass", (), {**{name: getattr(OddEnd, name) for name in ("traits", "lineups", "play")}})
NO_DATACLASS.name = "no-dataclass"  # type: ignore[attr-defined]
ODD_INSIDE = [
    (Vote(early_stop="false"), "plays: vote: early_stop: expected true or false, found 'false'"),  # type: ignore[arg-type]
    (VoteOfSomebodyElse(), "plays: 'vote' is the name of moot.strategies.vote:Vote already"),
    (AnotherEnding(), "plays: 'ending' is the name of .*Ending already"),
    (NO_DATACLASS(), "plays: no-dataclass: .*is no dataclass"),
    (replace(LAST, max_rounds=0), "plays: debate: max_rounds: expected"),
]


def ending_with(inside: Any, kind: type[Ending] = Ending) -> Ending:
    return type(kind.__name__, (kind,), {"inside": inside, "__module__": __name__})()  # type: ignore[no-any-return]


@pytest.mark.parametrize(("inside", "words"), ODD_INSIDE, ids=[f"{inside.name}" for inside, _ in ODD_INSIDE])
@pytest.mark.parametrize("deep", [False, True])
async def test_what_is_played_inside_is_checked_like_what_is_played(inside: Any, words: str, deep: bool) -> None:
    played = ending_with(inside)
    played = ending_with(played, Around) if deep else played
    with pytest.raises(AssertionError, match=words):
        await check_strategy(played)


def test_and_a_run_refuses_it() -> None:
    with pytest.raises(moot.MootError, match=r"strategies\.0.*early_stop: expected true or false"):
        run(ending_with(ODD_INSIDE[0][0]))
    with pytest.raises(moot.MootError, match=r"strategies\.0.*'vote' is the name of"):
        run(ending_with(VoteOfSomebodyElse()))


@dataclass(frozen=True)
class Endless(Ending):
    name: ClassVar[str] = "endless"

    @property
    def last(self) -> Strategy:
        return cast(Strategy, Endless())


@dataclass(frozen=True)
class Shorter(Unanimous):
    """Itself, with a round less, and a debate in the end."""

    name: ClassVar[str] = "shorter"

    @property
    def last(self) -> Strategy:
        return cast(Strategy, Shorter(self.rounds - 1)) if self.rounds else LAST


def test_who_plays_itself_without_end_is_told_so() -> None:
    with pytest.raises(UsageError, match=r"'endless': traits: plays: .* deep: .* itself.*without end"):
        traits_of(Endless())
    with pytest.raises(moot.MootError, match=r"traits: plays: .*without end"):
        run(Endless())
    assert [each.name for each in with_inside(cast(Strategy, Shorter(3)))] == ["shorter"] * 4 + ["debate"]
    assert traits_of(Shorter(3)).prompts, "an end that is far away is one"


@dataclass(frozen=True)
class LastWord:
    """Brought by no package: whoever sits at this place has the last word, from the drafts that are there."""

    name: ClassVar[str] = "last-word"
    traits: ClassVar[Traits] = Traits(prompts=("draft",), drafts="single-call", word="player", hears="nothing")

    seat: int = 0

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        kept = drafts[self.seat]
        absent = tuple(draft.player for draft in drafts if draft.text is None)
        return Verdict(kept.text, "answered", who=(kept.player,), answers=drafts, absent=absent)


CITIES = ("Paris", "Rome", "Oslo")
UNSURE = [Case(Question(f"u{number}", f"Of land {number}?"), CITIES[number % 3]) for number in range(36)]
ASKED = {"order": ["ann", "bob", "cat"], "until": 0.99}


@pytest.mark.parametrize("as_object", [False, True])
def test_a_cascade_ends_with_an_object(as_object: bool) -> None:
    def ending(seat: int) -> Any:
        last = LastWord(seat)
        options = {**ASKED, "order": tuple(ASKED["order"])}  # type: ignore[arg-type]
        return Cascade(**options, then=last) if as_object else {"cascade": {**ASKED, "then": last}}  # type: ignore[arg-type]

    results = run(ending(0), ending(2), LastWord(2), cases=UNSURE)
    labels = [
        f"cascade(order=ann+bob+cat, until=0.99, then={then})" for then in ("last-word", "{last-word: {seat: 2}}")
    ]
    assert [row["label"] for row in results.figures["accuracy"]] == [*labels, "last-word(seat=2)"]
    last = results.frame("episodes").to_dicts()
    answers = [{row["answer"] for row in last if row["label"] == label} for label in labels]
    assert answers == [{"Paris"}, {"Oslo"}], "each by its own"
    (cell,) = [row for row in results.frame("cells").to_dicts() if row["label"] == labels[1]]
    assert json.loads(cell["options"])["given"]["then"] == {"last-word": {"seat": 2}}
    assert json.loads(cell["traits"])["plays"] == [{"strategy": "last-word", "options": {"seat": 2}}]
    assert [row["against"] for row in results.figures["cascade_beside"]] == ["last-word(seat=2)"]


def test_what_is_registered_is_the_same_by_its_name_and_as_an_object() -> None:
    by_name = [
        {"cascade": {**ASKED, "then": "talkative", "abstain": {"below": 0.5}}},
        {"cascade": {**ASKED, "then": "debate"}},
    ]
    as_objects = [
        {"cascade": {**ASKED, "then": Talkative(), "abstain": {"below": 0.5}}},
        {"cascade": {**ASKED, "then": Debate()}},
    ]
    keys: dict[str, Any] = {"name": "cup", "models": models(), "questions": UNSURE}
    assert moot.Experiment(**keys, strategies=as_objects) == moot.Experiment(**keys, strategies=by_name)
    one, other = Cascade(until=0.9, then=LastWord()), Cascade(until=0.9, then=LastWordElsewhere())  # type: ignore[arg-type]
    assert one != other, "of two classes"
    assert pickle.loads(pickle.dumps(one)) == one


@dataclass(frozen=True)
class LastWordToo(LastWord):
    traits: ClassVar[Traits] = replace(LastWord.traits, drafts="double-call")


def test_an_object_that_cannot_end_a_cascade_is_told_so() -> None:
    with pytest.raises(
        moot.MootError, match=r"strategies\.0.*then: last-word does not decide from the drafts of a cascade"
    ):
        run({"cascade": {**ASKED, "then": LastWordToo()}})
    with pytest.raises(moot.MootError, match=r"strategies\.0.*then: .*seat: expected a whole number, found 'first'"):
        run({"cascade": {**ASKED, "then": LastWord("first")}})  # type: ignore[arg-type]
    with pytest.raises(moot.MootError, match=r"strategies\.0.*the class LastWord is no strategy"):
        run({"cascade": {**ASKED, "then": LastWord}})
    with pytest.raises(moot.MootError, match=r"strategies\.0.*early_stop: expected true or false"):
        run({"vote": {"early_stop": LastWord()}})
    with pytest.raises(moot.MootError, match=r"'last-word' is the name of .*LastWord already"):
        run(LastWord(), {"cascade": {**ASKED, "then": LastWordElsewhere()}})


@dataclass(frozen=True)
class LastWordElsewhere(LastWord):
    """Another class of the same name."""
