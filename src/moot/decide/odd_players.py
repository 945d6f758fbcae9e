"""What is odd about players whose answers a rule is learnt from, in words: who reads its figures must know."""

from __future__ import annotations

from collections.abc import Iterator

from moot.decide.candidates import Candidates

MISSING = 0.5
"""Who said nothing to so many of the questions is told of."""
SAID_NOTHING = "said nothing to"
ALIKE = "no rule makes a difference, a vote says the same, and nobody's weight can be told"
NEVER_RIGHT = "nobody was right on any of {:,} graded questions"
"""Then whatever is made of their answers is wrong as well."""
LOOK_AT_KEYS = (
    "see whether the reference answers are those of these questions, and whether the replies are read as they are meant"
)


def never_right(known: Candidates) -> str | None:
    """That none of their answers is right; None: one is."""
    return NEVER_RIGHT.format(len(known)) if len(known) and not (known.worth[known.given] > 0).any() else None


def odd_players(known: Candidates) -> Iterator[str]:
    """What is odd about those whose answers these are, in words."""
    spoke = known.spoke.sum(axis=0)
    if (known.given.sum(axis=1) <= 1).all():
        who = "all" if (spoke == len(known)).all() else "whoever said anything"
        yield f"{who} said the same to every question: {ALIKE}"
    for name, right, times in zip(known.players, known.accuracy, spoke, strict=True):
        if right >= 1.0:
            yield f"{name} was right on all {len(known):,}: nobody can be better, and how sure that is hangs on how many they are"
        if times <= MISSING * len(known):
            silent = len(known) - int(times)
            yield f"{name} {SAID_NOTHING} {silent:,} of {len(known):,}: its weight is made of the others"
