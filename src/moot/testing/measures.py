"""Measures: what everything that turns records into figures and sections must do."""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, cast

from moot.needs import EVERYTHING, Needs
from moot.plugins import NotAsExpected
from moot.stats.counted_words import count
from moot.testing.dropped import dropped
from moot.testing.measured_runs import (
    JUDGED,
    NOT_GRADED,
    ONE_RUN,
    PLAYERS,
    RUNS,
    USUAL,
    MeasuredRuns,
    graded_as,
    runs_with,
)
from moot.testing.named_strategies import names_known_to

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from moot.measures.cells import Stored
    from moot.measures.measure import Measure, OwnMeasure
    from moot.measures.section import Section
    from moot.testing.measured_runs import StrategyGiven

Reordering = Callable[["list[Stored]"], "list[Stored]"]


async def check_measure(
    measure: Measure, *, strategies: Sequence[StrategyGiven] = (), keys: Collection[str] = ()
) -> None:
    """Its figures are JSON and the same twice, under keys of its own; its sections show everywhere; nothing makes it fail.

    It is taken on small runs: all graded, some ungraded, with failures, without a team, without a captain, of strategies
    without traits, and of which nothing is played yet. Each provides exactly what the measure needs; where more is on
    record, its figures are the same. What is ungraded is not wrong to it, nor dropped in silence: a figure that would be
    another one if it were graded has bounds, or is null with why. It knows no strategy by its name.

    A measure that says nothing in any of these runs has not been tried. Two players sit at the table, ann and bob.
    `strategies` are played beside solo, vote and silent: those that leave the records it reads, as in a file or as objects.
    `keys` are what its JSON must have.
    """
    from moot.measures.measure import Measure

    assert isinstance(measure, Measure), "a measure has a name, needs, figures(run) and sections(figures)"
    assert measure.name, "a measure has a name"
    assert isinstance(measure.needs, Needs), "what it needs of a run is a Needs"
    tried = _Tried(measure, runs_with(strategies))
    names = names_known_to(measure, tried.runs.names)
    assert not names, f"a measure goes by traits and traces, and never by a strategy's name; found {'; '.join(names)}"
    for name in RUNS:
        if not tried.runs.built_in(name):
            await tried.runs.on_run(name, EVERYTHING, partial(_take_built_in, runs=tried.runs, run=name))
        await tried.runs.on_run(name, measure.needs, partial(tried.check_taken, run=name))
    tried.check_said(keys)
    await tried.check_needs()
    await tried.check_ungraded()


@dataclasses.dataclass
class _Tried:
    """One measure on the runs that it is tried on, and under which keys it has said something in any of them."""

    measure: Measure
    runs: MeasuredRuns
    said: set[str] = dataclasses.field(default_factory=set)

    def taken(self, connection: Connection, run: str, order: Reordering = list) -> dict[str, Any]:
        """Its figures of a run, with its cells in another order or some of them only."""
        from moot.measures.read_only import read_only
        from moot.measures.source import Source
        from moot.report.figures import find_experiment

        before, _ = _built_in_figures(self.measure, self.runs.built_in(run))
        source = Source(connection, find_experiment(connection, "cup"))
        source.cells = order(source.cells)
        source.so_far = read_only(before)
        return dict(self.measure.figures(source))

    def check_taken(self, connection: Connection, run: str) -> None:
        from moot.report.figures import find_experiment
        from moot.store import queries

        taken = partial(self.taken, connection, run)
        _, others = _built_in_figures(self.measure, self.runs.built_in(run))
        figures = taken()
        text = json.dumps(figures, allow_nan=False)  # NaN is no JSON: what is not known is None
        assert json.loads(text).keys() == figures.keys(), f"keys of figures must be words ({run})"
        assert taken() == figures, f"the figures of one run differ when they are taken twice ({run})"
        self.check_keys(figures, run)
        self.said |= {key for key, figure in figures.items() if _says_something(figure)}
        _check_sections(self.measure, {**others, **figures}, run)
        _check_sections(self.measure, others, f"{run}, without its figures")
        for place in range(len(queries.cells_of(connection, find_experiment(connection, "cup")["id"]))):
            if taken(lambda cells, out=place: cells[:out] + cells[out + 1 :]) == figures:  # type: ignore[misc]
                moved = taken(lambda cells, last=place: [*cells[:last], *cells[last + 1 :], cells[last]])  # type: ignore[misc]
                assert moved == figures, f"a cell that it does not speak of changed its figures by its place ({run})"

    def check_keys(self, figures: Mapping[str, Any], run: str) -> None:
        """No key of moot's own; of moot's own measures those that they declare, which is what keeps others off."""
        from moot.measures.reserved import refused_key

        if (ours := _own(self.measure)) is not None:
            undeclared = sorted(figures.keys() - set(ours.keys))
            assert not undeclared, f"{', '.join(undeclared)}: in its figures, and not among its keys ({run})"
            return
        for key in figures:
            assert (refusal := refused_key(key)) is None, f"{self.measure.name}: {refusal} ({run})"

    def check_said(self, keys: Collection[str]) -> None:
        """What has said nothing has not been tried, and would pass whatever it does."""
        played = ", ".join((*USUAL, *self.runs.names))
        players = f"{count(len(PLAYERS), 'player')} ({', '.join(PLAYERS)})"
        advice = "give those that leave the records it reads: check_measure(measure, strategies=[...])"
        assert self.said, f"{self.measure.name}: it says nothing in any run of {played} with {players}; {advice}"
        missing = sorted(set(keys) - self.said)
        assert not missing, (
            f"{self.measure.name}: {', '.join(missing)}: expected in its figures, and in no run of {played}; found"
            f" {', '.join(sorted(self.said))}; {advice}"
        )

    async def figures_of(self, run: str, needs: Needs, *changes: str) -> dict[str, Any]:
        """Its figures of a run that provides these needs, after some changes of its store."""
        figures: dict[str, Any] = {}
        await self.runs.on_run(
            run, needs, lambda connection: figures.update(self.taken(connection, run)), changes=changes
        )
        return figures

    async def check_needs(self) -> None:
        """What it did not ask for is on record wherever another measure did, and is not for its figures to hang on."""
        needs = self.measure.needs
        as_needed = await self.figures_of(JUDGED, needs, ONE_RUN)
        with_more = await self.figures_of(JUDGED, EVERYTHING, ONE_RUN)
        for key in sorted(as_needed.keys() | with_more.keys()):
            missing = ", ".join(need.name for need in dataclasses.fields(Needs) if not getattr(needs, need.name))
            assert as_needed.get(key) == with_more.get(key), (
                f"{key}: another figure where more is graded or grouped than it needs: it reads something of {missing}"
            )

    async def check_ungraded(self) -> None:
        """An answer that nobody could grade is not wrong: once somebody says that it is, something must change."""
        ungraded, wrong, right = [
            await self.figures_of(NOT_GRADED, self.measure.needs, *graded_as(grade)) for grade in (None, False, True)
        ]
        for key in ungraded:
            for as_ungraded, as_wrong, as_right in _rows_together(ungraded[key], wrong.get(key), right.get(key)):
                assert as_ungraded != as_wrong or as_wrong == as_right, (
                    f"{key}: what is ungraded is counted as wrong, and nothing tells so: expected bounds, or null with"
                    f" why, or how many are graded; found {as_ungraded!r:.300}"
                )
                for problem in dropped(as_ungraded, as_wrong, as_right):
                    raise AssertionError(f"{key}: {problem}; found {as_ungraded!r:.300}")


