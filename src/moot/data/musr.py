"""MuSR: long stories (murders, objects put away, people to allocate) with a question and choices. JSON by story, or CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.data.published import Published


@dataclass(frozen=True, slots=True)
class Musr:
    """As the authors' JSON has it, a story with its questions; or a row of the hub, a story with one question."""

    name: ClassVar[str] = "musr"
    columns: ClassVar[tuple[str, ...]] = ()

    def cases(self, row: Published) -> Iterator[Mapping[str, Any]]:
        if "questions" not in row.values:
            yield self._case(row, row.needed("narrative"), "answer_index", str(row.line))
            return
        story = row.needed("context")
        for number, asked in enumerate(row.items("questions"), start=1):
            yield self._case(row.inner(asked, "questions"), story, "answer", f"{row.line}.{number}")

    def _case(self, row: Published, story: str, index: str, number: str) -> Mapping[str, Any]:
        choices = row.items("choices")
        return {
            "id": f"{row.origin}-{number}",
            "text": row.needed("question"),
            "context": story,
            "choices": choices,
            "answer": row.letter_at(index, choices),
            "category": row.origin,
        }
