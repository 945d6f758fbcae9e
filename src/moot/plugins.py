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
    """Code of another package raised, or gave something else than was asked for: the words say whose, and what."""


class NotAsExpected(Exception):
    """What a plug-in gave is not what was asked for. Raised inside of `blaming`, which says whose it is."""

    def __init__(
        self,
        expected: str,
        gave: object = None,
        *,
        found: str | None = None,
        part: str | None = None,
        joined: str = ", ",
    ) -> None:
        found = found if found is not None else gave.__name__ if isinstance(gave, type) else f"{gave!r:.80}"
        super().__init__(f"{part + ': ' if part else ''}expected {expected}{joined}found {found}")


def loaded(kind: str, name: str, place: str) -> Any:
    """What stands at ``module:name``. Of our own a failure is ours, and is not dressed up."""
    try:
        return resolve_name(place)
    except Exception as error:  # whatever somebody else's module does when it is imported
        if place.startswith(OURS):
            raise
        raise CannotLoad(f"{kind} {name!r} ({place})", error) from None


@contextmanager
def blaming(kind: str, name: str, part: str | None = None) -> Iterator[None]:
    """What is raised inside is this plug-in's fault. What moot raises on purpose passes: a budget is nobody's fault.

    `part`: what of it was asked, such as the name of the method.
    """
    whose = f"{kind} {name!r}" if part is None else f"{kind} {name!r}: {part}"
    try:
        yield
    except (MootError, PluginBroke):
        raise
    except NotAsExpected as error:
        raise PluginBroke(f"{whose}: {error}") from error
    except Exception as error:
        raise PluginBroke(f"{whose}: {in_one_line(error)}") from error


@contextmanager
def refusing() -> Iterator[None]:
    """As long as nothing has been called, a plug-in that breaks is a mistake in what was asked for."""
    try:
        yield
    except PluginBroke as error:
        raise UsageError(str(error)) from error


def in_one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
