"""Whether replies bear it out that a metric is a verdict: it has to call nearly all right that say the reference, and few others.

It is counted, and no reply is judged by it: a right answer may have other words, and one that names the reference may be wrong.
A metric that has nothing to do with right and wrong passes once in a hundred logs at most, however many replies they have.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from moot.data.logs.fields import LETTERS
from moot.data.logs.log import QuestionInLog
from moot.grade.normalise import normalise
from moot.stats.counted_words import count
from moot.stats.mean import mean

_WORD = re.compile(r"\w+")
_LETTER = re.compile(r"\b[A-Z]\b")
SHORT = 300
"""Characters up to which a reply may be the reference but for its spelling; normalising pages would take minutes."""
FEWEST = 2
"""Replies of either kind, below which nobody can say that verdicts are turned round."""
LEVEL = 0.01
"""How often a metric may pass that has nothing to do with right and wrong."""
NEARLY_ALL, FEW = 0.8, 0.25
"""What a verdict gives at least to replies that say the reference, and at most to others, on average: a judge accepts other
words, and errs. What only goes along with being right, as short replies may, differs in any large log, and by far less."""
APART = 0.5
"""By how much the two differ at least among replies of the same model: what only the better models do is no verdict."""
A_LITTLE_APART = 0.25
"""The same of a metric whose name is often that of a verdict: a lenient judge may accept many other words."""
ROUNDED = 1e-9


@dataclass(frozen=True, slots=True)
class JudgedReply:
    says: bool | None
    """Whether it says the reference; None: nobody can tell."""
    worth: float | None
    """What the metric gives it."""
    question: str = ""
    model: str = ""


@dataclass(frozen=True)
class VerdictEvidence:
    """What a metric gives to replies of which it is known whether they say the reference."""

    replies: Sequence[JudgedReply]

    @cached_property
    def saying(self) -> list[float]:
        """To those that say the reference."""
        return [reply.worth for reply in self.replies if reply.says and reply.worth is not None]

    @cached_property
    def others(self) -> list[float]:
        return [reply.worth for reply in self.replies if not reply.says and reply.worth is not None]

    def speaks_for(self, tried: int = 1) -> bool:
        """Whether it is a verdict. `tried`: how many metrics of the same log are looked at, of which any might pass by chance."""
        if not self.saying or not self.others or mean(self.saying) < NEARLY_ALL or mean(self.others) > FEW:
            return False
        return self._by_chance() <= LEVEL / tried and self._apart_within_models() >= APART

    @property
    def speaks_against(self) -> bool:
        """Whether a verdict would have been told from a metric that has nothing to do with it, and this one is not, or goes along
        with being right and no more."""
        perfect = VerdictEvidence(
            [JudgedReply(each.says, float(bool(each.says)), each.question) for each in self.replies]
        )
        ample = perfect._by_chance() <= LEVEL
        return ample and (self._by_chance() > LEVEL or self._apart_within_models() < A_LITTLE_APART)

    @property
    def calls_references_right(self) -> bool:
        """Whether those that say the reference are called right more often than others, be these right in other words as well."""
        return bool(self.saying) and mean(self.saying) >= NEARLY_ALL and self._by_chance() <= LEVEL

    @property
    def is_mostly_said(self) -> bool:
        """Whether nearly all that say the reference are called right, and most that are called right say it."""
        right = self.saying.count(1.0)
        return right >= FEWEST and mean(self.saying) >= NEARLY_ALL and right >= self.others.count(1.0)

    @property
    def is_contrary(self) -> bool:
        """Whether most that say the reference are wrong by it, and most others right. A strict tool calls both wrong."""
        enough = min(len(self.saying), len(self.others)) >= FEWEST
        return enough and mean(self.saying) < 0.5 < mean(self.others)

    @property
    def told(self) -> str:
        if not self.saying:
            return "no reply says the reference"
        said = f"it gives {mean(self.saying):.2f} to {count(len(self.saying), 'reply', 'replies')} saying the reference"
        return f"{said}, {mean(self.others):.2f} to {count(len(self.others), 'other')}" if self.others else said

    def _by_chance(self) -> float:
        """How often a metric without a say in it would call so many of those right that say the reference, or more.

        Fisher's test, to one side. Replies to one question are much the same, so that together they count as one.
        """
        of_question = Counter(reply.question for reply in self.replies)
        cells = {(says, right): 0.0 for says in (True, False) for right in (True, False)}
        for reply in self.replies:
            cells[bool(reply.says), (reply.worth or 0.0) > 0.5] += 1 / of_question[reply.question]
        for_it = [math.floor(cells[says, says] + ROUNDED) for says in (True, False)]
        against = [math.ceil(cells[says, not says] - ROUNDED) for says in (True, False)]
        return fisher_upper(for_it[0], against[0], against[1], for_it[1])

    def _apart_within_models(self) -> float:
        """By how much more it gives those that say the reference than others of the same model."""
        of_models: dict[str, tuple[list[float], list[float]]] = {}
        for reply in self.replies:
            of_models.setdefault(reply.model, ([], []))[0 if reply.says else 1].append(reply.worth or 0.0)
        both = [(saying, others) for saying, others in of_models.values() if saying and others]
        weights = [len(saying) * len(others) / (len(saying) + len(others)) for saying, others in both]
        apart = [weight * (mean(saying) - mean(others)) for weight, (saying, others) in zip(weights, both, strict=True)]
        return sum(apart) / sum(weights) if both else 0.0


def fisher_upper(a: int, b: int, c: int, d: int) -> float:
    """Of a table with the rows (a, b) and (c, d): the chance of so many in its first cell, or more, if rows and columns have
    nothing to do with each other."""
    row, column, total = a + b, a + c, a + b + c + d
    all_ways = _log_choose(total, column)
    ways = (_log_choose(row, k) + _log_choose(total - row, column - k) for k in range(a, min(row, column) + 1))
    return min(1.0, sum(math.exp(way - all_ways) for way in ways))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def evidence_of(replies: Iterable[JudgedReply]) -> VerdictEvidence:
    return VerdictEvidence([reply for reply in replies if reply.says is not None and reply.worth is not None])


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
