"""Questions whose reference nobody says in short, such as a whole solution: only what is listed is right or wrong by match.

What is accepted is right, what is rejected is wrong. Any other answer may be right in words of its own, and is left to a judge;
it is ungraded where there is none. A case asks for it with ``"meta": {"score": "listed"}``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from moot.stats.counted_words import count
from moot.types import Case, Score

LISTED: Mapping[str, Any] = {"score": "listed"}
NOT_LISTED = Score(None, "ungraded", "the reference is no short answer, and nobody has said whether this one is right")


def only_listed(case: Case) -> bool:
    return case.meta.get("score") == LISTED["score"] and case.question.kind == "open"


def listed_words(cases: Iterable[Case]) -> list[str]:
    """What is to be said of a set that has such questions."""
    number = sum(map(only_listed, cases))
    if not number:
        return []
    have = count(number, "question has", "questions have")
    return [
        f"{have} a reference that no short answer matches: answers that are listed as accepted or rejected are graded by"
        " match, all others by a judge alone (judge: {models: [NAME]}); without one they are ungraded, not wrong"
    ]
