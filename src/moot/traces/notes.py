"""What is worth knowing of an answer that looks like any other, as its records tell it."""

from __future__ import annotations

from collections.abc import Iterable

from moot.traces.kinds import Trace, of_kind
from moot.traces.records import CutOff, NoTwoAgreed


def note_in(records: Iterable[Trace]) -> str | None:
    """In words: no two agreed on it, or it is cut off."""
    told = list(records)
    words = [record.words for record in of_kind(told, NoTwoAgreed)]
    words += [record.words for record in of_kind(told, CutOff) if record.given]
    return "; ".join(words) or None


def ends_too_soon(records: Iterable[Trace]) -> bool:
    """Whether the answer ends where the length of the model that wrote it did."""
    return any(record.given for record in of_kind(records, CutOff))
