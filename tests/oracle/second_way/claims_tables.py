"""Options as a table of values, and which questions hang together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from second_way.intervals import mean
from second_way.luck import Floats
from second_way.options import Option
from second_way.raw import Raw
from second_way.shares import NOBODY_KNOWS, Value

Row = dict[str, Any]


def table_of(several: Iterable[Option], asked: Sequence[str]) -> Floats:
    """NaN where an answer is not graded, and in all of a row where those that are flatter."""
    rows = [side.fair(asked) for side in several]
    return np.array([[mark_of(row.get(question, NOBODY_KNOWS)) for question in asked] for row in rows])


def mark_of(value: Value) -> float:
    return math.nan if value.known is None else value.known


def ends_of(values: Sequence[Value]) -> Row:
    return {"low": mean([value.least for value in values]), "high": mean([value.most for value in values])}


def clusters(raw: Raw, asked: Sequence[str]) -> list[str] | None:
    groups = [raw.questions[question]["cluster"] for question in asked]
    if not any(groups):
        return None
    return [f"c {group}" if group else f"q {question}" for group, question in zip(groups, asked, strict=True)]
