"""What shows that a text is a formula at all, before it is read as one."""

from __future__ import annotations

import re

_EVIDENCE = re.compile(
    r"[=<>≤≥≠≈≡∈∉⊂⊆∪∩^_+*±∓]|[0-9)] ?/|/ ?[0-9(]|(?<![^\W_])[^\W\d_] ?/ ?[^\W\d_](?![^\W\d_])"
    r"|(?<![^\W\d_])(?:sqrt|pi|infinity|log|ln)\b"
    r"|(?<![^\W_])[0-9]*+ ?(?!μ)[α-ω] ?[a-z](?![^\W_])"
    r"|(?<![^\W\d_])(?:arc)?(?:sin|cos|tan|cot)(?: ?[(0-9]| ?[^\W\d_](?![^\W\d_])| (?:pi|sqrt)\b)|\) ?!"
    r"|(?:[0-9)]|(?<![^\W_])[^\W\d_]{1,3}) ?(?:- ?\(|\([^()]*-)|\) ?- ?(?:[0-9(]|[^\W\d_]{1,3}(?![^\W_]))"
)
"""Without any of these a text is words or one number. The stroke of AC/DC says nothing."""
_OPENED = re.compile(r"[(\[{]")
_STRONG = re.compile(r"\bsqrt\b|\bpi\b|\^|_\(|/ *\(|\)/|\)[^\W_]")
"""Where brackets may be all that tells two texts apart, so that words between formulas are read around."""
_NAME_OF_NUMBER = re.compile(r"[a-z]{2,3} ?= ?-?[0-9.]+")
"""pH = 7 and pH 7 are one answer; a sign between a name and a number says little."""
_DATE = re.compile(r"(?<![0-9])[0-9]++ ?/ ?[0-9]++ ?/ ?[0-9]")


def _lists_in_brackets(plain: str) -> bool:
    opened = _OPENED.search(plain)
    return opened is not None and "," in plain[opened.end() :]


def shows_a_formula(plain: str) -> bool:
    if not re.search(r"[^\W_]", plain) or not (_EVIDENCE.search(plain) or _lists_in_brackets(plain)):
        return False
    return not (_DATE.search(plain) or _NAME_OF_NUMBER.fullmatch(plain))


def hangs_on_brackets(plain: str) -> bool:
    """Whether words between its formulas are read around."""
    return _STRONG.search(plain) is not None
