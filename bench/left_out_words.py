"""How often a preference that is there goes unsaid since a person's few words would turn it:
python bench/left_out_words.py [WORLDS].

One judge compares texts of unequal length in both orders and prefers the side in 65 of 100, at equal length. Persons, who
have one habit, see a few of the questions once, and like the side as often, in half, or in 35 of 100. While nothing can be
told of their habit their words are left out of the share, and where they would turn it there is no claim
(`stats.left_out_words`).
"""

from __future__ import annotations

import math
import random
import sys
from typing import NamedTuple

from moot.stats.left_out_words import left_out_of
from moot.stats.preference import Preferences, PreferenceWord
from moot.stats.quantiles import ALPHA

PAIR = ("team", "ann")
JUDGED = 0.65
SPREAD = 0.7
"""Of the doublings between two texts; a judge's log-odds go up by as many as `BY_LENGTH` with each."""
BY_LENGTH = 0.4


class Counts(NamedTuple):
    left_out: int = 0
    """In so many worlds are their words left out;"""
    found: int = 0
    """of these the share alone is surely above a half,"""
    said: int = 0
    """and is said to be."""


def logit(share: float) -> float:
    return math.log(share / (1 - share))


def liked(draw: random.Random, odds: float) -> float:
    return float(draw.random() < 1 / (1 + math.exp(-odds)))


def words_of(draw: random.Random, questions: int, by_persons: int, persons_like: float) -> list[PreferenceWord]:
    words = []
    for number in range(questions):
        longer = draw.gauss(0, SPREAD)
        for place in (1, -1):
            word = liked(draw, logit(JUDGED) + BY_LENGTH * longer)
            words.append(PreferenceWord(f"q{number}", PAIR, 0, "ivy", word, place, longer))
        if number < by_persons:
            word = liked(draw, logit(persons_like))
            place = draw.choice((1, -1))
            words.append(PreferenceWord(f"q{number}", PAIR, 0, "person:kim", word, place, longer, habit="persons"))
    return words


def counted(questions: int, by_persons: int, persons_like: float, worlds: int) -> Counts:
    counts = Counts()
    for world in range(worlds):
        draw = random.Random(f"{questions} {by_persons} {persons_like} {world}")
        fitted = Preferences(words_of(draw, questions, by_persons, persons_like))
        out, rate = left_out_of(fitted, PAIR), fitted.rate(PAIR)
        limits = rate.limits(ALPHA) if rate is not None else None
        if out is None or rate is None or limits is None:
            continue
        found = limits[0] > 0.5
        said = found and not out.overturn(rate.value)
        counts = Counts(counts.left_out + 1, counts.found + found, counts.said + said)
    return counts


def main() -> None:
    worlds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for questions in (60, 150):
        for persons_like in (0.65, 0.5, 0.35):
            for by_persons in (1, 3, 5, 10):
                counts = counted(questions, by_persons, persons_like, worlds)
                out = max(1, counts.left_out)
                print(
                    f"{questions:3} questions, persons like it in {persons_like:.2f}, {by_persons:2} words:"
                    f" left out in {100 * counts.left_out / worlds:5.1f} %; found {100 * counts.found / out:5.1f} %,"
                    f" said {100 * counts.said / out:5.1f} %",
                    flush=True,
                )


if __name__ == "__main__":
    main()
