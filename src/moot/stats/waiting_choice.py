"""What may be said of the best of many while answers wait for a grade: `stats.choice` at both ends of `stats.completions`.

"More" is said of what is more with all that waits at its worst: its own answers wrong, the singles' right. "Less" is said
of what is less with all of it at its best. So the claim holds whatever the answers turn out to be, but for the price of the
choice, which is that of options as alike as they are at that end: with another grading it may be a little dearer. Of 6 to 12
options the low end was above that of one in seven gradings, by at most 0.44 points; no "more" was taken back.

An option and a single who say the same to a question will have the same grade (`stats.graded_pairs`). No two tables of values
can say for each pair of rows what the two have in common, so that is given beside them (`said_alike`), and taken off at both
ends.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from moot.stats.choice import ALPHA, DRAWS, Claim, claim

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats


class Tables(NamedTuple):
    """Rows × questions, NaN where there is nothing: what is graded, and with all that waits wrong and right."""

    seen: Floats
    worst: Floats
    best: Floats

    @property
    def waits(self) -> bool:
        import numpy as np

        return not np.array_equal(self.worst, self.best, equal_nan=True)


def claim_whatever(
    options: Tables,
    singles: Tables,
    *,
    option: int,
    single: int,
    pooled: bool = False,
    clusters: Sequence[object] | None = None,
    seed: int = 0,
    draws: int = DRAWS,
    side: float = ALPHA,
    alike: Floats | None = None,
) -> Claim | None:
    """`claim` over what is graded, with an interval and a p that hold whatever waits turns out to be.

    `alike`: what each option and each single say alike, as `said_alike` has it; None: nothing is known of that.
    """
    if not options.waits and not singles.waits:
        top = None
    else:
        # Whether it was the highest nobody knows, unless it is whatever waits: with its own at their worst, the others' at best.
        others = (_mean(options.best, place) for place in range(len(options.best)) if place != option)
        top = _mean(options.worst, option) >= max(others, default=0.0)

    def found(ours: Floats, theirs: Floats, moved: Floats | None = None) -> Claim | None:
        return claim(
            ours,
            theirs,
            option=option,
            single=single,
            pooled=pooled,
            clusters=clusters,
            seed=seed,
            draws=draws,
            side=side,
            top=top,
            moved=moved,
        )

    seen = found(options.seen, singles.seen)
    if top is None or seen is None:
        return seen
    seen = replace(seen, limits_graded=(seen.low, seen.high))
    worst = found(options.worst, singles.best, alike)
    best = found(options.best, singles.worst, None if alike is None else -alike)
    if worst is None or best is None or seen.low is None or worst.low is None or best.high is None:
        return replace(seen, low=None, high=None, p=1.0)
    more, less = worst.p_more, best.p_less
    if (worst.low > 0 and seen.difference <= 0) or (best.high < 0 and seen.difference >= 0):
        more = less = 1.0  # what is graded says the contrary
    low, high = min(worst.low, seen.difference), max(best.high, seen.difference)
    return replace(seen, low=low, high=high, p=min(1.0, 2 * min(more, less)), p_more=more, p_less=less)


WaitingWords = Sequence[Mapping[str, float]]
"""By question: the words that wait for a grade, each with its part of the value."""


def said_alike(options: Sequence[WaitingWords], singles: Sequence[WaitingWords]) -> Floats | None:
    """Singles × options × questions: of what both say and nobody has graded, the part of the one who says less of it. With
    all that waits wrong for the one and right for the other, the difference is that much too far from the truth. None:
    nothing."""
    import numpy as np

    found: Floats | None = None
    for i, own in enumerate(singles):
        for j, option in enumerate(options):
            for question, (ours, theirs) in enumerate(zip(option, own, strict=True)):
                if common := ours.keys() & theirs.keys():
                    if found is None:
                        found = np.zeros((len(singles), len(options), len(own)))
                    found[i, j, question] = math.fsum(min(ours[word], theirs[word]) for word in common)
    return found


def _mean(table: Floats, place: int) -> float:
    import numpy as np

    row = table[place][~np.isnan(table[place])]
    return float(row.mean()) if len(row) else -1.0
