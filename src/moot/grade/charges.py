r"""A plus or a minus behind a name: A-, HIV-, Na+, \mathbb{R}^+ are other answers than A, HIV, Na and \mathbb{R}.

It is written beside the name, raised, or after a space (O -). Behind an ordinary word a dash is one of punctuation, or that of a
prefix (un-), so a minus that is not raised is read only behind a letter, a word in capitals and a sum of chemistry.
"""

from __future__ import annotations

import re

from moot.grade.chemistry import is_sum, sum_of

MINUS, PLUS = "⁻", "⁺"
"""As they are written behind a name once they are read."""

_IONS = frozenset(("cl", "br", "oh", "cn", "no2", "no3", "hco3", "hso4", "mno4", "clo", "clo3", "clo4", "scn", "h2po4"))
"""What carries one negative charge: Cl- is not Cl, as Na+ is not Na."""
_NAME = r"(?<![^\W_])(?P<name>[^\W_]{1,20})"
_ENDS = r"(?=[\s.\"'”’»)$*!?,;]*\Z)"
_RAISED_MINUS = re.compile(rf"{_NAME}\^ ?(?:[-−–⁻]|\{{ ?[-−–⁻] ?\}}|\([-−–]\))(?=[\s.,;:\"'”’»)}}$*]|\Z)")
_MINUS_BESIDE = re.compile(
    rf"{_NAME}[-−–](?:{_ENDS}|(?=[\s,;)])(?!,? (?:and|or|und|oder|et|ou|и|или) \w{{1,20}}[-‐]\w))"
)
"""Not the one of X- and Y-linked."""
_MINUS_APART = re.compile(rf"{_NAME} [-−–]{_ENDS}")
_LETTER = re.compile(r"[A-Za-zα-ωℂℕℝℚℤ]")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9]{1,5}|Rh")
_SHORT_CAPITALS = re.compile(r"[A-Z]{2,3}[0-9]?|Rh")
_PLUS_APART = re.compile(rf"(?P<name>[^\W\d_][0-9]?) (?P<signs>\+{{1,2}}){_ENDS}")
_PLUS_BESIDE = re.compile(rf"{_NAME}\+(?:{_ENDS}|(?=[,;)]))")

_UPRIGHT = re.compile(r"\\(?:mathrm|text|rm|ce)(?![A-Za-z])")
_LEVEL = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉−–", "01234567890123456789--")
_RAISED = re.compile(r"(?P<amount>[¹²³⁴-⁹]?)(?P<sign>[⁺⁻])")
_ION = re.compile(
    r"(?P<sum>[A-Z][A-Za-z0-9()]{0,40}?)"
    r"(?:\^(?P<raised>[1-9]?)(?P<raised_sign>[+-])(?P<after>[1-9]?)|(?P<amount>[1-9]?)(?P<sign>[+-]))"
)
_LONGEST_ION = 60
_ION_IN_WORDS = re.compile(
    r"(?<![\w^_\\{(.])[A-Z](?:[A-Za-z0-9₀-₉]|_[0-9]|_\{[0-9]{1,2}\}){0,20}"
    r"(?:\^(?:[1-9]?[+-]|\{[1-9]?[+-]\}|\{[+-][1-9]\})|[¹²³⁴-⁹]?[⁺⁻]|[1-9][+-]|\+)(?=[\s,;:.)$]|\Z)"
)
"""The Ca^{2+} of "Ca^{2+} ions". A minus that is neither raised nor behind a number is that of a prefix as often."""


def with_minus(text: str) -> str:
    """A text whose names carry the minus behind them, be it raised, beside them or apart."""
    if not any(mark in text for mark in "-−–"):
        return text
    text = _RAISED_MINUS.sub(rf"\g<name>{MINUS}", text)
    text = _MINUS_BESIDE.sub(lambda found: _with(found, _CAPITALS), text)
    return _MINUS_APART.sub(lambda found: _with(found, _SHORT_CAPITALS), text)


def with_charges(text: str) -> str:
    r"""The same of a plus as well, and of more than one: Na+, Na^+, \text{Na}^+ and Na⁺; SO_4^{2-}, SO₄²⁻ and SO4 2-."""
    if not any(mark in text for mark in "+-−–⁺⁻"):
        return text
    if (ion := _ion(text)) is not None:
        return ion
    text = _ION_IN_WORDS.sub(lambda found: _ion(found.group()) or found.group(), text)
    text = _PLUS_APART.sub(r"\g<name>\g<signs>", with_minus(text))
    return _PLUS_BESIDE.sub(lambda found: _with(found, _CAPITALS, PLUS), text)


def _with(found: re.Match[str], capitals: re.Pattern[str], sign: str = MINUS) -> str:
    name = found["name"]
    of_name = _LETTER.fullmatch(name) or capitals.fullmatch(name) or name.lower() in _IONS or is_sum(name)
    of_name = of_name or (sign == PLUS and sum_of(name) is not None)
    return f"{name}{sign}" if of_name else found.group()


def _ion(text: str) -> str | None:
    """A sum of chemistry with its charge, all there is; the number of the charge goes before its sign."""
    if len(text) > _LONGEST_ION or not any("A" <= letter <= "Z" for letter in text):
        return None
    level = _RAISED.sub(lambda raised: f"^{raised['amount']}{'+' if raised['sign'] == PLUS else '-'}", text)
    bare = re.sub(r"[\s${}]|_(?=\{?[0-9])", "", _UPRIGHT.sub("", level.translate(_LEVEL))).strip("\"'").rstrip(".")
    found = _ION.fullmatch(bare.replace("^(", "^").removesuffix(")") if "^(" in bare else bare)
    if found is None or (found["raised"] and found["after"]):
        return None
    name, sign = found["sum"], found["raised_sign"] or found["sign"]
    amount = found["raised"] or found["after"] or ""
    if found["sign"] and found["amount"]:
        if (parts := sum_of(name + found["amount"])) is None:
            return None
        ends_in_two = len(parts) > 1 and name[-1:].isdigit() and len(parts[-1].amount) == 2
        if ends_in_two or (len(parts) == 1 and parts[0].amount == found["amount"] and not parts[0].by_two):
            amount = found["amount"]  # SO42-, Ca2+
        else:
            name += found["amount"]
    if (parts := sum_of(name)) is None or (found["sign"] == "-" and not amount and not _carries_minus(name)):
        return None
    apart = "^" if amount not in ("", "1") and (name[-1] in "0123456789)" or parts[0].by_two) else ""
    return f"{name}{apart}{amount if amount != '1' else ''}{PLUS if sign == '+' else MINUS}"


def _carries_minus(name: str) -> bool:
    """Whether a minus beside it is a charge: Co- is a prefix."""
    return len(name) == 1 or name.lower() in _IONS or is_sum(name)
