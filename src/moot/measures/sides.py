"""Every way of answering in an experiment as one option: its cells, and what they got right and paid, by question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from moot.experiment.side_names import cells_named as named_cells
from moot.experiment.side_names import several_teams, side_of_row
from moot.measures.cells import Stored
from moot.measures.draft_calls import DraftTable
from moot.measures.episodes import EpisodeOutline, marked_at_once
from moot.measures.question_costs import QuestionCosts, cell_costs, question_costs, without_cut
from moot.measures.quiz.played import UNPLAYED, Played, solos, split, values_by_question
from moot.measures.quiz.plays import plays_of
from moot.measures.source import Source
from moot.stats.crossfit import best
from moot.stats.graded import Value, known, least_of, mean_value
from moot.stats.shared_questions import SharedQuestions, shared_questions
from moot.stats.values import PlainMarks
from moot.types import ABSTAINED, FAILED


@dataclass(frozen=True, slots=True)
class SideResults:
    """One cell, or several as one: then each question counts by its mean over them."""

    title: str
    cells: tuple[Stored, ...]
    right: Mapping[str, float]
    """By question, over what is graded; a question of which nothing is graded is not here."""
    calls: Mapping[str, float]
    """By question, of all that were played: what was paid, and no measure of what one takes (`whole_calls`)."""
    cost_usd: Mapping[str, float] | None
    """None where the price of a single call is unknown."""
    open: Mapping[str, Value] = field(default_factory=dict)
    """The questions of which something is ungraded: mostly none."""
    once: bool = False
    """One cell that played every question once: its values are no means."""
    parts: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    """By cell, and then by question; empty where there is only one cell."""
    ungraded: Mapping[str, int] = field(default_factory=dict)
    """By question: how many answers no grader has settled; those without any are not here."""
    counted: Mapping[str, Value] = field(default_factory=dict)
    """The questions of which there is more to know than one mark: several answers, or one that a judge has seen."""
    left_out: frozenset[str] = frozenset()
    """Questions that only some of its cells have played: the mean of those would be another side's from question to question."""
    cut: frozenset[str] = frozenset()
    """Questions of which nobody knows what they take, as in `QuestionCosts`."""

    @property
    def whole_calls(self) -> Mapping[str, float]:
        """Of the questions of which it is known."""
        return without_cut(self.calls, self.cut)

    @property
    def whole_usd(self) -> Mapping[str, float] | None:
        return None if self.cost_usd is None else without_cut(self.cost_usd, self.cut)

    def marks(self, questions: Iterable[str]) -> Mapping[str, float | None]:
        """The value of each of these questions that it has played; None: ungraded."""
        if questions is self.calls and len(self.right) == len(self.calls):
            return self.right
        if (marks := _all_of(self.right, those := list(questions))) is not None:
            return marks
        return {question: self.right.get(question) for question in those if question in self.calls}

    def value(self, question: str) -> Value:
        """What it was not asked, be it because the run is not over or because nobody planned it, nobody knows."""
        if question in self.counted:
            return self.counted[question]
        right = self.right.get(question)
        return UNPLAYED if right is None else Value(right, right, right)

    def values_of(self, cell: Stored) -> Mapping[str, Value]:
        """What one of its cells got right, by question."""
        return self.parts[cell["id"]] if self.parts else self.values(self.calls)

    def values(self, asked: Iterable[str]) -> Mapping[str, Value]:
        """Of those that it has played."""
        if not self.counted and len(self.right) == len(self.calls):
            right, those = self.right, list(asked)
            marks = _all_of(right, those)
            return PlainMarks(
                {question: right[question] for question in those if question in right} if marks is None else marks
            )
        return {question: self.value(question) for question in asked if question in self.calls}

    @property
    def alone(self) -> bool:
        return all(cell["player"] for cell in self.cells)

    @property
    def seats(self) -> str:
        """What its cells are, in one word: all of them are of one team."""
        if self.alone:
            return "players"
        return "captains" if any(cell["captain"] for cell in self.cells) else "cohorts"

    @property
    def first(self) -> Stored:
        return self.cells[0]


