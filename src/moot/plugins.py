"""What other packages bring: found by their entry points, loaded by the place that these name, and blamed when it breaks.

A name means one thing: what two packages bring under one name is refused where it is asked for, and nowhere
else. Somebody else's mistake is no bug of moot's, and must cost nobody more than what it was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import Any

from moot.errors import MootError, UsageError

OURS = "moot"
NAME = re.compile(r"\w[\w.-]*")
LONGEST_NAME = 100


class PluginRefused(UsageError):
    """A plug-in that cannot be asked. `reason` says why, without its name."""

    def __init__(self, plugin: str, reason: str, *, expected: str) -> None:
        self.reason = reason
        super().__init__(f"{plugin} {reason}; {expected}")


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


@dataclass(frozen=True, slots=True)
class Brought:
    """Code under a name: where it stands, as ``module:name``, and the package that brings it."""

    place: str
    package: str

    def __str__(self) -> str:
        return f"{self.package} ({self.place})"


@dataclass(frozen=True, slots=True)
class PluginKind:
    """One kind of what can be brought, by the names that a file or a command has for it. Nothing is loaded unasked."""

    kind: str
    """In words, as in `grader 'mine' cannot be loaded`."""
    group: str
    """Of the entry points: ``moot.graders``."""
    built_in: Mapping[str, str] = field(default_factory=dict)
    """Ours by name: their places."""

    def places(self) -> dict[str, str]:
        """All names that there are, ours before those of other packages. Some of them may be refused when asked for."""
        return {name: several[0].place for name, several in self._brought().items()}

    def place(self, name: str) -> str | None:
        """Where the code of this name stands; None: nobody brings one. What several bring is refused."""
        if (refusal := self.refusal(name)) is not None:
            raise refusal
        brought = self._brought().get(name)
        return brought[0].place if brought else None

    def refusal(self, name: str) -> PluginRefused | None:
        """Why a name does not mean one thing; None where it does. One place under two packages is one thing."""
        several = self._brought().get(name, ())
        if len({brought.place for brought in several}) < 2:
            return None
        reason = f"is brought by {' and by '.join(map(str, several))}, and nobody can tell which is meant"
        others = "one of these packages" if name not in self.built_in else "the package"
        expected = (
            f"expected one name for one thing: pip uninstall {others}, or have it bring the thing by another name"
        )
        return PluginRefused(f"{self.kind} {name!r}", reason, expected=expected)

    def load(self, name: str) -> Any:
        """What stands at the place of a name that there is. Of our own a failure is ours, and is not dressed up."""
        place = self.place(name)
        assert place is not None, f"nobody brings {self.kind} {name!r}"
        try:
            return resolve_name(place)
        except Exception as error:  # whatever somebody else's module does when it is imported
            if name in self.built_in:
                raise
            raise PluginRefused(
                self.named(name),
                f"cannot be loaded: {in_one_line(error)}",
                expected="expected an installed package that can be imported",
            ) from None

    def make(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """What the class or function of a name makes; without arguments, of a plug-in that takes no options."""
        maker = self.load(name)
        if name in self.built_in:
            return maker(*args, **kwargs)
        try:
            return maker(*args, **kwargs)
        except MootError:
            raise
        except Exception as error:  # noqa: BLE001  somebody else's code
            expected = "expected a class, or a function, that can be called so"
            raise PluginRefused(self.named(name), f"cannot be made: {in_one_line(error)}", expected=expected) from None

    def is_registered(self, given: Any) -> bool:
        """Whether an object is of the class that its name stands for, by whichever of its places it was imported."""
        place = self.place(given.name)
        if place is None or place == place_of(type(given)):
            return place is not None
        try:
            return self.load(given.name) is type(given)
        except PluginRefused:
            return False

    def other_of_its_name(self, given: Any) -> str | None:
        """Where another class stands that the name of an object means already; None: the name is free, or its own."""
        place = self.place(given.name)
        return None if place is None or self.is_registered(given) else place

    def named(self, name: str) -> str:
        """For complaints: ``grader 'mine' of the package their-pack (their_pack:Mine)``."""
        brought = self._brought().get(name)
        if brought is None or name in self.built_in:
            return f"{self.kind} {name!r}"
        return f"{self.kind} {name!r} of {brought[0]}"

    def _brought(self) -> dict[str, list[Brought]]:
        by_name = {name: [Brought(place, OURS)] for name, place in self.built_in.items()}
        for name, theirs in _entry_points(self.group):
            by_name.setdefault(name, []).append(theirs)
        return by_name


def place_of(kind: type[Any]) -> str:
    """Where a class is written, as ``module:name``. The package that it is of may have it in another place as well."""
    return f"{kind.__module__}:{kind.__qualname__}"


@cache
def _entry_points(group: str) -> tuple[tuple[str, Brought], ...]:
    """Names, and what installed packages bring under them, in the order of both; looked up once in a process."""
    found = []
    for point in _all_entry_points().select(group=group):
        package = f"the package {point.dist.name}" if point.dist is not None else "a package without a name"
        place = point.value.partition("[")[0].strip()  # extras are no part of it
        found.append((point.name, Brought(place, package)))
    return tuple(sorted(found, key=lambda named: (named[0], named[1].package)))


@cache
def _all_entry_points() -> Any:
    """Of every installed package: reading what they declare is the slow part, and is the same for every group."""
    return entry_points()


def forget_entry_points() -> None:
    """Look again, when something was installed while this process runs."""
    _all_entry_points.cache_clear()
    _entry_points.cache_clear()


def problem_with_object(
    given: object, kind: str, *, methods: Sequence[str], values: Sequence[str] = ("name",)
) -> str | None:
    """What is wrong with what was given as an object of a kind, which has these; None: nothing."""
    if isinstance(given, type):
        return f"the class {given.__name__} is no {kind}; give an instance: {given.__name__}(), not {given.__name__}"
    missing = [name for name in values if not _has(given, name)]
    missing += [name for name in methods if not _has(given, name) or not callable(getattr(given, name))]
    if not missing and not (isinstance(name := getattr(given, "name", None), str) and name):
        missing = ["name that is a text"]
    if not missing:
        return None
    whose = f"the {type(given).__name__}" if type(given).__repr__ is object.__repr__ else f"{given!r:.80}"
    expected = f"expected an object with {_listed([*values, *methods])}"
    return f"{whose} is no {kind}; {expected}, and it has no {_listed(missing)}"


def _has(given: object, name: str) -> bool:
    """Looked for on its class first: a property that fails is there, and is told as what it is when it is asked."""
    return hasattr(type(given), name) or hasattr(given, name)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


class blaming:
    """What is raised inside is this plug-in's fault. What moot raises on purpose passes: a budget is nobody's fault.

    `part`: what of it was asked, such as the name of the method.
    """

    __slots__ = ("_kind", "_name", "_part")

    def __init__(self, kind: str, name: str, part: str | None = None) -> None:
        self._kind, self._name, self._part = kind, name, part

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        if not isinstance(error, Exception) or isinstance(error, MootError | PluginBroke):
            return
        whose = f"{self._kind} {self._name!r}" if self._part is None else f"{self._kind} {self._name!r}: {self._part}"
        said = str(error) if isinstance(error, NotAsExpected) else in_one_line(error)
        raise PluginBroke(f"{whose}: {said}") from error


@contextmanager
def refusing() -> Iterator[None]:
    """As long as nothing has been called, a plug-in that breaks is a mistake in what was asked for."""
    try:
        yield
    except PluginBroke as error:
        raise UsageError(str(error)) from error


def in_one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def name_problem(name: object) -> str | None:
    """What is wrong with the name of a strategy or a trace, in words; None where nothing is.

    Such names stand in labels, hypotheses, files and addresses, and are read back from them.
    """
    if not isinstance(name, str):
        return f"name: expected a text, found {name!r:.60}"
    if len(name) > LONGEST_NAME or NAME.fullmatch(name) is None:
        return f"name: expected letters, digits, . _ - and at most {LONGEST_NAME} of them, found {name!r:.120}"
    return None
