"""Votes of which a part is missing: an answer out of which a secret was cut may equal any other, or none.

It is never put together with another, since nobody knows what it said. So whoever counts finds it standing alone, and what
was counted is firm only where it comes out the same whatever the answer said. Everybody who counts asks it here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from moot.models.cut_out import was_cut
from moot.types import Answer

VoteGroup = tuple[str, ...]
VoteGroups = Sequence[VoteGroup]

MOST_CUT = 4
"""Answers with a part cut out that are tried in every way. With more nothing is firm."""


UNTOLD_OF_CUT = "a part of an answer equals a key and was cut out, so nobody knows who agrees with whom"
"""Why nobody tells how sure an answer is, or how many agree."""


def cut_players(answers: Iterable[Answer]) -> frozenset[str]:
    """Whose answers have lost a part."""
    return frozenset(answer.player for answer in answers if was_cut(answer.text))


def readings(groups: VoteGroups, cut: Collection[str]) -> Iterator[VoteGroups]:
    """Who may have said the same, if answers of these players can equal any other: every way there is.

    VoteGroups are in the order of who stands first in them, and so are their players, as a grouping has them.
    """
    seats = [player for group in groups for player in group]
    whole = [set(group) - set(cut) for group in groups]
    for several in _joined([group for group in whole if group], [player for player in seats if player in cut]):
        ordered = (tuple(sorted(group, key=seats.index)) for group in several)
        yield tuple(sorted(ordered, key=lambda group: seats.index(group[0])))


def _joined(groups: list[set[str]], left: Sequence[str]) -> Iterator[list[set[str]]]:
    if not left:
        yield groups
        return
    first, *others = left
    for place in range(len(groups)):
        joined = [group | {first} if place == number else group for number, group in enumerate(groups)]
        yield from _joined(joined, others)
    yield from _joined([*groups, {first}], others)


def hangs_on_cut(groups: VoteGroups, cut: Collection[str], taken: Callable[[VoteGroups], VoteGroup | None]) -> bool:
    """Whether another answer might have been taken, had nothing been cut out.

    `taken`: which group a rule takes of such groups; None: it would have asked on, so nobody knows.
    """
    here = {player for group in groups for player in group if player in cut}
    if not here:
        return False
    if len(here) > MOST_CUT:
        return True
    won = taken(groups)
    if won is None:
        return True
    behind = set(won)
    return any((other := taken(reading)) is None or not behind <= set(other) for reading in readings(groups, here))


def points_hang_on_cut(points: Sequence[float], cut: Collection[int], winner: int | None) -> bool:
    """The same of ballots on options, some of which were cut (`cut`, by number): what was given to these may have been meant
    for any other."""
    if not cut or winner in cut:
        return bool(cut)
    if winner is None:
        return True
    others = [given for option, given in enumerate(points) if option != winner and option not in cut]
    return max(others, default=0.0) + sum(points[option] for option in cut) >= points[winner]


def count_hangs_on_cut(groups: VoteGroups, cut: Collection[str], at_least: int) -> bool:
    """Whether nobody knows if there are so many different answers."""
    here = {player for group in groups for player in group if player in cut}
    apart = len([group for group in groups if not set(group) <= here])
    return fewest_groups(apart, len(here)) < at_least <= len(groups)


def fewest_groups(whole: int, cut: int) -> int:
    """How many different answers there are at least: all that were cut may equal one that was not, or each other."""
    return max(whole, 1 if cut else 0)
