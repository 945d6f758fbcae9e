"""What an experiment has stored as a label matrix: its players' solo episodes, with the grades that they have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from moot.errors import UsageError
from moot.grade.ways import way_of
from moot.models.closest import closest
from moot.select.labels import LabelMatrix, Proposer, label_matrix, per_question
from moot.select.where import Condition, condition
from moot.store import queries
from moot.store.rows import placed_case, verdict_of
from moot.strategies import Traits
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
    remarks: tuple[str, ...] = ()
    """What these labels are not of, in words."""

    @property
    def ungraded(self) -> int:
        return 0 if self.labels.ungraded is None else int(self.labels.ungraded.sum())

    @property
    def open(self) -> bool:
        """Whether some of the questions have free answers, which may be right in other words."""
        return any(case.question.kind == "open" for case in self.cases.values())

    def without(self, models: Iterable[str]) -> StoredLabels:
        """Without the proposers of these models."""
        names = set(models)
        kept = [place for place, proposer in enumerate(self.labels.proposers) if proposer.model not in names]
        if not kept:
            raise UsageError("--without-own-model leaves no proposers: all of them are of the summariser's model")
        return replace(self, labels=self.labels.only(kept))


def stored_labels(
    connection: Connection, experiment: Mapping[str, Any], grader: str, where: Sequence[str] = ()
) -> StoredLabels:
    """The first repeat of every player's solo episodes; `where` keeps those of some players, on some questions."""
    config = json.loads(experiment["config"])
    of_proposers, of_questions = _conditions(where)
    cases = {row["question"]: placed_case(row) for row in queries.cases_of(connection, experiment["id"])}
    cases = {key: case for key, case in cases.items() if _all_hold(of_questions, _question_columns(case))}
    every = [cell for cell in queries.cells_of(connection, experiment["id"]) if _alone(cell)]
    solo = _one_way(every)
    if not solo:
        raise UsageError(f"{experiment['name']} has no solo episodes; add solo to its strategies and run it again")
    drafts: dict[tuple[str, str], Answer] = {}
    labels: dict[Proposer, dict[str, tuple[str | None, bool | None]]] = {}
    settled = False
    for cell in solo:
        proposer = _proposer(cell["player"], config["players"])
        if not _all_hold(of_proposers, _proposer_columns(proposer)):
            continue
        answers = labels.setdefault(proposer, {})
        for row in queries.results(connection, experiment["id"], cell["id"], grader):
            question = row["question"]
            if row["repeat"] or question not in cases:
                continue
            answers[question] = (row["answer"], None if row["value"] is None else row["value"] == 1.0)
            drafts[cell["player"], question] = verdict_of(row["verdict"]).answers[0]
            settled |= way_of(row["value"], row["stage"], waits=True) == "judge"
    if where and not (cases and labels):
        raise UsageError(f"--where {' --where '.join(where)} leaves no {'proposers' if cases else 'questions'}")
    played = _all_have(labels, cases)
    matrix = replace(_matrix(labels, played), clusters=_clusters(played))
    settled = settled or matrix.shared  # of choices the right one settles all others
    remarks = [*_told_apart(every, solo), *_left_out(labels, cases, played)]
    return StoredLabels(replace(matrix, settled=settled), played, drafts, tuple(remarks))


