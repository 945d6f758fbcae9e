"""Which types the fields of a trace may have: those that come back from JSON as they were, and no others."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass
from datetime import date
from typing import Annotated, Any, ClassVar, Literal

import orjson
import pytest
from annotated_types import Ge
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moot import traces
from moot.store.rows import verdict_json, verdict_of
from moot.traces import claims_in, kinds, trace
from moot.types import Verdict


class Colour(enum.StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Inner:
    word: str


Typed = tuple[Any, st.SearchStrategy[Any]]
"""A type that a field may have, and its values."""

PLAIN: list[Typed] = [
    (str, st.text(max_size=3)),
    (int, st.integers(-(2**63), 2**63 - 1)),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (bool, st.booleans()),
    (Literal["a", 1, True, None], st.sampled_from(["a", 1, True, None])),
    (Annotated[int, Ge(0)], st.integers(0, 9)),
]


def composed(inner: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    return st.one_of(
        inner.map(lambda typed: (typed[0] | None, st.none() | typed[1])),
        inner.map(lambda typed: (tuple[typed[0], ...], st.lists(typed[1], max_size=2).map(tuple))),  # type: ignore[misc]
        inner.map(lambda typed: (list[typed[0]], st.lists(typed[1], max_size=2))),  # type: ignore[misc]
        st.tuples(inner, inner).map(
            lambda pair: (tuple[pair[0][0], pair[1][0]], st.tuples(pair[0][1], pair[1][1]))  # type: ignore[misc]
        ),
        inner.map(lambda typed: (Mapping[str, typed[0]], st.dictionaries(st.text(max_size=2), typed[1], max_size=2))),  # type: ignore[misc]
        inner.map(lambda typed: (dict[str, typed[0]], st.dictionaries(st.text(max_size=2), typed[1], max_size=2))),  # type: ignore[misc]
    )


accepted = st.recursive(st.sampled_from(PLAIN), composed, max_leaves=5)
by_number = accepted.map(
    lambda typed: (Mapping[int, typed[0]], st.dictionaries(st.integers(-99, 99), typed[1], max_size=2))  # type: ignore[misc]
)


def forget(record: Any) -> None:
    kinds._KINDS.pop(kinds._NAMES.pop(record))


@given(typed=accepted | by_number, data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_type_that_is_accepted_comes_back_the_same(typed: Typed, data: st.DataObject) -> None:
    hint, values = typed
    record = trace("tried")(make_dataclass("Tried", [("held", hint)], frozen=True))
    try:
        played = Verdict("A", "answered", traces=(record(data.draw(values)),))
        back = verdict_of(orjson.dumps(verdict_json(played)).decode())
        assert back == played
        assert repr(back.traces) == repr(played.traces), "1 is not 1.0, nor a list a tuple"
    finally:
        forget(record)


@pytest.mark.parametrize(
    "hint",
    [
        str | int,
        str | int | None,
        tuple[str, ...] | str,
        set[str],
        frozenset[str],
        Mapping[tuple[str, str], int],
        Mapping[float, str],
        Mapping[bool, str],
        tuple[Mapping[int, str], ...],
        Mapping[str, Mapping[int, str]],
        tuple,
        list,
        dict,
        Mapping,
        bytes,
        date,
        complex,
        Any,
        object,
        Colour,
        Inner,
        tuple[Inner, ...],
        Mapping[str, set[int]],
        None | set[int],
        tuple[()],
    ],
    ids=str,
)
def test_what_would_come_back_as_something_else_is_refused_when_declared(hint: Any) -> None:
    with pytest.raises(TypeError, match=r"the trace 'tried': Tried.held: .* JSON; expected") as refused:
        trace("tried")(make_dataclass("Tried", [("word", str), ("held", hint)], frozen=True))
    assert "\n" not in str(refused.value)
    assert "tried" not in kinds._KINDS


def test_what_is_no_field_may_have_any_type_and_each_field_must_be_given() -> None:
    @dataclass(frozen=True)
    class WithConstant:
        word: str
        seen: ClassVar[set[str]] = set()

    forget(trace("tried")(WithConstant))

    @dataclass(frozen=True)
    class Made:
        word: str = field(init=False, default="x")

    with pytest.raises(TypeError, match=r"the trace 'tried': Made.word: .*expected a field that is given"):
        trace("tried")(Made)


def test_a_type_that_cannot_be_found_is_said() -> None:
    with pytest.raises(TypeError, match=r"the trace 'tried': .*Nowhere.* expected types of its own module"):
        trace("tried")(make_dataclass("Tried", [("held", "Nowhere")], frozen=True))


def test_all_claims_of_a_record_are_found() -> None:
    @trace("test-two-claims")
    @dataclass(frozen=True)
    class TwoClaims:
        first: str
        second: str

        @property
        def claims(self) -> tuple[str, ...]:
            return self.first, self.second

    assert claims_in([TwoClaims("Paris", "Lyon"), traces.Remarked("-"), TwoClaims("Rome", "Bari")]) == [
        *("Paris", "Lyon"),
        *("Rome", "Bari"),
    ]


def test_a_class_of_the_same_name_in_another_module_is_another_record() -> None:
    def made(module: str) -> type:
        record = make_dataclass("Namesake", [("word", str)], frozen=True)
        record.__module__ = module
        return record

    first = made("package_one.records")
    trace("test-namesake")(first)
    trace("test-namesake")(made("package_one.records"))  # the same once more, as a notebook does
    with pytest.raises(ValueError, match=r"the trace 'test-namesake' is package_one\.records\.Namesake already"):
        trace("test-namesake")(made("package_two.records"))


@pytest.mark.parametrize("kind", ["", " ", "a b", "../c", "a/b", "\n", "x" * 101, 5, None])
def test_what_is_no_name_is_no_kind(kind: Any) -> None:
    """It stands in tables and files, as the names of strategies and sections do."""
    with pytest.raises(ValueError, match=r"@trace: name: expected "):
        trace(kind)
