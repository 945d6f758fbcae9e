"""Disagreement as a signal: how each strategy does where the players gave d different answers.

Also whether d is only another word for difficulty: the same within thirds of the questions by how people did, and the
rank correlation of d with the human rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from moot.measures.quiz.played import (
    Drafts,
    Played,
    accuracy_figures,
    diversity_of,
    pairs_by_captain,
    pairs_on,
    repeated,
    split,
    teams,
)
from moot.stats.estimates import Row
from moot.stats.graded_pairs import family_row
from moot.stats.rank import Correlation, midranks, spearman_over_questions

DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class Curve:
    """Accuracy by d; `left_out` counts the questions of which it could not place a play."""

    rows: list[Row]
    left_out: int


def diversity_curve(plays: Sequence[Played]) -> Curve:
    """A row for each d and strategy: how many questions, and the accuracy, the mean over captains of each question.

    With repeats a question stands at the d of each, by the plays that rest on those drafts. Drafts whose groups are not
    known, nobody having answered, have no d.
    """
    diversity = diversity_of(plays)
    return Curve(_rows(plays, diversity), len({play.question for play in plays if play.drafts not in diversity}))


def diversity_by_captain(plays: Sequence[Played]) -> list[Row]:
    """The curve of each captain by itself: a row for each d, strategy and captain."""
    diversity = diversity_of(plays)
    led = split(
        [play for play in teams(plays) if play.captain is not None and play.drafts in diversity],
        lambda play: (diversity[play.drafts], play.strategy, play.captain),
    )
    return [
        {"d": d, "strategy": strategy, "captain": captain, **accuracy_figures(captain_plays, "accuracy")}
        for (d, strategy, captain), captain_plays in sorted(led.items())
    ]


def talk_by_diversity(plays: Sequence[Played], talking: Sequence[str], voting: Sequence[str]) -> list[Row]:
    """Whoever hears reasons less who counts, where the players gave d answers: each captain, then all of them (None).

    `talking` and `voting`: the strategies that do, by their labels.
    """
    diversity = diversity_of(plays)
    placed = [play for play in teams(plays) if play.captain is not None and play.drafts in diversity]
    rows: list[Row] = []
    for talk, vote in product(talking, voting):
        for d in sorted(set(diversity.values())):
            first, second = (
                [play for play in placed if play.strategy == label and diversity[play.drafts] == d]
                for label in (talk, vote)
            )
            rows += [{"d": d, "a": talk, "b": vote, **row} for row in _captains_compared(first, second)]
    return rows


def _captains_compared(first: Sequence[Played], second: Sequence[Played]) -> list[Row]:
    sides = [split(plays, lambda play: play.captain) for plays in (first, second)]
    shared = [captain for captain in sides[0] if captain in sides[1]]
    rows: list[Row] = []
    for captain in shared:
        pooled = any(repeated(side[captain]) for side in sides)
        pairs = pairs_on(sides[0][captain], sides[1][captain])
        rows.append({"captain": captain, **family_row(pairs, pooled=pooled)})
    if len(shared) > 1:
        rows.append({"captain": None, **family_row(pairs_by_captain(first, second), pooled=True)})
    return rows


def diversity_by_difficulty(plays: Sequence[Played]) -> Curve:
    """The same within easy, medium and hard questions; each row also has the mean human rate of its questions.

    Left out are the questions without a human rate or without groups.
    """
    diversity, people = diversity_of(plays), human_rates(plays)
    level = difficulty(people)
    rows: list[Row] = []
    for name in DIFFICULTIES:
        of_level = [play for play in plays if level.get(play.question) == name]
        rows += [
            {"difficulty": name, **row, "human": _mean_rate(row["d"], name, diversity, level, people)}
            for row in _rows(of_level, diversity)
        ]
    left_out = {play.question for play in plays if play.drafts not in diversity or play.question not in level}
    return Curve(rows, len(left_out))


def diversity_and_people(plays: Sequence[Played]) -> Correlation | None:
    """Spearman of d with the human rate, over the questions that have both; with repeats d is their mean."""
    by_question: dict[str, list[int]] = {}
    for (question, _), d in diversity_of(plays).items():
        by_question.setdefault(question, []).append(d)
    diversity = {question: sum(several) / len(several) for question, several in by_question.items()}
    people = human_rates(plays)
    both = sorted(diversity.keys() & people.keys())
    return spearman_over_questions({question: (float(diversity[question]), people[question]) for question in both})


def human_rates(plays: Sequence[Played]) -> dict[str, float]:
    return {play.question: play.human for play in plays if play.human is not None}


def difficulty(people: Mapping[str, float]) -> dict[str, str]:
    """Thirds by the rate at which people solved them. Equal rates are in the same third: the one of their mean rank."""
    questions = sorted(people)
    ranks = midranks([-people[question] for question in questions])
    third = len(questions) / 3
    return {
        question: DIFFICULTIES[min(2, int((rank - 0.5) / third))]
        for question, rank in zip(questions, ranks, strict=True)
    }


def _rows(plays: Sequence[Played], diversity: Mapping[Drafts, int]) -> list[Row]:
    placed = [play for play in plays if play.drafts in diversity]
    parts = split(placed, lambda play: diversity[play.drafts])
    return [
        {"d": d, "strategy": strategy, **accuracy_figures(strategy_plays, "accuracy")}
        for d, part in sorted(parts.items())
        for strategy, strategy_plays in split(part, lambda play: play.strategy).items()
    ]


def _mean_rate(
    d: int, name: str, diversity: Mapping[Drafts, int], level: Mapping[str, str], people: Mapping[str, float]
) -> float:
    """Of the questions of this level that stand at this d, each once."""
    questions = {question for (question, _), number in diversity.items() if number == d and level.get(question) == name}
    return sum(people[question] for question in sorted(questions)) / len(questions)
