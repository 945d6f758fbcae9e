"""What is known of several options, question by question, as one table of numbers.

Nearly always all options have the same questions, in the order in which they were played. Then each question is looked up once
for all of them, and not once for each: of hundreds of thousands a single look-up in a large dictionary takes longer than
everything that is done with the number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats


def option_table(options: Sequence[Mapping[str, float | None]], asked: Sequence[str]) -> Floats:
    """Options × questions; NaN where there is nothing."""
    import numpy as np

    if not options:
        return np.empty((0, len(asked)))
    questions = list(options[0])
    if any(len(option) != len(questions) or list(option) != questions for option in options[1:]):
        return np.array([list(map(option.get, asked)) for option in options], dtype=float)
    values = np.array([[*option.values(), None] for option in options], dtype=float)
    if questions == list(asked):
        return values[:, :-1]
    place_of = dict(zip(questions, range(len(questions)), strict=True))
    places = [place_of.get(question, -1) for question in asked]  # behind the last there is nothing
    return values[:, places]
