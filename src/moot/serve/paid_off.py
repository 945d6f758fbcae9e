"""Which option of a file is served in front: what it declares, else what its run has shown to be the best, else its first.

Where the file declares nothing and was not run, nobody knows which of its options pays off: then all are offered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from moot.errors import MootError, UsageError
from moot.experiment.plan import Cell, Plan
from moot.experiment.spec import ExperimentFile
from moot.live.offer import ServedOffer, title_of
from moot.live.served_names import as_spelled, declared_name, name_of_side, other_names, served_names
from moot.live.team import LiveTeam
from moot.models.closest import closest
from moot.report.figures import headline_of
from moot.report.stored_runs import headline_words
from moot.report.wanted_plan import WantedPlan
from moot.stats.counted_words import count
from moot.store.examined import examined

NO_RUN = "nothing was measured yet"


@dataclass(frozen=True, slots=True)
class _Best:
    """What a run was the best of; or why there is none."""

    name: str | None
    words: str


async def offer_of(live: LiveTeam, *, only: Sequence[str] = (), every: bool = False) -> ServedOffer:
    """`only`: names of what is to be served. `every`: all of the file. Neither: what paid off."""
    cells = served_names(live.experiment)
    if only and every:
        raise UsageError("--all serves all of the file, --only some of it; expected one of the two")
    chosen = tuple(dict.fromkeys(_named(name, cells) for name in only))
    if len(chosen) == 1:
        return ServedOffer(chosen[0], f"{_told(chosen[0], cells)}asked for with --only", chosen)
    if (declared := declared_name(live.experiment)) is not None:
        first, why, beside, from_run = declared, f"{_told(declared, cells)}declared as primary", (), False
    else:
        best = await _best_of_run(live.file, live.experiment)
        from_run = best.name is not None
        if best.name is None:
            first = live.usual
            why, beside = f"{_told(first, cells)}the first of the file: {best.words}", None
        else:
            first, why, beside = best.name, best.words, ()
    known = beside is not None
    if chosen and not (known and cells[first].id in {cells[name].id for name in chosen}):
        return ServedOffer(chosen[0], f"{_told(chosen[0], cells)}the first of --only", chosen)
    return ServedOffer(first, why, chosen or (None if every else beside), from_run)


def _told(name: str, cells: dict[str, Cell]) -> str:
    """How it decides, where its title does not say so."""
    return "" if title_of(name, cells[name]) == name else f"{name}, "


def _named(name: str, cells: dict[str, Cell]) -> str:
    spelled = as_spelled(name)
    if spelled in cells:
        return spelled
    if (cell := other_names(cells).get(spelled)) is None:
        raise UsageError(f"--only: there is no {name!r}; expected one of {', '.join(cells)}{closest(name, cells)}")
    return next(own for own, other in cells.items() if other.id == cell.id)


async def _best_of_run(file: ExperimentFile, experiment: Plan) -> _Best:
    """By the headline of its report. A store that cannot be read is for whoever opens it to complain of."""
    if file.spec.questions is None:
        return _Best(None, NO_RUN)
    store = experiment.store()
    try:
        if not await store.exists():
            return _Best(None, NO_RUN)
        await store.open()
        try:
            async with examined(store):
                return await store.read(lambda connection: _chosen(connection, file, experiment))
        finally:
            await store.close()
    except UsageError:  # it holds no run of the file
        return _Best(None, NO_RUN)
    except MootError as error:
        return _Best(None, f"its run cannot be read ({str(error).partition(chr(10))[0]})")


def _chosen(connection: Connection, file: ExperimentFile, experiment: Plan) -> _Best:
    found = WantedPlan(file.spec.kept_as, file).found(connection)
    if found.not_of_file is not None:
        return _Best(None, found.not_of_file)
    headline = headline_of(connection, found.plan)["headline"]
    if headline is None:
        return _Best(None, NO_RUN)
    if headline.get("interim") or headline.get("cut_short"):
        return _Best(None, "its run is not over")
    if headline["value"] is None:
        return _Best(None, "nothing of its run can be ranked yet")
    name = name_of_side(experiment, headline["of"])
    if name is None:
        return _Best(None, f"{headline['of']}, the best of its run, is not in it")
    return _Best(name, f"the run's best, {headline_words(headline)}")


def offer_line(live: LiveTeam) -> str:
    """The first line of a server: who is asked where nobody is named, why, and how many others there are."""
    offer: Any = live.offer
    cells = served_names(live.experiment)
    front = cells[offer.first].id
    all_others = {cell.id for cell in cells.values()} - {front}
    beside = {cells[name].id for name in live.models if name in cells} - {front}
    line = f"serving {live.usual}: {offer.why}"
    if beside:
        line += f"; and {count(len(beside), 'other')}"
    left = len(all_others) - len(beside)
    return f"{line} (--all: {left:,} more)" if left else line
