"""Reading a label matrix: parquet, csv or jsonl with the columns question_id, model, prompt, pred, answer.

`prompt` may be absent and `pred` null; a column `cluster` says which questions hang together. RowPlaces may be filtered by
their other columns: ``same_version`` (true), ``category=law``, ``model!=gpt-4o``.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from pathlib import Path
from typing import Literal

import numpy as np

from moot.errors import FileError
from moot.foreign_files import MOST_DOCUMENT, MOST_LINE, check_exists, lines_of, opened, whole_of
from moot.models.border import storable
from moot.models.closest import closest
from moot.models.recorded import json_object
from moot.select.columns import MISSING, GrowingColumn, LabelColumn, LabelTable, RowPlaces, distinct
from moot.select.labels import UNANSWERED, LabelMatrix, Proposer, per_question
from moot.select.parquet_labels import parquet_columns
from moot.select.where import Condition, condition, there_is
from moot.types import MOST_CHOICES

NEEDED = ("question_id", "model", "pred", "answer")
LABELS = (*NEEDED, "prompt", "cluster")
KINDS = (".parquet", ".csv", ".jsonl")
_PART = 1_000
"""RowPlaces of a CSV file that are held as Python has them."""

MOST_LABELS = 4 * MOST_DOCUMENT
"""Bytes of all labels and names, once each row has its own."""

ResponseKind = Literal["choices", "free"]
YES_AND_NO = frozenset({"yes", "no", "true", "false", "да", "нет"})


def read_labels(path: Path | str, where: Sequence[str] = (), kind: ResponseKind | None = None) -> LabelMatrix:
    """A label matrix from a file; `where` leaves only rows that meet these conditions.

    `kind`: whether labels are those of choices, which mean the same in every question, or free answers; left out, by
    the look of the right answers (`kind_of`).
    """
    file = Path(path)
    rows = _plain(file, _columns(file, [condition(text) for text in where]))
    truth, clusters = _truth(file, rows), _clusters(file, rows)
    if (kind or kind_of(truth.values())) == "free":
        return replace(_free(file, rows, truth), clusters=clusters)
    classes = sorted({*truth.values(), *rows.pred.texts})
    if len(classes) > np.iinfo(np.int16).max:
        raise FileError(f"{len(classes)} different labels; expected those of questions with choices", file=file)
    code = {name: number for number, name in enumerate(classes)}
    voices = _voices(file, rows)
    said = np.array([*(code[text] for text in rows.pred.texts), UNANSWERED], dtype=np.int16)
    codes = np.full((len(voices.proposers), len(rows.question_id.texts)), UNANSWERED, dtype=np.int16)
    codes[voices.proposer, voices.question] = said[voices.pred]
    right = np.array([code[truth[question]] for question in rows.question_id.texts], dtype=np.int16)
    # What is said and is no choice, such as a proposer's stray words, is no answer that anybody chooses from.
    choices = len({*truth.values(), *filter(_choice_like, classes)})
    questions = tuple(rows.question_id.texts)
    return LabelMatrix(voices.proposers, questions, tuple(classes), codes, right, choices=choices, clusters=clusters)


def kind_of(right_answers: Iterable[str]) -> ResponseKind:
    """Choices where all of them look like names of choices: letters, yes and no, numbers up to 25; or where they are so
    few that each is the right one again and again, as classes are."""
    answers = list(right_answers)
    distinct = set(answers)
    recurring = len(distinct) <= MOST_CHOICES and 5 * len(distinct) <= len(answers)
    return "choices" if recurring or all(map(_choice_like, distinct)) else "free"


def _choice_like(label: str) -> bool:
    letter = len(label) == 1 and label.isalpha()
    number = label.isdecimal() and len(label) <= 2 and int(label) < MOST_CHOICES
    return letter or number or label in YES_AND_NO


@dataclass(frozen=True, slots=True, eq=False)
class LabelRows:
    """The columns as text; labels without the difference of case and outer space. Texts stand in their order."""

    question_id: LabelColumn
    model: LabelColumn
    prompt: LabelColumn
    pred: LabelColumn
    answer: LabelColumn
    cluster: LabelColumn


@dataclass(frozen=True, slots=True, eq=False)
class Voices:
    """Who said what to which question, each once."""

    proposers: tuple[Proposer, ...]
    proposer: RowPlaces
    question: RowPlaces
    pred: RowPlaces


def _voices(file: Path, rows: LabelRows) -> Voices:
    prompts, questions = len(rows.prompt.texts), len(rows.question_id.texts)
    own = rows.model.places * prompts + rows.prompt.places
    pairs = distinct(own)
    proposer = np.searchsorted(pairs, own)
    # Models and prompts stand in their order, so proposers do too.
    proposers = tuple(Proposer(rows.model.texts[pair // prompts], rows.prompt.texts[pair % prompts]) for pair in pairs)
    asked = proposer * questions + rows.question_id.places
    labels = len(rows.pred.texts) + 1
    said = distinct(asked * labels + rows.pred.places + 1)
    asked, pred = said // labels, said % labels - 1
    if len(twice := np.flatnonzero(asked[1:] == asked[:-1])):
        who, question = proposers[asked[twice[0]] // questions], rows.question_id.texts[asked[twice[0]] % questions]
        name = f"{who.model} {who.prompt}".strip()
        raise FileError(f"{name} has two different labels for question {question!r}; expected one", file=file)
    return Voices(proposers, asked // questions, asked % questions, pred)


def _free(file: Path, rows: LabelRows, truth: dict[str, str]) -> LabelMatrix:
    """A label means something within its question: who says the same, and whether it is the right answer."""
    voices = _voices(file, rows)
    answers: dict[Proposer, dict[str, tuple[str | None, bool | None]]] = {each: {} for each in voices.proposers}
    for proposer, place, said in zip(voices.proposer, voices.question, voices.pred, strict=True):
        question, pred = rows.question_id.texts[place], None if said == MISSING else rows.pred.texts[said]
        answers[voices.proposers[proposer]][question] = (pred, pred == truth[question])
    return per_question(answers, sorted(truth))


def _columns(file: Path, where: Sequence[Condition]) -> LabelTable:
    """All columns that there are; those that nothing is asked of may be empty."""
    check_exists(file)
    kind = file.suffix.lower()
    if kind not in KINDS:
        raise FileError(f"expected a label matrix ({', '.join(KINDS)}) or an experiment file (.yaml)", file=file)
    wanted = (*LABELS, *(each.column for each in where))
    try:
        if kind == ".parquet":
            return parquet_columns(file, LABELS, where)
        columns = _csv(file, wanted) if kind == ".csv" else _json_lines(file, wanted)
    except (OSError, ValueError, csv.Error) as error:
        raise FileError(f"cannot be read as {kind[1:]}: {str(error).splitlines()[0]}", file=file) from None
    return _filtered(file, columns, where)


def _csv(file: Path, wanted: Sequence[str]) -> dict[str, LabelColumn]:
    """An empty cell is missing, and so are those that a row ends without."""
    csv.field_size_limit(MOST_LINE)  # for the whole process: the standard library knows no other way
    with opened(file) as content:
        text = io.TextIOWrapper(io.BytesIO(whole_of(content, file)), encoding="utf-8-sig", newline="")
    reader = csv.reader(text, strict=True)
    header = next(reader, None)
    if not header:
        raise FileError("has no header; expected question_id, model, pred, answer", file=file, line=1)
    for place, name in enumerate(header):
        if name in header[:place]:
            raise FileError("two columns have this name", file=file, line=1, key=name)
    columns = {name: GrowingColumn() for name in header}
    while part := list(islice(reader, _PART)):
        if max(map(len, part)) > len(header):
            line = reader.line_num - next(place for place, row in enumerate(reversed(part)) if len(row) > len(header))
            raise FileError("more cells than the header has columns", file=file, line=line)
        rows = [row for row in part if row]
        cells = dict(zip(header, zip_longest(*rows, fillvalue=""), strict=False))
        for name, column in columns.items():
            if name in wanted and name in cells:
                column.extend_cells(cells[name])
            else:
                column.extend_missing(len(rows))
    return {name: column.column() for name, column in columns.items()}


def _json_lines(file: Path, wanted: Sequence[str]) -> dict[str, LabelColumn]:
    columns: dict[str, list[str | None]] = {}
    rows = 0
    with opened(file) as content:
        for number, line in enumerate(lines_of(content, file), start=1):
            if not line.strip():
                continue
            row = json_object(line, file, number)
            for name, value in row.items():
                column = columns.setdefault(name, [])
                if name in wanted:
                    column.extend([None] * (rows - len(column)))
                    column.append(_written(file, number, name, value))
            rows += 1
    coded: dict[str, LabelColumn] = {}
    for name, texts in columns.items():
        growing = GrowingColumn()
        growing.extend(texts)
        growing.extend_missing(rows - len(texts))
        coded[name] = growing.column()
    return coded


def _written(file: Path, line: int, name: str, value: object) -> str | None:
    """One spelling for one value: 1.0 is 1, and NaN is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        return storable(value)
    if name in LABELS:
        problem = f"expected a text or a number, found {'an object' if isinstance(value, dict) else 'a list'}"
        raise FileError(problem, file=file, line=line, key=name)
    return json.dumps(value, ensure_ascii=False)


