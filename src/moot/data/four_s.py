"""Packages in the `.4s` format of the "What? Where? When?" community, as chgksuite writes it.

A line that begins with a marker (`?` question, `!` answer, `=` also accepted, …) opens a field, which goes on until
the next marker. A question ends where the next one begins. Questions that need more than text, an image or a handout,
cannot be played: they are left out, and `skipped` says which.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from moot.data.four_s_text import MOST_VARIANTS, alternatives, listed, plain, shown_to_players, unended, wordings
from moot.errors import FileError
from moot.foreign_files import lines_of, opened

_FIELDS = {
    "?": "question",
    "!": "answer",
    "=": "accepted",
    "!=": "rejected",
    "/": "comment",
    "^": "source",
    "@": "author",
    ">": "handout",
    "№": "number",
    "№№": "counter",
    "#": "note",
    "##": "tour",
    "###": "title",
    "###LJ": "short title",
    "#EDITOR": "editor",
    "#DATE": "date",
}
_OF_QUESTION = frozenset({"answer", "accepted", "rejected", "comment", "source", "author", "handout"})
_OF_REFERENCE = ("answer", "accepted", "rejected")
_OF_PACKAGE = frozenset({"tour", "title", "short title", "editor", "date"})
_COUNTER = re.compile(r"set 4SCOUNTER(?P<set>\w*) = (?P<to>\d+)|4SCOUNTER(?P<name>\w*)")
_SEVERAL = re.compile(r"\b(?:дуплет|блиц)", re.IGNORECASE)
_ALSO_RIGHT = re.compile(r"(?:\A|(?<=[.;)\]»”\"])\s)\s*+(?P<name>Зач[её]т|Незач[её]т):\s*", re.IGNORECASE)
"""What authors write in words in the place of the markers = and !=."""
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class Skipped:
    """A question that was left out, and why."""

    number: str
    reason: str
    line: int
    id: str


@dataclass(slots=True)
class _Question:
    line: int
    fields: dict[str, list[str]] = field(default_factory=dict)
    package: Mapping[str, str] = field(default_factory=dict)
    tour_number: int = 0
    number: str = ""

    def raw(self, name: str) -> str:
        return "\n".join(self.fields.get(name, ())).strip()


def four_s_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Each question that text can carry, with the line it begins at, in the form of our own question files."""
    for question, ident in _identified(path):
        if _reason(question) is None:
            yield question.line, _row(question, ident, path)


def skipped(path: Path) -> list[Skipped]:
    """The questions that `four_s_rows` leaves out."""
    return [
        Skipped(question.number, reason, question.line, ident)
        for question, ident in _identified(path)
        if (reason := _reason(question)) is not None
    ]


def _identified(path: Path) -> Iterator[tuple[_Question, str]]:
    """Questions with their ids. Where a package counts anew in each tour, the tour is part of the later ids."""
    taken: set[str] = set()
    for question in _PackageReader(path).questions():
        ident = f"{path.stem}-{question.number}"
        if ident in taken:
            ident = f"{path.stem}-{question.tour_number}.{question.number}"
        taken.add(ident)
        yield question, ident


