"""Rules of the library `pref-voting` without it, since it is slow to import: which ballots fit, which of its names mean a rule,
and which of its two kinds of votes it is given. A stand-in counts first places; `test_library.py` asks the library itself.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import ModuleType
from typing import Any

import pytest

from moot.ballots import library, rule
from moot.ballots.library import LibraryRule
from moot.ballots.tally import Tally
from moot.errors import UsageError

WHOLE = LibraryRule("pref-voting:whole", None, frozenset({"PROFILE"}))
IN_PART = [
    LibraryRule("pref-voting:in part", None, frozenset({"PROFILE", kind}))
    for kind in ("PROFILE_WITH_TIES", "TRUNCATED_LINEAR_PROFILE")
]


@pytest.mark.parametrize("rule", [WHOLE, *IN_PART], ids=lambda rule: rule.name)
def test_what_is_no_order_is_no_ballot_of_any_rule(rule: LibraryRule) -> None:
    assert rule.problem({0: 1, 1: 2, 3: 3}, 3) == "there is no option 3; expected 0 to 2"
    assert rule.problem({0: 1, 1: 2, 2: 4}, 3) == "expected the positions 1 to 3, each once"
    assert rule.problem({}, 3) == "expected 1 to 3 options in order, found 0"
    assert rule.problem({2: 1, 0: 2, 1: 3}, 3) is None


def test_options_may_be_left_out_only_where_the_rule_can_count_that() -> None:
    assert [rule.problem({2: 1, 0: 2}, 3) for rule in IN_PART] == [None, None]
    assert WHOLE.problem({2: 1, 0: 2}, 3) == "expected all 3 options in order, found 2"


def test_where_no_ballot_fits_nobody_wins_and_the_library_is_not_asked() -> None:
    assert WHOLE.count([{2: 1}, None, {0: 1, 1: 1, 2: 1}], 3) == Tally((0.0, 0.0, 0.0), (), spoilt=3, voters=3)


class Kind(Enum):
    PROFILE = 1
    PROFILE_WITH_TIES = 2


@dataclass
class Profile:
    orders: Sequence[Sequence[int]]

    def firsts(self) -> list[int]:
        assert len({len(order) for order in self.orders}) == 1, "whole orders only"
        return [order[0] for order in self.orders]


class ProfileWithTies:
    def __init__(self, places: Sequence[Mapping[int, int]], candidates: Sequence[int]) -> None:
        self.places, self.candidates, self.in_order_before_others = places, candidates, False

    def use_extended_strict_preference(self) -> None:
        self.in_order_before_others = True

    def firsts(self) -> list[int]:
        assert self.in_order_before_others
        return [option for places in self.places for option in self.candidates if places.get(option) == 1]


@dataclass(eq=False)
class VotingMethod:
    """Whoever is first most often, of votes of these kinds."""

    name: str
    input_types: Sequence[Kind]
    algorithm: str | None = None

    def __call__(self, profile: Profile | ProfileWithTies, **how: str) -> list[int]:
        assert (Kind.PROFILE if isinstance(profile, Profile) else Kind.PROFILE_WITH_TIES) in self.input_types
        self.algorithm = how.get("algorithm")
        firsts = Counter(profile.firsts())
        return [option for option, number in firsts.items() if number == max(firsts.values())]


@pytest.fixture
def methods(monkeypatch: pytest.MonkeyPatch) -> dict[str, VotingMethod]:
    both = [Kind.PROFILE, Kind.PROFILE_WITH_TIES]
    found = {
        "beat_path": VotingMethod("Beat Path", both),
        "ranked_pairs": VotingMethod("Ranked Pairs", both),
        "coombs": VotingMethod("Coombs", [Kind.PROFILE]),
        "rated": VotingMethod("Rated", [Kind.PROFILE_WITH_TIES]),
        "coombs_tb": VotingMethod("Coombs TB", [Kind.PROFILE]),
        "river": VotingMethod("River", [Kind.PROFILE]),
        "of_nothing": VotingMethod("Of Nothing", []),
    }
    parts: dict[str, dict[str, Any]] = {
        "voting_methods": {**found, "no_method": print},
        "voting_method": {"VotingMethod": VotingMethod},
        "profiles": {"Profile": Profile},
        "profiles_with_ties": {"ProfileWithTies": ProfileWithTies},
    }
    package = ModuleType("pref_voting")
    monkeypatch.setitem(sys.modules, "pref_voting", package)
    for name, held in parts.items():
        module = ModuleType(f"pref_voting.{name}")
        vars(module).update(held)
        setattr(package, name, module)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(library, "_methods", library._methods.__wrapped__)
    return found


@pytest.mark.usefixtures("methods")
def test_a_rule_goes_by_any_spelling_of_its_name_and_by_that_of_its_function() -> None:
    for name in ("Beat Path", "beat-path", "BEAT_PATH", "Schulze", "schulze"):
        found = rule(f"pref-voting:{name}")
        assert isinstance(found, LibraryRule)
        assert (found.name, found.method.name) == (f"pref-voting:{name}", "Beat Path")


@pytest.mark.usefixtures("methods")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Shulze", "has no rule 'Shulze'; expected the name of one of its voting methods; did you mean 'Schulze'?"),
        (
            "xyzzy",
            "has no rule 'xyzzy'; expected the name of one of its voting methods; "
            "expected one of Beat Path, Coombs, Coombs TB, Ranked Pairs, Rated, River, Schulze",
        ),
        (
            "coombs-tb",
            "'Coombs TB' of pref-voting is not used here: its winner depends on the order of options or voters",
        ),
        ("River", "'River' of pref-voting is not used here: it tries every order of equal margins"),
    ],
)
def test_a_name_that_means_no_rule_is_refused_with_what_would(name: str, words: str) -> None:
    with pytest.raises(UsageError) as raised:
        rule(f"pref-voting:{name}")
    assert words in str(raised.value)


@pytest.mark.usefixtures("methods")
def test_orders_in_part_are_counted_as_such_and_whole_ones_as_what_the_rule_takes() -> None:
    whole, part = {2: 1, 0: 2, 1: 3}, {1: 1, 0: 2}
    for name in ("Beat Path", "Rated"):
        counted = rule(f"pref-voting:{name}")
        assert counted.count([whole, whole, part], 3) == Tally((0.0, 0.0, 1.0), (2,), 0, 3)
        assert counted.count([part, part, whole, None], 3) == Tally((0.0, 1.0, 0.0), (1,), 1, 4)
        assert counted.count([whole], 3).winners == (2,)
    assert rule("pref-voting:Coombs").count([whole, part, part], 3) == Tally((0.0, 0.0, 1.0), (2,), 2, 3)
    assert rule("pref-voting:Coombs").count([whole, {0: 1, 1: 2, 2: 3}], 3).winners == (0, 2)


def test_equal_margins_are_put_in_order_only_once(methods: dict[str, VotingMethod]) -> None:
    """By its usual way ranked pairs try every order of equal margins: ten factorial for five options."""
    for name, algorithm in (("ranked_pairs", "from_stacks"), ("beat_path", None)):
        for ballot in ({0: 1, 1: 2}, {0: 1}):
            rule(f"pref-voting:{name}").count([ballot], 2)
            assert methods[name].algorithm == algorithm
