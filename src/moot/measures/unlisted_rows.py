"""How many rows the tables had in other versions of the file: what was looked at there is paid for here as well.

Counted as a plan counts them, from who played and not from how it came out: so the rows of the file and those that it had
once are told by the same functions. It is the most that there can have been: whatever any version had that the file has not,
each row once, and nothing that no version had side by side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from moot.measures.cells import Stored, identity_of
from moot.measures.claims.unlisted import UnlistedOptions, choosable
from moot.measures.decided.cascades import beside_cascades
from moot.measures.planned_families import more_rows
from moot.measures.source import Source


def unlisted_rows(source: Source) -> Counter[str]:
    """By the key of a table."""
    options, chosen = UnlistedOptions(source), choosable(source.cells)
    if not (versions := options.versions(chosen)):
        return Counter()
    cascades = set().union(*(beside_cascades(source, cells) for cells in versions))
    rows = more_rows(source.cells, versions, source.cases.values())
    rows["cascade_beside"] = len(cascades - beside_cascades(source, source.cells))
    return Counter({**rows, "frontier": len(options.beside(chosen))})


class OptionsPlayed(NamedTuple):
    """On the questions of a file, by what they are, whatever other file has them."""

    listed: frozenset[str | bytes]
    unlisted: Mapping[str | bytes, Stored]
    """Those that are not in the file any more."""


NO_OPTIONS = OptionsPlayed(frozenset(), {})


def options_played(source: Source) -> OptionsPlayed:
    unlisted = {identity_of(cell): cell for cell in _unlisted(source)}
    return OptionsPlayed(frozenset(map(identity_of, source.cells)), unlisted)


def _unlisted(source: Source) -> list[Stored]:
    return [option.cell for option in UnlistedOptions(source).beside(choosable(source.cells))]
