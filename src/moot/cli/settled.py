"""A file that is run again when nothing is left to do: what was told is told again, as long as all it was told from is the same.

Whoever types `moot run` to see how it stands should not wait for hundreds of modules, and for every question to be looked up,
to read the same three lines. So these are kept in the user's cache, with all that they came from: every file that was read on
the way (the experiment, its questions and prompts, all code), the names in every folder that was looked through, which
variables the environment has, and the store with every link on the way to it. Where one of these is another everything is
looked up as ever. Nothing is kept of a run that found something amiss, left something open or asked anybody outside but for
its play, whose calls are all in the store, nor of a store that others have open or wrote to, nor where something was changed
while it ran: it may have been read before.

What was read is heard from the interpreter, so that no room has to tell; this must be on from the start of the process. The
values of variables are not looked at, since keys are no business of a file; but for the home, by which paths go.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moot import __version__

if TYPE_CHECKING:  # nothing of a store is needed to say that all is there
    from moot.store.as_read import StoreAsRead

_OUTSIDE = {
    *("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "urllib.Request"),
    *("subprocess.Popen", "os.posix_spawn", "os.exec", "os.fork", "os.system"),
}
"""What comes from there may be another tomorrow, and no file shows it."""
_FOLDERS = {"os.listdir", "os.scandir"}
_NOT_KEPT = ("/proc/", "/dev/", "/sys/")
_OF_A_TERMINAL = {"_", "OLDPWD", "PWD", "SHLVL", "COLUMNS", "LINES", "WINDOWID"}
_MOST_KEPT = 32
"""So many commands are remembered, the last ones."""
_BESIDE_A_STORE = ("-wal", "-shm", "-journal")
_OUR_FILES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_HOMES = ("HOME", "USERPROFILE")
_MOST_LINKS = 64
"""Of links that lead to links, as many as any system follows."""


@dataclass
class _Heard:
    """What this process has looked at so far."""

    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    outside: bool = False
    playing: bool = False
    since_ns: int = field(default_factory=time.time_ns)

    def hear(self, event: str, details: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = details
            if not isinstance(path, int) and not (flags or 0) & (os.O_WRONLY | os.O_RDWR):
                self.files.add(_absolute(path))
        elif event in _FOLDERS:
            if not isinstance(details[0], int):
                self.folders.add(_absolute(details[0] or "."))
        elif event == "sqlite3.connect":
            self.files.add(_absolute(str(details[0]).removeprefix("file:").partition("?")[0]))
        elif event in _OUTSIDE and not self.playing and not _is_own_worker(event, details):
            self.outside = True


def _is_own_worker(event: str, details: tuple[Any, ...]) -> bool:
    """Whether it is a file of ours that unpacks another in a process of its own, such as a spreadsheet; which one that is
    the experiment says."""
    if event != "subprocess.Popen" or not isinstance(command := details[1], list | tuple) or len(command) < 3:
        return False
    python, apart, script = map(os.fsdecode, command[:3])
    return (python, apart) == (sys.executable, "-I") and script.startswith(_OUR_FILES)


_heard: _Heard | None = None


@contextmanager
def only_played() -> Iterator[None]:
    """Whoever is asked in here is asked for what the store keeps, and not asked again."""
    if _heard is None:
        yield
        return
    _heard.playing = True
    try:
        yield
    finally:
        _heard.playing = False


def listen() -> None:
    """From now on, to the end of the process: a hook of the interpreter cannot be taken back."""
    global _heard
    if _heard is None:
        _heard = _Heard()
        sys.addaudithook(_heard.hear)


@dataclass(frozen=True, slots=True)
class Rerun:
    """A command as it was typed, and where it was typed."""

    file: Path
    store: str | None
    limit: int | None
    width: int
    """Of the screen: how much is told depends on it."""

    def told_before(self) -> tuple[str, ...] | None:
        """The lines that it said when nothing was left to do; None where that is not known to be so still."""
        if _heard is None:
            return None
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            kept = json.loads(self._place.read_text(encoding="utf-8"))
            marks = kept["marks"]
            named = kept["store"]
            if marks == _marks(marks["files"], marks["folders"], named) and not _in_use(os.path.realpath(named)):
                return tuple(kept["lines"])
        return None

    def keep(self, lines: Iterable[str], read: StoreAsRead, named: Iterable[Path] = ()) -> None:
        """For the next time. `read`: the store, closed by now. `named`: the files that the experiment names, of which a library
        that is not written in Python may have read one unheard."""
        if _heard is None or _heard.outside:
            read.close()
            return
        named_store = _absolute(read.path)
        store = Path(os.path.realpath(named_store))
        files = {path for path in _heard.files if not path.endswith(".pyc")} - {str(self._place)}
        files |= {path for module in list(sys.modules.values()) if (path := getattr(module, "__file__", None))}
        files |= {_absolute(path) for path in named}
        files -= {str(store) + end for end in _BESIDE_A_STORE}
        looked_at = {path for path in files | {str(store)} if not path.startswith(_NOT_KEPT)}
        folders = {path for path in _heard.folders if not path.startswith(_NOT_KEPT)} | {*map(_absolute, sys.path)}
        marks = read.seen(lambda: _marks(looked_at, folders, named_store))
        if marks is None or _in_use(store) or _changed(looked_at - {str(store)}, folders, named_store, _heard.since_ns):
            return
        kept = {"store": named_store, "marks": marks, "lines": list(lines)}
        from moot.whole_files import written_whole

        with suppress(OSError):  # a cache that cannot be written: it takes as long as before
            self._place.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(self._place) as draft:
                draft.write_text(json.dumps(kept), encoding="utf-8")
            _forget_oldest(self._place.parent)

    @property
    def _place(self) -> Path:
        from moot.models.packaged import cache_folder

        typed = [str(self.file), os.getcwd(), self.store, self.limit, self.width]
        return cache_folder() / "settled" / f"{hashlib.sha256(json.dumps(typed).encode()).hexdigest()[:32]}.json"


def _marks(files: Iterable[str], folders: Iterable[str], store: str) -> dict[str, Any]:
    """All of it as it is now: equal marks, equal lines. `store`: as it is named."""
    real = os.path.realpath(store)
    return {
        "version": [__version__, sys.version],
        "variables": sorted(name for name, value in os.environ.items() if value and name not in _OF_A_TERMINAL),
        "homes": [os.environ.get(name) for name in _HOMES],
        "path": sys.path,
        "store": [real, _mark(real), _links(store)],
        "files": {path: _mark(path) for path in sorted(files)},
        "folders": {path: _names(path, os.path.basename(real)) for path in sorted(folders)},
    }


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


def _names(folder: str, store: str) -> str | None:
    """Of all that is in a folder, but for what a store leaves beside itself while it is open."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return None
    passing = {store + end for end in _BESIDE_A_STORE}
    listed = "\0".join(name for name in names if name not in passing)
    return hashlib.sha256(listed.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _changed(files: Iterable[str], folders: Iterable[str], store: str, since_ns: int) -> bool:
    """Whether any of them was since then, or a link on the way to one. The store's own folder is touched by every run: there
    the files are looked at."""
    touched: set[str] = {*files}
    beside, own = os.path.split(os.path.realpath(store))
    for folder in folders:
        if os.path.realpath(folder) != beside:
            touched.add(folder)
        else:
            with suppress(OSError):
                here = (os.path.join(folder, name) for name in os.listdir(folder) if name != own)
                touched.update(path for path in here if os.path.realpath(path) != os.path.join(beside, own))
    ways = {os.path.dirname(path) for path in touched} | {*folders, store}
    turned_ns = (link[-1] for way in ways for link in _links(way))
    return any(_touched_ns(path) >= since_ns for path in touched) or any(at_ns >= since_ns for at_ns in turned_ns)


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


def _absolute(path: Any) -> str:
    """What goes up again (`..`) is left so: from behind a link that leads elsewhere than it reads."""
    named = os.fsdecode(path)
    if os.pardir in named.split(os.sep):
        return os.path.join(os.getcwd(), named)
    return os.path.abspath(named)
