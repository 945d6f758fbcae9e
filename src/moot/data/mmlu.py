"""MMLU: 57 subjects, four choices. Published as a folder of CSV files without a header, one a subject; or with `choices`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.data.published import Published

LETTERS = "ABCD"

STEM = frozenset(
    (
        *("astronomy", "college_physics", "conceptual_physics", "high_school_physics"),
        *("college_chemistry", "high_school_chemistry", "college_biology", "high_school_biology"),
        *("college_computer_science", "computer_security", "high_school_computer_science", "machine_learning"),
        *("abstract_algebra", "college_mathematics", "elementary_mathematics", "high_school_mathematics"),
        *("high_school_statistics", "electrical_engineering"),
    )
)
"""The subjects that the authors count as science, technology, engineering and mathematics."""

_SPLIT = re.compile(r"_(?:test|val|dev|train)$")


@dataclass(frozen=True, slots=True)
class Mmlu:
    """A CSV names its subject in the name of the file: ``college_physics_test.csv``."""

    name: ClassVar[str] = "mmlu"
    columns: ClassVar[tuple[str, ...]] = ("question", *LETTERS, "answer")

    def cases(self, row: Published) -> Iterator[Mapping[str, Any]]:
        subject = row.text("subject") or _SPLIT.sub("", row.origin)
        listed = "choices" in row.values
        choices = row.items("choices") if listed else [row.needed(letter) for letter in LETTERS]
        yield {
            "id": f"{subject}-{row.line}",
            "text": row.needed("question"),
            "choices": choices,
            "answer": row.letter_at("answer", choices) if listed and not _is_letter(row) else row.needed("answer"),
            "category": subject,
        }


@dataclass(frozen=True, slots=True)
class MmluStem(Mmlu):
    """The STEM subjects of MMLU; with ``sample: 500`` the set of 500 that papers draw from them."""

    name: ClassVar[str] = "mmlu-stem"

    def cases(self, row: Published) -> Iterator[Mapping[str, Any]]:
        return (case for case in Mmlu.cases(self, row) if case["category"] in STEM)


def _is_letter(row: Published) -> bool:
    answer = row.values.get("answer")
    return isinstance(answer, str) and not answer.strip().isdecimal()
