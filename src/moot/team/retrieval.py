"""Facts about a question: any callable from a question to a text will do; here is one over a folder of text files.

The built-in retriever gives the passages that fit a question best: see `moot.team.passage_index`. The same folder and question
always give the same text.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import cast

from moot.errors import UsageError
from moot.plugins import PluginKind, blaming
from moot.team.passage_index import PassageIndex
from moot.team.team import Retriever
from moot.types import Question, digest

RETRIEVERS = PluginKind("retriever", "moot.retrievers")


class FolderFacts:
    """The passages of a folder that have most to do with a question.

    >>> FolderFacts(Path("facts"))(Question("1", "Who built the tower?"))
    """

    def __init__(self, folder: Path, *, passages: int = 3) -> None:
        self.folder, self.passages = folder, passages
        self._index = PassageIndex.of_folder(folder, key="facts", within=folder)

    @property
    def fingerprint(self) -> str:
        """What the folder holds: other facts make another experiment."""
        return digest([self._index.fingerprint, self.passages])

    def __call__(self, question: Question) -> str:
        """The best passages, best first; ties in the order of the folder. Nothing, if no passage shares a word."""
        return "\n\n".join(passage.text for passage in self._index.best(question, self.passages))


def retriever(named: str, folder: Path) -> Retriever:
    """A retriever of another package by its name, else the built-in one over this folder."""
    if RETRIEVERS.place(named) is None:
        return FolderFacts(folder)
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
