"""Choosing proposers from what an experiment has stored: its players' labels, and its summariser as the oracle.

The players' solo episodes are the label matrix. Where a summariser is named it is asked about teams of their stored
drafts, through the run's own chain of cache, retry, limit and budget, so that nothing is paid for twice.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from sqlalchemy import Connection

from moot.engine.grading import StoredGrading
from moot.errors import CallError, UsageError
from moot.experiment.selected import with_selection
from moot.experiment.spec import ExperimentFile
from moot.models.closest import closest
from moot.models.model import Model
from moot.select.labels import Halves, LabelMatrix, Proposer, label_matrix, per_question
from moot.select.oracle import AskedOracle
from moot.select.trial import OracleMaker, Summarisers
from moot.store import queries
from moot.store.rows import case_of, verdict_of
from moot.strategies import Traits, strategy
from moot.strategies.mixture.mixture import SUMMARISER, Mixture
from moot.team import Player, Team
from moot.team.final_line.letters import YES_NO
from moot.types import UNKNOWN, Answer, Case, Verdict


@dataclass(frozen=True, slots=True)
class StoredLabels:
    """What the players of an experiment said, alone: as labels, and in their words."""

    labels: LabelMatrix
    cases: Mapping[str, Case]
    drafts: Mapping[tuple[str, str], Answer]
    """By player and question id."""
    ungraded: int = 0

    @property
    def open(self) -> bool:
        """Whether some of the questions have free answers, which may be right in other words."""
        return any(case.question.kind == "open" for case in self.cases.values())


def stored_labels(connection: Connection, experiment: Mapping[str, Any], grader: str) -> StoredLabels:
    """The first repeat of every player's solo episodes."""
    config = json.loads(experiment["config"])
    cases = {row["question"]: case_of(row["content"]) for row in queries.cases_of(connection, experiment["id"])}
    solo = [cell for cell in queries.cells_of(connection, experiment["id"]) if _alone(cell)]
    if not solo:
        raise UsageError(f"{experiment['name']} has no solo episodes; add solo to its strategies and run it again")
    drafts: dict[tuple[str, str], Answer] = {}
    answers_by_proposer: dict[Proposer, dict[str, tuple[str | None, bool]]] = {}
    ungraded = 0
    for cell in solo:
        proposer = _proposer(cell["player"], config["players"])
        answers = answers_by_proposer.setdefault(proposer, {})
        for row in queries.results(connection, experiment["id"], cell["id"], grader):
            if row["repeat"]:
                continue
            question = cases[row["question"]].question.id
            answers[question] = (row["answer"], row["value"] == 1.0)
            ungraded += row["value"] is None
            drafts[cell["player"], question] = verdict_of(row["verdict"]).answers[0]
    by_id = {case.question.id: case for case in cases.values()}
    return StoredLabels(_matrix(answers_by_proposer, by_id), by_id, drafts, ungraded)


def _alone(cell: Mapping[str, Any]) -> bool:
    return Traits.of_json(json.loads(cell["traits"] or "{}")).alone


def _proposer(player: str, players: Mapping[str, Mapping[str, Any]]) -> Proposer:
    spec = players.get(player, {"model": player})
    return Proposer(spec["model"], spec.get("instruction", ""), player)


def _matrix(
    answers_by_proposer: Mapping[Proposer, Mapping[str, tuple[str | None, bool]]], cases: Mapping[str, Case]
) -> LabelMatrix:
    if any(case.question.kind == "open" for case in cases.values()):
        return per_question(answers_by_proposer, sorted(cases))
    labels = {
        proposer: {question: _label(text) for question, (text, _) in answers.items()}
        for proposer, answers in answers_by_proposer.items()
    }
    return label_matrix(labels, {question: _label(case.answer) or UNKNOWN for question, case in cases.items()})


def _label(text: str | None) -> str | None:
    """A letter as it is; yes and no in one language."""
    return None if text is None else YES_NO.get(text.strip().casefold(), text)


