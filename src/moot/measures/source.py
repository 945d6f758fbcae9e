"""What was played, read once from a store: every episode without its words, and a team's drafts beside them.

All figures of a report start here. Episodes are read cell by cell and held as small values, so that accuracy, the quiz
figures, hypotheses and the headline share one pass; what a draft was worth, who agreed with whom and whose draft the
captain chose is looked up on the way.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import Connection

from moot.data.clusters import clusters_of
from moot.engine.match_record import Groups, Matches
from moot.experiment.selected import NOT_CHOSEN, RACED, ChosenOn, marks_of
from moot.grade.group import GROUPING
from moot.measures.asked_cases import CasesOnce
from moot.measures.askings import AskedAs, Askings, Attended, unusual_finishes
from moot.measures.cells import Row, playing_alone, stored_cells, table_of
from moot.measures.cells import Stored as Stored
from moot.measures.draft_calls import CellDrafts, DraftTable, MadeByKey, draft_tables, made_alone
from moot.measures.episodes import EpisodeOutline, Key, Recorded, drafts_of, named_if_none_came
from moot.measures.kept_rows import KeptRows
from moot.measures.outlines import all_outlines_alone, outlines_alone, outlines_together, recorded
from moot.measures.spending import Spending, Spent
from moot.measures.stored_grades import StoredGrades, grader_of
from moot.measures.team_drafts import TeamDrafts, said_of
from moot.measures.unfinished import PlanProgress, progress_of, slowest_missing
from moot.stats.graded import WayOfGrading
from moot.store import queries
from moot.store.bulk_read import pays
from moot.store.rows import config_of
from moot.types import WITH_ANSWER, Answer, Case


class Source:
    """One experiment as a measure reads it. What a measure of your own needs:

    - `cells`: who played what, with the options and the traits of each strategy. Go by traits, never by a name.
    - `cases`: the questions with their references, by the digest of the question.
    - `episodes(cell)`: every play of a cell on questions that it was not chosen on, with its verdict, its traces and its
      grade (None: ungraded, which is not wrong: leave it out and say so).
    - `grade(case, text)`: what a text is worth, such as a draft or a claim inside of a trace; None: ungraded.
    - `groups(episode)`: who said the same among the drafts that an episode rests on. Needs `grouped_drafts`.
    - `holders(episode, text)`: whose drafts say what somebody then said in words of its own. Needs `matched_words`.
    - `spent(keys)`: tokens and cost of calls.
    - `seed`: of everything that is drawn, so that a report is the same twice.
    - `so_far`: the figures of the measures before this one, which can be read and not written.
    """

    def __init__(
        self,
        connection: Connection,
        experiment: Row,
        grader: str | None = None,
        *,
        hypotheses: Iterable[str] = (),
        asked: CasesOnce | None = None,
    ) -> None:
        self.connection = connection
        self.experiment = experiment
        self.size: int = experiment["size"]
        """How many questions it is planned on."""
        self.hypotheses = tuple(hypotheses)
        """Those of the file as it is now, beside what the store holds as declared."""
        self.so_far: Mapping[str, Any] = {}
        """The figures of the measures before: what one measure gives another. To be read, not written."""
        self.unlisted_rows: Counter[str] = Counter()
        """By table: how many rows more it had before options were taken out of the file. A family pays for them too."""
        self.ident: str = experiment["id"]
        self.name: str = experiment["name"]
        self.config: dict[str, Any] = config_of(experiment)
        self.grader = grader_of(self.config) if grader is None else grader
        self.cells = stored_cells(queries.cells_of(connection, self.ident))
        self.seed = int(self.config.get("seed", 0))
        self.served = bool(self.config.get("served"))
        """What a served team was asked: nobody planned which cell plays which question."""
        self.cases, self.asked, digests = (asked or CasesOnce(connection)).of(self.ident)
        self._choices = {
            cell: ChosenOn(marks)
            for cell, marks in queries.choices_of(connection, [cell["id"] for cell in self.cells]).items()
        }
        self._chosen_on = self.questions_of(self._choices)
        self.matches = Matches(queries.matches_on(connection, list(self.cases)), self.config)
        self.grades = StoredGrades(connection, self.ident, self.config, list(digests.values()), self.grader)
        self._rows = KeptRows(lambda cell: queries.results(connection, self.ident, cell, self.grader))
        self._read: dict[str, TeamDrafts] = {}
        self._cell_drafts: dict[str, CellDrafts] = {}
        self._draft_tables: dict[str, list[DraftTable]] = {}
        self._table_by_cell: dict[str, DraftTable] = {}
        self._drafts: dict[str, TeamDrafts] = {}
        self._seen: dict[str, list[EpisodeOutline]] = {}
        self._said: dict[str, dict[Key, str]] = {}
        self.costs_by_cell: dict[str, Any] = {}  # see `question_costs`
        self._alone_read = False

    def chosen_on(self, cell: Stored) -> frozenset[str]:
        """The questions that a cell was chosen on, such as a team of proposers: none of its episodes there is given to
        any measure, since it looks better on them than it is."""
        return self._chosen_on.get(cell["id"], frozenset())

    def questions_of(self, choices: Mapping[str, ChosenOn]) -> dict[str, frozenset[str]]:
        """By cell, of this plan or another, those of the questions asked here that it was chosen on, whatever their ids were."""
        asked = {key: marks_of(case.question) for key, case in self.cases.items()} if choices else {}
        return {
            cell: frozenset(question for question, marks in asked.items() if choice.has(marks))
            for cell, choice in choices.items()
        }

    def chosen_on_ids(self, cell: Stored) -> int:
        """How many questions a cell was chosen on that are known by their ids alone, and have none of those asked here."""
        choice = self._choices.get(cell["id"], NOT_CHOSEN)
        return choice.ids_beside(case.question for case in self.cases.values())

    @cached_property
    def whole(self) -> Source:
        """The same with the questions that cells were chosen on, and with plays that failed where all have: for what was asked
        and paid, never for how good it is."""
        if not self._chosen_on and not self.nothing_played:
            return self
        whole = Source(self.connection, self.experiment, self.grader)
        whole._chosen_on, whole.nothing_played = {}, False
        return whole

    @cached_property
    def in_points(self) -> int:
        """How many questions have answers that get points by a rubric, and are not right or wrong."""
        return sum(bool(case.rubric) for case in self.cases.values())

    @cached_property
    def nothing_played(self) -> bool:
        """Whether every play has failed. Then no measure is given any: 0 % would be a figure of the line, or of a key."""
        return queries.all_failed(self.connection, self.ident)

    @cached_property
    def progress(self) -> PlanProgress:
        """How far the plan has been played, over all cells."""
        return PlanProgress(*map(sum, zip((0, 0), *(progress_of(self, cell) for cell in self.cells), strict=True)))

    @cached_property
    def cut_short(self) -> bool:
        """Whether what is missing takes longest, or was losing, so that nothing may be claimed of the rest: see `unfinished`."""
        return bool(self.config.get(RACED)) or slowest_missing(self)

    def left_out(self, cell: Stored) -> int:
        """How many of this experiment's questions those are."""
        return sum(self.asked[question] for question in self.chosen_on(cell))

    @cached_property
    def clusters(self) -> dict[str, str]:
        """By question: what it hangs together with."""
        return clusters_of(self.cases.items())

    def results(self, cell: Stored) -> Iterable[Row]:
        rows, but = self._results(cell), self.chosen_on(cell)
        return (row for row in rows if row["question"] not in but) if but else rows

    def _results(self, cell: Stored) -> Iterable[Row]:
        return () if self.nothing_played else self._rows.of(cell["id"])

    def seen(self, cell: Stored) -> list[EpisodeOutline]:
        """Every episode of a cell, in the order of the questions; read once. Drafts of a team go to its table."""
        if cell["player"] and not self._alone_read and self._at_once and not self.nothing_played:
            self._alone_read = True
            alone = {each["id"]: each for each in self.cells if each["player"]}
            every = all_outlines_alone(self.connection, self.ident, alone, self.grader, self._askings)
            for ident, episodes_alone in every.items():
                self._seen[ident] = self._marked(self._not_chosen_on(alone[ident], episodes_alone))
        episodes = self._seen.get(cell["id"])
        if episodes is None:
            if cell["player"]:
                ended = queries.endings(self.connection, self.ident, cell["id"], self.grader)
                episodes = outlines_alone(cell, () if self.nothing_played else ended, self._askings)
            else:
                table = self._read.setdefault(table_of(cell), TeamDrafts())
                own = self._cell_drafts.setdefault(cell["id"], CellDrafts())
                rows, but = self._results(cell), self.chosen_on(cell)
                episodes = list(outlines_together(cell, rows, table, own, self._askings, but))
            episodes = self._seen[cell["id"]] = self._marked(self._not_chosen_on(cell, episodes))
        return episodes

    @cached_property
    def _askings(self) -> Askings:
        grouping = (self.config.get("grouping") or {}).get("model")
        return Askings(*unusual_finishes(self.connection), {GROUPING: grouping} if grouping else {})

    @property
    def never_made(self) -> Collection[str]:
        """Keys of calls that a recording has no reply to."""
        return self._askings.never_made

    def askings(self) -> Mapping[AskedAs, Attended]:
        """Who was asked as what, over all that was played, and what came of it."""
        for cell in self.cells:
            self.seen(cell)
        return self._askings.by_place

    def draft_tables(self) -> list[DraftTable]:
        """Every team, cohort of one and way of drafting, told apart by the calls of the drafts: see `draft_calls`."""
        cells: dict[str, list[Stored]] = {}
        for cell in self.cells:
            if cell["player"] is None:
                cells.setdefault(table_of(cell), []).append(cell)
        for name, team_cells in cells.items():
            if name not in self._draft_tables:
                self._draft_tables[name] = self._tables_named(name, team_cells)
        return [table for name in cells for table in self._draft_tables[name]]

    def draft_table(self, cell: Stored) -> DraftTable:
        """Where a team's cell is measured."""
        if cell["id"] not in self._table_by_cell:
            self.draft_tables()
        return self._table_by_cell[cell["id"]]

    def drafts(self, table: DraftTable) -> TeamDrafts:
        """What the players of a table said alone, as far as somebody has played there."""
        return self._drafts[table.name]

    def known_drafts(self, table: DraftTable, key: Key) -> tuple[Answer, ...]:
        """What the players of a table said alone, by whichever play it is known, in the order of their seats.

        Whom nobody at the table waited for may have been played alone, by the same call.
        """
        drafts = self.drafts(table)
        known = drafts.drafts_heard(key)
        for player in drafts.not_heard(key):
            if (said := self._said_alone(table, player).get(key)) is not None:
                known[player] = Answer(player, said)
        return tuple(known[player] for player in table.players if player in known)

    def _said_alone(self, table: DraftTable, player: str) -> Mapping[Key, str]:
        cell = table.alone.get(player)
        if cell is None:
            return {}
        if cell["id"] not in self._said:
            self._said[cell["id"]] = {each.key: each.said for each in self.seen(cell) if each.said is not None}
        return self._said[cell["id"]]

    def _tables_named(self, name: str, cells: Sequence[Stored]) -> list[DraftTable]:
        players = [player["name"] for player in json.loads(cells[0]["spec"])["players"]]
        alone = [cell for cell in playing_alone(self.cells, cells[0]) if cell["player"] in players]
        made: dict[str, MadeByKey] = {}
        if len(alone) + sum(cell["traits"].drafts is not None for cell in cells) > 1:
            made |= {cell["id"]: made_alone(cell["player"] or "", self.seen(cell)) for cell in alone}
        for cell in cells:
            self.seen(cell)
            made[cell["id"]] = self._cell_drafts[cell["id"]].made
        tables = draft_tables(name, players, cells, alone, made)
        read = self._read[name]
        for table in tables:
            self._drafts[table.name] = read if len(tables) == 1 else self._part(read, table)
            self._table_by_cell |= {cell["id"]: table for cell in table.cells}
        for cell in cells:  # they tell no more than whose is which
            del self._cell_drafts[cell["id"]]
        return tables

    def _part(self, read: TeamDrafts, table: DraftTable) -> TeamDrafts:
        """Of all that was read of a team, what belongs to one of its tables."""
        seen = [episode for cell in table.cells for episode in self.seen(cell)]
        not_needed: dict[Key, set[str]] = {}
        for cell in table.cells:
            for key, players in self._cell_drafts[cell["id"]].not_needed.items():
                not_needed.setdefault(key, set()).update(players)
        return read.part([(episode.key, episode.drafts) for episode in seen if episode.drafts], not_needed)

    def _marked(self, episodes: list[EpisodeOutline]) -> list[EpisodeOutline]:
        """With those told apart whose answers wait for a grade, and those without one of which nobody knows what is right."""
        mark, of = self.grades.marked, self.cases
        unsure = (one.right is None or one.outcome not in WITH_ANSWER for one in episodes)
        marked = [mark(one, of[one.key[0]]) if do else one for do, one in zip(unsure, episodes, strict=True)]
        return named_if_none_came(marked)

    def _not_chosen_on(self, cell: Stored, episodes: list[EpisodeOutline]) -> list[EpisodeOutline]:
        but = self.chosen_on(cell)
        return [episode for episode in episodes if episode.key[0] not in but] if but else episodes

    def episodes(self, cell: Stored) -> Iterator[Recorded]:
        """Every play of a cell, in the order of the questions. Verdicts are read as they are asked for, and not kept."""
        for row in self.results(cell):
            yield recorded(cell, self.cases[row["question"]], row, self.graded_as(row)[0], self.never_made)

    def groups(self, episode: Recorded) -> Groups:
        """Who said the same among the drafts of an episode: as the team grouped them, else by what was matched. Nothing where
        its strategy promises no drafts given alone."""
        cell = episode.cell
        drafts = drafts_of(cell, episode.verdict)
        if not drafts:
            return ()
        # Its table holds what was grouped, be it by another strategy of the same drafts. Who plays alone sits at none.
        table = TeamDrafts() if cell["player"] is not None else self.drafts(self.draft_table(cell))
        return grouped_drafts(self, episode.key, drafts, table)

    def holders(self, episode: Recorded, text: str | None) -> frozenset[str] | None:
        """Whose drafts mean what a captain, a reviewer, a summariser or a juror said of an episode; empty: it is new.

        None: nobody said anything, or nobody knows whose it is.
        """
        drafts = drafts_of(episode.cell, episode.verdict)
        if text is None or not drafts:
            return None
        holders = _holders(self, episode.key, drafts, text, self.groups(episode))
        return None if holders is None else frozenset(holders)

    def open_words(self, right: float | None, text: str | None) -> str | None:
        """What an ungraded answer says, as its grade will go by it; None where it has one, or says nothing."""
        return self.grades.open_words(right, text)

    def graded_as(self, row: Row) -> tuple[float | None, WayOfGrading]:
        """What a row of `results` is worth, and how it came by that."""
        return self.grades.of_row(row, self.cases[row["question"]])

    def grade(self, case: Case, text: str | None) -> float | None:
        """What a text is worth that is no verdict, such as the draft of somebody who was never played alone.

        By the grader, by what judges have said of it and by a person's word; None where the grader leaves it open, where
        judges are named and have not said anything usable, and where nobody has said yet what is right. Nothing said is
        not right: 0.
        """
        return self.grades.score(case, text).value

    def graded(self, case: Case, text: str | None) -> tuple[float | None, WayOfGrading]:
        """The same, and how it came by its grade."""
        return self.grades.of_text(case, text)

    @cached_property
    def _at_once(self) -> bool:
        """Whether the experiment is so much of its store that the tables are read from end to end."""
        return pays(self.connection, len(self.cases) * len(self.cells))

    @cached_property
    def _spending(self) -> Spending:
        return Spending(self.connection, self.name, at_once=self._at_once)

    def spent(self, keys: Iterable[str]) -> dict[str, Spent]:
        """What each call took, read once; those that are not stored are left out."""
        return self._spending.by_key(set(keys))

    def spending(self, keys: Collection[str]) -> list[Spent]:
        """The same of these different keys, where it does not matter which is whose."""
        return self._spending.of(keys)

    def paid_usd(self, seen: Sequence[EpisodeOutline]) -> list[float | None]:
        """What the calls of each episode cost. One unknown cost makes the sum unknown."""
        return self._spending.paid_usd(seen)

    def bill_usd(self) -> float | None:
        return self._spending.bill_usd()

    def costs_usd(self, keys: Iterable[str]) -> dict[str, float | None]:
        return {key: spent[3] for key, spent in self.spent(keys).items()}


