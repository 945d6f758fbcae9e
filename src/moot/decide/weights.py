"""What each player's voice counts: by how often it was right, and said in words.

The weight of an accuracy p among c possible answers is log((c-1)p / (1-p)): the best there is where players err
independently and every wrong answer is as likely as another. Who does no better than chance has no voice.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median

from moot.decide.candidates import Candidates, Floats
from moot.decide.choice_model import ChoiceModel
from moot.later import numpy as np

_TIMES = (
    (0.15, "adds nothing"),
    (0.35, "adds little"),
    (0.65, "counts half"),
    (0.85, "counts less than most"),
    (1.2, "counts like most"),
    (1.6, "counts more than most"),
    (2.5, "counts double"),
)
"""Up to so many times the middle one of the voices."""


def log_odds(accuracy: Floats, m: int, classes: float, *, two_class: bool = False) -> Floats:
    """log((c-1)p / (1-p)), floored at 0: who does worse than chance has no voice. c: `LabelMatrix.alternatives`.

    p is clipped to [1/(m+2), (m+1)/(m+2)]: m questions cannot show that anybody is always right. `two_class` is the
    paper's log(p / (1-p)), also floored.
    """
    p = np.clip(accuracy, 1 / (m + 2), (m + 1) / (m + 2))
    others = 1 if two_class else max(1, classes - 1)
    weights: Floats = np.maximum(np.log(others * p / (1 - p)), 0.0)
    return weights


def effective_alternatives(candidates: Candidates) -> float:
    """c on free answers: one more than the effective number of wrong ones.

    That is one over the share of pairs of wrong answers to the same question that are equal: with c - 1 wrong answers of
    which none is likelier than the others, two of them are equal once in c - 1 times. It goes by who said the same and not
    by what it is called.
    """
    wrong = np.where(candidates.worth == 0.0, candidates.counts, 0.0)
    every = wrong.sum(axis=1)
    equal, pairs = (float((counts * (counts - 1) / 2).sum()) for counts in (wrong, every))
    return 1 + (pairs + 1) / (equal + 1)


def weights_by_accuracy(candidates: Candidates, choices: int | None = None) -> dict[str, float]:
    """By player, from settled questions. `choices`: how many answers they have to choose from; None: free answers."""
    c = effective_alternatives(candidates) if choices is None else float(choices)
    found = log_odds(candidates.accuracy, len(candidates), c)
    return dict(zip(candidates.players, found.tolist(), strict=True))


def weights_of(model: ChoiceModel) -> dict[str, float]:
    """What each player's voice counts in it, with what all have in common."""
    return dict(zip(model.players, (model.weights + model.common).tolist(), strict=True))


def weights_in_words(weights: Mapping[str, float]) -> list[str]:
    """`qwen counts double`, `gemma adds nothing`: beside the middle one of those who have a voice.

    Whoever counts most comes first, then names decide: no seat does.
    """
    voiced = [weight for weight in weights.values() if weight > 0]
    middle = median(voiced) if voiced else 0.0
    in_order = sorted(weights.items(), key=lambda voice: (-round(voice[1], 9), voice[0]))
    return [f"{name} {_words(weight, middle)}" for name, weight in in_order]


def _words(weight: float, middle: float) -> str:
    if middle <= 0 or weight <= 0:
        return "adds nothing" if weight > -0.15 * max(middle, 1.0) else "speaks against its own answer"
    ratio = weight / middle
    return next((words for most, words in _TIMES if ratio < most), f"counts {ratio:.0f} times as much as most")
