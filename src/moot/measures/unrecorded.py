"""Of whom a recording has no reply, which it may have once it is completed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from weakref import WeakKeyDictionary

from moot.measures.episodes import Key
from moot.measures.source import Source

_KEPT: WeakKeyDictionary[Source, Mapping[Key, frozenset[str]]] = WeakKeyDictionary()


def unrecorded_by_key(source: Source) -> Mapping[Key, frozenset[str]]:
    """By set of drafts. Nobody of a served team: nobody asks it again."""
    if source not in _KEPT:
        found: dict[Key, frozenset[str]] = {}
        for cell in source.cells if source.never_made and not source.served else ():
            for episode in source.seen(cell):
                if episode.unrecorded:
                    found[episode.key] = found.get(episode.key, frozenset()).union(episode.unrecorded)
        _KEPT[source] = found
    return _KEPT[source]


def unrecorded_of(source: Source, names: Iterable[str]) -> list[str]:
    """Who of these is missing somewhere since a recording has no reply."""
    recorded = frozenset[str]().union(*unrecorded_by_key(source).values())
    return sorted(recorded.intersection(names))
