"""Plays that went on without somebody, and what may be claimed of them: less than of whole ones.

A run that is run again asks those again who could not be reached, and a recording that lacks replies may be completed; then the
play may come to something else. So "more" or "less" is said only of what is that whatever such plays come to: with each of them
wrong, and right what is missing of whoever it is held against; or the other way round. A hypothesis, which may be of any figure,
stays open where more than a few plays of what it names are such.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from moot.experiment.claims import parse
from moot.experiment.side_names import ClaimError
from moot.measures.cells import Stored
from moot.measures.claims.cut_short import without_claims
from moot.measures.claims.over_singles import PlayedOption, best_of_singles, over_best
from moot.measures.claims.plays_without import too_many_without
from moot.measures.claims.side_cells import cells_of_side
from moot.measures.claims.standing import claims_of
from moot.measures.claims.words import unreached_words
from moot.measures.episodes import EpisodeOutline
from moot.measures.missing_words import missing_words
from moot.measures.source import Source
from moot.measures.unrecorded import unrecorded_of
from moot.stats.counted_words import few_names
from moot.stats.graded import FEW_WAITING, Value, ValuesByName
from moot.stats.quantiles import ALPHA

Row = dict[str, Any]
KEY = "unreached"
OVER = ("over_best_single", "over_captain")
"""What a headline is held against."""

WhoByQuestion = Mapping[str, set[str]]
"""By question: who was missing."""
QuestionsByName = Mapping[str, set[str]]
"""By title of a single: the questions on which what it says may come yet."""


def who_by_question(source: Source, cells: Iterable[Stored], asked: Collection[str]) -> WhoByQuestion:
    """Of these questions, and some play of these cells. Nobody plays again what was asked of a served team."""
    found: dict[str, set[str]] = {}
    for cell in () if source.served else cells:
        for episode in source.seen(cell):
            if episode.unreached and episode.key[0] in asked:
                found.setdefault(episode.key[0], set()).update(episode.unreached)
    return found


def with_singles(
    who: WhoByQuestion, missing: QuestionsByName, players: Mapping[str, str], asked: Collection[str]
) -> WhoByQuestion:
    """The same with the singles who are `missing` on one of these questions. `players`: by title, since one player may be
    several singles, in however many ways it was asked."""
    found = {question: set(several) for question, several in who.items()}
    for name, questions in missing.items():
        for question in questions.intersection(asked):
            found.setdefault(question, set()).add(players.get(name, name))
    return found


def unreached_row(source: Source, who: WhoByQuestion, of: int) -> Row:
    """Nothing where nobody was missing. `of`: so many questions."""
    names = sorted({name for several in who.values() for name in several})
    row = {"questions": len(who), "of": of, "who": names, "withheld": False}
    recorded = unrecorded_of(source, names)
    return {KEY: {**row, "unrecorded": recorded} if recorded else row} if who else {}


def withheld(headline: Row) -> Row:
    """The same without what it claims."""
    why = unreached_words(headline[KEY])
    beside = {key: {**without_claims(claim), "why": why} for key in OVER if (claim := headline[key]) is not None}
    return {**headline, **beside, "low": None, "high": None, KEY: {**headline[KEY], "withheld": True}}


def without_over_best(headline: Row) -> Row:
    """The same without what it claims over the best single model: those who could not be reached may be better, or the team."""
    over = {**without_claims(headline[OVER[0]]), "why": unreached_words(headline[KEY])}
    return {**headline, OVER[0]: over, KEY: {**headline[KEY], "withheld": True}}


def flipped(values: Mapping[str, Value], questions: Collection[str], *, right: bool) -> dict[str, Value]:
    """The same with all of these right, or wrong."""
    end = Value(1.0, 1.0, 1.0) if right else Value(0.0, 0.0, 0.0)
    return {question: end if question in questions else value for question, value in values.items()}


def turned_round(
    over: Row,
    options: Sequence[PlayedOption],
    option: int,
    singles: ValuesByName,
    missing: QuestionsByName,
    values: Mapping[str, Value],
    without: Collection[str],
    *,
    pooled: bool,
    seed: int,
) -> bool:
    """Whether what is claimed against the best single could be otherwise once nobody is missing. `without`: the questions
    that the option was played on without somebody; `missing`: those of each single; the rest is as for `over_best`."""
    if not (said := claims_of(over)):
        return False
    more = over["difference"] > 0
    alone = {name: flipped(own, missing[name], right=True) for name, own in singles.items()} if more else singles
    own, every = flipped(values, without, right=not more), list(options)
    every[option] = _Flipped(own)
    single, *_ = best_of_singles(alone, list(own))  # somebody was the best of them before
    again = over_best(every, option, alone, single, own, pooled=pooled, seed=seed)
    return again is None or claims_of(again) != said


def may_be_best(singles: ValuesByName, missing: QuestionsByName, single: str, asked: Collection[str]) -> bool:
    """Whether somebody who is missing on more than a few of these, be it the best single, may be as good once it is not."""
    reached = sum(value.least for question, value in singles[single].items() if question in asked)
    for name, own in singles.items():
        here = {question: value for question, value in own.items() if question in asked}
        at_best = sum(1.0 if question in missing[name] else value.most for question, value in here.items())
        if len(missing[name] & here.keys()) > FEW_WAITING * len(asked) and at_best >= reached:
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Flipped:
    """An option that has these values."""

    own: Mapping[str, Value]

    def values(self, asked: Iterable[str], /) -> dict[str, Value]:
        return {question: self.own[question] for question in asked if question in self.own}


def without_the_unreached(
    source: Source, cells: Sequence[Stored], hypotheses: Sequence[Row], again: Callable[[], Sequence[Row]]
) -> list[Row]:
    """Hypotheses, those open of which too much was played without somebody, or which say another thing `again`, where these
    plays may come to anything: by their verdict, or by themselves, without their family."""
    rows = [_opened(source, cells, row) for row in hypotheses]
    claimed = [place for place, row in enumerate(rows) if row["verdict"] != "open" or _says_something(row)]
    others = again() if claimed else ()
    for place in claimed:
        row, other = rows[place], others[place]
        if other["verdict"] != row["verdict"] or (_says_something(row) and not _says_something(other)):
            rows[place] = _open(rows[place], f"{_who(source, cells, rows[place])}, and {TURNED}")
    return rows


def _says_something(row: Row) -> bool:
    """By its own p, that its value is none of chance, whichever the others of its family are."""
    return row.get("p") is not None and row["p"] <= ALPHA


TURNED = "what they come to once all are asked could reverse it"


def _who(source: Source, cells: Sequence[Stored], row: Row) -> str:
    """Who is missing in the plays of whom a hypothesis is about; nobody, where these were whole."""
    return _plays_without(source, [source.seen(cell) for cell, _ in _named(source, cells, row["hypothesis"])])


def _plays_without(source: Source, several: Sequence[Sequence[EpisodeOutline]], of: str = "") -> str:
    without = [each for seen in several for each in seen if each.unreached]
    names = sorted({name for each in without for name in each.unreached})
    why = missing_words(names, unrecorded_of(source, names))
    who = f" ({few_names(names)})" if names else ""
    return f"in {len(without):,} of {sum(map(len, several)):,} plays{of} {why}{who}"


def _open(row: Row, why: str) -> Row:
    return {**without_claims(row), "verdict": "open", "note": f"{row['note']}; {why}" if row["note"] else why}


_OF_FEW_PLAYS = frozenset({"safety_multiple", "gap_closure"})
"""What such a term counts is rare: one play more could settle it, and so could the one that went on without somebody."""


def _opened(source: Source, cells: Sequence[Stored], row: Row) -> Row:
    for cell, few in _named(source, cells, row["hypothesis"]):
        if too_many_without(source, [cell], part=0.0 if few else 1.0, counted=row["n"]):
            return _open(row, _plays_without(source, [source.seen(cell)], f" of {cell['label']}"))
    return row


def _named(source: Source, cells: Sequence[Stored], text: str) -> Iterator[tuple[Stored, bool]]:
    """Whom a hypothesis is about, each with whether a term of its counts what is rare."""
    try:
        for term in parse(text).terms:
            whole = term.function == "gap_closure"  # from its own best to the best of the others, so theirs is in it
            meant = cells_of_side(source, cells, replace(term.side, cohort=None) if whole else term.side)
            yield from ((cell, term.function in _OF_FEW_PLAYS) for cell in ([] if isinstance(meant, str) else meant))
    except ClaimError:
        return
