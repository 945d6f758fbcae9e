"""Which of the points that are weighed to take: by all questions.

The points of the frontier were found on one half. To take one of them by that half alone would be to choose on few questions,
and to ignore what the other half says of them; to take the cheapest that is not shown to be worse would be to take the cheapest
wherever the questions are few. So points are weighed by the mean over both halves, and the cheapest within one standard error of
the most accurate is taken. What they came to on the first half is cross-fitted, but they were picked there: that part looks a
little better than it is, for all of them. Players alone, and the vote of all, are weighed whatever the first half says of them.

So the questions kept apart have a say in which point is taken. Whatever is claimed of it by these pays for all points.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from moot.advise.frontier import LITTLE, AdviceWanted, WeighedOption
from moot.decide.learning import mean_and_error

SAME_COST = 0.01
"""Costs that differ by less than this share of them are the same."""


def to_take(
    points: Sequence[WeighedOption],
    units: Sequence[str],
    wanted: AdviceWanted,
    promised: Collection[int] = (),
    likely: Collection[int] = (),
) -> int | None:
    """The place of the one to take. None: no point keeps to the money or the time.

    `promised`, `likely`: places of those that are shown to keep the least accuracy, and of those that likely do. With a least
    accuracy it is the cheapest of the first, else the cheapest of the others, else the most accurate; within money and time the
    most accurate; with nothing asked for the cheapest within one standard error of the most accurate.
    """
    fitting = [place for place, point in enumerate(points) if fits(point, wanted)]
    if not fitting:
        return None
    best = most_accurate([points[place] for place in fitting])
    if wanted.min_accuracy is not None:
        reaching = [place for place in fitting if place in promised] or [place for place in fitting if place in likely]
        return _cheapest(points, reaching) if reaching else fitting[best]
    if wanted.anything:
        return fitting[best]
    return _cheapest(points, [place for place in fitting if _beside(points[place], points[fitting[best]], units)])


def most_accurate(points: Sequence[WeighedOption]) -> int:
    """Its place; of equals the cheapest."""
    return max(range(len(points)), key=lambda place: (round(points[place].accuracy, 9), -points[place].cost))


def fits(point: WeighedOption, wanted: AdviceWanted) -> bool:
    usd, seconds = point.played.usd_per_1000, point.played.mean_seconds
    if wanted.budget_usd_per_1000 is not None and (usd is None or usd > wanted.budget_usd_per_1000):
        return False
    return wanted.max_seconds is None or (seconds is not None and seconds <= wanted.max_seconds)


def _cheapest(points: Sequence[WeighedOption], places: Sequence[int]) -> int:
    """Of those that cost the same the most accurate."""
    least = min(points[place].cost for place in places)
    cheap = [place for place in places if points[place].cost <= least * (1 + SAME_COST) + LITTLE]
    return cheap[most_accurate([points[place] for place in cheap])]


def _beside(point: WeighedOption, best: WeighedOption, units: Sequence[str]) -> bool:
    """Whether it is behind by no more than one standard error of that difference."""
    behind, error = mean_and_error(best.played.worth - point.played.worth, units)
    return behind <= error + LITTLE
