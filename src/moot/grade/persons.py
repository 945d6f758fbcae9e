"""What a person's words on the answers to a question say of one of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from moot.grade.normalise import answer_key
from moot.types import Case


def persons_word(case: Case, answer: str | None, words: Mapping[str, bool]) -> bool | None:
    """None: no person has said anything of it. `words`: by normalised answer.

    A word is about every equal answer. Of choices one is right: where a person has named it, all others are wrong.
    """
    if answer is None or not words:
        return None
    word = words.get(answer_key(case.question, answer))
    if word is None and case.question.is_closed and any(words.values()):
        return False
    return word


def words_by_case(words: Mapping[tuple[str, str], bool]) -> dict[str, dict[str, bool]]:
    """By the digest of the case, then by normalised answer."""
    by_case: dict[str, dict[str, bool]] = defaultdict(dict)
    for (case, answer), right in words.items():
        by_case[case][answer] = right
    return dict(by_case)
