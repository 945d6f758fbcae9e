"""Where `-o` may write: never over what a command is made from, and never in the place of what is no file.

The experiment file, its store and the files that it names are what somebody has written or paid for. A name given by mistake
must not cost them: whoever thinks that `-o` is where a rule is put would have lost the file, and `-o cup.db` every paid call.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from moot.errors import UsageError
from moot.experiment.spec import ExperimentFile, read_experiment
from moot.store import from_here, store_at
from moot.store.sqlite import SqliteStore

DATABASE = b"SQLite format 3\x00"
BESIDE_A_STORE = ("", "-wal", "-shm", "-journal")
WRITTEN_BY_HAND = (".yaml", ".yml")
LONGEST_PATH = 4_096


def checked_output(
    output: Path,
    paths: Sequence[Path] = (),
    store: str | None = None,
    replaceable: Callable[[Path], bool] = lambda path: False,
) -> Path:
    """The file to write; of a link what it leads to, so that it stays one. A `UsageError` where something would be lost.

    `paths`: the experiment files that it is made from. `store`: as it was typed, where theirs is not meant. `replaceable`:
    of its own kind, which may be written anew although a file names it.
    """
    try:
        target = output.resolve(strict=os.path.lexists(output))
        there = target.exists()
        if there and target.is_dir():
            raise UsageError(f"-o: {output} is a folder; expected the name of a file")
        if there and not target.is_file():
            raise UsageError(f"-o: {output} is no regular file, which would be replaced; expected the name of a file")
        if there and replaceable(target):
            return target if output.is_symlink() else output
        refuse_inputs([target], paths, store)
        if there and target.suffix.lower() in WRITTEN_BY_HAND:
            raise UsageError(f"-o: {output} is there already and would be lost; expected another name")
        if there and _begins_as_database(target):
            raise UsageError(f"-o: {output} is a database, which would be lost; expected another name")
    except OSError as error:
        raise UsageError(f"-o: {output}: {error.strerror or error}") from None
    except RuntimeError:  # how a ring of links is told by older versions of Python
        raise UsageError(f"-o: {output}: a link that leads nowhere") from None
    return target if output.is_symlink() else output


def refuse_inputs(targets: Iterable[Path], paths: Sequence[Path], store: str | None = None) -> None:
    """None of these is what the command is made from."""
    kept = [entry for path in paths for entry in _inputs(path, store)]
    if not paths and store is not None:
        kept = [*_of_store(store, None)]
    folders = [(path, *named) for path in paths for named in _folders_named(path)]
    for target in targets:
        for what, file in kept:
            if _same(target, file):
                raise UsageError(f"-o: {target} is {what}, which would be lost; expected another name")
        for path, folder, is_read in folders:
            if target.exists() and is_read(target) and target.resolve().is_relative_to(folder.resolve()):
                where = f"is in the folder {folder.name}, which {path.name} names"
                raise UsageError(f"-o: {target} {where}, and would be lost; expected another name")


def _inputs(path: Path, store: str | None) -> Iterator[tuple[str, Path]]:
    if not path.is_file():
        return  # whoever reads it says so
    yield "the experiment file itself", path
    file = read_experiment(path, with_questions=False)
    yield from _of_store(from_here(store) if store else file.store_url, path.parent)
    for named in files_named(file):
        yield f"a file that {path.name} names", named


def _of_store(url: str, beside: Path | None) -> Iterator[tuple[str, Path]]:
    opened = store_at(url, beside=beside)
    if isinstance(opened, SqliteStore):
        for ending in BESIDE_A_STORE:
            yield "the store", opened.path.with_name(opened.path.name + ending)


def files_named(file: ExperimentFile) -> Iterator[Path]:
    """Whatever in it is the name of a file that is there: questions, recorded replies, rules, selections."""
    for text in dict.fromkeys(_texts(file.spec.model_dump(mode="python"))):
        if text and len(text) <= LONGEST_PATH and "\x00" not in text and "\n" not in text:
            try:
                named = file.beside(text)
                if named.is_file():
                    yield named
            except (OSError, UsageError):
                continue


def _folders_named(path: Path) -> Iterator[tuple[Path, Callable[[Path], bool]]]:
    """Those of prompts and of questions, each with what is read of it. They are not gone through: they may be of any size."""
    if not path.is_file():
        return
    file = read_experiment(path, with_questions=False)
    dumped = file.spec.model_dump(mode="python", include={"prompts", "questions"})
    for key, is_read in (("prompts", _is_template), ("questions", _is_no_page)):
        for text in dict.fromkeys(_texts(dumped.get(key))):
            with suppress(OSError, UsageError, ValueError):
                if text and (folder := file.beside(text)).is_dir():
                    yield folder, is_read


def _is_template(path: Path) -> bool:
    return path.suffix == ".j2"


def _is_no_page(path: Path) -> bool:
    return path.suffix.lower() not in (".html", ".htm")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str | Path):
        yield str(value)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _texts(each)


def _same(target: Path, file: Path) -> bool:
    """By what the names lead to: other spellings, links and hard links are one file."""
    if target.resolve() == file.resolve():
        return True
    return target.exists() and file.exists() and target.samefile(file)


def _begins_as_database(path: Path) -> bool:
    with path.open("rb") as content:
        return content.read(len(DATABASE)) == DATABASE
