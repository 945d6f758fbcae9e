"""Documents that a question is about: files and folders in the place of a context, of which the passages that fit are shown.

What is shown becomes the context of the question, so it is part of what the question is, of every prompt and of every stored
call. Which passages it is stands in the case's ``meta``, where ``moot show`` finds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from moot.data.placed import CaseSource, Placed
from moot.errors import FileError
from moot.team.passage_index import PassageIndex
from moot.team.passages import Passage
from moot.types import Case, Question, digest

WHOLE = 8_000
"""Characters up to which documents are shown as a whole."""
MOST_SHOWN = 6
MOST_CHARACTERS = 6_000
"""Of longer ones so many passages, and so much of their text, are shown."""
META = "shown_documents"
_PLACES = ("file", "folder")


@dataclass(frozen=True, slots=True)
class ShownDocuments:
    """What a player is shown of documents, and what of them it is."""

    text: str
    parts: list[dict[str, Any]]
    """For each document that is shown: its name, and which passages of how many, or that it is whole."""
    found: bool = True
    """False: no passage shares a word with the question, so that the beginning is shown."""


def shown_documents(index: PassageIndex, question: Question) -> ShownDocuments:
    """Short ones whole, of others the passages that fit best, in the order in which they stand there."""
    if index.characters <= WHOLE:
        texts = list(index.whole())
        told = "\n\n".join(f"[{name}]\n{text.strip()}" for name, text in texts)
        return ShownDocuments(told, [{"file": name, "whole": True} for name, _ in texts])
    best = index.best(question, MOST_SHOWN)
    passages = _as_many_as_fit(best or index.first(MOST_SHOWN))
    by_document: dict[str, list[Passage]] = {}
    for passage in sorted(passages, key=lambda each: (each.document, each.number)):
        by_document.setdefault(passage.document, []).append(passage)
    told = "\n\n".join(
        f"[{each.document}, passage {each.number} of {each.of}]\n{each.text}"
        for own in by_document.values()
        for each in own
    )
    parts = [
        {"file": name, "passages": [each.number for each in own], "of": own[0].of} for name, own in by_document.items()
    ]
    return ShownDocuments(told, parts, found=bool(best))


def shown_files(files: Sequence[tuple[str, Path]], question: Question, *, key: str | None = None) -> ShownDocuments:
    """Of documents that were named one by one: each short one whole, of the others together the passages that fit best."""
    whole: list[tuple[str, Path]] = []
    others: list[tuple[str, Path]] = []
    room = WHOLE
    for named in files:
        characters = PassageIndex([named], key=key).characters
        (whole if characters <= room else others).append(named)
        room -= characters if characters <= room else 0
    shown = [shown_documents(PassageIndex(own, key=key), question) for own in (whole, others) if own]
    text = "\n\n".join(each.text for each in shown)
    return ShownDocuments(text, [part for each in shown for part in each.parts], all(each.found for each in shown))


def _as_many_as_fit(passages: list[Passage]) -> list[Passage]:
    taken: list[Passage] = []
    characters = 0
    for passage in passages:
        characters += len(passage.text)
        if taken and characters > MOST_CHARACTERS:
            break
        taken.append(passage)
    return taken


def about(case: Case, index: PassageIndex) -> Case:
    """The case with what its question is shown of the documents."""
    shown = shown_documents(index, case.question)
    meta = {**case.meta, META: shown.parts}
    return replace(case, question=replace(case.question, context=shown.text), meta=meta)


def documents_of(case: Case) -> tuple[Mapping[str, Any], ...]:
    """What was shown of documents. A store may be anybody's: what is not as it is written here is left out."""
    parts = case.meta.get(META)
    return tuple(part for part in parts if _is_part(part)) if isinstance(parts, list) else ()


def _is_part(part: object) -> bool:
    if not isinstance(part, Mapping) or not isinstance(part.get("file"), str):
        return False
    numbers = part.get("passages")
    return part.get("whole") is True or (
        isinstance(numbers, list) and all(isinstance(each, int) for each in numbers) and isinstance(part.get("of"), int)
    )


def parts_in_words(parts: Sequence[Mapping[str, Any]]) -> list[str]:
    """As a person reads them."""
    words = []
    for part in parts:
        if part.get("whole"):
            words.append(f"{part['file']}: whole")
        else:
            words.append(f"{part['file']}: {_numbers(part['passages'])} of {part['of']} passages")
    return words


def _numbers(numbers: list[int]) -> str:
    return f"{len(numbers)} ({', '.join(map(str, numbers))})"


def names_document(context: object) -> bool:
    """Whether what stands in the place of a context names a document."""
    return isinstance(context, Mapping) and len(context) == 1 and not {*context}.isdisjoint(_PLACES)


@dataclass(slots=True)
class RowDocuments:
    """The documents that rows of a question file name: below its own folder, and nowhere else.

    A row is data, which may come from anywhere: it reads no file that does not lie beside it.
    """

    folder: Path
    _indexes: dict[tuple[str, str], PassageIndex] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str | None:
        """What all that was named so far holds; None: nothing was named."""
        if not self._indexes:
            return None
        return digest(sorted([*place, index.fingerprint] for place, index in self._indexes.items()))

    def of_row(self, values: Mapping[str, Any], *, file: str, line: int) -> PassageIndex | None:
        """What a row names in the place of a context; None: it names nothing."""
        named = values.get("context")
        if not isinstance(named, Mapping):
            return None
        given = {key: value for key, value in named.items() if value is not None}
        if len(given) != 1 or next(iter(given)) not in _PLACES or not isinstance(next(iter(given.values())), str):
            problem = "expected a text, {file: NAME.md} or {folder: NAME}"
            raise FileError(problem, file=file, line=line, key="context")
        ((kind, name),) = given.items()
        if (kind, name) not in self._indexes:
            self._indexes[kind, name] = self._read(kind, name, file, line)
        return self._indexes[kind, name]

    def _read(self, kind: str, name: str, file: str, line: int) -> PassageIndex:
        if not name.strip() or "\x00" in name:
            raise FileError("expected a name that is not empty", file=file, line=line, key=f"context.{kind}")
        path = self.folder / name
        try:
            inside = not Path(name).is_absolute() and path.resolve().is_relative_to(self.folder.resolve())
        except (OSError, RuntimeError):
            inside = False
        if not inside:
            problem = f"{name!r} is outside of the folder of the questions; expected a place below it"
            raise FileError(problem, file=file, line=line, key=f"context.{kind}")
        try:
            if kind == "folder":
                return PassageIndex.of_folder(path, within=self.folder)
            return PassageIndex([(Path(name).as_posix(), path)])
        except FileError as error:
            raise FileError(f"{name}: {error.problem}", file=file, line=line, key=f"context.{kind}") from None


@dataclass(frozen=True, slots=True)
class AboutDocuments:
    """Cases of a source whose questions are about documents, but for those that bring a context of their own."""

    source: CaseSource
    index: PassageIndex

    def cases(self, language: str) -> Iterator[Placed]:
        for placed in self.source.cases(language):
            yield replace(placed, case=self.shown(placed.case))

    def shown(self, case: Case) -> Case:
        return case if case.question.context is not None else about(case, self.index)
