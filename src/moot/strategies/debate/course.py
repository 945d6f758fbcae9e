"""The course of a debate, and what it comes to: for the team, or for one of those who took part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from moot import traces
from moot.ballots.cut_voices import cut_players, hangs_on_cut
from moot.ballots.plurality import plurality
from moot.models.cut_out import was_cut
from moot.strategies.argument import Argument
from moot.team import Team
from moot.team.player import Heard
from moot.traces import Trace
from moot.types import Answer, Question, Verdict

T = TypeVar("T")

DebateEnding = Literal["unanimous", "consensus", "stuck", "max-rounds"]
"""`unanimous`: the native answers agreed, and there was no debate."""

Orders = dict[str, list[list[str]]]
"""By reader: those who held the first position it was shown, those who held the second, and so on."""
Sides = dict[str, list[int]]
"""By reader: the places, from 0 on, of what it then said; none: it said something new. Who said nothing is not in it."""


@dataclass(frozen=True, slots=True)
class Stand:
    """Where a player stands, and why."""

    answer: str | None
    argument: str = ""


@dataclass(frozen=True, slots=True)
class DebatePosition:
    """An answer and those who hold it."""

    answer: str
    holders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DebateRound:
    """What was heard in a round, where everybody stands after it, and who moved."""

    heard: Mapping[str, Heard[Argument]]
    stands: Mapping[str, Stand]
    changed: tuple[str, ...]
    orders: Orders
    sides: Sides

    def traces(self, turn: int) -> Iterator[Trace]:
        yield from _readers(self.orders, self.sides, {name: stand.answer for name, stand in self.stands.items()}, turn)
        yield traces.Round(
            turn,
            {name: stand.answer for name, stand in self.stands.items()},
            self.changed,
            tuple(name for name, heard in self.heard.items() if heard.value is None),
            tuple(name for name, heard in self.heard.items() if heard.late),
        )


@dataclass(frozen=True, slots=True)
class Course:
    """A debate from the native answers to its end. `word` is what all agreed on, if they did."""

    natives: tuple[Answer, ...]
    rounds: tuple[DebateRound, ...]
    ending: DebateEnding
    word: str | None
    resolution: Mapping[str, Heard[Argument]] | None = None
    resolution_orders: Orders = field(default_factory=dict)
    resolution_sides: Sides = field(default_factory=dict)
    hangs_on: tuple[str, ...] = ()
    """With nothing cut out of what these said the debate might have ended before it did."""
    unknown: bool = False
    """Whether nobody knows if they had agreed, in the end or before."""
    ending_unknown: bool = False
    """Whether nobody knows if they were stuck when the rounds ran out."""

    def traces(self) -> Iterator[Trace]:
        for number, debate_round in enumerate(self.rounds, 1):
            yield from debate_round.traces(1 + number)
        if self.resolution is not None:
            turn = 2 + len(self.rounds)
            answers = {name: heard.value.answer if heard.value else None for name, heard in self.resolution.items()}
            yield from _readers(self.resolution_orders, self.resolution_sides, answers, turn)
            yield traces.Resolution(turn, answers)
        yield traces.Ending(self.ending, self.word is not None, self.unknown, self.ending_unknown)

    @property
    def silent(self) -> tuple[str, ...]:
        """Everybody who once should have spoken and did not."""
        names = [draft.player for draft in self.natives if draft.text is None]
        stages = [
            *(debate_round.heard for debate_round in self.rounds),
            *([self.resolution] if self.resolution is not None else []),
        ]
        names += [name for heard in stages for name, reply in heard.items() if reply.value is None]
        return tuple(dict.fromkeys(names))

    def took_part(self, name: str) -> bool:
        """Whether it was heard once after the native answers."""
        stages = [
            *(debate_round.heard for debate_round in self.rounds),
            *([self.resolution] if self.resolution is not None else []),
        ]
        return any(heard[name].value is not None for heard in stages)


class Meanings:
    """Which of the answers of one debate mean the same. Asked anew only when somebody says something new."""

    def __init__(self, question: Question, team: Team) -> None:
        self._question, self._team = question, team
        self._groups: dict[str, int] = {}
        self.fell_back: str | None = None
        """Why the grouping model's word could not be used, if once it could not."""

    async def learn(self, stands: Iterable[Stand]) -> None:
        texts = [stand.answer for stand in stands if stand.answer is not None]
        if set(texts) <= self._groups.keys():
            return
        every = list(dict.fromkeys([*self._groups, *texts]))
        grouping = await self._team.group(self._question, [Answer(text, text) for text in every])
        self._groups = {text: number for number, group in enumerate(grouping.groups) for text in group}
        self.fell_back = self.fell_back or grouping.fell_back

    def same(self, one: Stand, other: Stand) -> bool:
        if one.answer is None or other.answer is None:
            return one.answer is other.answer
        if was_cut(one.answer) or was_cut(other.answer):  # nobody knows what they said
            return False
        return self._groups[one.answer] == self._groups[other.answer]

    def sides(self, orders: Orders, before: Mapping[str, Stand], after: Mapping[str, Stand]) -> Sides:
        """Which of the positions that it was shown each says afterwards. Two that were told apart may have become one."""
        return {
            name: [place for place, holders in enumerate(orders[name]) if self.same(before[holders[0]], after[name])]
            for name in orders
            if name in after and after[name].answer is not None
        }

    def agreed(self, stands: Iterable[Stand]) -> str | None:
        """What all of them say, in the commonest words; None where somebody says something else, or nothing."""
        answers = [stand.answer for stand in stands]
        texts = [answer for answer in answers if answer is not None]
        if len(texts) > 1 and any(map(was_cut, texts)):
            return None
        if len(texts) < len(answers) or len({self._groups[text] for text in texts}) != 1:
            return None
        return _commonest(texts)

    def might_agree(self, stands: Iterable[Stand]) -> bool:
        """Whether all might have said the same, had nothing been cut out of what some of them said."""
        answers = [stand.answer for stand in stands]
        texts = [answer for answer in answers if answer is not None]
        whole = [text for text in texts if not was_cut(text)]
        if len(texts) < len(answers) or len(texts) < 2 or len(whole) == len(texts):
            return False
        return len({self._groups[text] for text in whole}) < 2

    def surely_moved(self, before: Stand, after: Stand) -> bool:
        """Nobody knows whether who says what has lost a part has said it before."""
        return not (was_cut(before.answer) or was_cut(after.answer)) and not self.same(before, after)

    def positions(self, stands: Mapping[str, Stand]) -> list[DebatePosition]:
        holders: dict[tuple[int, str], list[str]] = {}
        for name, stand in stands.items():
            if stand.answer is not None:
                alone = name if was_cut(stand.answer) else ""
                holders.setdefault((self._groups[stand.answer], alone), []).append(name)
        return [
            DebatePosition(_commonest([stands[name].answer or "" for name in names]), tuple(names))
            for names in holders.values()
        ]


