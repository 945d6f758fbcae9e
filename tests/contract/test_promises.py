"""A strategy that says of itself what is not true is found out, whatever it lies about; one that says nothing is not."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from moot.strategies import CallBound, Strategy, Traits, strategy, traits_of
from moot.strategies.adaptive import Adaptive
from moot.strategies.captaincy import by_captain, captain_decides
from moot.strategies.mixture.mixture import Mixture
from moot.strategies.peer_review import peer_review
from moot.strategies.peer_review.peer_review import PeerReview
from moot.strategies.silent import Silent
from moot.strategies.solo import Solo
from moot.strategies.talkative import Talkative
from moot.strategies.vote import Vote
from moot.team import Player, Team
from moot.team.forms import AnswerForm
from moot.testing import check_strategy
from moot.traces import Remarked, Shown, trace
from moot.types import Answer, Question, Verdict

TALKATIVE = Talkative.traits


@dataclass(frozen=True)
class Says:
    """A strategy of ours that says something else of itself."""

    inner: Any
    said: Traits
    name: ClassVar[str] = "says"

    @property
    def traits(self) -> Traits:
        return self.said

    def lineups(self, team: Team) -> tuple[Team, ...]:
        lineups: tuple[Team, ...] = self.inner.lineups(team)
        return lineups

    async def play(self, question: Question, team: Team) -> Verdict:
        verdict: Verdict = await self.inner.play(question, team)
        return verdict


@dataclass(frozen=True)
class SaysInReview(Says):
    """The same with the prompts of a review."""

    prompts: ClassVar[Path] = Path(peer_review.__file__).parent / "prompts"


def saying(inner: Any, **said: Any) -> Says:
    return Says(inner, replace(traits_of(inner), **said))


class Captained:
    """Everybody drafts, the captain reads it all and decides: an honest strategy to be spoilt in one place."""

    name: ClassVar[str] = "captained"
    traits: ClassVar[Traits] = TALKATIVE

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return by_captain(team)

    async def play(self, question: Question, team: Team) -> Verdict:
        return await captain_decides(question, team, await self.drafts(question, team), reasons=True)

    async def drafts(self, question: Question, team: Team) -> tuple[Answer, ...]:
        return await team.drafts(question)


@dataclass(frozen=True)
class Honest(Captained):
    """Nothing spoilt."""


async def drafted(question: Question, team: Team, player: Player, heard: str, turn: int = 1) -> Answer:
    """A draft by somebody who may have heard something."""
    prompt = f"{team.prompts.draft(question)}\n\n{heard}"
    word = await team.ask(player, question, prompt, AnswerForm(question), stage="draft", turn=turn)
    if word.value is None:
        return Answer(player.name, None, outcome=word.outcome, cause=word.cause)
    return Answer(player.name, word.value.answer, word.value.reasoning)


@dataclass(frozen=True)
class OneAfterTheOther(Captained):
    """Each drafts having read the drafts before it."""

    async def drafts(self, question: Question, team: Team) -> tuple[Answer, ...]:
        drafts: list[Answer] = []
        for player in team.players:
            heard = "\n".join(f"{draft.text}: {draft.reasoning}" for draft in drafts)
            drafts.append(await drafted(question, team, player, heard))
        return tuple(drafts)


@dataclass(frozen=True)
class ThoughtAgain(Captained):
    """What it calls drafts is what everybody said having heard the others."""

    traits: ClassVar[Traits] = replace(TALKATIVE, asks="everybody", calls=None)

    async def drafts(self, question: Question, team: Team) -> tuple[Answer, ...]:
        alone = await team.drafts(question)
        heard = "\n".join(f"{draft.text}: {draft.reasoning}" for draft in alone)
        again = (drafted(question, team, player, heard, turn=2) for player in team.players)
        return tuple(await asyncio.gather(*again))


@dataclass(frozen=True)
class AskedLater(Captained):
    """Drafts in one call, and a word of everybody later: as many calls as drafts in two would take."""

    traits: ClassVar[Traits] = replace(TALKATIVE, drafts="double-call", asks="everybody", calls=None)

    async def drafts(self, question: Question, team: Team) -> tuple[Answer, ...]:
        alone = await team.drafts(question)
        await asyncio.gather(*(drafted(question, team, player, "Once more.", turn=2) for player in team.players))
        return alone


@dataclass(frozen=True)
class WithoutTheCaptain(Captained):
    """The captain does not draft."""

    async def drafts(self, question: Question, team: Team) -> tuple[Answer, ...]:
        others = (player for player in team.players if player.name != team.captain)
        return tuple(await asyncio.gather(*(team.draft(player, question) for player in others)))


@dataclass(frozen=True)
class Usurped(Captained):
    """Somebody else stands behind the answer of the captain."""

    async def play(self, question: Question, team: Team) -> Verdict:
        verdict = await super().play(question, team)
        other = next(player.name for player in team.players if player.name != team.captain)
        return replace(verdict, who=(other,)) if verdict.who else verdict


@dataclass(frozen=True)
class Invented(Captained):
    """The answer is nobody's."""

    async def play(self, question: Question, team: Team) -> Verdict:
        verdict = await super().play(question, team)
        return replace(verdict, answer="Atlantis") if verdict.answer is not None else verdict


