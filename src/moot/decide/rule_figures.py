"""How right each rule was that was tried, with its interval; that of the one that is kept pays for having been chosen.

Whichever looks better on some questions was lucky on them too: its own mean over them was too high, by 5 points where it was
learnt from 30 questions and 3 from 60. So its figure is what comes of learning and choosing anew: each part of the questions is
decided by the rule that all others teach and would keep. Its lower end pays, for all rules that were tried and all players who
could have led; and whoever asks later whether the rule has got worse asks by that end. Paid for the rules alone it was above the
truth in up to 6 % of worlds of six equal players.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from moot.decide.candidates import Candidates
from moot.decide.learning import Learner, LearntRule, folds_of, learn_rule
from moot.decide.rules import Leader, expected_worth
from moot.later import numpy as np
from moot.stats.choice import chosen_interval
from moot.stats.clusters import clustered
from moot.stats.estimates import estimate
from moot.types import Estimate


def rule_figures(
    learnt: LearntRule, candidates: Candidates, units: Sequence[str], learner: Learner | None = None
) -> dict[str, Estimate]:
    """By kind of rule. `candidates`, `units`: what it was learnt from, settled or not, and what each question is a part of.
    `learner`: what it was learnt with."""
    places = learnt.settled.tolist()
    found = {name: mean_of_places(places, values.tolist(), units) for name, values in learnt.tried.items()}
    others = [values for name, values in learnt.tried.items() if name != learnt.kept]
    known = candidates.graded(learnt.settled)
    alone = [expected_worth(Leader(player), known) for player in known.players]
    names = [units[place] for place in places]
    clusters = names if len(set(names)) < len(names) else None
    table = np.array([learnt.tried[learnt.kept], *others, *alone])
    paid = chosen_interval(table, 0, found[learnt.kept], clusters=clusters)
    found[learnt.kept] = _around(paid, _learnt_anew(known, names, learner))
    return found


def _learnt_anew(known: Candidates, units: Sequence[str], learner: Learner | None) -> float:
    """What the rules get right that all other parts teach and keep: neither learnt nor chosen on what they decide."""
    part_of, worth = folds_of(units, role="anew"), np.zeros(len(units))
    for part in np.unique(part_of):
        inside, outside = np.flatnonzero(part_of == part), np.flatnonzero(part_of != part)
        rule = learn_rule(known.at(outside), [units[place] for place in outside], learner=learner, fewest=2).rule
        worth[inside] = expected_worth(rule, known.at(inside))
    return float(worth.mean())


def _around(paid: Estimate, value: float) -> Estimate:
    """The interval reaches to the value where that lies beside it."""
    low, high = (None if end is None else pick(end, value) for pick, end in ((min, paid.low), (max, paid.high)))
    return replace(paid, value=value, low=low, high=high)


def mean_of_places(places: Sequence[int], values: Sequence[float], units: Sequence[str]) -> Estimate:
    """Of questions by their places, of which some may belong together."""
    with clustered({str(place): units[place] for place in places}):
        found = estimate({str(place): value for place, value in zip(places, values, strict=True)})
    assert found is not None, "there are questions"
    return found