def _commonest(texts: list[str]) -> str:
    counts = Counter(texts)
    return max(texts, key=lambda text: counts[text])  # of equals the first


def verdict_of(course: Course, question: Question, team: Team, meanings: Meanings) -> Verdict:
    """The verdict of this line-up: its captain's answer after the debate, or without a captain the team's."""
    if course.word is not None:
        verdict = _agreed(course, team)
    elif team.captain is not None:
        verdict = _own(course, team.captain)
    else:
        verdict = _divided(course, question, team, meanings)
    if course.hangs_on and not traces.of_kind(verdict.traces, traces.HangsOnCut):
        verdict = replace(verdict, traces=(*verdict.traces, traces.HangsOnCut(course.hangs_on)))
    if meanings.fell_back is None:
        return verdict
    fell_back = f"the grouping model's word could not be used: {meanings.fell_back}"
    return replace(verdict, traces=(*verdict.traces, traces.Remarked(fell_back)))


def _readers(orders: Orders, sides: Sides, answers: Mapping[str, str | None], turn: int) -> Iterator[Trace]:
    """What each was shown in a round, in its order, and which of it it then said."""
    for name, order in orders.items():
        places = tuple(sides[name]) if name in sides else None
        answer = answers.get(name) if name in sides else None
        yield traces.Shown(name, "debater", tuple(map(tuple, order)), turn, answer=answer, places=places)


