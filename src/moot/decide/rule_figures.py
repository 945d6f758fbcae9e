"""How right each rule was that was tried, with its interval; that of the one that is kept pays for having been chosen.

Whichever looks better on some questions was lucky on them too: its own figure is too high rather than too low. So it is its
lower end that pays, for all rules that were tried and all players who could have led; and whoever asks later whether the rule
has got worse asks by that end. Paid for the rules alone it was above the truth in up to 6 % of worlds of six equal players.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from moot.decide.candidates import Candidates
from moot.decide.learning import LearntRule
from moot.decide.rules import Leader, expected_worth
from moot.stats.choice import chosen_interval
from moot.stats.clusters import clustered
from moot.stats.estimates import estimate
from moot.types import Estimate


def rule_figures(learnt: LearntRule, candidates: Candidates, units: Sequence[str]) -> dict[str, Estimate]:
    """By kind of rule. `candidates`, `units`: what it was learnt from, settled or not, and what each question is a part of."""
    places = learnt.settled.tolist()
    found = {name: mean_of_places(places, values.tolist(), units) for name, values in learnt.tried.items()}
    others = [values for name, values in learnt.tried.items() if name != learnt.kept]
    known = candidates.graded(learnt.settled)
    alone = [expected_worth(Leader(player), known) for player in known.players]
    names = [units[place] for place in places]
    clusters = names if len(set(names)) < len(names) else None
    table = np.array([learnt.tried[learnt.kept], *others, *alone])
    found[learnt.kept] = chosen_interval(table, 0, found[learnt.kept], clusters=clusters)
    return found


def mean_of_places(places: Sequence[int], values: Sequence[float], units: Sequence[str]) -> Estimate:
    """Of questions by their places, of which some may belong together."""
    with clustered({str(place): units[place] for place in places}):
        found = estimate({str(place): value for place, value in zip(places, values, strict=True)})
    assert found is not None, "there are questions"
    return found
