"""Votes on labels: the class that a team's labels add up to, for all questions at once, and what it is worth.

An oracle asks about very many teams, so its vote has a way of its own (`tally`). All else that decides from labels is a
rule of `decide`, which sees of a label only who else has it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from moot.decide.candidates import Candidates, candidates_of
from moot.decide.rules import DraftRule, winners
from moot.select.labels import NOBODY_KNOWS, UNANSWERED, Codes, Floats, LabelMatrix, Places

LOT = 1e-9
"""Less than any real difference of votes, so that only ties are decided by it."""
AT_ONCE = 2_000_000
"""Cells of one block of questions that a rule decides: who gave which answer."""

Decided = Callable[[Codes, Places], Codes]
"""From labels, members × columns, and which question stands in each column, to the label that is taken in each."""


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


def candidates_in(labels: LabelMatrix) -> Candidates:
    """The different labels of the questions of which somebody knows the answer, to learn from. What is ungraded is not
    right here, as in every choice: else whoever has least of it graded would look best."""
    known = labels.with_known_truth()
    return candidates_of(names_of(known), known.codes, known.worth)


def names_of(labels: LabelMatrix) -> list[str]:
    """Of the proposers; two that are called alike are told apart by their places."""
    names = [str(proposer) for proposer in labels.proposers]
    return [f"{name} #{place}" if names.count(name) > 1 else name for place, name in enumerate(names)]


def ruled(rule: DraftRule, labels: LabelMatrix, lot: Floats) -> Codes:
    """The label that a rule takes, for every question; `UNANSWERED` where nobody answered."""
    return _by_rule(rule, names_of(labels), lot)(labels.codes, np.arange(labels.size))


def worth_of_rule(rule: DraftRule, labels: LabelMatrix, lot: Floats) -> Floats:
    """What the word of a rule is worth on each question; NaN where that hangs on labels that nobody has graded."""
    everybody = np.arange(len(labels.proposers))[:, None]
    return _worth(labels, everybody, np.arange(labels.size), _by_rule(rule, names_of(labels), lot))


def _by_rule(rule: DraftRule, names: Sequence[str], lot: Floats) -> Decided:
    def decided(codes: Codes, asked: Places) -> Codes:
        taken = np.full(codes.shape[1], UNANSWERED, dtype=codes.dtype)
        block = max(1, AT_ONCE // max(1, len(codes) ** 2))
        for start in range(0, codes.shape[1], block):
            part = slice(start, start + block)
            said = codes[:, part]
            candidates = candidates_of(names, said, np.zeros(said.shape))
            questions = np.arange(len(candidates))
            labels = said[candidates.support.argmax(axis=2), questions[:, None]]
            tied = winners(rule, candidates)
            won = np.where(tied, lot[asked[part][:, None], labels], -1.0).argmax(axis=1)
            taken[part] = np.where(tied.any(axis=1), labels[questions, won], UNANSWERED)
        return taken

    return decided


def worth_of_votes(labels: LabelMatrix, members: Places, asked: Places, weights: Floats, lot: Floats) -> Floats:
    """What the word of each vote is worth; NaN where that hangs on labels that nobody has graded.

    `members`: those who vote, a row each, as places that may differ from question to question.
    """
    wide = np.broadcast_to(weights, (len(members), len(asked)))
    by_column = np.arange(len(asked))
    return _worth(
        labels, members, asked, lambda codes, columns: tally(codes, wide[:, columns], lot, asked[columns]), by_column
    )


def _worth(
    labels: LabelMatrix, members: Places, asked: Places, decided: Decided, columns: Places | None = None
) -> Floats:
    """`columns`: what `decided` is told of each column; left out, the question."""
    columns = asked if columns is None else columns
    codes, truth = labels.codes[members, asked], labels.truth[asked]
    ungraded = None if labels.ungraded is None else labels.ungraded[members, asked]
    if ungraded is not None and labels.marks is None:
        return _whatever_waits(codes, ungraded, truth, decided, columns)
    taken = decided(codes, columns)
    worth: Floats = (taken == truth).astype(float)
    if labels.marks is None:
        return worth
    worth = np.where(codes == taken, labels.marks[members, asked], 0.0).max(axis=0)
    if ungraded is not None:  # it may vote with any of the others, and be worth anything
        worth[ungraded.any(axis=0)] = np.nan
    return worth


def _whatever_waits(
    codes: Codes, ungraded: NDArray[np.bool_], truth: Codes, decided: Decided, columns: Places
) -> Floats:
    """Of each column whether the word is right; NaN where that hangs on labels that nobody has graded.

    Such a label may turn out right in other words than the rest that is right, and votes with it then: so a vote that is
    won by a graded label may be another's yet. Every way to grade the labels of a question is tried.
    """
    right: Floats = (decided(codes, columns) == truth).astype(float)
    for column in np.flatnonzero(ungraded.any(axis=0)):
        words = np.unique(codes[ungraded[:, column], column])
        if truth[column] == NOBODY_KNOWS or len(words) > MOST_WORDS:
            right[column] = np.nan
            continue
        ways = np.array(list(product((False, True), repeat=len(words))), dtype=np.bool_).T
        said = np.repeat(codes[:, [column]], ways.shape[1], axis=1)
        for word, is_right in zip(words, ways, strict=True):
            said[np.ix_(codes[:, column] == word, is_right)] = truth[column]
        found = decided(said, np.repeat(columns[column], ways.shape[1])) == truth[column]
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
    """The most accurate proposer of each model, or for each prompt; the first of equals in the order of the matrix."""
    best: dict[str, int] = {}
    for place, proposer in enumerate(labels.proposers):
        key = proposer.model if by == "model" else proposer.prompt
        if key not in best or accuracy[place] > accuracy[best[key]]:
            best[key] = place
    return list(best.values())
