"""How far each player is to be trusted, by one number each: how often it is right.

Two ways to that number: from graded questions, on which silence says nothing (naive Bayes), and from who agrees with whom,
no grade seen (Dawid–Skene with one coin a player). In both a player moves the odds of its answer by the same factor whatever
the others say, so weights add up, and those of a team are those of its members. Beside them stands the vote by accuracy
(`weights`), in which silence is not right and nobody speaks against an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moot.decide.candidates import Candidates, Floats
from moot.decide.rules import DraftRule
from moot.decide.weights import effective_alternatives
from moot.later import numpy as np

ROUNDS = 200
CLOSE = 1e-6


@dataclass(frozen=True, slots=True)
class OneCoin(DraftRule):
    """The answer that is likeliest where each player is right with a chance of its own, whatever the question and the
    others, and its mistakes are spread over the wrong answers. Whoever is worse than chance speaks against an answer."""

    weights: Mapping[str, float]

    def scores(self, candidates: Candidates) -> Floats:
        weight = np.array([self.weights.get(name, 0.0) for name in candidates.players])
        return np.where(candidates.given, candidates.support @ weight, -np.inf)

    def words(self) -> str:
        return "the answer with the best odds, each player trusted by how often it is right"


def naive_bayes(candidates: Candidates) -> OneCoin:
    """From graded questions: how right each is where it speaks, one right and one wrong answer added."""
    known = candidates.at(np.flatnonzero(candidates.settled))
    right = np.einsum("qpi,qp->i", known.support, np.nan_to_num(known.worth))
    chance = (right + 1.0) / (known.spoke.sum(axis=0) + 2.0)
    return _one_coin(known, chance, effective_alternatives(known))


def dawid_skene(candidates: Candidates) -> OneCoin:
    """From who agrees with whom: no grade is looked at. The right answer is taken to be one of those given.

    Expectation and maximisation in turn, from the shares of the vote on: how likely each answer is, by how right its givers
    are; how right each is, by how likely its answers are, and how many wrong answers there are, by how often those that are
    likely wrong agree. Answers that nobody else gave tell nothing of their giver but that it stands alone.
    """
    counts, spoke = candidates.counts, candidates.spoke.sum(axis=0)
    likely = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    rule = OneCoin({})
    for _ in range(ROUNDS):
        chance = (np.einsum("qpi,qp->i", candidates.support, likely) + 1.0) / (spoke + 2.0)
        rule = _one_coin(candidates, chance, _likely_alternatives(counts, likely))
        found = _shares(rule.scores(candidates))
        moved = float(np.abs(found - likely).max(initial=0.0))
        likely = found
        if moved < CLOSE:
            break
    return rule


def _one_coin(candidates: Candidates, chance: Floats, answers: float) -> OneCoin:
    weights = np.log(max(1.0, answers - 1.0) * chance / (1.0 - chance))
    return OneCoin(dict(zip(candidates.players, weights.tolist(), strict=True)))


def _shares(scores: Floats) -> Floats:
    """Of each question as shares of one; all 0 where nobody spoke."""
    highest = scores.max(axis=1, keepdims=True)
    found = np.exp(scores - np.where(np.isfinite(highest), highest, 0.0))
    shares: Floats = found / np.maximum(found.sum(axis=1, keepdims=True), 1e-300)
    return shares


def _likely_alternatives(counts: Floats, likely: Floats) -> float:
    """As `effective_alternatives`, of pairs by how likely both are wrong: of equal ones 1 - p, of others 1 - p - p'."""
    equal = ((1.0 - likely) * _pairs(counts)).sum()
    total, leaning = counts.sum(axis=1), (likely * counts).sum(axis=1)
    apart = (total**2 - (counts**2).sum(axis=1)) / 2 - (total * leaning - (likely * counts**2).sum(axis=1))
    return float(1 + (equal + apart.sum() + 1) / (equal + 1))


def _pairs(counts: Floats) -> Floats:
    return counts * (counts - 1) / 2
