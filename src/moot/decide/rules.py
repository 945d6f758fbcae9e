"""Rules that decide from drafts: each gives the answers of a question a score, and the highest wins.

A tie is left to whoever decides (`winners`): in a vote it goes to the captain's group, else by lot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from moot.decide.candidates import SILENT, Bools, Candidates, Floats, Places
from moot.decide.choice_model import ChoiceModel

EQUAL = 1e-9
"""Scores that differ by less are a tie."""


class DraftRule(Protocol):
    """From the answers that were given to which is taken."""

    def scores(self, candidates: Candidates) -> Floats:
        """Questions × places; what is not an answer has minus infinity."""

    def words(self) -> str:
        """What it goes by, such as "the largest group"."""


@dataclass(frozen=True, slots=True)
class Plurality:
    """The largest group."""

    def scores(self, candidates: Candidates) -> Floats:
        return np.where(candidates.given, candidates.counts, -np.inf)

    def words(self) -> str:
        return "the largest group of answers"


@dataclass(frozen=True, slots=True)
class WeightedSum:
    """The group with the most weight behind it; a player without a weight has none. Where nobody who spoke has any
    weight, all count alike."""

    weights: Mapping[str, float]

    def scores(self, candidates: Candidates) -> Floats:
        weight = np.array([self.weights.get(name, 0.0) for name in candidates.players])
        found = candidates.support @ weight
        voiceless = ~(found > 0).any(axis=1)
        found[voiceless] = candidates.counts[voiceless]
        return np.where(candidates.given, found, -np.inf)

    def words(self) -> str:
        return "the group with the most weight behind it"


@dataclass(frozen=True, slots=True)
class Leader:
    """One player's answer, unless so many others agree on another, or it is silent: then the largest group of the others."""

    player: str
    unless: int | None = None
    """None: whatever the others say."""

    def scores(self, candidates: Candidates) -> Floats:
        seat = candidates.players.index(self.player)
        led: Bools = candidates.support[:, :, seat]
        others = candidates.counts - led
        found = np.where(candidates.given, others, -np.inf)
        overruled: Bools = ~np.any(led, axis=1)
        if self.unless is not None:
            overruled |= np.where(led, -np.inf, found).max(axis=1) >= self.unless
        upheld = led & ~overruled[:, None]
        found[overruled[:, None] & led] = -np.inf
        found[upheld] = len(candidates.players) + 1.0
        # Overruled it may still be the only answer that there is.
        alone = ~np.isfinite(found).any(axis=1)
        found[alone] = np.where(candidates.given[alone], candidates.counts[alone], -np.inf)
        return found

    def words(self) -> str:
        if self.unless is None:
            return f"{self.player}'s answer, or the largest group of the others where {self.player} is silent"
        return f"{self.player}'s answer, unless {self.unless} others agree on another"


@dataclass(frozen=True, slots=True, eq=False)
class MostProbable:
    """The answer that is right with the highest probability, by what was learnt on other questions."""

    model: ChoiceModel

    def scores(self, candidates: Candidates) -> Floats:
        chances = self.model.probabilities(candidates)
        return np.where(candidates.given, chances, -np.inf)

    def words(self) -> str:
        return "the answer with the highest probability"


def winners(rule: DraftRule, candidates: Candidates) -> Bools:
    """Questions × places: the highest; several where there is a tie, none where there is no answer."""
    scores = rule.scores(candidates)
    best = scores.max(axis=1, keepdims=True)
    found: Bools = candidates.given & (scores >= best - EQUAL)
    return found


def taken(rule: DraftRule, candidates: Candidates, draw: np.random.Generator) -> Places:
    """One answer a question, ties by lot; `SILENT` where there is none."""
    tied = winners(rule, candidates)
    place: Places = np.where(tied, draw.random(tied.shape), -1.0).argmax(axis=1)
    return np.where(tied.any(axis=1), place, SILENT)


def expected_worth(rule: DraftRule, candidates: Candidates) -> Floats:
    """Of each question what the rule's answer is worth, over all lots of a tie; 0 where there is no answer."""
    tied = winners(rule, candidates)
    several = tied.sum(axis=1)
    worth = np.where(tied, candidates.worth, 0.0).sum(axis=1)
    found: Floats = worth / np.maximum(several, 1)
    return found
