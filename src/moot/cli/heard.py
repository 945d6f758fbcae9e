"""What this process has looked at: files, folders and variables of the environment.

It is heard from the interpreter, so that no room has to tell; this must be on from the start of the process. Folders are of
two kinds. Of one that something was looked for in by us, such as prompts or documents, all names count. Of one that the
interpreter looked through for modules only those count that it could have taken: whoever writes a table beside the
experiment, which stands on that path with `python -m moot`, has changed no module. Of the environment only the names count that
somebody asked for, and not their values: keys are no business of a file.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import all_suffixes
from typing import Any

_OUTSIDE = {
    *("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "urllib.Request"),
    *("subprocess.Popen", "os.posix_spawn", "os.exec", "os.fork", "os.system"),
}
"""What comes from there may be another tomorrow, and no file shows it."""
_FOLDERS = {"os.listdir", "os.scandir"}
_WHO_LOOKS_FOR_MODULES = {"_frozen_importlib_external", "importlib._bootstrap_external", "importlib.metadata"}
_MODULE_ENDS = (*all_suffixes(), ".dist-info", ".egg-info", ".egg")
"""Of what is found on the path by its name; the last three tell of plug-ins."""
_COMPILED = "__pycache__"
_OUR_FILES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")

NamesInFolder = frozenset[str] | None
"""Of what is in a folder; None where it cannot be read."""


@dataclass
class HeardSoFar:
    """What this process has looked at so far."""

    files: set[str] = field(default_factory=set)
    folders: dict[str, NamesInFolder] = field(default_factory=dict)
    """Those that something was looked for in, with their names as they were then: `names_in`."""
    code_folders: dict[str, NamesInFolder] = field(default_factory=dict)
    """The same of those that modules were looked for in: `modules_in`."""
    variables: set[str] = field(default_factory=set)
    every_variable: bool = False
    """Somebody went through all of them."""
    outside: bool = False
    playing: bool = False
    since_ns: int = field(default_factory=time.time_ns)

    def hear(self, event: str, details: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = details
            if not isinstance(path, int) and not (flags or 0) & (os.O_WRONLY | os.O_RDWR):
                self.files.add(absolute(path))
        elif event in _FOLDERS:
            if not isinstance(details[0], int):
                self._look_through(absolute(details[0] or "."), sys._getframe(1).f_globals.get("__name__"))
        elif event == "sqlite3.connect":
            self.files.add(absolute(str(details[0]).removeprefix("file:").partition("?")[0]))
        elif event in _OUTSIDE and not self.playing and not _is_own_worker(event, details):
            self.outside = True

    def _look_through(self, folder: str, looking: object) -> None:
        """`looking`: the module that does. What it is about to see is looked at here before, and again when it is kept."""
        if looking == __name__:
            return
        if looking in _WHO_LOOKS_FOR_MODULES:
            if folder not in self.code_folders:
                self.code_folders[folder] = modules_in(folder)
        elif folder not in self.folders:
            self.folders[folder] = names_in(folder)


class _HeardEnvironment(os._Environ[str]):
    """The environment of the process, by which every asking for a variable passes."""

    def __getitem__(self, name: str) -> str:
        if so_far is not None and isinstance(name, str):
            so_far.variables.add(name)
        return super().__getitem__(name)

    def __iter__(self) -> Iterator[str]:
        if so_far is not None:
            so_far.every_variable = True
        return super().__iter__()


so_far: HeardSoFar | None = None


def listen() -> HeardSoFar:
    """From now on, to the end of the process: a hook of the interpreter cannot be taken back."""
    global so_far
    if so_far is None:
        so_far = HeardSoFar()
        for folder in sys.path:  # those that were looked through already
            so_far.code_folders[absolute(folder or ".")] = modules_in(folder or ".")
        sys.addaudithook(so_far.hear)
        os.environ.__class__ = _HeardEnvironment
    return so_far


@contextmanager
def only_played() -> Iterator[None]:
    """Whoever is asked in here is asked for what the store keeps, and not asked again."""
    if so_far is None:
        yield
        return
    so_far.playing = True
    try:
        yield
    finally:
        so_far.playing = False


def names_in(folder: str) -> NamesInFolder:
    """All that is in it."""
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return None


def modules_in(folder: str) -> NamesInFolder:
    """All in it that could be taken for a module, or tell of a plug-in: files by how they end, and folders of any name."""
    try:
        with os.scandir(folder) as entries:
            return frozenset(entry.name for entry in entries if _could_be_taken(entry))
    except OSError:
        return None


def _could_be_taken(entry: os.DirEntry[str]) -> bool:
    if entry.name.endswith(_MODULE_ENDS):
        return True
    return entry.name.isidentifier() and entry.name != _COMPILED and entry.is_dir()


def _is_own_worker(event: str, details: tuple[Any, ...]) -> bool:
    """Whether it is a file of ours that unpacks another in a process of its own, such as a spreadsheet; which one that is
    the experiment says."""
    if event != "subprocess.Popen" or not isinstance(command := details[1], list | tuple) or len(command) < 3:
        return False
    python, apart, script = map(os.fsdecode, command[:3])
    return (python, apart) == (sys.executable, "-I") and script.startswith(_OUR_FILES)


def absolute(path: Any) -> str:
    """What goes up again (`..`) is left so: from behind a link that leads elsewhere than it reads."""
    named = os.fsdecode(path)
    if os.pardir in named.split(os.sep):
        return os.path.join(os.getcwd(), named)
    return os.path.abspath(named)
