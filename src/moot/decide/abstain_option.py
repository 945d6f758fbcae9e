"""`abstain`: what stands beside the options of a strategy, and says from where on an answer is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from moot.decide.learning import FEWEST
from moot.decide.promise import FEWEST_FOR_PROMISE
from moot.errors import UsageError
from moot.strategies import value_told

EXPECTED = "expected {below: 0.9}, a probability, or {target: 0.95}, how many of the answers given are to be right"


@dataclass(frozen=True, slots=True)
class Abstain:
    """From where on an answer is given. One of the two."""

    below: float | None = None
    target: float | None = None

    @classmethod
    def of(cls, written: object) -> Abstain:
        """As a file has it."""
        if not isinstance(written, Mapping) or len(written) != 1 or not set(written) <= {"below", "target"}:
            raise UsageError(f"{EXPECTED}, found {written!r:.80}")
        ((name, value),) = written.items()
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
            raise UsageError(f"{name}: expected a number between 0 and 1, found {value!r:.40}")
        return cls(**{name: float(value)})

    def __str__(self) -> str:
        return "{" + ", ".join(f"{name}: {value_told(value)}" for name, value in self.json().items()) + "}"

    def json(self) -> dict[str, float]:
        return {name: value for name in ("below", "target") if (value := getattr(self, name)) is not None}

    @property
    def fewest_lessons(self) -> int:
        return FEWEST if self.target is None else FEWEST_FOR_PROMISE
