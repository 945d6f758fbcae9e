"""MMLU-Pro: 12,032 questions with up to ten choices. Published as Parquet; the answer is a letter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.data.published import Published


@dataclass(frozen=True, slots=True)
class MmluPro:
    """``question_id, question, options, answer, answer_index, category, src``."""

    name: ClassVar[str] = "mmlu-pro"
    columns: ClassVar[tuple[str, ...]] = ()

    def cases(self, row: Published) -> Iterator[Mapping[str, Any]]:
        options = [
            option for option in row.items("options") if option != "N/A"
        ]  # how the first version fills up to ten
        answer = row.needed("answer")
        if row.values.get("answer_index") is not None and row.letter_at("answer_index", options) != answer:
            raise row.error("answer_index", f"says another choice than the answer {answer!r}")
        yield {
            "id": row.needed("question_id"),
            "text": row.needed("question"),
            "choices": options,
            "answer": answer,
            "category": row.text("category"),
            "source": row.text("src"),
        }
