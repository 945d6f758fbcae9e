"""Every registered measure keeps the contract of measures, and the suite notices when it is broken."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any, ClassVar

import pytest

from moot.measures import registered
from moot.measures.section import Column, Section
from moot.measures.source import Source
from moot.needs import Needs
from moot.strategies import Traits
from moot.team import Team
from moot.testing import check_measure
from moot.testing.named_strategies import names_known_to
from moot.traces import Shown, claims_in, of_kind
from moot.types import Question, Verdict

WHOSE_RECORDS = {
    "decided": ({"cascade": {"order": ["ann", "bob"]}}, {"weighted": {"weights": {"ann": 2}}}),
    "discussion": ({"discuss": {"agents": 2, "max_turns": 2, "vote_from": 2}},),
    "summaries": ({"mixture": {"repeats": 1, "summariser": "sue"}},),
}
"""What some measures read, solo, vote and silent do not leave."""


OF_LONG_ANSWERS = {"preferences", "rubric"}
"""The runs of the suite have none: `tests/measures/test_preferences.py` and `tests/grade/test_rubric.py` play some."""


@pytest.mark.parametrize("name", [name for name in registered() if name not in OF_LONG_ANSWERS])
async def test_measures(name: str) -> None:
    await check_measure(resolve_name(registered()[name])(), strategies=WHOSE_RECORDS.get(name, ()))


def share_right(values: list[float | None]) -> dict[str, Any]:
    """Over what is graded, with what it may be over all."""
    graded = [value for value in values if value is not None]
    share = {"right": sum(graded) / len(graded) if graded else None, "n": len(graded)}
    if len(graded) == len(values):
        return share if values else {**share, "why": "nothing was played"}
    ends = {"low": sum(graded) / len(values), "high": (sum(graded) + len(values) - len(graded)) / len(values)}
    return {**share, "ungraded": len(values) - len(graded), "bounds": ends}


@dataclass(frozen=True)
class Longest:
    """The longest answer of each cell: through nothing but what a measure of one's own may use."""

    name: ClassVar[str] = "longest"
    needs: ClassVar[Needs] = Needs(grouped_drafts=True)

    def figures(self, run: Source) -> dict[str, Any]:
        rows = []
        for cell in run.cells:
            episodes = list(run.episodes(cell))
            rows.append(
                {
                    "label": cell["label"],
                    "who": cell["player"] or cell["captain"],
                    "longest": max((len(episode.answer or "") for episode in episodes), default=None),
                    **share_right([episode.right for episode in episodes]),
                    "groups": max((len(run.groups(episode)) for episode in episodes), default=None),
                    "calls": len(run.spent({key for episode in episodes for key in episode.calls})),
                }
            )
        return {"longest": rows} if any(row["longest"] for row in rows) else {}

    def sections(self, figures: dict[str, Any]) -> Iterator[Section]:
        columns = (Column("label", "strategy"), Column("longest", "characters"), Column("right", "right", "share"))
        rows = figures.get("longest", [])
        shown = tuple(column for column in columns if any(column.key in row for row in rows))
        yield Section("longest", "The longest answers", (), shown, rows)


async def test_a_measure_of_ones_own() -> None:
    await check_measure(Longest())


@dataclass(frozen=True)
class Murmur:
    """Leaves records that no strategy of ours leaves, and asks a model that does not play."""

    name: ClassVar[str] = "murmur"
    traits: ClassVar[Traits] = Traits(prompts=("draft",), offices={"listener": "lea"}, asks="nobody")

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (team,)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        first = next((draft for draft in drafts if draft.text is not None), drafts[0])
        absent = tuple(draft.player for draft in drafts if draft.text is None)
        murmured = Shown("listener", "listener", tuple((draft.player,) for draft in drafts), 2, answer=first.text)
        if first.text is None:
            return Verdict(None, first.outcome, answers=drafts, absent=absent, cause=first.cause)
        return Verdict(first.text, "answered", who=(first.player,), answers=drafts, absent=absent, traces=(murmured,))