def _filtered(file: Path, columns: LabelTable, where: Sequence[Condition]) -> LabelTable:
    for each in where:
        there_is(each, list(columns), file)
        kept = columns[each.column].having(each.value) != each.differs
        columns = {name: column.where(kept) for name, column in columns.items()}
    return columns


def _plain(file: Path, columns: LabelTable) -> LabelRows:
    for name in NEEDED:
        if name not in columns:
            found = f"found {', '.join(columns)}{closest(name, list(columns))}"
            raise FileError(f"has no column {name}; expected question_id, model, pred, answer; {found}", file=file)
    rows = len(columns["question_id"].places)
    if not rows:
        raise FileError("holds no rows, or --where leaves none", file=file)
    nothing = LabelColumn((), np.full(rows, MISSING, dtype=np.int64))
    plain = {name: columns.get(name, nothing) for name in LABELS}
    if (size := sum(column.size for column in plain.values())) > MOST_LABELS:
        raise FileError(f"its labels have {size:,} bytes; at most {MOST_LABELS:,} are read", file=file)
    for name in ("question_id", "model"):
        if plain[name].missing:
            raise FileError(f"{plain[name].missing} rows have no {name}", file=file)
    for name in ("pred", "answer"):
        plain[name] = plain[name].changed(lambda text: text.strip().lower() or None)
    plain["cluster"] = plain["cluster"].changed(lambda text: text or None)
    plain["prompt"] = plain["prompt"].filled("")
    return LabelRows(**{name: column.sorted() for name, column in plain.items()})


