"""Whether replies bear it out that a metric is a verdict: it has to call those right more often that say the reference.

It is counted, and no reply is judged by it: a right answer may have other words, and one that names the reference may be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from moot.data.logs.fields import LETTERS
from moot.data.logs.log import QuestionInLog
from moot.grade.normalise import normalise

_WORD = re.compile(r"\w+")
_LETTER = re.compile(r"\b[A-Z]\b")
SHORT = 300
"""Characters up to which a reply may be the reference but for its spelling; normalising pages would take minutes."""
FEWEST = 2
"""Replies of either kind, below which nobody can say that verdicts are turned round."""


@dataclass(frozen=True, slots=True)
class VerdictEvidence:
    """What a metric gives to replies."""

    saying: Sequence[float]
    """To those that say the reference."""
    others: Sequence[float]

    @property
    def speaks_for(self) -> bool:
        if not self.saying:
            return False
        return _mean(self.saying) > (_mean(self.others) if self.others else 0.5)

    @property
    def is_contrary(self) -> bool:
        """Whether most that say the reference are wrong by it, and most others right. A strict tool calls both wrong."""
        enough = min(len(self.saying), len(self.others)) >= FEWEST
        return enough and _mean(self.saying) < 0.5 < _mean(self.others)


def evidence_of(replies: Iterable[tuple[bool | None, float | None]]) -> VerdictEvidence:
    """Of each reply whether it says the reference, None where nobody can tell, and what the metric gives it."""
    known = [(says, worth) for says, worth in replies if says is not None and worth is not None]
    return VerdictEvidence([worth for says, worth in known if says], [worth for says, worth in known if not says])


def says_any(words: str, references: Iterable[str]) -> bool:
    """Whether one of the references stands in these words, or is the same by match."""
    said, same = _words(words), normalise(words) if len(words) <= SHORT else None
    for reference in references:
        wanted = _words(reference)
        if (
            (wanted.strip() and wanted in said)
            or words.strip() == reference.strip()
            or (same and same == normalise(reference))
        ):
            return True
    return False


def says_reference(question: QuestionInLog, said: str | None) -> bool | None:
    """None: there is no reference, or no reply."""
    if question.answer is None or said is None:
        return None
    if not question.choices:
        return says_any(said, (question.answer, *question.accepted))
    letters: list[str] = [each for each in _LETTER.findall(said) if each in LETTERS[: len(question.choices)]]
    if letters:
        return letters[-1] == question.answer
    return says_any(said, (question.choices[LETTERS.index(question.answer)],))


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
