"""Choosing proposers from what an experiment has stored: its players' labels, and its summariser as the oracle.

The players' solo episodes are the label matrix. Where a summariser is named it is asked about teams of their stored
drafts, through the run's own chain of cache, retry, limit and budget, so that nothing is paid for twice.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from moot.engine.grading import StoredGrading
from moot.engine.stored_labels import StoredLabels
from moot.errors import CallError, UsageError
from moot.experiment.part_of_file import without_players
from moot.experiment.selected import with_selection
from moot.experiment.spec import ExperimentFile
from moot.later import numpy as np
from moot.models.closest import closest
from moot.models.model import Model
from moot.select.labels import Halves, LabelMatrix, Proposer
from moot.select.oracle import AskedOracle
from moot.select.trial import OracleMaker, Summarisers
from moot.strategies import strategy, traits_of, with_options
from moot.strategies.option_meanings import Role
from moot.strategies.summarising import Summarises, option_for, summarising, usual_summarising
from moot.team import Player, Team
from moot.traces import Cut, of_kind
from moot.types import Verdict


@dataclass(frozen=True, slots=True)
class Summariser:
    """The model that reads a team's stored drafts, as an oracle for trials."""

    stored: StoredLabels
    strategy: Summarises
    speaker: Player
    table: Team
    """Where it sits: its prompts, its seed, and who reads what it says out of form."""
    by: StoredGrading
    """Who says whether its words are right: the match, and the file's judges where that leaves them open."""
    failures: Counter[str] = field(default_factory=Counter)
    cut: dict[frozenset[str], set[str]] = field(default_factory=lambda: defaultdict(set))
    """By team: the questions on which its responses were cut to what the summariser can read."""
    ungraded: Counter[str] = field(default_factory=Counter)
    """Words that nobody could grade, by the reason: a question with one of them is ungraded."""

    def maker(self) -> OracleMaker:
        return self._make

    def _make(self, halves: Halves) -> Summarisers:
        labels = halves.selection.labels
        accuracy = {
            str(proposer): float(value) for proposer, value in zip(labels.proposers, labels.accuracy, strict=True)
        }
        asked = _with(self.strategy, {"accuracy-values": accuracy, "proposers": ()})
        often = traits_of(asked).repeats
        words = f"{self.speaker.model.name} reads the team's responses"
        once = AskedOracle(labels, partial(self._right, asked, 1), words)
        test = AskedOracle(halves.test.labels, partial(self._right, asked, often), words, calls_each=often)
        return Summarisers(once, test, partial(self._notes, halves.test.labels))

    def _notes(self, tested: LabelMatrix, team: Sequence[int]) -> tuple[str, ...]:
        """What a reader must know of a team's figure: that the summariser did not read all of what it said."""
        cut = self.cut.get(frozenset(str(tested.proposers[place]) for place in team), set()) & set(tested.questions)
        if not cut:
            return ()
        words = f"responses were cut to what the summariser can read on {len(cut)} of {tested.size} test questions"
        return (words,)

    async def _right(self, asked: Summarises, repeats: int, team: tuple[Proposer, ...], question: str) -> float:
        """The share of repeats that are right; NaN where nobody could grade one of them: of the others those that match are
        graded, so their share would flatter."""
        case = self.stored.cases[question]
        names = [str(proposer) for proposer in team]
        drafts = [self.stored.drafts[name, question] for name in names]
        players = tuple(Player(name, self.speaker.model) for name in names)  # only their names: nobody of them is asked
        table = replace(self.table, name="selection", players=players, officers={self.speaker.name: self.speaker})
        right = []
        for repeat in range(repeats):
            try:
                verdict = await asked.summarise(case.question, table.seated(repeat), drafts)
            except CallError as error:  # an extraction model that is not there
                verdict = Verdict(None, "failed", cause=str(error))
            if verdict.outcome == "failed" and any(draft.text is not None for draft in drafts):
                self.failures[verdict.cause or "unknown"] += 1
            if of_kind(verdict.traces, Cut):
                self.cut[frozenset(names)].add(question)
            score = await self.by.score(case, verdict.answer)
            if score.value is None:
                self.ungraded[score.detail or score.stage] += 1
            else:
                right.append(score.value)
        return float(np.mean(right)) if len(right) == repeats else float("nan")


def _with(played: Summarises, values: Mapping[Role, Any]) -> Summarises:
    """The same strategy with other values of the options that are for this."""
    options = {option_for(played.name, role): value for role, value in values.items()}
    changed = with_options(played, {name: value for name, value in options.items() if name is not None})
    assert isinstance(changed, Summarises), "of the same class"
    return changed


def summariser_named(file: ExperimentFile, wanted: str | None) -> tuple[str, Summarises] | None:
    """The model that summarises, and how: as asked for, else as the file's first strategy with a summariser has it; None
    without any."""
    spec = file.spec
    entries = [(entry, {}) if isinstance(entry, str) else next(iter(entry.items())) for entry in spec.strategies]
    kind = summarising(name for name, _ in entries) or usual_summarising()
    options: Mapping[str, Any] = next((given or {} for name, given in entries if name == kind), {})
    try:
        played = strategy(kind, with_selection(file, kind, options))
    except (UsageError, ValueError, TypeError) as error:
        raise file.error(("strategies",), str(error)) from None
    if not isinstance(played, Summarises):
        raise file.error(
            ("strategies",), f"{kind} has an option for a summariser; expected it to have summarise(...) too"
        )
    name = wanted or getattr(played, option_for(kind, "summariser") or "")
    if name is None:
        return None
    name = spec.players[name].model if name in spec.players and name not in spec.models else name
    if name not in spec.models:
        expected = f"expected one of {', '.join(spec.models)}{closest(name, spec.models)}"
        raise UsageError(f"--summariser: {name!r} is no model of {file.path}; {expected}")
    return name, _with(played, {"summariser": name})


def only_summariser(file: ExperimentFile, name: str, *, judged: bool) -> ExperimentFile:
    """The file without all that plays.

    Whoever reads what the summariser says out of form is as much a part of its word as in a run; so are the judges,
    where there are answers that only they can accept.
    """
    return without_players(file, [name], judge=file.spec.judge if judged else None, reads=True)


def summariser_of(stored: StoredLabels, played: Summarises, model: Model, table: Team, by: StoredGrading) -> Summariser:
    """`played` names its summariser, so it has an office for it."""
    (office,) = traits_of(played).offices
    return Summariser(stored, played, Player(office, model), table, by)


def own_models(file: ExperimentFile, summariser: str) -> set[str]:
    """The names under which the file has the summariser's model: its own, and those of the same model of a provider."""

    def of(name: str) -> tuple[str, object] | None:
        spec = file.spec.models[name]
        model = getattr(spec, "model", None)
        return None if model is None else (spec.provider, model)

    same = of(summariser)
    return {name for name in file.spec.models if name == summariser or (same is not None and of(name) == same)}