class _PackageReader:
    """Goes through the lines of one package and puts questions together."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.counter = 1
        self.package: dict[str, list[str]] = {}
        self.tours = 0
        self.now: _Question | None = None
        self.ahead: dict[str, list[str]] = {}
        """Fields that stand before the question they belong to: its number, its handout."""
        self.open: list[str] | None = None
        """Where lines without a marker go."""
        self.after_blank = False

    def questions(self) -> Iterator[_Question]:
        for number, line in _lines(self.path):
            marker = next(iter(line.split(None, 1)), "")
            name = _FIELDS.get(marker)
            if name is None:
                first, said = self._split(line) if self._in_reference() else (line, [])
                if first.strip() or not said:
                    self._go_on(first, number)
                self._also_right(said, number)
                continue
            if name in ("question", "tour", "title"):
                yield from self._finished()
            text = line.strip()[len(marker) :].strip()
            first, said = self._split(text) if name in _OF_REFERENCE else (text, [])
            self._begin(name, first, number)
            self._also_right(said, number)
            self.after_blank = False
        yield from self._finished()

    @staticmethod
    def _split(text: str) -> tuple[str, list[tuple[str, str]]]:
        """What stands before the first "Зачёт:", and what follows each, by the field that it is."""
        found = list(_ALSO_RIGHT.finditer(text))
        if not found:
            return text, []
        ends = [each.start() for each in found[1:]] + [len(text)]
        said = [
            ("rejected" if each["name"].lower().startswith("н") else "accepted", text[each.end() : end].strip())
            for each, end in zip(found, ends, strict=True)
        ]
        return text[: found[0].start()], said

    def _in_reference(self) -> bool:
        return self.now is not None and any(self.open is self.now.fields.get(name) for name in _OF_REFERENCE)

    def _also_right(self, said: list[tuple[str, str]], number: int) -> None:
        for name, text in said:
            self._begin(name, text, number)

    def _go_on(self, line: str, number: int) -> None:
        if not line.strip():
            self.after_blank = True
        elif self.open is None:
            problem = "expected a line that begins with a marker such as '? ' or '### ', found text"
            raise FileError(problem, file=self.path, line=number)
        else:
            self.open.append(line.rstrip())

    def _begin(self, name: str, text: str, number: int) -> None:
        self.open = [text]
        if name == "question":
            package = {key: plain("\n".join(lines)) for key, lines in self.package.items()}
            self.now = _Question(number, {**self.ahead, "question": self.open}, package, self.tours)
            self.ahead = {}
        elif name in ("number", "counter") or (name == "handout" and self._comes_before()):
            self._field_ahead(name, number)
        elif name in _OF_QUESTION:
            self._field_of_question(name, number)
        elif name in _OF_PACKAGE:
            self.package[name] = self.open
            self.tours += name == "tour"

    def _comes_before(self) -> bool:
        return self.now is None or ("answer" in self.now.fields and self.after_blank)

    def _field_ahead(self, name: str, number: int) -> None:
        assert self.open is not None, "a field has just begun"
        if name == "counter" and not self.open[0].isdecimal():
            problem = f"expected the number that the next question has, found {self.open[0]!r}"
            raise FileError(problem, file=self.path, line=number, key="№№")
        inside = self.now is not None and "answer" not in self.now.fields
        fields = self.now.fields if self.now is not None and inside else self.ahead
        fields[name] = self.open

    def _field_of_question(self, name: str, number: int) -> None:
        assert self.open is not None, "a field has just begun"
        if self.now is None:
            if name in ("answer", "accepted", "rejected"):
                problem = f"{_article(name)} before any question; expected a line beginning with '? ' first"
                raise FileError(problem, file=self.path, line=number)
            return  # a source or an author of a whole tour
        earlier = self.now.fields.setdefault(name, self.open)
        if earlier is not self.open:
            if name in ("accepted", "rejected"):
                earlier[-1] += ";"  # given twice: another answer, not more of the same
            earlier.extend(self.open)
            self.open = earlier

    def _finished(self) -> Iterator[_Question]:
        question, self.now = self.now, None
        if question is None:
            return
        if question.raw("counter"):
            self.counter = int(question.raw("counter"))
        question.number = plain(question.raw("number").partition("\n")[0]) or str(self.counter)
        if not question.raw("number"):
            self.counter += 1
        for name, marker in (("question", "?"), ("answer", "!")):
            if not question.raw(name):
                what = "has no text" if name == "question" else "has no answer"
                problem = f"question {question.number} {what}; expected one after '{marker} '"
                raise FileError(problem, file=self.path, line=question.line)
        yield question


def _article(name: str) -> str:
    return {"answer": "an answer", "accepted": "an accepted answer", "rejected": "a rejected answer"}[name]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    counters: dict[str, int] = {}
    with opened(path) as file:
        for number, line in enumerate(lines_of(file, path), start=1):
            content = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            try:
                text = content.decode().rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise FileError(_encoding(content, error), file=path, line=number) from None
            yield number, _COUNTER.sub(lambda match: _counted(match, counters), text)


def _encoding(content: bytes, error: UnicodeDecodeError) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "expected UTF-8 text, found UTF-16; save the file again as UTF-8"
    letters = content.decode("cp1251", errors="replace")
    cyrillic = sum("а" <= letter.lower() <= "я" for letter in letters)
    if 2 * cyrillic > sum(letter.isalpha() for letter in letters):
        return "expected UTF-8 text; this looks like Windows-1251 (cp1251): save the file again as UTF-8"
    return f"expected UTF-8 text ({error.reason})"


def _counted(match: re.Match[str], counters: dict[str, int]) -> str:
    """`4SCOUNTER` counts up wherever it stands."""
    if match["to"]:
        counters[match["set"]] = int(match["to"])
        return ""
    value = counters.get(match["name"], 1)
    counters[match["name"]] = value + 1
    return str(value)


def _reason(question: _Question) -> str | None:
    """Why text alone cannot carry it, if it cannot."""
    if question.raw("handout"):
        return "the question has a handout"
    if medium := shown_to_players(question.raw("question")):
        return f"the question has {medium}"
    if not plain(question.raw("answer")) and (medium := shown_to_players(question.raw("answer"))):
        return f"the answer is {medium}"
    return None


def _row(question: _Question, ident: str, path: Path) -> dict[str, Any]:
    answers = _answers(question)
    if not answers:
        problem = f"question {question.number} has no answer that text can carry"
        raise FileError(problem, file=path, line=question.line)
    package = question.package
    year = _YEAR.search(package.get("date", ""))
    parts = _parts(question)
    meta = {"number": question.number, **{key: package[key] for key in ("tour", "editor", "date") if key in package}}
    accepted = [*answers[1:], *_variants(question, "accepted")]
    row = {
        "id": ident,
        "text": _text(question),
        "answer": answers[0],
        "accepted": list(dict.fromkeys(answer for answer in accepted if answer != answers[0])),
        "rejected": _variants(question, "rejected"),
        "comment": plain(question.raw("comment")),
        "source": _lines_of(question.raw("source")),
        "author": _lines_of(question.raw("author")),
        "package": package.get("title") or package.get("short title") or path.stem,
        "year": int(year.group()) if year else None,
        "language": "ru",
        "lemmatize": True,
        "meta": {**meta, "parts": parts} if parts else meta,
    }
    return {key: value for key, value in row.items() if value not in (None, "", [])}


def _answers(question: _Question) -> list[str]:
    """The canonical answer first. Several parts, as in a duplet, are one answer, with and without their numbers."""
    answer = listed(question.raw("answer"))
    if not answer.items:
        return wordings(plain(answer.lead))
    parts = [wordings(plain(item)) for item in answer.items]
    whole = [variants[0] for variants in parts if variants]
    shortest = [variants[-1] for variants in parts if variants]
    numbered = [f"{number}. {part}" for number, part in enumerate(whole, start=1)]
    return list(dict.fromkeys(map("; ".join, (whole, numbered, shortest))))[:MOST_VARIANTS]


def _variants(question: _Question, name: str) -> list[str]:
    """Where the question has parts, a remark on one of them is no answer to all: it stays one note."""
    raw = question.raw(name)
    if not plain(raw):
        return []
    if listed(question.raw("answer")).items:
        return [unended(_lines_of(raw).replace("\n", "; "))]
    remark = listed(raw)
    pieces = [remark.lead, *remark.items]
    return list(dict.fromkeys(variant for piece in pieces if piece for variant in alternatives(plain(piece))))


def _parts(question: _Question) -> int:
    """How many questions in one, as in a duplet or a blitz; 0 for a list that is part of the text, such as a dialogue."""
    text = listed(question.raw("question"))
    several = listed(question.raw("answer")).items or _SEVERAL.search(text.lead)
    return len(text.items) if several else 0


def _text(question: _Question) -> str:
    text, parts = listed(question.raw("question")), _parts(question)
    items = [f"{number}. {plain(item)}" if parts else f"- {plain(item)}" for number, item in enumerate(text.items, 1)]
    return "\n".join(line for line in [plain(text.lead), *items] if line)


def _lines_of(raw: str) -> str:
    content = listed(raw)
    return "\n".join(line for line in map(plain, [content.lead, *content.items]) if line)
