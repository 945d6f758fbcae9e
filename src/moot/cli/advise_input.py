"""What `moot advise` reads: a run with its store, a label matrix, or recordings. Nobody is asked.

Recordings are played alone, each model for itself, into a store that is thrown away: so they are read, graded and grouped as
every run is.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection

from moot.advise.known import Flags, KnownDrafts
from moot.cli.advise_notes import filled_in, left_out_words, missing_words, odd_words, unknown_costs
from moot.cli.advised_against import claimed_verdict
from moot.cli.fit import tables_of
from moot.cli.fit_lessons import FittedTeam
from moot.cli.player_names import player_names
from moot.cli.report import open_existing, tell_whose
from moot.data.few_blank import few_blank
from moot.decide.candidates import SILENT, Floats, Places
from moot.decide.odd_players import SAID_NOTHING
from moot.decide.studied import choices_of, studied
from moot.engine.runner import Runner
from moot.errors import FileError, UsageError
from moot.experiment.build import build
from moot.experiment.fitted import prompts_mark, seat_of
from moot.experiment.listed_price import price_in_file
from moot.experiment.spec import Experiment, ExperimentFile, read_experiment
from moot.foreign_files import lines_of, opened
from moot.measures.askings import PLAYER
from moot.measures.draft_costs import DraftCost, draft_costs
from moot.measures.graded_drafts import GradedDrafts, graded_drafts
from moot.measures.source import Source
from moot.models.recorded import json_object, read_recording
from moot.needs import Needs
from moot.pasted import pasted
from moot.report.figures import find_experiment
from moot.report.wanted_plan import FoundPlan, WantedPlan
from moot.select.files import KINDS, read_labels
from moot.select.voting import names_of
from moot.stats.counted_words import count
from moot.store.examined import opened_to_read
from moot.team import Player
from moot.types import Price, Question

EXPERIMENTS = (".yaml", ".yml")
MOSTLY = 0.5
"""Which share of a player's drafts is there, so that their mean is taken for those that are not."""


@dataclass(frozen=True, slots=True, eq=False)
class AdviceInput:
    """Drafts of which all is graded, and where they are from."""

    drafts: KnownDrafts
    questions: tuple[str, ...]
    """By the mark of its wording, or by its id where there are no words."""
    notes: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    """Of the questions of an experiment, as its store knows them."""
    kinds: frozenset[str] = frozenset()
    """Of these."""
    file: ExperimentFile | None = None
    """The experiment, where there is one."""
    table: FittedTeam | None = None
    """All its players, as the file has them now."""
    stages: frozenset[str] = frozenset()
    """Strategies that have been played already."""
    captain: CaptainCosts | None = None
    origin: str = ""
    verdict: Mapping[str, Any] | None = None
    """The headline of the run's own report, where it has one that claims something."""
    unreached: tuple[str, ...] = ()
    """Who could not be reached on a few of the questions, in words."""

    @property
    def first_notes(self) -> list[str]:
        """Said wherever anything is, since it weakens whatever is advised; for the others there may be no room."""
        return [f"Note: {note}." for note in (*self.unreached, *self._of_silence)]

    @property
    def other_notes(self) -> list[str]:
        return [f"Note: {note}." for note in self.notes if note not in self._of_silence]

    @property
    def _of_silence(self) -> list[str]:
        return [note for note in self.notes if SAID_NOTHING in note]


@dataclass(frozen=True, slots=True)
class CaptainCosts:
    """What a player costs who is shown the drafts of others before it answers: its own draft, and these as its prompt."""

    draft_usd: Mapping[str, float]
    completion_tokens: Mapping[str, float]
    prices: Mapping[str, Price]

    def usd(self, captain: str, heard: Sequence[str]) -> float | None:
        """For one question; None where a price or a count of tokens is not known."""
        if captain not in self.draft_usd or captain not in self.prices:
            return None
        if any(name not in self.completion_tokens for name in heard):
            return None
        shown = sum(self.completion_tokens[name] for name in heard)
        return self.draft_usd[captain] + shown * self.prices[captain].prompt / 1e6

    def more_usd(self, captain: str, heard: Sequence[str], paid_usd_per_1000: float | None) -> float | None:
        """For one question beside what is paid for it already: drafts of those who were not asked, and the captain."""
        own = self.usd(captain, heard)
        if own is None or paid_usd_per_1000 is None or any(name not in self.draft_usd for name in heard):
            return None
        return own + max(0.0, sum(self.draft_usd[name] for name in heard) - paid_usd_per_1000 / 1000)


