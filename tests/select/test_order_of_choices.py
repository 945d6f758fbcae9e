"""In which order the choices of a question stand makes no other question of it: neither does it deal it into another half."""

from __future__ import annotations

import numpy as np

from moot.engine.stored_labels import _dealt
from moot.select.labels import Proposer, label_matrix, split_labels
from moot.types import Case, Question

TEXTS = [f"Which is thing {n}?" for n in range(30)]
CHOICES = ("a town", "a river", "a hill")


def halves(choices: tuple[str, ...]) -> tuple[set[str], np.ndarray]:
    """The texts of the half that is chosen on, with how right somebody was in it who is wrong about every third question."""
    cases = {}
    for text in TEXTS:
        question = Question(text, text, choices=choices)
        cases[question.digest] = Case(question, "ABC"[choices.index("a river")])
    said = {key: case.answer if TEXTS.index(case.question.text) % 3 else None for key, case in cases.items()}
    matrix = label_matrix({Proposer("m", "", "ann"): said}, {key: case.answer for key, case in cases.items()})
    split = split_labels(_dealt(matrix, cases), 15, seed=4).selection.labels
    return {cases[key].question.text for key in split.questions}, split.right


def test_the_halves_are_the_same_questions() -> None:
    texts, right = halves(CHOICES)
    for choices in (CHOICES[::-1], ("a river", "a hill", "a town")):
        others, their_right = halves(choices)
        assert others == texts
        assert (their_right == right).all()
