"""Files in the place of an experiment file that are something else: what they are, and what to type."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from moot.errors import FileError
from moot.pasted import pasted

DATABASE = b"SQLite format 3\0"
"""How a file of SQLite begins."""
MOST_NAMED = 5


def questions_in_its_place(path: Path) -> FileError:
    first = f"moot init {pasted(path)}"
    return FileError(f"a file of questions, not an experiment; {first} writes the experiment that asks them", file=path)


def nothing_in_it(path: Path) -> FileError:
    """A file without a key. One without a letter may have been meant for a store as well."""
    if not path.stat().st_size:
        return FileError("an empty file, neither an experiment nor a store; moot init writes an experiment", file=path)
    return FileError(
        "only comments; expected keys such as name, models, questions, as moot init writes them", file=path
    )


def refuse_database(path: Path) -> None:
    """`FileError` for a store, or whatever else SQLite keeps."""
    try:
        if not path.is_file():  # what is no file may never be read to its end, such as a pipe
            return
        with path.open("rb") as file:
            if file.read(len(DATABASE)) != DATABASE:
                return
    except OSError:
        return  # said by whoever reads it
    from moot.store.read_only import is_store

    if not is_store(path):
        raise FileError("a database of another program, neither a store nor an experiment file", file=path)
    there = f"moot runs --store {pasted(f'sqlite:///{path}')}"
    raise FileError(f"a store, not an experiment file; what it holds: {there}", file=path)


def refuse_other_keys(path: Path, keys: Collection[object], known: Collection[str]) -> None:
    """`FileError` for keys and values of which nothing is an experiment's: to call the first unknown would say less."""
    if not keys or any(key in known for key in keys):
        return
    named = ", ".join(str(key)[:40] for key in list(keys)[:MOST_NAMED]) + (", …" if len(keys) > MOST_NAMED else "")
    one = "its key" if len(keys) == 1 else "none of its keys"
    problem = f"no experiment file: {one} ({named}) is {'none' if len(keys) == 1 else 'one'} of an experiment"
    raise FileError(f"{problem}; expected name, models, questions, such as moot init writes", file=path)
