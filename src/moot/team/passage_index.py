"""An index of passages: SQLite's full-text search, ranked by its BM25, with English endings taken off words.

The same documents and question always give the same passages. A small collection is indexed in memory; a large one
once, in a file of the user's cache that is named by what it holds: so it need not fit in memory, and is
indexed again only when it changes.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from moot.errors import FileError
from moot.models.packaged import cache_folder
from moot.team.passages import LIKE_TEXT, SUFFIXES, Passage, document_text, passages_of
from moot.types import Question, digest

IN_MEMORY = 16 * 1024 * 1024
"""Characters of a collection up to which it is not worth a file."""
MOST_WORDS = 300
"""Of a question: more of them find nothing new."""
FORM = "passages 1"
"""How passages are made and found. What is changed there makes other text of the same documents, and so another experiment."""
_WORD = re.compile(r"\w+")
_TABLE = (
    "CREATE VIRTUAL TABLE passages USING fts5"
    "(text, document UNINDEXED, number UNINDEXED, of UNINDEXED, tokenize = 'porter unicode61 remove_diacritics 2')"
)
_BEST = "SELECT document, number, of, text, rowid FROM passages WHERE passages MATCH ? ORDER BY bm25(passages), rowid LIMIT ?"


class PassageIndex:
    """The passages of some documents, by what they have to do with a question."""

    def __init__(
        self,
        documents: Sequence[tuple[str, Path]],
        *,
        key: str | None = None,
        line: int | None = None,
        of_folder: bool = False,
    ) -> None:
        """`documents`: each by the name that it is told under. `key`, `line`: where they are named, for complaints. `of_folder`:
        nobody has named them one by one, so that one without a word is no mistake."""
        self._documents, self._key, self._line, self._of_folder = tuple(documents), key, line, of_folder
        hashes: list[list[str]] = []
        self.characters = 0
        for name, text in self._texts():
            hashes.append([name, hashlib.sha256(text.encode()).hexdigest()])
            self.characters += len(text)
        self.fingerprint = digest([FORM, hashes])
        self._lock = threading.Lock()
        self._found: sqlite3.Connection | None = None

    @classmethod
    def of_folder(
        cls, folder: Path, *, key: str | None = None, line: int | None = None, within: Path | None = None
    ) -> PassageIndex:
        """All documents below a folder, in the order of their names. Files of other kinds and empty ones are left out.

        `within`: a folder that no link may lead out of.
        """
        if not folder.is_dir():
            raise FileError(f"expected a folder of text files ({LIKE_TEXT})", file=folder, key=key, line=line)
        paths = sorted(file for file in folder.rglob("*") if file.suffix.lower() in SUFFIXES and file.is_file())
        if within is not None and (
            out := [path for path in paths if not path.resolve().is_relative_to(within.resolve())]
        ):
            whose = f"the folder {folder.name!r}" if within == folder else "the folder of the questions"
            raise FileError(f"leads out of {whose}", file=out[0], key=key, line=line)
        named = [(path.relative_to(folder).as_posix(), path) for path in paths]
        index = cls(named, key=key, line=line, of_folder=True)
        if not index.characters:
            problem = f"expected text files ({LIKE_TEXT}) with words in them, found none"
            raise FileError(problem, file=folder, key=key, line=line)
        return index

    def best(self, question: Question, most: int) -> list[Passage]:
        """The best first; ties in the order of the documents. None, where no passage shares a word with the question."""
        words = dict.fromkeys(_WORD.findall(" ".join((question.text, *question.choices)).casefold()))
        if not words:
            return []
        asked = " OR ".join(f'"{word}"' for word in list(words)[:MOST_WORDS])
        with self._lock:
            rows = self._opened().execute(_BEST, (asked, most)).fetchall()
        return [Passage(document, number, of, text) for document, number, of, text, _ in rows]

    def first(self, most: int) -> list[Passage]:
        """What the documents begin with."""
        query = "SELECT document, number, of, text FROM passages ORDER BY rowid LIMIT ?"
        with self._lock:
            return [Passage(*row) for row in self._opened().execute(query, (most,)).fetchall()]

    def whole(self) -> Iterator[tuple[str, str]]:
        """Each document by its name, as it is."""
        return self._texts()

    def _texts(self) -> Iterator[tuple[str, str]]:
        for name, path in self._documents:
            text = document_text(path, key=self._key, line=self._line, may_be_empty=self._of_folder)
            if text.strip():
                yield name, text

    def _opened(self) -> sqlite3.Connection:
        if self._found is None:
            self._found = self._in_memory() if self.characters <= IN_MEMORY else self._in_cache()
        return self._found

    def _in_memory(self) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        _fill(connection, self._texts())
        return connection

    def _in_cache(self) -> sqlite3.Connection:
        folder = cache_folder() / "passages"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / f"{self.fingerprint}.db"
        if (known := _read_only(path)) is not None:
            return known
        handle, draft = tempfile.mkstemp(dir=folder, prefix=".moot-")
        os.close(handle)
        try:
            connection = sqlite3.connect(draft)
            try:
                _fill(connection, self._texts())
            finally:
                connection.close()
            Path(draft).replace(path)
        finally:
            with suppress(OSError):
                Path(draft).unlink(missing_ok=True)
        found = _read_only(path)
        if found is None:
            raise FileError("the index of passages cannot be read again", file=path)
        return found


def _read_only(path: Path) -> sqlite3.Connection | None:
    """None: it is not there, or not whole."""
    if not path.is_file():
        return None
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
    try:
        connection.execute("SELECT rowid FROM passages LIMIT 1").fetchone()
    except sqlite3.Error:
        connection.close()
        return None
    return connection


def _fill(connection: sqlite3.Connection, texts: Iterable[tuple[str, str]]) -> None:
    connection.execute(_TABLE)
    with connection:
        for name, text in texts:
            parts = passages_of(text)
            rows = ((part, name, number, len(parts)) for number, part in enumerate(parts, start=1))
            connection.executemany("INSERT INTO passages (text, document, number, of) VALUES (?, ?, ?, ?)", rows)
