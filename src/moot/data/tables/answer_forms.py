"""How the right choice is written: as a letter, as a position counted from 0 or from 1, or as the choice's own text.

One row seldom tells: "2" is the second choice or the third, and "A" may be the text of the last. So a column is read in one
form, the only one in which every row of the file can be read. Where several can, and they say different things of any
row, nobody is told what is right before the file says which it is: a wrong reading would be a wrong figure everywhere.
The same holds where the choices have labels of their own, and the label of one row says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, get_args

from moot.data.tables.choice_labels import (
    LATIN,
    LOOKS_LATIN,
    LOOKS_RUSSIAN,
    RUSSIAN,
    labelled,
    labelled_choices,
    lettered_in_russian,
    place_by_label,
)
from moot.types import MOST_CHOICES

AnswersAs = Literal["letters", "letters-ru", "from-0", "from-1", "texts"]
ANSWER_FORMS: tuple[AnswersAs, ...] = get_args(AnswersAs)

_IN_BRACKETS = re.compile(r"[(\[]?\s*(\w)\s*[)\].:]?")
_POSITION = re.compile(r"([0-9]{1,2})(?:\.0)?")
_ONLY_LOOKS_LATIN = "letters that only look Latin"
_ONLY_LOOKS_RUSSIAN = "letters that only look Russian"
_BY_LABEL = "the choices' own labels"

_FLAGS = ("0", "1")
ROWS_OF_FLAGS = 6
"""So many do not have the first two choices of three or more by chance alone."""

Reader = Callable[[str, Sequence[str]], int | None]


def _letter(alphabet: str, letter_of: Mapping[str, str] | None = None) -> Reader:
    """`letter_of`: what is read in place of each letter; others are not read."""

    def place(letter: str, choices: Sequence[str]) -> int | None:
        found = letter.upper() if letter_of is None else letter_of.get(letter.upper(), "")
        place = alphabet.find(found) if found else -1
        return place if 0 <= place < len(choices) else None

    def read(answer: str, choices: Sequence[str]) -> int | None:
        found = _IN_BRACKETS.fullmatch(answer)
        return place(found[1], choices) if found else _with_its_text(answer, choices, place)

    return read


def _position(first: int) -> Reader:
    def place(position: str, choices: Sequence[str]) -> int | None:
        found = _POSITION.fullmatch(position)
        place = int(found[1]) - first if found else -1
        return place if 0 <= place < len(choices) else None

    def read(answer: str, choices: Sequence[str]) -> int | None:
        found = _POSITION.fullmatch(answer)
        return place(answer, choices) if found else _with_its_text(answer, choices, place)

    return read


def _with_its_text(answer: str, choices: Sequence[str], place_of_label: Reader) -> int | None:
    """ "B) Jupiter" of the choices Mars and Jupiter, which is read where its letter and its text say the same."""
    parts = labelled(answer)
    place = place_of_label(parts.label, choices) if parts is not None else None
    return place if parts is not None and place is not None and _alike(parts.rest, choices) == place else None


def _text(answer: str, choices: Sequence[str]) -> int | None:
    """The only choice of this text, with or without the label that it may have."""
    place = _alike(answer, choices)
    without_labels = [part.rest for part in labelled_choices(choices)]
    if place is not None or not without_labels or any(folded(choice) == folded(answer) for choice in choices):
        return place
    return _alike(answer, without_labels)


def _alike(text: str, choices: Sequence[str]) -> int | None:
    """The only choice that is this text; where none is, the only one that differs in case and spaces alone."""
    for same in (str, folded):
        places = [place for place, choice in enumerate(choices) if same(choice) == same(text)]
        if places:
            return places[0] if len(places) == 1 else None
    return None


def folded(text: str) -> str:
    """As cells and answers are compared: whatever their case and spaces."""
    return " ".join(text.split()).casefold()


_READERS: Mapping[str, Reader] = {
    "letters": _letter(LATIN),
    "letters-ru": _letter(RUSSIAN),
    "from-0": _position(0),
    "from-1": _position(1),
    "texts": _text,
    _ONLY_LOOKS_LATIN: _letter(LATIN, LOOKS_LATIN),
    _ONLY_LOOKS_RUSSIAN: _letter(RUSSIAN, LOOKS_RUSSIAN),
    _BY_LABEL: place_by_label,
}
_IN_WORDS: Mapping[str, str] = {
    "letters": "letters",
    "letters-ru": "letters of the Russian alphabet",
    "from-0": "positions from 0",
    "from-1": "positions from 1",
    "texts": "texts of choices",
    **{reader: reader for reader in (_ONLY_LOOKS_LATIN, _ONLY_LOOKS_RUSSIAN, _BY_LABEL)},
}
_OR_WRITE: Mapping[str, str] = {
    _ONLY_LOOKS_LATIN: ", or write Latin letters",
    _ONLY_LOOKS_RUSSIAN: ", or write Russian letters",
    _BY_LABEL: ", or leave the labels out of the choices and write the text of the right one",
}
"""What to do where a reading is meant that a file has no name for. One by labels is none: models are shown letters of
our own before the choices, and would see two letters before each."""


def in_words(form: AnswersAs) -> str:
    return _IN_WORDS[form]


def place_of(answer: str, choices: Sequence[str], form: str) -> int | None:
    """Which choice this answer says in this form; None: none of them, or not one alone."""
    return _READERS[form](answer.strip(), choices)


def could_be_a_choice(answer: str, form: AnswersAs) -> bool:
    """Whether it is written as the answers of choices are, though the question has none."""
    return form != "texts" and place_of(answer, [""] * MOST_CHOICES, form) is not None


def label_against_text(answer: str, choices: Sequence[str]) -> str:
    """In brackets why an answer such as "A) Jupiter" is no choice, if that is because its two halves disagree."""
    parts = labelled(answer)
    place = _text(parts.rest, choices) if parts is not None else None
    if parts is None or place is None or any(place_of(answer, choices, form) is not None for form in ANSWER_FORMS):
        return ""
    return f" ({parts.rest!r:.60} is choice {place + 1} of {len(choices)}, and {parts.label!r} is not)"


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """An answer as it is written, and where."""

    line: int
    answer: str
    choices: tuple[str, ...]
    in_russian: bool
    """Whether its choices have Russian letters, so that a Latin one may only look Russian."""

    def place(self, form: str) -> int | None:
        if form == _ONLY_LOOKS_RUSSIAN and not self.in_russian:
            return None
        return place_of(self.answer, self.choices, form)

    def read_as(self, form: str) -> str:
        place = self.place(form)
        assert place is not None
        return f"as {_IN_WORDS[form]} {self.answer!r:.40} is {self.choices[place]!r:.60}"


@dataclass(slots=True)
class AnswersSeen:
    """The answers of a file to its questions with choices, one after another, and in which forms all can be read."""

    russian_columns: bool = False
    """Whether the choices stand in columns with Russian letters."""
    rows: int = 0
    only_flags: bool = True
    """Whether 0 and 1 are all that there is."""
    most_choices: int = 0
    read: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_READERS, 0))
    unread: dict[str, WrittenAnswer] = field(default_factory=dict)
    """By form the first answer that cannot be read in it."""
    apart: dict[frozenset[str], WrittenAnswer] = field(default_factory=dict)
    """By two forms the first answer of which they say different things."""
    apart_rows: dict[frozenset[str], int] = field(default_factory=dict)

    def see(self, line: int, answer: str, choices: Sequence[str]) -> None:
        self.rows += 1
        self.only_flags &= answer.strip() in _FLAGS
        self.most_choices = max(self.most_choices, len(choices))
        in_russian = self.russian_columns or lettered_in_russian(choices)
        written = WrittenAnswer(line, answer, tuple(choices), in_russian)
        places = {form: written.place(form) for form in _READERS}
        for form, place in places.items():
            if place is None and (in_russian or form != _ONLY_LOOKS_RUSSIAN):
                self.unread.setdefault(form, written)
            elif place is not None:
                self.read[form] += 1
        said = [form for form, place in places.items() if place is not None]
        for one, other in combinations(said, 2):
            if places[one] != places[other]:
                pair = frozenset((one, other))
                self.apart.setdefault(pair, written)
                self.apart_rows[pair] = self.apart_rows.get(pair, 0) + 1

    def may_be_flags(self, fewest_rows: int = ROWS_OF_FLAGS) -> bool:
        """Whether 0 and 1 are all that it says beside more than two choices: it may be whether somebody knew it."""
        return self.only_flags and self.most_choices > len(_FLAGS) and self.rows >= fewest_rows

    @property
    def fitting(self) -> list[str]:
        """The forms in which every answer can be read."""
        return [form for form in _READERS if form not in self.unread]

    @property
    def form(self) -> AnswersAs | None:
        """The form of the whole column, if there is no doubt; None of an empty one."""
        own = [form for form in ANSWER_FORMS if form in self.fitting]
        return own[0] if own and self.rows and self.doubt is None else None

    @property
    def nearest(self) -> AnswersAs:
        """The form in which most can be read."""
        return max(ANSWER_FORMS, key=lambda form: self.read[form])

    @property
    def doubt(self) -> WrittenAnswer | None:
        """The first answer that has two meanings, in forms which both fit the column or by the label of a choice."""
        own = [form for form in ANSWER_FORMS if form in self.fitting]
        pairs = [frozenset((form, other)) for form in own for other in (*self.fitting, _BY_LABEL)]
        doubts = [self.apart[pair] for pair in pairs if pair in self.apart]
        return min(doubts, key=lambda written: written.line, default=None)

    def forms_of(self, written: WrittenAnswer) -> list[AnswersAs]:
        """The forms, by the names that a file has for them, in which the column and this answer can be read."""
        fitting = [form for form in ANSWER_FORMS if form in self.fitting]
        return [form for form in fitting if written.place(form) is not None]

    def doubt_in_words(self, written: WrittenAnswer) -> str:
        in_question = dict.fromkeys((*self.fitting, _BY_LABEL))
        forms = [form for form in in_question if written.place(form) is not None]
        readings = ", ".join(written.read_as(form) for form in forms)
        say = " or ".join(f"answers: {form}" for form in self.forms_of(written))
        write = "".join(_OR_WRITE.get(form, "") for form in forms)
        return f"the answers can be read in {len(forms)} ways: {readings}; say which beside the file: {say}{write}"

    def said_otherwise(self, form: AnswersAs) -> tuple[WrittenAnswer, int] | None:
        """The first answer, and how many there are, that would be another choice by its text, or, where texts are read, by
        its letter or position: the rest of the column has decided, and somebody may want to look."""
        others = [other for other in _READERS if (other == "texts") != (form == "texts")]
        pairs = [pair for other in others if (pair := frozenset((form, other))) in self.apart]
        if not pairs:
            return None
        most = max(pairs, key=lambda pair: self.apart_rows[pair])
        return self.apart[most], self.apart_rows[most]
