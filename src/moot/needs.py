"""Needs: what a measure asks a run for, so that no figure hangs on what else happens to stand in the file.

Measures declare; whoever starts a run adds the needs of all its measures up and hands the sum to the engine and to the
estimate. The engine grades and groups exactly that, whichever strategies are played.

Drafts themselves need not be asked for: a strategy whose players first answer alone leaves them with every verdict. One
whose players do not has no drafts, and nobody is asked for any on its behalf; `solo` beside it in the file does that.

A reference and repeats are no needs. A run cannot provide a reference that the questions do not have, and repeats are
paid plays, which the file alone decides on; so a measure takes what there is, and where there is none its figure is null
and says why.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import reduce


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What must be on record. Verdicts are always graded where there is a reference."""

    graded_drafts: bool = False
    """What players said alone, graded as their verdicts are: by match, by judges, by a person."""
    graded_claims: bool = False
    """Answers inside of traces, such as those of a challenge round."""
    grouped_drafts: bool = False
    """Which drafts of a question mean the same, by the file's way of grouping."""
    matched_words: bool = False
    """Whose draft it is that a captain, a reviewer, a summariser or a juror then said in words of its own: what
    `Source.holders` reads."""

    def __post_init__(self) -> None:
        for need in fields(self):
            if type(value := getattr(self, need.name)) is not bool:
                raise ValueError(f"needs: {need.name}: expected True or False, found {value!r:.40}")

    def __or__(self, other: Needs) -> Needs:
        return Needs(**{need.name: getattr(self, need.name) or getattr(other, need.name) for need in fields(Needs)})


NOTHING_MORE = Needs()
EVERYTHING = Needs(**{need.name: True for need in fields(Needs)})
"""What a run provides for somebody who does not say what will be measured."""


def summed(needs: Iterable[Needs]) -> Needs:
    return reduce(Needs.__or__, needs, NOTHING_MORE)