def _all_of(right: Mapping[str, float], questions: Sequence[str]) -> dict[str, float] | None:
    """The marks of these questions, where each has one: nearly always, and there may be hundreds of thousands."""
    marks = list(map(right.get, questions))
    return None if None in marks else cast(dict[str, float], dict(zip(questions, marks, strict=True)))


def title_of(cell: Stored, *, team: bool = False) -> str:
    """``talkative@ann``; a table of one cohort has its name behind it. `team`: the team's stands before it."""
    return str(side_of_row(cell, team=team))


def sides(source: Source, cells: Sequence[Stored]) -> dict[str, SideResults]:
    """An option for each cell, by its title; where several teams play, as ``three/talkative@ann``."""
    several = several_teams(cells)
    titles = [title_of(cell, team=several) for cell in cells]
    return {title: side_of(source, [cell], title) for title, cell in zip(titles, cells, strict=True)}


def cells_named(text: str, cells: Sequence[Stored]) -> list[Stored]:
    """The cells that ``three/talkative@ann`` or ``talkative`` speaks of. Raises a `ClaimError` that says what there is."""
    return [cast(Stored, cell) for cell in named_cells(text, cells)]


def side_of(source: Source, cells: Sequence[Stored], title: str) -> SideResults:
    """Several cells as one option: the mean over all of them, on the questions that all have played."""
    seen, left_out = _of_all([source.seen(cell) for cell in cells])
    costs = cell_costs(source, cells[0]) if len(cells) == 1 else question_costs(source, seen)
    if len(cells) == 1 and len(seen) == len(costs.calls):
        return _once(seen, costs, cells[0], title)
    parts = _values_by_cell(cells, seen)
    values = _means_of(parts)
    partly = {question: value for question, value in values.items() if value.open}
    return SideResults(
        title,
        tuple(cells),
        known(values),
        costs.calls,
        costs.usd,
        partly,
        parts=parts,
        ungraded=_ungraded_answers(seen),
        counted=values,
        left_out=left_out,
        cut=costs.cut,
    )


def _of_all(by_cell: Sequence[Sequence[EpisodeOutline]]) -> tuple[Sequence[EpisodeOutline], frozenset[str]]:
    """The episodes of those plays that every cell has, and the questions that have no such play."""
    if len(by_cell) < 2:
        return by_cell[0] if by_cell else (), frozenset()
    every = [episode for seen in by_cell for episode in seen]
    plays = set.intersection(*({(episode.key[0], episode.repeat) for episode in seen} for seen in by_cell))
    kept = [episode for episode in every if (episode.key[0], episode.repeat) in plays]
    return kept, frozenset(episode.key[0] for episode in every) - {question for question, _ in plays}


def _once(seen: Sequence[EpisodeOutline], costs: QuestionCosts, cell: Stored, title: str) -> SideResults:
    """One cell that played every question once: there are no means to take."""
    if (at_once := marked_at_once(seen)) is not None:
        return SideResults(title, (cell,), at_once, costs.calls, costs.usd, once=True, cut=costs.cut)
    right = {episode.key[0]: episode.right for episode in seen if episode.right is not None}
    ungraded = {episode.key[0]: episode.value for episode in seen if episode.right is None}
    counted = {
        episode.key[0]: episode.value
        for episode in seen
        if episode.way != "at once" or episode.outcome in (ABSTAINED, FAILED)
    }
    counts = dict.fromkeys(ungraded, 1)
    return SideResults(
        title,
        (cell,),
        right,
        costs.calls,
        costs.usd,
        ungraded,
        once=True,
        ungraded=counts,
        counted=counted,
        cut=costs.cut,
    )


