"""The rows of somebody's table as rows of our form, by what its columns are known to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.config.flow import flow
from moot.data.blank_references import BlankReferences
from moot.data.case import MissingReference, read_case
from moot.data.documents import names_document
from moot.data.formats import shuffled
from moot.data.parted_texts import BAR, SEMICOLON, entries
from moot.data.placed import Placed
from moot.data.rows import LISTS, from_cell
from moot.data.tables.answer_forms import AnswersAs, could_be_a_choice, folded, in_words, label_against_text, place_of
from moot.data.tables.choice_cells import WRITTEN, is_cut, parts, without_labels
from moot.data.tables.choice_labels import LATIN
from moot.data.tables.known_names import IMAGE, META, WRONG, ColumnNames, plain, several
from moot.data.tables.object_cells import answers_of, choices_of, labels_of, opened, prose_of
from moot.data.tables.pictured_rows import has_image
from moot.data.tables.spreadsheets import Mangled
from moot.data.tables.table import QuestionTable
from moot.data.written_references import AS_THEY_STAND, WrittenReferences
from moot.errors import FileError
from moot.types import MOST_CHOICES, Question, QuestionKind, seeded

_FEWEST_WORDS = 6
COMMA = ","
_SHORTEST_HEADER = 3
"""Letters of a header that is no mere letter."""


def is_list(cell: str) -> bool:
    """Whether a text is a list, or an object that holds one, and is not to be cut."""
    return cell.lstrip().startswith("[") or choices_of(opened(cell)) is not None


@dataclass(frozen=True, slots=True)
class ColumnsOfTable:
    """A table and which of its columns is what: all that is needed to read its rows."""

    table: QuestionTable
    columns: Mapping[str, ColumnNames]
    separator: str = "|"

    def rows(self) -> Iterator[TableRow]:
        used = [name for columns in self.columns.values() for name in several(columns)]
        for number, (line, values) in enumerate(self.table.rows(tuple(dict.fromkeys(used))), start=1):
            yield TableRow(self, values, line, number)


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: `values` as they stand in the file, by the file's own names."""

    columns: ColumnsOfTable
    values: Mapping[str, Any]
    line: int
    number: int

    def error(self, key: str, problem: str) -> FileError:
        """A complaint about what should be under this key of ours, by the name that its column has in the file."""
        table = self.columns.table
        return FileError(problem, file=table.path, line=self.line, key=self.column(key))

    def column(self, key: str) -> str:
        names = several(self.columns.columns.get(key, key))
        return names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}"

    def value(self, key: str, separator: str | None = None) -> Any:
        """What it says under one of our keys; None: nothing."""
        columns = self.columns.columns.get(key)
        if columns is None:
            return None
        if key == "meta" and not isinstance(columns, str):
            return {name.removeprefix(META): cell for name in columns if (cell := self._cell(name)) is not None} or None
        if key == "human" and not isinstance(columns, str):
            solved_and_asked = [str(cell) for name in columns if (cell := self._cell(name)) is not None]
            return "/".join(number.removesuffix(".0") for number in solved_and_asked) or None
        if not isinstance(columns, str):
            return self._of_several(key, columns)
        cell = self._cell(columns)
        # A few words in brackets are no passage in pieces, but what is asked about.
        whole = key == "context" and isinstance(cell, str) and len(cell.split()) < _FEWEST_WORDS
        inner = opened(cell) if key in _IN_PIECES and not whole else None
        if isinstance(inner, list | Mapping) and (found := _IN_PIECES[key](inner)) is not None:
            return found
        if not isinstance(cell, str):
            return cell
        if key in LISTS and cell.lstrip().startswith("["):
            return self._list(key, cell.strip())
        if key == "choices":
            return self._cut(cell, separator) if cell.strip() else None
        if key == WRONG:
            return self._wrong(cell) if cell.strip() else None
        if key in LISTS:
            return entries(cell) if cell.strip() else None
        return from_cell(key, cell, self.columns.table.path, self.line)

    def _cut(self, cell: str, separator: str | None) -> list[str]:
        """`separator`: one that is only tried, with which there may be any number; those past the most are left together."""
        cut_at = separator or self.columns.separator
        if separator is None and (found := len(parts(cell, cut_at))) > MOST_CHOICES:
            raise self.error("choices", f"expected 2 to {MOST_CHOICES} choices, found {found}")
        return parts(cell, cut_at, MOST_CHOICES)

    def _wrong(self, cell: str) -> list[str]:
        """One alone may be all there is; with commas in it nobody can tell."""
        separator = next((each for each in WRITTEN if is_cut(cell, each)), None)
        if separator is None and "," in cell:
            raise self.error(
                WRONG, f'expected wrong choices with | or ; between them, or as JSON: ["a", "b"], found {cell!r:.80}'
            )
        return parts(cell, separator) if separator is not None else [cell.strip()]

    def _cell(self, name: str) -> Any:
        cell = self.values.get(name)
        if isinstance(cell, Mangled):
            raise FileError(f"found {cell.why}", file=self.columns.table.path, line=self.line, key=name)
        return cell

    def _of_several(self, key: str, names: Sequence[str]) -> list[Any] | None:
        """An item a column. Only the last ones may be empty: a gap among choices would give the others other letters."""
        cells = [None if (cell := self._cell(name)) == "" else cell for name in names]
        items = [cell for cell in cells if cell is not None]
        if key == "choices" and (gap := cells.index(None) if None in cells else len(items)) < len(items):
            problem = f"nothing in it, though {names[len(cells) - 1 - _trailing(cells)]!r} after it has a choice"
            raise FileError(problem, file=self.columns.table.path, line=self.line, key=names[gap])
        return items or None

    def parted_by(self, key: str) -> str | None:
        """What parts the accepted or rejected answers of a cell; a comma, where it may be meant to. None: it holds one, or a list
        that is written as one."""
        columns = self.columns.columns.get(key)
        cell = self.values.get(columns) if isinstance(columns, str) else None
        if not isinstance(cell, str) or not cell.strip() or is_list(cell):
            return None
        if len(entries(cell)) > 1:
            return BAR if BAR in cell else SEMICOLON
        return COMMA if COMMA in cell else None

    def _list(self, key: str, cell: str) -> Any:
        """As JSON writes a list, or as Python does."""
        value = opened(cell)
        return value if isinstance(value, list) else from_cell(key, cell, self.columns.table.path, self.line)

    def choices(self, separator: str | None = None) -> list[str]:
        """The choices as texts, where that is what they are; whatever else is wrong with them is found with the rest."""
        found = self.value("choices", separator)
        return [str(item) for item in found] if isinstance(found, list) else []

    def answer(self) -> str | None:
        """The answer as it is written, where it may stand for a choice; by a label that a choice has of its own, its letter."""
        written = self._written_answer()
        columns = self.columns.columns.get("choices")
        if written is None or columns is None:
            return written
        if not isinstance(columns, str):
            return self._by_header(written, columns)
        labels = _labels(self._cell(columns))[: len(LATIN)]
        return LATIN[labels.index(written.strip())] if written.strip() in labels else written

    def _by_header(self, written: str, columns: Sequence[str]) -> str:
        """The letter of the choice under a header that is written in its place: option_b, Option 2. A letter or a number that
        stands alone is read as in every other table, and a text that is a choice is that choice."""
        if len(bare := plain(written)) < _SHORTEST_HEADER or bare.isdecimal():
            return written
        places = [place for place, name in enumerate(columns) if plain(name) == bare]
        if len(places) != 1 or folded(written) in map(folded, self.choices()):
            return written
        return LATIN[places[0]]

    def _written_answer(self) -> str | None:
        value = self.value("answer")
        if (listed := self._listed_answers()) is not None and len(listed) == 1:
            value = listed[0]
        if isinstance(value, str):
            return value if value.strip() else None
        if isinstance(value, bool):
            return str(value)  # among choices True and False
        if not isinstance(value, int | float):
            return None
        # A column with a gap comes out of some tools as floats.
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

    def _listed_answers(self) -> list[Any] | None:
        """What is right of choices, where it is a list; without choices it is read as other references are."""
        if not {"choices", WRONG} & {*self.columns.columns}:
            return None
        value = opened(self.value("answer"))
        return value if isinstance(value, list) else None

    def check_one_is_right(self) -> None:
        listed = self._listed_answers()
        if listed is None or len(listed) < 2:
            return
        problem = f"{len(listed)} answers are right by it ({flow(listed):.80}), and of choices one has to be"
        if WRONG in self.columns.columns:
            problem += "; columns: {wrong: null} under questions asks without choices, and accepts each of them"
        raise self.error("answer", problem)

    def unread(self) -> dict[str, Any]:
        """As much of it in our form as bears on how its reference is written, before it is known; a cell that cannot be read
        is told with the rest."""
        try:
            given = {key: self.value(key) for key in ("text", "answer", "kind", "meta")}
        except FileError:
            return {"answer": ""}
        names = [name for key in ("choices", WRONG) for name in several(self.columns.columns.get(key, ()))]
        held = any(self.values.get(name) not in (None, "") for name in names)
        if given["answer"] is None and not self.says_null("answer"):
            given["answer"] = ""
        column = self.columns.columns.get("context")
        context = self._cell(column) if isinstance(column, str) else None
        return {**given, "choices": held, "context": context}

    @property
    def is_pictured(self) -> bool:
        """Whether it has an image, which no player is shown."""
        name = self.columns.columns.get(IMAGE)
        return isinstance(name, str) and has_image(name, self.values.get(name))

    def right_too(self) -> list[str]:
        """What the object of an answer says is right as well."""
        columns = self.columns.columns.get("answer")
        return (answers_of(opened(self._cell(columns))) or [])[1:] if isinstance(columns, str) else []

    def says_null(self, key: str) -> bool:
        """A null in JSON or Parquet, which says something of an answer; an empty cell says nothing."""
        columns = self.columns.columns.get(key)
        if not isinstance(columns, str) or columns not in self.values:
            return False
        cell = self.values[columns]
        return cell is None or (key == "answer" and answers_of(opened(cell)) == [])


