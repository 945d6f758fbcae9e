"""Whether a preference is claimed where there is none, as questions differ and a judge goes by place:
python bench/preference_ends.py [WORLDS [WORD]].

One judge compares texts of equal length in both orders. In null worlds a judge without a taste for a place would prefer the side
in one of two, and whatever is claimed is false, on either side; in the others in 65 of 100. With a word, only worlds that have it
in their name are played.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable
from functools import cache

from moot.stats.preference import Preferences, PreferenceWord
from moot.stats.quantiles import ALPHA

PAIR = ("team", "ann")
SURE = 40.0
"""Log-odds that leave no doubt."""
PART = 1 / 3
"""Of the questions, which are sure."""
SPREAD = 1.5
Draw = Callable[[random.Random], float]


def chance(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def logit(share: float) -> float:
    return math.log(share / (1 - share))


@cache
def middle(share: float) -> float:
    """Of normal log-odds, which prefer the side in so many cases; by halves."""
    drawn = [random.Random(number).gauss(0, SPREAD) for number in range(4_000)]
    low, high = -5.0, 5.0
    for _ in range(40):
        at = (low + high) / 2
        short = sum(chance(at + each) for each in drawn) / len(drawn) < share
        low, high = (at, high) if short else (low, at)
    return low


def thetas(share: float) -> dict[str, Draw]:
    """By the name of a world: the log-odds of a question, drawn so that the side is preferred in this share of all."""
    worse, better = logit((share - PART) / (1 - PART)), logit(share / (1 - PART))
    return {
        "alike": lambda draw: logit(share),
        "normal": lambda draw: draw.gauss(middle(share), SPREAD),
        "sure wins": lambda draw: SURE if draw.random() < PART else worse,
        "sure losses": lambda draw: -SURE if draw.random() < PART else better,
    }


def said(draw: random.Random, theta: Draw, by_place: float, questions: int) -> list[PreferenceWord]:
    words = []
    for number in range(questions):
        odds = theta(draw)
        for place in (1, -1):
            liked = float(draw.random() < chance(odds + place * by_place))
            words.append(PreferenceWord(f"q{number}", PAIR, 0, "ivy", liked, place))
    return words


def played(name: str, share: float, by_place: float, questions: int, worlds: int) -> str:
    told = better = worse = held = 0
    for world in range(worlds):
        draw = random.Random(f"{name} {by_place} {questions} {share} {world}")
        rate = Preferences(said(draw, thetas(share)[name], by_place, questions)).rate(PAIR)
        limits = rate.limits(ALPHA) if rate is not None else None
        if limits is not None:
            told, held = told + 1, held + (limits[0] <= share <= limits[1])
            better, worse = better + (limits[0] > 0.5), worse + (limits[1] < 0.5)
    shares = "  ".join(f"{100 * part / worlds:5.1f} %" for part in (better, worse))
    world_name = f"{name:12} {share:.2f}  place {by_place:4.2f}  n {questions:3}"
    return f"{world_name}  better, worse: {shares}  held {100 * held / told:5.1f} %"


CELLS = (
    *(("alike", 0.5, 0.0), ("normal", 0.5, 0.0), ("normal", 0.5, 0.6)),
    *((f"sure {which}", 0.5, by_place) for which in ("wins", "losses") for by_place in (0.6, 1.0, 1.15, 1.6)),
    *((name, 0.65, by_place) for name in ("alike", "normal") for by_place in (0.0, 0.6)),
)


def main() -> None:
    worlds = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    word = sys.argv[2] if len(sys.argv) > 2 else ""
    for name, share, by_place in CELLS:
        for questions in (60, 150, 300):
            if word in name:
                print(played(name, share, by_place, questions, worlds), flush=True)


if __name__ == "__main__":
    main()
