"""Types of columns that look at every value as it is read: the border between a file and all that is computed from it.

SQLite takes any value in any column, and a store may be a stranger's or damaged. What stands in a column and cannot have
been written by moot is said with its place, before a figure is made of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NoReturn

from sqlalchemy import Dialect, Float, Integer, MetaData, String, Text, TypeDecorator
from sqlalchemy.types import TypeEngine

from moot.errors import StoreUnreadable
from moot.models.border import MOST_USD
from moot.types import OUTCOMES

SHOWN = 60
"""Characters of a value that is refused."""
ROUNDING_USD = 1e-6
_NUMBERS = (float, int)
_LARGEST = 1.7976931348623157e308
_NONE = type(None)
_TEXTS = frozenset[type]({str, _NONE})
_WHOLE, _ANY_NUMBER = frozenset[type]({int, _NONE}), frozenset[type]({float, int, _NONE})
_OUTCOMES = frozenset({*OUTCOMES, None})


def refusal(place: str, expected: str, found: object) -> StoreUnreadable:
    """`place`: table and column."""
    value = repr(found)
    shown = value if len(value) <= SHOWN else f"{value[:SHOWN]}…"
    return StoreUnreadable(f"{place}: expected {expected}, found {shown}: this is not as moot writes it")


def named(fault: StoreUnreadable, store: str) -> StoreUnreadable:
    """With the name of the store that it is about."""
    words = str(fault)
    return fault if words.startswith(store) else StoreUnreadable(f"{store}: {words}")


def _within(values: Sequence[Any], types: frozenset[type], least: float, most: float) -> bool:
    """Whether all are of these types and no number is outside; mostly a column holds few different ones."""
    different = set(values)
    if not types.issuperset(map(type, values)):
        return False
    different.discard(None)
    return not different or (min(different) >= least and max(different) <= most)


class CheckedColumn(TypeDecorator[Any]):
    """Nothing (NULL) is let through: a table says itself where it may stand, and an outer join makes some."""

    impl: TypeEngine[Any] | type[TypeEngine[Any]] = String
    cache_ok = True
    expected: ClassVar[str]

    def __init__(self, place: str = "") -> None:
        super().__init__()
        self.place = place
        """Table and column; `name_places` says it."""

    def reader(self, refuse: Callable[[Any], NoReturn]) -> Callable[[Any], Any]:
        """What gives back a value of this column, or refuses it: one call for each value, of which there are millions."""
        raise NotImplementedError

    def sure_of(self, values: Sequence[Any]) -> bool:
        """Whether nothing among many values would be refused, told without a call for each; False: nobody knows yet."""
        return False

    def check(self, values: Sequence[Any]) -> None:
        """Refuse the first of many values that cannot have been written by moot."""
        if not self.sure_of(values):
            read = self.result_processor(None, None)
            for value in values:
                read(value)

    def result_processor(self, dialect: Dialect | None, coltype: object) -> Callable[[Any], Any]:
        place, expected = self.place, self.expected

        def refuse(value: Any) -> NoReturn:
            raise refusal(place, expected, value)

        return self.reader(refuse)


class TextColumn(CheckedColumn):
    impl = String
    cache_ok = True
    expected = "text"

    def reader(self, refuse: Callable[[Any], NoReturn]) -> Callable[[Any], Any]:
        return lambda value: value if value is None or type(value) is str else refuse(value)

    def sure_of(self, values: Sequence[Any]) -> bool:
        return _TEXTS.issuperset(map(type, values))


class LongTextColumn(TextColumn):
    impl = Text
    cache_ok = True


class SaidColumn(TextColumn):
    """A few words of whoever answered, such as the name of a version: an endpoint may repeat in it what it was asked."""

    impl = String
    cache_ok = True


class OutcomeColumn(CheckedColumn):
    """How an episode ended."""

    impl = String
    cache_ok = True
    expected = f"one of {', '.join(OUTCOMES)}"

    def reader(self, refuse: Callable[[Any], NoReturn]) -> Callable[[Any], Any]:
        return lambda value: value if value is None or value in OUTCOMES else refuse(value)

    def sure_of(self, values: Sequence[Any]) -> bool:
        return _OUTCOMES.issuperset(values)


class WholeColumn(CheckedColumn):
    impl = Integer
    cache_ok = True
    expected = "a whole number"

    def reader(self, refuse: Callable[[Any], NoReturn]) -> Callable[[Any], Any]:
        return lambda value: value if value is None or type(value) is int else refuse(value)


class CountColumn(CheckedColumn):
    impl = Integer
    cache_ok = True
    expected = "a whole number from 0 on"

    def reader(self, refuse: Callable[[Any], NoReturn]) -> Callable[[Any], Any]:
        return lambda value: value if value is None or (type(value) is int and value >= 0) else refuse(value)

    def sure_of(self, values: Sequence[Any]) -> bool:
        return _within(values, _WHOLE, 0, math.inf)


class NumberColumn(CheckedColumn):
    impl = Float
    cache_ok = True
    expected = "a number"

    def reader(self, refuse: Callable[[Any], NoReturn]) -> Callable[[Any], Any]:
        return lambda value: (
            value if value is None or (type(value) in _NUMBERS and -_LARGEST <= value <= _LARGEST) else refuse(value)
        )


class AmountColumn(CheckedColumn):
    """Time that something took."""

    impl = Float
    cache_ok = True
    expected = "a number from 0 on"

    def reader(self, refuse: Callable[[Any], NoReturn]) -> Callable[[Any], Any]:
        return lambda value: (
            value if value is None or (type(value) in _NUMBERS and 0 <= value <= _LARGEST) else refuse(value)
        )

    def sure_of(self, values: Sequence[Any]) -> bool:
        return _within(values, _ANY_NUMBER, 0, _LARGEST)


class CostColumn(CheckedColumn):
    """What one call cost. No model is believed that says more than this: see `border.usd`."""

    impl = Float
    cache_ok = True
    most = MOST_USD
    expected = "dollars, from 0 to a billion"

    def reader(self, refuse: Callable[[Any], NoReturn]) -> Callable[[Any], Any]:
        most = self.most
        return lambda value: (
            value if value is None or (type(value) in _NUMBERS and 0 <= value <= most) else refuse(value)
        )

    def sure_of(self, values: Sequence[Any]) -> bool:
        return _within(values, _ANY_NUMBER, 0, self.most)


class MoneyColumn(CostColumn):
    """What was paid, or may have been: also the sum of many calls."""

    cache_ok = True
    most = 1e15
    expected = "dollars, from 0 on"


class BalanceColumn(CheckedColumn):
    """Money that is added to and taken from again and again, which leaves a little of rounding."""

    impl = Float
    cache_ok = True
    expected = "dollars, from 0 on"

    def reader(self, refuse: Callable[[Any], NoReturn]) -> Callable[[Any], Any]:
        return lambda value: (
            value
            if value is None or (type(value) in _NUMBERS and -ROUNDING_USD <= value <= MoneyColumn.most)
            else refuse(value)
        )


class GradeColumn(CheckedColumn):
    """How far an answer is right."""

    impl = Float
    cache_ok = True
    expected = "a number from 0 to 1"

    def reader(self, refuse: Callable[[Any], NoReturn]) -> Callable[[Any], Any]:
        return lambda value: value if value is None or (type(value) in _NUMBERS and 0 <= value <= 1) else refuse(value)

    def sure_of(self, values: Sequence[Any]) -> bool:
        return _within(values, _ANY_NUMBER, 0, 1)


def name_places(metadata: MetaData) -> None:
    """Let every column know where it stands."""
    for table in metadata.sorted_tables:
        for column in table.columns:
            if isinstance(column.type, CheckedColumn):
                column.type = type(column.type)(f"{table.name}.{column.name}")