@dataclass(frozen=True)
class Strange(Captained):
    """Its record names somebody who does not sit here."""

    async def play(self, question: Question, team: Team) -> Verdict:
        verdict = await super().play(question, team)
        return replace(verdict, traces=(Shown(team.captain or "", "captain", (("zoe",),), 2),))


@trace("loose-list")
@dataclass(frozen=True)
class LooseList:
    """A list stays a list in JSON, and a tuple becomes one."""

    names: list[str]


@dataclass(frozen=True)
class Unstorable(Captained):
    """Its record is another one when it has been stored."""

    async def play(self, question: Question, team: Team) -> Verdict:
        verdict = await super().play(question, team)
        return replace(verdict, traces=(LooseList(("ann",)),))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Judged(Captained):
    """A judge has the last word."""

    asked_as: str = "judge"
    seated: bool = False
    declared: bool = True

    @property
    def traits(self) -> Traits:  # type: ignore[override]
        offices = {"judge": "any"} if self.declared else {}
        return Traits(prompts=("draft",), drafts="single-call", word="office", asks="nobody", offices=offices)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        extra = (team.officers["judge"],) if self.seated else ()
        return (replace(team, captain=None, players=(*team.players, *extra)),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        missing = tuple(draft.player for draft in drafts if draft.text is None)
        judge = replace(team.officers["judge"], name=self.asked_as)
        word = await drafted(question, team, judge, "What do you say?", turn=2)
        outcome = word.outcome if word.text is None else "answered"
        return Verdict(word.text, outcome, answers=drafts, turns=2, absent=missing, cause=word.cause)


@dataclass(frozen=True)
class Worded(Captained):
    """Brings a prompt, and does not say so."""

    prompts: ClassVar[Mapping[str, str]] = {"think": "{# inputs: question #}\nThink: {{ question | block }}"}

    async def drafts(self, question: Question, team: Team) -> tuple[Answer, ...]:
        return tuple([await self._draft(question, team, player) for player in team.players])

    async def _draft(self, question: Question, team: Team, player: Player) -> Answer:
        prompt = team.prompts.bringing(self.prompts).render("think", question=question.text)
        word = await team.ask(player, question, prompt, AnswerForm(question), stage="draft")
        if word.value is None:
            return Answer(player.name, None, outcome=word.outcome, cause=word.cause)
        return Answer(player.name, word.value.answer, word.value.reasoning)


@dataclass(frozen=True)
class SaidAtLast(Worded):
    """The same, and says so."""

    traits: ClassVar[Traits] = replace(TALKATIVE, prompts=("captain", "think"))


@dataclass(frozen=True)
class WrongTraits(Captained):
    """Traits in a form that nobody reads."""

    traits: ClassVar[Any] = {"drafts": "single-call"}


REVIEW = PeerReview().traits


@dataclass(frozen=True)
class AsksAnew(Captained):
    """Whose drafts it decides from is told to the team, and it does not listen."""

    whose: int | None
    times: int

    @property
    def traits(self) -> Traits:  # type: ignore[override]
        return replace(TALKATIVE, repeats=self.times)

    async def drafts(self, question: Question, team: Team) -> tuple[Answer, ...]:
        return await replace(team, drafts_repeat=self.whose).drafts(question)


@dataclass(frozen=True)
class NamesModel(Captained):
    """It hides what players are called, and not which models they are."""

    traits: ClassVar[Traits] = replace(TALKATIVE, names="hidden")

    def told(self, team: Team, drafts: Sequence[Answer]) -> str:
        return f"{', '.join(player.model.name for player in team.players)} have answered."

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        captain = next(player for player in team.players if player.name == team.captain)
        asked = f"{question.text} {self.told(team, drafts)} What do you say?"
        heard = await team.ask(captain, question, asked, AnswerForm(question), stage="captain", turn=2)
        if heard.value is None:
            absent = tuple(draft.player for draft in drafts if draft.text is None)
            return Verdict(
                None, heard.outcome, answers=tuple(drafts), absent=absent or (captain.name,), cause="silence"
            )
        return Verdict(heard.value.answer, "answered", who=(captain.name,), answers=tuple(drafts), turns=2)


@dataclass(frozen=True)
class NamesInReasons(NamesModel):
    """It quotes reasons as they are, with the names that stand in them."""

    def told(self, team: Team, drafts: Sequence[Answer]) -> str:
        return " ".join(draft.reasoning for draft in drafts)


@dataclass(frozen=True)
class Learner(Captained):
    async def drafts(self, question: Question, team: Team) -> tuple[Answer, ...]:
        assert [lesson.question.id for lesson in team.lessons] in ([], ["another", "a third"])
        return await team.drafts(question)


LIES: dict[str, tuple[Any, str]] = {
    "drafts one after the other": (
        OneAfterTheOther(),
        "drafts: they are said to be given alone, yet the prompt of bob has the words of ann",
    ),
    "drafts thought over": (
        ThoughtAgain(),
        "drafts: ann said 'Babylon' while alone, yet among the verdict's answers is",
    ),
    "drafts of some": (WithoutTheCaptain(), "drafts: the verdict's answers must be one of each player"),
    "double-call with single-call drafts": (
        SaysInReview(PeerReview(), replace(REVIEW, drafts="single-call", asks="captain")),
        "asks: captain is asked beyond a draft, yet bob was asked 2 times",
    ),
    "asks nobody": (saying(Silent(), asks="nobody"), "asks: nobody is asked beyond a draft, yet ann was asked 2 times"),
    "asks the captain": (
        replace(saying(ThoughtAgain(), asks="captain", drafts=None)),
        "asks: captain is asked beyond a draft, yet bob was asked 2 times",
    ),
    "hears nothing": (
        saying(Silent(), hears="nothing"),
        "hears: nothing is what is heard, yet ann was shown the words of",
    ),
    "hears answers": (
        saying(Talkative(), hears="answers"),
        "hears: answers is what is heard, yet ann was shown the reasons of",
    ),
    "captain leads": (Usurped(), "captain: ann is said to lead, yet behind the answer stands bob"),
    "word of the captain": (
        Invented(),
        "word: the answer is said to be in words of the captain (ann), who never said 'Atlantis'",
    ),
    "word of an office": (
        saying(Talkative(), word="office"),
        "word: the answer is said to be in words of the office (nobody), who never said",
    ),
    "alone": (saying(Talkative(), alone=True), "its traits say alone, one player and no team; found a line-up of 3"),
    "names hidden": (
        SaysInReview(PeerReview(names="shown"), replace(REVIEW, names="hidden")),
        "names: they are said to be hidden, yet the prompt of ann names bob as",
    ),
    "names in reasons": (
        NamesInReasons(),
        "names: they are said to be hidden, yet the prompt of ann names bob as 'bob'",
    ),
    "the name of a model": (
        NamesModel(),
        "names: they are said to be hidden, yet the prompt of ann names bob as 'model-bob'",
    ),
    "drafts in one call": (
        saying(Vote(), drafts="double-call", served={}),
        "drafts: they are said to be asked for as double-call (verdict, rationale), yet ann was asked in 1 (draft)",
    ),
    "drafts in one call, and a word of everybody later": (
        AskedLater(),
        "drafts: they are said to be asked for as double-call",
    ),
    "drafts in two calls": (
        saying(Solo(drafts="double-call"), drafts="single-call", asks="everybody", calls=None),
        "drafts: they are said to be asked for as single-call (draft), yet ann was asked in 2 (verdict, rationale)",
    ),
    "groups": (
        saying(Vote(), groups=False, served={}),
        "groups: it is said that nobody is asked which answers mean the same",
    ),
    "calls": (
        saying(Talkative(), calls=CallBound(per_player=1)),
        "calls: at most 3 for 3 players are promised, and 4 were",
    ),
    "repeats": (
        AsksAnew(None, 3),
        "repeats: it decides 3 times from the same drafts, yet those of ann are asked for anew in repeat 3",
    ),
    "repeats that are more": (
        AsksAnew(0, 2),
        "repeats: it decides 2 times from the same drafts, yet those of ann are not asked for anew in repeat 3",
    ),
    "repeats of no drafts": (
        saying(Talkative(), repeats=2, drafts=None),
        "repeats: it is said to decide several times from the same drafts, and no drafts are declared",
    ),
    "learns": (
        saying(Vote(), learns=True, served={}),
        "learns: it is said to be True, yet it never looks at the team's lessons",
    ),
    "learns in secret": (Learner(), "learns: it is said to be False, yet it looks at the team's lessons"),
    "served": (saying(Solo(), served={"early_stop": True}), "served: it has no option 'early_stop'"),
    "an office under another name": (
        Judged("jury"),
        "offices: 'jury' was asked, who is no player of the line-up and holds",
    ),
    "an office as a player": (
        Judged("ann"),
        "offices: the model of the office 'judge' was asked 1 times under another name",
    ),
    "an office at the table": (Judged(seated=True), "offices: 'judge' holds an office and is seated as a player"),
    "an office undeclared": (Judged(declared=False), "offices: 'judge' is asked, and the traits name no such office"),
    "a record of a stranger": (Strange(), "traces: what was shown to 'ann' names ['zoe'], not of this line-up"),
    "a record that cannot be kept": (Unstorable(), "traces: expected list[str] as LooseList.names, found ('ann',)"),
    "a prompt that is not there": (
        saying(Talkative(), prompts=("draft", "captain", "finale")),
        "prompts: there is no prompt 'finale' in en",
    ),
    "a prompt not declared": (
        saying(Talkative(), prompts=("draft",)),
        "prompts: 'captain' is used and not in the traits",
    ),
    "a prompt of its own not declared": (Worded(), "prompts: 'think' is used and not in the traits"),
    "traits that are none": (WrongTraits(), "traits: expected moot.strategies.Traits"),
}


@pytest.mark.parametrize(("lying", "sentence"), LIES.values(), ids=LIES)
async def test_a_lie_is_found_out(lying: Any, sentence: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(sentence)):
        await check_strategy(lying)


async def test_a_prompt_in_one_language_only(tmp_path: Path) -> None:
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "jury.j2").write_text("{# inputs: question #}\n{{ question | block }}")

    @dataclass(frozen=True)
    class English(Captained):
        prompts: ClassVar[Path] = tmp_path
        traits: ClassVar[Traits] = replace(TALKATIVE, prompts=("draft", "captain", "jury"))

    with pytest.raises(AssertionError, match="prompts: there is no prompt 'jury' in ru"):
        await check_strategy(English())


