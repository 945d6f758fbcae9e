"""The probability that a verdict is right, whatever strategy it is of, learnt on other questions.

Of the drafts that a verdict rests on the choice model tells how likely each group is to be right. A strategy may end on any
of them, or on an answer of its own, and may know more than the drafts tell, or less: a captain who follows the group that is
likelier right adds nothing, one who finds the right answer against it does. So a second, small model learns of each
strategy what its verdicts are worth beside that: one number for its bias, one for how far it goes with the model, one for
answers that nobody had drafted. All are drawn towards taking the model at its word. Verdicts without drafts have what the
strategy has on the average.

A verdict rests on the drafts of those alone who were heard for it: whoever was not asked is not silent, and what others know
of it, the verdict did not. So where a strategy stops early, each set of players has a model of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from moot.decide.candidates import SILENT, Bools, Candidates, Floats, Places
from moot.decide.choice_model import ChoiceModel, learn, within_sample
from moot.decide.learning import FOLDS, folds_of
from moot.decide.rules import DIGITS
from moot.later import numpy as np

PENALTY = 3.0
"""How strongly the weights of players are drawn to 0. Not chosen anew for every fold, as for a rule: what is told hardly hangs on
it, and a report would take five times as long."""
PULLS = (4.0, 4.0, 1.0)
"""How strongly bias and slope are drawn towards the first model, and answers that nobody had drafted towards the average: a pull
of 4 weighs as much as some twenty answers, one of 1 as much as five. What nobody had drafted may be worth anything."""
STEPS = 30
SAME = 9
"""Probabilities that are equal to so many digits are equally sure."""
EDGE = 1e-4


@dataclass(frozen=True, slots=True)
class VerdictModel:
    """From what the drafts tell to what a strategy's verdict is worth."""

    bias: float
    slope: float
    own: float
    """The log-odds of an answer that nobody had drafted."""
    questions: int | None = field(default=None, kw_only=True)
    """So many graded verdicts taught it; None: nobody says."""

    @property
    def weights(self) -> dict[str, float]:
        return {"bias": self.bias, "slope": self.slope, "own": self.own}

    def rounded(self) -> VerdictModel:
        """With no more digits than a file has."""
        rounded = (round(value, DIGITS) for value in self.weights.values())
        return VerdictModel(*rounded, questions=self.questions)

    def chances(self, drafted: Floats, own: Bools) -> Floats:
        found = 1 / (1 + np.exp(-(_features(drafted, own) @ np.array([*self.weights.values()]))))
        return within_sample(found, self.questions)


def log_odds(chances: Floats) -> Floats:
    inside = np.clip(chances, EDGE, 1 - EDGE)
    found: Floats = np.log(inside / (1 - inside))
    return found


def _features(drafted: Floats, own: Bools) -> Floats:
    said = np.where(own, 0.0, log_odds(np.where(own, 0.5, drafted)))
    return np.stack([(~own).astype(float), said, own.astype(float)], axis=1)


def learn_verdicts(drafted: Floats, own: Bools, rights: Floats, towards: VerdictModel | None = None) -> VerdictModel:
    """From verdicts whose drafted probability was itself learnt on other questions. `towards`: what it is drawn to; left out,
    the first model as it is."""
    features, centre = _features(drafted, own), np.array([0.0, 1.0, log_odds(np.array([rights.mean()]))[0]])
    if towards is not None:
        centre = np.array([*towards.weights.values()])
    bias, slope, of_own = (float(value) for value in drawn_logistic(features, rights, centre, np.array(PULLS)))
    return VerdictModel(bias, slope, of_own, questions=len(rights) if towards is None else towards.questions)


def drawn_logistic(features: Floats, rights: Floats, centre: Floats, pulls: Floats) -> Floats:
    """The weights that foresee best what was right, each drawn towards its centre: Newton's method."""
    row = centre.copy()
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-features @ row))
        slope = features.T @ (chance - rights) + pulls * (row - centre)
        curve = (features * (chance * (1 - chance))[:, None]).T @ features + np.diag(pulls)
        step = np.linalg.solve(curve, slope)
        row = row - step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-9))
        if np.abs(step).max() < 1e-8:
            break
    return row


@dataclass(frozen=True, slots=True, eq=False)
class TableChances:
    """What the choice model tells of the drafts of one table, for all strategies that rest on them.

    For each fold a matrix of questions × places: of the questions in it by what all others teach; of those by what their
    own other parts teach, so that whoever learns from them learns from probabilities of questions that were not seen.
    """

    fold_of: Places
    nested: tuple[Floats, ...]