def read_drafts(
    paths: Sequence[Path], *, questions: Path | None, where: Sequence[str], store: str | None
) -> AdviceInput:
    """By what the first of the files is."""
    kind = paths[0].suffix.lower()
    if kind in EXPERIMENTS:
        _alone(paths, "an experiment file")
        if questions is not None or where:
            option = "--questions" if questions is not None else "--where"
            raise UsageError(f"{option} does not go with an experiment file, which names its questions")
        return asyncio.run(_from_store(paths[0], store))
    if store is not None:
        raise UsageError("--store goes with an experiment file")
    if kind not in KINDS:
        expected = f"an experiment file (.yaml), a label matrix ({', '.join(KINDS)}) or recorded replies (.jsonl)"
        raise FileError(f"expected {expected}", file=paths[0])
    if questions is None and not _recorded(paths[0]):
        _alone(paths, "a label matrix")
        return _from_labels(paths[0], where)
    if where:
        raise UsageError("--where goes with a label matrix")
    if questions is None:
        raise UsageError("recorded replies do not say what is right; expected --questions with the questions' file")
    return _from_replies(paths, questions)


def _alone(paths: Sequence[Path], what: str) -> None:
    if len(paths) > 1:
        raise UsageError(f"{what} goes alone; expected one file, found {len(paths)}")


def _recorded(path: Path) -> bool:
    """Whether a file holds replies, which have no `pred` beside an answer."""
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return False
    with opened(path) as content:
        for number, line in enumerate(lines_of(content, path), start=1):
            if line.strip():
                row = json_object(line, path, number)
                return "pred" not in row and "model" in row and "question_id" in row
    return False


def _from_labels(path: Path, where: Sequence[str]) -> AdviceInput:
    labels = read_labels(path, where).with_known_truth()
    drafts = KnownDrafts(
        tuple(names_of(labels)),
        labels.codes,
        labels.worth,
        tuple(labels.units()),
        round(labels.alternatives) if labels.shared else None,
    )
    return AdviceInput(drafts, labels.questions, (*missing_words(drafts), *odd_words(drafts)), origin=str(path))


async def _from_store(path: Path, url: str | None) -> AdviceInput:
    file = read_experiment(path, with_questions=False)
    table = _everybody(file)
    store, wanted = open_existing(path, url)
    async with opened_to_read(store):

        def read(connection: Connection) -> tuple[AdviceInput, FoundPlan]:
            found = WantedPlan.found(wanted, connection)
            source = Source(connection, found.plan)
            return replace(_read(source, file, table), verdict=claimed_verdict(source)), found

        reading, found = await store.read(read)
    tell_whose(found)
    return reading


def _everybody(file: ExperimentFile) -> FittedTeam:
    """All players of all teams, each once."""
    tables = tables_of(file)
    players: dict[str, Player] = {player.name: player for table in tables.values() for player in table.players}
    marks = {prompts_mark(table.prompts) for table in tables.values()}
    if len(marks) > 1:
        raise UsageError(
            f"{file.path}: its teams are asked in different words; expected one language and one set of prompts"
        )
    return FittedTeam(", ".join(tables), tuple(map(seat_of, players.values())), marks.pop())


