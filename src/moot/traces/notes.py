"""What is worth knowing of an answer that looks like any other, as its records tell it."""

from __future__ import annotations

import json
from collections.abc import Iterable

from moot.traces.kinds import Trace, of_kind, trace_json
from moot.traces.records import CutOff, HangsOnCut, NoTwoAgreed

_HANGS = json.dumps(trace_json(HangsOnCut(()))["kind"])


def note_in(records: Iterable[Trace]) -> str | None:
    """In words: no two agreed on it, it hangs on what was cut out, or it is cut off."""
    told = list(records)
    words = [record.words for record in of_kind(told, NoTwoAgreed)]
    words += [record.words for record in of_kind(told, HangsOnCut)]
    words += [record.words for record in of_kind(told, CutOff) if record.given]
    return "; ".join(words) or None


def hanging(records: Iterable[Trace]) -> bool:
    """Whether a verdict might have been another, had nothing been cut out of an answer: then nobody can grade it."""
    return bool(of_kind(records, HangsOnCut))


def hangs_on_cut_words(verdict: str) -> bool:
    """Whether a verdict, as it is stored, hangs on what was cut out of an answer: quotes within its texts are escaped."""
    return _HANGS in verdict


def ends_too_soon(records: Iterable[Trace]) -> bool:
    """Whether the answer ends where the length of the model that wrote it did."""
    return any(record.given for record in of_kind(records, CutOff))