def _clusters(file: Path, rows: LabelRows) -> dict[str, str]:
    """By question: what it hangs together with, where the file says so."""
    clusters: dict[str, str] = {}
    for question, names in _of_questions(rows, rows.cluster):
        if len(names) > 1:
            raise FileError(f"question {question!r} is in two clusters: {' and '.join(names[:2])}", file=file)
        if names:
            clusters[question] = names[0]
    return clusters


def _truth(file: Path, rows: LabelRows) -> dict[str, str]:
    truth: dict[str, str] = {}
    for question, found in _of_questions(rows, rows.answer):
        if not found:
            raise FileError(f"question {question!r} has no answer; expected one in the column answer", file=file)
        if len(found) > 1:
            hint = "if these are versions of the question, keep one with --where COLUMN"
            said = " and ".join(found)
            raise FileError(f"question {question!r} has more than one answer: {said}; {hint}", file=file)
        truth[question] = found[0]
    return truth


def _of_questions(rows: LabelRows, column: LabelColumn) -> Iterator[tuple[str, list[str]]]:
    """Of each question, in their order: the texts that any of its rows has."""
    there = column.places != MISSING
    kinds = max(1, len(column.texts))
    pairs = distinct(rows.question_id.places[there] * kinds + column.places[there])
    ends = np.searchsorted(pairs, np.arange(1, len(rows.question_id.texts) + 1) * kinds)
    begins = 0
    for question, end in zip(rows.question_id.texts, ends.tolist(), strict=True):
        yield question, [column.texts[pair % kinds] for pair in pairs[begins:end].tolist()]
        begins = end
