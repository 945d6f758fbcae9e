"""Everybody who answered twice: alone, and after having heard the others. One pair a question, player and play."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from second_way.meanings import plain
from second_way.raw import Cell, Episode, Raw
from second_way.shares import Failed, Grade, KeptBack, NeverCame, Ungraded, Value, graded, never_came, unfair, value_of
from second_way.tables import table_name, table_of

ANSWERED = ("answered", "undecided")


@dataclass(frozen=True)
class Side:
    """One answer of a pair."""

    outcome: str
    right: float | None
    """From 0 to 1; None: there is an answer and nobody has graded it."""
    grade: Grade
    """The same, and how it came by that."""
    said: str | None = None
    """What it says, of an answer that nobody has graded."""

    @property
    def value(self) -> Value:
        return value_of([self.grade], [self.said])

    @property
    def given(self) -> bool:
        return self.outcome in ANSWERED

    @property
    def least(self) -> float:
        return self.right or 0.0

    @property
    def most(self) -> float:
        if self.grade is Ungraded.SILENT:
            return 0.0
        return 1.0 if self.right is None else self.right


@dataclass(frozen=True)
class Pair:
    question: str
    dataset: str | None
    repeat: int
    player: str
    cohort: str | None
    native: Side
    after: Side
    own_word: bool
    """False: votes were counted, so the answer after is nobody's own."""

    @property
    def graded(self) -> bool:
        return self.native.right is not None and self.after.right is not None

    @property
    def waits(self) -> bool:
        """Whether an answer of it has no grade yet, and will have one."""
        return any(side.right is None and side.grade is None for side in (self.native, self.after))

    @property
    def same(self) -> bool:
        """Whether nobody has graded what it said, and it said it again."""
        return self.native.right is None and self.native.said is not None and self.native.said == self.after.said

    @property
    def uncounted(self) -> bool:
        """Whether it may be any change: it waits, or nobody waited for the answer alone."""
        return not self.same and (self.waits or self.native.grade is Ungraded.NOT_HEARD)

    @property
    def abstained(self) -> bool:
        """Whether no answer was given after, since it was not sure enough: nothing is repaired by that, nor spoilt."""
        return self.after.outcome == "abstained"

    @property
    def sign(self) -> int:
        """Whether the score rose (1), fell (-1) or did neither; nothing is known of what is not graded."""
        if self.abstained or self.native.right is None or self.after.right is None:
            return 0
        gain = round(self.after.right - self.native.right, 9)
        return (gain > 0) - (gain < 0)

    @property
    def rescue(self) -> bool:
        return self.native.given and self.sign > 0

    @property
    def regression(self) -> bool:
        return self.native.given and self.sign < 0

    @property
    def recovered(self) -> bool:
        return not self.native.given and self.sign > 0

    @property
    def parted(self) -> bool:
        """Whether it is graded and one of its answers is neither right nor wrong."""
        return self.graded and {self.native.right, self.after.right} - {0.0, 1.0} != set()

    @property
    def may_be_rescue(self) -> bool:
        may_be = not self.graded and not self.same and not self.abstained
        given = self.native.given or self.native.grade is Ungraded.BROKEN
        return may_be and given and self.native.least < self.after.most

    @property
    def may_be_regression(self) -> bool:
        return not self.graded and not self.same and not self.abstained and self.native.most > self.after.least


@dataclass(frozen=True)
class Other:
    """What somebody says alone who leads no play of a stage."""

    question: str
    repeat: int
    player: str
    cohort: str | None
    native: Side


@dataclass(frozen=True)
class Stage:
    """One strategy of one team, over all captains and cohorts."""

    label: str
    team: str | None
    pairs: Sequence[Pair]
    others: Sequence[Other] = ()
    idle: Sequence[Cell] = ()
    """Those of its cells that nothing was played of."""

    @property
    def named(self) -> dict[str, Any]:
        return {"stage": self.label, "team": self.team}

    def by_cohort(self) -> list[tuple[str | None, Sequence[Pair]]]:
        """Each cohort; and all of them, unless there is only one."""
        parts = {name: part for name, part in split(self.pairs, lambda pair: pair.cohort).items() if name is not None}
        return [*parts.items(), *([(None, self.pairs)] if len(parts) != 1 else [])]


Key = TypeVar("Key", bound=Hashable)


def split(pairs: Iterable[Pair], key: Callable[[Pair], Key]) -> dict[Key, list[Pair]]:
    """In the order of the keys as text."""
    parts: dict[Key, list[Pair]] = {}
    for pair in pairs:
        parts.setdefault(key(pair), []).append(pair)
    return dict(sorted(parts.items(), key=lambda part: str(part[0])))


def stages(raw: Raw) -> list[Stage]:
    """In the order of the file; only those in which somebody answered twice."""
    together: dict[tuple[str | None, str], list[Cell]] = {}
    for cell in raw.cells:
        if cell.captain is not None and "captain" in cell.traits:
            together.setdefault((cell.team, cell.label), []).append(cell)
    found = [
        Stage(
            label,
            team,
            [pair for cell in cells for pair in _pairs(raw, cell)],
            list(_others(raw, cells)),
            [cell for cell in cells if not raw.episodes(cell)],
        )
        for (team, label), cells in together.items()
    ]
    return [stage for stage in found if stage.pairs]