# --- and the truth is not -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "honest",
    [Honest(), saying(Talkative()), SaysInReview(PeerReview(), REVIEW), Judged(), SaidAtLast(), saying(Adaptive(2))],
    ids=["honest", "talkative", "peer-review", "judged", "with a prompt", "adaptive"],
)
async def test_the_truth_passes(honest: Strategy) -> None:
    await check_strategy(honest)


OFFICES: list[tuple[str, dict[str, Any]]] = [
    ("mixture", {"summariser": "sue"}),
    ("mixture", {"summariser": "sue", "order": "ascending", "shown_accuracies": {"ann": 0.5, "bob": 0.6, "cat": 0.7}}),
    ("discuss", {"decision": "judge", "judge": "jim", "personas": "none"}),
    ("discuss", {"challenge": "wrong", "planted_by": "jim", "max_turns": 1, "vote_from": 1, "personas": "none"}),
    ("discuss", {"challenge": "facts", "facts": "folder", "max_turns": 1, "vote_from": 1, "personas": "none"}),
]


@pytest.mark.parametrize(("name", "options"), OFFICES, ids=[str(options) for _, options in OFFICES])
async def test_offices_are_staffed(name: str, options: dict[str, Any]) -> None:
    await check_strategy(strategy(name, options))


async def test_those_in_an_office_are_asked() -> None:
    """Else the staff would prove nothing."""
    from moot.testing import obliging, scripted_team
    from moot.testing.strategies import _staffed

    played = Mixture(summariser="sue")
    (lineup,) = played.lineups(_staffed(scripted_team(obliging), played.traits, obliging))
    seated = lineup.seated()
    await played.play(Question("q", "Which?"), seated)
    assert [call.player for call in seated.journal] == ["ann", "bob", "cat", "summariser"]