class Murmurs(Longest):
    """Of what listeners heard, how much is right; as far as anybody can tell."""

    def figures(self, run: Source) -> dict[str, Any]:
        heard = [
            run.grade(episode.case, look.answer)
            for cell in run.cells
            for episode in run.episodes(cell)
            for look in of_kind(episode.verdict.traces, Shown)
            if look.role == "listener"
        ]
        return {"murmurs": self.row(heard)} if heard else {}

    def row(self, heard: list[float | None]) -> dict[str, Any]:
        return share_right(heard)


class MurmursAreRight(Murmurs):
    """The same, with a fault that is not seen where nothing murmurs."""

    def row(self, heard: list[float | None]) -> dict[str, Any]:
        return {"right": sum(value or 0.0 for value in heard) / len(heard)}


class KnowsMurmur(Murmurs):
    def figures(self, run: Source) -> dict[str, Any]:
        return {"murmurs": sum(cell["strategy"] == "murmur" for cell in run.cells)}


async def test_a_measure_that_says_nothing_has_not_been_tried() -> None:
    with pytest.raises(
        AssertionError,
        match=r"longest: it says nothing in any run of solo, vote, silent with 2 players \(ann, bob\); give those",
    ):
        await check_measure(Murmurs())


async def test_a_measure_is_tried_on_strategies_that_leave_what_it_reads() -> None:
    await check_measure(Murmurs(), strategies=[Murmur()], keys=["murmurs"])
    with pytest.raises(AssertionError, match="murmurs: what is ungraded is counted as wrong"):
        await check_measure(MurmursAreRight(), strategies=[Murmur()])


class CrashesAlways(Murmur):
    name: ClassVar[str] = "crashes"

    async def play(self, question: Question, team: Team) -> Verdict:
        raise ZeroDivisionError("no drafts")


class CrashesInTrouble(Murmur):
    """As long as everybody answers nothing is to be seen."""

    name: ClassVar[str] = "crashes-in-trouble"

    async def play(self, question: Question, team: Team) -> Verdict:
        verdict = await Murmur.play(self, question, team)
        assert verdict.answer is not None, "somebody has spoken"
        return verdict


