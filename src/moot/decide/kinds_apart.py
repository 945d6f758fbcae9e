"""Questions of several kinds: what tells how sure an answer is, for each of them by itself.

Whoever is good at choosing a letter need not be good at free answers, and those who agree on one are right less often there. So
what tells how likely an answer is right is learnt of each kind by itself, where there are enough questions of it. Of the others
nothing is told: who asks one player after another asks everybody there. The kinds stand as categories of the questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from moot.decide.candidates import Candidates
from moot.decide.cascading import StageModels, StopRule, UntilSure, WaveResult, Waves, stage_models
from moot.decide.choice_model import ChoiceModel
from moot.decide.learning import LEARNT, LearntRule, learn_rule, most_probable, too_few_to_learn
from moot.decide.rules import DraftRule, MostProbable
from moot.later import numpy as np


def of_one_kind(candidates: Candidates, units: Sequence[str], kind: str) -> tuple[Candidates, list[str]]:
    """The questions of a kind, and what each is a part of."""
    places = [place for place, each in enumerate(candidates.categories) if each == kind]
    known = candidates.at(np.array(places, dtype=np.intp))
    return replace(known, categories=()), [units[place] for place in places]


def kinds_told(candidates: Candidates, units: Sequence[str]) -> list[str]:
    """The kinds of which there are enough; none where all are of one."""
    kinds = sorted({*candidates.categories})
    several = ((kind, of_one_kind(candidates, units, kind)[1]) for kind in kinds)
    return [kind for kind, of_it in several if too_few_to_learn(len(of_it), of_it) is None]


def models_by_kind(candidates: Candidates, units: Sequence[str]) -> dict[str, ChoiceModel]:
    """Of each kind of which there are enough questions what these alone teach. All of them are settled."""
    return {kind: most_probable(*of_one_kind(candidates, units, kind)).model for kind in kinds_told(candidates, units)}


def most_probable_by_kind(candidates: Candidates, units: Sequence[str]) -> MostProbable:
    """With weights for each kind of questions of which there are enough, learnt of these alone."""
    together = most_probable(replace(candidates, categories=()), units).model
    rows = {kind: model.row for kind, model in models_by_kind(candidates, units).items()}
    return MostProbable(replace(together, categories=rows))


def told_by_drafts(candidates: Candidates, units: Sequence[str]) -> ChoiceModel:
    """How likely an answer is right: of each kind by itself where there are several."""
    return (most_probable_by_kind if candidates.categories else most_probable)(candidates, units).model


def learn_rule_by_kind(candidates: Candidates, units: Sequence[str]) -> LearntRule:
    """A rule that decides questions of each kind by what these alone taught, where there are several."""
    if not candidates.categories:
        return learn_rule(candidates, units)
    learnt = learn_rule(candidates, units, learner=most_probable_by_kind)
    return learnt if learnt.kept == LEARNT else replace(learnt, model=told_by_drafts(candidates, units))


def without_kinds(learnt: LearntRule) -> LearntRule:
    """As it decides where a kind is unknown, or too few questions of it taught."""
    model = _of_all(learnt.model)
    return replace(learnt, model=model, rule=learnt.rule.by_model(model))


def _of_all(model: ChoiceModel) -> ChoiceModel:
    return replace(model, categories={}, category_pull=None)


@dataclass(frozen=True, slots=True, eq=False)
class UntilSureByKind:
    """Until the likeliest answer is right with this probability, by what questions of its kind taught. Of a kind that taught
    nothing everybody is asked, and no probability told, as a rule in a file has it."""

    by_kind: Mapping[str, UntilSure]
    others: UntilSure

    @property
    def rule(self) -> DraftRule:
        return self.others.rule

    @property
    def threshold(self) -> float:
        return self.others.threshold

    @property
    def models(self) -> StageModels:
        return self.others.models

    def hear(self, heard: Candidates, waiting: Sequence[str]) -> WaveResult:
        shape = heard.worth.shape
        ahead, enough = np.zeros(shape, dtype=np.bool_), np.zeros(len(heard), dtype=np.bool_)
        chances, scores = np.full(len(heard), np.nan), np.zeros(shape)
        for kind in {*heard.categories}:
            here = np.array([place for place, each in enumerate(heard.categories) if each == kind], dtype=np.intp)
            now = self.by_kind.get(kind, self.others).hear(heard.at(here), waiting)
            ahead[here], scores[here] = now.ahead, now.scores
            if kind in self.by_kind:
                enough[here], chances[here] = now.enough, now.chances
        return WaveResult(ahead, enough, chances, scores)


@dataclass(frozen=True, slots=True, eq=False)
class TaughtStages:
    """For one order of the players what tells how sure an answer is, whoever of them was asked by then."""

    models: StageModels
    by_kind: Mapping[str, StageModels] | None
    """None: all questions are of one kind."""

    @classmethod
    def of(cls, candidates: Candidates, units: Sequence[str], waves: Waves, learnt: LearntRule) -> TaughtStages:
        """From the questions that taught the rule, all of which are settled."""
        whole = _of_all(learnt.model)
        models = stage_models(candidates, waves, whole.penalty, whole)
        if not candidates.categories:
            return cls(models, None)
        by_kind = {
            kind: stage_models(of_one_kind(candidates, units, kind)[0], waves, model.penalty, model)
            for kind, model in models_by_kind(candidates, units).items()
        }
        return cls(models, by_kind)

    def by_others(self, candidates: Candidates, units: Sequence[str], waves: Waves) -> TaughtStages:
        """Learnt of other questions, as strongly drawn, and of the same kinds."""
        everybody = frozenset(candidates.players)
        models = stage_models(candidates, waves, self.models[everybody].penalty)
        if self.by_kind is None:
            return TaughtStages(models, None)
        found = {}
        for kind, stages in self.by_kind.items():
            known, _ = of_one_kind(candidates, units, kind)
            if len(known):
                found[kind] = stage_models(known, waves, stages[everybody].penalty)
        return TaughtStages(models, found)

    def until(self, threshold: float, learnt: LearntRule, *, or_decided: bool = True) -> StopRule:
        """With the rule that is kept, be it by what other questions taught."""
        others = _until(threshold, self.models, learnt, or_decided)
        if self.by_kind is None:
            return others
        several = {kind: _until(threshold, models, learnt, or_decided) for kind, models in self.by_kind.items()}
        return UntilSureByKind(several, others)


def _until(threshold: float, models: StageModels, learnt: LearntRule, or_decided: bool) -> UntilSure:
    return UntilSure(threshold, models, learnt.rule.by_model(models[frozenset(learnt.model.players)]), or_decided)