def _others(raw: Raw, cells: Sequence[Cell]) -> Iterable[Other]:
    leading = {(table_name(cell), cell.captain) for cell in cells if raw.episodes(cell)}
    seen = set()
    for cell in cells:
        table = table_of(raw, cell)
        alone = {(play.player, play.question, play.repeat): play for play in table.alone}
        for episode in raw.episodes(cell):
            drafts = episode.repeat // int(cell.traits.get("repeats", 1))
            for player in table.sources:
                place = (table_name(cell), player, episode.question, episode.repeat)
                if (table_name(cell), player) in leading or place in seen:
                    continue
                seen.add(place)
                play = alone.get((player, episode.question, drafts))
                grade = Ungraded.NOBODY if play is None else play.right
                side = _side("answered", grade, None if play is None else play.said)
                yield Other(episode.question, episode.repeat, player, cell.cohort, side)


def drafting(cell: Cell) -> str:
    return str(cell.traits.get("drafts", "single-call"))


def _pairs(raw: Raw, cell: Cell) -> list[Pair]:
    """With whose answers alone never came told apart: all of them failed that anybody waited for."""
    pairs = list(_as_played(raw, cell))
    if any(pair.native.outcome != "failed" for pair in pairs if pair.native.grade is not Ungraded.NOT_HEARD):
        return pairs
    return [replace(pair, native=_never(pair.native)) for pair in pairs]


def _never(side: Side) -> Side:
    return replace(side, grade=NeverCame(0.0)) if isinstance(side.grade, Failed) else side


def _as_played(raw: Raw, cell: Cell) -> Iterable[Pair]:
    solo = table_of(raw, cell).solo.get(cell.captain or "")
    alone = {
        (episode.question, episode.repeat): _said_by(episode)
        for episode in (raw.episodes(solo) if solo is not None else ())
    }
    drafts = _own_drafts(raw, cell)
    for episode in raw.episodes(cell):
        # Where a strategy decides several times from the same drafts, all of these rest on one native answer.
        place = episode.question, episode.repeat // int(cell.traits.get("repeats", 1))
        native = alone.get(place) or drafts.get((episode.question, episode.repeat))
        if native is not None:
            after = _said_by(episode)
            yield Pair(
                episode.question,
                raw.questions[episode.question]["set"],
                episode.repeat,
                str(cell.captain),
                cell.cohort,
                native,
                _never(after) if episode.never_came else after,
                own_word(cell, episode),
            )


def _own_drafts(raw: Raw, cell: Cell) -> dict[tuple[str, int], Side]:
    """What the captain said alone in the very episode. Where it did not wait for that, what the captain said at the same
    table in another play, by the same call; open where none has waited."""
    if "drafts" not in cell.traits:
        return {}
    found = {
        (row["question_id"], row["repeat"]): OPEN
        if row["text"] is None and _is_missing(raw, row)
        else _side(row["outcome"], raw.draft_grades[row["question_id"], row["text"]], row["text"])
        for row in raw.tables["drafts"]
        if row["cell"] == cell.id and row["by"] == cell.captain
    }
    elsewhere = {play.key: play for play in table_of(raw, cell).alone if play.player == cell.captain}
    for episode in raw.episodes(cell):
        for record in episode.traces:
            if record["kind"] == "not-needed" and cell.captain in record["players"]:
                play = elsewhere.get((episode.question, episode.repeat // int(cell.traits.get("repeats", 1))))
                if play is None or not play.heard:
                    side = Side("answered", None, Ungraded.NOT_HEARD)
                else:
                    side = _side("answered" if play.answered else "unanswered", play.right, play.said)
                found[episode.question, episode.repeat] = side
    return found


def _is_missing(raw: Raw, row: Mapping[str, Any]) -> bool:
    return (row["question_id"], row["repeat"], row["by"]) in raw.missing and raw.waits(row["question_id"])


def of_everybody(pairs: Sequence[Pair]) -> tuple[list[Pair], int]:
    """Those of plays of which nobody is missing who is in any, and how many questions have no such play."""
    who = {(pair.cohort, pair.player) for pair in pairs}
    seats = {(pair.question, pair.repeat, pair.cohort, pair.player) for pair in pairs}
    whole = [pair for pair in pairs if all((pair.question, pair.repeat, *seat) in seats for seat in who)]
    return whole, len({pair.question for pair in pairs}) - len({pair.question for pair in whole})


def nobody_there(pairs: Sequence[Pair]) -> bool:
    """Whether somebody among them never answered, alone or after."""
    return never_came([pair.native.grade, pair.after.grade] for pair in pairs)


def unfair_pairs(pairs: Sequence[Pair]) -> bool:
    """Whether what is graded of them flatters. Somebody's repeats of a question wait together."""
    together = split(pairs, lambda pair: (pair.question, pair.player, pair.cohort)).values()
    return unfair([[side.grade for pair in own for side in (pair.native, pair.after)] for own in together])


def _said_by(episode: Episode) -> Side:
    """Of what will be played again nobody knows anything."""
    return OPEN if episode.opened else _side(episode.outcome, episode.right, episode.answer)


OPEN = Side("answered", None, None)


def _side(outcome: str, grade: Grade, text: str | None) -> Side:
    """Without an answer nothing is right; an answer without a grade is neither."""
    if grade in (Ungraded.SILENT, Ungraded.BROKEN):
        return Side(outcome, None, grade)
    if outcome not in ANSWERED:
        return Side(outcome, 0.0, {"failed": Failed, "abstained": KeptBack}.get(outcome, float)(0.0))
    if not graded(grade):
        return Side(outcome, None, grade, None if text is None else plain(text))
    return Side(outcome, float(grade), grade)


def own_word(cell: Cell, episode: Episode) -> bool:
    """A captain that only breaks ties has no word, nor has one that was not asked because votes settled it."""
    if cell.traits["captain"] == "breaks-ties":
        return False
    asked = any(record["kind"] == "shown" and record["to"] == cell.captain for record in episode.traces)
    only_captain = cell.traits.get("asks") == "captain" and cell.traits.get("groups", False)
    return asked or not only_captain or episode.outcome not in ANSWERED