@dataclass(frozen=True, slots=True)
class Summariser:
    """The model that reads a team's stored drafts, as an oracle for trials."""

    stored: StoredLabels
    mixture: Mixture
    speaker: Player
    table: Team
    """Where it sits: its prompts, its seed, and who reads what it says out of form."""
    by: StoredGrading
    """Who says whether its words are right: the match, and the file's judges where that leaves them open."""
    failures: Counter[str] = field(default_factory=Counter)
    ungraded: Counter[str] = field(default_factory=Counter)
    """Words that nobody could grade, by the reason: they are no part of a question's share, nor is a question of a mean."""

    def maker(self) -> OracleMaker:
        return self._make

    def _make(self, halves: Halves) -> Summarisers:
        labels = halves.selection.labels
        accuracy = {
            str(proposer): float(value) for proposer, value in zip(labels.proposers, labels.accuracy, strict=True)
        }
        asked = replace(self.mixture, shown_accuracies=accuracy, proposers=())
        words = f"{self.speaker.model.name} reads the team's responses"
        once = AskedOracle(labels, partial(self._right, asked, 1), words)
        often = partial(self._right, asked, asked.repeats)
        return Summarisers(once, AskedOracle(halves.test.labels, often, words, calls_each=asked.repeats))

    async def _right(self, asked: Mixture, repeats: int, team: tuple[Proposer, ...], question: str) -> float:
        """The share of repeats that are right, of those that somebody could grade; NaN where nobody could grade any."""
        case = self.stored.cases[question]
        names = [str(proposer) for proposer in team]
        drafts = [self.stored.drafts.get((name, question), Answer(name, None, outcome="unanswered")) for name in names]
        players = tuple(Player(name, self.speaker.model) for name in names)  # only their names: nobody of them is asked
        table = replace(self.table, name="selection", players=players, officers={SUMMARISER: self.speaker})
        right = []
        for repeat in range(repeats):
            try:
                verdict = await asked.summarise(case.question, table.seated(repeat), drafts)
            except CallError as error:  # an extraction model that is not there
                verdict = Verdict(None, "failed", cause=str(error))
            if verdict.outcome == "failed" and any(draft.text is not None for draft in drafts):
                self.failures[verdict.cause or "unknown"] += 1
            score = await self.by.score(case, verdict.answer)
            if score.value is None:
                self.ungraded[score.detail or score.stage] += 1
            else:
                right.append(score.value)
        return float(np.mean(right)) if right else float("nan")


def summariser_named(file: ExperimentFile, wanted: str | None) -> tuple[str, Mixture] | None:
    """The model that summarises, and how: as asked for, else as the file's first mixture has it; None without any."""
    spec = file.spec
    entries = [entry["mixture"] for entry in spec.strategies if isinstance(entry, dict) and "mixture" in entry]
    try:
        mixture = strategy("mixture", with_selection(file, "mixture", entries[0] if entries else {}))
    except (UsageError, ValueError, TypeError) as error:
        raise file.error(("strategies",), str(error)) from None
    assert isinstance(mixture, Mixture)
    name = wanted or mixture.summariser
    if name is None:
        return None
    name = spec.players[name].model if name in spec.players and name not in spec.models else name
    if name not in spec.models:
        expected = f"expected one of {', '.join(spec.models)}{closest(name, spec.models)}"
        raise UsageError(f"--summariser: {name!r} is no model of {file.path}; {expected}")
    return name, replace(mixture, summariser=name)


def only_summariser(file: ExperimentFile, name: str, *, judged: bool) -> ExperimentFile:
    """The file without all that plays: no player is built, so none of their keys and files are needed.

    Whoever reads what the summariser says out of form is as much a part of its word as in a run; so are the judges,
    where there are answers that only they can accept.
    """
    nothing: dict[str, Any] = {"questions": None, "players": {}, "teams": {}, "strategies": [], "grouping": None}
    nothing |= {"hypotheses": [], "primary": None, **({} if judged else {"judge": None})}
    readers = file.spec.extract.models if file.spec.extract is not None else []
    judges = file.spec.judge.models if judged and file.spec.judge is not None else []
    kept = {name, *readers, *judges}
    wanted = {model_name: model for model_name, model in file.spec.models.items() if model_name in kept}
    spec = file.spec.model_copy(update={**nothing, "models": wanted})
    return ExperimentFile(file.path, spec, file.places)


def summariser_of(stored: StoredLabels, mixture: Mixture, model: Model, table: Team, by: StoredGrading) -> Summariser:
    return Summariser(stored, mixture, Player(SUMMARISER, model), table, by)
