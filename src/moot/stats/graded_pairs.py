"""Two ways of answering of which not all is graded, paired question by question: the difference, and what it can be.

The figures are over the pairs that are graded, the interval and its p hold whatever waits for a grade turns out to be
(`stats.completions`), and the bounds are over all questions. Two who say the same to a question will have the same grade
for it: what both sides say makes no difference, whoever grades it and however.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from moot.stats.clusters import value_rows
from moot.stats.completions import Between, IntervalLimits
from moot.stats.counted_words import waiting_words
from moot.stats.estimates import TESTED, Row, estimate, estimate_row
from moot.stats.graded import Value, mean_value, settled, why_never_came, why_unfair_together, why_ungraded_together
from moot.stats.paired import BESIDE_ZERO, Paired, compare
from moot.stats.proportion import share, share_between
from moot.types import Estimate

Pairs = Mapping[str, Sequence[tuple[Value, Value]]]
"""By question: one pair, or one for each captain."""
Means = Mapping[str, tuple[float, float]]
"""One pair a question."""


def known_pairs(pairs: Pairs) -> dict[str, tuple[float, float]]:
    """One pair a question, the mean over those of its pairs of which both sides are graded."""
    means: dict[str, tuple[float, float]] = {}
    for question, several in pairs.items():
        both = [(one.known, other.known) for one, other in several if one.known is not None and other.known is not None]
        if both:
            means[question] = (sum(pair[0] for pair in both) / len(both), sum(pair[1] for pair in both) / len(both))
    return means


def why_unfair_pairs(pairs: Pairs) -> str | None:
    """Why a difference over the graded pairs would flatter either side, or be of somebody who never answered; None: it may
    stand."""
    return why_unfair_together([pair for several in pairs.values() for pair in several], of="pairs")


def fair_pairs(pairs: Pairs) -> Pairs:
    """The same, none of them known where the graded ones would flatter: for the difference, not for its bounds."""
    return pairs if why_unfair_pairs(pairs) is None else _none_known(pairs)


def _none_known(pairs: Pairs) -> Pairs:
    return {
        question: [(one._replace(known=None), other._replace(known=None)) for one, other in several]
        for question, several in pairs.items()
    }


def difference_bounds(pairs: Pairs) -> Row:
    """How far the difference over all questions can lie, and how many questions are left out; nothing if all is graded."""
    if not any(value.open for several in pairs.values() for pair in several for value in pair):
        return {}
    low, high = difference_ends(pairs)
    return {"ungraded": len(pairs) - len(known_pairs(pairs)), "bounds": {"low": low, "high": high}}


def difference_ends(pairs: Pairs) -> tuple[float, float]:
    """The least and the most that the difference over all questions can be; nothing of no questions."""
    low, high = (
        sum(one - other for one, other in (_at_end(several, best=best) for several in pairs.values()))
        for best in (False, True)
    )
    return low / max(1, len(pairs)), high / max(1, len(pairs))


def _at_end(several: Sequence[tuple[Value, Value]], *, best: bool) -> tuple[float, float]:
    """Both sides of one question, each a mean over its pairs, where all that is open makes their difference as large as it
    can be, or as small. What both sides say moves both: only the side that says it more often gains by its being right."""
    n = len(several)
    first, second = ([pair[place] for pair in several] for place in (0, 1))
    shared = {word for value in first for word, _ in value.words} & {
        word for value in second for word, _ in value.words
    }
    up = [value.most if best else value.least for value in first]
    down = [value.least if best else value.most for value in second]
    for word in shared:  # so far right on the side where that helps, and wrong on the other
        ours, theirs = _part(first, word), _part(second, word)
        if best and ours > theirs:
            down.append(theirs)
        elif best:
            up.append(-ours)
        elif ours < theirs:
            up.append(ours)
        else:
            down.append(-theirs)
    return math.fsum(up) / n, math.fsum(down) / n  # a set of words has another order in every process


def _part(values: Sequence[Value], word: str) -> float:
    return math.fsum(part for value in values for said, part in value.words if said == word)


def compare_graded(pairs: Pairs, *, pooled: bool = False) -> Paired:
    """The first side against the second where both are graded, with limits and p that hold whatever waits turns out to be."""
    return compare_between(
        known_pairs(fair_pairs(pairs)), *(completed_pairs(pairs, best=best) for best in (False, True)), pooled=pooled
    )


def compare_between(seen: Means, worst: Means, best: Means, *, pooled: bool = False) -> Paired:
    """The same of means that somebody else has taken: of what is graded, and with all that waits at its worst and at its
    best for the difference."""
    compared = compare(seen, pooled=pooled)
    if compared.figure is None or seen == worst == best:
        return compared
    low, high = (compare(means, pooled=pooled).figure for means in (worst, best))
    assert low is not None, "what is graded is in it"
    assert high is not None, "what is graded is in it"
    figure = Between(compared.figure, low, high)
    p = figure.p_zero
    test = compared.test if p is not None else "none"
    return replace(compared, difference=figure.estimate(), p=p, test=test, figure=figure)


def completed_pairs(pairs: Pairs, *, best: bool) -> dict[str, tuple[float, float]]:
    """One pair a question, with all that waits at its best for the difference, or at its worst; without what will never
    have a grade. Of either side alone it says nothing: what both say is right or wrong for both."""
    gradable = {question: _gradable(several) for question, several in pairs.items()}
    return {question: _at_end(several, best=best) for question, several in gradable.items() if several}


def one_pair(several: Sequence[tuple[Value, Value]], *, gradable: bool) -> tuple[Value, Value] | None:
    """Repeats of one model as one pair of means; `gradable`: of those that have, or may yet have, two grades. None: of none."""
    kept = _gradable(several) if gradable else several
    return (mean_value([one for one, _ in kept]), mean_value([other for _, other in kept])) if kept else None


def _gradable(several: Sequence[tuple[Value, Value]]) -> list[tuple[Value, Value]]:
    """Those pairs that have, or may yet have, two grades; what of them nobody will grade is left out of the means."""
    return [(_waiting(one), _waiting(other)) for one, other in several if None not in (one.worst, other.worst)]


def _waiting(value: Value) -> Value:
    if value.waiting or value.known is None:
        return value
    return Value(value.known, value.known, value.known)


def side_estimate(pairs: Pairs, place: int) -> Estimate | None:
    """What one side of the pairs got right, over those that are graded, with limits that hold whatever waits turns out to
    be; None too where somebody on this side never answered."""
    every = [pair for several in pairs.values() for pair in several]
    unfair = (why_never_came(pair[place] for pair in every) or why_ungraded_together(every)) is not None
    seen = {question: pair[place] for question, pair in known_pairs(_none_known(pairs) if unfair else pairs).items()}
    # By itself: what the other side says too moves this one all the same.
    own = {
        question: mean_value([pair[place] for pair in gradable])
        for question, several in pairs.items()
        if (gradable := _gradable(several))
    }
    worst, best = ({question: getattr(value, end) for question, value in own.items()} for end in ("least", "most"))
    if not seen or seen == worst == best:
        return estimate(seen)
    between = share_between(share(value_rows(seen)), worst, best)
    return None if between is None else between.estimate()


def side_row(pairs: Pairs, place: int) -> Row:
    """The same as a row, with why there is none where somebody on this side never answered."""
    never = why_never_came(pair[place] for several in pairs.values() for pair in several)
    return {**estimate_row(side_estimate(pairs, place)), **({"why": never} if never else {})}


def family_row(pairs: Pairs, *, pooled: bool = False) -> Row:
    """The same of a row that is printed with others: `estimates.with_holm` makes the adjusted interval of it."""
    compared = compare_graded(pairs, pooled=pooled)
    return {**_compared_row(pairs, compared), TESTED: compared.figure}


def compared_row(pairs: Pairs, *, pooled: bool = False) -> Row:
    """The first side against the second: the figures over the pairs that are graded, the bounds over all questions.

    The two have different denominators, so a difference may lie outside its bounds: only the bounds are about all
    questions. `why` says where the ungraded answers could turn round what the interval shows.
    """
    return _compared_row(pairs, compare_graded(pairs, pooled=pooled))


def _compared_row(pairs: Pairs, compared: Paired) -> Row:
    row = {**compared.row(), **difference_bounds(pairs)}
    row |= uncounted(pairs) | failed_row(pairs)
    if row["difference"] is None:
        row |= {"rescues": None, "regressions": None, "why": why_no_difference(pairs)}
    elif turned := why_turned(row, compared.limits_graded):
        row["why"] = turned
    return row


def errors_apart(row: Row, pairs: Pairs) -> Row:
    """A row whose `regressions` are errors that the first side has made: what it abstained from and the second had right is
    `abstained` instead. The difference, its interval and its p stay over all: nothing said is not right."""
    if row["regressions"] is None or not any(_kept_back(several) for several in pairs.values()):
        return row
    abstained = len(worse_by_abstaining(pairs))
    return {**row, "regressions": row["regressions"] - abstained, "abstained": abstained}


def abstained_apart(row: Row, pairs: Pairs) -> Row:
    """A row of two sides either of which may abstain: what one abstained from and the other had right is no error that it made,
    nor one that the other repaired, and is counted in `worse_by_abstaining` by side."""
    turned: Pairs = {question: [(other, one) for one, other in several] for question, several in pairs.items()}
    if row["rescues"] is None or not any(_kept_back(several) for way in (pairs, turned) for several in way.values()):
        return row
    mine, theirs = (len(worse_by_abstaining(way)) for way in (pairs, turned))
    counts = {"rescues": row["rescues"] - theirs, "regressions": row["regressions"] - mine}
    return {**row, **counts, "worse_by_abstaining": {"a": mine, "b": theirs}}


def apart_row(pairs: Pairs, *, pooled: bool = False) -> Row:
    """The same of a row that is printed with others."""
    return abstained_apart(family_row(pairs, pooled=pooled), fair_pairs(pairs))


def worse_by_abstaining(pairs: Pairs) -> set[str]:
    """The questions on which the first side is worse and that it abstained from, in one of its plays at the least."""
    lost = {question for question, (one, other) in known_pairs(pairs).items() if one < other - BESIDE_ZERO}
    return {question for question in lost if _kept_back(pairs[question])}


def _kept_back(several: Sequence[tuple[Value, Value]]) -> bool:
    """Whether the first side abstained from a question of which somebody has said what is right."""
    return any(one.abstained and one.known is not None for one, _ in several)


def uncounted(pairs: Pairs) -> Row:
    """No counts while answers wait for a grade: they could only rise. Nothing where none waits."""
    waiting = sum(any(value.waiting for pair in several for value in pair) for several in pairs.values())
    if not waiting:
        return {}
    why = f"{waiting_words(waiting)}, so that nobody can count what got better or worse"
    return {"rescues": None, "regressions": None, "counts_why": why}


def failed_row(pairs: Pairs) -> Row:
    """The share of either side's answers that never came, since a call failed; nothing where all came."""
    sides = [[pair[place] for several in pairs.values() for pair in several] for place in (0, 1)]
    if not any(value.failed for side in sides for value in side):
        return {}
    shares = [sum(value.failed for value in side) / sum(value.answers for value in side) for side in sides]
    return {"failed": dict(zip(("a", "b"), shares, strict=True))}


def why_no_difference(pairs: Pairs) -> str:
    if not pairs:
        return "no question was played by both"
    return (why_unfair_pairs(pairs) if known_pairs(pairs) else None) or "no question has both answers graded"


def why_turned(row: Mapping[str, Any], graded: IntervalLimits | None = None) -> str | None:
    """Said of a difference that is clear over what is graded, and not over all.

    `graded`: its interval over what is graded alone, where something waits and is in that of the row.
    """
    low, high = graded or (row["low"], row["high"])
    if low is None or high is None or low <= 0 <= high:
        return None
    clear = row["low"] > 0 if low > 0 else row["high"] < 0
    if clear and settled(row.get("bounds"), 0.0, above=low > 0):
        return None
    return f"over the {row['n']:,} graded pairs alone; the ungraded answers could reverse it"