def _read(source: Source, file: ExperimentFile, table: FittedTeam) -> AdviceInput:
    if never := _who_never_answered(source, table.players):
        reading = _read_all(
            source, file, replace(table, seats=tuple(seat for seat in table.seats if seat.name not in never))
        )
        whose = f"{' and '.join(never)} {'is' if len(never) == 1 else 'are'} left out"
        it = "it is" if len(never) == 1 else "they are"
        why = f"{whose}: every call failed, and nobody knows how good {it}; what is advised is among the others only"
        return replace(reading, notes=(why, *reading.notes))
    return _read_all(source, file, table)


def _who_never_answered(source: Source, players: Sequence[str]) -> list[str]:
    """Of whom every call failed. Counted as wrong, any team would be better than such a one, and a vote would not lose by it;
    where it is so of all of them there is nothing else to say of anybody."""
    asked = source.whole.askings()
    places = {name: place for name in players if (place := asked.get((name, PLAYER))) is not None}
    never = [name for name, place in places.items() if place.failed_calls and not place.calls]
    return never if len(never) < len(players) else []


def _read_all(source: Source, file: ExperimentFile, table: FittedTeam) -> AdviceInput:
    players, fits = table.players, table.recognised()
    graded = graded_drafts([source], players, fits)
    if not graded.lessons:
        named = ", ".join(players)
        if graded.not_asked:
            words = count(graded.not_asked, "question", "questions")
            raise UsageError(f"no question has been put to all of {named}, and {words} to some; run it to its end")
        raise UsageError(
            f"the store has no graded drafts of {named} with these models and prompts; run {file.path.name} with solo or"
            " vote among its strategies, and references or grades for its questions"
        )
    if (why := graded.why_unfair(f"moot run {pasted(file.path.name)}")) is not None:
        raise UsageError(f"nothing can be advised: {why}")
    costs = draft_costs(source, players, fits)
    return _reading(graded, costs, source, file, table)


def _reading(
    graded: GradedDrafts,
    costs: Mapping[tuple[str, str], DraftCost],
    source: Source,
    file: ExperimentFile,
    table: FittedTeam,
) -> AdviceInput:
    players = table.players
    taught = studied(graded.lessons, players)
    settled = np.flatnonzero(taught.candidates.settled)
    known = taught.candidates.graded(settled)
    codes = np.where(known.spoke, known.support.argmax(axis=1), SILENT).T.astype(np.int16)
    worth = np.einsum("qpi,qp->iq", known.support, known.worth)
    cases = [graded.cases[place] for place in settled]
    keys = [case.question.digest for case in cases]
    notes = list(left_out_words(graded, len(taught.candidates) - len(settled), cut_short=source.cut_short))
    usd, missing = _by_draft(costs, players, keys, "usd")
    seconds, missing_times = _by_draft(costs, players, keys, "seconds")
    seconds = seconds if seconds is not None and seconds.any() else None
    notes += filled_in(missing, missing_times if seconds is not None else 0)
    notes += unknown_costs(costs, players, keys)
    drafts = KnownDrafts(
        players,
        codes,
        worth,
        tuple(taught.units[place] for place in settled),
        choices_of([case.question for case in cases]),
        usd,
        seconds,
        _unreached(graded, players, settled),
        _kinds([case.question for case in cases]),
    )
    strategies = frozenset(str(cell["strategy"]) for cell in source.cells)
    return AdviceInput(
        drafts,
        tuple(case.question.wording for case in cases),
        (*notes, *odd_words(drafts)),
        tuple(keys),
        frozenset(case.question.kind for case in cases),
        file,
        table,
        strategies,
        _captain_costs(file, costs, players, keys),
        origin=source.name,
        unreached=tuple(f"{words}. What is claimed holds whatever they say" for words in graded.unreached_words()),
    )


def _kinds(questions: Sequence[Question]) -> tuple[str, ...]:
    """Of each, where there are several."""
    kinds = tuple(question.kind for question in questions)
    return kinds if len({*kinds}) > 1 else ()


def _unreached(graded: GradedDrafts, players: Sequence[str], places: Places) -> Flags | None:
    """Players × questions: whose answer is missing since it could not be reached. None: nobody's."""
    missing = np.array([[name in graded.unreached[place] for place in places] for name in players], dtype=np.bool_)
    return missing if missing.any() else None


