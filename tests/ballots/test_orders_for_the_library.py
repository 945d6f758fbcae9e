"""Which ballots a rule of the library can count is known without the library, which is slow to import."""

from __future__ import annotations

import pytest

from moot.ballots.library import LibraryRule
from moot.ballots.tally import Tally

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
