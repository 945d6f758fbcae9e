"""Short names of very many things that are told apart by their last part alone, such as questions that are dealt into folds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import orjson

from moot.types import canonical_json, digest


def digests(start: Sequence[object], names: Iterable[str]) -> Iterator[str]:
    """``digest([*start, name])`` of each, of which there may be very many."""
    try:
        begun = hashlib.sha256(orjson.dumps([*start])[:-1] + b",")
    except TypeError:  # which is written in the slow way, and so is all that stands beside it
        yield from (digest([*start, name]) for name in names)
        return
    for name in names:
        content = begun.copy()
        content.update(canonical_json(name) + b"]")
        yield content.hexdigest()[:32]
