"""Votes on labels: weights, and the class that a team's labels add up to, for all questions at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from moot.decide.weights import log_odds as log_odds
from moot.select.labels import NOBODY_KNOWS, UNANSWERED, Codes, Floats, LabelMatrix, Places

LOT = 1e-9
"""Less than any real difference of votes, so that only ties are decided by it."""


def vote(labels: LabelMatrix, team: Sequence[int], weights: Floats, *, seed: int = 0) -> Codes:
    """The class with the most weight behind it, for every question; `UNANSWERED` where nobody of the team answered.

    Weights are those of the team, in its order. Where nobody who spoke has any weight, all count alike. Ties are
    decided by a lot of their own for each question.
    """
    return tally(labels.codes[list(team)], weights[:, None], lots(labels, seed), np.arange(labels.size))


def lots(labels: LabelMatrix, seed: int) -> Floats:
    return np.random.default_rng([seed % 2**63, labels.size]).random((labels.size, len(labels.classes))) * LOT


def tally(codes: Codes, weights: Floats, lot: Floats, asked: Places) -> Codes:
    """Members × questions of labels and of weights, which may be the same for all questions.

    `lot` has a row a question of the matrix, `asked` says which of them stands in each column. Only labels that somebody
    gave can win, so they are counted by their place among those of their question: there may be thousands of others.
    """
    if not codes.size:
        return np.full(codes.shape[1], UNANSWERED, dtype=np.int16)
    names, ranks = _ranked(codes)
    questions, most = names.shape
    scores, heads = np.zeros((questions, most)), np.zeros((questions, most))
    places = np.arange(questions)
    for row, rank, weight in zip(codes, ranks, np.broadcast_to(weights, codes.shape), strict=True):
        spoke = row != UNANSWERED
        scores[places[spoke], rank[spoke]] += weight[spoke]
        heads[places[spoke], rank[spoke]] += 1
    voiceless = scores.sum(axis=1) == 0
    scores[voiceless] = heads[voiceless]
    backed = heads > 0
    drawn = np.where(backed, lot[asked[:, None], names], 0.0)
    won = np.where(backed, scores + drawn, -1.0).argmax(axis=1)
    winner: Codes = names[places, won]
    winner[~backed.any(axis=1)] = UNANSWERED
    return winner


def worth_of_votes(labels: LabelMatrix, members: Places, asked: Places, weights: Floats, lot: Floats) -> Floats:
    """What the word of each vote is worth; NaN where that hangs on labels that nobody has graded.

    `members`: those who vote, a row each, as places that may differ from question to question.
    """
    codes, truth = labels.codes[members, asked], labels.truth[asked]
    ungraded = None if labels.ungraded is None else labels.ungraded[members, asked]
    if ungraded is not None and labels.marks is None:
        return whatever_waits(codes, ungraded, truth, weights, lot, asked)
    winners = tally(codes, weights, lot, asked)
    worth: Floats = (winners == truth).astype(float)
    if labels.marks is None:
        return worth
    worth = np.where(codes == winners, labels.marks[members, asked], 0.0).max(axis=0)
    if ungraded is not None:  # it may vote with any of the others, and be worth anything
        worth[ungraded.any(axis=0)] = np.nan
    return worth


def whatever_waits(
    codes: Codes, ungraded: NDArray[np.bool_], truth: Codes, weights: Floats, lot: Floats, asked: Places
) -> Floats:
    """Of each column whether the vote is right; NaN where that hangs on labels that nobody has graded.

    Such a label may turn out right in other words than the rest that is right, and votes with it then: so a vote that is
    won by a graded label may be another's yet. Every way to grade the labels of a question is tried.
    """
    right: Floats = (tally(codes, weights, lot, asked) == truth).astype(float)
    wide = np.broadcast_to(weights, codes.shape)
    for column in np.flatnonzero(ungraded.any(axis=0)):
        words = np.unique(codes[ungraded[:, column], column])
        if truth[column] == NOBODY_KNOWS or len(words) > MOST_WORDS:
            right[column] = np.nan
            continue
        ways = np.array(list(product((False, True), repeat=len(words))), dtype=np.bool_).T
        said = np.repeat(codes[:, [column]], ways.shape[1], axis=1)
        for word, is_right in zip(words, ways, strict=True):
            said[np.ix_(codes[:, column] == word, is_right)] = truth[column]
        found = tally(said, wide[:, [column]], lot, np.repeat(asked[column], ways.shape[1])) == truth[column]
        right[column] = float(found[0]) if found.all() or not found.any() else np.nan
    return right


MOST_WORDS = 10
"""With more that wait to one question nobody tries all ways: then the vote is open."""


def _ranked(codes: Codes) -> tuple[Codes, NDArray[np.intp]]:
    """The different labels of each question in the order of their codes (questions × labels, `UNANSWERED` among them where
    somebody said nothing), and for each member and question the place of its label there."""
    order = codes.argsort(axis=0, kind="stable")
    ordered = np.take_along_axis(codes, order, axis=0)
    new = np.ones(ordered.shape, dtype=np.intp)
    new[1:] = ordered[1:] != ordered[:-1]
    place = new.cumsum(axis=0) - 1
    ranks = np.empty_like(place)
    np.put_along_axis(ranks, order, place, axis=0)
    names = np.full((codes.shape[1], int(place[-1].max()) + 1), UNANSWERED, dtype=codes.dtype)
    names[np.arange(codes.shape[1])[None, :], place] = ordered
    return names, ranks


def best_of_each(labels: LabelMatrix, accuracy: NDArray[np.float64], by: str) -> list[int]:
    """The most accurate proposer of each model, or for each prompt; the first of equals in the order of names."""
    best: dict[str, int] = {}
    for place, proposer in enumerate(labels.proposers):
        key = proposer.model if by == "model" else proposer.prompt
        if key not in best or accuracy[place] > accuracy[best[key]]:
            best[key] = place
    return list(best.values())
