r"""Sums of chemistry, in which a digit below is written with a mark or without: H_2O, \mathrm{H_2O}, H₂O and H2O are one.

Elsewhere it is not so: x_1 is no x1, nor 10_2 a 102. So only what is nothing but symbols of elements is read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ELEMENTS = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru "
    "Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At "
    "Rn Fr Ra Ac Th Pa U Np Pu Am Cm"
)
_SYMBOLS = frozenset(_ELEMENTS.split())
_BY_TWO = frozenset(("H", "N", "O", "F", "Cl", "Br", "I"))
"""Elements whose molecule is of two, or, of oxygen, three."""
_MARKED = re.compile(r"_ ?(?:\{ ?([0-9]+) ?\}|([0-9]))")
_BELOW = re.compile("[₀-₉]")
_LEVEL = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_UPRIGHT = re.compile(r"\\(?:mathrm|text|rm|ce)(?![A-Za-z])")
_PART = re.compile(r"([A-Z][a-z]?)([0-9]*)")
_SUM = re.compile(r"\(?[A-Z](?:[A-Za-z0-9()]|_[0-9])*+")


class PartOfSum(NamedTuple):
    """An element in a sum of chemistry, and how many atoms of it, as it is written."""

    element: str
    amount: str

    @property
    def by_two(self) -> bool:
        return self.element in _BY_TWO and self.amount in ("", "2", "3")


def sum_of(text: str) -> list[PartOfSum] | None:
    """The parts of a text that is nothing but symbols of elements, amounts and brackets. None: it is not."""
    if not _SUM.fullmatch(text) or "_" in text:
        return None
    parts = [PartOfSum(*part) for part in _PART.findall(text)]
    left = re.sub(r"\([0-9]*|\)[0-9]*", "", _PART.sub("", text))
    return parts if not left and all(part.element in _SYMBOLS for part in parts) else None


def is_sum(text: str) -> bool:
    """Whether it is one that no word looks like: of several elements, or with an amount."""
    parts = sum_of(text)
    return parts is not None and (len(parts) > 1 or bool(parts[0].amount))


def without_marks(text: str) -> str:
    """A sum of chemistry without the marks of its digits; any other text as it is."""
    below = _BELOW.sub(lambda digit: f"_{digit.group().translate(_LEVEL)}", text) if len(text) <= 100 else text
    if "_" not in below or len(below) > 100:
        return text
    bare = _MARKED.sub(lambda digits: digits[1] or digits[2], _UPRIGHT.sub("", below))
    bare = re.sub(r"[\s${}]", "", bare).rstrip(".")
    if not _SUM.fullmatch(bare):
        return text
    parts = sum_of(bare)
    if parts is None or (len(parts) == 1 and not (parts[0].by_two and parts[0].amount)):
        return text
    return bare
