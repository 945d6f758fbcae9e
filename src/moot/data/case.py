"""One row of a question file into a `Case`, with every mistake named by file, line and key."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from moot.errors import FileError
from moot.foreign_json import LONGEST_WHOLE
from moot.models.border import blank, text_problem
from moot.models.closest import closest
from moot.rubric import Criterion, Rubric, rubric_problem
from moot.team.final_line.letters import YES_NO
from moot.types import MOST_CHOICES, QUESTION_KINDS, UNKNOWN, Case, HumanRate, Question, QuestionKind

KEYS = (
    *("id", "text", "choices", "context", "language", "kind", "answer", "accepted", "rejected", "comment", "source"),
    *("author", "human", "category", "package", "year", "difficulty", "cluster", "lemmatize", "free_order", "meta"),
)
"""Those that a column of a table may be."""
RUBRIC = "rubric"
ROW_KEYS = (*KEYS, RUBRIC)
"""Those of a question that is written as an object."""
_KNOWN = frozenset(ROW_KEYS)
DEEPEST_META = 200
_YES_NO = {**YES_NO, "1": "yes", "0": "no", "1.0": "yes", "0.0": "no"}
"""Of a reference: somebody has said that the question is one of yes or no."""


class MissingReference(FileError):
    """A question of which nobody said what is right. `is_open`: it could be one that cannot be answered; `question`: what is
    asked all the same, where it is one; `lines`: of all such rows of the file."""

    def __init__(
        self,
        *,
        file: object,
        line: int,
        key: str,
        is_open: bool,
        question: Question | None = None,
        lines: Iterable[int] = (),
        more: str = "",
        way_out: str = "",
    ) -> None:
        self.is_open = is_open
        self.question = question
        self.lines = frozenset(lines) or frozenset((line,))
        unknown = f"null, or {UNKNOWN}, says that the question cannot be answered" if is_open else ""
        advice = "; ".join(filter(None, (unknown, way_out)))
        problem = f"the reference is missing{more}{f' ({advice})' if advice else ''}"
        super().__init__(problem, file=file, line=line, key=key)


class PlacedRow:
    """A row and where it stands, so that each complaint can say so."""

    def __init__(self, values: Mapping[str, Any], file: str, line: int) -> None:
        self.values, self.file, self.line = values, file, line

    def error(self, key: str | None, problem: str) -> FileError:
        return FileError(problem, file=self.file, line=self.line, key=key)

    def text(self, key: str, *, required: bool = False) -> str | None:
        value = self.values.get(key)
        if value is None and not required:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = self._in_digits(key, value)
        if value is None:
            raise self.error(key, "expected a text that is not empty")
        if isinstance(value, str) and blank(value) and not required:
            return None
        if not isinstance(value, str):
            raise self.error(key, f"expected a text, found {_kind(value)}")
        return self._whole(key, value)

    def _in_digits(self, key: str, value: float) -> str:
        if isinstance(value, float) and not math.isfinite(value):
            raise self.error(key, f"expected a text, found a number that is none ({value})")
        try:
            return str(value)
        except ValueError:  # more digits than Python writes
            raise self.error(key, f"expected a text or a number of at most {LONGEST_WHOLE:,} digits") from None

    def _whole(self, key: str, text: str) -> str:
        if problem := text_problem(text):
            raise self.error(key, problem)
        return text

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key)
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            raise self.error(key, f"expected a list of texts, found {_kind(value)}")
        numbers = (int, float)
        items = [
            self._in_digits(key, item) if isinstance(item, numbers) and not isinstance(item, bool) else item
            for item in value
        ]
        if not all(isinstance(item, str) and not blank(item) for item in items):
            raise self.error(key, "expected a list of texts, none of them empty")
        return tuple(self._whole(key, item) for item in items)

    def flag(self, key: str) -> bool:
        value = self.values.get(key)
        if value is None or isinstance(value, bool):
            return bool(value)
        raise self.error(key, f"expected true or false, found {_kind(value)}")

    def whole_number(self, key: str) -> int:
        value = self.values[key]
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(key, f"expected a whole number, found {_kind(value)}")
        return value

    def object(self, key: str) -> dict[str, Any]:
        value = self.values[key]
        if not isinstance(value, dict):
            raise self.error(key, f"expected an object, found {_kind(value)}")
        if (odd := _no_json(value, DEEPEST_META)) is not None:
            raise self.error(key, f"expected nothing but JSON in it, found {odd}")
        return value


def read_case(
    values: Mapping[str, Any], *, file: str, line: int, language: str = "en", kind: QuestionKind | None = None
) -> Case:
    """`kind`: of a row that names none; None: as its choices say."""
    row = PlacedRow(values, file, line)
    if not values.keys() <= _KNOWN:
        unknown = next(key for key in values if key not in _KNOWN)
        hint = closest(unknown, ROW_KEYS)
        problem = f"unknown key; expected one of {', '.join(ROW_KEYS)} (anything else goes under meta){hint}"
        raise row.error(str(unknown), problem)
    question = _question(row, language, kind)
    if values.get(RUBRIC) is not None and not question.is_long:
        problem = f"a rubric is for long answers, and this question is of kind {question.kind!r}; expected kind: text"
        raise row.error(RUBRIC, problem)
    # Most rows have few keys: only what is there is read.
    fields = {key: read(row, key) for key, read in _OPTIONAL.items() if values.get(key) is not None}
    return Case(question, _answer(row, question), **{key: value for key, value in fields.items() if value is not None})


def _question(row: PlacedRow, language: str, usual: QuestionKind | None) -> Question:
    choices = row.texts("choices")
    if len(choices) == 1 or len(choices) > MOST_CHOICES:
        raise row.error("choices", f"expected 2 to {MOST_CHOICES} choices, found {len(choices)}")
    kind = row.text("kind") or usual or ("choice" if choices else "open")
    if kind not in QUESTION_KINDS:
        raise row.error("kind", f"expected {', '.join(QUESTION_KINDS[:-1])} or {QUESTION_KINDS[-1]}, found {kind!r}")
    if (kind == "choice") != bool(choices):
        raise row.error("kind", f"{kind!r} {'needs' if kind == 'choice' else 'does not go with'} choices")
    return Question(
        id=cast(str, row.text("id", required=True)),
        text=cast(str, row.text("text", required=True)),
        choices=choices,
        context=row.text("context"),
        language=row.text("language") or language,
        kind=kind,
    )


def _answer(row: PlacedRow, question: Question) -> str | None:
    value = row.values.get("answer")
    if question.is_long:  # a reference may stand by, and none is needed
        return row.text("answer")
    if value in (None, UNKNOWN) and "answer" in row.values and question.kind == "open":
        return None
    if value is None or (isinstance(value, str) and blank(value)):
        is_open = question.kind == "open"
        raise MissingReference(file=row.file, line=row.line, key="answer", is_open=is_open, question=question)
    if question.kind == "yes-no":
        word = _YES_NO.get(str(value).strip().casefold())
        if word is None:
            raise row.error("answer", f"expected yes or no, found {value!r}")
        return word
    answer = cast(str, row.text("answer", required=True)).strip()
    if question.kind == "choice":
        if len(answer) != 1 or answer.upper() not in question.letters:
            problem = f"expected one of the letters {', '.join(question.letters)}, found {answer!r}"
            raise row.error("answer", problem + _way_out(answer, question, of_file=bool(row.file)))
        return answer.upper()
    return answer


def _way_out(answer: str, question: Question, *, of_file: bool) -> str:
    """The key that says how such an answer is to be read, where it could be nothing else; what is given as an object has no
    such key, and is to be given otherwise."""
    if not of_file:
        if answer in question.choices:
            right = question.letters[question.choices.index(answer)]
            return f"; it is a choice's text: give its letter, {right!r}, or the texts of the right choices in all rows"
        return ""
    if answer in question.choices:
        return "; it is a choice's text: write `answers: texts` under `questions`"
    if answer.isdecimal() and int(answer) <= len(question.choices):
        return "; write `answers: from-0` or `answers: from-1` under `questions` if it is a position"
    return ""


def _human(row: PlacedRow, key: str) -> HumanRate | None:
    """``{"solved": 301, "asked": 390}`` or the short form ``"301/390"``."""
    value = row.values[key]
    if isinstance(value, str) and not value.strip():
        return None
    if isinstance(value, dict) and value and all(number is None for number in value.values()):
        return None  # how Parquet spells an absent object
    numbers: list[Any]
    if isinstance(value, str):
        parts = value.split("/")
        numbers = [
            int(part) if part.isascii() and part.strip().isdecimal() and len(part) < 18 else None for part in parts
        ]
    elif isinstance(value, dict) and set(value) == {"solved", "asked"}:
        numbers = [value["solved"], value["asked"]]
    else:
        numbers = []
    whole = all(isinstance(number, int) and not isinstance(number, bool) for number in numbers)
    if len(numbers) != 2 or not whole or not 0 <= numbers[0] <= numbers[1] or numbers[1] == 0:
        raise row.error("human", 'expected {"solved": 301, "asked": 390} or "301/390" with solved ≤ asked, asked > 0')
    return HumanRate(*numbers)


def _rubric(row: PlacedRow, key: str) -> Rubric:
    """``[{"name": "clear", "points": 4, "says": "Whoever asked can follow it."}]``."""
    value = row.values[key]
    if not isinstance(value, list | tuple) or not all(isinstance(item, Mapping) for item in value):
        raise row.error(key, "expected a list of criteria, each {name, points, says}")
    rubric = tuple(_criterion(row, f"{key}.{place}", item) for place, item in enumerate(value))
    if (problem := rubric_problem(rubric)) is not None:
        raise row.error(key, problem)
    return rubric


def _criterion(row: PlacedRow, key: str, item: Mapping[str, Any]) -> Criterion:
    if unknown := [name for name in item if name not in CRITERION_KEYS]:
        hint = closest(str(unknown[0]), CRITERION_KEYS)
        raise row.error(f"{key}.{unknown[0]}", f"unknown key; expected one of {', '.join(CRITERION_KEYS)}{hint}")
    texts = PlacedRow(item, row.file, row.line)
    for name in ("name", "says"):
        if not isinstance(item.get(name), str) or blank(item[name]):
            raise row.error(f"{key}.{name}", "expected a text that is not empty")
    points = item.get("points")
    if isinstance(points, bool) or not isinstance(points, int | float) or not 0 < points < math.inf:
        raise row.error(f"{key}.points", f"expected a number above 0, found {_kind(points)} ({points!r:.20})")
    return Criterion(str(texts.text("name")), float(points), str(texts.text("says")))


CRITERION_KEYS = ("name", "points", "says")

_OPTIONAL: Mapping[str, Callable[[PlacedRow, str], Any]] = {
    **dict.fromkeys(("accepted", "rejected"), PlacedRow.texts),
    **dict.fromkeys(("comment", "source", "author", "category", "package", "difficulty", "cluster"), PlacedRow.text),
    **dict.fromkeys(("lemmatize", "free_order"), PlacedRow.flag),
    "year": PlacedRow.whole_number,
    "meta": PlacedRow.object,
    "human": _human,
    RUBRIC: _rubric,
}


def _no_json(value: object, deep: int) -> str | None:
    """What stands somewhere in a value that no JSON can say: a date, bytes."""
    if value is None or isinstance(value, str | bool | int | float):
        return None
    if deep == 0:
        return f"more than {DEEPEST_META} levels"
    if isinstance(value, dict):
        if odd_key := next((key for key in value if not isinstance(key, str)), None):
            return f"{odd_key!r} as a key"
        items = list(value.values())
    elif isinstance(value, list):
        items = value
    else:
        return type(value).__name__
    return next((odd for item in items if (odd := _no_json(item, deep - 1)) is not None), None)


def _kind(value: object) -> str:
    if isinstance(value, float) and math.isnan(value):
        return "nothing"
    names: dict[type, str] = {
        str: "a text",
        bool: "true/false",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), type(value).__name__)
