"""TruthfulQA, multiple choice (MC1): one true answer among common falsehoods. Published as JSON and as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.data.formats import shuffled
from moot.data.published import Published
from moot.types import seeded


@dataclass(frozen=True, slots=True)
class TruthfulQa:
    """Every file lists the true answer first, so the order is drawn for each question by the seed."""

    name: ClassVar[str] = "truthfulqa"
    columns: ClassVar[tuple[str, ...]] = ()

    seed: int = 0

    def cases(self, row: Published) -> Iterator[Mapping[str, Any]]:
        right, wrong = self._targets(row) if "mc1_targets" in row.values else self._from_csv(row)
        ident = f"{row.origin}-{row.line}"
        choices, answer = shuffled(right, wrong, seeded(self.seed, "choices", ident))
        yield {
            "id": ident,
            "text": row.needed("question", "Question"),
            "choices": choices,
            "answer": answer,
            "category": row.text("Category") or row.text("category"),
            "source": row.text("Source") or row.text("source"),
        }

    def _targets(self, row: Published) -> tuple[str, list[str]]:
        """``{"an answer": 1, "another": 0}``, or ``{"choices": […], "labels": […]}`` on the hub."""
        targets = row.inner(row.values["mc1_targets"], "mc1_targets")
        if isinstance(targets.values.get("choices"), list):
            texts, labels = targets.items("choices"), targets.items("labels")
        else:
            texts, labels = list(targets.values), list(targets.values.values())
        right = [str(text) for text, label in zip(texts, labels, strict=False) if label == 1]
        wrong = [str(text) for text, label in zip(texts, labels, strict=False) if label == 0]
        if len(texts) != len(labels) or len(right) != 1 or not 1 <= len(wrong) <= 25 or len(wrong) != len(texts) - 1:
            raise row.error("mc1_targets", "expected one answer labelled 1 and up to 25 labelled 0")
        return right[0], wrong

    def _from_csv(self, row: Published) -> tuple[str, list[str]]:
        wrong = [answer.strip() for answer in row.needed("Incorrect Answers").split(";")]
        return row.needed("Best Answer"), [answer for answer in wrong if answer]
