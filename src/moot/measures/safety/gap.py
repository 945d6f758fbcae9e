"""How far the weaker cohort comes up to the stronger when its members hear each other.

The best of a cohort is whoever got most right of all questions, as the best single player is, so that no best is said to have
reached less than one of its cohort did. It was lucky too; the interval makes up for that (`moot.stats.closure`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from moot.measures.safety.pairs import Row
from moot.stats.closure import Side, closure
from moot.stats.clusters import unit_of
from moot.stats.counted_words import no_interval_words
from moot.stats.crossfit import best
from moot.stats.estimates import estimate_row
from moot.stats.graded import (
    NO_WAY,
    Total,
    Value,
    ValuesByName,
    closure_bounds,
    highest_total,
    known,
    least_of,
    marks_of,
    total_of,
    why_unfair_together,
)
from moot.stats.ratio import no_gap
from moot.stats.shared_questions import shared_questions
from moot.types import Estimate

Triple = tuple[Value, Value, Value]
NO_GAP = "there is no gap: the other cohort's best is no better alone"
PLACES = ("after", "alone", "stronger")


@dataclass(frozen=True)
class CohortGap:
    """What the best of a cohort reached, where its best began, and how far the best of another got alone: by question."""

    triples: Mapping[str, Triple]
    """Over the questions that all three have played."""
    sides: tuple[Side, Side, Side]
    """Among whom each of the three is the best."""
    ranked: tuple[ValuesByName, ValuesByName, ValuesByName]
    """Everybody of these on the same questions, graded or not: whoever is the best once all is graded."""
    not_ranked: str | None = None
    """Who has too few questions to be ranked beside the others, in words."""

    @cached_property
    def graded(self) -> dict[str, tuple[float, float, float]]:
        """The questions that the figure is over."""
        return {
            question: (reached.known, start.known, top.known)
            for question, (reached, start, top) in self.triples.items()
            if reached.known is not None and start.known is not None and top.known is not None
        }

    @cached_property
    def rows(self) -> dict[str, tuple[float, float]]:
        """Rise and gap of each of these."""
        return {question: (reached - start, top - start) for question, (reached, start, top) in self.graded.items()}

    @property
    def open(self) -> dict[str, Value]:
        """By question of which something is ungraded, by whomever it is: what was reached there."""
        return {
            question: self.triples[question][0]
            for question, values in self._everybody.items()
            if any(value.open for value in values)
        }

    @property
    def waiting(self) -> int:
        """Questions to which somebody's answer waits for a grade."""
        return sum(any(value.waiting for value in values) for values in self._everybody.values())

    @cached_property
    def _everybody(self) -> dict[str, list[Value]]:
        return {
            question: [own[question] for models in self.ranked for own in models.values()] for question in self.triples
        }

    @cached_property
    def bounds(self) -> Mapping[str, float] | None:
        """Over all questions and whoever is the best, where not all is graded and the gap is one whatever the rest turns out
        to be."""
        return closure_bounds(*self._highest) if self.open else None

    @cached_property
    def _highest(self) -> list[Total]:
        return [highest_total(total_of(own.values()) for own in models.values()) for models in self.ranked]

    @property
    def why_unfair(self) -> str | None:
        """Why the graded answers alone would flatter."""
        return why_unfair_together(list(self.triples.values()))

    @property
    def why(self) -> str | None:
        """Why ungraded answers leave no figure; None where they do not."""
        if self.is_none or self.why_unfair:
            return self.why_unfair
        if not self.graded or (self.open and self.bounds is None):
            return "the ungraded answers could leave no gap between the two cohorts"
        if no_gap(gap for _, gap in self.rows.values()):
            return "there is no gap between the two cohorts on the questions that are graded"
        return None

    @property
    def is_none(self) -> bool:
        """Whether the other cohort's best is no better alone, whatever the ungraded answers turn out to be."""
        _, start, top = self._highest
        return top.most - start.least <= NO_WAY