def _says_something(figure: Any) -> bool:
    """An empty list or null is what there is to say of nothing; 0 is a figure."""
    return figure is not None and figure not in ([], {}, "")


def _rows_together(*figures: Any) -> Iterator[tuple[Any, ...]]:
    """Rows of the same place, where all have as many; else the whole."""
    if all(isinstance(figure, list) for figure in figures) and len(set(map(len, figures))) == 1:
        yield from zip(*figures, strict=True)
    else:
        yield figures


def _take_built_in(connection: Connection, runs: MeasuredRuns, run: str) -> None:
    from moot.measures import BUILT_IN
    from moot.measures.source import Source
    from moot.report.figures import find_experiment

    source = Source(connection, find_experiment(connection, "cup"))
    by_measure = runs.built_in(run)
    for name, place in BUILT_IN.items():
        by_measure[name] = dict(resolve_name(place)().figures(source))
        source.so_far = {**source.so_far, **by_measure[name]}


def _own(measure: Measure) -> OwnMeasure | None:
    """The measure, if it is one of moot's own."""
    from moot.measures import BUILT_IN, MEASURES

    ours = measure.name in BUILT_IN and MEASURES.is_registered(measure)
    return cast("OwnMeasure", measure) if ours else None


def _built_in_figures(
    measure: Measure, built_in: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of the built-in measures that come before this one, and of all but this one."""
    from moot.measures import BUILT_IN

    own_name = None if _own(measure) is None else measure.name
    names = [name for name in BUILT_IN if name != own_name]
    before = itertools.takewhile(lambda name: name != own_name, BUILT_IN)

    def joined(several: Iterable[str]) -> dict[str, Any]:
        return {key: value for name in several for key, value in built_in[name].items()}

    return joined(before), joined(names)


def _check_parts(measure: Measure, section: Section, run: str) -> None:
    """As a report would: a key that no row has is a misspelt one, in a column or in a drawing."""
    from moot.measures.checked_sections import checked_sections

    try:
        checked_sections([section])
    except NotAsExpected as error:
        raise AssertionError(f"{measure.name}: {error} ({run})") from None


def _check_sections(measure: Measure, figures: dict[str, Any], run: str) -> None:
    """Sections of all figures: in the terminal, as a table, and as the page's JSON."""
    import io

    from rich.console import Console

    from moot.measures.reserved import refused_id
    from moot.measures.section import Section
    from moot.report.section_terminal import section_parts
    from moot.report.tables import section_columns

    ids: list[str] = []
    ours = _own(measure)
    for section in measure.sections(figures):
        assert isinstance(section, Section), f"sections are Sections ({run})"
        ids.append(section.id)
        if ours is not None:
            assert section.id in ours.section_ids, f"{section.id}: not among its section_ids ({run})"
        else:
            assert (refusal := refused_id(section.id)) is None, f"{measure.name}: {refusal} ({run})"
        json.dumps(dataclasses.asdict(section), allow_nan=False)
        if ours is None:
            _check_parts(measure, section, run)
        console = Console(file=io.StringIO(), width=80)
        for part in section_parts(section):
            console.print(part)
        assert max(map(len, section_columns(section).values()), default=0) == len(section.rows), (
            f"{section.id}: a row is missing in its table ({run})"
        )
    assert len(ids) == len(set(ids)), f"two sections of one name: {ids} ({run})"
