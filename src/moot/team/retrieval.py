"""Facts about a question: any callable from a question to a text will do; here is one over a folder of text files.

The built-in retriever ranks passages by BM25 (Robertson and Sparck Jones' weighting, with the usual constants). It is
small and exact: the same folder and question always give the same text.
"""

from __future__ import annotations

import inspect
import math
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from moot.errors import FileError, UsageError
from moot.foreign_files import text_of
from moot.plugins import PluginKind, blaming
from moot.team.team import Retriever
from moot.types import Question, digest

RETRIEVERS = PluginKind("retriever", "moot.retrievers")
SUFFIXES = (".txt", ".md")
_WORD = re.compile(r"\w+")
_PARAGRAPHS = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Passage:
    text: str
    words: Counter[str]
    size: int


class Bm25:
    """The passages of a folder that have most to do with a question.

    >>> Bm25(Path("facts"))(Question("1", "Who built the tower?"))
    """

    def __init__(self, folder: Path, *, passages: int = 3, k1: float = 1.5, b: float = 0.75) -> None:
        self.folder, self.passages, self.k1, self.b = folder, passages, k1, b
        self._kept = _read(folder)
        self._mean = sum(passage.size for passage in self._kept) / len(self._kept)
        self._holders = Counter(word for passage in self._kept for word in passage.words)

    @property
    def fingerprint(self) -> str:
        """What the folder holds: other facts make another experiment."""
        return digest([[passage.text for passage in self._kept], self.passages, self.k1, self.b])

    def __call__(self, question: Question) -> str:
        """The best passages, best first; ties in the order of the folder. Nothing, if no passage shares a word."""
        asked = set(_words(" ".join((question.text, *question.choices))))
        scores = [(self._score(asked, passage), -place) for place, passage in enumerate(self._kept)]
        best = sorted((score for score in scores if score[0] > 0), reverse=True)[: self.passages]
        return "\n\n".join(self._kept[-place].text for _, place in best)

    def _score(self, asked: set[str], passage: Passage) -> float:
        length = self.k1 * (1 - self.b + self.b * passage.size / self._mean)
        score = 0.0
        for word in sorted(asked & passage.words.keys()):
            holders, times = self._holders[word], passage.words[word]
            rarity = math.log(1 + (len(self._kept) - holders + 0.5) / (holders + 0.5))
            score += rarity * times * (self.k1 + 1) / (times + length)
        return score


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _read(folder: Path) -> list[Passage]:
    if not folder.is_dir():
        raise FileError(f"expected a folder of text files ({', '.join(SUFFIXES)})", file=folder, key="facts")
    passages = []
    for path in sorted(file for file in folder.rglob("*") if file.suffix in SUFFIXES and file.is_file()):
        try:
            text = text_of(path)
        except (UnicodeDecodeError, OSError) as error:
            raise FileError(f"cannot be read as UTF-8 text: {error}", file=path, key="facts") from None
        for part in _PARAGRAPHS.split(text):
            words = _words(part)
            if words:
                passages.append(Passage(part.strip(), Counter(words), len(words)))
    if not passages:
        raise FileError(
            f"expected text files ({', '.join(SUFFIXES)}) with words in them, found none", file=folder, key="facts"
        )
    return passages


def retriever(named: str, folder: Path) -> Retriever:
    """A retriever of another package by its name, else the built-in one over this folder."""
    if RETRIEVERS.place(named) is None:
        return Bm25(folder)
    found = RETRIEVERS.load(named)
    if not callable(found):
        raise UsageError(f"{RETRIEVERS.named(named)} is not callable; expected a function from a question to a text")
    return cast(Retriever, found)


async def retrieve(source: Retriever, question: Question) -> str:
    """What the retriever says, whether it has to be waited for or not."""
    with blaming("retriever", getattr(source, "__qualname__", type(source).__qualname__)):
        reply = source(question)
        text = await reply if inspect.isawaitable(reply) else reply
        if not isinstance(text, str):
            raise TypeError(f"a retriever gives a text, found {type(text).__name__}")
        return text
