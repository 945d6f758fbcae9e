"""Which questions hang together: by a field of theirs, those on one passage, of one package, by one author; and by their
words, those that are one question under several ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from moot.data.placed import CaseSource, Placed
from moot.errors import UsageError
from moot.stats.clusters import joined
from moot.stats.counted_words import count
from moot.types import Case, digest

FIELDS = ("cluster", "package", "category", "context", "source", "author", "difficulty", "year")
K = TypeVar("K", bound=Hashable)
_META = "meta."
_LONGEST = 60
"""A longer text, such as a passage, goes by its digest."""


def check_field(field: str) -> None:
    if field not in FIELDS and not (field.startswith(_META) and len(field) > len(_META)):
        raise UsageError(f"expected one of {', '.join(FIELDS)}, or {_META}NAME, found {field!r}")


def cluster_of(case: Case, field: str) -> str | None:
    """What the field says; None: the question hangs together with no other."""
    value: Any
    if field.startswith(_META):
        value = case.meta.get(field.removeprefix(_META))
    else:
        value = getattr(case.question if field == "context" else case, field)
    if value is None or value == "":
        return None
    name = value if isinstance(value, str) else str(value)
    return name if len(name) <= _LONGEST else digest(name)


@dataclass(frozen=True, slots=True)
class ByField:
    """Cases of a source that know what they hang together with."""

    source: CaseSource
    field: str

    def cases(self, language: str) -> Iterator[Placed]:
        for placed in self.source.cases(language):
            yield replace(placed, case=named(placed.case, self.field))


def named(case: Case, field: str) -> Case:
    return replace(case, cluster=cluster_of(case, field))


def clusters_of(cases: Iterable[tuple[K, Case]]) -> dict[K, str]:
    """By question: what it hangs together with; without those that hang together with no other.

    One that is asked twice, under two ids and be it in two sets, is one question: it would count double, and were something
    chosen on it under one id and tested on it under the other, the test would be none. What its ids hang together with is
    one cluster then.
    """
    bonds: dict[K, list[str]] = {}
    for key, case in cases:
        named_cluster = [] if case.cluster_key is None else [case.cluster_key]
        bonds[key] = [_bond_of_words(case), *named_cluster]
    times = Counter(words for words, *_ in bonds.values())
    for several in bonds.values():
        if times[several[0]] == 1:
            del several[0]
    return joined(bonds)


def dealing_names(cases: Iterable[tuple[K, Case]]) -> dict[K, str]:
    """By question: what it is dealt into parts of the questions by, where its choices stand in another order than that of
    their letters. The order makes no other question of it, so that no figure may hang on it."""
    named = {}
    for key, case in cases:
        choices = tuple(sorted(case.question.choices))
        if choices != case.question.choices:
            named[key] = replace(case.question, choices=choices).digest
    return named


def _bond_of_words(case: Case) -> str:
    """No cluster's name: those have a slash."""
    return f"words {case.question.wording}"


@dataclass(frozen=True, slots=True)
class AskedTwice:
    """How many questions are asked under more than one id, and how many ids these have."""

    questions: int
    ids: int

    @classmethod
    def among(cls, cases: Iterable[Case]) -> AskedTwice | None:
        """None where every question has one id."""
        times = [often for often in Counter(case.question.wording for case in cases).values() if often > 1]
        return cls(len(times), sum(times)) if times else None

    def __str__(self) -> str:
        several = "two" if self.ids == 2 * self.questions else "several"
        are, each = ("is", "it") if self.questions == 1 else ("are", "each")
        return f"{count(self.questions, 'question')} {are} asked under {several} ids: {each} counts as one"
