"""StrategyQA: yes or no, by steps that the question does not name. Published as one JSON list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.data.published import Published


@dataclass(frozen=True, slots=True)
class StrategyQa:
    """``qid, term, description, question, answer, facts``. What is said of the term gives the answer away: no player sees it."""

    name: ClassVar[str] = "strategyqa"
    columns: ClassVar[tuple[str, ...]] = ()

    def cases(self, row: Published) -> Iterator[Mapping[str, Any]]:
        answer = row.values.get("answer")
        if str(answer).strip().lower() not in ("true", "false", "yes", "no"):
            raise row.error("answer", f"expected true or false, found {answer!r}")
        facts = row.values.get("facts")
        yield {
            "id": row.needed("qid", "id"),
            "text": row.needed("question"),
            "kind": "yes-no",
            "answer": answer,
            "comment": " ".join(map(str, facts)) if isinstance(facts, list) else row.text("facts"),
            "category": row.text("category"),
        }
