r"""Sums of chemistry, in which a digit below is written with a mark or without: H_2O, \mathrm{H_2O}, H₂O and H2O are one.

Elsewhere it is not so: x_1 is no x1, nor 10_2 a 102. So only what is nothing but symbols of elements is read.
"""

from __future__ import annotations

import re

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


def without_marks(text: str) -> str:
    """A sum of chemistry without the marks of its digits; any other text as it is."""
    below = _BELOW.sub(lambda digit: f"_{digit.group().translate(_LEVEL)}", text) if len(text) <= 100 else text
    if "_" not in below or len(below) > 100:
        return text
    bare = _MARKED.sub(lambda digits: digits[1] or digits[2], _UPRIGHT.sub("", below))
    bare = re.sub(r"[\s${}]", "", bare).rstrip(".")
    if not _SUM.fullmatch(bare):
        return text
    parts = _PART.findall(bare)
    left = _PART.sub("", bare)
    if re.sub(r"\([0-9]*|\)[0-9]*", "", left) or not all(symbol in _SYMBOLS for symbol, _ in parts):
        return text
    if len(parts) == 1 and not (parts[0][0] in _BY_TWO and parts[0][1] in ("2", "3")):
        return text
    return bare
