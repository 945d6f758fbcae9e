"""Which option of a file is served in front: what it declares, else which of its teams did best in its run, else its first.

A team that did best of the teams may have lost to a player alone. It is served all the same, since a team is what is asked
for; but whoever starts the server is told so, and what serves that player.
Where the file declares nothing and was not run, nobody knows which of its options pays off: then all are offered.
"""

from __future__ import annotations

import logging
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from moot.errors import MootError, UsageError
from moot.experiment.plan import Cell, Plan
from moot.experiment.spec import ExperimentFile
from moot.live.offer import ServedOffer, could_be_words, left_out_words, refuse_learner, title_of
from moot.live.served_names import (
    as_spelled,
    declared_name,
    first_asked,
    name_of_side,
    other_names,
    served_names,
    several_meant,
)
from moot.live.team import LiveTeam
from moot.measures.claims.words import gain_withheld_for, unreached_words, withheld_for
from moot.measures.missing_words import way_out
from moot.measures.numbers import percent
from moot.measures.preferences.options import BUT_FOR_UNGRADED, COUNTED_AS, missing_told
from moot.measures.simulated_models import simulated_models
from moot.measures.source import Source
from moot.models.closest import closest
from moot.report.figures import headline_of
from moot.report.stored_runs import headline_words, preferred_words
from moot.report.wanted_plan import WantedPlan
from moot.stats.counted_words import count, few_names
from moot.store.examined import examined
from moot.types import TEXT

_log = logging.getLogger(__name__)

HALF = 0.5
SHORT = 50
"""Characters of a verdict that is told by its share and interval."""
NO_RUN = "nothing was measured yet"


@dataclass(frozen=True, slots=True)
class _Measured:
    """What a run has shown of one option; or why there is nothing."""

    name: str | None
    words: str
    """Which one did best, and its figures."""
    figures: str = ""
    """These alone, behind a name that is known."""
    title: str = ""
    """What it is, without figures."""
    simulated: tuple[str, ...] = ()
    """Models that were not real in that run."""


async def offer_of(live: LiveTeam, *, only: Sequence[str] = (), every: bool = False) -> ServedOffer:
    """`only`: names of what is to be served. `every`: all of the file. Neither: what paid off."""
    cells, whole = live.names, served_names(live.whole)

    def served_as(name: str) -> str:
        refuse_learner(whole[name], cells)
        return name

    if only and every:
        raise UsageError("--all serves all of the file, --only some of it; expected one of the two")
    chosen = tuple(dict.fromkeys(served_as(_named(name, whole)) for name in only))
    if len(chosen) == 1:
        return ServedOffer(chosen[0], f"{_told(chosen[0], cells)}asked for with --only", chosen)
    best, declared = await _best_of_run(live.file, live.whole), declared_name(live.whole)
    in_front = declared or best.name
    if chosen and (in_front is None or whole[in_front].id not in {cells[name].id for name in chosen}):
        return ServedOffer(chosen[0], f"{_told(chosen[0], cells)}the first of --only", chosen)
    if in_front is None:
        first = first_asked(cells, long_answers=live.experiment.spec.asked_kind == TEXT) if every else live.usual
        return ServedOffer(first, f"{_told(first, cells)}{_first_of(live)}: {best.words}", None)
    if every and declared is None and whole[in_front].traits.learns:
        first = first_asked(cells, long_answers=live.experiment.spec.asked_kind == TEXT)
        return ServedOffer(first, f"{_told(first, cells)}{_first_of(live)}; {best.title}, cannot", None)
    first, why = served_as(in_front), best.words
    if declared is not None:
        same = best.name is not None and whole[best.name].id == cells[first].id
        why = f"{_told(first, cells)}declared as primary{f': {best.figures}' if same else ''}"
    beside = chosen or (None if every else ())
    return ServedOffer(first, why, beside, from_run=declared is None, simulated=best.simulated)