def _labels(cell: Any) -> list[str]:
    """Of choices that are an object, or a list of them; of any other text nothing has to be read."""
    if isinstance(cell, str) and not cell.lstrip("[ \n").startswith("{"):
        return []
    return labels_of(opened(cell))


def _right_of(cell: Any) -> str | None:
    return next(iter(answers_of(cell) or ()), None)


_IN_PIECES: Mapping[str, Callable[[Any], Any]] = {"choices": choices_of, "answer": _right_of, "context": prose_of}
"""What is read of a cell that holds an object, or a list of them."""


def _trailing(cells: Sequence[Any]) -> int:
    return next(count for count, cell in enumerate(reversed(cells)) if cell is not None)


@dataclass(frozen=True, slots=True)
class MappedFile:
    """Questions of a table whose columns are known, and how its answers are written."""

    columns: ColumnsOfTable
    answers: AnswersAs | None
    blank: BlankReferences = field(default_factory=BlankReferences, compare=False)
    kind: QuestionKind | None = None
    """Of questions that name none."""
    references: WrittenReferences = AS_THEY_STAND
    """How answers without choices are written."""

    def cases(self, language: str) -> Iterator[Placed]:
        path = self.columns.table.path
        file = str(path)
        try:
            for row in self.columns.rows():
                if row.is_pictured:
                    continue
                try:
                    ours = self.references.read(self._in_our_form(row), self.kind)
                    case = read_case(ours, file=file, line=row.line, language=language, kind=self.kind)
                except MissingReference as error:
                    self.blank.see(error, row.line, row.column("answer"))
                    continue
                except FileError as error:
                    if error.key is None or error.key not in self.columns.columns:
                        raise
                    raise row.error(error.key, error.problem) from None
                yield Placed(case, file, row.line)
            self.blank.check(path)
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None

    def _in_our_form(self, row: TableRow) -> dict[str, Any]:
        ours = {key: row.value(key) for key in self.columns.columns if key != IMAGE}
        given = {key: value for key, value in ours.items() if value is not None}
        if row.says_null("answer"):
            given["answer"] = None
        if more := row.right_too():
            given["accepted"] = [*(given.get("accepted") or ()), *more]
        if "id" not in self.columns.columns:
            given["id"] = str(row.number)
        if names_document(opened(given.get("context"))):
            raise row.error("context", self._no_documents())
        row.check_one_is_right()
        if self.answers is not None and (written := row.answer()) is not None:
            given["answer"] = self._right(row, written, row.choices()) or given["answer"]
        if WRONG in self.columns.columns:
            given["choices"], given["answer"] = _with_wrong(row, given, given.pop(WRONG, None))
        if isinstance(self.columns.columns.get("choices"), str) and isinstance(given.get("choices"), list):
            given["choices"] = without_labels(given["choices"])
        return given

    def _no_documents(self) -> str:
        ours = ((key, names) for key, names in self.columns.columns.items() if isinstance(names, str) and key != names)
        others = ", ".join(f"{key} for {name!r}" for key, name in ours)
        way = f", or our own names for its columns ({others})" if others else ""
        return f"names a document, as only rows in moot's own form may; expected a text{way}"

    def _right(self, row: TableRow, written: str, choices: Sequence[str]) -> str | None:
        """The letter of the right choice; None for a question without choices."""
        assert self.answers is not None
        if not choices:
            if could_be_a_choice(written, self.answers):
                raise row.error(
                    "choices", f"no choices, though the answer is {written!r:.80}, which is one of them elsewhere"
                )
            return None
        place = place_of(written, choices, self.answers)
        if place is None:
            raise row.error("answer", no_such_choice(self.answers, written, choices))
        return Question("", "", tuple(choices)).letters[place] if place < MOST_CHOICES else None


