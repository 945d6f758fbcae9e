"""What a stage did to a set of pairs: counts, the safety multiple and rates, and what they can be where not all is graded.

Rescues and regressions are rare. So pairs that wait for a grade, though a few of all, may be most of them: then there is
neither rate nor multiple, and while any pair waits, or has an answer that nobody waited for, nobody can count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from moot.measures.safety.multiple import Multiple, RatioCounts, multiple_between
from moot.measures.safety.pairs import (
    COULD_FALL,
    COULD_RISE,
    REGRESSIONS,
    RESCUES,
    Change,
    Pair,
    Row,
    abstained_row,
    count_of,
    graded,
    none_shared,
    of_all,
    questions_left_out,
    split,
    uncounted,
    why_unfair_changes,
)
from moot.stats.completions import Between
from moot.stats.estimates import named_estimate
from moot.stats.graded import FEW_WAITING
from moot.stats.guarded_share import rate
from moot.stats.paired import difference
from moot.types import WITH_ANSWER, Estimate

LowAndHigh = Mapping[str, float | None]
"""What a figure lies between: `low` and `high`; None: it has no such end."""

MULTIPLE = "multiple"
RATES: Mapping[str, tuple[frozenset[Change], frozenset[Change]]] = {
    "rescue_rate": (RESCUES, COULD_RISE),
    "regression_rate": (REGRESSIONS, COULD_FALL),
    MULTIPLE: (RESCUES, REGRESSIONS),
    "with_recovered": (RESCUES | {"recovered"}, REGRESSIONS),
}
"""What is counted over what."""
SHARES, MULTIPLES = ("rescue_rate", "regression_rate"), (MULTIPLE, "with_recovered")


@dataclass(frozen=True, slots=True)
class StageEffect:
    """What a stage did to a set of pairs."""

    counts: Mapping[Change, int]
    """How many pairs changed how."""
    regressions_without_answer: int
    """Regressions that end without any answer, rather than on a wrong one."""
    multiple: Multiple
    with_recovered: Multiple
    rescue_rate: Estimate | None
    """Of the wrong ones."""
    regression_rate: Estimate | None
    """Of the right ones."""
    net_share: Estimate | None
    """Net over all pairs."""
    questions: int
    more_rescues: int = 0
    """Ungraded pairs that may turn out to be rescues."""
    more_regressions: int = 0
    uncounted: tuple[str, ...] = ()
    """Why nobody knows how many changed how: pairs that will have a grade, or of which an answer was not waited for."""
    rate_bounds: Mapping[str, LowAndHigh] = field(default_factory=dict)
    """What the rates lie between, whatever the ungraded pairs turn out to be."""
    why: str | None = None
    """Why there is neither multiple nor rate although some pairs are graded."""
    withheld: tuple[str, ...] = ()
    """Figures whose events are so rare that the few pairs which wait could be many of them."""
    waiting: int = 0
    """Pairs that will have a grade."""
    in_part: int = 0
    """Graded pairs with an answer that is right in part."""

    @property
    def pairs(self) -> int:
        """Those with a grade on both sides."""
        return sum(count for change, count in self.counts.items() if change != "ungraded")

    @property
    def rescues(self) -> int:
        return count_of(self.counts, RESCUES)

    @property
    def regressions(self) -> int:
        return count_of(self.counts, REGRESSIONS)

    @property
    def net(self) -> int:
        return self.rescues - self.regressions

    def why_not(self, figure: str) -> str | None:
        """Why a figure is withheld although pairs are graded; None: it is not."""
        return self.why or next(iter(_moved_words([figure], self.waiting) if figure in self.withheld else []), None)

    def bounds(self) -> Row:
        """What multiple and net would be over all pairs, whatever the ungraded ones turn out to be."""
        if not self.counts.get("ungraded"):
            return {}
        return {
            **{f"{name}_bounds": dict(ends) for name, ends in self.rate_bounds.items() if name != MULTIPLE},
            "bounds": dict(self.rate_bounds[MULTIPLE]),
            "net_bounds": {"low": self.net - self.more_regressions, "high": self.net + self.more_rescues},
            "rescues_bounds": {"low": self.rescues, "high": self.rescues + self.more_rescues},
            "regressions_bounds": {"low": self.regressions, "high": self.regressions + self.more_regressions},
        }

    def row(self) -> Row:
        """In the names of the report. What waits for a grade may be anything, so that no count is known."""
        whys = [*filter(None, [self.why]), *_moved_words(self.withheld, self.waiting), *self.uncounted]
        return {
            **self.bounds(),
            "rescues": None if self.uncounted else self.rescues,
            "regressions": None if self.uncounted else self.regressions,
            "recovered": None if self.uncounted else self.counts.get("recovered", 0),
            "multiple": self.multiple.value,
            "low": self.multiple.low,
            "high": self.multiple.high,
            "note": self.multiple.note,
            "multiple_with_recovered": self.with_recovered.value,
            "with_recovered_low": self.with_recovered.low,
            "with_recovered_high": self.with_recovered.high,
            **named_estimate(self.rescue_rate, "rescue_rate"),
            "rescue_rate_n": count_of(self.counts, COULD_RISE),
            **named_estimate(self.regression_rate, "regression_rate"),
            "regression_rate_n": count_of(self.counts, COULD_FALL),
            "net": None if self.uncounted else self.net,
            **named_estimate(self.net_share, "net_share"),
            "regressions_without_answer": None if self.uncounted else self.regressions_without_answer,
            "ungraded": self.counts.get("ungraded", 0),
            "n_pairs": self.pairs,
            "n": self.questions,
            **({"in_part": self.in_part} if self.in_part else {}),
            **({"why": "; ".join(whys)} if whys else {}),
        }


def _moved_words(withheld: Sequence[str], waiting: int) -> list[str]:
    if not withheld:
        return []
    names = ", ".join(name.replace("_", " ") for name in withheld)
    return [f"{names}: what is counted is rare, and the {waiting:,} that wait for a grade could be much of it"]


def safety_row(every: Sequence[Pair]) -> Row:
    """Over the plays that all models have who have any, in the names of the report; `left_out`: questions without one."""
    pairs = of_all(every)
    left_out = questions_left_out(every, pairs)
    effect = safety(pairs)
    if every and not pairs:  # no play of all: that nothing changed is not known
        effect = replace(effect, multiple=NO_MULTIPLE, with_recovered=NO_MULTIPLE, uncounted=(none_shared(every),))
    return {
        **effect.row(),
        "refused": sum(pair.native_outcome == "refused" for pair in pairs),
        "refused_after": sum(pair.after_outcome == "refused" for pair in pairs),
        **abstained_row(pairs),
        "models": len({(pair.cohort, pair.model) for pair in every}),
        **({"left_out": len(left_out)} if left_out else {}),
    }


def safety(pairs: Sequence[Pair]) -> StageEffect:
    parts = split(graded(pairs), lambda pair: pair.question)
    by_question = {question: Counter(pair.change for pair in part) for question, part in parts.items()}
    total, asked = Counter(pair.change for pair in pairs), Counter(pair.question for pair in pairs)
    why = why_unfair_changes(pairs)
    ungraded = [pair for pair in pairs if not pair.graded]
    waiting = [pair for pair in ungraded if pair.waits]
    found: dict[str, Estimate | Multiple | None] = {
        **{name: _rate(name, by_question, waiting, asked) for name in SHARES},
        **{name: multiple_between(*ends_of(name, by_question, waiting)) for name in MULTIPLES},
    }
    moved = [name for name in RATES if waiting and _moved(name, total, waiting)]
    kept = {name: None if why or name in moved else figure for name, figure in found.items()}
    rates = [figure if isinstance(figure := kept[name], Estimate) else None for name in SHARES]
    multiples = [figure if isinstance(figure := kept[name], Multiple) else NO_MULTIPLE for name in MULTIPLES]
    return StageEffect(
        dict(total),
        sum(pair.change in REGRESSIONS and pair.after_outcome not in WITH_ANSWER for pair in pairs),
        multiple=multiples[0],
        with_recovered=multiples[1],
        rescue_rate=rates[0],
        regression_rate=rates[1],
        net_share=None if why else _net_share(by_question, waiting),
        questions=len(by_question),
        more_rescues=sum(not RESCUES.isdisjoint(pair.possible) for pair in ungraded),
        more_regressions=sum(not REGRESSIONS.isdisjoint(pair.possible) for pair in ungraded),
        uncounted=tuple(uncounted(ungraded)),
        rate_bounds={name: _ends(name, total, ungraded) for name in RATES} if ungraded else {},
        why=why,
        withheld=() if why else tuple(moved),
        waiting=len(waiting),
        in_part=sum(pair.in_part for pair in pairs if pair.graded),
    )


NO_MULTIPLE = Multiple(None, None, None)
"""Where what is graded would flatter."""


def _ends(name: str, counts: Counter[Change], ungraded: Iterable[Pair]) -> LowAndHigh:
    """How far one count over another can lie: each pair is taken at its worst, and at its best."""
    top, bottom = RATES[name]
    ends: dict[str, float | None] = {}
    for end, furthest in (("low", min), ("high", max)):
        above, below = count_of(counts, top), count_of(counts, bottom)
        for pair in ungraded:
            change = furthest(pair.possible, key=lambda change: _worth(name, change))
            above, below = above + (change in top), below + (change in bottom)
        ends[end] = above / below if below else None
    return ends


def _moved(name: str, counts: Counter[Change], waiting: Sequence[Pair]) -> bool:
    """Whether what waits may be more than a few of the events that a figure counts. Of all pairs it always is a few."""
    return any(
        sum(bool(part & pair.possible) for pair in waiting) > FEW_WAITING * count_of(counts, part)
        for part in RATES[name]
    )


ByQuestion = Mapping[str, Counter[Change]]
"""How many of a question's graded pairs changed how."""


