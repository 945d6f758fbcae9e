"""Disagreement as a signal: how each strategy does where the players gave d different answers.

Also whether d is only another word for difficulty: the same within thirds of the questions by how people did, and the
rank correlation of d with the human rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.measures.quiz.played import Played, accuracy_figures, diversity_of, split
from moot.stats.estimates import Row
from moot.stats.rank import Correlation, midranks, spearman_over_questions

DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class Curve:
    """Accuracy by d; `left_out` counts the questions it could not place."""

    rows: list[Row]
    left_out: int


def diversity_curve(plays: Sequence[Played]) -> Curve:
    """A row for each d and strategy: how many questions, and the accuracy, the mean over captains of each question.

    Questions whose groups are not known, nobody having answered, have no d.
    """
    diversity = diversity_of(plays)
    questions = {play.question for play in plays}
    return Curve(_rows(plays, diversity), len(questions - diversity.keys()))


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
    questions = {play.question for play in plays}
    return Curve(rows, len(questions - (diversity.keys() & level.keys())))


def diversity_and_people(plays: Sequence[Played]) -> Correlation | None:
    """Spearman of d with the human rate, over the questions that have both."""
    diversity, people = diversity_of(plays), human_rates(plays)
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


def _rows(plays: Sequence[Played], diversity: Mapping[str, int]) -> list[Row]:
    placed = [play for play in plays if play.question in diversity]
    parts = split(placed, lambda play: diversity[play.question])
    return [
        {"d": d, "strategy": strategy, **accuracy_figures(strategy_plays, "accuracy")}
        for d, part in sorted(parts.items())
        for strategy, strategy_plays in split(part, lambda play: play.strategy).items()
    ]


def _mean_rate(
    d: int, name: str, diversity: Mapping[str, int], level: Mapping[str, str], people: Mapping[str, float]
) -> float:
    rates = [people[question] for question in level if level[question] == name and diversity.get(question) == d]
    return sum(rates) / len(rates)
