"""Ballots: pure functions from votes to winners. Ties come back as ties; who breaks them is not a ballot's business.

A rule is found by its name: ``rule("ranked-voting")``, or ``rule("pref-voting:Schulze")`` for any rule of that library.
A new one is one file and one entry point in the group ``moot.ballots``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import cast

from moot.ballots.tally import Ballot, Rule, Tally
from moot.errors import UsageError
from moot.models.closest import closest

BUILT_IN = {
    "simple-voting": "moot.ballots.plurality:SimpleVoting",
    "ranked-voting": "moot.ballots.borda:RankedVoting",
    "cumulative-voting": "moot.ballots.cumulative:CumulativeVoting",
    "approval-voting": "moot.ballots.approval:ApprovalVoting",
    "solution-counting": "moot.ballots.counting:SolutionCounting",
}
LIBRARY = "pref-voting:"
"""What stands before the name of a rule of the library `pref-voting`."""

__all__ = ["BUILT_IN", "LIBRARY", "Ballot", "Rule", "Tally", "registered", "rule"]


@cache
def registered() -> Mapping[str, str]:
    """Names of all rules, ours and those that other packages bring."""
    theirs = {point.name: point.value for point in entry_points(group="moot.ballots")}
    return {**theirs, **BUILT_IN}


def rule(name: str) -> Rule:
    """The rule of this name."""
    if name.startswith(LIBRARY):
        from moot.ballots.library import library_rule

        return library_rule(name.removeprefix(LIBRARY))
    place = registered().get(name)
    if place is None:
        known = [*sorted(registered()), f"{LIBRARY}RULE"]
        raise UsageError(
            f"rule of voting {name!r} is unknown; expected one of {', '.join(known)}{closest(name, known)}"
        )
    return cast(Rule, resolve_name(place)())
