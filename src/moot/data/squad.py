"""SQuAD 2.0: questions on a passage, some of which it does not answer. Published as nested JSON, scored by token F1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.data.published import Published


@dataclass(frozen=True, slots=True)
class SquadFormat:
    """Articles with paragraphs with questions, as the authors have it; or a row of the hub, one question."""

    name: ClassVar[str] = "squad"
    columns: ClassVar[tuple[str, ...]] = ()

    def cases(self, row: Published) -> Iterator[Mapping[str, Any]]:
        if "paragraphs" not in row.values:
            yield self._case(row, row.needed("context"), row.text("title"))
            return
        for paragraph in row.items("paragraphs"):
            passage = row.inner(paragraph, "paragraphs")
            context = passage.needed("context")
            for asked in passage.items("qas"):
                yield self._case(row.inner(asked, "qas"), context, row.text("title"))

    def _case(self, row: Published, context: str, title: str | None) -> Mapping[str, Any]:
        golds = self._golds(row)
        if row.values.get("is_impossible") is False and not golds:
            raise row.error("answers", "expected an answer, since is_impossible is false")
        if row.values.get("is_impossible") is True:
            golds = []  # what stands under plausible_answers is not right
        return {
            "id": row.needed("id"),
            "text": row.needed("question"),
            "context": context,
            "answer": golds[0] if golds else None,
            "accepted": golds[1:],
            "category": title,
            "meta": {"score": "f1"},
        }

    def _golds(self, row: Published) -> list[str]:
        """Distinct gold answers in their order: ``[{"text": …}]``, or ``{"text": […]}`` on the hub."""
        answers = row.values.get("answers")
        if isinstance(answers, Mapping):
            texts = row.inner(answers, "answers").items("text")
        elif isinstance(answers, list):
            texts = [row.inner(answer, "answers").needed("text") for answer in answers]
        else:
            raise row.error("answers", "expected a list of answers, empty if there is none")
        return list(dict.fromkeys(str(text) for text in texts if str(text).strip()))
