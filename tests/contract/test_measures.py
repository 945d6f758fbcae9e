"""Every registered measure keeps the contract of measures, and the suite notices when it is broken."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any, ClassVar

import pytest

from moot.measures import registered
from moot.measures.section import Column, Section
from moot.measures.source import Source
from moot.needs import Needs
from moot.testing import check_measure
from moot.traces import claims_in


@pytest.mark.parametrize("name", list(registered()))
async def test_measures(name: str) -> None:
    await check_measure(resolve_name(registered()[name])())


def share_right(values: list[float | None]) -> dict[str, Any]:
    """Over what is graded, with what it may be over all."""
    graded = [value for value in values if value is not None]
    share = {"right": sum(graded) / len(graded) if graded else None, "n": len(graded)}
    if len(graded) == len(values):
        return share if values else {**share, "why": "nothing was played"}
    ends = {"low": sum(graded) / len(values), "high": (sum(graded) + len(values) - len(graded)) / len(values)}
    return {**share, "ungraded": len(values) - len(graded), "bounds": ends}


@dataclass(frozen=True)
class Longest:
    """The longest answer of each cell: through nothing but what a measure of one's own may use."""

    name: ClassVar[str] = "longest"
    needs: ClassVar[Needs] = Needs(grouped_drafts=True)

    def figures(self, run: Source) -> dict[str, Any]:
        rows = []
        for cell in run.cells:
            episodes = list(run.episodes(cell))
            rows.append(
                {
                    "label": cell["label"],
                    "who": cell["player"] or cell["captain"],
                    "longest": max((len(episode.answer or "") for episode in episodes), default=None),
                    **share_right([episode.right for episode in episodes]),
                    "groups": max((len(run.groups(episode)) for episode in episodes), default=None),
                    "calls": len(run.spent({key for episode in episodes for key in episode.calls})),
                }
            )
        return {"longest": rows} if any(row["longest"] for row in rows) else {}

    def sections(self, figures: dict[str, Any]) -> Iterator[Section]:
        columns = (Column("label", "strategy"), Column("longest", "characters"), Column("right", "right", "share"))
        yield Section("longest", "The longest answers", (), columns, figures.get("longest", []))


async def test_a_measure_of_ones_own() -> None:
    await check_measure(Longest())


