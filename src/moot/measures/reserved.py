"""Keys of figures and ids of sections that are moot's own, declared by the measures that give them.

Whether a run fills one of them makes no difference: a section of ours that finds another measure's rows under its key
would read what it does not know, and a reader would take them for ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pkgutil import resolve_name
from typing import Literal

from moot.measures import BUILT_IN
from moot.measures.measure import OwnMeasure

PLUGIN_FAILURES = "plugin_failures"
"""Where the figures of a report have who broke: rows of `kind`, `name` and `error`; a grader's have `times` as well."""
NOT_TAKEN = "not_taken"
"""Where figures that somebody interrupted have the names of the measures that are missing."""
GRADER = "grader"
"""Where the figures have the grader that graded, if it is not the usual one."""
NOT_OF_FILE = "not_of_file"
"""Where the figures say why they are not those of the plan that the file makes now, if they are not."""
SERVED = "served"
"""Where the figures of a served team have what it was asked, and whether it is still what was measured."""
FAILED_ID, NOT_TAKEN_ID = "plugin-failures", "not-taken"
SERVED_IDS = tuple(
    f"served-{name}" for name in ("agreement", "probability", "accuracy", "days", "teams", "absences", "failures")
)
"""The sections that the report itself has."""

THE_REPORT = "the report itself"


@cache
def key_owners() -> Mapping[str, str]:
    """Of each key of `moot report --json` that is ours, in words: whose it is."""
    return dict.fromkeys((PLUGIN_FAILURES, NOT_TAKEN, GRADER, NOT_OF_FILE, SERVED), THE_REPORT) | _declared("keys")


@cache
def section_owners() -> Mapping[str, str]:
    """The same of the ids of sections."""
    return dict.fromkeys((FAILED_ID, NOT_TAKEN_ID, *SERVED_IDS), THE_REPORT) | _declared("section_ids")


def _declared(what: Literal["keys", "section_ids"]) -> dict[str, str]:
    measures: dict[str, OwnMeasure] = {name: resolve_name(place) for name, place in BUILT_IN.items()}
    return {own: f"moot's measure {name!r}" for name, measure in measures.items() for own in getattr(measure, what)}


def refused_key(key: str) -> str | None:
    """Why a measure that is not ours may not give figures under a key; None: it may."""
    if (owner := key_owners().get(key)) is None:
        return None
    return (
        f"figures: {key!r} is a key of {owner}, whether or not this run has figures under it; expected a key of its own"
    )


def refused_id(ident: str) -> str | None:
    """Why a measure that is not ours may not have a section of this id; None: it may."""
    if (owner := section_owners().get(ident)) is None:
        return None
    return (
        f"sections: id: {ident!r} is an id of {owner}, whether or not this run shows that section; expected another id"
    )
