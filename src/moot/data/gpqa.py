"""GPQA: graduate questions in biology, physics and chemistry. Published as CSV, the right answer apart from three wrong ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.data.formats import shuffled
from moot.data.published import Published
from moot.types import seeded


@dataclass(frozen=True, slots=True)
class Gpqa:
    """The four choices stand in an order drawn for each question by the seed."""

    name: ClassVar[str] = "gpqa"
    columns: ClassVar[tuple[str, ...]] = ()

    seed: int = 0

    def cases(self, row: Published) -> Iterator[Mapping[str, Any]]:
        ident = row.text("Record ID") or f"{row.origin}-{row.line}"
        wrong = [row.needed(f"Incorrect Answer {number}") for number in (1, 2, 3)]
        choices, answer = shuffled(row.needed("Correct Answer"), wrong, seeded(self.seed, "choices", ident))
        yield {
            "id": ident,
            "text": row.needed("Question"),
            "choices": choices,
            "answer": answer,
            "comment": row.text("Explanation"),
            "category": row.text("High-level domain"),
            "difficulty": row.text("Writer's Difficulty Estimate"),
        }
