"""Which of several sets of drafts stands for a team, and which players alone are compared with it."""

from __future__ import annotations

from itertools import permutations

from moot.measures.cells import Stored, playing_alone
from moot.measures.team_drafts import TeamDrafts
from moot.strategies.traits import Traits
from moot.types import Answer

KEY = ("q1", 0)
SETS = (
    (Answer("ann", "Paris"), Answer("bob", None, outcome="failed", cause="slow")),
    (Answer("ann", "Paris"), Answer("bob", None, outcome="failed", cause="down")),
    (Answer("ann", "Paris", "for a reason"), Answer("bob", None, outcome="failed", cause="down")),
    (Answer("ann", "Paris"),),
)


def kept(*sets: tuple[Answer, ...]) -> TeamDrafts:
    table = TeamDrafts()
    for drafts in sets:
        assert table.keep(KEY, drafts) == drafts
    return table


def test_the_order_of_strategies_does_not_decide_which_drafts_stand() -> None:
    assert len({kept(*several).drafts[KEY] for several in permutations(SETS)}) == 1


def test_a_set_that_tells_no_more_takes_no_place() -> None:
    first = SETS[0]
    table = kept(first, first[::-1])
    assert table.drafts[KEY] is first


def test_who_is_missing_in_the_fullest_set_is_heard_in_another() -> None:
    table = kept((Answer("ann", "Paris"), Answer("bob", "Lyon")), (Answer("cat", "Nice"),))
    assert {name: draft.text for name, draft in table.drafts_heard(KEY).items()} == {
        "ann": "Paris",
        "bob": "Lyon",
        "cat": "Nice",
    }


def cell(ident: str, player: str | None, drafts: str | None) -> Stored:
    return Stored(
        id=ident,
        strategy="any",
        label="any",
        team=None if player else "two",
        captain=None,
        player=player,
        cohort=None,
        spec="{}",
        given={},
        options={},
        traits=Traits(drafts=drafts, alone=player is not None),
    )


def test_players_alone_are_those_who_were_asked_in_the_same_way() -> None:
    cells = [
        *(cell(f"{name} {kind}", name, kind) for kind in ("single-call", "double-call") for name in ("ann", "bob")),
        cell("team", None, "double-call"),
    ]
    for kind in ("single-call", "double-call"):
        for order in (cells, cells[::-1]):
            alone = playing_alone(order, cell("like", None, kind))
            assert {of_player["player"]: of_player["id"] for of_player in alone} == {
                "ann": f"ann {kind}",
                "bob": f"bob {kind}",
            }
