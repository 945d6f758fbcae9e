"""What a simulated judge gives a long answer by a rubric: points that follow from the quality which the text itself states.

A criterion of ``p`` points gives ``p * q``, where ``q`` is the quality, held between 0 and 1, if the judge can tell (with
chance `power`, drawn once a question). Else ``q`` is ``quality + SPREAD * taste * m``, held in the same way, with ``m`` a
standard normal of this model, this text and this criterion. So whoever errs does so in both directions alike, and the mean
of many points is the quality of what was written, but for texts at the very ends. A `length_bias` adds to the quality what it
is worth to this judge where it compares two texts: ``SPREAD * blur * length_bias`` for a doubling of `USUAL_WORDS`.
"""

from __future__ import annotations

from collections.abc import Sequence

from moot.simulate.long_text import SPREAD, doublings, draft_quality, quality_of
from moot.simulate.mind import Mind

USUAL_WORDS = 100
"""A text of so many words is neither long nor short to a judge by a rubric."""


def points_given(mind: Mind, text: str, criteria: Sequence[float]) -> list[float]:
    """By criterion. A text that nobody knows the quality of is as good as its reader's own."""
    stated = quality_of(text)
    quality = draft_quality(mind) if stated is None else stated
    model = mind.model
    quality += SPREAD * model.blur * model.length_bias * doublings(len(text.split()), USUAL_WORDS)
    heard = [0.0 if mind.can_tell() else SPREAD * mind.ear(f"{number} {text[:200]}") for number in range(len(criteria))]
    return [
        round(points * min(1.0, max(0.0, quality + mishap)), 2) for points, mishap in zip(criteria, heard, strict=True)
    ]