def _with_wrong(row: TableRow, given: Mapping[str, Any], wrong: Any) -> tuple[list[str], str]:
    """The choices and the letter of the right one. Their order is drawn by the question: in the file the right one is
    always in the same place, which a model would be shown."""
    right = row.answer()
    if right is None:
        words = str(given.get("text") or "")  # without the right one the choices are not known
        asked = Question(str(given["id"]), words) if words.strip() else None
        path = row.columns.table.path
        raise MissingReference(file=path, line=row.line, key="answer", is_open=False, question=asked)
    if not isinstance(wrong, list) or not 0 < len(wrong) < MOST_CHOICES:
        found = len(wrong) if isinstance(wrong, list) else "none"
        raise row.error(WRONG, f"expected 1 to {MOST_CHOICES - 1} wrong choices, found {found}")
    texts = [str(item).strip() for item in wrong]
    if folded(right) in map(folded, texts):
        raise row.error(WRONG, f"{right!r:.80} is the right answer")
    return shuffled(right.strip(), texts, seeded(0, "choices", str(row.value("text"))))


def no_such_choice(form: AnswersAs, written: str, choices: Sequence[str]) -> str:
    expected = in_words(form)
    if form == "letters":
        expected = f"one of the letters {', '.join(Question('', '', tuple(choices)).letters)}"
    elif form in ("from-0", "from-1"):
        first = int(form[-1])
        expected = f"a position from {first} to {first + len(choices) - 1}"
    elif form == "texts":
        expected = f"the text of one choice, and of no other, of {', '.join(f'{each!r:.40}' for each in choices[:MOST_CHOICES])}"
    return f"expected {expected}, found {written!r:.80}{label_against_text(written, choices)}"
