"""What is odd about players whose answers a rule is learnt from, in words: who reads its figures must know."""

from __future__ import annotations

from collections.abc import Iterator

from moot.decide.candidates import Candidates

MISSING = 0.5
"""Who said nothing to so many of the questions is told of."""


def odd_players(known: Candidates) -> Iterator[str]:
    """What is odd about those whose answers these are, in words."""
    spoke = known.spoke.sum(axis=0)
    if (known.given.sum(axis=1) <= 1).all() and (spoke == len(known)).all():
        yield "all said the same to every question: no rule makes a difference, and nobody's weight can be told"
    for name, right, times in zip(known.players, known.accuracy, spoke, strict=True):
        if right >= 1.0:
            yield f"{name} was right on all {len(known):,}: nobody can be better, and how sure that is hangs on how many they are"
        if times <= MISSING * len(known):
            silent = len(known) - int(times)
            yield f"{name} said nothing to {silent:,} of {len(known):,}: its weight is made of the others"
