"""When drafts of two cells are the same drafts: by the calls that they were made by, never by what they say alone."""

from __future__ import annotations

from typing import Any

import pytest

from moot.measures.draft_calls import MadeByKey, _Alike, _usual
from moot.strategies.traits import Traits

ANN, BOB = ("ann", "call a", "Paris"), ("bob", "call b", "Lyon")
AGAIN = ("ann", "call c", "Paris")
FIRST, SECOND = ("q0", 0), ("q1", 0)


def alike(made: MadeByKey, label: str = "vote") -> _Alike:
    found = _Alike()
    traits = Traits(drafts="single-call")
    found.take({"id": label, "label": label, "player": None, "traits": traits, "spec": "{}"}, made)
    return found


@pytest.mark.parametrize(
    ("made", "shares", "agrees", "meets"),
    [
        ({FIRST: (ANN,)}, True, True, True),
        ({FIRST: (ANN, BOB)}, True, True, True),
        ({FIRST: (BOB,)}, False, True, False),
        ({SECOND: (AGAIN,)}, False, True, False),
        ({FIRST: (AGAIN,)}, False, False, True),
        ({FIRST: (ANN, BOB), SECOND: (AGAIN,)}, True, True, True),
        ({FIRST: (AGAIN, BOB)}, False, False, True),
        ({}, False, True, False),
    ],
)
def test_drafts_are_shared_if_one_is_the_same_and_none_differs(
    made: MadeByKey, shares: bool, agrees: bool, meets: bool
) -> None:
    ours = alike({FIRST: (ANN,)})
    assert (ours.shares(made), ours.agrees(made), ours.meets(made)) == (shares, agrees, meets)


def test_one_draft_that_differs_outweighs_all_that_are_the_same() -> None:
    ours = alike({FIRST: (ANN,), SECOND: (BOB,)})
    other = {FIRST: (ANN,), SECOND: (("bob", "call d", "Lyon"),)}
    assert (ours.shares(other), ours.agrees(other), ours.meets(other)) == (False, False, True)


def test_whoever_is_taken_in_adds_what_nobody_else_had() -> None:
    ours = alike({FIRST: (ANN,)})
    ours.take({"id": "two", "label": "talk", "player": None}, {FIRST: (AGAIN, BOB), SECOND: (BOB,)})
    assert ours.made == {FIRST: (ANN, BOB), SECOND: (BOB,)}
    assert ours.labels == {"vote", "talk"}


SOLO: dict[str, Any] = {"id": "solo", "label": "solo", "player": "ann"}


@pytest.mark.parametrize(
    ("alone", "usual"),
    [
        ({FIRST: (ANN,)}, "vote"),
        ({FIRST: (AGAIN,)}, "primed"),
        ({FIRST: (("ann", "call z", "Rome"),)}, ""),
        ({SECOND: (ANN,)}, None),
        ({}, None),
    ],
)
def test_figures_stand_on_the_drafts_that_players_gave_alone_too(alone: MadeByKey, usual: str | None) -> None:
    """Whose drafts are other calls than those alone speak for no player; where nobody met nobody, it is open."""
    cells = [alike({FIRST: (ANN,)}, "vote"), alike({FIRST: (AGAIN,)}, "primed")]
    found = _usual(cells, [SOLO], {"solo": alone})
    assert (None if found is None else "".join(found.labels)) == usual
