"""Figures that can be read and not written: what a measure is shown of the others' figures.

They are dicts and lists all the same, so whatever reads JSON reads them; a copy of one is a plain one.
"""

from __future__ import annotations

from typing import Any, NoReturn

WORDS = "figures of others can be read and not written; expected new ones to be given back from figures(run)"


def read_only(value: Any) -> Any:
    """The same figures, down to the last row, such that nobody can change them."""
    if isinstance(value, dict):
        return ReadOnlyDict((key, read_only(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return ReadOnlyList(map(read_only, value))
    return value


def _refused(*args: object, **kwargs: object) -> NoReturn:
    raise TypeError(WORDS)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


class ReadOnlyDict(dict[str, Any]):
    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refused

    def __deepcopy__(self, memo: object) -> dict[str, Any]:
        copied: dict[str, Any] = _plain(self)
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (_plain(self),)


class ReadOnlyList(list[Any]):
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refused
    append = clear = extend = insert = pop = remove = reverse = sort = _refused

    def __deepcopy__(self, memo: object) -> list[Any]:
        copied: list[Any] = _plain(self)
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (_plain(self),)
