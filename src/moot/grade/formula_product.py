"""What is multiplied and what divides it, written in one way: a product within a formula."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from moot.grade.formula_tokens import is_word


@dataclass(frozen=True, slots=True)
class ProductOfFactors:
    """What is multiplied and what divides it, each as it is written."""

    above: tuple[str, ...]
    below: tuple[str, ...] = ()
    minus: bool = False
    unclear: str = ""
    """What follows a stroke without brackets, as in 1/2x: whether it divides nobody can tell."""

    def written(self) -> str:
        above = tuple(factor for factor in self.above if factor != "1") if self.below else self.above
        text = beside(above) if above else "1"
        if self.below:
            below = beside(self.below)
            is_one = (len(self.below) == 1 and _ONE.fullmatch(below)) or is_wrapped(below)
            text += f"/{below}" if is_one else f"/({below})"
        if self.unclear:
            text += f"/{self.unclear}"
        return f"-{text}" if self.minus else text


def beside(factors: Sequence[str]) -> str:
    """Factors one after another: digits behind anything need a sign, or they would be a part of it, and so do letters that
    without one are a word or a unit: N*m is no nm."""
    parts: list[str] = []
    for alone, group in groupby(factors, key=_is_letter):
        run = list(group)
        parts += ["*".join(run)] if alone and is_word("".join(run)) else run
    return "".join(f"*{part}" if place and part[0].isdigit() else part for place, part in enumerate(parts))


def _is_letter(factor: str) -> bool:
    return len(factor) == 1 and factor.isalpha()


_ONE = re.compile(
    r"[0-9.]+|[^\W\d_]'*|pi|infinity|(?:[0-9.]+|[^\W\d_]|pi)\^(?:-?[0-9.]+|[^\W\d_])|sqrt\([^()]*\)|\|[^|]*\|"
)
"""A factor that can stand behind a stroke without brackets."""


def is_wrapped(text: str) -> bool:
    """Whether brackets stand around the whole of it."""
    depth = 0
    for place, mark in enumerate(text):
        depth += (mark == "(") - (mark == ")")
        if depth == 0:
            return place == len(text) - 1 and text[0] == "("
    return False
