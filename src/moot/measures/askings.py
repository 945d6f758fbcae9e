"""Who was asked and what came of it, from the transcripts: whoever never answers is in no other figure.

Counted are plays: in each, whether the last thing that somebody was asked there as what it is (a player, a captain, who
groups) came to a usable reply. If not there is a reason: the call failed, the model refused, or no reply could be read. Or
nobody waited for it.

It is filled while episodes are read, in the one pass that all figures share. So it belongs to the source, which knows no
family, and not to the family `attendance`, which makes figures of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from moot.grade.extract import EXTRACT
from moot.store.queries import finished_otherwise
from moot.strategies.traits import PLAYER as PLAYER
from moot.team.team import LATE
from moot.traces import Extraction, Shown, Trace, not_waited_for
from moot.types import NOTHING, UNRECORDED

ANSWERED, FAILED, REFUSED, UNANSWERED = "answered", "failed", "refused", "unanswered"
ABSENT = (FAILED, REFUSED, UNANSWERED)
"""Why somebody who was asked has said nothing."""
NOT_HEARD = "not_heard"
"""What it would have said nobody waited for, be it that a vote was decided or a round had its quorum: neither answered nor
absent. Such a call came to no end that anybody knows: it is neither among the answered nor among the failed."""
UNUSUAL = {"refusal": REFUSED, "content_filter": REFUSED, UNRECORDED: UNANSWERED}
"""By how a call finished: what that is, although there is a reply."""
AskedAs = tuple[str, str]
"""Who, a player or the model in an office, and as what."""
Steps = Sequence[Sequence[Any]]
"""A transcript: who, at which stage, in which turn, the key of the call, the error, the problem of the reply."""


@dataclass(slots=True)
class Attended:
    """Of one place."""

    questions: set[str] = field(default_factory=set)
    endings: Counter[str] = field(default_factory=Counter)
    """Of its plays."""
    calls: set[str] = field(default_factory=set)
    """The keys of those that were answered: strategies share them."""
    failed_calls: int = 0
    """Those that were not, as often as it was tried."""


@dataclass(slots=True)
class Askings:
    """All of an experiment, as its episodes are read."""

    finished: Mapping[str, str] = field(default_factory=dict)
    """By the key of a call: how it finished, where that is unusual."""
    never_made: Collection[str] = ()
    """Keys of those among them that never took place: a recording has no reply to them."""
    officers: Mapping[str, str] = field(default_factory=dict)
    """The models in offices that are the same for all strategies, by the name under which they stand in transcripts."""
    by_place: dict[AskedAs, Attended] = field(default_factory=dict)

    def alone(
        self, players: Iterable[str], questions: Iterable[str], outcomes: Iterable[str], several: Iterable[Steps]
    ) -> None:
        """What players by themselves were asked, play by play, has come to what the play has."""
        usual: dict[str, list[tuple[str, str, Steps]]] = {}
        for player, question, outcome, steps in zip(players, questions, outcomes, several, strict=True):
            if len(steps) == 1 and steps[0][0] == player and steps[0][1] != EXTRACT and player not in self.officers:
                usual.setdefault(player, []).append((question, outcome, steps))  # nearly always
            else:
                self._alone_among_others(player, question, outcome, steps)
        for player, plays in usual.items():
            self._add_alike((player, PLAYER), *zip(*plays, strict=True))

    def _alone_among_others(self, player: str, question: str, outcome: str, steps: Steps) -> None:
        for place, own in _by_place(steps, (player,), {}, self.officers).items():
            ending = _ending_alone(outcome) if place == (player, PLAYER) else self._ending(own, ())
            self._add(place, question, own, ending)

    def _add_alike(
        self, place: AskedAs, questions: Iterable[str], outcomes: Iterable[str], several: Sequence[Steps]
    ) -> None:
        """Plays of one call each, of which there may be very many."""
        attended = self.by_place.setdefault(place, Attended())
        attended.questions.update(questions)
        for outcome, times in Counter(outcomes).items():
            attended.endings[_ending_alone(outcome)] += times
        keys = [steps[0][3] for steps in several]
        attended.calls.update(key for key in keys if key and key not in self.never_made)
        if None in keys:
            attended.failed_calls += sum(step[3] is None and step[4] != LATE for (step,) in several)

    def together(
        self,
        players: Collection[str],
        question: str,
        steps: Steps,
        traces: Iterable[Trace],
        offices: Mapping[str, str] = NOTHING,
    ) -> None:
        """`offices`: the models in those of this strategy, by office."""
        every = list(traces)
        roles = {(look.to, look.turn): look.role for look in every if isinstance(look, Shown)}
        read = {(one.player, one.turn) for one in every if isinstance(one, Extraction) and one.answer is not None}
        places = _by_place(steps, players, roles, self.officers, offices)
        dropped = {(name, PLAYER) for name in not_waited_for(every)}
        for place in sorted(dropped - places.keys()):
            places[place] = []  # a call that is dropped leaves no line
        for place, own in places.items():
            self._add(place, question, own, NOT_HEARD if place in dropped else self._ending(own, read))

    def _add(self, place: AskedAs, question: str, steps: Steps, ending: str) -> None:
        attended = self.by_place.setdefault(place, Attended())
        attended.questions.add(question)
        attended.endings[ending] += 1
        for step in steps:
            if step[3]:
                attended.calls.update({step[3]}.difference(self.never_made))
            elif step[3] is None and step[4] != LATE:
                attended.failed_calls += 1

    def _ending(self, steps: Steps, read: Collection[tuple[str, int]]) -> str:
        """By the last of its calls; a reply that others could read is an answer."""
        name, _, turn, key, error, problem = steps[-1]
        if error is not None:
            return NOT_HEARD if error == LATE else FAILED
        if (unusual := UNUSUAL.get(self.finished.get(key, ""))) is not None:
            return unusual
        return ANSWERED if problem in (None, "repaired") or (name, turn) in read else UNANSWERED


def unusual_finishes(connection: Connection) -> tuple[dict[str, str], frozenset[str]]:
    """By the keys of calls of a store: how they finished, where that is unusual; and those of them that never took place, since
    a recording has no reply to them."""
    finished = finished_otherwise(connection, list(UNUSUAL))
    return finished, frozenset(key for key, finish in finished.items() if finish == UNRECORDED)


def _ending_alone(outcome: str) -> str:
    return outcome if outcome in (ANSWERED, FAILED, REFUSED) else UNANSWERED


def _by_place(
    steps: Steps,
    players: Collection[str],
    roles: Mapping[tuple[str, int], str],
    officers: Mapping[str, str],
    offices: Mapping[str, str] = NOTHING,
) -> dict[AskedAs, list[Sequence[Any]]]:
    places: dict[AskedAs, list[Sequence[Any]]] = {}
    for step in steps:
        name, stage, turn = step[:3]
        if name in offices and name in players:  # runs of before allowed it, and nobody can tell the two apart
            place = name, f"{PLAYER} or {name}"
        elif name in offices:
            place = offices[name], name
        elif name in officers and (name == stage or name not in players):
            place = officers[name], name
        elif stage == EXTRACT:  # who reads may have a seat too
            place = name, EXTRACT
        else:
            place = name, roles.get((name, turn)) or (PLAYER if name in players else stage)
        places.setdefault(place, []).append(step)
    return places
