"""SQuAD's score of a free answer: the share of words that it has in common with a gold answer, as the official script has it.

Words are compared in lower case, without ASCII punctuation and the articles a, an, the. The best gold answer counts. For
a question that cannot be answered the only gold answer is to say nothing, which a player does with `[UNKNOWN]`. A case asks
for this score with ``"meta": {"score": "f1"}``.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable

from moot.grade.normalise import normalise
from moot.types import UNKNOWN, Case, Score

F1 = "f1"
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_UNKNOWN = normalise(UNKNOWN)


def scored_by_words(case: Case) -> bool:
    return case.meta.get("score") == F1 and case.question.kind == "open"


def squad(case: Case, answer: str) -> Score:
    """Token F1, and whether it is an exact match. There is nothing for a judge to add."""
    exact = best(case, answer, exact_match) == 1.0
    return Score(best(case, answer, token_f1), F1, "exact match" if exact else None)


def best(case: Case, answer: str, measure: Callable[[str, str], float]) -> float:
    """The measure against the gold answer that is nearest; against silence, where there is none."""
    golds = [gold for gold in (case.answer, *case.accepted) if gold is not None and words(gold)] or [""]
    spoken = "" if normalise(answer) == _UNKNOWN else answer
    return max(measure(gold, spoken) for gold in golds)


def exact_match(gold: str, answer: str) -> float:
    return float(words(gold) == words(answer))


def token_f1(gold: str, answer: str) -> float:
    """The harmonic mean of precision and recall over words, each word as often as it occurs. Silence equals silence only."""
    wanted, answered = words(gold), words(answer)
    if not wanted or not answered:
        return float(wanted == answered)
    shared = (Counter(wanted) & Counter(answered)).total()
    return 2 * shared / (len(wanted) + len(answered))


def words(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()