def _values_by_cell(cells: Sequence[Stored], seen: Sequence[EpisodeOutline]) -> dict[str, dict[str, Value]]:
    """By cell and question, over repeats."""
    grades: dict[tuple[str, str], list[Value]] = {}
    for episode in seen:
        grades.setdefault((episode.cell["id"], episode.key[0]), []).append(episode.value)
    parts: dict[str, dict[str, Value]] = {cell["id"]: {} for cell in cells}
    for (cell, question), several in grades.items():
        parts[cell][question] = mean_value(several)
    return parts


def _means_of(parts: Mapping[str, Mapping[str, Value]]) -> dict[str, Value]:
    """Repeats of a cell first, then cells: a cell that was played oftener has no louder voice."""
    values: dict[str, list[Value]] = {}
    for by_question in parts.values():
        for question, value in by_question.items():
            values.setdefault(question, []).append(value)
    return {question: mean_value(several) for question, several in values.items()}


def _ungraded_answers(seen: Sequence[EpisodeOutline]) -> Counter[str]:
    return Counter(episode.key[0] for episode in seen if episode.right is None)


def ranked(options: Mapping[str, SideResults]) -> SharedQuestions:
    """Which of these can be ranked beside each other, and on which questions."""
    return shared_questions({title: side.calls for title, side in options.items()})


def highest(options: Mapping[str, SideResults]) -> str | None:
    """Who got most right of the questions that they share, by the least that each can be; of equals the cheaper."""
    asked = set[str]().union(*(side.calls for side in options.values()))
    return best(
        {title: side.marks(side.calls) for title, side in options.items()},
        asked,
        costs={title: side.whole_calls for title, side in options.items()},
        least={title: least_of(side.open) for title, side in options.items()},
    )


def pairs_of(one: SideResults, other: SideResults) -> dict[str, list[tuple[Value, Value]]]:
    """The two sides on the questions that both played, captain by captain: see `partners`.

    The one way in which two sides are compared: by `stats.graded`, each question then counts by the mean of those of its
    pairs of which both answers are graded. The means of whoever is graded on either side are no pairs: they may be of
    different captains.
    """
    pairs: dict[str, list[tuple[Value, Value]]] = {}
    for first, second in partners(one.cells, other.cells):
        values, beside = one.values_of(first), other.values_of(second)
        for question, value in values.items():
            if question in beside:
                pairs.setdefault(question, []).append((value, beside[question]))
    return dict(sorted(pairs.items()))


def partners(one: Sequence[Stored], other: Sequence[Stored]) -> list[tuple[Stored, Stored]]:
    """Like with like: under several captains each is compared with itself, and alone a player stands for itself as captain.

    A single cell is compared with all that the other side names; so is everybody where nobody is on both sides.
    """
    every = [(first, second) for first in one for second in other]
    alike = [(first, second) for first, second in every if _same_seat(first, second)]
    return every if len(one) == 1 or len(other) == 1 or not alike else alike


def _same_seat(first: Stored, second: Stored) -> bool:
    if (first["player"] or first["captain"]) != (second["player"] or second["captain"]):
        return False
    if first["player"] or second["player"]:
        return True
    return (first["team"], first.get("cohort")) == (second["team"], second.get("cohort"))


def alone_by_player(source: Source, table: DraftTable) -> dict[str, dict[str, Value]]:
    """What each player at a table got right by itself, from where it played alone or else from its drafts."""
    return values_by_player(solos(plays_of(source, table)))


def values_by_player(alone: Sequence[Played]) -> dict[str, dict[str, Value]]:
    return {
        player: values_by_question(of_player) for player, of_player in split(alone, lambda play: play.player).items()
    }


def why_unplayed(source: Source, cells: Sequence[Stored]) -> str:
    """Why there is nothing of a side that a figure could be of."""
    if any(source.whole.seen(cell) for cell in cells if source.chosen_on(cell)):
        return "every question that it has played is one that it was chosen on, or that its rule was learnt on"
    return "it has not been played yet"
