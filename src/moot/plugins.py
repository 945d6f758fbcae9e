"""What other packages bring: loaded by the place that they name, and when it breaks, said by its name in one line.

Somebody else's mistake is no bug of moot's, and must cost nobody more than what it was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any

from moot.errors import MootError, UsageError

OURS = "moot."


class CannotLoad(UsageError):
    """A plug-in that is not there to be asked. `reason` says why, without its name."""

    def __init__(self, plugin: str, error: Exception) -> None:
        self.reason = f"cannot be loaded: {in_one_line(error)}"
        super().__init__(f"{plugin} {self.reason}; expected an installed package that can be imported")


class PluginBroke(Exception):
    """Code of another package raised: the words say whose, and what it said."""


def loaded(kind: str, name: str, place: str) -> Any:
    """What stands at ``module:name``. Of our own a failure is ours, and is not dressed up."""
    try:
        return resolve_name(place)
    except Exception as error:  # whatever somebody else's module does when it is imported
        if place.startswith(OURS):
            raise
        raise CannotLoad(f"{kind} {name!r} ({place})", error) from None


@contextmanager
def blaming(kind: str, name: str) -> Iterator[None]:
    """What is raised inside is this plug-in's fault. What moot raises on purpose passes: a budget is nobody's fault."""
    try:
        yield
    except MootError:
        raise
    except Exception as error:
        raise PluginBroke(f"{kind} {name!r}: {in_one_line(error)}") from error


def in_one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