class GivesUp(Murmur):
    name: ClassVar[str] = "gives-up"

    async def play(self, question: Question, team: Team) -> Verdict:
        return Verdict(None, "failed", cause="no luck", absent=("ann", "bob"))


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (CrashesAlways(), "'crashes' failed on 6 of 6 plays of the run 'all graded', .*ZeroDivisionError: no drafts"),
        (CrashesInTrouble(), "failed on 4 of 6 plays of the run 'failures', .*AssertionError: somebody has spoken"),
        (GivesUp(), "'gives-up' failed on 6 of 6 plays of the run 'all graded', .*first: no luck"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
async def test_a_strategy_that_fails_is_named_and_not_the_measure(broken: Murmur, words: str) -> None:
    with pytest.raises(AssertionError, match=rf"^strategy .*{words}.*check_strategy") as raised:
        await check_measure(Murmurs(), strategies=[broken])
    assert "longest" not in str(raised.value)


async def test_a_key_that_is_expected_and_never_said() -> None:
    words = "longest: murmurs: expected in its figures, and in no run of solo, vote, silent; found longest; give those"
    with pytest.raises(AssertionError, match=words):
        await check_measure(Longest(), keys=["longest", "murmurs"])


async def test_the_name_of_a_strategy_that_is_registered_nowhere_is_a_name_too() -> None:
    with pytest.raises(AssertionError, match=r"never by a strategy's name; found .*'murmur'"):
        await check_measure(KnowsMurmur(), strategies=[Murmur()])


class Same(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        return {"accuracy": []}


class NotKnown(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        return {"longest": float("nan")}


class EverAnother(Longest):
    numbers = itertools.count()

    def figures(self, run: Source) -> dict[str, Any]:
        return {"longest": [{"longest": next(self.numbers)}]}


class SpeaksOfTheLast(Longest):
    """It is the same without a cell that stands before, and yet another once that cell stands last."""

    def figures(self, run: Source) -> dict[str, Any]:
        return {"longest": [{"label": run.cells[-1]["label"]}]}


class Meddles(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        run.so_far["accuracy"] = []
        return {}


class Greedy(Longest):
    needs: ClassVar[Any] = {"graded_drafts": True}


class DividesByNothing(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        graded = [episode.right for cell in run.cells for episode in run.episodes(cell) if episode.right is not None]
        return {"longest": [{"right": sum(graded) / len(graded)}]}


class DrawsNoWord(Longest):
    def sections(self, figures: dict[str, Any]) -> Iterator[Section]:
        yield Section("longest", "Longest", (), (Column("label", "label"),), [{"label": float("nan")}])


class ReadsUnaskedGrades(Longest):
    """Honest about what is ungraded, and yet it depends on whether another measure asked for grades of drafts."""

    def figures(self, run: Source) -> dict[str, Any]:
        worth = [
            run.grade(episode.case, draft.text)
            for cell in run.cells
            if cell["traits"].drafts
            for episode in run.episodes(cell)
            for draft in episode.verdict.answers
        ]
        return {"longest": [share_right(worth)]}


class AsksForGrades(ReadsUnaskedGrades):
    needs: ClassVar[Needs] = Needs(graded_drafts=True)


class ReadsUnaskedGroups(Longest):
    needs: ClassVar[Needs] = Needs()

    def figures(self, run: Source) -> dict[str, Any]:
        return {
            "longest": [{"groups": sum(len(run.groups(play)) for cell in run.cells for play in run.episodes(cell))}]
        }


class ReadsUnaskedClaims(Longest):
    needs: ClassVar[Needs] = Needs(graded_drafts=True, grouped_drafts=True, matched_words=True)

    def figures(self, run: Source) -> dict[str, Any]:
        plays = [episode for cell in run.cells for episode in run.episodes(cell)]
        worth = [run.grade(play.case, claim) for play in plays for claim in claims_in(play.verdict.traces)]
        return {"longest": [{"graded": sum(value is not None for value in worth), "n": len(worth)}]}


class ReadsUnaskedWords(Longest):
    """Of what was said after drafts, how much is anybody's draft."""

    needs: ClassVar[Needs] = Needs(grouped_drafts=True)

    def figures(self, run: Source) -> dict[str, Any]:
        plays = [play for cell in run.cells if cell["traits"].captain for play in run.episodes(cell)]
        holders = [run.holders(play, play.answer) for play in plays]
        known = [names for names in holders if names is not None]
        quoted = {"quoted": sum(map(bool, known)), "new": sum(not names for names in known)}
        return {"longest": [{**quoted, "unknown": len(holders) - len(known)}]} if plays else {}


class AsksForWords(ReadsUnaskedWords):
    needs: ClassVar[Needs] = Needs(grouped_drafts=True, matched_words=True)


class AsksForGroups(ReadsUnaskedGroups):
    needs: ClassVar[Needs] = Needs(grouped_drafts=True)


class UngradedIsWrong(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        cells = {cell["id"]: [episode.right or 0.0 for episode in run.episodes(cell)] for cell in run.cells}
        return {"longest": [{"right": sum(marks) / len(marks)} for marks in cells.values() if marks]}


class DropsUngraded(Longest):
    """How many are graded it tells, and not what the others may change."""

    def figures(self, run: Source) -> dict[str, Any]:
        rows = []
        for cell in run.cells:
            graded = [episode.right for episode in run.episodes(cell) if episode.right is not None]
            rows.append({"right": sum(graded) / len(graded) if graded else None, "n": len(graded)})
        return {"longest": rows}


class NarrowBounds(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        rows = []
        for cell in run.cells:
            graded = [episode.right for episode in run.episodes(cell) if episode.right is not None]
            value = sum(graded) / len(graded) if graded else None
            rows.append({"value": value, "n": len(graded), "bounds": {"low": value, "high": value}})
        return {"longest": rows}


TEAM_OF_ONE = "solo"


class KnowsAName(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        return {"longest": [{"cells": sum(map(plays_alone, run.cells))}]}


def plays_alone(cell: Any) -> bool:
    return bool(cell["strategy"] == TEAM_OF_ONE)


ROW_KEYS = ("silent", "vote", "solo")
BY_NAME = {"vote": 1.0, "solo": 2.0}


class HasSuchKeys(Longest):
    """Ordinary words, which happen to be names of strategies too."""

    def figures(self, run: Source) -> dict[str, Any]:
        spoken = dict.fromkeys(ROW_KEYS, 0)
        for cell in run.cells:
            for episode in run.seen(cell):
                key = "silent" if episode.said is None else "vote"
                spoken[key] += 1
                if key == "silent" or key in ROW_KEYS[:1]:
                    spoken["solo"] += 0
        row = {"strategy": "all", "silent": spoken["silent"], "debate": 0}
        return {"longest": [row | {"of": len([name for name in row if name != "silent"])}]}


class LooksUp(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        return {"longest": [{"worth": sum(BY_NAME.get(cell["strategy"], 0.0) for cell in run.cells)}]}


class AsksAnother(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        return {"longest": [{"votes": sum(is_vote(cell["label"]) for cell in run.cells)}]}


def is_vote(text: str) -> bool:
    return text.startswith("vote")


class Matches(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        count = 0
        for cell in run.cells:
            played = cell["strategy"]
            match played:
                case "silent" | "other":
                    count += 1
        return {"longest": [{"count": count}]}


def test_a_word_of_a_figure_is_no_name_of_a_strategy() -> None:
    assert names_known_to(HasSuchKeys()) == []


@pytest.mark.parametrize(
    ("measure", "names"),
    [(KnowsAName(), ["solo"]), (LooksUp(), ["vote", "solo"]), (AsksAnother(), ["vote"]), (Matches(), ["silent"])],
)
def test_a_strategy_that_is_known_by_its_name_is_found_in_whatever_way(measure: Longest, names: list[str]) -> None:
    assert [place.rpartition(": ")[2].strip("'") for place in names_known_to(measure)] == names


@pytest.mark.parametrize(
    "honest", [AsksForGrades(), AsksForGroups(), AsksForWords()], ids=lambda measure: type(measure).__name__
)
async def test_what_is_asked_for_may_be_read(honest: Longest) -> None:
    await check_measure(honest)


@pytest.mark.parametrize(
    ("broken", "error", "words"),
    [
        (Same(), AssertionError, "longest: figures: 'accuracy' is a key of moot's measure 'accuracy'"),
        (NotKnown(), ValueError, "Out of range"),
        (EverAnother(), AssertionError, "differ when they are taken twice"),
        (SpeaksOfTheLast(), AssertionError, "that it does not speak of changed its figures by its place"),
        (Meddles(), TypeError, "figures of others can be read and not written"),
        (Greedy(), AssertionError, "is a Needs"),
        (DividesByNothing(), ZeroDivisionError, "division"),
        (DrawsNoWord(), ValueError, "Out of range"),
        (ReadsUnaskedGrades(), AssertionError, "longest: another figure where more is graded or grouped than it needs"),
        (ReadsUnaskedGroups(), AssertionError, "longest: another figure where more is graded or grouped than it needs"),
        (ReadsUnaskedWords(), AssertionError, "longest: another figure .* it reads something of .*matched_words"),
        (ReadsUnaskedClaims(), AssertionError, "longest: .* it reads something of graded_claims$"),
        (UngradedIsWrong(), AssertionError, "longest: what is ungraded is counted as wrong"),
        (DropsUngraded(), AssertionError, "longest: right leaves out what is ungraded .* expected bounds"),
        (NarrowBounds(), AssertionError, "longest: its bounds are .* and it may be .* once all is graded"),
        (KnowsAName(), AssertionError, "never by a strategy's name; found .*line [0-9]+: 'solo'"),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, Longest) else "",
)
async def test_the_suite_notices(broken: Longest, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        await check_measure(broken)
