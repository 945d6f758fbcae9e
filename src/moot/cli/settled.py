"""A file that is run again when nothing is left to do: what was told is told again, as long as all it was told from is the same.

Whoever types `moot run` to see how it stands should not wait for hundreds of modules, and for every question to be looked up,
to read the same three lines. So these are kept in the user's cache, with all that they came from: every file that was read on
the way (the experiment, its questions and prompts, all code), the names in every folder that was looked through, which of the
variables that were asked for the environment has, and the store with every link on the way to it: `heard`. Where one of these
is another everything is looked up as ever, and what nobody read changes nothing. Nothing is kept of a run that found something
amiss, left something open or asked anybody outside but for its play, whose calls are all in the store, nor of a store that
others have open or wrote to, nor where something was changed while it ran: it may have been read before.

The values of variables are not looked at, but for the home, by which paths go. Nobody is asked where nothing is left to do, so
a key or a proxy that is wrong meanwhile makes nothing that is told untrue; and what lies beside a file to compare them by would
help whoever guesses a short one.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moot import __version__
from moot.cli import heard

if TYPE_CHECKING:  # nothing of a store is needed to say that all is there
    from moot.store.as_read import StoreAsRead

_MADE_AS_READ = ("/proc", "/sys", "/sys/fs/cgroup")
"""Where the system tells of itself: nothing there is as old or as long as it says. Other places are known by what they are."""
_OF_A_TERMINAL = {
    *("_", "OLDPWD", "PWD", "SHLVL", "COLUMNS", "LINES", "WINDOWID"),
    *("COLORTERM", "FORCE_COLOR", "NO_COLOR", "TERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE"),
}
"""How a line is shown, and not what it says."""
_MOST_KEPT = 32
"""So many commands are remembered, the last ones."""
_BESIDE_A_STORE = ("-wal", "-shm", "-journal")
_HOMES = ("HOME", "USERPROFILE")
_MOST_LINKS = 64
"""Of links that lead to links, as many as any system follows."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """A command as it was typed, and where it was typed."""

    file: Path
    store: str | None
    limit: int | None

    def told_before(self, width: int) -> tuple[str, ...] | None:
        """The lines that it would say on a screen of this width, since nothing is left to do; None where that is not known
        to be so still."""
        if heard.so_far is None:
            return None
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            kept = json.loads(self._place.read_text(encoding="utf-8"))
            was = kept["marks"]
            named = kept["store"]
            looked_at = _LookedAt(was["files"], was["folders"], was["code_folders"], was["variables"])
            if was == looked_at.marks(named) and not _in_use(os.path.realpath(named)):
                return tuple(_fitting(line, width) for line in kept["lines"])
        return None

    def keep(self, lines: Iterable[Sequence[str]], read: StoreAsRead, named: Iterable[Path] = ()) -> None:
        """For the next time. `lines`: each in all its lengths, the longest first. `read`: the store, closed by now. `named`:
        the files that the experiment names, of which a library that is not written in Python may have read one unheard."""
        so_far = heard.so_far
        if so_far is None or so_far.outside:
            read.close()
            return
        named_store = heard.absolute(read.path)
        store = Path(os.path.realpath(named_store))
        code = {path for module in list(sys.modules.values()) if (path := getattr(module, "__file__", None))}
        files = {path for path in so_far.files if not path.endswith(".pyc")} - {str(self._place)}
        files |= code | {heard.absolute(path) for path in named}
        files -= {str(store) + end for end in _BESIDE_A_STORE}
        if not all(map(_can_be_marked, (heard.absolute(path) for path in named))):
            read.close()
            return
        looked_at = _LookedAt(
            {path for path in files | {str(store)} if _can_be_marked(path)},
            {path for path in so_far.folders if _can_be_marked(path)},
            so_far.code_folders,
            None if so_far.every_variable else so_far.variables,
        )
        marks = read.seen(lambda: looked_at.marks(named_store))
        if marks is None or _in_use(store) or not all(map(os.path.exists, code)):
            return
        if looked_at.changed_since(so_far, named_store):
            return
        kept = {"store": named_store, "marks": marks, "lines": [list(line) for line in lines]}
        from moot.whole_files import written_whole

        with suppress(OSError):  # a cache that cannot be written: it takes as long as before
            self._place.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(self._place) as draft:
                draft.write_text(json.dumps(kept), encoding="utf-8")
            _forget_oldest(self._place.parent)

    @property
    def _place(self) -> Path:
        """One for each way of calling it: who types `python -m moot` here and `moot` there has both remembered."""
        from moot.models.packaged import cache_folder

        typed = [str(self.file), os.getcwd(), self.store, self.limit, sys.path]
        return cache_folder() / "settled" / f"{hashlib.sha256(json.dumps(typed).encode()).hexdigest()[:32]}.json"


def _fitting(lengths: Sequence[str], width: int) -> str:
    """The longest that fits; where none does, the shortest."""
    return next((line for line in lengths if len(line) <= width), lengths[-1])


@dataclass(frozen=True, slots=True)
class _LookedAt:
    """All that the lines came from, by name."""

    files: Collection[str]
    folders: Collection[str]
    code_folders: Collection[str]
    variables: Collection[str] | None
    """None: all that there are."""

    def marks(self, store: str) -> dict[str, Any]:
        """All of it as it is now: equal marks, equal lines. `store`: as it is named."""
        real = os.path.realpath(store)
        passing = _passing(real)
        return {
            "version": [__version__, sys.version],
            "variables": None if self.variables is None else sorted({*self.variables} - _OF_A_TERMINAL),
            "set": sorted(name for name in self._named() - _OF_A_TERMINAL if os.environ.get(name)),
            "homes": [os.environ.get(name) for name in _HOMES],
            "store": [real, _mark(real), _links(store)],
            "files": {path: _mark(path) for path in sorted(self.files)},
            "folders": {path: _listed(heard.names_in(path), passing) for path in sorted(self.folders)},
            "code_folders": {path: _listed(heard.modules_in(path)) for path in sorted(self.code_folders)},
        }

    def _named(self) -> set[str]:
        return {*os.environ} if self.variables is None else {*self.variables}

    def changed_since(self, so_far: heard.HeardSoFar, store: str) -> bool:
        """Whether anything was since it was looked at, or a link on the way to it. The store's own folder is touched by every
        run: there the names say it."""
        real = os.path.realpath(store)
        passing = _passing(real)
        if any(
            _listed(heard.names_in(path), passing) != _listed(so_far.folders[path], passing) for path in self.folders
        ):
            return True
        if any(heard.modules_in(path) != names for path, names in so_far.code_folders.items()):
            return True
        touched = {path for path in self.files if os.path.realpath(path) != real}
        touched |= {path for path in self.folders if os.path.realpath(path) != os.path.dirname(real)}
        ways = {os.path.dirname(path) for path in touched} | {*self.folders, *self.code_folders, store}
        turned_ns = (link[-1] for way in ways for link in _links(way))
        return any(at_ns >= so_far.since_ns for at_ns in (*map(_touched_ns, touched), *turned_ns))


def _passing(store: str) -> set[str]:
    """What comes and goes in the folder of a store, or has just come, while it is written."""
    name = os.path.basename(store)
    return {name, *(name + end for end in _BESIDE_A_STORE)}


def _listed(names: heard.NamesInFolder, but_for: Collection[str] = ()) -> str | None:
    if names is None:
        return None
    listed = "\0".join(sorted(names.difference(but_for)))
    return hashlib.sha256(listed.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _can_be_marked(path: str) -> bool:
    """Whether its mark tells when it is another: it is a file or a folder, or nothing that could become one, and is kept."""
    try:
        now = os.stat(path)
    except (OSError, ValueError):
        return True
    if not stat.S_ISREG(now.st_mode) and not stat.S_ISDIR(now.st_mode):
        return False
    return now.st_dev not in _made_as_read()


@cache
def _made_as_read() -> frozenset[int]:
    devices = set()
    for place in _MADE_AS_READ:
        with suppress(OSError):
            if os.path.ismount(place):
                devices.add(os.stat(place).st_dev)
    return frozenset(devices)


def _mark(path: str) -> list[int] | None:
    """Of a file; None where there is none, which is something that was seen too."""
    try:
        now = os.stat(path)
    except (OSError, ValueError):
        return None
    return [now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino, now.st_dev]


def _links(path: str) -> list[list[Any]]:
    """Every link on the way to a file, with where it leads and when it was made: one that is turned leads to another file."""
    links: list[list[Any]] = []
    at, left = os.sep, path.split(os.sep)[::-1]
    while left and len(links) <= _MOST_LINKS:
        if (part := left.pop()) in ("", os.curdir):
            continue
        here = os.path.dirname(at) if part == os.pardir else os.path.join(at, part)
        try:
            now = os.lstat(here)
            leads_to = os.readlink(here) if stat.S_ISLNK(now.st_mode) else None
        except (OSError, ValueError):
            return [*links, [here, None, 0, 0]]
        if leads_to is None:
            at = here
            continue
        links.append([here, leads_to, now.st_ino, now.st_ctime_ns])
        at = os.sep if os.path.isabs(leads_to) else at
        left += leads_to.split(os.sep)[::-1]
    return links


def _touched_ns(path: str) -> int:
    """When it was written, moved or linked last, or the link to it was; long ago where there is nothing."""
    newest_ns = 0
    for look in (os.lstat, os.stat):
        with suppress(OSError, ValueError):
            now = look(path)
            newest_ns = max(newest_ns, now.st_mtime_ns, now.st_ctime_ns)
    return newest_ns


def _forget_oldest(folder: Path) -> None:
    by_age = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    for path in by_age[:-_MOST_KEPT]:
        path.unlink(missing_ok=True)


def _in_use(store: str | Path) -> bool:
    """Somebody has it open, or has left it without closing it: what was written last does not stand in the file itself."""
    return any(os.path.exists(f"{store}{end}") for end in _BESIDE_A_STORE)
