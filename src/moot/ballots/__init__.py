"""Ballots: pure functions from votes to winners. Ties come back as ties; who breaks them is not a ballot's business.

A rule is found by its name: ``rule("ranked-voting")``, or ``rule("pref-voting:Schulze")`` for any rule of that library.
A new one is one file and one entry point in the group ``moot.ballots``, or an object that `register` makes known: a
decision is a name in a strategy's options, so the name must mean one rule in the whole process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import cast

from moot.ballots.tally import Ballot, Rule, Tally
from moot.ballots.trial import KIND, tally_of, try_rule
from moot.ballots.trial import problem_with as problem_with
from moot.errors import UsageError
from moot.models.closest import closest
from moot.plugins import PluginKind, place_of, problem_with_object, refusing

BUILT_IN = {
    "simple-voting": "moot.ballots.plurality:SimpleVoting",
    "ranked-voting": "moot.ballots.borda:RankedVoting",
    "cumulative-voting": "moot.ballots.cumulative:CumulativeVoting",
    "approval-voting": "moot.ballots.approval:ApprovalVoting",
    "solution-counting": "moot.ballots.counting:SolutionCounting",
}
RULES = PluginKind(KIND, "moot.ballots", BUILT_IN)
LIBRARY = "pref-voting:"
"""What stands before the name of a rule of the library `pref-voting`."""

_GIVEN: dict[str, Rule] = {}

__all__ = [
    "BUILT_IN",
    "LIBRARY",
    "Ballot",
    "Rule",
    "Tally",
    "counted",
    "problem_with",
    "register",
    "registered",
    "rule",
]


def registered() -> Mapping[str, str]:
    """Names of all rules, ours, those that other packages bring, and those given as objects."""
    return {**{name: place_of(type(given)) for name, given in _GIVEN.items()}, **RULES.places()}


def register(given: Rule) -> None:
    """Make an object known by its name, in this process."""
    named = _checked(given).name
    other = "of the library" if named.startswith(LIBRARY) else RULES.other_of_its_name(given)
    if other is not None:
        raise UsageError(f"rule of voting {named!r} is {other} already; expected another name")
    if not RULES.is_registered(given):
        with refusing():
            try_rule(given)
    _GIVEN[named] = given


def _checked(given: object) -> Rule:
    if (problem := problem_with_object(given, KIND, methods=("problem", "count"))) is not None:
        raise UsageError(problem)
    return cast(Rule, given)


def counted(by: Rule, ballots: Sequence[Ballot], options: int) -> Tally:
    """The tally of a rule; one of somebody else's that breaks is blamed by its name."""
    if by.name in BUILT_IN or by.name.startswith(LIBRARY):
        return by.count(ballots, options)
    return tally_of(by, ballots, options)


def rule(name: str) -> Rule:
    """The rule of this name."""
    if name in _GIVEN:
        return _GIVEN[name]
    if name.startswith(LIBRARY):
        from moot.ballots.library import library_rule

        return library_rule(name.removeprefix(LIBRARY))
    place = RULES.place(name)
    if place is None:
        known = [*sorted(registered()), f"{LIBRARY}RULE"]
        raise UsageError(
            f"rule of voting {name!r} is unknown; expected one of {', '.join(known)}{closest(name, known)}"
        )
    return cast(Rule, RULES.make(name)) if name in BUILT_IN else _plugged(name, place)


@cache
def _plugged(name: str, place: str) -> Rule:
    """A rule of another package, tried once."""
    made = _checked(RULES.make(name))
    with refusing():
        try_rule(made)
    return made
