"""What was played, read once from a store: every episode without its words, and a team's drafts beside them.

All figures of a report start here. Episodes are read cell by cell and held as small values, so that accuracy, the quiz
figures, hypotheses and the headline share one pass; what a draft was worth, who agreed with whom and whose draft the
captain chose is looked up on the way.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from sys import intern
from typing import Any, NamedTuple, TypedDict

import orjson
from sqlalchemy import Connection, select

from moot.engine.matching import Matches, drafts_repeat
from moot.grade.graders import USUAL, grader_or_absent
from moot.grade.grading import scored, scores_name
from moot.grade.group import GROUPING
from moot.grade.judge import ONE_BY_ONE, Judgement, named_in_batches
from moot.grade.match import Grader
from moot.grade.normalise import normalise
from moot.measures.quiz.played import Groups, Played
from moot.measures.spending import Spending, Spent
from moot.store import queries, schema
from moot.store.bulk_read import Marks, most_repeats, pays, written_episodes
from moot.store.rows import case_of, verdict_of
from moot.strategies.natives import SINGLE_CALL
from moot.strategies.traits import Traits
from moot.traces import Grouped, NotNeeded, Shown, Trace, of_kind, trace_json, trace_of
from moot.types import Answer, Case, Verdict


class Stored(TypedDict):
    """A cell as it is on record: who played what, and what the strategy says of itself."""

    id: str
    strategy: str
    label: str
    team: str | None
    captain: str | None
    player: str | None
    cohort: str | None
    spec: str
    given: Mapping[str, Any]
    """Options that differ from their defaults."""
    options: Mapping[str, Any]
    """All options."""
    traits: Traits


Row = Mapping[str, Any]
"""A row of the store."""
Key = tuple[str, int]
"""One set of drafts on one question: (question, the drafts' repeat)."""
Said = tuple[tuple[str, str | None], ...]
"""A set of drafts by who said what: the same players may be heard or not, and be asked again after a failure."""


def stored_cell(row: Row) -> Stored:
    """A cell from its row. Options and traits are JSON there."""
    kept = orjson.loads(row["options"] or "{}")
    given_options, default = kept.get("given", {}), kept.get("default", {})
    return Stored(
        id=row["id"],
        strategy=row["strategy"],
        label=row["label"],
        team=row["team"],
        captain=row["captain"],
        player=row["player"],
        cohort=row["cohort"],
        spec=row["spec"],
        given=given_options,
        options={**default, **given_options},
        traits=Traits.of_json(orjson.loads(row["traits"] or "{}")),
    )


def grader_of(config: Mapping[str, Any]) -> str:
    """The name under which the scores of an experiment are stored: see `grade.grading`."""
    judging = config.get("judge", {})
    return scores_name(config.get("grader", USUAL), judging.get("models", ()), judging.get("batch", ONE_BY_ONE))


@dataclass(frozen=True, slots=True)
class Recorded:
    """One episode as it is on record, whole: what was said, what happened on the way, and what it was worth."""

    cell: Stored
    case: Case
    """The question and its reference."""
    question: str
    """The digest of the question: the key of `Source.cases`."""
    position: int
    """Where the question stands in the experiment, from 0 on."""
    repeat: int
    verdict: Verdict
    """The answer, the drafts behind it (`answers`), who stands behind it, and the typed `traces` of the play."""
    right: float | None
    """0 to 1; None: nobody has graded it. An episode without an answer is not right."""
    stage: str | None
    """Who graded it, or why nobody has: ``match``, ``judge``, ``person``, ``disputed``, ``ungraded``."""
    seconds: float
    calls: tuple[str, ...]
    """The keys of its calls: see `Source.spent`."""

    @property
    def outcome(self) -> str:
        return self.verdict.outcome

    @property
    def answer(self) -> str | None:
        return self.verdict.answer

    @property
    def key(self) -> Key:
        """Which drafts it rests on: several episodes share them where a strategy has repeats of its own."""
        return self.question, drafts_repeat(self.repeat, own_repeats(self.cell))


class Seen(NamedTuple):
    """One episode, with no more words than are needed to tell whose draft it ended on.

    A tuple, since there may be hundreds of thousands.
    """

    cell: Stored
    key: Key
    """Whose drafts it rests on. Several episodes of one cell share it where the strategy has repeats of its own."""
    position: int
    right: float | None
    outcome: str
    stage: str | None
    word: str | None
    """What a captain said in words of its own; None where none did."""
    seconds: float
    calls: tuple[str, ...]
    order: tuple[str, ...] = ()
    """Whose drafts the one who decided was shown, from the first to the last; empty where it was shown none."""
    drafts: tuple[Answer, ...] = ()
    """The table's, or its own where they are others: what failed once may be asked for again."""
    repeat: int = 0
    """The episode's own."""


@dataclass(slots=True)
class Table:
    """What a team's episodes hold beside themselves: the drafts and their groups, once a question.

    Groups are those of one set of drafts: a strategy that did not wait for all has groups of fewer, and they are no
    other strategy's.
    """

    drafts: dict[Key, tuple[Answer, ...]] = field(default_factory=dict)
    """The fullest set: another strategy may have asked fewer, or not waited for all."""
    groups: dict[tuple[Key, Said], Groups] = field(default_factory=dict)
    grouping: dict[tuple[Key, Said], tuple[str, ...]] = field(default_factory=dict)
    """The calls that grouping took, which a strategy without it would not have paid."""
    spare: dict[Key, dict[str, Answer]] = field(default_factory=dict)
    """Drafts of players whom the fullest set lacks, from sets that are no fuller."""
    not_needed: dict[Key, set[str]] = field(default_factory=dict)
    """Players whom some strategy did not wait for."""

    def keep(self, key: Key, drafts: tuple[Answer, ...]) -> tuple[Answer, ...]:
        """Takes a set of drafts in, and gives it back: as the very object that is kept, where it is the same."""
        kept = self.drafts.get(key)
        if kept == drafts:
            return kept
        if kept is None or _fullness(kept) < _fullness(drafts):
            self.drafts[key] = drafts
            spare = kept or ()
        else:
            spare = drafts
        for draft in spare:
            self.spare.setdefault(key, {}).setdefault(draft.player, draft)
        return drafts

    def drafts_heard(self, key: Key) -> dict[str, Answer]:
        """By player: what it said alone. The fullest set stands; whoever it lacks may have been heard in another."""
        return {**self.spare.get(key, {}), **{draft.player: draft for draft in self.drafts.get(key, ())}}

    def not_heard(self, key: Key) -> set[str]:
        """Whom nobody waited for in any strategy: what they would have said is unknown."""
        return self.not_needed.get(key, set()) - self.drafts_heard(key).keys()

    def grouping_calls(self) -> dict[Key, tuple[str, ...]]:
        """What it took to group the fullest set of drafts; where it was never grouped, any other."""
        calls = {key: keys for (key, _), keys in self.grouping.items()}
        fullest = {key: self.grouping.get((key, said_of(drafts))) for key, drafts in self.drafts.items()}
        return calls | {key: keys for key, keys in fullest.items() if keys is not None}


def said_of(drafts: Iterable[Answer]) -> Said:
    return tuple((draft.player, draft.text) for draft in drafts)


def _fullness(drafts: Sequence[Answer]) -> tuple[int, int, list[tuple[str, str]]]:
    """How much a set of drafts tells. Of equals the words decide, so that the order of strategies does not."""
    words = sorted((draft.player, draft.text or "") for draft in drafts)
    return len(drafts), sum(draft.text is not None for draft in drafts), words


class Source:
    """One experiment as a measure reads it. What a measure of your own needs:

    - `cells`: who played what, with the options and the traits of each strategy. Go by traits, never by a name.
    - `cases`: the questions with their references, by the digest of the question.
    - `episodes(cell)`: every play of a cell, with its verdict, its traces and its grade (None: ungraded, which is not
      wrong: leave it out and say so).
    - `grade(case, text)`: what a text is worth, such as a draft or a claim inside of a trace; None: ungraded.
    - `groups(episode)`: who said the same among the drafts that an episode rests on.
    - `spent(keys)`: tokens and cost of calls.
    - `seed`: of everything that is drawn, so that a report is the same twice.
    - `so_far`: the figures of the measures before this one.

    Cases, matches and judgements are read once.
    """

    def __init__(
        self, connection: Connection, experiment: Row, grader: str | None = None, *, hypotheses: Iterable[str] = ()
    ) -> None:
        self.connection = connection
        self.experiment = experiment
        self.size: int = experiment["size"]
        """How many questions it is planned on."""
        self.hypotheses = tuple(hypotheses)
        """Those of the file as it is now, beside what the store holds as declared."""
        self.so_far: dict[str, Any] = {}
        """The figures of the measures before: what one measure gives another."""
        self.ident: str = experiment["id"]
        self.name: str = experiment["name"]
        self.config: dict[str, Any] = json.loads(experiment["config"])
        self.grader = grader_of(self.config) if grader is None else grader
        self.cells = [stored_cell(row) for row in queries.cells_of(connection, self.ident)]
        self.seed = int(self.config.get("seed", 0))
        self.served = bool(self.config.get("served"))
        """What a served team was asked: nobody planned which cell plays which question."""
        self.cases = {row["question"]: case_of(row["content"]) for row in queries.cases_of(connection, self.ident)}
        self.matches = Matches(queries.matches_on(connection, list(self.cases)), self.config)
        self.judges: list[str] = list(self.config.get("judge", {}).get("models", ()))
        digests = [case.digest for case in self.cases.values()]
        self.persons = queries.settlements_on(connection, digests)
        self.tables: dict[str, Table] = {}
        self._seen: dict[str, list[Seen]] = {}
        self._alone_read = False
        self.plays: dict[str, list[Played]] = {}
        """A team's plays, kept by `quiz.plays` once they are made."""
        self.judgements: dict[str, list[Judgement]] = {}
        rows = queries.judgements_on(connection, digests) if self.judges else []
        names = self._identities(rows)
        for row in rows:
            if row["judge"] in names:
                right = None if row["right"] is None else bool(row["right"])
                word = Judgement(row["answer"], names[row["judge"]], right, row["detail"])
                self.judgements.setdefault(row["case"], []).append(word)

    def _identities(self, rows: Sequence[Row]) -> dict[str, str]:
        """The judges by what their words are kept under: see `judge_identity`.

        A judge whose model or prompt has changed is another one under the same name; whoever was asked last counts.
        """
        calls = {row["judge"]: (row["detail"] or "").removeprefix("call ").partition(",")[0] for row in rows}
        table = schema.calls
        query = select(table.c.key, table.c.created_at).where(table.c.key.in_(calls.values()))
        asked_at = {row.key: row.created_at for row in self.connection.execute(query)}
        names_by_identity: dict[str, str] = {}
        batch = self.config.get("judge", {}).get("batch", ONE_BY_ONE)
        for name in self.judges:
            named = named_in_batches(name, batch)
            identities = [identity for identity in calls if identity.rpartition("#")[0] == named]
            if identities:
                names_by_identity[max(identities, key=lambda identity: asked_at.get(calls[identity], 0.0))] = name
        return names_by_identity

    def results(self, cell: Stored) -> Iterable[Row]:
        return queries.results(self.connection, self.ident, cell["id"], self.grader)

    def seen(self, cell: Stored) -> list[Seen]:
        """Every episode of a cell, in the order of the questions; read once. Drafts of a team go to its table."""
        if cell["player"] and not self._alone_read and self._at_once:
            self._alone_read = True
            self._read_alone()
        episodes = self._seen.get(cell["id"])
        if episodes is None:
            if cell["player"]:
                episodes = list(
                    _seen_alone(cell, queries.endings(self.connection, self.ident, cell["id"], self.grader))
                )
            else:
                table = self.tables.setdefault(table_of(cell), Table())
                episodes = list(_seen_together(cell, self.results(cell), table))
            self._seen[cell["id"]] = episodes
        return episodes

    def episodes(self, cell: Stored) -> Iterator[Recorded]:
        """Every play of a cell, in the order of the questions. Verdicts are read as they are asked for, and not kept."""
        for row in self.results(cell):
            yield Recorded(
                cell,
                self.cases[row["question"]],
                row["question"],
                row["position"],
                row["repeat"],
                verdict_of(row["verdict"]),
                right_of(row),
                row["stage"],
                row["seconds"],
                _calls(orjson.loads(row["transcript"])),
            )

    def groups(self, episode: Recorded) -> Groups:
        """Who said the same among the drafts of an episode: as the team grouped them, else by what was matched.

        Nothing where its strategy promises no drafts given alone.
        """
        cell = episode.cell
        drafts = drafts_of(cell, episode.verdict)
        if not drafts:
            return ()
        self.seen(cell)  # its table holds what was grouped, be it by another strategy of the same drafts
        table = self.tables.setdefault(table_of(cell), Table())
        return grouped_drafts(self, episode.key, drafts, table)

    def grade(self, case: Case, text: str | None) -> float | None:
        """What a text is worth that is no verdict, such as the draft of somebody who was never played alone.

        By match, by what judges have said of it and by a person's word; None where judges are named and have not said
        anything usable, and where nobody has said yet what is right. Nothing said is not right: 0.
        """
        person = self.persons.get((case.digest, normalise(text))) if text is not None else None
        words = self.judgements.get(case.digest, ())
        return scored(self._grader, case, text, words, person, judges=len(self.judges)).value

    @cached_property
    def _grader(self) -> Grader:
        return grader_or_absent(self.config.get("grader", USUAL))

    @cached_property
    def _at_once(self) -> bool:
        """Whether the experiment is so much of its store that the tables are read from end to end."""
        return pays(self.connection, len(self.cases) * len(self.cells))

    def _read_alone(self) -> None:
        """Every episode of every player alone, in one go."""
        cells = {cell["id"]: cell for cell in self.cells if cell["player"]}
        places = queries.places_of(self.connection, self.ident)
        cases = [case for several in places.values() for _, case in several]
        marks = Marks(self.connection, list(cells), cases, self.grader, most_repeats(self.connection, list(cells)))
        keys: dict[Key, Key] = {}
        episodes_by_cell: dict[str, list[Seen]] = {ident: [] for ident in cells}
        for ident, question, repeat, outcome, answer, transcript, seconds in written_episodes(
            self.connection, list(cells), _ENDING
        ):
            calls = _calls(orjson.loads(transcript))
            key = keys.setdefault((question, repeat), (question, repeat))
            for position, case in places.get(question, ()):
                value, stage, _ = marks.of(ident, case, repeat)
                right = value if value is not None or answer is not None else 0.0
                episodes_by_cell[ident].append(
                    Seen(cells[ident], key, position, right, intern(outcome), stage, None, seconds, calls)
                )
        for several in episodes_by_cell.values():
            several.sort(key=lambda episode: (episode.position, episode.key[1]))
        self._seen |= episodes_by_cell

    @cached_property
    def _spending(self) -> Spending:
        return Spending(self.connection, self.name if self._at_once else None)

    def spent(self, keys: Iterable[str]) -> dict[str, Spent]:
        """What each call took, read once; those that are not stored are left out."""
        return self._spending.by_key(set(keys))

    def spending(self, keys: Collection[str]) -> list[Spent]:
        """The same of these different keys, where it does not matter which is whose."""
        return list(self._spending.by_key(keys).values())

    def paid_usd(self, seen: Sequence[Seen]) -> list[float | None]:
        """What the calls of each episode cost. One unknown cost makes the sum unknown."""
        return self._spending.sums_usd([episode.calls for episode in seen])

    def costs_usd(self, keys: Iterable[str]) -> dict[str, float | None]:
        return {key: spent[3] for key, spent in self.spent(keys).items()}


_LOOKED_AT = frozenset(trace_json(record)["kind"] for record in (Grouped(()), Shown("", "", ()), NotNeeded(())))
"""The kinds of record that an episode is read for, as they are stored."""
_ENDING = ("cell", "question", "repeat", "outcome", "answer", "transcript", "seconds")


def _calls(steps: Sequence[Sequence[Any]]) -> tuple[str, ...]:
    """The keys of a transcript's calls, each once."""
    if len(steps) == 1:
        return (steps[0][3],) if steps[0][3] else ()
    return tuple(dict.fromkeys(step[3] for step in steps if step[3]))


def table_of(cell: Stored) -> str:
    """What is measured together: a team; a cohort of one, whose players hear nobody else; native answers of one kind."""
    cohort = f"/{cell['cohort']}" if cell.get("cohort") else ""
    drafts = f" ({unusual_drafts(cell)})" if unusual_drafts(cell) else ""
    return f"{cell['team']}{cohort}{drafts}"


def unusual_drafts(cell: Stored) -> str | None:
    """How native answers were asked for, where it is not in the usual way."""
    kind = cell["traits"].drafts
    return None if kind == SINGLE_CALL else kind


def playing_alone(cells: Iterable[Stored], like: Stored) -> dict[str, Stored]:
    """The cells of players by themselves whose native answers were asked for as in this one, by player."""
    return {
        cell["player"]: cell
        for cell in cells
        if cell["player"] is not None and unusual_drafts(cell) == unusual_drafts(like)
    }


def _seen_alone(cell: Stored, rows: Iterable[Sequence[Any]]) -> Iterator[Seen]:
    """There may be hundreds of thousands of these: plain tuples, and nothing that a player alone has no use for."""
    for position, question, repeat, outcome, answer, transcript, seconds, value, stage in rows:
        calls = _calls(orjson.loads(transcript))
        right = value if value is not None or answer is not None else 0.0
        yield Seen(cell, (question, repeat), position, right, outcome, stage, None, seconds, calls)


def _seen_together(cell: Stored, rows: Iterable[Row], table: Table) -> Iterator[Seen]:
    strategy_repeats = own_repeats(cell)
    for row in rows:
        yield _seen(cell, row, (row["question"], drafts_repeat(row["repeat"], strategy_repeats)), table)


def own_repeats(cell: Stored) -> int:
    """How often the strategy itself plays a question from the same drafts."""
    return cell["traits"].repeats


def _seen(cell: Stored, row: Row, key: Key, table: Table) -> Seen:
    steps = orjson.loads(row["transcript"])
    verdict = orjson.loads(row["verdict"])
    # Most records of a play are of no use here, and there may be very many: only these are made what they were.
    traces = [trace_of(record) for record in verdict.get("traces", ()) if record["kind"] in _LOOKED_AT]
    drafts = _alone_in(cell, tuple(Answer(*fields) for fields in verdict.get("answers", ())), traces)
    if dropped := _not_needed(traces):
        table.not_needed.setdefault(key, set()).update(dropped)
    if drafts:
        drafts = table.keep(key, drafts)
    if drafts and (grouped := of_kind(traces, Grouped)) and _groups_them(grouped[0], drafts):
        place = key, said_of(drafts)
        table.groups.setdefault(place, grouped[0].groups)
        table.grouping.setdefault(place, tuple(step[3] for step in steps if step[1] == GROUPING and step[3]))
    look = next((record for record in of_kind(traces, Shown) if record.places is None), None)
    word = look.answer if look is not None else None
    order = tuple(intern(name) for holders in look.order for name in holders) if look is not None else ()
    calls = _calls(steps)
    right, outcome = right_of(row), row["outcome"]
    return Seen(
        cell,
        key,
        row["position"],
        right,
        outcome,
        row["stage"],
        word,
        row["seconds"],
        calls,
        order,
        drafts,
        row["repeat"],
    )


def drafts_of(cell: Stored, verdict: Verdict) -> tuple[Answer, ...]:
    """What players said alone; nothing where the answers of a verdict are what the talk made of them.

    A draft that was not waited for is none: nobody knows what it would have been.
    """
    return _alone_in(cell, verdict.answers, verdict.traces)


def _alone_in(cell: Stored, answers: tuple[Answer, ...], traces: Sequence[Trace]) -> tuple[Answer, ...]:
    if cell["traits"].drafts is None:
        return ()
    dropped = _not_needed(traces)
    return tuple(draft for draft in answers if draft.player not in dropped) if dropped else answers


def _not_needed(traces: Sequence[Trace]) -> set[str]:
    return {player for record in of_kind(traces, NotNeeded) for player in record.players}


def _groups_them(record: Grouped, drafts: Sequence[Answer]) -> bool:
    """Whether it is exactly these drafts that were grouped."""
    players = [player for group in record.groups for player in group]
    return sorted(players) == sorted(draft.player for draft in drafts if draft.text is not None)


def right_of(row: Row) -> float | None:
    """None: ungraded. Without an answer there is nothing to grade, and nothing right."""
    return row["value"] if row["value"] is not None or row["answer"] is not None else 0.0


def groups_of(source: Source, seen: Seen, table: Table) -> Groups:
    """Who said the same among the drafts of this episode."""
    return grouped_drafts(source, seen.key, seen.drafts, table)


def grouped_drafts(source: Source, key: Key, episode_drafts: tuple[Answer, ...], table: Table) -> Groups:
    """Groups of exactly these drafts, be it that another strategy grouped them.

    `episode_drafts`: the drafts of an episode, which are the table's own or others; the table's where it has none.
    """
    drafts, (question, repeat) = episode_drafts or table.drafts.get(key, ()), key
    place = key, said_of(drafts)
    if place not in table.groups:
        table.groups[place] = source.matches.groups(source.cases[question].question, repeat, drafts)
    return table.groups[place]


def chosen_by(source: Source, seen: Seen, groups: Groups) -> set[str] | None:
    """Whose drafts say what the one who decided then said; nobody's: it is new. None: not known, or it said nothing."""
    if seen.word is None:
        return None
    question, repeat = seen.key
    proposers = source.matches.proposers(source.cases[question].question, repeat, seen.drafts, seen.word)
    if proposers is None:
        return None
    # Its own draft in other words is its own draft: whoever grouped the drafts has said so.
    alike = {player for group in groups if set(group) & set(proposers) for player in group}
    return alike | set(proposers)