def _agreed(course: Course, team: Team) -> Verdict:
    """One answer for everybody; where there was no debate, each in its own words."""
    speaker = team.captain or course.natives[0].player
    native = next(draft for draft in course.natives if draft.player == speaker)
    last = course.resolution or (course.rounds[-1].heard if course.rounds else None)
    word = last[speaker].value if last is not None else None
    answer = native.text if course.ending == "unanimous" and team.captain else course.word
    reasoning = word.reasoning if word is not None else native.reasoning
    return _verdict(course, answer, reasoning, tuple(draft.player for draft in course.natives))


def _own(course: Course, name: str) -> Verdict:
    """No agreement: each has its own resolution. Who was late for it keeps its position, who took no part its native."""
    assert course.resolution is not None, "without agreement there is a resolution"
    native = next(draft for draft in course.natives if draft.player == name)
    heard = course.resolution[name]
    if heard.value is not None:
        return _verdict(course, heard.value.answer, heard.value.reasoning, (name,))
    if not course.took_part(name) and native.text is not None:
        return _verdict(course, native.text, native.reasoning, (name,))
    stand = course.rounds[-1].stands[name]
    if heard.late and stand.answer is not None:
        return _verdict(course, stand.answer, stand.argument, (name,))
    return Verdict(
        None,
        heard.outcome,
        answers=course.natives,
        turns=1 + len(course.rounds),
        absent=course.silent,
        cause=f"{name} gave no resolution: {heard.cause}",
        traces=tuple(course.traces()),
    )


def _divided(course: Course, question: Question, team: Team, meanings: Meanings) -> Verdict:
    """No agreement and nobody to speak for the team: most of the final positions, and it is said that it is undecided."""
    assert course.resolution is not None, "without agreement there is a resolution"
    stands = {
        name: Stand(heard.value.answer, heard.value.reasoning) if heard.value else course.rounds[-1].stands[name]
        for name, heard in course.resolution.items()
    }
    positions = meanings.positions(stands)
    tied = plurality(position for position in positions for _ in position.holders)
    chosen = _drawn(question, team, tied)
    cut = cut_players(Answer(name, stand.answer) for name, stand in stands.items())
    hangs = hangs_on_cut(
        [position.holders for position in positions],
        cut,
        lambda groups: _drawn(question, team, plurality(group for group in groups for _ in group)),
    )
    after = f"{len(course.rounds)} round{'s' if len(course.rounds) > 1 else ''}"
    cause = f"no agreement after {after} ({course.ending}) and a resolution; most of the final positions stand"
    verdict = _verdict(course, chosen.answer, stands[chosen.holders[0]].argument, chosen.holders, cause)
    if not hangs:
        return verdict
    return replace(verdict, traces=(*verdict.traces, traces.HangsOnCut(tuple(name for name in stands if name in cut))))


def _drawn(question: Question, team: Team, tied: Sequence[T]) -> T:
    return tied[0] if len(tied) == 1 else team.random(question, "tie").choice(tied)


def _verdict(
    course: Course, answer: str | None, reasoning: str, who: tuple[str, ...], undecided: str | None = None
) -> Verdict:
    return Verdict(
        answer,
        "answered" if undecided is None else "undecided",
        reasoning=reasoning,
        who=who,
        answers=course.natives,
        turns=1 + len(course.rounds),
        absent=tuple(name for name in course.silent if name not in who),
        cause=undecided,
        traces=tuple(course.traces()),
    )