@dataclass(frozen=True)
class Wordless:
    """Says nothing of itself: it may ask whom it likes, and show them what it likes."""

    name: ClassVar[str] = "wordless"

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (team,)

    async def play(self, question: Question, team: Team) -> Verdict:
        await team.group(question, [])
        verdict = await OneAfterTheOther().play(question, replace(team, captain=team.players[0].name))
        return replace(verdict, traces=(*verdict.traces, Remarked("So it went.")))


@dataclass(frozen=True)
class WordlessAndWrong(Wordless):
    async def play(self, question: Question, team: Team) -> Verdict:
        verdict = await super().play(question, team)
        return replace(verdict, traces=(LooseList(("ann",)),))  # type: ignore[arg-type]


async def test_without_traits_nothing_is_promised_and_the_rest_is_checked() -> None:
    await check_strategy(Wordless())
    with pytest.raises(AssertionError, match=r"traces: .* as LooseList\.names"):
        await check_strategy(WordlessAndWrong())


@dataclass(frozen=True)
class Shy(Vote):
    name: ClassVar[str] = "shy"

    abstain: bool = False


async def test_an_option_that_stands_beside_all_options_is_nobodys_own() -> None:
    with pytest.raises(AssertionError, match="'abstain' stands beside the options of every strategy"):
        await check_strategy(Shy())
