"""Long answers of simulated models: a few paragraphs that say nothing, and whose worth is known by construction.

Its first line says, in plain sight, how good a text is: "quality 0.634". Readers go by that number and by nothing else, so
whatever judges such texts can be held against the truth.

**The quality** of a draft is ``accuracy + SPREAD * z``, where ``z`` is a standard normal that all models share to the extent
`correlation` (the question is hard for all), a family to the extent `family_correlation`, and that is else the model's own.
Its mean over questions is the accuracy; it may be below 0 and above 1.

**Whoever writes from the texts of others** has the best of their qualities and its own draft's where it can tell (with
chance `power`, drawn once a question), else their mean. **Whoever ranks them** goes by quality where it can tell, else by
``quality + SPREAD * taste * m`` with ``m`` a standard normal of this model and this text.

**Whoever judges two of them** prefers the first where

    (its quality - the other's) / (SPREAD * blur) + position_bias + length_bias * doublings + n  >  TIE

the second where that is below ``-TIE``, and else neither. ``n`` is a standard logistic of this model, this question and these two
texts in this order; doublings are how often the first is twice as long as the second, from -2 to 2. So the share of judges
without a bias who would prefer it is known (`expected_preference`).

**The length** is `words`, give or take a fifth, drawn for the question and the model apart from the quality.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from typing import Literal

from moot.simulate.mind import Mind
from moot.simulate.world import hashed

SPREAD = 0.15
"""The standard deviation of the quality of a model's texts."""
TIE = 0.5
"""Below so much, in log-odds, neither of two is preferred."""
MOST_DOUBLINGS = 2.0
_QUALITY = re.compile(r"\bquality (-?\d+\.\d+)")
_SENTENCE = 12
"""Words in one."""
_PARAGRAPH = 5
"""Sentences in one."""
_FILLERS = (
    "plan", "step", "reason", "week", "people", "first", "later", "often", "rather", "because", "with", "without",
    "before", "after", "clear", "small", "large", "careful", "notes", "numbers", "question", "answer", "example", "change",
)  # fmt: skip


def quality_of(text: str) -> float | None:
    """How good a simulated text is; None: nobody says."""
    said = _QUALITY.search(text)
    return float(said[1]) if said else None


def draft_quality(mind: Mind) -> float:
    return mind.model.accuracy - SPREAD * mind.struggle("text")


def written_quality(mind: Mind, texts: Sequence[str]) -> float:
    """Of what it writes once it has read these."""
    qualities = [*(quality for text in texts if (quality := quality_of(text)) is not None), draft_quality(mind)]
    return max(qualities) if mind.can_tell() else statistics.fmean(qualities)


def ranked_texts(mind: Mind, texts: Sequence[str]) -> list[int]:
    """Their places, the best first. A text that nobody knows the quality of is as good as its reader's own."""
    own = draft_quality(mind)
    worth = []
    for text in texts:
        quality = quality_of(text)
        heard = 0.0 if mind.can_tell() else SPREAD * mind.ear(text[:200])
        worth.append((own if quality is None else quality) + heard)
    return sorted(range(len(texts)), key=lambda place: -worth[place])


def preferred(mind: Mind, first: str, second: str) -> Literal["first", "second", "tie"]:
    """Of two texts that stand in this order. One that nobody knows the quality of is as good as its reader's own."""
    known = (quality_of(text) for text in (first, second))
    qualities = [draft_quality(mind) if quality is None else quality for quality in known]
    model, drawn = mind.model, mind.chance("prefer", hashed(first), hashed(second))
    longer = doublings(len(first.split()), len(second.split()))
    odds = (qualities[0] - qualities[1]) / (SPREAD * model.blur) + model.position_bias + model.length_bias * longer
    odds += math.log(drawn / (1 - drawn))
    return "tie" if abs(odds) <= TIE else "first" if odds > 0 else "second"


def doublings(words: int, others: int) -> float:
    """How often one of so many words is twice as long as the other; four times counts as much as any more."""
    return max(-MOST_DOUBLINGS, min(MOST_DOUBLINGS, math.log2(max(1, words) / max(1, others))))


def expected_preference(better_by: float, blur: float) -> float:
    """The share of judges without a bias who prefer a text that is better by so much; a tie is half of one."""
    odds = better_by / (SPREAD * blur)
    return (1 / (1 + math.exp(TIE - odds)) + 1 / (1 + math.exp(-TIE - odds))) / 2


def long_text(mind: Mind, quality: float, mark: str) -> str:
    """Paragraphs of this quality, in as many words as the model writes."""
    words = max(_SENTENCE, round(mind.model.words * (0.8 + 0.4 * mind.chance("length"))))
    paragraphs = [f"{mark} A text of quality {quality:.3f}."]
    left, sentence = words - 5, 0
    while left > 0:
        sentences: list[str] = []
        while left > 0 and len(sentences) < _PARAGRAPH:
            size = min(left, _SENTENCE)
            sentences.append(_sentence(mind, sentence, size))
            left, sentence = left - size, sentence + 1
        paragraphs.append(" ".join(sentences))
    return "\n\n".join(paragraphs)


def _sentence(mind: Mind, number: int, size: int) -> str:
    drawn = hashed(mind.model.world.seed, mind.facts.id, mind.model.name, "sentence", number)
    words = []
    for _ in range(size):
        drawn, place = divmod(drawn, len(_FILLERS))
        words.append(_FILLERS[place])
    return f"{' '.join(words).capitalize()}."
