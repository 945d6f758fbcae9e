"""The references of a file, one after another: in which forms they are written, as far as its rows agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from moot.data.html_in_texts import says_something, without_html
from moot.data.labels_seen import LabelsSeen
from moot.data.listed_texts import listed_texts
from moot.data.parted_texts import BAR, SEMICOLON, parted
from moot.data.solution_answers import BOX, LONGEST_WITHIN, MARK, beside_a_letter, within_by
from moot.data.tables.advised_columns import WHICH_COLUMN, written
from moot.data.tables.doubts import Doubt
from moot.data.tables.known_names import plain
from moot.data.tables.listed_names import cut
from moot.data.tables.stated import Stated
from moot.data.written_references import FLAGS, LETTERS, WrittenReferences, YesNoAs, is_read, plain_text, yes_or_no
from moot.team.final_line.letters import YES_NO
from moot.types import UNKNOWN

_LABELS = frozenset(("label", "labels", "labelid", "goldlabel", "class", "classid", "classlabel"))
"""Columns of what is classified: a number there is the number of a name."""
_MOST_LABELS = 20
_ROWS_OF_FLAGS = 6
"""So many do not have 0 and 1 alone as what they count to."""
_HTML_IN = 0.5
"""Of all rows: in fewer it may be what is asked about."""
_ASSERTIONS = "__expected"
_ASSERTED = re.compile(r"(?:not-)?[a-z][a-z-]+(?:\([^()]*\))?:")
_FEWEST_PARTED = 2
_PARTED_SELDOM = 0.02
"""Of all rows: where no more have a semicolon, it is an accident of these."""
_PADDED_TO = 3
"""Digits: as the answers of AIME are filled in, from 000 to 999."""
_MOSTLY = 0.9
_ASKS_YES_NO = re.compile(
    r"\W*(?:(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|shall|may|might|must|ought)"
    r"(?:n['’]?t)?\b|true or false|yes or no|правда ли|верно ли|да или нет|(?:\w+\W+){1,2}ли\b)",
    re.IGNORECASE,
)
"""How a question begins to which the answer is yes or no."""


@dataclass(slots=True)
class ReferencesSeen:
    """The references of a file, one after another, and what can be told of them."""

    column: str = "answer"
    stated: Stated = field(default_factory=Stated)
    ours: bool = False
    """Whether the file is in our own form, whose writer calls an answer what is one."""
    has_cells: bool = True
    """Whether a text is all that an answer can be, so that a list is written with bars."""
    rows: int = 0
    open_rows: int = 0
    """Without those whose kind is said in the row."""
    unanswered: int = 0
    """That cannot be answered, or whose reference is missing."""
    words: Counter[str] = field(default_factory=Counter)
    """Answers that stand for yes or no, as they are written."""
    letters: Counter[str] = field(default_factory=Counter)
    flags: Counter[str] = field(default_factory=Counter)
    asked_so: int = 0
    """Questions that ask for yes or no."""
    labels: int = 0
    """Small whole numbers."""
    padded: int = 0
    """Whole numbers of three digits,"""
    padded_with: Counter[str] = field(default_factory=Counter)
    """and those that begin with a zero."""
    solutions: Counter[str] = field(default_factory=Counter)
    lists: int = 0
    """Lists that stand as such in a file of objects,"""
    written_lists: int = 0
    """and lists in writing."""
    lettered: int = 0
    """Answers with the letter of their choice before them."""
    barred: int = 0
    """Several answers with bars between them,"""
    parted: list[tuple[int, str]] = field(default_factory=list)
    """and texts that may be such with semicolons, each with its line."""
    html: int = 0
    """With tags or &amp;,"""
    only_html: int = 0
    """and those that are nothing else, as answers about HTML are."""
    first_assertion: int | None = None
    first_list: int | None = None
    first_unlisted: int | None = None
    first_unmarked: int | None = None
    """Lines: of a list in writing, of what is none, and of a long text in which no answer is marked."""
    first_label: int | None = None
    same: LabelsSeen = field(default_factory=LabelsSeen)

    def see(self, line: int, given: Mapping[str, Any]) -> None:
        """`given`: a row in our form, or as much of it as bears on its reference."""
        value, named = given.get("answer"), given.get("kind") or self.stated.kind
        if not is_read(given, named) or named == "yes-no" or value == "" or "answer" not in given:
            return
        if value in (None, UNKNOWN):
            self.unanswered += 1
            return
        self.rows += 1
        self._see_yes_no(line, value, given.get("text"), named)
        if named is None:
            self.same.see(given.get("text"), value, given.get("context"))
        texts = listed_texts(value)
        if texts is not None and not isinstance(value, str):
            self.lists += 1
        elif texts is not None:
            self.written_lists += 1
            self.first_list = self.first_list or line
        else:
            self.first_unlisted = self.first_unlisted or line
        if isinstance(value, str):
            self._see_parted(line, value)
            if (bare := without_html(value)) != value.strip():
                self.html += 1
                self.only_html += not says_something(bare)
            if self.column.startswith(_ASSERTIONS) and _ASSERTED.match(value.strip()):
                self.first_assertion = self.first_assertion or line
            self._see_padded(value.strip())
            if (within := within_by(value)) is not None:
                self.solutions[within[0]] += 1
                self.lettered += within[0] == BOX and bool(beside_a_letter(within[1]))
            elif "\\" in value and beside_a_letter(value.strip()):
                self.lettered += 1
            elif self.first_unmarked is None and ("\n" in value.strip() or len(value) > LONGEST_WITHIN):
                self.first_unmarked = line

    def _see_parted(self, line: int, text: str) -> None:
        if listed_texts(text) is not None or within_by(text) is not None:
            return
        if self.has_cells and parted(text, BAR) is not None:
            self.barred += 1
        elif parted(text, SEMICOLON) is not None:
            self.parted.append((line, text.strip()))

    def _see_padded(self, text: str) -> None:
        if len(text) == _PADDED_TO and text.isdecimal():
            self.padded += 1
            if text[0] == "0":
                self.padded_with[text] += 1

    def _see_yes_no(self, line: int, value: object, text: object, kind: object) -> None:
        if kind is not None:
            return
        self.open_rows += 1
        bare = plain_text(value)
        shown = str(value).strip()
        for table, seen in ((YES_NO, self.words), (LETTERS, self.letters), (FLAGS, self.flags)):
            if bare in table:
                seen[shown] += 1
        self.asked_so += isinstance(text, str) and _ASKS_YES_NO.match(text) is not None
        if bare.removesuffix(".0").isdecimal() and len(bare) < 5 and int(bare.removesuffix(".0")) <= _MOST_LABELS:
            self.labels += 1
            self.first_label = self.first_label or line

    @property
    def form(self) -> WrittenReferences:
        lists = self.stated.references == "lists" or bool(self.written_lists and self.first_unlisted is None)
        return WrittenReferences(
            self.stated.references, lists, self._yes_no, self._is_padded, self.has_cells, self._is_html
        )

    @property
    def _is_html(self) -> bool:
        """Of somebody else's file: whoever writes in our own form calls an answer what is one."""
        return (
            not self.ours and not self.only_html and self.html > self.rows * _HTML_IN and self.stated.references is None
        )

    @property
    def _is_padded(self) -> bool:
        return bool(self.padded_with) and self.padded == self.rows and self.stated.references is None

    @property
    def _yes_no(self) -> YesNoAs | None:
        """What stands for yes and no in all rows of which no kind is said."""
        if not self.open_rows or self.open_rows < self.rows or self.unanswered or self.stated.references is not None:
            return None
        if sum(self.words.values()) == self.rows:
            return "words"
        if sum(self.letters.values()) + sum(self.words.values()) == self.rows and len(_both(self.letters)) > 1:
            return "letters"
        if sum(self.flags.values()) == self.rows and self.asked_so >= _MOSTLY * self.rows:
            return "flags"
        return None

    @property
    def doubt(self) -> Doubt | None:
        """What nobody can tell from the file."""
        if self.stated.references is not None:
            return None
        return self._assertions or self._mixed_lists or self._semicolons or self._nameless_labels or self._unmarked

    @property
    def _assertions(self) -> Doubt | None:
        if self.first_assertion is None:
            return None
        problem = (
            "what promptfoo asserts of an answer, such as equals: Paris, is no answer; run `promptfoo eval -o output.json` and"
            " `moot import promptfoo output.json`, or name a column of answers under questions,"
            f" {written({'answer': WHICH_COLUMN})}"
        )
        return Doubt(problem, self.first_assertion, self.column)

    @property
    def _mixed_lists(self) -> Doubt | None:
        if self.first_list is None or self.first_unlisted is None:
            return None
        brief = (
            f"{self.written_lists} of the {self.rows} answers are lists in writing, and that of line {self.first_unlisted}"
            " is none: either each entry of a list is accepted, or the list is the answer"
        )
        problem = f"{brief}; say which under questions: answers: lists or answers: as-written"
        ways = (Stated(references="lists"), Stated(references="as-written"))
        return Doubt(problem, self.first_list, self.column, ways, brief=brief)

    @property
    def _semicolons(self) -> Doubt | None:
        if self.ours or len(self.parted) < max(_FEWEST_PARTED, self.rows * _PARTED_SELDOM):
            return None
        line, text = self.parted[0]
        brief = (
            f"{len(self.parted)} of the {self.rows} answers have ; between words, such as {text!r:.80}: either each entry is"
            " accepted, or the whole is the answer"
        )
        problem = f"{brief}; say which under questions: answers: lists or answers: as-written"
        ways = (Stated(references="lists"), Stated(references="as-written"))
        return Doubt(problem, line, self.column, ways, brief=brief)

    @property
    def _nameless_labels(self) -> Doubt | None:
        if not self.open_rows or self.open_rows < self.rows or self._yes_no is not None or self.ours:
            return None
        flags = sum(self.flags.values()) == self.rows
        many = flags and len(_both(self.flags)) > 1 and self.rows >= _ROWS_OF_FLAGS
        if self.labels < self.rows or not (plain(self.column) in _LABELS or many):
            return None
        which = "0 and 1" if flags else "small numbers"
        brief = f"all answers are {which}, perhaps labels whose names the file does not tell"
        column = f"the column that names them, {written({'answer': WHICH_COLUMN})}"
        say = f"{'kind: yes-no (1 is yes), or ' if flags else ''}kind: open (the number is the answer)"
        problem = f"{brief}, and nobody would answer so; say under questions {column}, or {say}"
        ways = (*((Stated(kind="yes-no"),) if flags else ()), Stated(kind="open"))
        return Doubt(problem, self.first_label, self.column, ways, brief=brief)

    @property
    def _unmarked(self) -> Doubt | None:
        marked = sum(self.solutions.values())
        if self.first_unmarked is None or 2 * marked < self.rows:
            return None
        where = _within(next(iter(self.solutions)))
        problem = f"a solution in which no answer {where}, as in {marked} other rows; expected that, or a short answer"
        return Doubt(problem, self.first_unmarked, self.column)

    @property
    def reasons(self) -> tuple[str, ...]:
        """What was understood, where it is not what stands there."""
        if self.stated.references == "as-written":
            return ()
        name = cut(self.column)
        told = [f"answer: what {_within(sign)} of {name}{self._of_all(rows)}" for sign, rows in self.solutions.items()]
        lists = self.lists + (self.written_lists if self.form.lists else 0)
        if lists:
            told.append(f"answer: every entry of a list in {name} is accepted{self._of_all(lists)}")
        if self._is_html:
            told.append(
                f"answer: tags and signs of HTML in {name} are read as what a page shows{self._of_all(self.html)}"
            )
        for sign, rows in (
            (BAR, self.barred),
            (SEMICOLON, len(self.parted) if self.stated.references == "lists" else 0),
        ):
            if rows:
                told.append(f"answer: {sign} in {name} parts answers, and each is accepted{self._of_all(rows)}")
        if self.lettered:
            told.append(
                f"answer: a letter in brackets before what is said in {name}: either is accepted{self._of_all(self.lettered)}"
            )
        if self._is_padded:
            first = next(iter(self.padded_with))
            told.append(
                f"answer: numbers in {name} are as long with zeros before them, and {first.lstrip('0') or '0'} is {first}"
            )
        if (form := self._yes_no) is not None:
            told.append(self._yes_no_told(form, name))
        return tuple(told)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be said although every reference stands as it is read."""
        if self.stated.references is not None or self._yes_no is not None:
            return ()
        return (self.same.remark,) if self.same.remark is not None else ()

    def _yes_no_told(self, form: YesNoAs, name: str) -> str:
        seen = self.flags if form == "flags" else self.words + self.letters if form == "letters" else self.words
        read = {text: yes_or_no(text, form) for text in sorted(seen)}
        as_read = ", ".join(f"{text} is {word}" for text, word in read.items() if text != word)
        why = f" ({as_read})" if as_read else ""
        return f"answer: yes or no in {name}{why}, so these are yes-no questions; kind: open under questions says otherwise"

    def _of_all(self, rows: int) -> str:
        return "" if rows == self.rows else f" (in {rows} of {self.rows} rows)"


def _both(seen: Iterable[str]) -> set[str]:
    table = {**LETTERS, **FLAGS}
    return {table[text.casefold()] for text in seen}


def _within(sign: str) -> str:
    return f"follows the last {sign}" if sign == MARK else f"stands in the last {sign}"
