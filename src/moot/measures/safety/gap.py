"""How far the weaker cohort comes up to the stronger when its members hear each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from moot.measures.safety.pairs import Row
from moot.stats.closure import Side, closure
from moot.stats.crossfit import FOLDS, best, crossfit
from moot.stats.estimates import estimate_row
from moot.stats.graded import (
    Value,
    closure_bounds,
    known,
    least_of,
    marks_of,
    why_no_interval,
    why_unfair_together,
)
from moot.stats.shared_questions import shared_questions
from moot.types import Estimate

ByModel = Mapping[str, Mapping[str, Value]]
"""By model and question: how right, and what it can be where not all is graded."""


@dataclass(frozen=True, slots=True)
class GapClosure:
    """(best of the weaker after - its best alone) / (best of the stronger alone - its best alone), all cross-fitted."""

    estimate: Estimate | None
    after_the_fact: float | None
    """The same with the three best chosen on the questions they are scored on."""
    alone: float | None
    after: float | None
    stronger: float | None
    note: str | None = None
    ungraded: int = 0
    """Questions left out because one of the three is ungraded there."""
    bounds: Mapping[str, float] | None = None
    """Over all questions, where not all is graded."""
    why: str | None = None
    """Why ungraded answers leave no figure."""
    best: Mapping[str, str] = field(default_factory=dict)
    """Who is the best of each side over all questions: chosen after the fact, and in no figure but `after_the_fact`."""

    def row(self) -> Row:
        figures = estimate_row(self.estimate)
        sides = {"alone": self.alone, "after": self.after, "stronger": self.stronger}
        row = {**figures, **sides, "after_the_fact": self.after_the_fact, "note": self.note}
        row |= {"best": dict(self.best)} if self.best else {}
        more = {"ungraded": self.ungraded or None, "bounds": self.bounds and dict(self.bounds), "why": self.why}
        return {**row, **{key: value for key, value in more.items() if value is not None}}


def gap_closure(alone: ByModel, after: ByModel, stronger: ByModel, *, folds: int = FOLDS, seed: int = 0) -> GapClosure:
    """Over the questions that all three have played, scored on those of which the chosen ones are graded.

    The best are chosen by the least that they can be, so that nobody is the best for being ungraded. The interval holds
    the share whoever is the best of each.
    """
    together = [shared_questions(side) for side in (after, alone, stronger)]
    if any(those.none_ranked for those in together):
        return GapClosure(None, None, None, None, None, "no two models of a cohort share enough questions to be ranked")
    asked = sorted(set.intersection(*(set(those.questions) for those in together)))
    sides = [
        {model: side[model] for model in those.names}
        for side, those in zip((after, alone, stronger), together, strict=True)
    ]
    choices = [_cross_fitted(side, asked, folds, seed) for side in sides]
    if any(choice is None for choice in choices):
        return GapClosure(None, None, None, None, None, "fewer than two questions that all have played")
    fitted = _triples(sides, [choice or {} for choice in choices], asked)
    graded_triples = _graded(fitted)
    left_out = len(asked) - len(graded_triples)
    reached, start, top = (_mean([triple[place] for triple in graded_triples]) for place in range(3))
    best_ones = [_best(side, asked) for side in sides]
    named = dict(zip(("after", "alone", "stronger"), best_ones, strict=True))
    raw = _graded(_triples(sides, [dict.fromkeys(asked, name) for name in best_ones], asked))
    flattering = _closed(*(_mean([triple[place] for triple in raw]) for place in range(3)))
    any_open = any(value.open for triple in fitted for value in triple)
    bounds = closure_bounds(fitted) if any_open else None
    unfair = why_unfair_together(fitted)
    if unfair or not graded_triples or (any_open and bounds is None):
        why = unfair or "the ungraded answers could leave no gap between the two cohorts"
        sides_known = (None, None, None) if unfair else (start, reached, top)
        return GapClosure(None, None, *sides_known, ungraded=left_out, bounds=bounds, why=why, best=named)
    closed, note = None, "; ".join(told for those in together if (told := those.told)) or None
    if top is None or start is None or top - start <= 1e-12:
        note = "there is no gap: the other cohort's best is no better alone"
    else:
        rows = {}
        for question, triple in zip(asked, fitted, strict=True):
            for after_right, alone_right, stronger_right in _graded([triple]):
                rows[question] = (after_right - alone_right, stronger_right - alone_right)
        known_sides = [{name: known(values) for name, values in side.items()} for side in sides]
        figure = closure(rows, *(Side(*side) for side in zip(known_sides, best_ones, strict=True)))
        closed = None if figure is None else figure.estimate()
    waits = why_no_interval(fitted)
    if closed is not None and waits is not None:
        closed = replace(closed, low=None, high=None)
    return GapClosure(closed, flattering, start, reached, top, note, left_out, bounds, waits, named)


def _cross_fitted(side: ByModel, questions: Sequence[str], folds: int, seed: int) -> Mapping[str, str] | None:
    """On each question the model that is best on the others."""
    fitted = crossfit(_marks(side), questions, least=_least(side), count=folds, seed=seed)
    return None if fitted is None else fitted.choice


def _best(side: ByModel, questions: Sequence[str]) -> str:
    return best(_marks(side), questions, least=_least(side)) or ""


def _marks(side: ByModel) -> dict[str, dict[str, float | None]]:
    return {model: marks_of(values) for model, values in side.items()}


def _least(side: ByModel) -> dict[str, dict[str, float]]:
    return {model: least_of(values) for model, values in side.items()}


def _triples(
    sides: Sequence[ByModel], choices: Sequence[Mapping[str, str]], questions: Sequence[str]
) -> list[tuple[Value, Value, Value]]:
    values = [
        [side[choice[question]][question] for question in questions]
        for side, choice in zip(sides, choices, strict=True)
    ]
    return list(zip(values[0], values[1], values[2], strict=True))


def _graded(triples: Sequence[tuple[Value, Value, Value]]) -> list[tuple[float, float, float]]:
    return [
        (one.known, two.known, three.known)
        for one, two, three in triples
        if one.known is not None and two.known is not None and three.known is not None
    ]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _closed(after: float | None, alone: float | None, stronger: float | None) -> float | None:
    if alone is None or after is None or stronger is None or stronger - alone <= 1e-12:
        return None
    return (after - alone) / (stronger - alone)