async def offer_by_name(live: LiveTeam, *, only: Sequence[str] = (), every: bool = False) -> ServedOffer:
    """For whoever asks from inside a program: in front what `moot serve` has there, and all else of the file by its name; with
    `only` these alone. `every`: what did best may be something that cannot be asked."""
    if only:
        return await offer_of(live, only=only, every=every)
    try:
        offer = await offer_of(live)
    except UsageError as error:
        if not every or not live.names:
            raise
        first = first_asked(live.names, long_answers=live.experiment.spec.asked_kind == TEXT)
        _log.warning("%s; in front is now %s, %s", error, first, _first_of(live))
        offer = ServedOffer(first, _first_of(live))
    return replace(offer, beside=None)


def _first_of(live: LiveTeam) -> str:
    return "the first of the file that can be asked" if live.learners else "the first of the file"


def _told(name: str, cells: dict[str, Cell]) -> str:
    """How it decides, where its title does not say so."""
    return "" if title_of(name, cells[name]) == name else f"{name}, "


def _named(name: str, cells: dict[str, Cell]) -> str:
    spelled = as_spelled(name)
    if spelled in cells:
        return spelled
    if (cell := other_names(cells).get(spelled)) is None:
        if several := several_meant(name, cells):
            raise UsageError(f"--only: {name!r} {could_be_words(several)}")
        raise UsageError(f"--only: there is no {name!r}; expected one of {', '.join(cells)}{closest(name, cells)}")
    return next(own for own, other in cells.items() if other.id == cell.id)


async def _best_of_run(file: ExperimentFile, experiment: Plan) -> _Measured:
    """By the headline of its report. A store that cannot be read is for whoever opens it to complain of."""
    if file.spec.questions is None:
        chosen = [team.selection for team in file.spec.teams.values() if team.selection]
        return _Measured(None, f"chosen by what {chosen[0]} names" if chosen else NO_RUN)
    store = experiment.store().needed(NO_RUN)
    try:
        if not await store.exists():
            return _Measured(None, NO_RUN)
        await store.open()
        try:
            async with examined(store):
                return await store.read(lambda connection: _chosen(connection, file, experiment))
        finally:
            await store.close()
    except UsageError:  # it holds no run of the file
        return _Measured(None, NO_RUN)
    except MootError as error:
        return _Measured(None, f"its run cannot be read ({str(error).partition(chr(10))[0]})")


def _chosen(connection: Connection, file: ExperimentFile, experiment: Plan) -> _Measured:
    found = WantedPlan(file.spec.kept_as, file).found(connection)
    if found.not_of_file is not None:
        # A report goes on with which run it shows. Here none is shown.
        since = found.not_of_file.replace("have changed since; this is its run", "have changed since its run")
        return _Measured(None, since.partition("; this is ")[0])
    headline = headline_of(connection, found.plan)["headline"]
    simulated = tuple(simulated_models(Source(connection, found.plan)))
    if headline is None:
        return _Measured(None, NO_RUN)
    if headline.get("interim") or headline.get("cut_short"):
        return _Measured(None, "its run is not over")
    if withheld := withheld_for(headline):
        return _Measured(None, f"in its run {withheld}: {_way_out(headline)}")
    if headline["value"] is None:
        preferred = headline.get("preferred") or {}
        if preferred.get("value") is None:
            return _Measured(None, "nothing of its run can be ranked yet")
        if unreached := preferred.get("unreached"):
            return _Measured(None, f"in its run {unreached_words(unreached)}: {_way_out(preferred)}")
        return most_preferred(preferred, experiment, simulated)
    name = name_of_side(experiment, headline["of"])
    if name is None:
        return _Measured(None, f"{headline['of']}, the best of its run, is not in it")
    ahead = _player_ahead(headline, experiment)
    # That a player is ahead is told with what that player had: the difference would say it twice.
    words = f"{headline_words(headline, SHORT if ahead else None)}{_not_real(simulated)}"
    best = "the best of the run's teams" if ahead else "the run's best"
    return _Measured(
        name,
        f"{best}, {words}{ahead}",
        f"{words.removeprefix(headline['of'] + ': ')}{ahead}",
        f"{best}, {headline['of']}",
        simulated,
    )


