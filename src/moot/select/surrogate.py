"""oracle-surrogate: learn how right the summariser is when c of the k labels it reads are right, then choose by that.

g(c) is learnt from sampled teams on one part of the selection split, (k+1)·T calls; teams are scored on the other part,
so that g is not flattered by the questions it was learnt on. A c that no sample reaches is interpolated and flagged. Where
so much is ungraded that g over the rest would flatter, teams are chosen by the least that it can be, and it is no figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from moot.select.kgreedy import COMPLETIONS, k_greedy, value
from moot.select.labels import Floats, LabelMatrix, Places, SelectionSplit, parted, selection_only
from moot.select.oracle import Meter, Oracle, graded_mean
from moot.select.registry import Chosen, check_calls, check_count, check_k, completed

SAMPLES = 200


@dataclass(frozen=True, slots=True, eq=False)
class WorthByCount:
    """Worth by the number of right labels alone: the mean of g(c) over the questions."""

    right: Floats
    """proposers × questions, 1 where right."""
    g: Floats
    """From 0 to k right labels."""

    def values(self, base: Sequence[int], candidates: Places) -> Floats:
        c = self.right[list(base)].sum(axis=0).astype(np.intp)
        more = self.g[c + 1] - self.g[c]
        worth: Floats = (self.g[c].sum() + self.right[candidates] @ more) / len(c)
        return worth


@dataclass(frozen=True, slots=True, eq=False)
class Surrogate:
    """g as it was learnt, and the questions that teams are scored on."""

    g: Floats
    interpolated: tuple[int, ...]
    calls: int
    scored: LabelMatrix
    notes: tuple[str, ...]
    why_no_g: str | None = None
    """Why g is what teams are chosen by, and no figure."""

    def detail(self, worth: float) -> dict[str, Any]:
        """What there is to know of a choice by it."""
        if self.why_no_g is not None:
            return {"g": None, "why_no_g": self.why_no_g, "worth": worth}
        return {"g": self.g.tolist(), "interpolated": list(self.interpolated), "worth": worth}

    @property
    def objective(self) -> WorthByCount:
        return WorthByCount(self.scored.right.astype(float), self.g)


@dataclass(frozen=True, slots=True)
class OracleSurrogate:
    """k-greedy on the surrogate."""

    name: ClassVar[str] = "oracle-surrogate"

    samples: int = SAMPLES
    """T: teams asked about for each number of right labels."""
    completions: int = COMPLETIONS
    calls: int | None = None
    """At most so many summariser calls."""

    def __post_init__(self) -> None:
        check_count("samples", self.samples)
        check_count("completions", self.completions)
        check_calls(self.calls)

    async def select(self, split: SelectionSplit, k: int, oracle: Oracle) -> Chosen:
        return await self.extend(split, (), k, oracle)

    async def extend(self, split: SelectionSplit, team: Sequence[int], k: int, oracle: Oracle) -> Chosen:
        check_k(selection_only(split).labels, k)
        learnt = await learn(split, k, Meter(oracle, self.calls), self.samples)
        if learnt is None:
            notes = (f"a budget of {self.calls} calls is too small to learn g; by accuracy",)
            return Chosen(completed(split, team, k), notes=notes)
        objective = learnt.objective
        chosen = k_greedy(split, objective, k, team, self.completions)
        return Chosen(chosen, learnt.calls, learnt.notes, learnt.detail(value(objective, chosen)))


async def learn(split: SelectionSplit, k: int, meter: Meter, samples: int = SAMPLES) -> Surrogate | None:
    """g from samples on a random half of the split; None where the budget does not allow one sample for each c."""
    notes: list[str] = []
    fitted, scored = learn_parts(split, notes)
    fitted = _wholly_graded(split.labels, fitted)
    afford = samples if meter.left is None else min(samples, meter.left // (k + 1))
    if afford < 1:
        return None
    if afford < samples:
        notes.append(f"the budget of {meter.budget} calls allows {afford} samples for each c instead of {samples}")
    right = split.labels.right[:, fitted]
    draw = split.random("surrogate", k)
    drawn = [_samples(right, c, k, afford, draw) for c in range(k + 1)]
    means: list[float | None] = []
    heard = await meter.each(
        np.concatenate([batch.teams for batch in drawn]), fitted[np.concatenate([batch.questions for batch in drawn])]
    )
    why = _why_no_g(split.labels, heard)
    if np.isnan(heard).all():
        notes.append(
            "no word of the summariser could be graded: g says nothing, and the team is chosen by accuracy alone"
        )
    elif why is not None:
        notes.append(f"{why}: g is no figure, and the team is chosen by the least that it can be")
    if why is not None:
        heard = np.nan_to_num(heard)
    for batch in drawn:
        means.append(graded_mean(heard[: batch.size]))
        heard = heard[batch.size :]
    sampled_counts = [c for c, mean in enumerate(means) if mean is not None]
    missing = tuple(c for c in range(k + 1) if c not in sampled_counts)
    known = [mean for mean in means if mean is not None]
    g = np.interp(np.arange(k + 1), sampled_counts, known)
    if missing:
        named = ", ".join(map(str, missing))
        notes.append(f"no team has exactly {named} right labels on any question, or none is graded: g is interpolated")
    return Surrogate(g, missing, meter.calls, split.labels.at(scored), tuple(notes), why)


def _why_no_g(labels: LabelMatrix, heard: Floats) -> str | None:
    """Both what was heard and the labels that it was asked about have to be graded; None: a mean over them may stand."""
    open_labels = 0 if labels.ungraded is None else int(labels.ungraded.any(axis=0).sum())
    of_labels = labels.why_unfair(open_labels, labels.size, of="questions to choose on have an ungraded label")
    return of_labels or labels.why_unfair(int(np.isnan(heard).sum()), len(heard), of="sampled words are ungraded")


def learn_parts(split: SelectionSplit, notes: list[str]) -> tuple[Places, Places]:
    """The questions that g is learnt on, and those that teams are scored on: no cluster is in both."""
    groups = split.labels.shuffled(split.random("parts"))
    if len(groups) < 2:
        notes.append("one question or cluster: g is learnt and teams are scored on the same")
        every = np.arange(split.m)
        return every, every
    return parted(groups, split.m // 2)


def _wholly_graded(labels: LabelMatrix, questions: Places) -> Places:
    """Those of the questions on which it is known how many labels are right; all, where that is known of none."""
    if labels.ungraded is None:
        return questions
    graded = questions[~labels.ungraded[:, questions].any(axis=0)]
    return graded if len(graded) else questions


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Teams, each beside the question that it is asked about."""

    teams: Places
    questions: Places

    @property
    def size(self) -> int:
        return len(self.questions)


def _samples(right: NDArray[np.bool_], c: int, k: int, samples: int, draw: np.random.Generator) -> Samples:
    """Teams of k with exactly c right labels, each on a question where there are such teams; none, if nowhere."""
    have = right.sum(axis=0)
    possible = np.flatnonzero((have >= c) & (len(right) - have >= k - c))
    if not len(possible):
        return Samples(np.empty((0, k), dtype=np.intp), np.empty(0, dtype=np.intp))
    questions = draw.choice(possible, samples)
    knows, lot = right[:, questions].T, draw.random((samples, len(right)))
    knowing = np.argsort(np.where(knows, lot, 2.0), axis=1)[:, :c]
    wrong = np.argsort(np.where(knows, 2.0, lot), axis=1)[:, : k - c]
    return Samples(draw.permuted(np.hstack([knowing, wrong]), axis=1), questions)