def _one_way(cells: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Of a player who answered alone in several ways one of them: in one call where there is that, else the first."""
    ways: dict[str, list[Mapping[str, Any]]] = {}
    for cell in cells:
        ways.setdefault(cell["player"], []).append(cell)
    return [min(several, key=_in_two_calls) for several in ways.values()]


def _in_two_calls(cell: Mapping[str, Any]) -> bool:
    return Traits.of_json(json.loads(cell["traits"] or "{}")).drafts != "single-call"


def _told_apart(every: Sequence[Mapping[str, Any]], taken: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if len(every) > len(taken):
        labels = ", ".join(dict.fromkeys(cell["label"] for cell in taken))
        yield f"players have answered alone in several ways; their labels are those of {labels}"


def _all_have(labels: Labels, cases: Mapping[str, Case]) -> dict[str, Case]:
    """The questions that every proposer has played: what was not asked, as in a run that is not over, is neither wrong nor
    right, and the questions of one may be the easier ones."""
    both = {question: case for question, case in cases.items() if all(question in own for own in labels.values())}
    if both:
        return both
    had = ", ".join(f"{proposer} {len(answers)}" for proposer, answers in labels.items())
    raise UsageError(
        f"no question was played by every player alone ({had}); finish the run, or leave some out: --where player!=NAME"
    )


def _left_out(labels: Labels, cases: Mapping[str, Case], kept: Mapping[str, Case]) -> Iterator[str]:
    if len(kept) == len(cases):
        return
    fewest = min(labels, key=lambda proposer: len(labels[proposer]))
    yield (
        f"{len(cases) - len(kept):,} of {len(cases):,} questions are left out, which not every player has played alone;"
        f" {fewest} has the fewest, {len(labels[fewest]):,}"
    )


def _clusters(cases: Mapping[str, Case]) -> dict[str, str]:
    """By question: what it hangs together with, as in reports."""
    named = {question: case for question, case in cases.items() if case.cluster is not None}
    return {question: f"{case.question_set or ''}/{case.cluster}" for question, case in named.items()}


def _conditions(where: Sequence[str]) -> tuple[list[Condition], list[Condition]]:
    every = [condition(text) for text in where]
    columns = (*OF_PROPOSERS, *OF_QUESTIONS)
    for wanted in every:
        if wanted.column not in columns:
            expected = f"expected one of {', '.join(columns)}{closest(wanted.column, columns)}"
            raise UsageError(f"--where {wanted.text}: an experiment has no column {wanted.column!r}; {expected}")
    of_proposers = [wanted for wanted in every if wanted.column in OF_PROPOSERS]
    return of_proposers, [wanted for wanted in every if wanted.column in OF_QUESTIONS]


def _all_hold(conditions: Iterable[Condition], row: Mapping[str, str | None]) -> bool:
    return all(wanted.holds(row) for wanted in conditions)


def _proposer_columns(proposer: Proposer) -> dict[str, str | None]:
    return {"player": proposer.name, "model": proposer.model, "prompt": proposer.prompt}


def _question_columns(case: Case) -> dict[str, str | None]:
    question = case.question
    own = {"question_id": question.id, "language": question.language, "kind": question.kind}
    return {**own, **{name: getattr(case, name) for name in OF_QUESTIONS if name not in own}}


def _alone(cell: Mapping[str, Any]) -> bool:
    return Traits.of_json(json.loads(cell["traits"] or "{}")).alone


def _proposer(player: str, players: Mapping[str, Mapping[str, Any]]) -> Proposer:
    spec = players.get(player, {"model": player})
    return Proposer(spec["model"], spec.get("instruction", ""), player)


def _matrix(labels: Labels, cases: Mapping[str, Case]) -> LabelMatrix:
    """Shared classes where all questions have choices and the grades say what the references say, as nearly always."""
    if not any(case.question.kind == "open" for case in cases.values()):
        truth = {question: _truth(labels, question, case) for question, case in cases.items()}
        said = {
            proposer: {question: _label(text) for question, (text, _) in answers.items()}
            for proposer, answers in labels.items()
        }
        choices = max((len(case.question.choices) or 2 for case in cases.values()), default=None)
        matrix = label_matrix(said, truth, choices=choices)
        if _graded_alike(matrix, labels):
            return matrix
    unknown = {question for question, case in cases.items() if not case.known}
    return per_question(labels, sorted(cases), unknown)


def _truth(labels: Labels, question: str, case: Case) -> str | None:
    """The reference; where there is none, what somebody has graded as right; None: nobody knows."""
    if case.known:
        return _label(case.answer) or UNKNOWN
    right = (answers[question][0] for answers in labels.values() if answers.get(question, (None, None))[1])
    return next((_label(text) for text in right), None)


def _graded_alike(matrix: LabelMatrix, labels: Labels) -> bool:
    """Whether a label is right exactly where its answer is graded so: a person may have said otherwise."""
    for place, proposer in enumerate(matrix.proposers):
        answers = labels[proposer]
        for column, question in enumerate(matrix.questions):
            text, graded = answers.get(question, (None, False))
            unknown = matrix.ungraded is not None and bool(matrix.ungraded[place, column])
            if text is not None and (graded is None) != unknown:
                return False
            if graded is not None and graded != bool(matrix.right[place, column]):
                return False
    return True


def _label(text: str | None) -> str | None:
    """A letter as it is; yes and no in one language."""
    return None if text is None else YES_NO.get(text.strip().casefold(), text)