def _way_out(row: Mapping[str, Any]) -> str:
    """What has to be done before anything is claimed."""
    unreached = row.get("unreached") or {}
    return way_out(unreached.get("who", ()), unreached.get("unrecorded", ()), "moot run asks them again")


def _not_real(simulated: Sequence[str]) -> str:
    """What must not be forgotten with a figure."""
    return f"; simulated, not real: {few_names(simulated)}" if simulated else ""


def most_preferred(preferred: Mapping[str, Any], experiment: Plan, simulated: tuple[str, ...] = ()) -> _Measured:
    """Where texts were compared and nothing else is graded: whom the headline is about then."""
    name = name_of_side(experiment, preferred["of"])
    if name is None:
        return _Measured(None, f"{preferred['of']}, the most preferred of its run, is not in it")
    figures, ahead = f"{preferred_words(preferred)}{_not_real(simulated)}", ""
    near = preferred.get(BUT_FOR_UNGRADED)
    if near is not None or _may_turn(preferred):
        counted = COUNTED_AS[near or ("worse" if preferred["value"] <= HALF else "better")]
        ahead = f"; whether it is preferred cannot be told with {missing_told(preferred)} counted as {counted}"
    elif preferred["value"] <= HALF:
        served = (own for own, cell in served_names(experiment).items() if cell.player == preferred["against_player"])
        by_name = f": --only {shlex.quote(own)}" if (own := next(served, None)) is not None else ""
        ahead = f"; no more than {preferred['against']} alone{by_name}" if preferred["against_player"] else ""
    elif not preferred["better"]:
        ahead = "; whether it is preferred cannot be told"
    best = "the best of the run's teams" if preferred["value"] <= HALF else "the run's best"
    title = f"{best}, {preferred['of']}"
    return _Measured(name, f"{title}: {figures}{ahead}", f"{figures}{ahead}", title, simulated)


def _may_turn(preferred: Mapping[str, Any]) -> bool:
    """Whether what is no more than a half could be more, once the missing words were said."""
    ends = preferred.get("if_won")
    return preferred["value"] <= HALF and ends is not None and (ends["value"] is None or ends["value"] > HALF)


def _player_ahead(headline: Mapping[str, Any], experiment: Plan) -> str:
    """Who had as much alone as the team, or more, and what serves it; nothing, where the team is ahead of all of them."""
    over = headline.get("over_best_single") or {}
    alone = (over.get("best_single") or {}).get("value")
    if alone is None or over.get("difference") is None or over["difference"] > 0 or gain_withheld_for(headline):
        return ""
    served = (name for name, cell in served_names(experiment).items() if cell.player == over["single"])
    by_name = f": --only {shlex.quote(name)}" if (name := next(served, None)) is not None else ""
    return f"; {over['single']} alone had {percent(alone)}{by_name}"


def offer_line(live: LiveTeam) -> str:
    """The first line of a server: who is asked where nobody is named, why, and how many others there are."""
    offer: Any = live.offer
    cells = live.names
    front = cells[offer.first].id
    all_others = {cell.id for cell in cells.values()} - {front}
    beside = {cells[name].id for name in live.models if name in cells} - {front}
    line = f"serving {live.usual}: {offer.why}"
    if beside:
        line += f"; and {count(len(beside), 'other')}"
    left = len(all_others) - len(beside)
    line = f"{line} (--all: {left:,} more)" if left else line
    untold = "" if offer.beside else left_out_words(live.learners)  # who names what is served knows what is not
    return f"{line}; {untold}" if untold else line
