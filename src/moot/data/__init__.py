"""Question sets: files in our own form, and the sets that come with moot.

A dataset is read twice: once to find every mistake before the first call, once to play. Neither pass holds it in memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from moot.data.case import read_case
from moot.data.four_s import Skipped, four_s_rows, skipped
from moot.data.rows import READERS as TABLES
from moot.errors import FileError, UsageError
from moot.models.closest import closest
from moot.types import Case, digest, seeded

READERS = {**TABLES, ".4s": four_s_rows}
"""Kinds of question files by the end of their name."""

_SETS = Path(__file__).parent / "sets"


@dataclass(frozen=True, slots=True)
class Dataset:
    """Cases that can be walked through any number of times. `chosen` are the positions of a sample; None takes all."""

    path: Path
    language: str
    size: int
    fingerprint: str
    chosen: frozenset[int] | None = None
    skipped: tuple[Skipped, ...] = ()
    """Questions of the file that text cannot carry, such as those with a handout. They are no part of the set."""

    def __iter__(self) -> Iterator[Case]:
        for position, placed in enumerate(_cases(self.path, self.language)):
            if self.chosen is None or position in self.chosen:
                yield placed[1]

    def __len__(self) -> int:
        return self.size if self.chosen is None else len(self.chosen)

    def first(self, count: int) -> Dataset:
        """The first so many of them."""
        positions = range(self.size) if self.chosen is None else sorted(self.chosen)
        return replace(self, chosen=frozenset(positions[:count])) if count < len(self) else self


def builtin_names() -> list[str]:
    return sorted(path.stem for path in _SETS.glob("*.jsonl"))


def builtin(name: str) -> Path:
    """The file of a set that comes with moot."""
    known = builtin_names()
    if name not in known:
        hint = closest(name, known)
        raise UsageError(f"there is no built-in set {name!r}; expected one of {', '.join(known)}{hint}")
    return _SETS / f"{name}.jsonl"


def load(path: Path, *, language: str = "en", sample: int | None = None, seed: int = 0) -> Dataset:
    """A checked dataset: every row read, ids unique, references present."""
    if not path.is_file():
        raise FileError("no such file of questions", file=path)
    first_seen: dict[str, int] = {}
    for line, case in _cases(path, language):
        ident = case.question.id
        if (earlier := first_seen.setdefault(ident, line)) != line:
            raise FileError(f"{ident!r} is the question of line {earlier} already", file=path, line=line, key="id")
    size = len(first_seen)
    left_out = tuple(skipped(path)) if path.suffix.lower() == ".4s" else ()
    if size == 0:
        why = f" that text can carry: {left_out[0].reason}" if left_out else ""
        raise FileError(f"no questions in it{why}", file=path)
    chosen = None
    if sample is not None and sample < size:
        chosen = frozenset(seeded(seed, "sample", size).sample(range(size), sample))
    with path.open("rb") as content:
        content_hash = hashlib.file_digest(content, "sha256").hexdigest()
    return Dataset(path, language, size, digest([content_hash, language]), chosen, left_out)


def _cases(path: Path, language: str) -> Iterator[tuple[int, Case]]:
    """Each case with its line."""
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        problem = f"unknown kind of question file {path.suffix!r}; expected {', '.join(READERS)}"
        raise FileError(problem, file=path)
    read = partial(read_case, file=str(path), language=language)
    try:
        for line, values in reader(path):
            yield line, read(values, line=line)
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
