"""The stages of a run: strategies in which somebody answers twice, alone and after hearing the others.

What it said alone comes from its own cell with the same drafting, where the experiment has one and it is the same call;
else it is the draft that it gave in the very episode, graded as any answer is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from moot.measures.cells import Stored, table_of
from moot.measures.episodes import EpisodeOutline
from moot.measures.played_again import graded_draft
from moot.measures.quiz.played import UNPLAYED, solos
from moot.measures.quiz.plays import plays_of
from moot.measures.safety.pairs import Native, Pair, native_value
from moot.measures.source import Source
from moot.stats.graded import WayOfGrading
from moot.store.rows import verdict_of
from moot.strategies.natives import SINGLE_CALL
from moot.strategies.traits import Traits
from moot.traces import Review, of_kind
from moot.types import FAILED, WITH_ANSWER

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stage:
    """One strategy of one team, over all its captains and cohorts, as pairs of before and after."""

    label: str
    team: str | None
    traits: Traits
    pairs: tuple[Pair, ...]
    tables: frozenset[str]
    """Whose drafts its native answers are."""
    others: tuple[Native, ...] = ()
    """Members of the team who do not answer again, or have not yet, on the same questions."""
    reviews: bool = False
    """Whether the others' reasons were reviewed, and not only read."""
    not_begun: tuple[Stored, ...] = ()
    """Cells of the plan that have not played anything; nobody planned which cell of a served team plays."""

    @property
    def named(self) -> Row:
        return {"stage": self.label, "team": self.team}

    def not_begun_of(self, cohort: str | None) -> Row:
        """Who is in no figure of a cohort, or of all (None), since it has not begun; nothing where all have."""
        names = [str(cell["captain"]) for cell in self.not_begun if cohort in (None, cell.get("cohort"))]
        return {"not_begun": names} if names else {}


def drafting(cell: Stored) -> str:
    """How native answers were asked for; of one that says nothing, in the usual way."""
    return cell["traits"].drafts or SINGLE_CALL


def led_cells(cells: Iterable[Stored]) -> list[Stored]:
    """Those in which somebody answers for the others, having heard them: each is of a stage."""
    return [cell for cell in cells if cell["captain"] is not None]


def stages_of(source: Source, led: Sequence[Stored]) -> Iterator[Stage]:
    together: dict[tuple[str | None, str], list[Stored]] = {}
    for cell in led:
        together.setdefault((cell["team"], cell["label"]), []).append(cell)
    for (team, label), cells in together.items():
        pairs = tuple(pair for cell in cells for pair in native_pairs(source, cell))
        tables = frozenset(source.draft_table(cell).name for cell in cells)
        others = tuple(_others(source, cells))
        not_begun = () if source.served else tuple(cell for cell in cells if not source.seen(cell))
        yield Stage(label, team, cells[0]["traits"], pairs, tables, others, _reviews(source, cells), not_begun)


def _others(source: Source, stage_cells: Sequence[Stored]) -> Iterator[Native]:
    """What the members say alone who have led nothing in this stage, of each play. Of what they were not asked nobody knows."""
    beside: dict[str, list[Stored]] = {}
    for cell in stage_cells:
        beside.setdefault(table_of(cell), []).append(cell)
    for cells in beside.values():
        table = source.draft_table(cells[0])
        begun = {cell["captain"] for cell in cells if source.seen(cell)}
        silent = [player for player in table.players if player not in begun]
        if not silent:
            continue
        alone = {
            (play.player, *play.drafts): native_value(
                play.right, play.outcome, play.way if play.heard else "not heard", play.open_words, play.never_came
            )
            for play in solos(plays_of(source, table))
        }
        played = dict.fromkeys((episode.key, episode.repeat) for cell in cells for episode in source.seen(cell))
        for player in silent:
            for (question, drafts), repeat in played:
                value = alone.get((player, question, drafts), UNPLAYED)
                yield Native(question, player, value, cells[0].get("cohort"), repeat)


def _reviews(source: Source, cells: Sequence[Stored]) -> bool:
    """Whether somebody has left a review: a captain who reads the reasons and answers gives none."""
    read = [cell for cell in cells if cell["traits"].hears == "reasons"]
    verdicts = (row["verdict"] for cell in read for row in source.results(cell))
    return any('"review"' in verdict and of_kind(verdict_of(verdict).traces, Review) for verdict in verdicts)


def native_pairs(source: Source, cell: Stored) -> list[Pair]:
    """The captain alone, by the calls of its drafts, and as captain.

    Whom nobody waited for would have said something: what it is worth is open.
    """
    alone = source.draft_table(cell).alone.get(cell["captain"] or "")
    before = {native.key: native for native in source.seen(alone)} if alone else {}
    pairs: list[Pair] = []
    for after in source.seen(cell):
        played = before.get(after.key)
        if played is not None:
            pairs.append(_pair(source, after, _Alone(played.right, played.outcome, played.way, played.open_words)))
        elif (native := _own_draft(source, after)) is not None:
            pairs.append(_pair(source, after, native))
    if any(pair.native_outcome != FAILED for pair in pairs if not pair.not_heard):
        return pairs
    return [replace(pair, native_never_came=pair.model) for pair in pairs]


class _Alone(NamedTuple):
    """How right an answer alone was, its outcome, how it was graded, and what it says where nobody has graded it."""

    right: float | None
    outcome: str
    way: WayOfGrading
    open_words: str | None = None


def _own_draft(source: Source, after: EpisodeOutline) -> _Alone | None:
    """The captain's own draft; None: it gave none, be it usable or not.

    One that this play did not wait for may have been heard in another, by the same call.
    """
    captain = after.cell["captain"] or ""
    draft = next((draft for draft in after.drafts if draft.player == captain), None)
    if draft is None:
        drafts = source.drafts(source.draft_table(after.cell))
        if captain not in drafts.not_needed.get(after.key, ()):
            return None
        draft = drafts.drafts_heard(after.key).get(captain)
        if draft is None:
            return _Alone(None, "answered", "not heard")
    right, way = graded_draft(source, after.key, draft)
    return _Alone(right, draft.outcome, way, source.open_words(right, draft.text))


def _pair(source: Source, after: EpisodeOutline, native: _Alone) -> Pair:
    question, cell = after.key[0], after.cell
    case = source.cases[question]
    return Pair(
        question,
        cell["captain"] or "",
        native.right,
        after.right,
        native.outcome,
        after.outcome,
        cohort=cell.get("cohort"),
        repeat=after.repeat,
        dataset=case.question_set,
        own_word=_own_word(after),
        native_way=native.way,
        after_way=after.way,
        native_words=native.open_words,
        after_words=after.open_words,
        after_never_came=after.never_came,
    )


def _own_word(after: EpisodeOutline) -> bool:
    """Whether whoever leads has answered again itself: a vote is one word for all, and a captain only breaks its ties."""
    traits = after.cell["traits"]
    counted_out = traits.groups and traits.asks == "captain" and not after.order
    return traits.captain == "leads" and not (counted_out and after.outcome in WITH_ANSWER)
