"""Asking one player after another, replayed over drafts that are there: who would have been asked, and what taken.

Whoever was not asked is not silent: nothing is known of it. So what is heard so far is looked at as a table of those alone
who were asked (`Candidates.only`), and a probability comes from a model that was learnt of these alone, one for every
stage. Nothing here asks anybody; a thousand questions take a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from moot.decide.candidates import Bools, Candidates, Floats, Places
from moot.decide.choice_model import ChoiceModel, learn
from moot.decide.rules import EQUAL, DraftRule, MostProbable, Plurality, winners
from moot.later import numpy as np

Waves = Sequence[Sequence[int]]
"""The seats that are asked together, wave after wave."""
StageModels = Mapping[frozenset[str], ChoiceModel]
"""By who was asked: what was learnt of these alone."""


@dataclass(frozen=True, slots=True, eq=False)
class WaveResult:
    """Where each question stands after a wave."""

    ahead: Bools
    """Questions × places: the answer that would be taken now; several where there is a tie."""
    enough: Bools
    """Whether nobody else need be asked."""
    chances: Floats
    """How likely the answer is right that would be taken; NaN where no model tells."""
    scores: Floats
    """Questions × places: what each answer has behind it, or how likely it is right."""


class StopRule(Protocol):
    @property
    def rule(self) -> DraftRule:
        """What decides where everybody was asked."""

    @property
    def threshold(self) -> float | None:
        """How likely the answer must be right; None: nobody else is asked once the rest cannot change it."""

    @property
    def models(self) -> StageModels:
        """What tells that, for whoever was asked."""

    def hear(self, heard: Candidates, waiting: Sequence[str]) -> WaveResult:
        """`heard`: the table of those who were asked, and of nobody else. `waiting`: who could still be."""


@dataclass(frozen=True, slots=True, eq=False)
class UntilDecided:
    """Until the rest cannot change which answer the rule takes: nothing is lost."""

    rule: DraftRule = field(default_factory=Plurality)
    never: bool = False
    """Everybody is asked all the same: what is wanted beyond a winner, nobody knows."""

    @property
    def threshold(self) -> None:
        return None

    @property
    def models(self) -> StageModels:
        return {}

    def hear(self, heard: Candidates, waiting: Sequence[str]) -> WaveResult:
        ahead, enough, scores = settled_by(self.rule, heard, waiting)
        if self.never:
            enough = np.zeros(len(heard), dtype=np.bool_)
        return WaveResult(ahead, enough, np.full(len(heard), np.nan), scores)


@dataclass(frozen=True, slots=True, eq=False)
class UntilSure:
    """Until the likeliest answer is right with this probability, by what was learnt of those who were asked."""

    threshold: float
    models: StageModels
    rule: DraftRule
    """What decides where everybody was asked."""
    or_decided: bool = True
    """Also where the rest cannot change which answer the rule takes, however unsure it is."""

    def hear(self, heard: Candidates, waiting: Sequence[str]) -> WaveResult:
        model = self.models[frozenset(heard.players)]
        table = heard.only([heard.players.index(name) for name in model.players])
        chances = model.probabilities(table)
        likeliest = winners(MostProbable(model), table)
        ruled, settled, _ = settled_by(self.rule, heard, waiting)
        sure = heard.given.any(axis=1) & (chances.max(axis=1) >= self.threshold)
        decided = ~sure & settled & (self.or_decided or not waiting)
        ahead = np.where(decided[:, None], ruled, likeliest)
        taken = np.where(ahead, chances, 0.0).sum(axis=1) / np.maximum(ahead.sum(axis=1), 1)
        return WaveResult(ahead, sure | (decided & bool(waiting)), taken, chances)


def settled_by(rule: DraftRule, heard: Candidates, waiting: Sequence[str]) -> tuple[Bools, Bools, Floats]:
    """The answers that are ahead, of which questions the rest cannot change that, and what each answer has behind it."""
    voices = rule.added_voices((*heard.players, *waiting))
    scores = heard.support @ np.array([voices[name] for name in heard.players])
    told = rule.sums_told(scores, heard)
    best = np.where(heard.given, told, -np.inf).max(axis=1, keepdims=True)
    ahead: Bools = heard.given & (told >= best - EQUAL)
    return ahead, cannot_change(scores, heard.given, np.array([voices[name] for name in waiting])), told


def cannot_change(scores: Floats, given: Bools, rest: Floats) -> Bools:
    """Whether the answer that is ahead stays alone in front, whatever those whose voices count `rest` say.

    A voice that counts less than nothing takes from the answer that it is given to. So it may pull the first one down, as one
    that counts may lift any other, or a new one.
    """
    answered: Bools = np.any(given, axis=1)
    if not len(rest):
        return answered
    standing = np.sort(np.where(given, scores, -np.inf), axis=1)
    first = standing[:, -1] + np.minimum(rest, 0.0).sum()
    second = standing[:, -2] if standing.shape[1] > 1 else np.full(len(scores), -np.inf)
    lifted = np.maximum(rest, 0.0).sum()
    # A voice that makes a new answer does not pull at the first one.
    new = lifted if lifted > 0 else 2 * float(rest.max())
    enough: Bools = answered & (first > np.maximum(second + lifted, new) + EQUAL)
    return enough


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """Of each question: who was asked, what was taken, and why it ended."""

    asked: Bools
    """Questions × players."""
    waves: Places
    """How many were asked."""
    ahead: Bools
    """Questions × places, as they are in the whole table: the answer taken; several where there is a tie."""
    chances: Floats
    """How likely it is right, by who was asked; NaN where no model tells."""
    reached: Bools
    """Whether it ended because it was enough; else everybody was asked."""

    @property
    def calls(self) -> Places:
        found: Places = self.asked.sum(axis=1)
        return found

    def worth(self, candidates: Candidates) -> Floats:
        """What the answer taken is worth, over all lots of a tie; 0 where nobody who was asked gave one."""
        worth = np.where(self.ahead, candidates.worth, 0.0).sum(axis=1)
        found: Floats = worth / np.maximum(self.ahead.sum(axis=1), 1)
        return found


def replayed(candidates: Candidates, waves: Waves, until: StopRule) -> Replayed:
    """Every question asked wave after wave until it is enough, or everybody was asked.

    The last wave is always looked at, so `reached` tells there too whether it was enough. Seats in no wave are never asked.
    """
    questions = len(candidates)
    asked = np.zeros((questions, len(candidates.players)), dtype=np.bool_)
    ahead = np.zeros(candidates.worth.shape, dtype=np.bool_)
    chances, reached = np.full(questions, np.nan), np.zeros(questions, dtype=np.bool_)
    number = np.zeros(questions, dtype=np.intp)
    going, seats = np.arange(questions), list[int]()
    order = [seat for wave in waves for seat in wave]
    if len(set(order)) != len(order):
        raise ValueError(f"somebody is asked twice: {order}")
    for wave in waves:
        seats += wave
        waiting = [candidates.players[seat] for seat in order if seat not in seats]
        now = until.hear(candidates.at(going).only(sorted(seats)), waiting)
        asked[going[:, None], np.array(seats, dtype=np.intp)] = True
        number[going] += 1
        ahead[going], chances[going], reached[going] = now.ahead, now.chances, now.enough
        going = going[~now.enough]
        if not len(going):
            break
    return Replayed(asked, number, ahead, chances, reached)


def in_waves(order: Sequence[int], size: int = 1) -> list[list[int]]:
    """One after another, or so many at a time."""
    return [list(order[begin : begin + size]) for begin in range(0, len(order), size)]


def best_order(candidates: Candidates) -> list[int]:
    """Seats by how often each was right on graded questions; of equals whoever sits first."""
    return [int(seat) for seat in np.argsort(-candidates.accuracy, kind="stable")]


def learnt_order(model: ChoiceModel, rule: DraftRule | None = None) -> list[int]:
    """Seats by what each voice counts in the rule that decides, and then in what was learnt of all of them; of equals whoever
    sits first.

    Who says what somebody better says too counts little, however often it is right: so it comes late. `rule`: left out, the
    model decides.
    """
    voices = (MostProbable(model) if rule is None else rule).added_voices(model.players)
    learnt = model.weights + model.common
    return sorted(range(len(learnt)), key=lambda seat: (-voices[model.players[seat]], -float(learnt[seat])))


def stage_models(candidates: Candidates, waves: Waves, penalty: float, whole: ChoiceModel | None = None) -> StageModels:
    """For every stage of a cascade a model of those alone who were asked by then. `candidates` are settled.

    `whole`: that of everybody, where it is learnt already.
    """
    found: dict[frozenset[str], ChoiceModel] = {}
    seats: list[int] = []
    for wave in waves:
        seats += wave
        heard = candidates.only(sorted(seats))
        if whole is not None and set(whole.players) == set(heard.players):
            found[frozenset(heard.players)] = whole
        else:
            found[frozenset(heard.players)] = learn(heard, penalty, category_pull=None)
    return found
