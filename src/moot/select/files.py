"""Reading a label matrix: parquet, csv or jsonl with the columns question_id, model, prompt, pred, answer.

`prompt` may be absent and `pred` null; a column `cluster` says which questions hang together. Rows may be filtered by
their other columns: ``same_version`` (true), ``category=law``, ``model!=gpt-4o``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from moot.errors import FileError
from moot.models.closest import closest
from moot.select.labels import UNANSWERED, LabelMatrix, Proposer, per_question
from moot.select.where import condition

if TYPE_CHECKING:
    import polars as pl

NEEDED = ("question_id", "model", "pred", "answer")
KINDS = (".parquet", ".csv", ".jsonl")

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
            return pl.read_parquet(file)
        if kind == ".csv":
            return pl.read_csv(file, infer_schema=False)
        return pl.read_ndjson(file, infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        raise FileError(f"cannot be read as {kind[1:]}: {str(error).splitlines()[0]}", file=file) from None


def _filtered(file: Path, frame: pl.DataFrame, where: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    for wanted in map(condition, where):
        if wanted.column not in frame.columns:
            expected = f"expected one of {', '.join(frame.columns)}{closest(wanted.column, frame.columns)}"
            raise FileError(f"--where {wanted.text}: there is no column {wanted.column!r}; {expected}", file=file)
        same = (pl.col(wanted.column).cast(pl.String).str.to_lowercase() == wanted.value).fill_null(False)
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
    frame = frame.with_columns(_whole(frame[name]) for name in ("question_id", "pred", "answer", "cluster"))
    label = [pl.col(name).cast(pl.String).str.strip_chars().str.to_lowercase() for name in ("pred", "answer")]
    names = [pl.col(name).cast(pl.String) for name in ("question_id", "model")]
    prompt = pl.col("prompt").cast(pl.String).fill_null("")
    rows = frame.select(*names, prompt, *label, pl.col("cluster").cast(pl.String)).with_columns(
        pl.when(pl.col(name) == "").then(None).otherwise(pl.col(name)).alias(name)
        for name in ("pred", "answer", "cluster")
    )
    for name in ("question_id", "model"):
        if rows[name].null_count():
            raise FileError(f"{rows[name].null_count()} rows have no {name}", file=file)
    return rows


def _whole(column: pl.Series) -> pl.Series:
    """Whole numbers that became floats because some were missing (1.0 for 1) are whole again; NaN is missing."""
    import polars as pl

    if not column.dtype.is_float():
        return column
    column = column.fill_nan(None)
    known = column.drop_nulls()
    return column.cast(pl.Int64) if (known == known.round()).all() else column


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
