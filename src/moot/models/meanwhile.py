"""A context variable that has a value for a while.

By hand: these stand around every call of a run, and a generator under `contextmanager` takes several times as long.
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_UNSET: Any = object()


class Meanwhile(Generic[T]):
    """``with Meanwhile(variable, value) as value:``, in tasks that begin there too."""

    __slots__ = ("_before", "_value", "_variable")

    def __init__(self, variable: ContextVar[T], value: T) -> None:
        self._variable = variable
        self._value = value

    def __enter__(self) -> T:
        value = self._value
        # What has the value already needs no change: mostly nobody listens, before as after.
        self._before: Token[T] | None = None if self._variable.get(_UNSET) is value else self._variable.set(value)
        return value

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            self._variable.reset(self._before)
