"""Labels that people write before choices and answers, "A) Jupiter", "2. Mars", "(б) Венера", and letters of two alphabets
that look alike.

A label is what its writer sees, and goes over the place in a list: whoever wrote "B) Mars|A) Jupiter" and the answer "A"
did not mean Mars.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from moot.data.tables.known_names import ends_of, out_of_order

LATIN, RUSSIAN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩ"
LOOKS_LATIN = dict(zip("АВЕСНКМОРТХ", "ABECHKMOPTX", strict=True))
"""Russian letters that look like Latin ones. В is the third of the one alphabet and the second of the other."""
LOOKS_RUSSIAN = {latin: russian for russian, latin in LOOKS_LATIN.items()}

_STEM = r"(?:(?:option|choice|variant|answer|вариант|ответ)\s++)?"
"""`++`: spaces that are gone through once, however many somebody's file has."""
_LETTER, _NUMBER = r"[^\W\d_]", r"[0-9]{1,2}"
_AFTER_A_LETTER = r"(?:[)\]）.．:：、]|\s[-–—](?=\s))"
_AFTER_A_NUMBER = r"(?:[)\]）、]|[.．:：](?![0-9])|\s[-–—](?=\s))"
_LABELLED = re.compile(
    rf"{_STEM}[(\[（]?\s*(?:({_LETTER})\s*{_AFTER_A_LETTER}|({_NUMBER})\s*{_AFTER_A_NUMBER})\s*(.*)", re.I | re.S
)
"""After a number no decimal point and no colon of a time: 1.5 and 2:30 have no labels."""
_LETTER_AND_SPACE = re.compile(rf"({_LETTER})\s+(\S.*)", re.S)
_ALONE = re.compile(rf"{_STEM}[(\[（]?\s*(?:({_LETTER})|({_NUMBER})(?:\.0)?)\s*[)\]）.．:：、]?", re.I)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text in two: its label, as all spellings of it are written, and the rest."""

    label: str
    rest: str


def labelled(text: str) -> Labelled | None:
    found = _LABELLED.fullmatch(text.strip())
    return Labelled(_one_spelling(found[1] or found[2]), found[3].strip()) if found else None


def label_alone(text: str) -> str | None:
    """The label that a text is, and nothing else."""
    found = _ALONE.fullmatch(text.strip())
    return _one_spelling(found[1] or found[2]) if found else None


def _one_spelling(label: str) -> str:
    return str(int(label)) if label.isdecimal() else label.upper()


def labelled_choices(choices: Sequence[str]) -> list[Labelled]:
    """The choices in two where each has a label that no other has; else none of them has one.

    "A Jupiter" begins with a label only where the choices have the first letters of an alphabet between them.
    """
    parts = [part for choice in choices if (part := labelled(choice)) is not None]
    if not parts:
        found = [match for choice in choices if (match := _LETTER_AND_SPACE.fullmatch(choice.strip()))]
        parts = [Labelled(_one_spelling(match[1]), match[2]) for match in found]
        letters = {part.label for part in parts}
        if letters not in (set(LATIN[: len(choices)]), set(RUSSIAN[: len(choices)])):
            return []
    distinct = {part.label for part in parts}
    return parts if len(distinct) == len(choices) > 1 else []


def place_by_label(answer: str, choices: Sequence[str]) -> int | None:
    """The choice whose own label the answer is. Of labels out of order also the one that only looks like it: there is no
    place in an alphabet that could have been meant instead."""
    label = label_alone(answer)
    labels = [part.label for part in labelled_choices(choices)]
    if label is None or not labels:
        return None
    if label in labels:
        return labels.index(label)
    places = [place for place, each in enumerate(labels) if _look(each) == _look(label)]
    return places[0] if len(places) == 1 and out_of_order(labels) else None


def _look(label: str) -> str:
    return LOOKS_LATIN.get(label, label)


def lettered_in_russian(choices: Sequence[str]) -> bool:
    """Whether the choices are labelled А, Б, В."""
    return _in_russian([part.label for part in labelled_choices(choices)])


def columns_in_russian(names: Sequence[str]) -> bool:
    """Whether columns are named А, Б, В, or "Вариант А" and so on."""
    return _in_russian([end.upper() for end in ends_of(names)])


def _in_russian(labels: Sequence[str]) -> bool:
    """By their look: some of them may have been typed in Latin themselves."""
    expected = [_look(letter) for letter in RUSSIAN[: len(labels)]]
    return len(labels) > 1 and [_look(label) for label in labels] == expected
