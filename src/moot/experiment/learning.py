"""Strategies that learn, in the plan: what they learn from is asked for by the run itself, whatever else is in the file.

A cell that learns decides by the graded drafts of the other questions. So the plan holds, beside the cells of the file,
those of its players alone: they are played and graded first, under the very identity that they would have as a baseline
of the file, so nothing is asked twice. Questions and grader are part of what a learning cell is. What an episode was
decided from stands in its traces (`DecidedFrom`), and an episode whose lessons have changed is decided again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from moot.data import Dataset
from moot.errors import UsageError
from moot.experiment.enough_questions import nothing_to_learn
from moot.experiment.plan import Cell, Plan
from moot.experiment.spec import ExperimentFile
from moot.grade.grading import Grading
from moot.strategies import Strategy, Traits, traits_of
from moot.strategies.alone import WAYS, alone
from moot.strategies.option_meanings import meanings_named
from moot.types import digest


def with_lessons(cells: Iterable[Cell], dataset: Dataset | None, grading: Grading) -> tuple[Cell, ...]:
    """Cells that learn decide by the graded drafts of the other questions: so questions and grader are part of them."""
    questions = None if dataset is None else [dataset.fingerprint, sorted(dataset.chosen or ())]
    lessons = ["lessons", questions, grading.name]
    return tuple(replace(cell, id=digest([cell.id, lessons])) if cell.traits.learns else cell for cell in cells)


def taught_by(
    file: ExperimentFile,
    position: int,
    played: Strategy,
    dataset: Dataset | None,
    traits: Traits,
    *,
    by_verdicts: bool = False,
) -> Strategy | None:
    """The strategy whose plays are the lessons of this one, or a complaint where there can be no lessons.

    `traits`: of the strategy as it is played here. `by_verdicts`: its own graded verdicts teach, so that it need not have
    drafts; None where it has none.
    """
    key, way = ("strategies", position), traits.drafts
    native = alone(way)
    own_alone = by_verdicts and way is None
    if native is None and not own_alone:
        promised = "promises none" if way is None else f"promises them as {way!r}, which a run cannot ask for"
        expected = f"expected drafts: {', '.join(WAYS)} in its traits"
        raise file.error(key, f"{played.name} learns from drafts, and {promised}; {expected}")
    if dataset is not None and (missing := nothing_to_learn(dataset, traits.fewest_lessons)) is not None:
        problem = f"{played.name} learns from {'its graded verdicts on' if own_alone else 'the graded drafts of'} other questions"
        raise file.error(key, f"{problem}; {missing}")
    return native


def refuse_learners(plan: Plan) -> None:
    """One question at a time has no graded drafts of others."""
    for cell in plan.cells:
        if cell.traits.learns:
            raise UsageError(why_not_alone(cell))


def askable(plan: Plan) -> Plan:
    """What can be asked one question at a time: without what learns in a run, which is refused where nothing else is there."""
    able = tuple(cell for cell in plan.cells if not cell.traits.learns)
    if not able:
        refuse_learners(plan)
    return replace(plan, cells=able)


def why_not_alone(cell: Cell) -> str:
    learns = cell.abstain is None or traits_of(cell.strategy).learns
    return refused_alone(cell.label) if learns else _sure_alone(cell.label)


def _sure_alone(label: str) -> str:
    return (
        f"{label} learns how sure it is from graded drafts of other questions, and here is one at a time; expected moot run, or "
        "what was learnt in a file: moot fit FILE -o rule.json, then rule: rule.json of the team (teams: {NAME: {players: [...], "
        "rule: rule.json}})"
    )


def refused_alone(label: str) -> str:
    """What takes a rule from a file is told to; the place of all others is taken by one that does."""
    name = label.partition("(")[0]
    told = any(meaning.rule for meaning in meanings_named(name).values())
    instead = f"{name}: {{from: rule.json}}" if told else "learnt: {from: rule.json} in its place"
    return (
        f"{label} learns from graded drafts of other questions, and here is one at a time; expected moot run, or what was"
        f" learnt in a file: moot fit FILE -o rule.json, then {instead}"
    )
