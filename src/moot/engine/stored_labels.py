"""What an experiment has stored as a label matrix: its players' episodes alone, with the grades that they have."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection

from moot.data.clusters import clusters_of, dealing_names
from moot.engine.alone_plays import OF_WAYS, LabelOrigin, in_common, one_way, played_alone, way_columns
from moot.errors import UsageError
from moot.grade.ways import way_of
from moot.later import numpy as np
from moot.models.closest import closest
from moot.models.cut_out import was_cut
from moot.select.labels import AnswerAlone, Floats, LabelMatrix, Proposer, label_matrix, per_question
from moot.select.where import Condition, condition
from moot.store import queries
from moot.store.rows import config_of, placed_case, verdict_of
from moot.team.final_line.letters import YES_NO
from moot.types import UNKNOWN, Answer, Case

Labels = Mapping[Proposer, Mapping[str, tuple[str | None, bool | None]]]
"""By proposer and question: the answer, and whether it is right; None: nobody has graded it."""

OF_PROPOSERS = ("player", "model", "prompt")
OF_QUESTIONS = ("question_id", "category", "package", "language", "kind", "question_set", "cluster", "difficulty")


@dataclass(frozen=True, slots=True)
class StoredLabels:
    """What the players of an experiment said, alone: as labels, and in their words."""

    labels: LabelMatrix
    cases: Mapping[str, Case]
    """By the digest of the question: a file of several sets may have an id twice."""
    drafts: Mapping[tuple[str, str], Answer]
    """By player and question."""
    plays: Mapping[str, Mapping[str, Sequence[AnswerAlone]]]
    """By player and question: every repeat."""
    origin: LabelOrigin

    @property
    def ungraded(self) -> int:
        return 0 if self.labels.ungraded is None else int(self.labels.ungraded.sum())

    @property
    def wordings(self) -> dict[str, str]:
        return {question: case.question.wording for question, case in self.cases.items()}

    @property
    def open(self) -> bool:
        """Whether some of the questions have free answers, which may be right in other words."""
        return any(not case.question.is_closed for case in self.cases.values())


def stored_labels(
    connection: Connection,
    experiment: Mapping[str, Any],
    grader: str,
    where: Sequence[str] = (),
    *,
    without: Collection[str] = (),
    reads: str | None = None,
) -> StoredLabels:
    """The first repeat of every player's episodes alone, on the questions that all of them have played.

    `where` keeps those of some players, on some questions; `without`: models whose players are left out; `reads`: the
    drafts that a summariser would be shown.
    """
    config = config_of(experiment)
    wanted = _Wanted.of(where)
    cases = {row["question"]: placed_case(row) for row in queries.cases_of(connection, experiment["id"])}
    cases = {key: case for key, case in cases.items() if wanted.question(case)}
    solo = [cell for cell in queries.cells_of(connection, experiment["id"]) if played_alone(cell)]
    if not solo:
        raise UsageError(f"{experiment['name']} has no solo episodes; add solo to its strategies and run it again")
    proposers = {cell["player"]: _proposer(cell["player"], config["players"]) for cell in solo}
    solo = [cell for cell in solo if wanted.cell(cell, proposers[cell["player"]])]
    if reads is None and (in_points := next((case for case in cases.values() if case.rubric), None)) is not None:
        why = f"question {in_points.question.id!r} wants a long answer, and no two of these are one label"
        expected = "expected --where kind=open or choice, or --summariser, which writes one answer from several"
        raise UsageError(f"{experiment['name']}: {why}; {expected}")
    if where and not (cases and solo):
        raise UsageError(f"--where {' --where '.join(where)} leaves no {'proposers' if cases else 'questions'}")
    solo = [cell for cell in solo if proposers[cell["player"]].model not in without]
    if not solo:
        raise UsageError("--without-own-model leaves no proposers: all of them are of the summariser's model")
    cells, others = one_way(solo, reads)
    heard = _heard(connection, experiment["id"], cells, cases, grader)
    said = heard.said
    first = {
        player: {question for question, own in of_player.items() if 0 in own} for player, of_player in said.items()
    }
    kept = in_common(first, cases)
    asked = {question: cases[question] for question in kept.questions}
    plays = {
        player: {
            question: [of_player[question][repeat] for repeat in sorted(of_player[question])] for question in asked
        }
        for player, of_player in said.items()
        if player in kept.names
    }
    repeats = 1 + max(repeat for player in plays for question in asked for repeat in said[player][question])
    left_out = len(cases) - len(asked)
    origin = LabelOrigin(cells[0]["label"], others, left_out, kept.left_out, repeats, tuple(sorted(heard.never)))
    firsts = {
        proposers[player]: {name: own[0] for name, own in of_player.items()} for player, of_player in plays.items()
    }
    matrix = _matrix(firsts, asked)
    settled = heard.settled or all(
        case.question.is_closed for case in asked.values()
    )  # of choices the right one settles all
    return StoredLabels(
        replace(matrix, clusters=clusters_of(asked.items()), settled=settled), asked, heard.drafts, plays, origin
    )


@dataclass(slots=True)
class _Heard:
    """What the players said alone."""

    said: dict[str, dict[str, dict[int, AnswerAlone]]] = field(default_factory=dict)
    """By player, question and repeat."""
    drafts: dict[tuple[str, str], Answer] = field(default_factory=dict)
    settled: bool = False
    """Some of it by a judge."""
    never: list[str] = field(default_factory=list)
    """Players of whom every answer failed: they are no proposers."""


def _heard(
    connection: Connection, experiment: str, cells: Sequence[Mapping[str, Any]], cases: Mapping[str, Case], grader: str
) -> _Heard:
    heard = _Heard()
    for cell in cells:
        player = cell["player"]
        rows = list(queries.results(connection, experiment, cell["id"], grader))
        if rows and all(row["outcome"] == "failed" for row in rows):
            heard.never.append(player)
            continue
        own = heard.said.setdefault(player, {})
        for row in rows:
            if (question := row["question"]) in cases:
                own.setdefault(question, {})[row["repeat"]] = AnswerAlone(row["answer"], row["value"])
                heard.settled |= way_of(row["value"], row["stage"], waits=True) == "judge"
                if row["repeat"] == 0:
                    heard.drafts[player, question] = _draft(player, row)
    if not heard.said:
        whose = " and of ".join(heard.never)
        raise UsageError(f"every answer of {whose} failed; moot doctor says why, then run the experiment again")
    return heard


def _draft(player: str, row: Mapping[str, Any]) -> Answer:
    """As a summariser reads it. A strategy of somebody else's may leave no draft beside its answer."""
    drafts = verdict_of(row["verdict"]).answers
    return drafts[0] if drafts else Answer(player, row["answer"], outcome=row["outcome"])


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What `--where` keeps."""

    of_proposers: list[Condition]
    of_ways: list[Condition]
    of_questions: list[Condition]

    @classmethod
    def of(cls, where: Sequence[str]) -> _Wanted:
        every = [condition(text) for text in where]
        columns = (*OF_PROPOSERS, *OF_WAYS, *OF_QUESTIONS)
        for wanted in every:
            if wanted.column not in columns:
                expected = f"expected one of {', '.join(columns)}{closest(wanted.column, columns)}"
                raise UsageError(f"--where {wanted.text}: an experiment has no column {wanted.column!r}; {expected}")
        parts = (OF_PROPOSERS, OF_WAYS, OF_QUESTIONS)
        return cls(*([wanted for wanted in every if wanted.column in part] for part in parts))

    def cell(self, cell: Mapping[str, Any], proposer: Proposer) -> bool:
        of_proposer = _all_hold(self.of_proposers, _proposer_columns(proposer))
        return of_proposer and _all_hold(self.of_ways, way_columns(cell))

    def question(self, case: Case) -> bool:
        return _all_hold(self.of_questions, _question_columns(case))


def _all_hold(conditions: Iterable[Condition], row: Mapping[str, str | None]) -> bool:
    return all(wanted.holds(row) for wanted in conditions)


def _proposer_columns(proposer: Proposer) -> dict[str, str | None]:
    return {"player": proposer.name, "model": proposer.model, "prompt": proposer.prompt}


def _question_columns(case: Case) -> dict[str, str | None]:
    question = case.question
    own = {"question_id": question.id, "language": question.language, "kind": question.kind}
    return {**own, **{name: getattr(case, name) for name in OF_QUESTIONS if name not in own}}


def _proposer(player: str, players: Mapping[str, Mapping[str, Any]]) -> Proposer:
    spec = players.get(player, {"model": player})
    return Proposer(spec["model"], spec.get("instruction", ""), player)


def _dealt(matrix: LabelMatrix, cases: Mapping[str, Case]) -> LabelMatrix:
    """In an order that does not hang on that of the choices: questions are drawn into parts by their places."""
    names = dealing_names((question, cases[question]) for question in matrix.questions)
    if not names:
        return matrix
    order = sorted(range(matrix.size), key=lambda place: names.get(matrix.questions[place], matrix.questions[place]))
    return matrix.at(np.array(order, dtype=np.intp))


def _matrix(said: Mapping[Proposer, Mapping[str, AnswerAlone]], cases: Mapping[str, Case]) -> LabelMatrix:
    """Shared classes where all questions have choices and the grades say what the references say, as nearly always."""
    labels: Labels = {
        proposer: {
            question: (each.answer, None if each.grade is None else each.grade == 1.0) for question, each in own.items()
        }
        for proposer, own in said.items()
    }
    in_parts = any(each.grade not in (None, 0.0, 1.0) for own in said.values() for each in own.values())
    if not in_parts and all(case.question.is_closed for case in cases.values()):
        truth = {question: _truth(labels, question, case) for question, case in cases.items()}
        words = {
            proposer: {question: _label(text) for question, (text, _) in answers.items()}
            for proposer, answers in labels.items()
        }
        choices = max((len(case.question.choices) or 2 for case in cases.values()), default=None)
        matrix = label_matrix(words, truth, choices=choices)
        if _graded_alike(matrix, labels):
            return _dealt(matrix, cases)
    unknown = {question for question, case in cases.items() if not case.known}
    cut = {question for own in labels.values() for question, (text, _) in own.items() if was_cut(text)}
    matrix = _dealt(per_question(_told_of_none(labels, cut), sorted(cases), unknown | cut), cases)
    return replace(matrix, marks=_marks(said, matrix)) if in_parts else matrix


def _told_of_none(labels: Labels, questions: Collection[str]) -> Labels:
    """With no grade of any answer to these: somebody's has lost a part, so nobody knows what a vote of several comes to."""
    if not questions:
        return labels
    return {
        proposer: {name: (text, None if name in questions else right) for name, (text, right) in own.items()}
        for proposer, own in labels.items()
    }


