"""How many different answers the players of a table gave to a question: d, and what is known of it where not all were heard.

A vote that stops early waits for nobody who could change nothing. Whoever was not heard then may have been heard by the
same call in another play, or alone: so d is of all drafts that are known. Where one is not, d is open, and the questions
of which it is known are no sample of the others: the team was heard there because it disagreed, or because of who is fast.
A figure of the questions with d answers then has bounds only: each open question may be one of them, or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from moot.ballots.cut_voices import fewest_groups
from moot.engine.match_record import Groups
from moot.measures.quiz.played import DraftsKey, Played, solos, split, teams
from moot.stats.counted_words import count
from moot.stats.estimates import Row, estimate_row

LeastAndMost = tuple[float, float]
"""The least and the most that one play is worth."""


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """d of each set of drafts, as far as it is known."""

    sure: Mapping[DraftsKey, int]
    open: Mapping[DraftsKey, range]
    """What d may be, of sets of drafts in which somebody was not heard."""

    def may_be(self, play: Played, d: int) -> bool:
        return d in self.open.get(play.drafts, ())

    def known(self, play: Played) -> bool:
        return play.drafts in self.sure


def answer_counts(plays: Sequence[Played]) -> AnswerCounts:
    """Not known of a set in which a player was not heard, or whose answer stands in no group: there may have been more.

    An answer in no group where all were waited for failed in one play and came in another: that says nothing of what the
    team thinks, so that such a set is left out and the others stand for it. Where plays may come to anything, whoever could not
    be reached may yet give one answer more. An answer with a part cut out may equal any other, or none.
    """
    groups, stopped = _known_groups(plays), {play.drafts for play in plays if play.known_groups is not None}
    again: dict[DraftsKey, frozenset[str]] = {play.drafts: play.asked_again for play in teams(plays)}
    lost: dict[DraftsKey, frozenset[str]] = {}
    for play in teams(plays):
        lost[play.drafts] = lost.get(play.drafts, frozenset()) | play.cut
    answered: dict[DraftsKey, set[str]] = {}
    not_heard: dict[DraftsKey, set[str]] = {}
    for play in solos(plays):
        if not play.heard:
            not_heard.setdefault(play.drafts, set()).add(play.player or "")
        elif play.outcome == "answered":
            answered.setdefault(play.drafts, set()).add(play.player or "")
    sure: dict[DraftsKey, int] = {}
    unknown: dict[DraftsKey, range] = {}
    for drafts in sorted({play.drafts for play in plays}):
        together = groups.get(drafts, ())
        missing = not_heard.get(drafts, set()) | (answered.get(drafts, set()) - set(chain.from_iterable(together)))
        coming = again.get(drafts, frozenset()).difference(*together)
        missing |= coming
        cut = lost.get(drafts, frozenset()).intersection(chain.from_iterable(together))
        if cut and not (missing and not coming and drafts not in stopped):
            whole = len([group for group in together if not cut.issuperset(group)])
            unknown[drafts] = range(fewest_groups(whole, len(cut)), len(together) + len(missing) + 1)
        elif missing and (coming or drafts in stopped):
            unknown[drafts] = range(max(1, len(together)), len(together) + len(missing) + 1)
        elif together and not missing:
            sure[drafts] = len(together)
    return AnswerCounts(sure, unknown)


def diversity_of(plays: Sequence[Played]) -> Mapping[DraftsKey, int]:
    """d of each set of drafts of which it is known."""
    return answer_counts(plays).sure


def groups_of(plays: Iterable[Played]) -> dict[DraftsKey, Groups]:
    """The answer groups of each set of drafts: in each repeat of a question those of the fullest that was played on.

    Strategies share the drafts, but one may not have waited for all of them: how many plays rest on fewer, and so how
    many strategies stand in the file, must not matter.
    """
    return _fullest((play.drafts, play.groups) for play in plays)


def _known_groups(plays: Sequence[Played]) -> dict[DraftsKey, Groups]:
    """The same of all that is known, be it that no play rests on it."""
    return _fullest((play.drafts, groups) for play in plays for groups in (play.groups, play.known_groups or ()))


def _fullest(grouped: Iterable[tuple[DraftsKey, Groups]]) -> dict[DraftsKey, Groups]:
    fullest: dict[DraftsKey, Groups] = {}
    for drafts, groups in grouped:
        if groups:
            alike = tuple(sorted(tuple(sorted(group)) for group in groups))
            kept = fullest.get(drafts, alike)
            fullest[drafts] = min(alike, kept, key=lambda one: (-sum(map(len, one)), one))
    return dict(sorted(fullest.items()))


def unplaced_words(questions: int) -> str:
    named = count(questions, "question")
    return f"{named} may stand here too: not every answer is known there, and nobody knows how many there were"


def unplaced_row(surely: Sequence[Played], perhaps: Sequence[Played], name: str) -> Row:
    """An accuracy on the questions with d answers, of which some only may be among them: what it lies between."""
    questions = len({play.question for play in perhaps})
    return {
        **estimate_row(None, name),
        "bounds": mean_bounds(surely, perhaps, lambda play: (play.value.least, play.value.most)),
        "unplaced": questions,
        "why": unplaced_words(questions),
    }


def mean_bounds(
    surely: Sequence[Played], perhaps: Sequence[Played], ends: Callable[[Played], LeastAndMost]
) -> dict[str, float]:
    """What the mean over questions can be, whichever of the others are among them."""
    low = _lowest(surely, perhaps, lambda play: ends(play)[0])
    return {"low": low, "high": -_lowest(surely, perhaps, lambda play: -ends(play)[1])}


def _lowest(surely: Sequence[Played], perhaps: Sequence[Played], worth: Callable[[Played], float]) -> float:
    """With repeats some drafts of a question may be known to stand here and others not."""
    sure, open_plays = (split(plays, lambda play: play.question) for plays in (surely, perhaps))
    here: list[float] = []
    elsewhere: list[list[float]] = []
    for question in sorted(sure.keys() | open_plays.keys()):
        own = [worth(play) for play in sure.get(question, ())]
        sets = split(open_plays.get(question, ()), lambda play: play.drafts).values()
        lowest = _lowered(own, [[worth(play) for play in several] for several in sets])
        if own:
            here.append(lowest)
        else:
            elsewhere.append([lowest])
    return _lowered(here, elsewhere)


def _lowered(values: Sequence[float], sets: Sequence[Sequence[float]]) -> float:
    """The least that the mean can be if any of the sets may join; where there is nothing else, one does."""
    total, number = sum(values), len(values)
    for joining in sorted(sets, key=lambda several: sum(several) / len(several)):
        if number and sum(joining) / len(joining) >= total / number:
            break
        total, number = total + sum(joining), number + len(joining)
    return total / number