def ends_of(
    name: str, by_question: ByQuestion, waiting: Sequence[Pair]
) -> tuple[RatioCounts, RatioCounts, RatioCounts]:
    """What a figure counts by question, over what: of the graded pairs, and with all that waits at its worst and at its
    best for the figure."""
    at_worst, at_best = (_settled(by_question, waiting, name, furthest) for furthest in (min, max))
    seen, worst, best = (
        RatioCounts(*(_counts(counted, part) for part in RATES[name])) for counted in (by_question, at_worst, at_best)
    )
    return seen, worst, best


def _settled(
    by_question: ByQuestion, waiting: Sequence[Pair], name: str, furthest: Callable[..., Change]
) -> dict[str, Counter[Change]]:
    """The same with each pair that waits as it is best, or worst, for the figure."""
    counts = {question: Counter(changes) for question, changes in by_question.items()}
    for pair in waiting:
        change = furthest(sorted(pair.possible), key=lambda change: _worth(name, change))
        counts.setdefault(pair.question, Counter())[change] += 1
    return counts


def _worth(name: str, change: Change) -> tuple[int, int]:
    top, bottom = RATES[name]
    return (change in top) - (change in bottom), int(change in top)


def _rate(name: str, by_question: ByQuestion, waiting: Sequence[Pair], asked: Mapping[str, float]) -> Estimate | None:
    """`asked`: how many pairs each question has. All of them may be wrong alone, or right, at once."""
    seen, worst, best = (
        rate({question: (top, counts.bottoms[question]) for question, top in counts.tops.items()}, asked)
        for counts in ends_of(name, by_question, waiting)
    )
    if seen is None or worst is None or best is None or not waiting:
        return None if seen is None else seen.estimate()
    return Between(seen, worst, best).estimate()


def _net_share(by_question: ByQuestion, waiting: Sequence[Pair]) -> Estimate | None:
    seen, worst, best = (
        difference(
            {
                question: (
                    float(count_of(changes, RESCUES)),
                    float(count_of(changes, REGRESSIONS)),
                    float(changes.total()),
                )
                for question, changes in counted.items()
            }
        )
        for counted in (
            by_question,
            *(_settled(by_question, waiting, MULTIPLE, furthest) for furthest in (min, max)),
        )
    )
    if seen is None or worst is None or best is None or not waiting:
        return None if seen is None else seen.estimate()
    return Between(seen, worst, best).estimate()


def _counts(by_question: ByQuestion, changes: Collection[Change]) -> dict[str, float]:
    return {question: float(count_of(counts, changes)) for question, counts in by_question.items()}
