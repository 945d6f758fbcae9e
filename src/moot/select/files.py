"""Reading a label matrix: parquet, csv or jsonl with the columns question_id, model, prompt, pred, answer.

`prompt` may be absent and `pred` null; a column `cluster` says which questions hang together. Rows may be filtered by
their other columns: ``same_version`` (true), ``category=law``, ``model!=gpt-4o``.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from moot.errors import FileError
from moot.foreign_files import MOST_DOCUMENT, lines_of, opened, whole_of
from moot.foreign_parquet import parquet_opened, readable
from moot.models.border import storable
from moot.models.closest import closest
from moot.models.recorded import json_object
from moot.select.labels import UNANSWERED, LabelMatrix, Proposer, per_question
from moot.select.where import condition

if TYPE_CHECKING:
    import polars as pl

NEEDED = ("question_id", "model", "pred", "answer")
KINDS = (".parquet", ".csv", ".jsonl")

MOST_LABELS = 4 * MOST_DOCUMENT
"""Bytes of all labels and names, once each row has its own."""

ResponseKind = Literal["choices", "free"]
MOST_CHOICES = 26
"""As many as there are letters."""
YES_AND_NO = frozenset({"yes", "no", "true", "false", "да", "нет"})


def read_labels(path: Path | str, where: Sequence[str] = (), kind: ResponseKind | None = None) -> LabelMatrix:
    """A label matrix from a file; `where` leaves only rows that meet these conditions.

    `kind`: whether labels are those of choices, which mean the same in every question, or free answers; left out, by
    the look of the right answers (`kind_of`).
    """
    file = Path(path)
    frame = _filtered(file, _frame(file), where)
    rows = _plain(file, frame)
    truth, clusters = _truth(file, rows), _clusters(file, rows)
    if (kind or kind_of(truth.values())) == "free":
        return replace(_free(file, rows, truth), clusters=clusters)
    questions = sorted(rows["question_id"].unique())
    proposers = sorted(Proposer(model, prompt) for model, prompt in rows.select("model", "prompt").unique().iter_rows())
    classes = sorted({*truth.values(), *rows["pred"].drop_nulls().unique()})
    if len(classes) > np.iinfo(np.int16).max:
        raise FileError(f"{len(classes)} different labels; expected those of questions with choices", file=file)
    codes = np.full((len(proposers), len(questions)), UNANSWERED, dtype=np.int16)
    place = {proposer: number for number, proposer in enumerate(proposers)}
    column = {question: number for number, question in enumerate(questions)}
    code = {name: number for number, name in enumerate(classes)}
    for (model, prompt), part in rows.group_by(["model", "prompt"]):
        asked = [column[each] for each in part["question_id"]]
        said = [UNANSWERED if each is None else code[each] for each in part["pred"]]
        _refuse_two_voices(file, f"{model} {prompt}".strip(), part)
        codes[place[Proposer(str(model), str(prompt))], asked] = said
    right = np.array([code[truth[question]] for question in questions], dtype=np.int16)
    # What is said and is no choice, such as a proposer's stray words, is no answer that anybody chooses from.
    choices = len({*truth.values(), *filter(_choice_like, classes)})
    return LabelMatrix(
        tuple(proposers), tuple(questions), tuple(classes), codes, right, choices=choices, clusters=clusters
    )


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


def _free(file: Path, rows: pl.DataFrame, truth: dict[str, str]) -> LabelMatrix:
    """A label means something within its question: who says the same, and whether it is the right answer."""
    answers: dict[Proposer, dict[str, tuple[str | None, bool | None]]] = {}
    for (model, prompt), part in rows.group_by(["model", "prompt"]):
        _refuse_two_voices(file, f"{model} {prompt}".strip(), part)
        own = answers[Proposer(str(model), str(prompt))] = {}
        for question, pred in part.select("question_id", "pred").iter_rows():
            own[question] = (pred, pred == truth[question])
    return per_question(answers, sorted(truth))


def _frame(file: Path) -> pl.DataFrame:
    import polars as pl

    if not file.is_file():
        raise FileError("no such file", file=file)
    kind = file.suffix.lower()
    if kind not in KINDS:
        raise FileError(f"expected a label matrix ({', '.join(KINDS)}) or an experiment file (.yaml)", file=file)
    try:
        if kind == ".parquet":
            with parquet_opened(file) as content:
                return pl.concat(list(content.slices()))
        if kind == ".csv":
            with opened(file) as content:
                return pl.read_csv(io.BytesIO(whole_of(content, file)), infer_schema=False)
        return _json_lines(file)
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        raise FileError(f"cannot be read as {kind[1:]}: {str(error).splitlines()[0]}", file=file) from None


def _json_lines(file: Path) -> pl.DataFrame:
    """Read here and not by Polars, which knows no whole number past 64 bits and makes one type of a column's numbers."""
    import polars as pl

    columns: dict[str, list[str | None]] = {}
    rows = 0
    with opened(file) as content:
        for number, line in enumerate(lines_of(content, file), start=1):
            if not line.strip():
                continue
            row = json_object(line, file, number)
            for name, value in row.items():
                column = columns.setdefault(name, [])
                column.extend([None] * (rows - len(column)))
                column.append(_written(file, number, name, value))
            rows += 1
    for column in columns.values():
        column.extend([None] * (rows - len(column)))
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


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
    if name in (*NEEDED, "prompt", "cluster"):
        problem = f"expected a text or a number, found {'an object' if isinstance(value, dict) else 'a list'}"
        raise FileError(problem, file=file, line=line, key=name)
    return json.dumps(value, ensure_ascii=False)


