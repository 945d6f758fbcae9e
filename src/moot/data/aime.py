"""AIME: competition problems whose answer is a whole number from 0 to 999. IMO: the same with any whole number.

Collections that mix the two, such as the one of about 1,600 that mixtures were tried on, are read as IMO. Columns are
spelled in several ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from moot.data.formats import shuffled
from moot.data.published import Published
from moot.errors import UsageError
from moot.types import MOST_CHOICES, seeded

MOST_DRAWN = 1000
"""Wrong choices are drawn from 0 to this number, as in the paper."""


@dataclass(frozen=True, slots=True)
class Aime:
    """Open by itself; with `choices`, the answer stands among as many numbers less one, drawn by the seed."""

    name: ClassVar[str] = "aime"
    columns: ClassVar[tuple[str, ...]] = ()
    most_offered: ClassVar[int] = 999
    """No wrong choice is above it: what cannot be an answer gives itself away."""

    seed: int = 0
    choices: int | None = None

    def __post_init__(self) -> None:
        if self.choices is not None and not 2 <= self.choices <= MOST_CHOICES:
            raise UsageError(f"choices: expected 2 to {MOST_CHOICES}, found {self.choices}")

    def cases(self, row: Published) -> Iterator[Mapping[str, Any]]:
        answer = self._answer(row)
        ident = row.text("ID") or row.text("id") or f"{row.origin}-{row.line}"
        case: dict[str, Any] = {"id": ident, "text": row.needed("Question", "Problem", "problem", "question")}
        year = row.text("Year") or row.text("year")
        if year is not None and year.isdecimal():
            case["year"] = int(year)
        if self.choices is None:
            yield {**case, "answer": str(answer), "accepted": self._accepted(answer)}
            return
        generator = seeded(self.seed, "choices", ident)
        numbers = [number for number in range(MOST_DRAWN + 1) if number != answer]
        others = generator.sample(numbers, self.choices - 1)
        while max(others) > self.most_offered:  # all of them anew, so that every other question is the one of before
            others = generator.sample(numbers, self.choices - 1)
        choices, letter = shuffled(str(answer), [str(number) for number in others], generator)
        yield {**case, "choices": choices, "answer": letter}

    def _answer(self, row: Published) -> int:
        answer = row.number("Answer", "answer", signed=True)
        if not 0 <= answer <= 999:
            key = "answer" if "answer" in row.values else "Answer"
            raise row.error(key, f"expected 0 to 999, found {answer!s:.40}; format: imo takes any whole number")
        return answer

    def _accepted(self, answer: int) -> list[str]:
        return [f"{answer:03d}"] if answer < 100 else []


@dataclass(frozen=True, slots=True)
class Imo(Aime):
    """Any whole number: negative ones, and those beyond 999. Wrong choices are drawn as for AIME, and may be 1000."""

    name: ClassVar[str] = "imo"
    most_offered: ClassVar[int] = MOST_DRAWN

    def _answer(self, row: Published) -> int:
        return row.number("Answer", "answer", signed=True)

    def _accepted(self, answer: int) -> list[str]:
        return []