class Same(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        return {"accuracy": []}


class NotKnown(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        return {"longest": float("nan")}


class EverAnother(Longest):
    numbers = itertools.count()

    def figures(self, run: Source) -> dict[str, Any]:
        return {"longest": [{"longest": next(self.numbers)}]}


class SpeaksOfTheLast(Longest):
    """It is the same without a cell that stands before, and yet another once that cell stands last."""

    def figures(self, run: Source) -> dict[str, Any]:
        return {"longest": [{"label": run.cells[-1]["label"]}]}


class Meddles(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        run.so_far["accuracy"] = []
        return {}


class Greedy(Longest):
    needs: ClassVar[Any] = {"graded_drafts": True}


class DividesByNothing(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        graded = [episode.right for cell in run.cells for episode in run.episodes(cell) if episode.right is not None]
        return {"longest": [{"right": sum(graded) / len(graded)}]}


class DrawsNoWord(Longest):
    def sections(self, figures: dict[str, Any]) -> Iterator[Section]:
        yield Section("longest", "Longest", (), (Column("label", "label"),), [{"label": float("nan")}])


class ReadsUnaskedGrades(Longest):
    """Honest about what is ungraded, and yet it depends on whether another measure asked for grades of drafts."""

    def figures(self, run: Source) -> dict[str, Any]:
        worth = [
            run.grade(episode.case, draft.text)
            for cell in run.cells
            if cell["traits"].drafts
            for episode in run.episodes(cell)
            for draft in episode.verdict.answers
        ]
        return {"longest": [share_right(worth)]}


class AsksForGrades(ReadsUnaskedGrades):
    needs: ClassVar[Needs] = Needs(graded_drafts=True)


class ReadsUnaskedGroups(Longest):
    needs: ClassVar[Needs] = Needs()

    def figures(self, run: Source) -> dict[str, Any]:
        return {
            "longest": [{"groups": sum(len(run.groups(play)) for cell in run.cells for play in run.episodes(cell))}]
        }


class ReadsUnaskedClaims(Longest):
    needs: ClassVar[Needs] = Needs(graded_drafts=True, grouped_drafts=True, matched_words=True)

    def figures(self, run: Source) -> dict[str, Any]:
        plays = [episode for cell in run.cells for episode in run.episodes(cell)]
        worth = [run.grade(play.case, claim) for play in plays for claim in claims_in(play.verdict.traces)]
        return {"longest": [{"graded": sum(value is not None for value in worth), "n": len(worth)}]}


class AsksForGroups(ReadsUnaskedGroups):
    needs: ClassVar[Needs] = Needs(grouped_drafts=True)


class UngradedIsWrong(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        cells = {cell["id"]: [episode.right or 0.0 for episode in run.episodes(cell)] for cell in run.cells}
        return {"longest": [{"right": sum(marks) / len(marks)} for marks in cells.values() if marks]}


class DropsUngraded(Longest):
    """How many are graded it tells, and not what the others may change."""

    def figures(self, run: Source) -> dict[str, Any]:
        rows = []
        for cell in run.cells:
            graded = [episode.right for episode in run.episodes(cell) if episode.right is not None]
            rows.append({"right": sum(graded) / len(graded) if graded else None, "n": len(graded)})
        return {"longest": rows}


class NarrowBounds(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        rows = []
        for cell in run.cells:
            graded = [episode.right for episode in run.episodes(cell) if episode.right is not None]
            value = sum(graded) / len(graded) if graded else None
            rows.append({"value": value, "n": len(graded), "bounds": {"low": value, "high": value}})
        return {"longest": rows}


TEAM_OF_ONE = "solo"


class KnowsAName(Longest):
    def figures(self, run: Source) -> dict[str, Any]:
        return {"longest": [{"cells": sum(map(plays_alone, run.cells))}]}


def plays_alone(cell: Any) -> bool:
    return bool(cell["strategy"] == TEAM_OF_ONE)


@pytest.mark.parametrize("honest", [AsksForGrades(), AsksForGroups()], ids=lambda measure: type(measure).__name__)
async def test_what_is_asked_for_may_be_read(honest: Longest) -> None:
    await check_measure(honest)


@pytest.mark.parametrize(
    ("broken", "error", "words"),
    [
        (Same(), AssertionError, "accuracy: a built-in measure has figures of that name"),
        (NotKnown(), ValueError, "Out of range"),
        (EverAnother(), AssertionError, "differ when they are taken twice"),
        (SpeaksOfTheLast(), AssertionError, "that it does not speak of changed its figures by its place"),
        (Meddles(), TypeError, "figures of others can be read and not written"),
        (Greedy(), AssertionError, "is a Needs"),
        (DividesByNothing(), ZeroDivisionError, "division"),
        (DrawsNoWord(), ValueError, "Out of range"),
        (ReadsUnaskedGrades(), AssertionError, "longest: another figure where more is graded or grouped than it needs"),
        (ReadsUnaskedGroups(), AssertionError, "longest: another figure where more is graded or grouped than it needs"),
        (ReadsUnaskedClaims(), AssertionError, "longest: .* it reads something of graded_claims$"),
        (UngradedIsWrong(), AssertionError, "longest: what is ungraded is counted as wrong"),
        (DropsUngraded(), AssertionError, "longest: right leaves out what is ungraded .* expected bounds"),
        (NarrowBounds(), AssertionError, "longest: its bounds are .* and it may be .* once all is graded"),
        (KnowsAName(), AssertionError, "never by a strategy's name; found .*line [0-9]+: 'solo'"),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, Longest) else "",
)
async def test_the_suite_notices(broken: Longest, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        await check_measure(broken)