def _filtered(file: Path, frame: pl.DataFrame, where: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    for wanted in map(condition, where):
        if wanted.column not in frame.columns:
            expected = f"expected one of {', '.join(frame.columns)}{closest(wanted.column, frame.columns)}"
            raise FileError(f"--where {wanted.text}: there is no column {wanted.column!r}; {expected}", file=file)
        expected = f"--where {wanted.text}: expected texts or numbers, found {frame.schema[wanted.column]}"
        with readable(file, wanted.column, expected):
            same = (frame[wanted.column].cast(pl.String).str.to_lowercase() == wanted.value).fill_null(False)
            frame = frame.filter(~same if wanted.differs else same)
    return frame


def _plain(file: Path, frame: pl.DataFrame) -> pl.DataFrame:
    """The columns as text; labels without the difference of case and outer space."""
    import polars as pl

    for name in NEEDED:
        if name not in frame.columns:
            found = f"found {', '.join(frame.columns)}{closest(name, frame.columns)}"
            raise FileError(f"has no column {name}; expected question_id, model, pred, answer; {found}", file=file)
    if not len(frame):
        raise FileError("holds no rows, or --where leaves none", file=file)
    for name, absent in (("prompt", ""), ("cluster", None)):
        if name not in frame.columns:
            frame = frame.with_columns(pl.lit(absent, pl.String).alias(name))
    frame = pl.DataFrame([_spelled(file, frame[name]) for name in (*NEEDED, "prompt", "cluster")])
    if (size := sum(frame.select(pl.all().str.len_bytes().sum()).row(0))) > MOST_LABELS:
        raise FileError(f"its labels have {size:,} bytes; at most {MOST_LABELS:,} are read", file=file)
    label = [pl.col(name).str.strip_chars().str.to_lowercase() for name in ("pred", "answer")]
    rows = frame.select("question_id", "model", pl.col("prompt").fill_null(""), *label, "cluster").with_columns(
        pl.when(pl.col(name) == "").then(None).otherwise(pl.col(name)).alias(name)
        for name in ("pred", "answer", "cluster")
    )
    for name in ("question_id", "model"):
        if rows[name].null_count():
            raise FileError(f"{rows[name].null_count()} rows have no {name}", file=file)
    return rows


def _spelled(file: Path, column: pl.Series) -> pl.Series:
    """As text, each value in one spelling: a whole number that became a float because others are missing (1.0 for 1) is whole
    again; NaN is missing."""
    import polars as pl

    kind = column.dtype
    plain = kind in (pl.String, pl.Boolean, pl.Null, pl.Categorical, pl.Enum, pl.Date) or kind.is_numeric()
    if not plain:
        raise FileError(f"expected texts or numbers, found {kind}", file=file, key=column.name)
    with readable(file, column.name, f"expected texts or numbers, found {kind} that cannot be read"):
        written = column.cast(pl.String)
        if not kind.is_float():
            return written
        whole = (column == column.round()) & (column.abs() < 2.0**63)
        digits = column.cast(pl.Int64, strict=False).cast(pl.String)
        missing = pl.Series(column.name, [None], dtype=pl.String)
        return digits.zip_with(whole.fill_null(False), written).zip_with(column.is_not_nan().fill_null(True), missing)


def _clusters(file: Path, rows: pl.DataFrame) -> dict[str, str]:
    """By question: what it hangs together with, where the file says so."""
    import polars as pl

    named = rows.group_by("question_id").agg(pl.col("cluster").drop_nulls().unique()).sort("question_id")
    clusters: dict[str, str] = {}
    for question, names in named.iter_rows():
        if len(names) > 1:
            raise FileError(f"question {question!r} is in two clusters: {' and '.join(sorted(names)[:2])}", file=file)
        if names:
            clusters[question] = names[0]
    return clusters


def _truth(file: Path, rows: pl.DataFrame) -> dict[str, str]:
    import polars as pl

    answers = rows.group_by("question_id").agg(pl.col("answer").drop_nulls().unique()).sort("question_id")
    truth: dict[str, str] = {}
    for question, found in answers.iter_rows():
        if not found:
            raise FileError(f"question {question!r} has no answer; expected one in the column answer", file=file)
        if len(found) > 1:
            said = " and ".join(sorted(found))
            hint = "if these are versions of the question, keep one with --where COLUMN"
            raise FileError(f"question {question!r} has more than one answer: {said}; {hint}", file=file)
        truth[question] = found[0]
    return truth


def _refuse_two_voices(file: Path, proposer: str, rows: pl.DataFrame) -> None:
    if rows["question_id"].n_unique() == len(rows):
        return
    voices = rows.unique(["question_id", "pred"])
    twice = voices.filter(voices["question_id"].is_duplicated())
    if len(twice):
        first = twice["question_id"][0]
        raise FileError(f"{proposer} has two different labels for question {first!r}; expected one", file=file)