def _by_draft(
    costs: Mapping[tuple[str, str], DraftCost], players: Sequence[str], keys: Sequence[str], what: str
) -> tuple[Floats | None, int]:
    """Players × questions, and for how many drafts that are not there the mean stands. None: of nobody it is known; NaN: not of
    this player, as soon as it is not known of one draft that is there: what the known ones come to is no bill."""
    found, unknown = np.full((len(players), len(keys)), np.nan), np.zeros(len(players), dtype=np.bool_)
    for seat, player in enumerate(players):
        for place, key in enumerate(keys):
            if (cost := costs.get((player, key))) is not None:
                value = getattr(cost, what)
                found[seat, place], unknown[seat] = (np.nan, True) if value is None else (value, unknown[seat])
    found[unknown] = np.nan
    missing = 0
    for row in found:
        gaps = np.isnan(row)
        if gaps.any() and (~gaps).mean() >= MOSTLY:
            missing += int(gaps.sum())
            row[gaps] = row[~gaps].mean()
    return (None, 0) if np.isnan(found).any(axis=1).all() else (found, missing)


def _captain_costs(
    file: ExperimentFile, costs: Mapping[tuple[str, str], DraftCost], players: Sequence[str], keys: Sequence[str]
) -> CaptainCosts:
    usd: dict[str, float] = {}
    tokens: dict[str, float] = {}
    prices: dict[str, Price] = {}
    for player in players:
        drafts = [cost for key in keys if (cost := costs.get((player, key))) is not None]
        paid = [draft.usd for draft in drafts if draft.usd is not None]
        written = [draft.completion_tokens for draft in drafts if draft.completion_tokens is not None]
        if paid and len(paid) == len(drafts):
            usd[player] = sum(paid) / len(paid)
        if written and len(written) == len(drafts):
            tokens[player] = sum(written) / len(written)
        spec = file.spec.players.get(player)
        model = file.spec.models.get(spec.model) if spec is not None else None
        with suppress(UsageError):  # of a table that is not there now
            if model is not None and (price := price_in_file(model)) is not None:
                prices[player] = price
    return CaptainCosts(usd, tokens, prices)


def _from_replies(paths: Sequence[Path], questions: Path) -> AdviceInput:
    models: dict[str, dict[str, Any]] = {}
    for path in paths:
        recording = read_recording(path)
        for model in sorted(recording.models):
            if model in models:
                twice = f"{model!r} has replies in {models[model]['file']} too"
                raise FileError(f"{twice}; expected each model in one file", file=path)
            models[model] = {"provider": "recorded", "file": str(path.resolve()), "model": model}
    names = player_names(list(models))
    blank = few_blank(questions)
    experiment = Experiment(
        name="replies",
        questions={"file": str(questions.resolve()), "skip_blank": bool(blank)},
        models={names[model]: spec for model, spec in models.items()},
        strategies=["solo"],
    )
    with tempfile.TemporaryDirectory(prefix="moot-") as folder:
        url = f"sqlite:///{Path(folder) / 'replies.db'}"
        return asyncio.run(_played(experiment, url, str(paths[0]), notes=blank))


async def _played(experiment: Experiment, url: str, origin: str, notes: tuple[str, ...]) -> AdviceInput:
    """`notes`: on the questions."""
    plan = build(experiment.as_file, store_url=url)
    store = plan.store()
    await store.open()
    try:
        await Runner(plan, store, needs=Needs(graded_drafts=True, grouped_drafts=True)).run()

        def read(connection: Connection) -> AdviceInput:
            source = Source(connection, find_experiment(connection, ident=plan.id))
            return _read(source, experiment.as_file, _everybody(experiment.as_file))

        found = await store.read(read)
    finally:
        await store.close()
        for built in plan.models.values():
            await built.model.close()
    notes = (*notes, *missing_words(found.drafts), *found.notes)
    return AdviceInput(found.drafts, found.questions, notes, origin=origin)
