"""Any rule of the library `pref-voting` by its name, on ranked ballots: Schulze, ranked pairs, instant run-off, …

The library is an extra and slow to import, so it is touched only where such a rule is named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from moot.ballots.borda import unordered
from moot.ballots.tally import Ballot, Tally, misread
from moot.errors import UsageError
from moot.models.closest import closest

ALIASES = {
    "schulze": "beatpath",
    "irv": "instantrunoff",
    "maximin": "minimax",
    "black": "blacks",
    "kemeny": "kemenyyoung",
}
"""Rules that the library knows by another name."""

BY_ORDER = "its winner depends on the order of options or voters"
REFUSED = {
    **dict.fromkeys(("Plurality Veto", "Consensus Builder", "Bracket Voting"), BY_ORDER),
    **dict.fromkeys(("Essential Set", "Bipartisan Set", "Bradley-Terry"), "its solver fails on some votes"),
    "River": "it tries every order of equal margins, and in a small team most margins are equal",
}
"""Rules of the library that are not used here, and why. Those whose names end in TB or ZT go by order too."""


@dataclass(frozen=True, slots=True)
class LibraryRule:
    """A rule of the library. It names winners and gives no points, so each winner has one and the others none."""

    name: str
    method: Any = field(repr=False, compare=False)
    takes: frozenset[str]
    """The kinds of votes that it can count, in the library's words."""

    @property
    def partial(self) -> bool:
        """Whether it can count an order that leaves options out. If not, such a ballot is spoilt."""
        return not self.takes.isdisjoint({"PROFILE_WITH_TIES", "TRUNCATED_LINEAR_PROFILE"})

    def problem(self, ballot: Mapping[int, float], options: int) -> str | None:
        if wrong := misread(ballot, options) or unordered(ballot, options):
            return wrong
        if not self.partial and len(ballot) < options:
            return f"expected all {options} options in order, found {len(ballot)}"
        return None

    def count(self, ballots: Sequence[Ballot], options: int) -> Tally:
        valid = [ballot for ballot in ballots if ballot is not None and self.problem(ballot, options) is None]
        winners = tuple(sorted(int(option) for option in self._winners(valid, options))) if valid else ()
        points = tuple(float(option in winners) for option in range(options))
        return Tally(points, winners, spoilt=len(ballots) - len(valid), voters=len(ballots))

    def _winners(self, ballots: Sequence[Mapping[int, float]], options: int) -> Sequence[int]:
        from pref_voting.profiles import Profile
        from pref_voting.profiles_with_ties import ProfileWithTies

        # Where margins are equal its usual way tries every order of them: 10! for five options.
        how = {"algorithm": "from_stacks"} if self.method.name == "Ranked Pairs" else {}
        if "PROFILE" in self.takes and all(len(ballot) == options for ballot in ballots):
            orders = [sorted(ballot, key=ballot.__getitem__) for ballot in ballots]
            return cast(Sequence[int], self.method(Profile(orders), **how))
        places = [{option: int(place) for option, place in ballot.items()} for ballot in ballots]
        profile = ProfileWithTies(places, candidates=list(range(options)))
        profile.use_extended_strict_preference()  # what is in order stands before what is not
        return cast(Sequence[int], self.method(profile, **how))


def library_rule(name: str) -> LibraryRule:
    """The rule by any spelling of its name: ``Ranked Pairs``, ``ranked-pairs``, ``ranked_pairs``."""
    methods = _methods()
    key = _key(name)
    method = methods.get(ALIASES.get(key, key))
    if method is None:
        names = sorted({rule.name for rule in methods.values()} | {"Schulze"})
        hint = closest(name, names) or f"; expected one of {', '.join(names)}"
        raise UsageError(f"pref-voting has no rule {name!r}; expected the name of one of its voting methods{hint}")
    if reason := BY_ORDER if method.name.endswith((" TB", " ZT")) else REFUSED.get(method.name):
        raise UsageError(f"the rule {method.name!r} of pref-voting is not used here: {reason}; expected another")
    return LibraryRule(f"pref-voting:{name}", method, frozenset(kind.name for kind in method.input_types))


@cache
def _methods() -> Mapping[str, Any]:
    """The usable rules by the key of their name, and by that of their function."""
    try:
        from pref_voting import voting_methods
        from pref_voting.voting_method import VotingMethod
    except ImportError:
        raise UsageError("rules of pref-voting need the extra: pip install 'moot[pref-voting]'") from None
    methods: dict[str, Any] = {}
    for attribute, method in vars(voting_methods).items():
        if isinstance(method, VotingMethod) and method.input_types:
            for name in (attribute, method.name):
                methods.setdefault(_key(name), method)
    return methods


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
