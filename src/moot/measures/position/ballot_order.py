"""A ballot as a look at what was on it, so that voters stand beside all others whom a place may sway."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from moot.measures.position.bias import Look
from moot.traces import Ballot


def favourites(ballot: Ballot) -> tuple[int, ...]:
    """What the voter likes best: what it ranks first, gives most points to, or approves of; several share the vote."""
    if not ballot.choice:
        return ()
    best = min(ballot.choice.values()) if ballot.form == "ranking" else max(ballot.choice.values())
    return tuple(option for option, value in ballot.choice.items() if value == best)


def ballot_look(
    question: str, ballot: Ballot, alike: Mapping[int, Hashable] | None = None, lot: Hashable = None
) -> Look:
    """Spoilt ballots and those that favour nobody (`empty`) are counted apart.

    `alike`: by option, what it says: options that say the same share the vote. None: no two do.
    """
    liked = favourites(ballot)
    apart = "spoilt" if ballot.choice is None else None if liked else "empty"
    if alike is not None:
        said = {alike.get(option) for option in liked}
        liked = tuple(option for option in ballot.order if alike[option] in said)
    return Look(question, ballot.order, liked, apart, lot)