def _marks(said: Mapping[Proposer, Mapping[str, AnswerAlone]], matrix: LabelMatrix) -> Floats:
    worth = [[said[proposer][question].grade or 0.0 for question in matrix.questions] for proposer in matrix.proposers]
    return np.array(worth)


def _truth(labels: Labels, question: str, case: Case) -> str | None:
    """The reference; where there is none, what somebody has graded as right; None: nobody knows."""
    if case.known:
        return _label(case.answer) or UNKNOWN
    right = (answers[question][0] for answers in labels.values() if answers[question][1])
    return next((_label(text) for text in right), None)


def _graded_alike(matrix: LabelMatrix, labels: Labels) -> bool:
    """Whether a label is right exactly where its answer is graded so: a person may have said otherwise."""
    for place, proposer in enumerate(matrix.proposers):
        answers = labels[proposer]
        for column, question in enumerate(matrix.questions):
            text, graded = answers[question]
            unknown = matrix.ungraded is not None and bool(matrix.ungraded[place, column])
            if text is not None and (graded is None) != unknown:
                return False
            if graded is not None and graded != bool(matrix.right[place, column]):
                return False
    return True


def _label(text: str | None) -> str | None:
    """A letter as it is; yes and no in one language."""
    return None if text is None else YES_NO.get(text.strip().casefold(), text)