def table_chances(candidates: Candidates, units: Sequence[str], heard: Bools | None = None) -> TableChances:
    """Nothing is learnt from questions that are not settled. `heard`: on which of them all these players were heard; left out,
    on all."""
    teaching = candidates.settled if heard is None else candidates.settled & heard

    def learnt(questions: Places) -> ChoiceModel:
        # A set of players that was heard on one question alone teaches nothing of it: then whoever was not heard is silent.
        taught = questions[teaching[questions]]
        return learn(candidates.at(taught if len(taught) else questions[candidates.settled[questions]]), PENALTY)

    fold_of = folds_of(units, FOLDS, role="probability")
    nested = []
    for fold in range(int(fold_of.max(initial=-1)) + 1):
        found = np.zeros(candidates.worth.shape)
        inside, outside = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        found[inside] = learnt(outside).probabilities(candidates.at(inside))
        names = [units[place] for place in outside]
        inner = folds_of(names, FOLDS, role="verdicts")
        for part in np.unique(inner):
            test, train = outside[inner == part], outside[inner != part]
            found[test] = learnt(train).probabilities(candidates.at(test))
        nested.append(found)
    return TableChances(fold_of, tuple(nested))


@dataclass(frozen=True, slots=True, eq=False)
class RestingVerdicts:
    """Verdicts of one strategy, and what each rests on."""

    drafts: Places
    """The row of the table that it rests on; several may rest on one."""
    chosen: Places
    """The place of the group that it is of, `SILENT` for an answer that nobody had drafted."""
    rights: Floats
    """How right it was; NaN where nobody has graded it, from which nothing is learnt."""
    heard: Places | None = None
    """Which of several tables of the same drafts tells of those who were heard for it; None: the first."""
    asked_on: Bools | None = None
    """Whether somebody was asked on after the drafts; None: of all alike."""

    def drafted(self, tables: Sequence[TableChances], fold: int) -> Floats:
        """What the drafts alone tell of each; NaN of what nobody had drafted."""
        every = np.stack([table.nested[fold] for table in tables])
        heard = np.zeros(len(self.chosen), dtype=np.intp) if self.heard is None else self.heard
        return np.where(self.chosen == SILENT, np.nan, every[heard, self.drafts, np.maximum(self.chosen, 0)])


def verdict_chances(tables: Sequence[TableChances], verdicts: RestingVerdicts) -> Floats:
    """Of each verdict its probability, learnt on the other folds. Where some strategy asked on after the drafts and elsewhere
    went by them, each is learnt by itself, drawn to what both are worth together."""
    found, own, rights = np.full(len(verdicts.chosen), np.nan), verdicts.chosen == SILENT, verdicts.rights
    fold_of, graded = tables[0].fold_of[verdicts.drafts], ~np.isnan(rights)
    asked_on = np.zeros(len(own), dtype=np.bool_) if verdicts.asked_on is None else verdicts.asked_on
    for fold in range(len(tables[0].nested)):
        drafted = verdicts.drafted(tables, fold)
        inside, outside = fold_of == fold, (fold_of != fold) & graded
        if not outside.any():
            continue
        every = learn_verdicts(drafted[outside], own[outside], rights[outside])
        for kind in (False, True):
            told, taught = inside & (asked_on == kind), outside & (asked_on == kind)
            model = every
            if taught.any() and (taught != outside).any():
                model = learn_verdicts(drafted[taught], own[taught], rights[taught], every)
            found[told] = model.chances(drafted[told], own[told])
    return found


def surest_first(said: Floats, part_of: Places, names: Sequence[tuple[str, int]]) -> list[int]:
    """The places of cross-fitted probabilities, the surest first: by their rank within the part that they were said of.

    What is said of one part is learnt from the others. A part that turned out well leaves others that did worse, and is told
    lower probabilities for it: by what was said alone the unlucky parts would come first, and the surest answers would look
    worse than they are. Of equally sure ones the name decides, and not the order of the file.
    """
    ranks = np.zeros(len(said))
    for part in np.unique(part_of):
        inside = np.flatnonzero(part_of == part).tolist()
        order = sorted(inside, key=lambda place: (-round(float(said[place]), SAME), names[place]))
        ranks[order] = (np.arange(len(order)) + 0.5) / len(order)
    return sorted(range(len(said)), key=lambda place: (ranks[place], names[place]))
