"""Disagreement as a signal: how each strategy does where the players gave d different answers.

Also whether d is only another word for difficulty: the same within thirds of the questions by how people did, and the
rank correlation of d with the human rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from moot.measures.quiz.answer_counts import AnswerCounts, answer_counts, unplaced_row, unplaced_words
from moot.measures.quiz.played import (
    Played,
    accuracy_figures,
    level_strategies,
    of_all,
    pairs_by_captain,
    pairs_on,
    repeated,
    split,
    teams,
)
from moot.stats.counted_words import count
from moot.stats.estimates import Row
from moot.stats.graded_pairs import apart_row
from moot.stats.rank import midranks, spearman_over_questions

DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class Curve:
    """Accuracy by d; `left_out` counts the questions of which it could not place a play."""

    rows: list[Row]
    left_out: int


def diversity_curve(plays: Sequence[Played]) -> Curve:
    """A row for each d and strategy: how many questions, and the accuracy, the mean over captains of each question.

    With repeats a question stands at the d of each, by the plays that rest on those drafts. Drafts whose groups are not
    known, nobody having answered, have no d. Where some questions may stand at a d and nobody knows, its rows have bounds
    only.
    """
    counts = answer_counts(plays)
    return Curve(
        _rows(level_strategies(plays), counts), len({play.question for play in plays if not counts.known(play)})
    )


def diversity_by_captain(plays: Sequence[Played]) -> list[Row]:
    """The curve of each captain by itself: a row for each d, strategy and captain."""
    counts = answer_counts(plays)
    led = split(
        [play for play in teams(plays) if play.captain is not None], lambda play: (play.strategy, str(play.captain))
    )
    rows = [
        {"d": d, "label": label, "captain": captain, **figures}
        for (label, captain), captain_plays in led.items()
        for d, figures in _by_number(captain_plays, counts)
    ]
    return sorted(rows, key=lambda row: (row["d"], row["label"], row["captain"]))


def talk_by_diversity(plays: Sequence[Played], talking: Sequence[str], voting: Sequence[str]) -> list[Row]:
    """Whoever hears reasons less who counts, where the players gave d answers: each captain, then all of them (None).

    `talking` and `voting`: the strategies that do, by their labels.
    """
    counts = answer_counts(plays)
    led = [play for play in teams(plays) if play.captain is not None]
    rows: list[Row] = []
    for talk, vote in product(talking, voting):
        arms = [[play for play in led if play.strategy == label] for label in (talk, vote)]
        for d in sorted(set(counts.sure.values())):
            surely = [[play for play in arm if counts.sure.get(play.drafts) == d] for arm in arms]
            perhaps = [[play for play in arm if counts.may_be(play, d)] for arm in arms]
            rows += [{"d": d, "a": talk, "b": vote, **row} for row in _captains_compared(surely, perhaps)]
    return rows


def _captains_compared(surely: Sequence[Sequence[Played]], perhaps: Sequence[Sequence[Played]]) -> list[Row]:
    """Two arms at one d, on what surely stands there; nothing where both have played what only may."""
    sides = [split(plays, lambda play: play.captain) for plays in surely]
    shared = [captain for captain in sides[0] if captain in sides[1]]
    rows: list[Row] = []
    for captain in shared:
        pooled = any(repeated(side[captain]) for side in sides)
        pairs = pairs_on(sides[0][captain], sides[1][captain])
        unplaced = _unplaced([[play for play in arm if play.captain == captain] for arm in perhaps])
        rows.append({"captain": captain, **_unless(unplaced, apart_row({} if unplaced else pairs, pooled=pooled))})
    if len(shared) > 1:
        unplaced = _unplaced([[play for play in arm if play.captain in shared] for arm in perhaps])
        led = [of_all([play for play in arm if play.captain in shared]) for arm in surely]
        pairs = {} if unplaced else pairs_by_captain(*led)
        rows.append({"captain": None, **_unless(unplaced, apart_row(pairs, pooled=True))})
    return rows


def _unplaced(arms: Sequence[Sequence[Played]]) -> int:
    """Questions that both have played on drafts that may stand here, and nobody knows."""
    return len({question for question, _ in set.intersection(*({play.drafts for play in arm} for arm in arms))})


def _unless(unplaced: int, row: Row) -> Row:
    return {**row, "unplaced": unplaced, "why": unplaced_words(unplaced)} if unplaced else row


def diversity_by_difficulty(plays: Sequence[Played]) -> Curve:
    """The same within easy, medium and hard questions; each row also has the mean human rate of its questions.

    Left out are the questions without a human rate or without groups.
    """
    counts, people = answer_counts(plays), human_rates(plays)
    level = difficulty(people)
    rows: list[Row] = []
    complete = level_strategies(plays)
    for name in DIFFICULTIES:
        of_level = [play for play in complete if level.get(play.question) == name]
        by_label = split(of_level, lambda play: play.strategy)
        rows += [
            {"difficulty": name, **row, "human": _mean_rate(row["d"], by_label[row["label"]], counts, people)}
            for row in _rows(of_level, counts)
        ]
    left_out = {play.question for play in plays if not counts.known(play) or play.question not in level}
    return Curve(rows, len(left_out))


def diversity_and_people(plays: Sequence[Played]) -> Row | None:
    """Spearman of d with the human rate, over the questions that have both; with repeats d is their mean.

    Not told where d of some such question is open: those on which all were heard are no sample of the others.
    """
    counts, people = answer_counts(plays), human_rates(plays)
    by_question: dict[str, list[int]] = {}
    for (question, _), d in counts.sure.items():
        by_question.setdefault(question, []).append(d)
    diversity = {question: sum(several) / len(several) for question, several in by_question.items()}
    if unplaced := len({question for question, _ in counts.open if question in people}):
        why = f"of {count(unplaced, 'question')} nobody knows how many answers there were: not every one is known"
        return {"rho": None, "low": None, "high": None, "n": 0, "p": None, "why": why}
    both = sorted(diversity.keys() & people.keys())
    found = spearman_over_questions({question: (float(diversity[question]), people[question]) for question in both})
    return None if found is None else found.row()


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


def _rows(plays: Sequence[Played], counts: AnswerCounts) -> list[Row]:
    rows = [
        {"d": d, "label": label, **figures}
        for label, strategy_plays in split(plays, lambda play: play.strategy).items()
        for d, figures in _by_number(strategy_plays, counts)
    ]
    return sorted(rows, key=lambda row: row["d"])


def _by_number(plays: Sequence[Played], counts: AnswerCounts) -> Iterator[tuple[int, Row]]:
    """An accuracy for each d that something surely stands at; no figure where something else may."""
    for d, surely in split(
        [play for play in plays if counts.known(play)], lambda play: counts.sure[play.drafts]
    ).items():
        perhaps = [play for play in plays if counts.may_be(play, d)]
        yield d, unplaced_row(surely, perhaps, "accuracy") if perhaps else accuracy_figures(surely, "accuracy")


def _mean_rate(d: int, plays: Sequence[Played], counts: AnswerCounts, people: Mapping[str, float]) -> float | None:
    """Of those questions of these plays that stand at this d, each once; None where others may stand there too."""
    if any(counts.may_be(play, d) for play in plays):
        return None
    questions = {play.question for play in plays if counts.sure.get(play.drafts) == d}
    return sum(people[question] for question in sorted(questions)) / len(questions)