def groups_of(source: Source, seen: EpisodeOutline, table: TeamDrafts) -> Groups:
    """Who said the same among the drafts of this episode."""
    return grouped_drafts(source, seen.key, seen.drafts, table)


def grouped_drafts(source: Source, key: Key, episode_drafts: tuple[Answer, ...], table: TeamDrafts) -> Groups:
    """Groups of exactly these drafts, be it that another strategy grouped them. `episode_drafts`: the drafts of an episode, which
    are the table's own or others; the table's where it has none."""
    drafts, (question, repeat) = episode_drafts or table.drafts.get(key, ()), key
    place = key, said_of(drafts)
    if place not in table.groups:
        asked = source.cases[question].question
        table.groups[place] = source.matches.groups(asked, repeat, drafts)
        if source.matches.by_words(asked, repeat, drafts):
            table.by_words.add(place)
    return table.groups[place]


def chosen_by(source: Source, seen: EpisodeOutline, groups: Groups) -> set[str] | None:
    """Whose drafts say what the one who decided then said; nobody's: it is new. None: not known, or it said nothing."""
    return None if seen.word is None else _holders(source, seen.key, seen.drafts, seen.word, groups)


def _holders(source: Source, key: Key, drafts: tuple[Answer, ...], word: str, groups: Groups) -> set[str] | None:
    proposers = source.matches.proposers(source.cases[key[0]].question, key[1], drafts, word)
    if proposers is None:
        return None
    # Its own draft in other words is its own draft: whoever grouped the drafts has said so.
    alike = {player for group in groups if set(group) & set(proposers) for player in group}
    return alike | set(proposers)