def cohort_gap(alone: ValuesByName, after: ValuesByName, stronger: ValuesByName) -> CohortGap | str:
    """Or why there is none. The best are chosen by the least that they can be, so that nobody is it for being ungraded."""
    together = [shared_questions(side) for side in (after, alone, stronger)]
    if any(those.none_ranked for those in together):
        return "no two models of a cohort share enough questions to be ranked"
    asked = sorted(set.intersection(*(set(those.questions) for those in together)))
    if len(set(map(unit_of, asked))) < 2:
        return "fewer than two questions that all have played"
    reached, start, top = (
        {model: {question: side[model][question] for question in asked} for model in those.names}
        for side, those in zip((after, alone, stronger), together, strict=True)
    )
    sides = (_side(reached, asked), _side(start, asked), _side(top, asked))
    chosen = [models[side.best] for models, side in zip((reached, start, top), sides, strict=True)]
    triples = {question: (chosen[0][question], chosen[1][question], chosen[2][question]) for question in asked}
    not_ranked = "; ".join(told for those in together if (told := those.told)) or None
    return CohortGap(triples, sides, (reached, start, top), not_ranked)


def _side(models: ValuesByName, questions: Sequence[str]) -> Side:
    """Who of these got most right on these questions, and all beside it."""
    marks = {model: marks_of(values) for model, values in models.items()}
    least = {model: least_of(values) for model, values in models.items()}
    name = best(marks, questions, least=least)
    assert name is not None, "they share these questions"
    return Side({model: known(values) for model, values in models.items()}, name)


@dataclass(frozen=True, slots=True)
class GapClosure:
    """(best of the weaker after - its best alone) / (best of the stronger alone - its best alone)."""

    estimate: Estimate | None
    alone: float | None = None
    after: float | None = None
    stronger: float | None = None
    note: str | None = None
    ungraded: int = 0
    """Questions left out because one of the three is ungraded there."""
    bounds: Mapping[str, float] | None = None
    """Over all questions and whoever is the best of each side, where not all is graded."""
    why: str | None = None
    """Why ungraded answers leave no figure, or no interval."""
    best: Mapping[str, str] = field(default_factory=dict)
    """Whose the three accuracies are."""

    def row(self) -> Row:
        sides = {"alone": self.alone, "after": self.after, "stronger": self.stronger}
        row = {**estimate_row(self.estimate), **sides, "note": self.note}
        row |= {"best": dict(self.best)} if self.best else {}
        more = {"ungraded": self.ungraded or None, "bounds": self.bounds and dict(self.bounds), "why": self.why}
        return {**row, **{key: value for key, value in more.items() if value is not None}}


def gap_closure(alone: ValuesByName, after: ValuesByName, stronger: ValuesByName) -> GapClosure:
    """Over the questions that all three have played, scored on those of which the best are graded.

    The interval holds the share whoever is the best of each.
    """
    gap = cohort_gap(alone, after, stronger)
    if isinstance(gap, str):
        return GapClosure(None, note=gap)
    found = GapClosure(
        None,
        ungraded=len(gap.triples) - len(gap.graded),
        bounds=gap.bounds,
        why=gap.why,
        best={place: side.best for place, side in zip(PLACES, gap.sides, strict=True)},
    )
    if gap.why_unfair is None and gap.graded:
        means = [sum(marks) / len(gap.graded) for marks in zip(*gap.graded.values(), strict=True)]
        found = replace(found, after=means[0], alone=means[1], stronger=means[2])
    if gap.is_none:
        return replace(found, note=NO_GAP, why=None)
    if gap.why is not None:
        return found
    waits = no_interval_words(gap.waiting) if gap.waiting else None
    figure = closure(gap.rows, *gap.sides)
    assert figure is not None, "there is a gap where there is no reason against it"
    estimate = figure.estimate()
    if waits is not None:
        estimate = replace(estimate, low=None, high=None)
    return replace(found, estimate=estimate, note=gap.not_ranked, why=waits)
